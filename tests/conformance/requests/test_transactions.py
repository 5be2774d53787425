"""Transactions as pending requests and in blocks: the fields that the spec gives each type, their values, none null."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mockrelay.relay import Relay
from tests.conformance.causes_of_requests import TRANSFER, UPDATE, WITHDRAWAL, taken
from tests.conformance.checks import blocks, pending, seal
from tests.support.bodies import E18
from tests.support.calls import (
    CONTRACT_A,
    LRC_ADDRESS,
    OWNER_A,
    OWNER_B,
    SOME_NFT,
    UNTIL,
    accepted,
    bid,
    deployed,
    minted,
    nft_data,
    order,
    valid_request,
)
from tests.support.client import done
from tests.support.worlds import world

ANYWHERE = {"txType", "valid"}
_PAYER = {"accountId", "owner", "fee"}
_RECEIVER = {"toAccountId", "toAccountAddress"}
_MINT_ONLY = {"minterAccountId", "minter", "nftType"}


def _traded(relay: Relay) -> None:
    accepted(relay, order(1))
    accepted(relay, bid(1))


def _moved(name: str) -> Callable[[Relay], object]:
    def move(relay: Relay) -> object:
        deployed(minted(relay))
        seal(relay)
        return taken(relay, valid_request(name))

    return move


MADE: dict[str, tuple[str, Callable[[Relay], object], set[str], set[str]]] = {
    "transfer": ("Transfer", lambda relay: taken(relay, TRANSFER), _PAYER | _RECEIVER | {"token", "nonce"}, set()),
    "withdrawal": (
        "Withdraw",
        lambda relay: taken(relay, WITHDRAWAL),
        _PAYER | {"token", "validUntil", "storageId", "toAccountAddress"},
        set(),
    ),
    "update": ("AccountUpdate", lambda relay: taken(relay, UPDATE), _PAYER | {"validUntil", "nonce"}, set()),
    "trade": ("SpotTrade", _traded, {"orderA", "orderB"}, set()),
    "deposit": (
        "Deposit",
        lambda relay: done(relay, "POST", "accounts/10001/deposit", {"token": "LRC", "amount": "7"}),
        {"accountId", "owner", "token"},
        {"fee", "toAccountId", "toAccountAddress"},
    ),
    "mint": (
        "NftMint",
        lambda relay: taken(relay, valid_request("mint_nft")),
        _RECEIVER | _MINT_ONLY | {"fee", "nftToken", "validUntil", "storageId"},
        {"accountId", "owner"},
    ),
    "nft transfer": (
        "Transfer",
        _moved("transfer_nft"),
        _PAYER | _RECEIVER | {"nftToken", "validUntil", "storageId"},
        {"token"},
    ),
    "nft withdrawal": (
        "Withdraw",
        _moved("withdraw_nft"),
        _PAYER | {"nftToken", "validUntil", "storageId", "toAccountAddress"},
        {"token", "toAccountId"},
    ),
    "deploy fee": (
        "Transfer",
        lambda relay: taken(minted(relay), valid_request("deploy_nft_contract")),
        {"accountId", "owner", "token", "validUntil", "storageId", "toAccountAddress"},
        {"fee", "toAccountId"},
    ),
}
"""What makes it: its type, the call, the fields that it has, those that it may have beside `txType` and `valid`."""


def _made(name: str) -> tuple[Relay, dict[str, Any]]:
    relay = world()
    MADE[name][1](relay)
    return relay, pending(relay)[-1]


@pytest.mark.parametrize("name", MADE)
def test_fields_of_a_transaction(name: str) -> None:
    """All of its type's fields, none of another's, and none that is null; the same once it is sealed."""
    type_, _, has, may_have = MADE[name]
    relay, tx = _made(name)
    assert tx["txType"] == type_
    assert set(tx) >= has, tx
    assert set(tx) <= has | may_have | ANYWHERE, tx
    assert None not in [
        *tx.values(),
        *(value for inner in tx.values() if isinstance(inner, dict) for value in inner.values()),
    ]
    assert tx.get("valid", True) is True
    seal(relay)
    assert tx in [each for found in blocks(relay) for each in found["transactions"]]


def test_values_of_a_transfer() -> None:
    """One LRC from alice to bob, at the fee of the list: 0.05 LRC."""
    _, tx = _made("transfer")
    assert (tx["accountId"], tx["owner"], tx["toAccountId"], tx["toAccountAddress"]) == (10001, OWNER_A, 10002, OWNER_B)
    assert (tx["token"]["tokenId"], tx["token"]["tokenAddress"], tx["token"]["amount"]) == (1, LRC_ADDRESS, str(E18))
    assert (tx["fee"]["tokenId"], tx["fee"]["amount"], tx["nonce"]) == (1, str(5 * 10**16), 0)


def test_values_of_a_withdrawal() -> None:
    """One LRC to alice's own address, at 0.1 LRC."""
    _, tx = _made("withdrawal")
    assert (tx["accountId"], tx["owner"], tx["toAccountAddress"]) == (10001, OWNER_A, OWNER_A)
    assert (tx["token"]["tokenId"], tx["token"]["amount"], tx["fee"]["amount"]) == (1, str(E18), str(10**17))
    assert (tx["storageId"], tx["validUntil"]) == (7, UNTIL)


def test_values_of_an_update() -> None:
    """Nonce 0 at 0.1 LRC."""
    _, tx = _made("update")
    assert (tx["accountId"], tx["owner"], tx["nonce"], tx["validUntil"]) == (10001, OWNER_A, 0, UNTIL)
    assert (tx["fee"]["tokenId"], tx["fee"]["amount"]) == (1, str(10**17))


def test_values_of_a_mint() -> None:
    """One of the NFT, of type eip1155, for the minter."""
    _, tx = _made("mint")
    assert (tx["minterAccountId"], tx["minter"], tx["nftType"]) == (10001, OWNER_A, "eip1155")
    assert (tx["toAccountId"], tx["toAccountAddress"], tx["storageId"]) == (10001, OWNER_A, 7)
    token = tx["nftToken"]
    assert (token["nftId"], token["nftData"], token["amount"]) == (SOME_NFT, nft_data(), "1")
    assert token["tokenAddress"].lower() == CONTRACT_A


@pytest.mark.parametrize("name", ["nft transfer", "nft withdrawal"])
def test_values_of_an_nft_on_the_move(name: str) -> None:
    """One of the five, with its data, from alice, to bob's address."""
    _, tx = _made(name)
    assert (tx["accountId"], tx["owner"], tx["toAccountAddress"]) == (10001, OWNER_A, OWNER_B)
    assert (tx["nftToken"]["nftData"], tx["nftToken"]["amount"]) == (nft_data(), "1")


def test_values_of_a_trade() -> None:
    """40 LRC for 0.02 ETH: both orders, each with what it sold and what it was filled."""
    _, tx = _made("trade")
    by_account = {tx[side]["accountID"]: tx[side] for side in ("orderA", "orderB")}
    alice, bob = by_account[10001], by_account[10002]
    assert (alice["tokenS"], alice["tokenB"], alice["storageID"]) == (1, 0, 1)
    assert (bob["tokenS"], bob["tokenB"], bob["storageID"]) == (0, 1, 1)
    assert (alice["amountS"], alice["amountB"]) == (str(100 * E18), str(5 * 10**16))
    assert (alice["isAmm"], bob["isAmm"]) == (False, False)
    assert alice["validUntil"] == UNTIL
    assert (alice["fillS"], bob["fillS"]) == (40 * E18, 2 * 10**16)
