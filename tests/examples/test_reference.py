"""The API reference: what it says of choices is what calls consult."""

from __future__ import annotations

import pytest

from mockrelay.client.wrong_calls import WRONG_CALLS
from mockrelay.openapi.playing import Control, ScriptCall, facts_of, fresh_relay, prepare, send
from mockrelay.openapi.right_calls import right_call
from mockrelay.spec.choices import CHOICES
from mockrelay.spec.endpoints import BY_NAME, ENDPOINTS
from tests.examples.choices_met import OF_EVERY_CALL, choices_of_endpoint


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
