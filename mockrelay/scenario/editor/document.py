"""`schemas/scenario.json`: the JSON Schema by which editors complete and check scenario files.

Made by `mockrelay scenarios --schema > schemas/scenario.json` from the loader's own tables, so that a key that one knows
and the other does not is an assertion that fails.
The loader is the judge: it also sees what no schema can, such as names that stand for nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from mockrelay.scenario.build import FORMAT, SECTIONS
from mockrelay.scenario.editor.course import blocks, lifecycles
from mockrelay.scenario.editor.deeds import entry
from mockrelay.scenario.editor.events import decision, fault, order, past_trade, past_transaction, transaction_forms
from mockrelay.scenario.editor.exchange import account, choices, exchange, fees, layer1, market, nft, rates, token
from mockrelay.scenario.editor.forms import SHARED, TEXT, Said, Schema, either, fields, listed, one_of, shared
from mockrelay.scenario.loader import shipped
from mockrelay.spec.endpoints import BY_NAME

DIALECT = "https://json-schema.org/draft/2020-12/schema"
SCHEMA_ID = "mockrelay:scenario.json"
_WIDTH = 120
_PATH = r".*\.ya?ml|.*[/\\].*"


def editor_schema_text() -> str:
    """The schema as its file holds it."""
    return _pretty(editor_schema(), "") + "\n"


def editor_schema() -> Schema:
    """The schema of a scenario. What is required is so only where nothing is extended that may give it."""
    said = _sections()
    return {
        "$schema": DIALECT,
        "$id": SCHEMA_ID,
        "title": "a scenario",
        "description": "What a relayer starts with. Usually `extends: default`, and then only what is different.",
        **fields(SECTIONS, said, required=("format",)),
        "if": {"not": {"required": ["extends"]}},
        "then": {
            "required": ["exchange", "tokens", "markets"],
            "properties": {section: {"items": {"required": list(keys)}} for section, keys in _COMPLETE.items()}
            | {"exchange": {"required": ["chainId", "exchangeId"]}},
        },
        "$defs": {
            **SHARED,
            "choices": choices(),
            "fault": fault(),
            "layer1": layer1(),
            "order": order(),
            **transaction_forms(),
        },
    }


def _pretty(value: Any, indent: str) -> str:
    """JSON with whatever fits into a line on one."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or len(indent) + len(line) <= _WIDTH:
        return line
    inner = indent + "  "
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {_pretty(item, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(inner + part for part in parts) + f"\n{indent}}}"
    return "[\n" + ",\n".join(inner + _pretty(item, inner) for item in value) + f"\n{indent}]"


_COMPLETE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "tokens": ("symbol", "tokenId", "decimals", "minOrderAmount", "maxOrderAmount"),
        "markets": ("market", "pricePrecision", "levels"),
        "accounts": ("name", "accountId"),
        "faults": ("on",),
    }
)
"""What the items of a list must have where they are laid over nothing."""


def _sections() -> Mapping[str, Said]:
    extended = either(one_of(shipped()), {"type": "string", "pattern": f"^(?:{_PATH})$"})
    return {
        "format": ("The format of the file.", {"const": FORMAT}),
        "name": ("What it is called; the file's name where it does not say.", TEXT),
        "extends": (
            "A shipped scenario, or a file in this folder or below it. Maps merge, and so do four lists, by name.",
            extended,
        ),
        "clock": (
            "When it starts; without it, whenever it is started.",
            fields(("start",), {"start": ("The first moment.", shared("moment"))}, required=("start",)),
        ),
        "choices": ("Readings where the spec is silent.", shared("choices")),
        "limits": (
            "Requests a second by endpoint, where they are not as in the spec; none: no limit. Or off for all.",
            either({"const": "off"}, fields(BY_NAME, {name: (f"Of {name}.", shared("perSecond")) for name in BY_NAME})),
        ),
        "exchange": ("The exchange contract.", exchange()),
        "tokens": ("The tokens, by symbol.", listed(token())),
        "markets": ("The trading pairs, by the two symbols with a hyphen between them.", listed(market())),
        "accounts": ("Who is there, by name.", listed(account())),
        "lifecycles": ("How long each state of a request lasts.", lifecycles()),
        "blocks": ("When blocks are sealed and how they become final.", blocks()),
        "faults": ("Scripted trouble, laid over each other by name.", listed(shared("fault"))),
        "seed": ("What is not given (keys, addresses, hashes) follows from it.", either(TEXT, {"type": "integer"})),
        "fees": ("What requests cost, in wei by token; none: not offered in it.", fees()),
        "rates": ("Trading fees of whoever has none of their own.", rates()),
        "nft": ("Addresses that NFT contracts depend on.", nft()),
        "layer1": ("The chain below.", shared("layer1")),
        "orders": ("What rests in the books at the start.", listed(shared("order"))),
        "history": (
            "What has been before the start.",
            fields(
                ("trades", "transactions"),
                {
                    "trades": ("Trades of the past, in any order.", listed(past_trade())),
                    "transactions": (
                        "Transactions as a relayer answered them, oldest first.",
                        listed(past_transaction()),
                    ),
                },
            ),
        ),
        "timeline": ("What happens at set moments after the start.", listed(entry())),
        "decisions": ("Single outcomes of what is left open.", listed(decision())),
    }
