"""The relayer's document: complete, valid, and its examples are what the relayer answers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mockrelay.openapi import relayer_document
from mockrelay.spec.endpoints import BY_NAME, ENDPOINTS
from tests.openapi.playing import play
from tests.openapi.reading import (
    SIGNATURE,
    Shown,
    at_its_moment,
    errors,
    operations,
    resolved,
    shown,
)
from tests.support.answer import Answer
from tests.support.client import send
from tests.support.worlds import START_MS, relay_from

DOCUMENT = relayer_document()
OPERATIONS = {operation.id: operation for operation in operations(DOCUMENT)}
SHOWN = shown(DOCUMENT)
each_endpoint = pytest.mark.parametrize("name", [row.name for row in ENDPOINTS])


def test_it_has_every_endpoint_and_no_other() -> None:
    result = {(operation.id, operation.method, operation.path) for operation in OPERATIONS.values()}
    assert result == {(row.name, row.method, row.path) for row in ENDPOINTS}


@each_endpoint
def test_an_endpoint_is_told_as_the_table_has_it(name: str) -> None:
    """Summary, headers, codes in their order with those that are listed, and the limit."""
    row, raw = BY_NAME[name], OPERATIONS[name].raw
    assert raw["summary"]
    assert "(spec" not in raw["summary"]
    security: dict[str, list[dict[str, list[str]]]] = {
        "required": [{"apiKey": []}],
        "not shown": [{}, {"apiKey": []}],
        "not listed": [],
    }
    assert raw["security"] == security[row.key]
    header = [parameter["name"] for parameter in raw["parameters"] if parameter["in"] == "header"]
    assert header == ([SIGNATURE] if row.signature else [])
    assert [(result["code"], result["listed"]) for result in raw["x-codes"]] == [
        (int(c), listed) for c, listed in row.codes
    ]
    assert raw.get("x-rate-limit") == (None if row.per_second is None else {"perSecond": row.per_second})
    assert set(raw["responses"]) == {"200", "400", "429"} | ({"413"} if row.method == "POST" else set())


@each_endpoint
def test_an_endpoint_has_right_and_refused_examples(name: str) -> None:
    """And one of a limit that is met, where it has a limit."""
    names = [example.name for example in SHOWN if example.operation.id == name]
    assert "accepted" in names
    assert any(result.startswith("refused_") for result in names)
    assert ("rate_limited" in names) == (BY_NAME[name].per_second is not None)


def test_the_examples_are_what_a_fresh_relay_answers() -> None:
    """Played from the document alone, in its order, byte for byte."""
    relay = relay_from("default", limits="spec")
    assert relay.now_ms() == START_MS
    for example in SHOWN:
        at_its_moment(relay, example)
        answers = [play(relay, example) for _ in range(example.made.get("times", 1))]
        assert str(answers[-1].status) == example.status, example.id
        assert answers[-1].body == json.dumps(example.answer, separators=(",", ":")).encode(), example.id
        _headers_are_told(example, answers[-1])


def test_what_reaches_no_endpoint_is_answered_as_told() -> None:
    for status, ref in DOCUMENT["x-elsewhere"].items():
        for content in resolved(DOCUMENT, ref)["content"].values():
            for example in content["examples"].values():
                made: dict[str, Any] = example["x-mockrelay"]
                relay = relay_from("default", limits="spec")
                answer = send(relay, made["method"], made["path"], body=b" " * made["bodyBytes"])
                assert str(answer.status) == status
                assert answer.json == example["value"]
                assert not errors(DOCUMENT, content["schema"], example["value"])
    assert set(DOCUMENT["x-elsewhere"]) == {"404", "405", "413"}


def _headers_are_told(example: Shown, answer: Answer) -> None:
    """Each header is one that the document has, and those that it requires are there."""
    result = resolved(DOCUMENT, example.operation.raw["responses"][example.status])["headers"]
    assert set(answer.headers) - {"content-type"} <= {name.lower() for name in result}
    for name, ref in result.items():
        header = resolved(DOCUMENT, ref)
        if name.lower() in answer.headers:
            value: Any = answer.headers[name.lower()]
            assert not errors(
                DOCUMENT, header["schema"], int(value) if header["schema"]["type"] == "integer" else value
            )
        else:
            assert not header.get("required")
