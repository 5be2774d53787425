"""A book side keeps price-time priority whatever the amounts, and its depth is the sum of its orders."""

from __future__ import annotations

import pytest

from mockrelay.core.models import Order
from mockrelay.core.orders.book import BookSide
from mockrelay.core.orders.store import OrderIdSet
from mockrelay.spec.vocab import OrderStatus, OrderType, Side


def order(seq: int, side: Side, base_wei: int, quote_wei: int, ticks: int = 1) -> Order:
    return Order(
        hash=f"0x{seq:064x}",
        seq=seq,
        account_id=10001,
        order_id=seq,
        market="LRC-ETH",
        side=side,
        order_type=OrderType.LIMIT_ORDER,
        ends_on_bought=side is Side.BUY,
        sold_token=1,
        bought_token=0,
        size_base_wei=base_wei,
        volume_quote_wei=quote_wei,
        price_ticks=ticks,
        max_fee_bips=63,
        valid_since_s=0,
        valid_until_s=2**32 - 1,
        created_at_ms=0,
        client_order_id="",
        status=OrderStatus.PROCESSING,
        held=None,
        failed=False,
        filled_base_wei=0,
        filled_quote_wei=0,
        filled_fee_wei=0,
    )


def seqs(side: BookSide) -> list[int]:
    return [resting.seq for resting in side.orders]


@pytest.mark.parametrize(("side", "expected"), [(Side.SELL, [1, 2, 0, 3]), (Side.BUY, [0, 3, 2, 1])])
def test_prices_of_78_digits_that_differ_in_the_last_one_are_told_apart(side: Side, expected: list[int]) -> None:
    huge = 10**77
    book = BookSide(side)
    book.add(order(0, side, 2, 1))  # 0.5, and an amount that needs no wide rank
    book.add(order(1, side, huge, huge // 2 - 1))
    book.add(order(2, side, huge + 2, huge // 2))  # between the two: (h/2) / (h+2) is below 0.5 by 1/h
    book.add(order(3, side, huge, huge // 2))  # 0.5 again, later
    assert seqs(book) == expected
    book.remove(book.orders[0])
    assert seqs(book) == expected[1:]
    assert seqs(book.clone()) == expected[1:]


def test_crossing_is_exact() -> None:
    huge = 10**77
    asks = BookSide(Side.SELL)
    asks.add(order(0, Side.SELL, huge, huge // 2))
    assert asks.crossed_by(2, 1)
    assert not asks.crossed_by(huge, huge // 2 - 1)


def test_equal_prices_stand_in_the_order_of_creation_whatever_the_order_of_arrival() -> None:
    asks = BookSide(Side.SELL)
    for seq in (5, 2, 9):
        asks.add(order(seq, Side.SELL, 10 * (seq + 1), 5 * (seq + 1)))
    assert seqs(asks) == [2, 5, 9]


@pytest.mark.parametrize(("side", "steps"), [(Side.SELL, [1, 2, 3]), (Side.BUY, [2, 1, 0])])
def test_rows_that_hold_too_many_orders_to_be_added_up_each_time_stay_right(side: Side, steps: list[int]) -> None:
    book = BookSide(side)
    # 600 orders in each of three rows of 100 ticks: 1 to 99, 101 to 199, 201 to 299. All sell 20 for 10.
    placed = [order(seq, side, 20, 10, ticks=100 * (seq % 3) + 1 + seq % 99) for seq in range(1800)]
    for number, resting in enumerate(placed):
        # The exact price only has to sort as the ticks do.
        placed[number] = resting._replace(size_base_wei=20 * 10**6, volume_quote_wei=10**4 * resting.price_ticks)
        book.add(placed[number])

    def added_up() -> list[tuple[int, int, int, int]]:
        rows = []
        for step in steps:
            inside = [
                resting
                for resting in book.orders
                if (-(-resting.price_ticks // 100) if side is Side.SELL else resting.price_ticks // 100) == step
            ]
            base = sum(resting.remaining_base_wei for resting in inside)
            rows.append((step, base, sum(resting.remaining_quote_wei for resting in inside), len(inside)))
        return [row for row in rows if row[3]]

    assert [row[3] for row in book.depth(100, 50)] == [600, 600, 600]
    assert book.depth(100, 50) == added_up()
    book.remove(placed[0])
    filled = placed[4]._replace(filled_base_wei=5, filled_quote_wei=2)
    book.change(placed[4], filled)
    book.add(placed[0]._replace(seq=1800, price_ticks=placed[0].price_ticks))
    assert book.depth(100, 50) == added_up()
    assert book.depth(100, 2) == added_up()[:2]
    for resting in list(book.orders):
        if resting.price_ticks < 100:
            book.remove(resting)
    assert book.depth(100, 10**30) == added_up()
    assert book.clone().depth(100, 50) == added_up()
    assert [row[0] for row in book.depth(1, 3)] == [row.price_ticks for row in _first_of_price(book)][:3]


def _first_of_price(book: BookSide) -> list[Order]:
    return list({resting.price_ticks: resting for resting in book.orders}.values())


def test_ids_are_a_set() -> None:
    ids = OrderIdSet()
    for order_id in (0, 63, 64, 2**32 - 1):
        ids.add(order_id)
    copy = ids.clone()
    copy.add(65)
    assert [order_id in ids for order_id in (0, 1, 62, 63, 64, 65, 2**32 - 2, 2**32 - 1)] == [
        True,
        False,
        False,
        True,
        True,
        False,
        False,
        True,
    ]
    assert 65 in copy
