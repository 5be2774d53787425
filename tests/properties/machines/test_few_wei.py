"""Orders of a few wei, where every division leaves a rest: the plain exchange says what becomes of each."""

from __future__ import annotations

import random

import pytest

from tests.properties.machines.offers import Offer
from tests.properties.machines.test_crowded_level import PLAIN
from tests.properties.machines.test_market import MarketMachine

ROUNDS = 25
WEI_MAX = 5


def few_wei(draw: random.Random, side: str) -> Offer:
    """An order of one of two traders, of one to five wei on each side."""
    return PLAIN._replace(
        account=draw.choice((10001, 10002)),
        side=side,
        exact=(draw.randint(1, WEI_MAX), draw.randint(1, WEI_MAX)),
        buy=draw.random() < 0.5,
        kind=draw.choice(("LIMIT_ORDER", "LIMIT_ORDER", "LIMIT_ORDER", "TAKER_ONLY")),
    )


@pytest.mark.parametrize("seed", range(12))
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
