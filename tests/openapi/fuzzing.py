"""Schemathesis against a served relay: each operation of a document with drawn requests, each answer held to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.config import SchemathesisConfig
from schemathesis.core.result import Ok
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    missing_required_header,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    response_headers_conformance,
]
STRICT_CHECKS = [negative_data_rejection, missing_required_header]
TIMEOUT_S = 30
Operation = APIOperation[Any, Any, Any, Any]
AnyCase = Case[Any]
Pool = dict[str, list[Any]]


@schemathesis.serializer("application/jsonl")
def _as_it_is(context: schemathesis.SerializationContext, value: Any) -> bytes:
    """A record is sent as the text that it is."""
    return value.encode("utf-8", "replace") if isinstance(value, str) else repr(value).encode()


def operations(document: Mapping[str, Any]) -> dict[str, Operation]:
    """The document's operations as Schemathesis sees them, by operation id."""
    schema = schemathesis.openapi.from_dict(dict(document), config=SchemathesisConfig(seed=1))
    found: dict[str, Operation] = {}
    for result in schema.get_all_operations():
        assert isinstance(result, Ok), result.err()
        found[str(schema.get_operation_id(result.ok()))] = result.ok()
    return found


def pools(raw_operation: Mapping[str, Any]) -> dict[str, Pool]:
    """For each field of an operation's path, query and body, the values that it has in the document's own examples."""
    found: dict[str, Pool] = {"path": {}, "query": {}, "body": {}, "header": {}}
    for parameter in raw_operation.get("parameters", ()):
        for example in parameter.get("examples", {}).values():
            found[parameter["in"]].setdefault(parameter["name"], []).append(example["value"])
    for content in raw_operation.get("requestBody", {}).get("content", {}).values():
        for example in content.get("examples", {}).values():
            if isinstance(example["value"], dict):
                for name, value in example["value"].items():
                    found["body"].setdefault(name, []).append(value)
    return found


def hold(
    operation: Operation,
    raw_operation: Mapping[str, Any],
    url: str,
    headers: Mapping[str, str],
    *,
    most: int,
    before_each: Callable[[], object] = int,
    strict: bool = False,
) -> int:
    """Send drawn requests, right and wrong ones, and hold every answer to the document; how many were sent.

    `strict`: whatever is wrong by the document must be refused, too.
    """
    checks = [*CHECKS, *STRICT_CHECKS] if strict else CHECKS
    known = pools(raw_operation)
    sent = 0
    right, wrong = (operation.as_strategy(mode) for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE))
    with requests.Session() as session:

        @settings(
            max_examples=most,
            derandomize=True,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(st.data())
        def each(data: st.DataObject) -> None:
            nonlocal sent
            is_right = data.draw(st.booleans())
            case = data.draw(right if is_right else wrong)
            # What is wrong must stay so where that is looked at.
            if (is_right or not strict) and data.draw(st.booleans()):
                _bring_near(case, known, data)
            sent += 1
            before_each()
            # Some come without a key, or with one that was drawn.
            own = dict(headers) if data.draw(st.integers(0, 7)) else {}
            case.call_and_validate(base_url=url, session=session, headers=own, checks=checks, timeout=TIMEOUT_S)

        each()
    return sent


def _bring_near(case: AnyCase, known: Mapping[str, Pool], data: st.DataObject) -> None:
    """Put right values in the place of most drawn ones, so that calls get past the first checks."""
    for where, part in (("path", "path_parameters"), ("query", "query"), ("body", "body")):
        drawn = getattr(case, part)
        if isinstance(drawn, dict):
            # A copy: what was drawn may be drawn again.
            fields = dict(drawn)
            for name, values in known[where].items():
                if data.draw(st.integers(0, 9)):
                    fields[name] = data.draw(st.sampled_from(values))
            setattr(case, part, fields)
