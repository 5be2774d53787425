"""Orders that begin and end in every way, and each view of each agrees.

Each row by itself: `tests/flows/test_unsettled_orders.py`, `test_statuses_agree.py`, `test_order_ids.py` and
`test_frozen_money.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.flows.client import ALICE, E18, FILTERS, Client, sale, served
from tests.support.worlds import START_S

RECORD_WORDS = {"processing", "processed", "cancelling", "cancelled", "expired", "waiting"}
SUBMIT_WORDS = {"NEW_ACTIVED", "UNKNOWN"}
LRC_AT_START = 10_000 * E18
BEGINS = ("active", "filled in part", "for later", "UNKNOWN", "WAIT_FREEZE_BALANCE")
ENDS = {"active": "cancel fill expire", "filled in part": "cancel fill expire", "for later": "cancel expire"}
HELD_ENDS = "cancel expire fail"
LISTED_AT_END = {"cancel": "cancelled", "fill": "processed", "expire": "expired", "fail": "failed"}


@pytest.fixture
def client() -> Iterator[Client]:
    with served() as client:
        yield client


class Book:
    """Alice's orders, and the one word of the filter that should list each."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.listed: dict[str, str] = {}
        self.bodies: dict[str, Any] = {}
        self.ended: dict[str, Any] = {}
        """The records of those that have ended, as they were then."""

    def begin(self, how: str, **changes: Any) -> str:
        """Submit an order; the next id follows it."""
        if how == "for later":
            changes["validSince"] = START_S + 3600
        elif how.isupper():
            self.client.done("faults", {"on": "submit_order", "hold": how})
        number = self.client.next_id()
        body = sale(number, **changes)
        answer = self.client.submit(body)
        assert answer.data["status"] in SUBMIT_WORDS
        assert (answer.code, self.client.next_id()) == (0, number + 1)
        hash_: str = answer.data["orderHash"]
        self.listed[hash_] = "processing" if how in ("active", "filled in part") else "waiting"
        self.bodies[hash_] = body
        if how == "filled in part":
            self.client.done(f"orders/{hash_}/fill", {"size": str(20 * E18)})
        return hash_

    def end(self, hash_: str, how: str) -> None:
        """What ends an order, but for the time that is to pass."""
        if how == "fill":
            record = self.client.record(hash_)
            rest = int(record["size"]) - int(record["filledSize"])
            self.client.done(f"orders/{hash_}/fill", {"size": str(rest)})
        elif how == "fail":
            self.client.done(f"orders/{hash_}/release", {"as": "failed"})
        elif how == "cancel":
            self.client.done(f"orders/{hash_}/cancel", {})
        self.listed[hash_] = LISTED_AT_END[how]

    def agree(self) -> None:
        """Lists, counts, records and money say the same, and an end is an end."""
        records = {record["hash"]: record for record in self.client.orders(limit=1000)}
        assert set(records) == set(self.listed)
        assert {record["status"] for record in records.values()} <= RECORD_WORDS
        for word in FILTERS:
            meant = {hash_ for hash_, where in self.listed.items() if where == word}
            page = self.client.get("v2/orders", accountId=ALICE, status=word, limit=1).data
            assert page["totalNum"] == len(meant), word
            assert {record["hash"] for record in self.client.orders(status=word, limit=1000)} == meant, word
        ended = {hash_ for hash_, word in self.listed.items() if word not in ("processing", "waiting")}
        sold = sum(int(record["filledSize"]) for record in records.values())
        rests = {hash_: int(record["size"]) - int(record["filledSize"]) for hash_, record in records.items()}
        frozen = sum(rest for hash_, rest in rests.items() if hash_ not in ended)
        assert self.client.money(ALICE, "LRC") == (LRC_AT_START - sold - frozen, frozen)
        assert {hash_: records[hash_] for hash_ in self.ended} == self.ended
        self.ended = {hash_: records[hash_] for hash_ in ended}

    def nothing_moves_what_has_ended(self) -> None:
        """By hand or by submitting it again: a clear refusal each, and no change."""
        before = self.client.digest()
        for hash_ in self.ended:
            for verb, fields in (("cancel", {}), ("fill", {"size": "1"}), ("release", {"as": "active"})):
                answer = self.client.control("POST", f"orders/{hash_}/{verb}", fields)
                assert (answer.status, set(answer.json)) == (409, {"error", "field", "meant"})
            code = 102027 if self.listed[hash_] == "failed" else 102007
            assert self.client.submit(self.bodies[hash_]).code == code
        assert self.client.digest() == before


@pytest.mark.parametrize("choice", ["with_cancelled", "alone"])
def test_all_views_agree_about_every_order_at_every_moment(client: Client, choice: str) -> None:
    client.done("reset", {"choices": {"orders.filter_cancelling": choice}})
    book = Book(client)
    left = {how: book.begin(how) for how in BEGINS}
    to_end = [(how, end) for how in BEGINS for end in ENDS.get(how, HELD_ENDS).split()]
    begun = [
        (book.begin(how, **({"validUntil": START_S + 3000} if end == "expire" else {})), end)
        if how != "for later" or end != "expire"
        else (book.begin(how, validUntil=START_S + 7200), end)
        for how, end in to_end
    ]
    book.agree()
    for hash_, end in begun:
        if end != "expire":
            book.end(hash_, end)
            book.agree()
    book.nothing_moves_what_has_ended()
    client.advance("7200s")
    for hash_, end in begun:
        if end == "expire":
            book.end(hash_, end)
    book.listed[left["for later"]] = "processing"
    book.agree()
    for how in ("UNKNOWN", "WAIT_FREEZE_BALANCE"):
        client.done(f"orders/{left[how]}/release", {"as": "active"})
        book.listed[left[how]] = "processing"
        book.agree()
    for _ in range(2):
        client.advance("1d")
        client.done("blocks/seal", {})
        book.agree()
    book.nothing_moves_what_has_ended()


def test_asking_for_an_id_can_reserve_it_by_choice(client: Client) -> None:
    """Then two that ask at once never get the same one; an id that was handed out may be used whenever."""
    client.done("reset", {"choices": {"order_id.get": "reserve"}})
    assert [client.next_id() for _ in range(3)] == [0, 1, 2]
    for number in (2, 0, 1):
        client.accepted(sale(number))
    assert client.next_id() == 3
