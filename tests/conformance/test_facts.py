"""What the product says of itself: endpoints, codes, limits, words and fields are the transcript's, and choices act.

Every option of every choice has a witness: in its world, and in no other, a client is answered differently.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from mockrelay.cli import main
from tests.conformance.fields import ANSWERS, INPUT_OBJECTS, OBJECTS, REQUESTS, UNNAMED, Field
from tests.conformance.transcript import (
    INTERVALS,
    LISTED_FOR,
    MEANINGS,
    NFT_REQUEST_TYPES,
    ORDER_RESULTS,
    ORDER_STATUSES,
    ORDER_TYPES,
    PAIRS,
    ROWS,
    SIDES,
    SUBMIT_STATUSES,
    TX_TYPES,
)
from tests.conformance.witnesses import WITNESSES
from tests.support.worlds import relay_from


@cache
def published(table: str) -> Any:
    """`mockrelay spec TABLE --format json`, parsed."""
    result = CliRunner().invoke(main, ["spec", table, "--format", "json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


SCHEMAS = Path(__file__).parents[2] / "schemas"
KEY_WORDS = {"required": "required", "none": "not listed", "silent": "not shown"}
SIGNATURES = {
    "update_account": "ECDSA",
    "submit_transfer": "ECDSA",
    "submit_withdrawal": "ECDSA",
    "deploy_nft_contract": "EdDSA",
}


def _endpoints() -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in published("endpoints")}


def test_counts_of_the_spec() -> None:
    """29 endpoints, 36 codes, 86 pairs, 21 limits."""
    assert (len(ROWS), len(MEANINGS), len(PAIRS)) == (29, 36, 86)
    assert sum(row.limit is not None for row in ROWS) == 21


def test_each_endpoint_of_the_transcript_has_its_fields_and_its_answer() -> None:
    assert set(REQUESTS) == {row.name for row in ROWS} == set(ANSWERS)


def test_endpoints_in_the_order_of_the_spec() -> None:
    """Names, methods and paths."""
    found = [(row["name"], row["method"], row["path"]) for row in published("endpoints")]
    assert found == [(row.name, row.method, row.path) for row in ROWS]


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_endpoint_row(row: Any) -> None:
    """Envelope, key, signature header, limit and listed codes of each endpoint."""
    found = _endpoints()[row.name]
    assert found["enveloped"] is row.envelope
    assert found["key"] == KEY_WORDS[row.key]
    assert found["signature"] == SIGNATURES.get(row.name)
    assert (row.name in SIGNATURES) is row.signature
    assert found["per_second"] == row.limit
    assert sorted(found["codes_listed"]) == sorted(code for code, names in LISTED_FOR.items() if row.name in names)
    assert len(set(found["codes"])) == len(found["codes"])
    assert set(found["codes_listed"]) <= set(found["codes"])


def test_86_pairs() -> None:
    """The listed pairs are exactly the spec's."""
    found = {(row["name"], code) for row in published("endpoints") for code in row["codes_listed"]}
    assert found == set(PAIRS)


def test_codes_and_meanings() -> None:
    """36 codes with the spec's meanings, and 0 for success."""
    found = {entry["code"]: entry["meaning"] for entry in published("codes")}
    assert found == {0: "SUCCESS", **MEANINGS}


def test_limits() -> None:
    """21 limits."""
    found = {entry["name"]: entry["per_second"] for entry in published("limits")}
    assert found == {row.name: row.limit for row in ROWS if row.limit is not None}


def test_order_transitions_are_among_the_statuses_and_end_states_are_final() -> None:
    """Every state is a status of the spec, all six are reached or begun in, and no move leaves an end state."""
    moves = [move for move in published("transitions") if move["machine"] == "order"]
    starts = {move["state"] for move in moves}
    ends = {move["becomes"] for move in moves}
    assert starts | ends == set(ORDER_STATUSES)
    assert starts == {"waiting", "processing", "cancelling"}
    assert len({(move["state"], move["trigger"]) for move in moves}) == len(moves)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        *(("OrderStatus", ORDER_STATUSES), ("SubmitOrderStatus", ORDER_RESULTS), ("SubmitStatus", SUBMIT_STATUSES)),
        *(("Side", SIDES), ("OrderType", ORDER_TYPES), ("Interval", INTERVALS), ("TxType", TX_TYPES)),
        ("NftRequestType", NFT_REQUEST_TYPES),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_word_lists(name: str, words: tuple[Any, ...]) -> None:
    """The closed lists in the published schemas are the spec's."""
    assert sorted(_schema(f"objects/{name}.json")["enum"]) == sorted(words)


def _schema(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((SCHEMAS / name).read_text(encoding="utf-8"))
    return found


def _resolved(schema: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        schema = _schema(schema["$ref"].removeprefix("mockrelay:"))
    return schema


def _holds(schema: dict[str, Any], fields: tuple[Field, ...], where: str) -> None:
    """The schema has exactly these fields, of these types, and requires those that the spec requires."""
    assert schema["type"] == "object", where
    assert set(schema["properties"]) == {field.name for field in fields}, where
    required = set(schema.get("required", []))
    assert {field.name for field in fields if field.required} <= required, where
    assert not {field.name for field in fields if field.required is False} & required, where
    for field in fields:
        _is(_resolved(schema["properties"][field.name]), field.type, f"{where}.{field.name}")


def _is(schema: dict[str, Any], type_: str, where: str) -> None:
    if type_ == "any":
        return
    if type_.startswith("list:"):
        assert schema["type"] == "array", where
        for item in _items(schema):
            _is(_resolved(item), type_.removeprefix("list:"), f"{where}[]")
    elif type_ in OBJECTS or type_ in INPUT_OBJECTS:
        _holds(schema, OBJECTS.get(type_) or INPUT_OBJECTS[type_], where)
    else:
        assert schema["type"] == type_, where


def _items(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from schema.get("prefixItems", [])
    if isinstance(schema.get("items"), dict):
        yield schema["items"]


@pytest.mark.parametrize("name", list(REQUESTS))
def test_request_schema(name: str) -> None:
    """Each request's schema has the fields of the spec's table, their types and their requiredness."""
    _holds(_schema(f"requests/{name}.json"), REQUESTS[name], name)


@pytest.mark.parametrize("name", [name for name in OBJECTS if name not in UNNAMED])
def test_object_schema(name: str) -> None:
    """Each named object of the answers, the same way; an answer of ours has no further field."""
    _holds(_schema(f"objects/{name}.json"), OBJECTS[name], name)


CHOICES: list[dict[str, Any]] = published("choices")


def _bytes(key: str, option: str | None) -> bytes:
    witness = WITNESSES[key]
    choices = {} if option is None else {key: option}
    return witness.calls(relay_from(witness.scenario, choices=choices, limits=witness.limits))


def test_every_choice_has_a_witness_and_every_witness_a_choice() -> None:
    """The published table and the table of witnesses have the same keys."""
    assert {choice["key"] for choice in CHOICES} == set(WITNESSES)


@pytest.mark.parametrize("choice", CHOICES, ids=[choice["key"] for choice in CHOICES])
def test_choice_is_a_choice(choice: dict[str, Any]) -> None:
    """At least two options, no option twice, and the default is no deviation from the spec."""
    options = choice["options"]
    assert len(options) == len(set(options)) >= 2
    assert options[0] not in choice.get("deviations", [])
    assert set(choice.get("deviations", [])) <= set(options)
    assert choice["spec_says"]
    assert choice["why"]


@pytest.mark.parametrize("key", sorted(WITNESSES))
def test_witness_is_the_same_twice_and_under_the_default_by_name(key: str) -> None:
    """Same world, same calls, same bytes; and setting the first option is setting nothing."""
    default = next(choice["options"][0] for choice in CHOICES if choice["key"] == key)
    assert _bytes(key, None) == _bytes(key, None) == _bytes(key, default)


@pytest.mark.parametrize("key", [choice["key"] for choice in CHOICES])
def test_options_differ_from_the_default_and_from_each_other(key: str) -> None:
    """Worlds that differ in this choice alone answer different bytes under each option."""
    options = next(choice["options"] for choice in CHOICES if choice["key"] == key)
    answered = [_bytes(key, option) for option in options]
    assert len(set(answered)) == len(options), dict(zip(options, answered, strict=True))


def test_unknown_choice_or_option_is_refused() -> None:
    """A key or a word that the table does not have is an error, never ignored."""
    for choices in ({"no.such": "x"}, {"rate.status": "418"}):
        with pytest.raises(Exception, match=r"no\.such|418"):
            relay_from(choices=choices)
