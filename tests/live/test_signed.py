"""What unmodified clients signed: the messages, texts and hashes of the recorded calls are made alike.

That each signature is accepted, and the one that its client makes wrongly refused, is shown by the calls themselves.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

import pytest

from mockrelay.core.signatures.messages import SIGNED
from mockrelay.signing.messages import hash_of
from mockrelay.signing.request_signature import message_of, signed_texts
from mockrelay.spec.signed_rows import SIGNED_BODIES
from tests.live.test_recorded import RECORDED, RUNS, Pair

ENTRIES: list[dict[str, Any]] = json.loads((RECORDED / "signed.json").read_text(encoding="utf-8"))["signed"]
CLIENTS = {
    "sdk": "SDK 3.9.22",
    "hl3": "HL3",
    "lpm_run": "LPM",
    "dig": "DIG",
    "mm": "MMB",
    "mmbot": "MMB",
    "hb3": "HB3",
    "hl2": "HL2",
    "jens": "JENS",
    "lc": "LC",
    "pay": "PAY",
    "hb2": "HB2",
}
ROWS = {
    "POST /api/v3/order": "submit_order_gen3",
    "POST /api/v2/order": "submit_order_v2",
    "POST /api/v3/transfer": "submit_transfer_v3",
    "POST /api/v2/transfer": "submit_transfer",
    "POST /api/v3/user/withdrawals": "submit_withdrawal_live",
    "POST /api/v3/account": "update_account_live",
    "POST /api/v3/nft/mint": "mint_nft_live",
    "POST /api/v3/nft/transfer": "transfer_nft_live",
    "POST /api/v3/nft/withdrawal": "withdraw_nft_real",
    "POST /api/v3/nft/deployTokenAddress": "deploy_nft_contract",
}
CHAIN_ID, EXCHANGE = 1, int("0BABA1Ad5bE3a5C0a66E7ac838a129Bf948f1eA4", 16)


def named(entry: Mapping[str, Any]) -> str:
    """The id of an entry."""
    return f"{entry['client']} {entry['kind']}"


def of(part: str) -> pytest.MarkDecorator:
    """The entries that say something of this part."""
    return pytest.mark.parametrize("entry", [entry for entry in ENTRIES if part in entry], ids=named)


def pairs_of(entry: Mapping[str, Any]) -> list[Pair]:
    """The recorded calls of the client to the endpoint."""
    every = [pair for run in RUNS for pair in run if pair.client == CLIENTS[entry["client"]]]
    return [pair for pair in every if f"{pair.raw.method} {pair.path}" == entry["request"].replace("//", "/")]


def fields_of(pair: Pair) -> dict[str, Any]:
    """The fields of a recorded body, which is JSON or a form."""
    text = pair.raw.body.decode()
    return json.loads(text) if text.startswith("{") else dict(parse_qsl(text))


@of("inputs")
def test_the_message_of_a_body_has_these_inputs_and_this_hash(entry: dict[str, Any]) -> None:
    row = ROWS[entry["request"]]
    inputs = {name: int(value) for name, value in entry["inputs"].items()}
    hash_ = entry["messageHash"]
    assert hash_of(inputs.values()) == int(hash_, 0)
    part = SIGNED_BODIES[row].part
    bodies = [fields_of(pair) for pair in pairs_of(entry)]
    found = [SIGNED[row].message.inputs(body[part] if part else body) for body in bodies]
    assert inputs in found
    assert list(inputs) in [list(each) for each in found]


@of("signedText")
def test_the_text_of_a_call_is_this_one_of_those_that_clients_sign(entry: dict[str, Any]) -> None:
    assert message_of(entry["signedText"]) == int(entry["message"])
    texts: list[str] = []
    for pair in pairs_of(entry):
        raw = pair.raw
        query = raw.raw_target.partition("?")[2]
        once = "&".join(dict.fromkeys(query.split("&")))
        for scheme in ("http", "https"):
            url = f"{scheme}://{raw.host}{pair.path}"
            texts += signed_texts(raw.method, url, once, raw.body.decode())
    assert entry["signedText"] in texts


@of("typedHash")
def test_the_owner_signs_this_hash_of_a_body(entry: dict[str, Any]) -> None:
    row = ROWS[entry["request"]]
    typed, part = SIGNED[row].typed, SIGNED_BODIES[row].part
    assert typed is not None
    bodies = [fields_of(pair) for pair in pairs_of(entry)]
    hashes = [f"0x{typed.hash(body[part] if part else body, CHAIN_ID, EXCHANGE).hex()}" for body in bodies]
    assert entry["typedHash"] in hashes


def test_every_entry_is_compared() -> None:
    """Those of transfers of the second generation say no more than that they were accepted."""
    parts = ("inputs", "signedText", "typedHash")
    beyond = {named(entry) for entry in ENTRIES if not any(part in entry for part in parts)}
    assert len(ENTRIES) == 63
    assert beyond == {f"{client} v2 transfer {kind}" for client in ("lc", "pay") for kind in ("eddsa", "ecdsa")}
