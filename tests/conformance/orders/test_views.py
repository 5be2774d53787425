"""Orders that begin and end in every way, and each view of each agrees."""

from __future__ import annotations

from typing import Any

import pytest

from mockrelay.relay import Relay
from tests.conformance.transcript import ORDER_FILTERS
from tests.support.bodies import E18
from tests.support.calls import Request, call, order, valid_request
from tests.support.client import advance, control, digest, done
from tests.support.views import money, order_record, orders
from tests.support.worlds import START_S

RECORD_WORDS = {"processing", "processed", "cancelling", "cancelled", "expired", "waiting"}
SUBMIT_WORDS = {"NEW_ACTIVED", "UNKNOWN"}
LRC_AT_START = 10_000 * E18
BEGINS = ("active", "filled in part", "for later", "UNKNOWN", "WAIT_FREEZE_BALANCE")
ENDS = {"active": "cancel fill expire", "filled in part": "cancel fill expire", "for later": "cancel expire"}
HELD_ENDS = "cancel expire fail"
LISTED_AT_END = {"cancel": "cancelled", "fill": "processed", "expire": "expired", "fail": "failed"}


class Book:
    """Alice's orders, and the one word of the filter that should list each."""

    def __init__(self, relay: Relay) -> None:
        self.relay = relay
        self.listed: dict[str, str] = {}
        self.requests: dict[str, Request] = {}
        self.ended: dict[str, Any] = {}
        """The records of those that have ended, as they were then."""

    def next_id(self) -> int:
        return int(call(self.relay, valid_request("get_order_id")).data)

    def begin(self, how: str, **changes: Any) -> str:
        """Submit an order; the next id follows it."""
        if how == "for later":
            changes["validSince"] = START_S + 3600
        elif how.isupper():
            done(self.relay, "POST", "faults", {"on": "submit_order", "hold": how})
        number = self.next_id()
        request = order(number, **changes)
        answer = call(self.relay, request)
        assert answer.data["status"] in SUBMIT_WORDS
        assert (answer.code, self.next_id()) == (0, number + 1)
        hash_: str = answer.data["orderHash"]
        self.listed[hash_] = "processing" if how in ("active", "filled in part") else "waiting"
        self.requests[hash_] = request
        if how == "filled in part":
            done(self.relay, "POST", f"orders/{hash_}/fill", {"size": str(20 * E18)})
        return hash_

    def end(self, hash_: str, how: str) -> None:
        """What ends an order, but for the time that is to pass."""
        if how == "fill":
            record = order_record(self.relay, hash_)
            rest = int(record["size"]) - int(record["filledSize"])
            done(self.relay, "POST", f"orders/{hash_}/fill", {"size": str(rest)})
        elif how == "fail":
            done(self.relay, "POST", f"orders/{hash_}/release", {"as": "failed"})
        elif how == "cancel":
            done(self.relay, "POST", f"orders/{hash_}/cancel", {})
        self.listed[hash_] = LISTED_AT_END[how]

    def agree(self) -> None:
        """Lists, counts, records and money say the same, and an end is an end."""
        records = {record["hash"]: record for record in orders(self.relay, limit=1000)}
        assert set(records) == set(self.listed)
        assert {record["status"] for record in records.values()} <= RECORD_WORDS
        for word in ORDER_FILTERS:
            meant = {hash_ for hash_, where in self.listed.items() if where == word}
            page = call(self.relay, valid_request("get_orders").but(status=word, limit=1)).data
            assert page["totalNum"] == len(meant), word
            assert {record["hash"] for record in orders(self.relay, status=word, limit=1000)} == meant, word
        ended = {hash_ for hash_, word in self.listed.items() if word not in ("processing", "waiting")}
        sold = sum(int(record["filledSize"]) for record in records.values())
        rests = {hash_: int(record["size"]) - int(record["filledSize"]) for hash_, record in records.items()}
        frozen = sum(rest for hash_, rest in rests.items() if hash_ not in ended)
        assert money(self.relay, "alice") == (LRC_AT_START - sold - frozen, frozen, 0)
        assert {hash_: records[hash_] for hash_ in self.ended} == self.ended
        self.ended = {hash_: records[hash_] for hash_ in ended}

    def nothing_moves_what_has_ended(self) -> None:
        """By hand or by submitting it again: a clear refusal each, and no change."""
        before = digest(self.relay)
        for hash_ in self.ended:
            for verb, fields in (("cancel", {}), ("fill", {"size": "1"}), ("release", {"as": "active"})):
                answer = control(self.relay, "POST", f"orders/{hash_}/{verb}", fields)
                assert (answer.status, set(answer.json)) == (409, {"error", "field", "meant"})
            code = 102027 if self.listed[hash_] == "failed" else 102007
            assert call(self.relay, self.requests[hash_]).code == code
        assert digest(self.relay) == before


@pytest.mark.parametrize("choice", ["with_cancelled", "alone"])
def test_all_views_agree_about_every_order_at_every_moment(relay: Relay, choice: str) -> None:
    done(relay, "PUT", "choices", {"orders.filter_cancelling": choice})
    book = Book(relay)
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
    advance(relay, "7200s")
    for hash_, end in begun:
        if end == "expire":
            book.end(hash_, end)
    book.listed[left["for later"]] = "processing"
    book.agree()
    for how in ("UNKNOWN", "WAIT_FREEZE_BALANCE"):
        done(relay, "POST", f"orders/{left[how]}/release", {"as": "active"})
        book.listed[left[how]] = "processing"
        book.agree()
    for _ in range(2):
        advance(relay, "1d")
        done(relay, "POST", "blocks/seal", {})
        book.agree()
    book.nothing_moves_what_has_ended()
