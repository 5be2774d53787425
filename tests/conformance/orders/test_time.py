"""Seconds and milliseconds: from when until when an order is valid, and when it ends."""

from __future__ import annotations

import pytest

from mockrelay.relay import Relay
from tests.conformance.checks import refused_call
from tests.support.calls import call, order, place
from tests.support.client import advance, digest
from tests.support.views import depth, findings, order_record, orders
from tests.support.worlds import DAY_S, START_MS, START_S, world

MONTH_S = 30 * DAY_S


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        *(
            ({"validUntil": until, "validSince": START_S - 60}, code)
            for until, code in (
                *((START_S - 1, 102008), (START_S, 102008), (START_S + 1, 0), (START_S + 60, 0), (2**32 - 1, 0)),
                *(((START_S + 60 * DAY_S) * 1000, 102120), (2**32, 102120), (2**63, 102120), (10**30, 102120)),
            )
        ),
        ({"validSince": START_S - MONTH_S}, 0),
        ({"validSince": START_S + 60}, 0),
        ({"validSince": START_S + 60 * DAY_S}, 102120),
        ({"validSince": START_S + 60 * DAY_S + 1}, 102120),
        ({"validSince": START_MS}, 102120),
    ],
    ids=str,
)
def test_submit_order_is_judged_in_seconds(relay: Relay, changes: dict[str, int], code: int) -> None:
    """Not after now is expired; from 2^32 on it cannot be seconds; the start is before the end."""
    before = digest(relay)
    answer = call(relay, order(**changes))
    assert answer.code == code, answer.body
    if code:
        refused_call(answer, "submit_order", {code}, next(iter(changes)))
        assert digest(relay) == before


@pytest.mark.parametrize("field", ["validSince", "validUntil"])
def test_milliseconds_are_102120_with_a_hint(relay: Relay, field: str) -> None:
    for value in ((START_S + 60 * DAY_S) * 1000, 2**32):
        refused_call(call(relay, order(**{field: value})), "submit_order", {102120}, field, "seconds")


def test_within_the_running_second_now_is_its_whole_second_or_later(relay: Relay) -> None:
    """An order until second N is expired at N.000 and still good one millisecond before."""
    advance(relay, "9999ms")
    hash_ = place(relay, order(1, validUntil=START_S + 10))
    advance(relay, "1ms")
    refused_call(call(relay, order(2, validUntil=START_S + 10)), "submit_order", {102008})
    assert order_record(relay, hash_)["status"] == "expired"


@pytest.mark.parametrize(
    ("ahead_s", "status"), [(0, "processing"), (60, "processing"), (61, "waiting"), (3600, "waiting")]
)
def test_an_order_for_later_waits_beyond_a_minute(relay: Relay, ahead_s: int, status: str) -> None:
    """Outside the book, until its time comes."""
    hash_ = place(relay, order(validSince=START_S + ahead_s))
    assert order_record(relay, hash_)["status"] == status
    assert len(depth(relay)[1]) == (status == "processing")
    advance(relay, "3600s")
    assert order_record(relay, hash_)["status"] == "processing"
    assert len(depth(relay)[1]) == 1


@pytest.mark.parametrize(
    ("option", "code", "statuses"), [("wait", 0, ["waiting"]), ("activate", 0, ["processing"]), ("refuse", 102120, [])]
)
def test_an_order_for_later_waits_or_not_by_choice(option: str, code: int, statuses: list[str]) -> None:
    relay = world({"order.valid_since_future": option})
    assert call(relay, order(validSince=START_S + 61)).code == code
    assert [record["status"] for record in orders(relay)] == statuses


@pytest.mark.parametrize(("validity_s", "code"), [(MONTH_S - DAY_S, 102120), (MONTH_S, 0)])
@pytest.mark.parametrize("option", ["refuse", "accept"])
def test_a_month_of_validity_can_be_asked_for(option: str, validity_s: int, code: int) -> None:
    """By choice; without it a shorter one is taken. A finding says so either way."""
    relay = world({"order.too_short_validity": "refuse"} if option == "refuse" else None)
    assert call(relay, order(validUntil=START_S + validity_s)).code == (code if option == "refuse" else 0)
    assert len(findings(relay, "validity-under-a-month")) == (code != 0)


def test_a_record_has_createdAt_in_milliseconds_and_its_validity_in_seconds(relay: Relay) -> None:  # noqa: N802
    record = order_record(relay, place(relay, order()))
    assert [len(str(record[name])) for name in ("createdAt", "validSince", "validUntil")] == [13, 10, 10]
    assert record["createdAt"] == START_MS
