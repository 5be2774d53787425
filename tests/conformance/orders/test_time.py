"""Row 13 of the trouble list: seconds, milliseconds, expiry."""

from __future__ import annotations

import time

import pytest

from mockrelay.relay import Relay
from tests.conformance.checks import refused_call
from tests.support.bodies import E18
from tests.support.calls import accepted, call, order, records, valid_request
from tests.support.client import advance, digest
from tests.support.worlds import DAY_S, START_MS, START_S, world


def _book(relay: Relay) -> list[list[str]]:
    depth = call(relay, valid_request("get_depth")).data
    found: list[list[str]] = depth["asks"] + depth["bids"]
    return found


class TestTimes:
    """Row 13: seconds and milliseconds, expiry, and no real waiting."""

    @pytest.mark.parametrize(
        ("until", "code"),
        [
            *((START_S - 1, 102008), (START_S, 102008), (START_S + 1, 0), (START_S + 60, 0), (2**32 - 1, 0)),
            *(((START_S + 60 * DAY_S) * 1000, 102120), (2**32, 102120), (2**63, 102120), (10**30, 102120)),
        ],
    )
    def test_valid_until(self, until: int, code: int) -> None:
        """Not after now is expired; from 2^32 on it cannot be seconds."""
        relay = world()
        before = digest(relay)
        answer = call(relay, order(validUntil=until, validSince=START_S - 60))
        assert answer.code == code, answer.body
        if code:
            refused_call(answer, "submit_order", {code}, "validUntil")
            assert digest(relay) == before

    @pytest.mark.parametrize("until", [(START_S + 60 * DAY_S) * 1000, 2**32])
    def test_milliseconds_are_refused_with_a_hint(self, until: int) -> None:
        """The message speaks of seconds."""
        assert "second" in call(world(), order(validUntil=until)).message

    def test_within_the_running_second_now_is_its_whole_second_or_later(self) -> None:
        """An order until second N is expired at N.000 and still good one millisecond before."""
        relay = world()
        advance(relay, "9999ms")
        accepted(relay, order(1, validUntil=START_S + 10))
        advance(relay, "1ms")
        refused_call(call(relay, order(2, validUntil=START_S + 10)), "submit_order", {102008})
        assert records(relay)[0]["status"] == "expired"

    def test_since_after_until_is_refused(self) -> None:
        """ValidSince must be before validUntil."""
        refused_call(call(world(), order(validSince=START_S + 61 * DAY_S)), "submit_order", {102120}, "validSince")

    @pytest.mark.parametrize(
        ("ahead", "status"), [(0, "processing"), (60, "processing"), (61, "waiting"), (3600, "waiting")]
    )
    def test_since_in_the_future_waits(self, ahead: int, status: str) -> None:
        """Beyond a minute of skew the order waits, outside the book, until its time comes."""
        relay = world()
        accepted(relay, order(validSince=START_S + ahead))
        assert records(relay)[0]["status"] == status
        assert len(_book(relay)) == (1 if status == "processing" else 0)
        advance(relay, "3600s")
        assert records(relay)[0]["status"] == "processing"
        assert len(_book(relay)) == 1

    def test_expiry_frees_the_funds_and_keeps_the_record(self) -> None:
        """All LRC in one order; at its second it is expired, out of the book, still listed, and all can be sold again."""
        relay, began = world(), time.monotonic()
        accepted(relay, order(1, amountS=str(10_000 * E18)))
        assert call(relay, order(2, amountS="2")).code == 102011
        advance(relay, "60d")
        (record,) = records(relay)
        assert (record["status"], record["filledSize"]) == ("expired", "0")
        assert _book(relay) == []
        accepted(relay, order(2, amountS=str(10_000 * E18), validUntil=START_S + 120 * DAY_S))
        assert time.monotonic() - began < 5

    def test_a_record_tells_milliseconds_and_seconds(self) -> None:
        """CreatedAt has 13 digits, validSince and validUntil 10."""
        relay = world()
        accepted(relay, order())
        (record,) = records(relay)
        assert [len(str(record[name])) for name in ("createdAt", "validSince", "validUntil")] == [13, 10, 10]
        assert record["createdAt"] == START_MS
