"""Readings of an order that a client may count on."""

from __future__ import annotations

from tests.core.worlds import ALICE, BOB, ETH, LRC, UNIT, Bench


def test_a_client_order_id_may_come_again_unless_it_is_refused() -> None:
    """By the same account, that is; another account's ids are its own business under either reading."""
    for option, code in (("allow", None), ("refuse", 102120)):
        bench = Bench(choices={"signature.scheme": "off", "order.repeated_client_id": option})
        for account_id in (ALICE, BOB):
            bench.fund(account_id, LRC=10**6 * UNIT, ETH=10**4 * UNIT)
            bench.sell(account_id, UNIT, UNIT, clientOrderId="mine")
        again = bench.order_fields(ALICE, LRC, ETH, UNIT, UNIT, clientOrderId="mine")
        if code is None:
            assert bench.call("submit_order", again)["status"] == "NEW_ACTIVED"
        else:
            assert bench.refusal("submit_order", again) == code
        other = bench.order_fields(ALICE, LRC, ETH, UNIT, UNIT, clientOrderId="another")
        bench.call("submit_order", other)
