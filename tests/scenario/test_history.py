"""`history`: transactions of the past lie in block 1, with the fields that they were given."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mockrelay.relay import Relay
from tests.scenario.texts import HEAD, marked, refusal, relay_of
from tests.support.client import get

OWNER = "0x" + "a" * 40
LEG = {
    "storageID": 1,
    "accountID": 2,
    "amountS": "3",
    "amountB": "4",
    "tokenS": 0,
    "tokenB": 1,
    "validUntil": 5,
    "taker": OWNER,
    "feeBips": 6,
    "isAmm": False,
    "nftData": "",
    "fillS": 7,
}
TRANSACTIONS: list[dict[str, Any]] = [
    {"txType": "Noop"},
    {"txType": "Deposit", "accountId": 2, "owner": OWNER, "token": {"tokenId": 0, "amount": "1"}},
    {"txType": "Withdraw", "accountId": 2, "toAccountAddress": OWNER, "valid": False},
    {"txType": "Transfer", "accountId": 2, "toAccountId": 3, "storageId": 4},
    {"txType": "SpotTrade", "orderA": LEG, "orderB": LEG},
    {"txType": "AccountUpdate", "accountId": 2, "nonce": 1},
    {"txType": "AmmUpdate", "accountId": 2, "valid": True},
    {"txType": "JoinAmm", "accountId": 2},
    {"txType": "ExitAmm", "accountId": 2, "toToken": {"tokenId": 1}},
    {"txType": "SignatureVerification", "owner": OWNER},
    {"txType": "NftMint", "minterAccountId": 2, "minter": OWNER, "nftType": "eip1155"},
    {"txType": "NftData", "nftToken": {"nftId": "0x" + "0" * 63 + "1"}},
]
"""One of each of the twelve types."""


def relay_with(transactions: list[dict[str, Any]], choices: dict[str, str] | None = None) -> Relay:
    return relay_of("history: " + json.dumps({"transactions": transactions}), choices=choices)


def test_each_type_is_answered_as_given_in_a_final_block() -> None:
    block = get(relay_with(TRANSACTIONS), "/api/v3/block/getBlock").json
    assert (block["blockId"], block["status"], block["blockSize"]) == (1, "finalized", 12)
    assert block["transactions"] == TRANSACTIONS


def test_a_type_in_lower_case_follows_the_choice() -> None:
    transactions = [{**TRANSACTIONS[4], "txType": "spottrade"}]
    block = get(relay_with(transactions), "/api/v3/block/getBlock").json
    assert block["transactions"][0]["txType"] == "SpotTrade"
    choices = {"tx_type.case": "lower", "block.fill_s": "string"}
    lower = get(relay_with(transactions, choices), "/api/v3/block/getBlock").json["transactions"][0]
    assert lower["txType"] == "spottrade"
    assert lower["orderB"] == {**LEG, "fillS": "7"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{txType: ^Trade}", "found 'Trade'; meant"),
        ("^{accountId: 2}", "found no 'txType'; meant txType, which is required here"),
        ("{txType: Noop, nonce: ^x}", "found 'x'; meant a whole number from 0"),
    ],
)
def test_a_transaction_that_no_relayer_would_answer_is_refused(line: str, message: str) -> None:
    text, place = marked(f"{HEAD}history: {{transactions: [{line}]}}\n")
    assert refusal(text).startswith(f"w.yaml:{place}: {message}")
