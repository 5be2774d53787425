"""A client's session, every request of it signed and verified: without a socket, through one, and in a world."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from mockrelay.signing import keys, messages, nft, owner
from mockrelay.signing.eddsa import Family
from mockrelay.web import serve
from tests.support.answer import Answer
from tests.support.client import Relayer, advance
from tests.support.connection import connected
from tests.support.signer import (
    MINT,
    NFT_TRANSFER,
    NFT_WITHDRAWAL,
    PROTOCOL,
    UPDATE,
    Signer,
    signer_of,
)
from tests.support.worlds import relay_from

NFT_ID = "0x" + "0" * 61 + "abc"


@pytest.fixture(params=["without a socket", "through a socket", "in a world"])
def relayer(request: pytest.FixtureRequest) -> Iterator[Relayer]:
    relay = relay_from(choices=PROTOCOL)
    if request.param == "without a socket":
        yield relay
        return
    prefix = "/w/mine" if request.param == "in a world" else ""
    with serve(relay) as server, connected(server.url + prefix) as connection:
        yield connection


def signer(relayer: Relayer, name: str) -> Signer:
    """An account of the default scenario with its keys, which are the same wherever that scenario runs."""
    return signer_of(relay_from(choices=PROTOCOL), name, relayer)


def taken(answer: Answer) -> Any:
    """What a request that must be taken is answered."""
    assert (answer.status, answer.code) == (200, 0), answer.body
    return answer.json


def test_orders_and_money_and_another_key(relayer: Relayer) -> None:
    """An order, a transfer, a withdrawal and a key update are taken; the old key is wrong at once, the new one right."""
    alice, bob = signer(relayer, "alice"), signer(relayer, "bob")
    first = taken(alice.order(0))["data"]["orderHash"]
    assert int(first, 16) == messages.ORDER_V2.hash(alice.order_body(0))
    alice.family = Family.JAVASCRIPT
    taken(alice.order(1))
    moved = taken(alice.transfer(bob.id, nonce=0))["data"]
    assert int(moved, 16) == messages.TRANSFER_V2.hash(alice.transfer_body(bob.id, 0))
    withdrawn = taken(alice.withdrawal(3))
    assert int(withdrawn["hash"], 16) == messages.WITHDRAWAL.hash(alice.withdrawal_body(3))
    taken(alice.withdrawal(4, suffix="03"))
    taken(alice.withdrawal(5, suffix=""))

    new = keys.derive(alice.layer1, keys.default_seed(alice.bodies.exchange, 1))
    body = alice.update_body(f"{new.public.x:#x}", f"{new.public.y:#x}", nonce=1)
    assert int(taken(alice.update(body))["hash"], 16) == messages.ACCOUNT_UPDATE.hash(body)
    assert alice.order(2).code == 104005
    assert alice.withdrawal(6).code == 104005
    alice.private = new.private
    taken(alice.order(2))
    taken(alice.withdrawal(6))
    taken(alice.transfer(bob.id, nonce=2))
    # A key that is no point of the curve is none that anybody can have signed.
    no_point = alice.update_body("0x1", "0x2", nonce=3)
    assert alice.post(UPDATE, no_point, alice.ecdsa(owner.ACCOUNT_UPDATE, body)).code == 104005


def test_an_nft_from_mint_to_layer_1(relayer: Relayer) -> None:
    """Minted, transferred, its contract deployed, withdrawn; every hash is the one that the client computes."""
    carol, bob = signer(relayer, "carol"), signer(relayer, "bob")
    mint = carol.mint_body(NFT_ID, 1)
    assert carol.post(MINT, mint).code == 104004
    minted = taken(carol.mint(mint))
    assert int(minted["hash"], 16) == messages.MINT.hash(mint)
    raw = minted["raw_data"]
    assert int(raw["nftData"], 16) == nft.data_of_mint(mint)

    move = carol.nft_move_body(raw, bob.id, 2)
    signed = {**move, "eddsaSignature": carol.eddsa(messages.TRANSFER, move)}
    assert bob.post(NFT_TRANSFER, signed).code != 0
    moved = taken(carol.post(NFT_TRANSFER, signed, carol.ecdsa(owner.TRANSFER, move)))
    assert int(moved["hash"], 16) == messages.TRANSFER.hash(move)

    deployment = carol.deployment_body(raw["nftData"], 3)
    assert bob.deployment(deployment).code != 0
    deployed = taken(carol.deployment(deployment))
    assert int(deployed["hash"], 16) == messages.TRANSFER.hash(deployment["transfer"])
    advance(relayer, "15s")

    out = bob.nft_move_body(raw, bob.id, 4, amount="1")
    assert bob.post(NFT_WITHDRAWAL, {**out, "eddsaSignature": carol.eddsa(messages.WITHDRAWAL, out)}).code == 104005
    gone = taken(bob.post(NFT_WITHDRAWAL, out, bob.ecdsa(owner.WITHDRAWAL, out, "03")))
    assert int(gone["hash"], 16) == messages.WITHDRAWAL.hash(out)


def test_a_header_for_another_address_is_wrong(relayer: Relayer) -> None:
    """A deployment is signed with the address that the client was given: scheme, host, world and path."""
    carol = signer(relayer, "carol")
    raw = taken(carol.mint(carol.mint_body(NFT_ID, 1)))["raw_data"]
    deployment = carol.deployment_body(raw["nftData"], 3)
    right = carol.base
    for base in (right + "/w/other", right.replace("http:", "https:"), "http://localhost:1"):
        carol.base = base
        assert carol.deployment(deployment).code == 104005
    carol.base = right
    taken(carol.deployment(deployment))
