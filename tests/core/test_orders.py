"""Orders: which are taken, and how they meet by price, then by time, in whole wei. All amounts are worked out by hand."""

from __future__ import annotations

import pytest

from mockrelay.spec.vocab import OrderStatus
from tests.core.bench import ALICE, BOB, UNIT, Bench, token
from tests.support.bodies import ETH, LRC


def test_an_order_that_buys_until_bought_keeps_what_it_need_not_sell(bench: Bench) -> None:
    bench.buy(BOB, 100 * UNIT, UNIT // 10)  # 0.001
    taker = bench.order(bench.sell(ALICE, 100 * UNIT, UNIT // 20, buy="true"))  # wants 0.05 ETH, for up to 100 LRC
    assert taker.status is OrderStatus.PROCESSED
    assert (taker.filled_base_wei, taker.filled_quote_wei) == (50 * UNIT, UNIT // 20)
    assert bench.balance(ALICE, LRC) == (950 * UNIT, 0, 0)


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
