"""Changing an account's key through the socket: the new key counts, the old one does not (trouble row 9)."""

from __future__ import annotations

from typing import Any

from mockrelay.core.models import Account
from mockrelay.relay import SignedRequest
from tests.flows.requests_client import ALICE, E18, ETH, LRC, SIGNED, Wallet, running, transfer, update
from tests.support.worlds import DAY_S, START_S

K2 = "0x" + "0" * 62 + "aa"
FUNDS = 10_000 * E18


def knows_the_key(account: Account, request: SignedRequest) -> str | None:
    """A scheme of the test's own: who signs with a key writes the key's first part into the signature."""
    if request.endpoint == "update_account":
        return None
    written = int(request.fields["signatureRx"])
    return None if written == int(account.public_key_x, 16) else "signed with another key"


def order(key: str, order_id: int = 0) -> dict[str, Any]:
    """Alice sells 100 LRC for 0.05 ETH, signed with a key."""
    return {
        "exchangeId": 2,
        "orderId": order_id,
        "accountId": ALICE,
        "tokenSId": LRC,
        "tokenBId": ETH,
        "amountS": str(100 * E18),
        "amountB": str(5 * 10**16),
        "buy": "false",
        "validSince": START_S,
        "validUntil": START_S + 60 * DAY_S,
        "maxFeeBips": 63,
        "label": 211,
        **signed(key),
    }


def signed(key: str) -> dict[str, str]:
    return SIGNED | {"signatureRx": str(int(key, 16))}


def rotated(wallet: Wallet) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Alice has gone from K1 to K2: K1, the update and its answer."""
    k1 = wallet.record(ALICE)["publicKeyX"]
    body = update(wallet.owner(ALICE), K2)
    answer = wallet.post("v3/account", body, None)
    assert answer.status == 200, answer.body
    return k1, body, answer.json


def test_after_an_update_only_the_new_key_signs() -> None:
    with running(knows_the_key) as wallet:
        k1, _, told = rotated(wallet)
        assert (told["status"], told["isIdempotent"]) == ("received", False)
        now = wallet.record(ALICE)
        assert (now["publicKeyX"], now["keyNonce"], now["accountNonce"]) == (K2, 3, 4)
        before = wallet.state()["digest"]
        assert wallet.post("v3/order", order(k1)).code == 104005
        assert wallet.post("v2/transfer", transfer(nonce=4, **signed(k1))).code == 104005
        assert wallet.state()["digest"] == before
        assert wallet.post("v3/order", order(K2)).data["status"] == "NEW_ACTIVED"
        assert wallet.post("v2/transfer", transfer(nonce=4, **signed(K2))).code == 0


def test_an_update_sent_again_is_told_as_open_then_its_nonce_is_used() -> None:
    with running(knows_the_key) as wallet:
        _, body, told = rotated(wallet)
        again = wallet.post("v3/account", body, None).json
        assert again == told | {"status": "processing", "isIdempotent": True}
        (sealed,) = wallet.seal()["transactions"]
        assert (sealed["txType"], sealed["nonce"], sealed["valid"]) == ("AccountUpdate", 3, True)
        assert wallet.money(ALICE) == (FUNDS - 50, 0)
        assert wallet.post("v3/account", body, None).code == 102021


def test_an_update_that_fails_brings_the_old_key_back() -> None:
    """Its nonce stays used, its fee does not."""
    with running(knows_the_key) as wallet:
        wallet.done("faults", {"on": "update_account", "outcome": "failed"})
        k1, _, _ = rotated(wallet)
        assert wallet.post("v3/order", order(k1)).code == 104005
        (sealed,) = wallet.seal()["transactions"]
        assert sealed["valid"] is False
        now = wallet.record(ALICE)
        assert (now["publicKeyX"], now["keyNonce"], now["accountNonce"]) == (k1, 0, 4)
        assert wallet.post("v3/order", order(K2)).code == 104005
        assert wallet.money(ALICE) == (FUNDS, 0)
        assert wallet.post("v3/order", order(k1)).data["status"] == "NEW_ACTIVED"


def test_a_key_that_is_active_on_the_block_leaves_the_old_one_in_force_until_then() -> None:
    with running(knows_the_key, account__key_active="on_block", account__nonce_moves="on_block") as wallet:
        k1, _, _ = rotated(wallet)
        now = wallet.record(ALICE)
        assert (now["publicKeyX"], now["accountNonce"]) == (k1, 3)
        assert wallet.post("v3/order", order(K2)).code == 104005
        wallet.seal()
        now = wallet.record(ALICE)
        assert (now["publicKeyX"], now["accountNonce"]) == (K2, 4)
        assert wallet.post("v3/order", order(K2)).data["status"] == "NEW_ACTIVED"
