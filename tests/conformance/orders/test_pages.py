"""Pages of the order list: whoever reads on sees every order once, also while new ones come."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from mockrelay.relay import Relay
from tests.support.bodies import E18
from tests.support.calls import Request, call, order, place, valid_request
from tests.support.client import advance, done
from tests.support.views import orders
from tests.support.worlds import START_MS

COUNT = 120


def sale(number: int, eth: int = 5 * 10**16) -> Request:
    """One LRC."""
    return order(number, amountS=str(E18), amountB=str(eth))


@pytest.fixture
def hashes(relay: Relay) -> list[str]:
    """120 orders, a second apart, newest first."""
    found = []
    for number in range(COUNT):
        found.append(place(relay, sale(number, 10**15 + number)))
        advance(relay, "1s")
    return found[::-1]


def page(relay: Relay, **query: Any) -> list[str]:
    return [record["hash"] for record in orders(relay, **query)]


def test_every_way_to_read_them_all(relay: Relay, hashes: list[str]) -> None:
    """Fifty where nothing is said; by offset; at one go; each page with the number of all."""
    assert page(relay) == hashes[:50]
    assert page(relay, offset=50) == hashes[50:100]
    assert page(relay, offset=100) == hashes[100:]
    assert page(relay, offset=120) == []
    assert page(relay, limit=1000) == hashes
    for query in ({}, {"offset": 100}, {"limit": 1}, {"offset": 500}):
        assert call(relay, valid_request("get_orders").but(**query)).data["totalNum"] == COUNT


@pytest.mark.parametrize("limit", [1, 7, 50, 119, 120, 121])
def test_by_hash_there_is_no_gap_and_no_double_while_new_orders_come(
    relay: Relay, hashes: list[str], limit: int
) -> None:
    """What comes meanwhile stands ahead of the first page and moves nothing behind it."""

    def pages() -> Iterator[list[str]]:
        last: dict[str, str] = {}
        for number in range(COUNT, COUNT + 200):
            found = page(relay, limit=limit, **last)
            if not found:
                return
            yield found
            last = {"fromHash": found[-1]}
            if number < COUNT + 20:
                place(relay, sale(number))

    assert [hash_ for found in pages() for hash_ in found] == hashes


@pytest.mark.parametrize("event", ["fill", "cancel"])
def test_what_becomes_of_an_order_does_not_move_it(relay: Relay, hashes: list[str], event: str) -> None:
    """Its place is by when it came."""
    deeds: dict[str, Callable[[str], Any]] = {
        "fill": lambda hash_: done(relay, "POST", f"orders/{hash_}/fill", {"size": str(E18)}),
        "cancel": lambda hash_: done(relay, "POST", f"orders/{hash_}/cancel", {}),
    }
    for hash_ in hashes[10:110:9]:
        deeds[event](hash_)
    assert page(relay, limit=1000) == hashes


def test_orders_of_the_same_moment_keep_their_order(relay: Relay) -> None:
    hashes = [place(relay, sale(number)) for number in range(COUNT)][::-1]
    assert [*page(relay), *page(relay, offset=50), *page(relay, offset=100)] == hashes


def test_an_end_of_0_is_no_upper_bound(relay: Relay, hashes: list[str]) -> None:
    """Nor does a start of 0 bound anything; a bound that is given is one."""
    assert page(relay, limit=1000, end=0) == page(relay, limit=1000, start=0, end=0) == hashes
    assert page(relay, limit=1000, start=START_MS + 60_000, end=0) == hashes[:60]
    newest = call(relay, valid_request("get_orders").but(end=START_MS + 9_500)).data
    assert [record["hash"] for record in newest["orders"]] == hashes[110:]
    assert newest["totalNum"] == 10


def test_a_page_can_be_cut_at_fifty_by_choice(relay: Relay, hashes: list[str]) -> None:
    done(relay, "POST", "reset", {"choices": {"page.limit_max": "50"}})
    hashes = [place(relay, sale(number)) for number in range(COUNT)][::-1]
    assert page(relay, limit=1000) == hashes[:50]
    assert page(relay, limit=1000, fromHash=hashes[49]) == hashes[50:100]
