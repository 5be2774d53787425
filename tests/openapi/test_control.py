"""The control API's document: every verb of the table, its fields, and answers that are really given."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from mockrelay.control import ROUTES
from mockrelay.openapi import control_document
from mockrelay.openapi.calls import ROOT, ControlCall, control_calls, fields_of
from mockrelay.openapi.schemas import control_ids, refs_in
from mockrelay.spec.choices import ALL_CHOICES
from mockrelay.web import serve
from mockrelay.wire.schemas import document
from tests.openapi.playing import play
from tests.openapi.reading import (
    answer_errors,
    at_its_moment,
    errors,
    operations,
    shown,
)
from tests.support.client import ask, control
from tests.support.worlds import relay_from

DOCUMENT = control_document()
OPERATIONS = {operation.id: operation for operation in operations(DOCUMENT)}
SHOWN = shown(DOCUMENT)
CALLS = {call.operation_id: call for call in control_calls()}
OF_THE_SERVER = {name for name, call in CALLS.items() if call.route is None}
each_call = pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))


def test_it_has_every_verb_under_a_name_of_its_own() -> None:
    assert len(CALLS) == len(control_calls())
    assert {call.route for name, call in CALLS.items() if name not in OF_THE_SERVER} == set(ROUTES)
    assert {(operation.method, operation.path, operation.id) for operation in OPERATIONS.values()} == {
        (call.method, call.template, name) for name, call in CALLS.items()
    }


@each_call
def test_a_verb_has_schemas_that_name_exactly_its_fields(call: ControlCall) -> None:
    """Its command has a file in schemas/control/commands, a look with fields one of its operation id in
    schemas/control/requests; its answer is an object that its route names, or has a file in schemas/control/responses.
    """
    request = call.request
    if call.fields is None:
        assert request["type"] == "string"
    else:
        assert set(fields_of(request)) == set(call.fields)
    for example in request.get("examples", ()):
        assert not errors(DOCUMENT, DOCUMENT["components"]["schemas"][call.request_name], example)
    assert document(call.answer_id())
    assert OPERATIONS[call.operation_id].raw["summary"]


@pytest.mark.parametrize("file_id", control_ids())
def test_a_schema_file_is_one_and_is_used(file_id: str) -> None:
    """It says its own id, is valid, and belongs to a verb or is referred to."""
    schema = document(file_id)
    assert schema["$id"] == file_id
    Draft202012Validator.check_schema(schema)
    assert file_id in _used_ids()


@cache
def _used_ids() -> set[str]:
    of_verbs = {id_ for call in CALLS.values() for id_ in (call.schema_id, call.answer_id(), call.answer_id(409))}
    return of_verbs | {ref for other in control_ids() for ref in refs_in(document(other))}


def test_choices_are_told_as_the_table_has_them() -> None:
    """The first option is the default. For a client they are any texts, or it would not compile with a later table."""
    result = DOCUMENT["components"]["schemas"]["Choices"]
    assert result["additionalProperties"] == {"type": "string"}
    assert result["x-options"] == {choice.key: list(choice.options) for choice in ALL_CHOICES}
    assert {choice.key: choice.default for choice in ALL_CHOICES} == {
        key: options[0] for key, options in result["x-options"].items()
    }


def test_every_verb_of_the_relay_has_an_example_that_is_done() -> None:
    assert {example.operation.id for example in SHOWN if example.name == "done"} == set(CALLS) - OF_THE_SERVER


def test_the_examples_are_what_a_fresh_relay_answers() -> None:
    """Played from the document alone, in its order."""
    relay = relay_from("default", limits="spec")
    for example in SHOWN:
        at_its_moment(relay, example)
        answer = play(relay, example)
        assert str(answer.status) == example.status, example.id
        is_json = answer.headers["content-type"].startswith("application/json;")
        assert (answer.json if is_json else answer.body.decode()) == example.answer, example.id


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "nothing", None, 404),
        ("PUT", "health", None, 405),
        ("POST", "clock", {"advnace": "1s"}, 400),
        ("POST", "faults", {"on": "get_ticker"}, 400),
        ("GET", "faults/f1", None, 404),
        ("POST", "blocks/finalize", {"upTo": 7}, 409),
    ],
)
def test_an_error_says_what_where_and_what_was_meant(method: str, path: str, body: Any, status: int) -> None:
    answer = control(relay_from("default"), method, path, body)
    assert answer.status == status
    assert not errors(DOCUMENT, {"$ref": "#/components/schemas/Error"}, answer.json)
    assert status in {int(code) for operation in OPERATIONS.values() for code in operation.raw["responses"]} | {405}


def test_the_guards_refusals_are_of_the_same_shape() -> None:
    error = {"$ref": "#/components/schemas/Error"}
    for token, headers, status in (("sesame", {}, 401), (None, {"Origin": "http://elsewhere.example"}, 403)):
        with serve(relay_from("default"), token=token) as server:
            refused = ask(f"{server.url}{ROOT}state", headers=headers)
        assert refused.status == status
        assert not errors(DOCUMENT, error, refused.json)


def test_the_servers_own_calls_answer_as_told() -> None:
    """`worlds`, which a relay alone does not have."""
    with serve(relay_from("default")) as server:
        worlds = f"{server.url}{ROOT}worlds"
        assert ask(f"{server.url}/w/one/api/v3/getAvailableBroker").status == 200
        listed = ask(worlds).json
        assert [world["name"] for world in listed] == ["one"]
        assert not answer_errors(DOCUMENT, OPERATIONS["get_worlds"], "200", listed)
        removed = ask(f"{worlds}/one", "DELETE").json
        assert not answer_errors(DOCUMENT, OPERATIONS["delete_worlds_name"], "200", removed)
        assert ask(worlds).json == []
        assert ask(f"{server.url}/w/one/api/v3/getAvailableBroker").status == 200
        assert OPERATIONS["delete_worlds_name"].raw["requestBody"]["required"] is False
        assert ask(f"{worlds}/one", "DELETE", {"report": False}).json == removed
