"""An order is valid from one second to another, and clients that mean milliseconds are told so."""

from __future__ import annotations

import pytest

from tests.flows.client import ALICE, E18, Client, sale, served
from tests.support.worlds import DAY_S, START_MS, START_S


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"validUntil": START_S - 1, "validSince": START_S - 9}, 102008),
        ({"validUntil": START_S, "validSince": START_S - 9}, 102008),
        ({"validUntil": START_S + 1}, 0),
        ({"validUntil": START_S + 60}, 0),
        ({"validUntil": 2**32 - 1}, 0),
        ({"validUntil": 2**32}, 102120),
        ({"validUntil": (START_S + 60 * DAY_S) * 1000}, 102120),
        ({"validUntil": 2**63}, 102120),
        ({"validSince": START_MS}, 102120),
        ({"validSince": START_S + 60 * DAY_S}, 102120),
        ({"validSince": START_S + 60 * DAY_S + 1}, 102120),
        ({"validSince": START_S - 30 * DAY_S}, 0),
        ({"validSince": START_S + 60}, 0),
    ],
    ids=str,
)
def test_a_validity_is_judged_in_seconds(client: Client, changes: dict[str, int], code: int) -> None:
    before = client.digest()
    answer = client.submit(sale(**changes))
    assert answer.code == code
    if code:
        assert client.digest() == before
        assert any(field in answer.message for field in changes)


@pytest.mark.parametrize("field", ["validSince", "validUntil"])
def test_milliseconds_are_refused_with_a_hint(client: Client, field: str) -> None:
    answer = client.submit(sale(**{field: (START_S + 60 * DAY_S) * 1000}))
    assert answer.code == 102120
    assert field in answer.message
    assert "seconds" in answer.message


@pytest.mark.parametrize(("days", "code"), [(29, 102120), (30, 0)])
def test_a_month_of_validity_can_be_asked_for(days: int, code: int) -> None:
    """By choice; without it a shorter one is taken. A finding notes it either way."""
    with served({"order.too_short_validity": "refuse"}) as strict:
        assert strict.submit(sale(validUntil=START_S + days * DAY_S)).code == code
        noted = ["validity-under-a-month"] * (code != 0)
        assert [finding["rule"] for finding in strict.state()["findings"]] == noted
    with served() as lenient:
        lenient.accepted(sale(validUntil=START_S + days * DAY_S))
        assert [finding["rule"] for finding in lenient.state()["findings"]] == noted


def test_record_has_milliseconds_and_seconds_as_the_spec_says(client: Client) -> None:
    record = client.record(client.accepted(sale()))
    assert [len(str(record[field])) for field in ("createdAt", "validSince", "validUntil")] == [13, 10, 10]


@pytest.mark.parametrize("reading", ["wait", "activate", "refuse"])
def test_an_order_for_later_waits_or_not_by_choice(reading: str) -> None:
    """More than sixty seconds ahead."""
    with served({"order.valid_since_future": reading}) as client:
        answer = client.submit(sale(validSince=START_S + 61))
        assert answer.code == (102120 if reading == "refuse" else 0)
        assert [record["status"] for record in client.orders()] == {
            "wait": ["waiting"],
            "activate": ["processing"],
            "refuse": [],
        }[reading]


def test_an_expired_order_gives_back_what_was_not_filled(client: Client) -> None:
    hash_ = client.accepted(sale())
    client.done(f"orders/{hash_}/fill", {"size": str(30 * E18)})
    client.advance("60d")
    record = client.record(hash_)
    assert (record["status"], record["filledSize"]) == ("expired", str(30 * E18))
    assert client.money(ALICE, "LRC") == (9970 * E18, 0)
