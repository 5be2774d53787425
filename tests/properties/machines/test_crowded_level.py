"""A price at which very many orders rest, leave and trade: more than the examples of a machine come to."""

from __future__ import annotations

import random

import pytest

from tests.properties.machines.offers import Offer
from tests.properties.machines.test_market import MarketMachine

PLAIN = Offer(
    account=10001,
    market=0,
    side="SELL",
    size=0,
    percent=100,
    odd=0,
    buy=False,
    kind="LIMIT_ORDER",
    life_s=5_184_000,
    ahead_s=0,
    max_fee_bips=63,
)
ORDERS = 240


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("side", ["SELL", "BUY"])
def test_who_came_first_trades_first_however_many_have_left(seed: int, side: str) -> None:
    """Cancelled from the middle, taken from the front, new ones at the end: always the oldest that is left."""
    draw = random.Random(seed)
    machine = MarketMachine()
    other = "BUY" if side == "SELL" else "SELL"
    for number in range(ORDERS):
        size = 10 * draw.randrange(1, 9)
        # The same exact price by another ratio of amounts, and now and then the price beside it.
        machine.submit(PLAIN._replace(side=side, exact=(size, size + (number % 20 == 0))), held=False)
    open_orders = list(machine.market.orders)
    while len(open_orders) > 4:
        for _ in range(draw.randrange(1, 40)):
            order = open_orders.pop(draw.randrange(len(open_orders)))
            if order.status == "processing":
                machine.cancel(machine.market.orders[::-1].index(order))
            if len(open_orders) <= 4:
                break
        machine.submit(PLAIN._replace(account=10002, side=other, exact=(55, 55), kind="TAKER_ONLY"), held=False)
        machine.submit(PLAIN._replace(account=10001, side=side, exact=(30, 30)), held=False)
        machine.everything_agrees()
    machine.wait(5000)
    machine.submit(PLAIN._replace(account=10002, side=other, exact=(10_000, 10_000)), held=False)
    machine.everything_agrees()
    assert any(order.base for order in machine.market.orders)
