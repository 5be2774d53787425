"""Orders: which are taken, and how they meet by price, then by time, in whole wei. All amounts are worked out by hand."""

from __future__ import annotations

import pytest

from mockrelay.spec.vocab import OrderStatus
from tests.core.bench import ALICE, BOB, UNIT, Bench, token
from tests.support.bodies import ETH, LRC


def test_a_taker_pays_the_makers_better_price_and_gets_the_difference_back(bench: Bench) -> None:
    bench.sell(ALICE, 100 * UNIT, UNIT // 20)  # 0.0005 ETH each
    taker = bench.order(bench.buy(BOB, 100 * UNIT, UNIT // 10))  # would pay 0.001
    assert taker.status is OrderStatus.PROCESSED
    assert (taker.filled_base_wei, taker.filled_quote_wei) == (100 * UNIT, UNIT // 20)
    assert bench.balance(BOB, ETH) == (10 * UNIT - UNIT // 20, 0, 0)


def test_fees_are_bips_of_what_is_received_by_the_makers_and_the_takers_rate(bench: Bench) -> None:
    maker_hash = bench.sell(ALICE, 100 * UNIT, UNIT // 20)
    taker = bench.order(bench.buy(BOB, 100 * UNIT, UNIT // 20))
    # 10 bips of 0.05 ETH for the maker, 20 bips of 100 LRC for the taker.
    assert bench.order(maker_hash).filled_fee_wei == 5 * 10**16 * 10 // 10_000
    assert taker.filled_fee_wei == 2 * UNIT // 10
    assert bench.balance(BOB, LRC).free_wei == 1000 * UNIT + 100 * UNIT - 2 * UNIT // 10
    assert bench.world.ledger.fees_wei == {ETH: 5 * 10**13, LRC: 2 * 10**17}


def test_a_fee_is_never_above_the_orders_own_maximum(bench: Bench) -> None:
    bench.sell(ALICE, 100 * UNIT, UNIT // 20)
    taker = bench.order(bench.buy(BOB, 100 * UNIT, UNIT // 20, maxFeeBips=1))
    assert taker.filled_fee_wei == UNIT // 100


def test_the_best_price_trades_first_and_the_oldest_of_one_price(bench: Bench) -> None:
    dear = bench.sell(ALICE, 10 * UNIT, UNIT // 100)  # 0.001
    first = bench.sell(ALICE, 10 * UNIT, UNIT // 200)  # 0.0005
    second = bench.sell(ALICE, 20 * UNIT, UNIT // 100)  # 0.0005, by another ratio of amounts
    bench.buy(BOB, 15 * UNIT, 15 * UNIT // 1000)
    filled = [bench.order(hash_).filled_base_wei for hash_ in (dear, first, second)]
    assert filled == [0, 10 * UNIT, 5 * UNIT]


def test_prices_that_differ_by_the_smallest_fraction_are_different(bench: Bench) -> None:
    base_wei = 3 * UNIT
    dear = bench.sell(ALICE, base_wei, UNIT)
    cheap = bench.sell(ALICE, base_wei, UNIT - 1)
    bench.buy(BOB, UNIT, UNIT // 2)
    assert bench.order(dear).filled_base_wei == 0
    assert bench.order(cheap).filled_base_wei == UNIT


@pytest.mark.parametrize(("asks_wei", "trades"), [(UNIT, True), (UNIT + 1, False)])
def test_an_order_trades_at_its_own_price_and_not_one_wei_above(bench: Bench, asks_wei: int, trades: bool) -> None:
    bench.sell(ALICE, 3 * UNIT, asks_wei)
    taker = bench.order(bench.buy(BOB, 3 * UNIT, UNIT))
    assert taker.status is (OrderStatus.PROCESSED if trades else OrderStatus.PROCESSING)


def test_an_order_that_sells_until_sold_spends_all_of_it_at_a_better_price(bench: Bench) -> None:
    bench.sell(ALICE, 200 * UNIT, UNIT // 20)  # 0.00025
    taker = bench.order(bench.buy(BOB, 100 * UNIT, UNIT // 20, buy="false"))  # spends 0.05, asked for 100 LRC
    assert taker.status is OrderStatus.PROCESSED
    assert (taker.filled_base_wei, taker.filled_quote_wei) == (200 * UNIT, UNIT // 20)


def test_an_order_that_buys_until_bought_keeps_what_it_need_not_sell(bench: Bench) -> None:
    bench.buy(BOB, 100 * UNIT, UNIT // 10)  # 0.001
    taker = bench.order(bench.sell(ALICE, 100 * UNIT, UNIT // 20, buy="true"))  # wants 0.05 ETH, for up to 100 LRC
    assert taker.status is OrderStatus.PROCESSED
    assert (taker.filled_base_wei, taker.filled_quote_wei) == (50 * UNIT, UNIT // 20)
    assert bench.balance(ALICE, LRC) == (950 * UNIT, 0, 0)


def test_the_rest_of_a_taker_that_may_not_rest_is_cancelled(bench: Bench) -> None:
    bench.sell(ALICE, 40 * UNIT, UNIT // 50)
    taker = bench.order(bench.buy(BOB, 100 * UNIT, UNIT // 20, orderType="TAKER_ONLY"))
    assert (taker.status, taker.filled_base_wei) == (OrderStatus.CANCELLED, 40 * UNIT)
    assert bench.balance(BOB, ETH) == (10 * UNIT - UNIT // 50, 0, 0)


def test_an_order_does_not_trade_with_its_own_account_unless_the_choice_allows_it(bench: Bench) -> None:
    resting = bench.sell(ALICE, 10 * UNIT, UNIT // 200)
    newest = bench.order(bench.buy(ALICE, 10 * UNIT, UNIT // 200))
    assert newest.status is OrderStatus.CANCELLED
    assert bench.order(resting).status is OrderStatus.PROCESSING
    bench.world.choices["order.self_trade"] = "allow"
    assert bench.order(bench.buy(ALICE, 10 * UNIT, UNIT // 200)).status is OrderStatus.PROCESSED


@pytest.mark.parametrize(("option", "status"), [("finish", OrderStatus.PROCESSED), ("keep", OrderStatus.PROCESSING)])
def test_a_rest_below_the_dust_threshold_ends_an_order_by_choice(option: str, status: OrderStatus) -> None:
    tokens = (token(ETH, "ETH", 18), token(LRC, "LRC", 18, dust_wei=UNIT), token(3, "USDT", 6))
    bench = Bench(choices={"order.dust": option}, tokens=tokens)
    bench.fund(ALICE, LRC=100 * UNIT)
    bench.fund(BOB, ETH=UNIT)
    hash_ = bench.sell(ALICE, 100 * UNIT, UNIT // 20)
    bench.buy(BOB, 100 * UNIT - UNIT // 2, UNIT // 20)
    assert bench.order(hash_).status is status
    assert bench.balance(ALICE, LRC).frozen_wei == (0 if option == "finish" else UNIT // 2)


def test_a_rest_that_cannot_pay_for_one_wei_ends_its_order_even_where_dust_is_kept() -> None:
    # 1 USDT unit (10^-6) is worth 5 * 10^12 wei of LRC at 0.0000002 USDT a wei... so a rest of 1 wei buys nothing.
    bench = Bench(choices={"order.dust": "keep"})
    bench.fund(ALICE, LRC=UNIT)
    bench.fund(BOB, USDT=10**6)
    sell = bench.order_fields(ALICE, LRC, 3, UNIT, 10**6)
    hash_ = bench.call("submit_order", sell)["orderHash"]
    buy = bench.order_fields(BOB, 3, LRC, 10**6, UNIT - 1, buy="true")
    bench.call("submit_order", buy, BOB)
    assert bench.order(hash_).filled_base_wei == UNIT - 1
    assert bench.order(hash_).status is OrderStatus.PROCESSING
    again = bench.order_fields(BOB, 3, LRC, 1, 10**12, buy="false")
    bench.call("submit_order", again, BOB)
    assert bench.order(hash_).status is OrderStatus.PROCESSED
    assert bench.balance(ALICE, LRC) == (1, 0, 0)


@pytest.mark.parametrize(("option", "code"), [("allow", None), ("refuse", 102120)])
def test_a_client_order_id_may_come_again_unless_it_is_refused(option: str, code: int | None) -> None:
    """By the same account, that is; another account's ids are its own business under either option."""
    bench = Bench(choices={"signature.scheme": "off", "order.repeated_client_id": option})
    for account_id in (ALICE, BOB):
        bench.fund(account_id, LRC=10 * UNIT, ETH=10 * UNIT)
        bench.sell(account_id, UNIT, UNIT, clientOrderId="mine")
    if code is None:
        bench.sell(ALICE, UNIT, UNIT, clientOrderId="mine")
    else:
        again = bench.order_fields(ALICE, LRC, ETH, UNIT, UNIT, clientOrderId="mine")
        assert bench.refusal("submit_order", again) == code
    bench.sell(ALICE, UNIT, UNIT, clientOrderId="another")
