"""Prices and amounts: edges to the unit, and digits that stay as they were sent."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from mockrelay.relay import Relay
from tests.conformance.checks import read, refused_call
from tests.support.bodies import E18
from tests.support.calls import accepted, bid, call, order
from tests.support.client import digest
from tests.support.views import orders
from tests.support.worlds import world_like

LEAST, MOST = 10**15, 5000 * E18
EDGES = f"""
tokens:
  - {{symbol: LRC, minOrderAmount: "{LEAST}", maxOrderAmount: "{MOST}", dustOrderAmount: "0", precision: 6}}
  - {{symbol: ETH, minOrderAmount: "{LEAST}", maxOrderAmount: "{5 * E18}", dustOrderAmount: "0"}}
"""
TICK = Fraction(1, 10**8)
"""Of LRC-ETH, whose prices have eight decimals."""


@pytest.fixture
def relay(tmp_path: Path) -> Relay:
    """World W with limits on amounts, where six of LRC's eighteen decimals count."""
    return world_like(tmp_path, EDGES)


@pytest.mark.parametrize(
    ("amount", "code"),
    [(LEAST - 1, 102012), (LEAST, 0), (LEAST + 1, 0), (MOST - 1, 0), (MOST, 0), (MOST + 1, 102020)],
    ids=["min-1", "min", "min+1", "max-1", "max", "max+1"],
)
def test_the_edges_of_what_may_be_sold(relay: Relay, amount: int, code: int) -> None:
    """To the unit. The refusal names the amount and the edge, and nothing has happened."""
    before = digest(relay)
    answer = call(relay, order(amountS=str(amount)))
    if code == 0:
        assert answer.code == 0, answer.body
        assert orders(relay)[0]["size"] == str(amount)
    else:
        edge = LEAST if code == 102012 else MOST
        refused_call(answer, "submit_order", {code}, "amountS", str(amount), str(edge))
        assert digest(relay) == before


@pytest.mark.parametrize(
    ("amount", "code"), [(LEAST - 1, 102012), (LEAST, 0), (5 * E18, 0), (5 * E18 + 1, 102020)], ids=str
)
def test_the_edges_are_those_of_the_token_that_is_sold(relay: Relay, amount: int, code: int) -> None:
    """For a bid that is ETH, whatever it buys."""
    assert call(relay, bid(1, eth=amount, lrc=E18)).code == code


@pytest.mark.parametrize(
    ("lrc", "code"), [(1, 102012), (10**12 - 1, 102012), (10**12, 0), (10**12 + 1, 0), (2 * 10**12 - 1, 0)], ids=str
)
def test_digits_below_the_precision_count_as_zero(relay: Relay, lrc: int, code: int) -> None:
    """Of what is bought as well, where no minimum stands ahead of it; from one that counts on, all digits are kept."""
    answer = call(relay, bid(1, eth=E18, lrc=lrc))
    assert answer.code == code
    if code == 0:
        assert orders(relay, "bob")[0]["size"] == str(lrc)


@pytest.mark.parametrize(
    ("lrc", "eth"),
    [(3 * E18, E18), (7 * E18, E18), (E18, E18 // 3), (999 * E18 + 1, E18 + 7), (E18 + 10**12, 2 * E18 - 1)],
    ids=str,
)
@pytest.mark.parametrize("side", ["SELL", "BUY"])
def test_a_price_is_rounded_to_a_tick_and_size_and_volume_are_not(relay: Relay, side: str, lrc: int, eth: int) -> None:
    """An ask is shown no lower than it is and a bid no higher, less than a tick away; it is the price of its level."""
    wanted: dict[str, Any] = {"amountS": str(lrc), "amountB": str(eth)}
    if side == "SELL":
        accepted(relay, order(1, **wanted))
        (record,) = orders(relay)
    else:
        accepted(relay, bid(1, lrc=lrc, eth=eth))
        (record,) = orders(relay, "bob")
    assert (record["side"], record["size"], record["volume"]) == (side, str(lrc), str(eth))
    shown, own = Fraction(record["price"]), Fraction(eth, lrc)
    assert (shown / TICK).denominator == 1
    assert 0 <= (shown - own if side == "SELL" else own - shown) < TICK
    ((level, size, *_),) = read(relay, "get_depth", market="LRC-ETH", level=0)["asks" if side == "SELL" else "bids"]
    assert (Fraction(level), size) == (shown, str(lrc))
