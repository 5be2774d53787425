"""Schemathesis on both documents against a served relay: no server error, and no answer that a document does not tell.

Each operation meets a relay that was led to the moment of its first example, so that there is something to act on.
`python -m tests.openapi.test_schemathesis 500` does the same at length.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pytest

from mockrelay.openapi import control_document, relayer_document
from mockrelay.relay import Relay
from mockrelay.spec.endpoint import LIVE
from mockrelay.web import serve
from tests.openapi import fuzzing
from tests.openapi.playing import play
from tests.openapi.reading import Document, Operation, Shown, at_its_moment, operations, shown
from tests.support.worlds import relay_from

EXAMPLES = 6
STEP_MS = 250
"""From one request to the next where limits are on, so that some meet them and some do not."""
_REPLACE_THE_WORLD = ("post_reset", "post_load")


class Api(NamedTuple):
    """A document and what is read of it once."""

    document: Document
    operations: Mapping[str, Operation]
    drawn: Mapping[str, fuzzing.Operation]
    shown: list[Shown]


def _api(document: Document) -> Api:
    result = {operation.id: operation for operation in operations(document)}
    return Api(document, result, fuzzing.operations(document), shown(document))


APIS = {"relayer": _api(relayer_document()), "control": _api(control_document())}
WITHOUT_END = "get_events"
"""An answer that goes on for as long as it is read: tests/web/test_events.py."""
LIVE_API = _api(relayer_document(LIVE))
CASES = [(which, name) for which, api in APIS.items() for name in api.operations if name != WITHOUT_END]
REFUSING = {
    "http.error_status": "400",
    "http.unknown_fields": "refuse",
    "http.content_type": "refuse",
    "http.repeated_query": "refuse",
}


@pytest.mark.parametrize(("which", "name"), CASES)
def test_every_answer_is_as_the_document_tells(which: str, name: str) -> None:
    assert held(which, name, EXAMPLES)


@pytest.mark.parametrize("name", list(LIVE_API.operations))
def test_every_answer_of_the_profile_live_is_as_its_document_tells(name: str) -> None:
    """In a world where nothing has happened yet, as alice; signatures are in form."""
    relay = relay_from("live_v3", choices={"signature.scheme": "presence"})
    with serve(relay) as server:
        headers, raw = {"X-API-KEY": _key(relay, "alice")}, LIVE_API.operations[name].raw
        assert fuzzing.hold(LIVE_API.drawn[name], raw, server.url, headers, most=EXAMPLES // 2)


@pytest.mark.parametrize("name", list(APIS["relayer"].operations))
def test_what_the_document_calls_wrong_is_refused(name: str) -> None:
    """Where every refusal has a status of its own, nothing is let pass and nothing is limited."""
    assert held("relayer", name, EXAMPLES, strict=True)


def held(which: str, name: str, most: int, *, strict: bool = False) -> int:
    """Hold one operation to its document; how many requests were sent."""
    api = APIS[which]
    limits = "spec" if which == "relayer" and not strict else "off"
    relay = relay_from("default", limits=limits, choices=REFUSING if strict else None)
    account = _led_to(relay, api, name)
    headers = {} if account is None else {"X-API-KEY": _key(relay, account)}
    step: Callable[[], Any] = (lambda: relay.advance(STEP_MS)) if limits == "spec" else lambda: None
    with serve(relay) as server:
        operation = api.operations[name]
        return fuzzing.hold(
            api.drawn[name], operation.raw, server.url, headers, most=most, before_each=step, strict=strict
        )


def _led_to(relay: Relay, api: Api, name: str) -> str | None:
    """Play the examples that come before the operation's own; in whose name its own is."""
    for example in api.shown:
        if example.operation.id == name:
            at_its_moment(relay, example)
            return example.made.get("account")
        if example.operation.id not in _REPLACE_THE_WORLD:
            at_its_moment(relay, example)
            play(relay, example)
    return None


def _key(relay: Relay, account: str) -> str:
    return next(str(entry["apiKey"]) for entry in relay.accounts() if entry["name"] == account)


def _at_length(most: int) -> None:
    for which, name in CASES:
        print(which, name, held(which, name, most), flush=True)
    for name in APIS["relayer"].operations:
        print("strict", name, held("relayer", name, most, strict=True), flush=True)


if __name__ == "__main__":
    _at_length(int(sys.argv[1]))
