"""Wishes of the guide: orders and the market. See `listing` for their form."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.examples.wishes.bot import ONE

if TYPE_CHECKING:
    from mockrelay.testing import RelayerHandle
    from tests.examples.wishes.bot import Bot


def test_partial_fill(relayer: RelayerHandle, bot: Bot) -> None:
    """An order is filled in part."""
    order = bot.order()
    relayer.order(order.json["data"]["orderHash"]).fill(30 * ONE)

    assert relayer.orders[0].filled_size == 30 * ONE
    assert relayer.orders[0].status == "processing"


def test_two_accounts(relayer: RelayerHandle, bot: Bot, bob: Bot) -> None:
    """Two accounts trade with each other."""
    bot.order("SELL")
    bob.order("BUY")

    assert [order.status for order in relayer.orders] == ["processed", "processed"]


def test_cancelled_by_relayer(relayer: RelayerHandle, bot: Bot) -> None:
    """The relayer cancels an order without being asked."""
    order = bot.order()
    relayer.order(order.json["data"]["orderHash"]).cancel()

    assert relayer.orders[0].status == "cancelled"


def test_expired_order(relayer: RelayerHandle, bot: Bot) -> None:
    """An order expires: the clock reaches its validUntil."""
    bot.order(valid_for_days=60)
    relayer.clock.advance("60d")

    assert relayer.orders[0].status == "expired"


def test_held_order(relayer: RelayerHandle, bot: Bot) -> None:
    """An order is answered with `UNKNOWN` and becomes an ordinary one later."""
    relayer.fault("submit_order", hold="UNKNOWN")
    order = bot.order()
    relayer.order(order.json["data"]["orderHash"]).release()  # or release("failed")

    assert order.json["data"]["status"] == "UNKNOWN"
    assert relayer.orders[0].status == "processing"


def test_lagging_balance(relayer: RelayerHandle, bot: Bot) -> None:
    """The relayer's view of balances lags: the first two orders are refused with 102014."""
    relayer.fault("submit_order", code=102014, times=2)  # or the scenario `lagging_balances`

    assert [bot.order().code for _ in range(3)] == [102014, 102014, 0]


def test_dust(relayer: RelayerHandle, bot: Bot) -> None:
    """What is left of an order is dust: the relayer ends the order, or keeps it open."""
    order = bot.order()
    relayer.choices({"order.dust": "keep"})  # default: finish
    relayer.order(order.json["data"]["orderHash"]).fill(100 * ONE - 1)

    assert relayer.orders[0].status == "processing"


@pytest.mark.relayer(scenario="two_market_makers")
def test_moving_market(relayer: RelayerHandle, bot: Bot) -> None:
    """The market moves while the client watches it."""
    relayer.clock.advance("3m")

    (ticker,) = bot.get("/api/v2/ticker", market="LRC-ETH").json["data"]
    assert ticker[:1] + ticker[7:8] == ["LRC-ETH", "0.000515"]
