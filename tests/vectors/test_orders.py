"""Orders that a public client has built and signed are taken as they stand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mockrelay.relay import Relay
from tests.support.answer import Answer
from tests.support.client import control, done, get, post

VECTORS = json.loads(Path(__file__).with_name("requests_v2.json").read_text("utf-8"))["vectors"]
ORDERS = [vector for vector in VECTORS if vector["kind"] == "v2order"]
SIGNERS = [
    (vector, signed) for vector in ORDERS for signed in (vector, vector.get("altSignature")) if signed is not None
]
SIGNATURE = ("signatureRx", "signatureRy", "signatureS")

SCENARIO = """
format: 1
name: vectors
extends: default
clock: {start: "START"}
choices: {signature.scheme: presence}
exchange: {exchangeId: 2}
tokens:
  - {symbol: ETH, tokenId: 0}
  - {symbol: VCT, tokenId: 2, decimals: 18, minOrderAmount: "1", maxOrderAmount: "1000000000000000000000000"}
markets:
  - {market: VCT-ETH, pricePrecision: 8, levels: [0]}
accounts:
  - name: alice
    accountId: 10001
    publicKeyX: "KEY_X"
    publicKeyY: "KEY_Y"
    balances: {ETH: "20000000000000000000", VCT: "500000000000000000000"}
"""


def world(vector: dict[str, Any], start: str = "2026-01-01T00:00:00Z") -> Relay:
    """A relay with the vector's account, keys and tokens, at a moment at which its orders are valid."""
    relay = Relay.from_scenario("default", clock="frozen", limits="off")
    keys = (f"0x{int(vector[name]):064x}" for name in ("publicKeyX", "publicKeyY"))
    text = SCENARIO.replace("START", start)
    for word, key in zip(("KEY_X", "KEY_Y"), keys, strict=True):
        text = text.replace(word, key)
    done(relay, "POST", "reset", {"scenarioText": text})
    return relay


def sent(vector: dict[str, Any], signed: dict[str, Any]) -> dict[str, Any]:
    """The body as the client posts it."""
    return {**vector["request"], **{part: signed[part] for part in SIGNATURE}}


def submitted(relay: Relay, body: dict[str, Any]) -> Answer:
    """The answer to it."""
    return post(relay, "/api/v3/order", body)


def test_there_are_vectors() -> None:
    assert ORDERS
    assert len(SIGNERS) == 2 * len(ORDERS)


@pytest.mark.parametrize(("vector", "signed"), SIGNERS, ids=[f"{index}" for index in range(len(SIGNERS))])
def test_a_signed_order_is_accepted_and_read_back_as_it_was_sent(
    vector: dict[str, Any], signed: dict[str, Any]
) -> None:
    """By either client's signature; the record has the body's own amounts, times and client id."""
    relay = world(vector)
    body = sent(vector, signed)
    answer = submitted(relay, body)
    assert (answer.status, answer.code) == (200, 0), answer.body
    assert answer.data == {"orderHash": answer.data["orderHash"], "status": "NEW_ACTIVED", "isIdempotent": False}
    (record,) = get(relay, "/api/v2/orders", accountId=body["accountId"]).data["orders"]
    assert record["hash"] == answer.data["orderHash"]
    assert (record["side"], record["market"], record["status"]) == ("SELL", "VCT-ETH", "processing")
    assert (record["size"], record["volume"]) == (body["amountS"], body["amountB"])
    # 15 for 500.
    assert record["price"] == "0.03"
    for field in ("clientOrderId", "validSince", "validUntil"):
        assert record[field] == body[field]
    following = get(relay, "/api/v2/orderId", accountId=body["accountId"], tokenSId=body["tokenSId"])
    assert following.data == str(body["orderId"] + 1)


@pytest.mark.parametrize("vector", ORDERS)
def test_a_client_that_signs_the_same_order_again_sends_the_same_order(vector: dict[str, Any]) -> None:
    """Signatures are no signed fields: the other client's signature of the order makes no other order."""
    relay = world(vector)
    first = submitted(relay, sent(vector, vector))
    assert first.code == 0
    assert submitted(relay, sent(vector, vector["altSignature"])).code == 102007


@pytest.mark.parametrize("vector", ORDERS)
def test_after_its_validity_the_order_has_expired(vector: dict[str, Any]) -> None:
    """2030-03-17T17:46:40Z is second 1900000000, the vector's validUntil: one second before it is still taken."""
    assert vector["request"]["validUntil"] == 1_900_000_000
    assert submitted(world(vector, "2030-03-17T17:46:40Z"), sent(vector, vector)).code == 102008
    assert submitted(world(vector, "2030-03-17T17:46:39Z"), sent(vector, vector)).code == 0


@pytest.mark.parametrize("vector", ORDERS)
@pytest.mark.parametrize("part", SIGNATURE)
def test_without_a_part_of_its_signature_the_order_is_refused(vector: dict[str, Any], part: str) -> None:
    relay = world(vector)
    before = control(relay, "GET", "state").json["digest"]
    body = sent(vector, vector)
    assert submitted(relay, {name: value for name, value in body.items() if name != part}).code == 102010
    assert submitted(relay, body | {part: ""}).code == 104004
    assert control(relay, "GET", "state").json["digest"] == before
