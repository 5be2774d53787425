"""JSON Schemas of what happens in a scenario: faults, orders, the past, the timeline and single decisions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockrelay.scenario.decisions import DECISION_KEYS, DUE_ORDER
from mockrelay.scenario.editor.forms import (
    TEXT,
    Said,
    Schema,
    fields,
    needing,
    one_of,
    shared,
    whole,
)
from mockrelay.scenario.history import TRADE_KEYS
from mockrelay.scenario.resting import ORDER_KEYS
from mockrelay.spec.choices import CHOICES
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.spec.fault_effects import DURATION, ENDPOINT_NAME
from mockrelay.spec.request_kinds import TxType
from mockrelay.spec.vocab import Side
from mockrelay.wire.fault_schema import fault_combinations, fault_schema
from mockrelay.wire.registry import document

_TRANSACTION = "TransactionBlock"


def fault() -> Schema:
    """A fault, which may be laid over another of its name."""
    objects = {DURATION: shared("duration"), ENDPOINT_NAME: one_of(BY_NAME)}
    return fault_schema(objects.__getitem__) | fault_combinations()


def order() -> Schema:
    """An order that rests."""
    return fields(
        ORDER_KEYS,
        _trade_said()
        | {
            "account": ("An account's name, or house.", TEXT),
            "clientOrderId": ("What its owner calls it.", TEXT),
        },
        required=("account", "market", "side", "size"),
        oneOf=needing("price", "volume"),
    )


def past_trade() -> Schema:
    """A trade of the past."""
    return fields(
        TRADE_KEYS,
        _trade_said() | {"before": ("How long before the start.", shared("duration"))},
        required=("market", "side", "size", "before"),
        oneOf=needing("price", "volume"),
    )


def _trade_said() -> dict[str, Said]:
    return {
        "market": ("The market's name.", TEXT),
        "side": ("Which way the base token goes; of a trade, the taker's.", one_of(Side)),
        "size": ("In the base token's smallest unit.", shared("some")),
        "price": ("Quote per base.", shared("price")),
        "volume": ("In the quote token's smallest unit, in place of a price.", shared("some")),
    }


def past_transaction() -> Schema:
    """A transaction as a relayer answered it."""
    return shared(_TRANSACTION)


def transaction_forms() -> dict[str, Schema]:
    """The schemas of answers that a transaction of the past is made of, by the names of their files."""
    forms: dict[str, Schema] = {}
    waiting = [_TRANSACTION]
    while waiting:
        name = waiting.pop(0)
        if name not in forms:
            kept = {key: value for key, value in document(f"mockrelay:objects/{name}.json").items() if key[0] != "$"}
            forms[name] = _with_shared_refs(kept, waiting)
    # Real answers show the words in lower case too.
    forms["TxType"]["enum"] = [*TxType, *(word.lower() for word in TxType)]
    return forms


def _with_shared_refs(value: Any, found: list[str]) -> Any:
    if isinstance(value, list):
        return [_with_shared_refs(inner, found) for inner in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        name = value["$ref"].removeprefix("mockrelay:objects/").removesuffix(".json")
        found.append(name)
        return {**value, **shared(name)}
    return {key: _with_shared_refs(inner, found) for key, inner in value.items() if not key.startswith("x-")}


def decision() -> Schema:
    """One outcome of one decision."""
    options = {choice.key: {"$ref": f"#/$defs/choices/properties/{choice.key}"} for choice in CHOICES}
    options[DUE_ORDER] = whole()
    said: Mapping[str, Said] = {
        "key": ("What is decided.", one_of(options)),
        "nth": ("The how-manieth time, from 1.", whole(1)),
        "value": ("The outcome.", {}),
    }
    one_each = [
        {"if": {"properties": {"key": {"const": key}}}, "then": {"properties": {"value": schema}}}
        for key, schema in options.items()
    ]
    return fields(DECISION_KEYS, said, required=DECISION_KEYS, allOf=one_each)
