"""JSON Schemas of what happens in a scenario: faults, orders, the past, the timeline and single decisions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockrelay.core.fault_forms import CODE_MAX, FAULT_FIELDS, KIND_FIELDS, LEAST_HTTP_STATUS, MOST_HTTP_STATUS
from mockrelay.core.faults import KIND_RULES, At, FaultKind, SpoiltBody
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
from mockrelay.spec.request_kinds import TxType
from mockrelay.spec.vocab import HeldAs, NodeState, RequestStatus, Side
from mockrelay.wire.registry import document

_TRANSACTION = "TransactionBlock"


def fault() -> Schema:
    """A fault, which may be laid over another of its name."""
    values: Mapping[FaultKind, Said] = {
        FaultKind.CODE: ("The answer is this code, of the spec or not.", whole(1, CODE_MAX)),
        FaultKind.STATUS: ("The answer has this HTTP status.", whole(LEAST_HTTP_STATUS, MOST_HTTP_STATUS)),
        FaultKind.BODY: ("The answer's body is spoilt.", one_of(SpoiltBody)),
        FaultKind.DELAY: ("The answer comes so much later on the relayer's clock.", shared("duration")),
        FaultKind.DROP: ("The connection is closed without an answer.", {"const": True}),
        FaultKind.HOLD: ("The order is held, and this status answered.", one_of(HeldAs)),
        FaultKind.OUTCOME: ("The request fails at its end.", {"const": RequestStatus.FAILED.value}),
        FaultKind.LAYER1: ("Layer 1 does not answer.", one_of((NodeState.DOWN, NodeState.ERROR))),
    }
    return fields(
        FAULT_FIELDS,
        {
            "name": ("What it is called; one laid over another has its name.", TEXT),
            "on": ("The endpoint.", one_of(BY_NAME)),
            **{kind.value: said for kind, said in values.items()},
            "message": ("The answer's message, beside code.", {"type": "string"}),
            "when": ("Decoded fields that the call must have.", {"type": "object"}),
            "nth": ("The first matching call that it fires on, from 1.", whole(1)),
            "times": ("How many matching calls it fires on.", whole(1) | {"default": 1}),
            "at": ("Ahead of everything, in place of the action, or once it is done.", one_of(At)),
        },
        dependentSchemas={kind.value: {"properties": _beside(kind)} for kind in FaultKind},
    )


def _beside(kind: FaultKind) -> dict[str, Any]:
    """What may stand beside a fault's kind."""
    rule = KIND_RULES[kind]
    others: dict[str, Any] = {other: False for other in KIND_FIELDS if other != kind}
    if kind is not FaultKind.CODE:
        others["message"] = False
    if not rule.points:
        others["at"] = False
    if rule.on:
        others["on"] = one_of(rule.on)
    return others


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
