"""JSON Schemas of the timeline: its entries, and the verbs that they do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockrelay.scenario.editor.forms import (
    BOOLEAN,
    TEXT,
    Said,
    Schema,
    either,
    fields,
    needing,
    one_of,
    shared,
    whole,
)
from mockrelay.scenario.timeline import ENTRY_KEYS, VERBS
from mockrelay.spec.request_kinds import FEE_KINDS, RequestKind
from mockrelay.spec.vocab import RequestStatus
from mockrelay.wire.fault_schema import whole_fault


def entry() -> Schema:
    """An entry of the timeline."""
    verbs = fields(VERBS, _deeds(), minProperties=1, maxProperties=1)
    said = {"at": ("How long after the start.", shared("duration")), "do": ("One verb.", verbs)}
    return fields(ENTRY_KEYS, said, required=ENTRY_KEYS)


def _deeds() -> dict[str, Said]:
    return {
        "order": ("Let an order rest.", shared("order")),
        "cancel": ("Cancel an order.", _of_order({})),
        "fill": (
            "Let the house trade with an order.",
            _of_order(
                {"size": ("How much.", shared("some")), "price": ("The order's own unless given.", shared("price"))},
                "size",
            ),
        ),
        "release": ("Release a held order.", _of_order({"as": ("As what.", one_of(("active", "failed")))}, "as")),
        "deposit": (
            "Put money in.",
            _closed({"account": _ACCOUNT, "token": _TOKEN, "amount": ("How much.", shared("some"))}),
        ),
        "freeze": ("Freeze an account, or no longer.", _closed({"account": _ACCOUNT, "frozen": ("Whether.", BOOLEAN)})),
        "keys": ("Change an account's keys.", _keys()),
        "seal": ("Seal blocks.", _open({"count": ("How many.", whole(1) | {"default": 1})})),
        "finalize": ("Finalize blocks.", _open({"upTo": ("The last one; all that are sealed unless given.", whole())})),
        "advance": ("Move a request on.", _advance()),
        "fees": ("Change what a request costs.", _fees()),
        "layer1": ("Change the chain below.", shared("layer1") | {"minProperties": 1}),
        "deploy": ("End a deployment.", _deploy()),
        "choices": ("Change readings.", shared("choices")),
        "fault": (
            "Arm a fault.",
            {"allOf": [shared("fault"), whole_fault()]},
        ),
        "remove_fault": ("Disarm a fault.", _closed({"id": ("The id that it was armed under.", TEXT)})),
        "clear_faults": ("Disarm all faults.", _closed({})),
    }


_ACCOUNT: Said = "An account's name or id.", either(TEXT, whole(0))
_TOKEN: Said = "A token's symbol or id.", either(TEXT, whole(0))  # a token of the exchange, no secret


def _closed(said: Mapping[str, Said]) -> Schema:
    return fields(said, said, required=said)


def _open(said: Mapping[str, Said], **more: Any) -> Schema:
    return fields(said, said, **more)


def _of_order(more: Mapping[str, Said], *required: str) -> Schema:
    said: Mapping[str, Said] = {
        "hash": ("The order's hash.", shared("hash")),
        "clientOrderId": ("What its owner calls it; the newest of that name.", TEXT),
        "account": ("Whose; without clientOrderId, the oldest of theirs that this can be done to.", _ACCOUNT[1]),
        **more,
    }
    return fields(
        said,
        said,
        required=required,
        anyOf=needing("hash", "clientOrderId", "account"),
        dependentSchemas={"hash": {"properties": {"clientOrderId": False, "account": False}}},
    )


def _keys() -> Schema:
    said: Mapping[str, Said] = {
        "account": _ACCOUNT,
        "publicKeyX": ("Its new public key.", shared("coordinate")),
        "publicKeyY": ("Its new public key.", shared("coordinate")),
        "keySeed": ("Its new key seed.", TEXT),
        "accountNonce": ("The nonce of its next request.", whole()),
        "apiKey": ("Its new X-API-KEY.", shared("apiKey")),
    }
    return fields(said, said, required=("account",), minProperties=2)


def _advance() -> Schema:
    ahead = (RequestStatus.PROCESSING, RequestStatus.PROCESSED, RequestStatus.FAILED)
    said: Mapping[str, Said] = {
        "to": ("The state.", one_of(ahead)),
        "hash": ("The request's hash.", shared("hash")),
        "kind": ("The newest request of this kind, beside account.", one_of(RequestKind)),
        "account": ("Whose, beside kind.", _ACCOUNT[1]),
    }
    by_kind = {"required": ["kind", "account"]}
    by_hash = {"required": ["hash"], "properties": {"account": False}}
    return fields(said, said, required=("to",), oneOf=[by_hash, by_kind])


def _fees() -> Schema:
    numbers = {"enum": [int(kind) for kind in FEE_KINDS if kind.isdigit()]}
    said: Mapping[str, Said] = {
        "requestType": ("Whose fee: a request type's number, or a name.", either(one_of(FEE_KINDS), numbers)),
        "token": _TOKEN,
        "fee": ("The new fee, in wei.", shared("amount")),
        "factor": (
            'How many times the present one, such as "1.3".',
            either({"type": "string", "pattern": r"^[0-9]{1,10}(?:\.[0-9]{1,18})?$"}, whole(0, 10**9)),
        ),
    }
    return fields(said, said, required=("requestType", "token"), oneOf=needing("fee", "factor"))


def _deploy() -> Schema:
    said: Mapping[str, Said] = {
        "address": ("The contract's address.", shared("address")),
        "account": ("Whose contract.", _ACCOUNT[1]),
        "outcome": ("How it ends.", one_of(("deployed", "failed"))),
    }
    return fields(said, said, oneOf=needing("address", "account"))
