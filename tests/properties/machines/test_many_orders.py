"""More orders than the examples of a machine come to: hundreds at one price, and many of a few wei each."""

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
ROUNDS = 25
WEI_MAX = 5


@pytest.mark.parametrize(("side", "seed"), [("SELL", 1), ("BUY", 2)])
def test_the_oldest_order_of_a_price_trades_first_however_many_have_left(side: str, seed: int) -> None:
    """Cancelled from the middle, taken from the front, new ones at the end: always the oldest that is left."""
    draw = random.Random(seed)
    machine = MarketMachine()
    other = "BUY" if side == "SELL" else "SELL"
    for number in range(ORDERS):
        size = 10 * draw.randrange(1, 9)
        # The same exact price by another ratio of amounts, and now and then the price beside it.
        machine.submit(PLAIN._replace(side=side, exact=(size, size + (number % 20 == 0))), held=False)
    # Above 200 orders the rows of the depth are cached.
    machine.depth_is_the_sum_of_the_open_orders(machine.pairs[0])
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
        machine.depth_is_the_sum_of_the_open_orders(machine.pairs[0])
    machine.wait(5000)
    machine.submit(PLAIN._replace(account=10002, side=other, exact=(10_000, 10_000)), held=False)
    machine.everything_agrees()
    assert any(order.base for order in machine.market.orders)


def few_wei(draw: random.Random, side: str) -> Offer:
    """An order of one of two traders, of one to five wei on each side."""
    return PLAIN._replace(
        account=draw.choice((10001, 10002)),
        side=side,
        exact=(draw.randint(1, WEI_MAX), draw.randint(1, WEI_MAX)),
        buy=draw.random() < 0.5,
        kind=draw.choice(("LIMIT_ORDER", "LIMIT_ORDER", "LIMIT_ORDER", "TAKER_ONLY")),
    )


@pytest.mark.parametrize("seed", range(6))
def test_orders_of_a_few_wei_end_as_the_rules_say(seed: int) -> None:
    """No dust and no self-trade stands in the way, so that all meet."""
    draw = random.Random(seed)
    machine = MarketMachine()
    for choice in (("order.dust", "keep"), ("order.self_trade", "allow")):
        machine.choose(choice)
    for _ in range(ROUNDS):
        for side in ("SELL", "SELL", "BUY", "BUY", draw.choice(("SELL", "BUY"))):
            machine.submit(few_wei(draw, side), held=False)
        machine.orders_are_as_predicted()
        machine.no_order_trades_more_than_its_leg()
    machine.everything_agrees()
    assert len(machine.market.pending) > ROUNDS
