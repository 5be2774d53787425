"""Pages of the order list: whoever reads on sees every order once, also while new ones come."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.flows.client import ALICE, E18, Client, sale, served
from tests.support.worlds import START_MS

COUNT = 120


@pytest.fixture
def client() -> Iterator[Client]:
    with served() as client:
        yield client


@pytest.fixture
def hashes(client: Client) -> list[str]:
    """120 orders, a second apart, newest first."""
    found = []
    for number in range(COUNT):
        found.append(client.accepted(sale(number, lrc=E18, eth=10**15 + number)))
        client.advance("1s")
    return found[::-1]


def page(client: Client, **query: Any) -> list[str]:
    return [record["hash"] for record in client.orders(**query)]


def test_every_way_to_read_them_all(client: Client, hashes: list[str]) -> None:
    """Fifty where nothing is said; by offset; at one go; each page with the number of all."""
    assert page(client) == hashes[:50]
    assert page(client, offset=50) == hashes[50:100]
    assert page(client, offset=100) == hashes[100:]
    assert page(client, offset=120) == []
    assert page(client, limit=1000) == hashes
    for query in ({}, {"offset": 100}, {"limit": 1}, {"offset": 500}):
        assert client.get("v2/orders", accountId=ALICE, **query).data["totalNum"] == COUNT


@pytest.mark.parametrize("limit", [1, 7, 50, 119, 120, 121])
def test_by_hash_there_is_no_gap_and_no_double_while_new_orders_come(
    client: Client, hashes: list[str], limit: int
) -> None:
    """What comes meanwhile stands ahead of the first page and moves nothing behind it."""

    def pages() -> Iterator[list[str]]:
        last: dict[str, str] = {}
        for number in range(COUNT, COUNT + 200):
            found = page(client, limit=limit, **last)
            if not found:
                return
            yield found
            last = {"fromHash": found[-1]}
            if number < COUNT + 20:
                client.accepted(sale(number, lrc=E18))

    assert [hash_ for found in pages() for hash_ in found] == hashes


@pytest.mark.parametrize("event", ["fill", "cancel"])
def test_what_becomes_of_an_order_does_not_move_it(client: Client, hashes: list[str], event: str) -> None:
    """Its place is by when it came."""
    deeds: dict[str, Callable[[str], Any]] = {
        "fill": lambda hash_: client.done(f"orders/{hash_}/fill", {"size": str(E18)}),
        "cancel": lambda hash_: client.done(f"orders/{hash_}/cancel", {}),
    }
    for hash_ in hashes[10:110:9]:
        deeds[event](hash_)
    assert page(client, limit=1000) == hashes


def test_orders_of_the_same_moment_keep_their_order(client: Client) -> None:
    hashes = [client.accepted(sale(number, lrc=E18)) for number in range(COUNT)][::-1]
    assert [*page(client), *page(client, offset=50), *page(client, offset=100)] == hashes


def test_an_end_of_0_is_no_upper_bound(client: Client, hashes: list[str]) -> None:
    """Nor does a start of 0 bound anything; a bound that is given is one."""
    assert page(client, limit=1000, end=0) == page(client, limit=1000, start=0, end=0) == hashes
    assert page(client, limit=1000, start=START_MS + 60_000, end=0) == hashes[:60]
    newest = client.get("v2/orders", accountId=ALICE, end=START_MS + 9_500).data
    assert [record["hash"] for record in newest["orders"]] == hashes[110:]
    assert newest["totalNum"] == 10


def test_a_page_can_be_cut_at_fifty_by_choice(client: Client, hashes: list[str]) -> None:
    client.done("reset", {"choices": {"page.limit_max": "50"}})
    hashes = [client.accepted(sale(number, lrc=E18)) for number in range(COUNT)][::-1]
    assert page(client, limit=1000) == hashes[:50]
    assert page(client, limit=1000, fromHash=hashes[49]) == hashes[50:100]
