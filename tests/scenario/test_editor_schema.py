"""`schemas/scenario.json`: what editors get, right for whatever is packaged, and closed wherever the loader is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from mockrelay._files import data_root
from mockrelay.core.errors import InvalidInput
from mockrelay.core.units import duration_ms, moment_ms
from mockrelay.scenario import ScenarioError, flat, load_text, scenario_text, shipped
from mockrelay.scenario.editor import editor_schema
from mockrelay.scenario.history import normalize_tx_types
from mockrelay.scenario.section import SCHEMA
from mockrelay.scenario.yaml import parse, plain_value
from mockrelay.wire.explain import reference
from mockrelay.wire.schemas import document, follow, place_of, referenced_files
from mockrelay.wire.violations import check
from tests.properties.effort import effort
from tests.properties.fuzzers.scenario_documents import documents
from tests.wire.generate import changed_values

FULL: dict[str, Any] = {
    "format": 1,
    "extends": "default",
    "profile": "live",
    "clock": {"start": "2026-01-01T00:00:00Z"},
    "prices": {"USD": {"LRC": "0.3"}},
    "names": {"alice.eth": "alice"},
    "pools": [{"market": "LRC-ETH", "lpToken": "USDT", "precisions": {"price": 6}}],
    "collections": [{"name": "Cats", "owner": "alice", "isMintable": True}],
    "live": {"signed_hosts": ["https://relay.example:8443"]},
    "exchange": {
        "chainId": 1,
        "onchainFees": [{"type": "deposit", "fee": "0"}],
        "transferFees": [{"token": "LRC", "fee": "1"}],
    },
    "tokens": [{"symbol": "LRC", "enabled": False}],
    "markets": [{"market": "LRC-ETH", "levels": [0]}],
    "accounts": [
        {
            "name": "alice",
            "rates": {"maker": 1},
            "derived": {"seed": 1, "owner": "0x" + "2" * 40, "publicKeyX": "0x1", "publicKeyY": "0x2"},
        }
    ],
    "lifecycles": {
        "withdrawal": {"received": {"after": "1s"}, "processing": {"after": {"blocks": 1}}},
        "cancel": {"cancelling": {"after": "hand"}},
    },
    "blocks": {"seal": {"every": "10s"}, "confirm": {"after": "1s"}, "finalize": {"after": {"blocks": 2}}},
    "choices": {"http.error_status": "400"},
    "limits": {"submit_order": "none"},
    "fees": {"NFT_MINT": {"LRC": "none"}},
    "nft": {"broker": "0x" + "1" * 40},
    "rates": {"maker": 5},
    "layer1": {"state": "up"},
    "faults": [{"on": "submit_order", "code": 102014}],
    "orders": [{"account": "house", "market": "LRC-ETH", "side": "SELL", "size": "1000000000000000000", "price": "1"}],
    "history": {
        "trades": [{"market": "LRC-ETH", "side": "BUY", "size": "1", "volume": "1", "before": "1h"}],
        "transactions": [{"txType": "Deposit", "token": {"tokenId": 1}}],
    },
    "timeline": [
        {
            "at": "1s",
            "do": {"order": {"account": "bob", "market": "LRC-ETH", "side": "BUY", "size": "9", "volume": "9"}},
        },
        {"at": "1s", "do": {"cancel": {"account": "alice"}}},
        {"at": "1s", "do": {"fill": {"account": "alice", "size": "1"}}},
        {"at": "1s", "do": {"release": {"account": "alice", "as": "active"}}},
        {"at": "1s", "do": {"deposit": {"account": "alice", "token": 1, "amount": "1"}}},
        {"at": "1m1.5s", "do": {"balance": {"account": "alice", "token": 1, "amount": "0"}}},
        {"at": "1s", "do": {"freeze": {"account": "alice", "frozen": True}}},
        {"at": "1s", "do": {"keys": {"account": "alice", "apiKey": "k"}}},
        {"at": "1s", "do": {"seal": {"count": 1}}},
        {"at": "1s", "do": {"finalize": {"upTo": 1}}},
        {"at": "1s", "do": {"advance": {"to": "failed", "kind": "transfer", "account": "alice"}}},
        {"at": "1s", "do": {"layer1": {"state": "down"}}},
        {"at": "1s", "do": {"deploy": {"account": "carol"}}},
        {"at": "1s", "do": {"choices": {"order.dust": "keep"}}},
        {"at": "1s", "do": {"fees": {"requestType": 9, "token": "LRC", "factor": "1.3"}}},
        {"at": "1s", "do": {"fault": {"on": "get_depth", "status": 503}}},
        {"at": "1s", "do": {"remove_fault": {"id": "f1"}}},
        {"at": "1s", "do": {"clear_faults": {}}},
    ],
    "decisions": [{"key": "due.order", "nth": 1, "value": 1}],
}
"""Every map whose keys are known, once. `when` and what is named by the scenario itself are open."""

OPEN = {("fees", "NFT_MINT"), ("prices", "USD"), ("names",)}


@pytest.fixture(scope="module")
def schema() -> Draft202012Validator:
    return Draft202012Validator(editor_schema())


def loads(values: Any) -> bool:
    try:
        load_text(scenario_text(values))
    except ScenarioError:
        return False
    return True


def maps_of(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if isinstance(value, dict):
        yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from maps_of(inner, (*path, key))


def with_more(path: tuple[str | int, ...]) -> Any:
    """The full document with a key that nobody knows at a path."""
    values = json.loads(json.dumps(FULL))
    value = values
    for step in path:
        value = value[step]
    value["nobodyKnowsThis"] = "1"
    return values


def test_it_is_whole_and_has_no_keyword_of_our_own() -> None:
    written = json.dumps(editor_schema())
    assert "mockrelay:" not in written.replace(SCHEMA, "")
    assert '"x-' not in written


def test_it_is_a_schema() -> None:
    Draft202012Validator.check_schema(editor_schema())


@pytest.mark.parametrize("name", shipped())
def test_shipped_scenarios_are_right_as_they_stand_and_as_a_whole(schema: Draft202012Validator, name: str) -> None:
    text = data_root().joinpath("scenarios", f"{name}.yaml").read_text("utf-8")
    for values in (plain_value(parse(text, name)), flat(name)):
        assert [error.message for error in schema.iter_errors(values)] == []
        check(SCHEMA, values)


def test_a_document_of_all_sections_is_right(schema: Draft202012Validator) -> None:
    assert [error.message for error in schema.iter_errors(FULL)] == []
    assert loads(FULL)


@pytest.mark.parametrize("path", [path for path in maps_of(FULL) if path not in OPEN], ids=str)
def test_a_key_that_nobody_knows_is_refused_at_every_level(
    schema: Draft202012Validator, path: tuple[str | int, ...]
) -> None:
    values = with_more(path)
    assert not schema.is_valid(values)
    assert not loads(values)


def test_the_full_document_has_every_section_and_every_verb() -> None:
    assert {*FULL, "name", "seed"} == set(editor_schema()["properties"])
    verbs = editor_schema()["$defs"]["timeline_entry"]["properties"]["do"]["properties"]
    assert [verb for entry in FULL["timeline"] for verb in entry["do"]] == list(verbs)


def test_every_key_says_what_it_is() -> None:
    """By itself, or by the title of what it refers to."""

    def is_silent(schema: Mapping[str, Any]) -> bool:
        whole = {**follow(schema["$ref"], SCHEMA).schema, **schema} if "$ref" in schema else schema
        return not {"description", "title", "not"} & whole.keys()

    silent = [
        key
        for part in _parts(document(SCHEMA))
        for key, inner in part.get("properties", {}).items()
        if part.get("additionalProperties") is False and is_silent(inner)
    ]
    assert silent == []


def _parts(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if isinstance(value.get("properties"), dict):
            yield value
        for inner in value.values():
            yield from _parts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _parts(inner)


def _reachable(file_id: str) -> set[str]:
    found, waiting = set[str](), [file_id]
    while waiting:
        file_id = waiting.pop()
        if file_id not in found:
            found.add(file_id)
            waiting += referenced_files(document(file_id))
    return found


def _silent(schema: Any, *, is_told: bool = False) -> Iterator[Mapping[str, Any]]:
    """Schemas that neither say what they mean nor say it all by their keywords; of one value the outer one may say it."""
    if isinstance(schema, list):
        for inner in schema:
            yield from _silent(inner, is_told=is_told)
    if not isinstance(schema, dict):
        return
    is_told = isinstance(schema.get("x-meant"), str) or (is_told and schema.get("type") != "object")
    is_union = any("required" not in branch for branch in schema.get("anyOf", ()))
    for keyword in ("pattern", "not", *(["anyOf"] if is_union else [])):
        meant = schema.get("x-meant", schema.get("title") if keyword == "pattern" else None)
        if keyword in schema and not is_told and (meant is None or (isinstance(meant, dict) and keyword not in meant)):
            yield schema
    for keyword, inner in schema.items():
        if keyword in ("properties", "$defs"):
            yield from _silent(list(inner.values()))
        elif keyword not in ("if", "not", "x-meant", "x-found"):
            yield from _silent(inner, is_told=is_told and keyword in ("allOf", "anyOf"))


@pytest.mark.parametrize("file_id", sorted(_reachable(SCHEMA)))
def test_every_value_says_what_is_meant_by_it(file_id: str) -> None:
    assert list(_silent(document(file_id))) == []


@pytest.mark.parametrize(
    ("section", "value"),
    [
        ("format", 2),
        ("choices", {"http.error_status": 300}),
        ("choices", {"http.error_status": "418"}),
        ("limits", "on"),
        ("limits", {"submit_oder": 3}),
        ("accounts", [{"accountId": 1}]),
        ("accounts", [{"name": "house", "accountId": 5}]),
        ("accounts", [{"name": "alice", "frozen": "no"}]),
        ("accounts", [{"name": "alice", "owner": "0x12"}]),
        ("accounts", [{"name": "alice", "balances": {"ETH": 1}}]),
        ("tokens", [{"symbol": "LRC", "minOrderAmount": "01"}]),
        ("markets", [{"market": "LRC-ETH", "levels": []}]),
        ("markets", [{"market": "LRC-ETH", "levels": [1, 1]}]),
        ("blocks", {"seal": {"every": "0s"}}),
        ("blocks", {"confirm": {"after": "hand"}}),
        ("lifecycles", {"transfer": {"processing": {"after": {"polls": 2}}}}),
        ("lifecycles", {"nft_mint": {"received": {"after": "1s"}}}),
        ("lifecycles", {"nft_mint": {"processing": {"after": "15"}}}),
        ("faults", [{"on": "submit_order", "code": 1, "status": 503}]),
        ("faults", [{"on": "get_depth", "hold": "UNKNOWN"}]),
        ("faults", [{"on": "submit_order", "hold": "UNKNOWN", "at": "after"}]),
        ("faults", [{"on": "submit_order", "drop": True, "message": "x"}]),
        ("faults", [{"on": "submit_order", "drop": False}]),
        ("orders", [{"account": "house", "market": "LRC-ETH", "side": "SELL", "size": "1"}]),
        ("orders", [{"account": "house", "market": "LRC-ETH", "side": "sell", "size": "1", "volume": "1"}]),
        ("orders", [{"account": "house", "market": "LRC-ETH", "side": "SELL", "size": "0", "volume": "1"}]),
        ("timeline", [{"at": "1s", "do": {}}]),
        ("timeline", [{"at": "1s", "do": {"seal": {}, "finalize": {}}}]),
        ("timeline", [{"at": "1s", "do": {"cancel": {}}}]),
        ("timeline", [{"at": "1s", "do": {"cancel": {"hash": "0x" + "1" * 64, "account": "alice"}}}]),
        ("timeline", [{"at": "1s", "do": {"fault": {"on": "get_depth"}}}]),
        ("decisions", [{"key": "order.dust", "nth": 1, "value": "keeep"}]),
        ("decisions", [{"key": "due.order", "nth": 1, "value": "keep"}]),
        ("history", {"transactions": [{"txType": "Spottrade2"}]}),
    ],
    ids=str,
)
def test_what_the_loader_refuses_the_schema_refuses_too(schema: Draft202012Validator, section: str, value: Any) -> None:
    values = {"format": 1, "extends": "default"} | {section: value}
    assert not loads(values)
    assert not schema.is_valid(values)


def test_a_number_whose_text_is_an_option_is_right(schema: Draft202012Validator) -> None:
    choices = {"http.error_status": 400, "order.dust": "keep"}
    values = {
        "format": 1,
        "extends": "default",
        "choices": choices,
        "timeline": [{"at": "1s", "do": {"choices": choices}}],
    }
    assert loads(values)
    assert schema.is_valid(values)


def test_without_a_base_a_scenario_must_say_all_that_is_needed(schema: Draft202012Validator) -> None:
    whole = flat("default")
    assert schema.is_valid(whole)
    for section in ("exchange", "tokens", "markets"):
        assert not schema.is_valid({key: value for key, value in whole.items() if key != section})
    assert not schema.is_valid({**whole, "accounts": [{"name": "alice"}]})


@effort(max_examples=80)
@given(changed_values(documents))
def test_the_loader_checks_as_the_reference_does(values: Any) -> None:
    if isinstance(values, dict):
        normalize_tx_types(values)
    try:
        check(SCHEMA, values)
    except InvalidInput:
        assert not reference(SCHEMA).is_valid(values)
    else:
        assert reference(SCHEMA).is_valid(values)


def _reads(schema_id: str) -> re.Pattern[str]:
    pattern: str = place_of(schema_id).schema["pattern"]
    return re.compile(pattern.removesuffix("$") + r"\Z")


@given(st.from_regex(_reads("mockrelay:control/objects/Duration.json")))
def test_durations_are_those_that_the_loader_reads(text: str) -> None:
    assert duration_ms(text) is not None


@given(st.text(alphabet="0159msh d.", max_size=6))
def test_what_is_no_duration_to_the_schema_is_none_to_the_loader(text: str) -> None:
    assert (duration_ms(text) is not None) == bool(_reads("mockrelay:control/objects/Duration.json").match(text))


@pytest.mark.parametrize("text", ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.250+02:00", "1999-12-31T23:59:59-11:30"])
def test_moments_are_those_that_the_loader_reads(text: str) -> None:
    assert _reads(f"{SCHEMA}#/$defs/moment").match(text)
    assert moment_ms(text) is not None
