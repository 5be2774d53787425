"""Transfers that other implementations have signed are taken as they stand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.client import done, get, post
from tests.support.worlds import relay_from

HERE = Path(__file__).parent
VECTORS = json.loads((HERE / "requests_v2.json").read_text())["vectors"]
TRANSFERS = [vector for vector in VECTORS if vector["kind"] == "v2transfer"]

SCENARIO = """
format: 1
name: signed elsewhere
extends: default
exchange:
  exchangeId: {exchangeId}
  transferFees: [{{token: ETH, fee: "1"}}, {{token: GEM, fee: "1"}}]
tokens:
  - {{type: ERC20, tokenId: 2, symbol: GEM, name: Gem, address: "0x00000000000000000000000000000000000000aa", unit: GEM,
      decimals: 18, precision: 18, minOrderAmount: "1", maxOrderAmount: "1000000000000000000000", dustOrderAmount: "0",
      enabled: true}}
accounts:
  - {{name: alice, accountId: {sender}, accountNonce: {nonce}, balances: {{GEM: "1000000000000000000000"}}}}
  - {{name: bob, accountId: {receiver}}}
"""


@pytest.mark.parametrize("vector", TRANSFERS)
def test_a_signed_transfer_is_accepted_as_it_stands(vector: dict[str, Any], tmp_path: Path) -> None:
    """Under the scheme `presence`, and with any fee token; the amount that is sent is the amount that arrives."""
    signed = vector["request"]
    file = tmp_path / "signed.yaml"
    file.write_text(SCENARIO.format(**signed))
    relay = relay_from(file, choices={"transfer.fee_token": "any", "signature.scheme": "presence"})
    parts = {name: vector[name] for name in ("signatureRx", "signatureRy", "signatureS")}
    answer = post(relay, "/api/v2/transfer", signed | parts, signature=vector["xApiSig"]["signature"])
    assert answer.code == 0, answer.body
    (waiting,) = get(relay, "/api/v3/block/getPendingRequests").json
    assert (waiting["token"]["tokenId"], waiting["token"]["amount"]) == (signed["token"], signed["amount"])
    assert (waiting["accountId"], waiting["toAccountId"]) == (signed["sender"], signed["receiver"])
    assert waiting["nonce"] == signed["nonce"]
    (request,) = done(relay, "GET", "state")["requests"]
    assert request["status"] == "processed"


def test_there_are_transfers_among_the_vectors() -> None:
    assert TRANSFERS
