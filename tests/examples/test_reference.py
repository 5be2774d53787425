"""The API reference: what it says of choices is what calls consult."""

from __future__ import annotations

import re
from functools import cache

import pytest

from mockrelay.client.wrong_calls import WRONG_CALLS
from mockrelay.openapi.playing import Control, ScriptCall, facts_of, fresh_relay, prepare, send
from mockrelay.openapi.right_calls import right_call
from mockrelay.spec.choices import CHOICES
from mockrelay.spec.endpoint import Endpoint
from mockrelay.spec.endpoints import BY_NAME, ENDPOINTS
from mockrelay.spec.live_endpoints import LIVE_ENDPOINTS
from mockrelay.wire.schemas import place_of, properties_of
from tests.examples.choices_met import OF_EVERY_CALL, choices_of_endpoint
from tests.examples.live_reference import live_reference

live_page = cache(live_reference)
"""Made once for all tests."""


def consulted(endpoint: str) -> set[str]:
    """The choices that the right call, and that call with one field changed, consult in the default scenario."""
    right = right_call(endpoint).call
    found = set()
    for row in (None, *WRONG_CALLS.get(endpoint, ())):
        relay = fresh_relay()
        facts = facts_of(relay)
        facts.add_fees(prepare(relay, ScriptCall("get_exchange_info", {}, "alice"))["data"])
        fields = right.fields if row is None else row.apply(facts, right.fields)
        answer = send(relay, ScriptCall(endpoint, fields, "carol" if BY_NAME[endpoint].nft else "alice"))
        why = prepare(relay, Control("GET", f"why/{dict(answer.headers)['X-Mockrelay-Request-Id']}"))
        found |= {met["key"] for met in why["choices"]}
    return found


@pytest.mark.parametrize("endpoint", [row.name for row in ENDPOINTS])
def test_the_choices_that_a_call_consults_are_listed(endpoint: str) -> None:
    listed = OF_EVERY_CALL.union(choices_of_endpoint(BY_NAME[endpoint]))
    assert sorted(consulted(endpoint) - listed) == []


def test_every_choice_is_listed_somewhere() -> None:
    listed = OF_EVERY_CALL.union(*map(choices_of_endpoint, ENDPOINTS))
    assert listed == {choice.key for choice in CHOICES}


@pytest.mark.parametrize("row", [row for row in LIVE_ENDPOINTS if not row.upgrades], ids=lambda row: row.id)
def test_a_row_of_the_profile_live_has_its_fields_answer_and_codes(row: Endpoint) -> None:
    section = next(part for part in live_page().split("\n## ") if part.removeprefix("## ").startswith(f"{row.id}\n"))
    for group in ("requests", "responses"):
        for name in properties_of(place_of(f"mockrelay:{group}/{row.id}.json")):
            assert f"| `{name}` |" in section
    assert [int(code) for code in re.findall(r"\b(\d{6}) [A-Z]", section.partition("**Codes**")[2])] == [
        int(code) for code, _ in row.codes
    ]
