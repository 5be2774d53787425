"""One client's day, every request of it signed and verified: without a socket, through one, and in a world of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import pytest

from mockrelay.core.accounts.keys import signing_keys
from mockrelay.relay import Relay
from mockrelay.signing import keys, messages, nft, owner
from mockrelay.signing.eddsa import Family
from mockrelay.web import serve
from mockrelay.web.http1 import parse_query
from mockrelay.wire.http import RawRequest
from tests.flows.client import PATIENCE_S
from tests.flows.signed_client import E18, EXCHANGE, Signer, Wire
from tests.support.answer import Answer
from tests.support.client import done
from tests.support.worlds import relay_from

CHOICES = {"signature.scheme": "protocol", "hash.scheme": "protocol"}
HOST = "127.0.0.1:4627"
NFT_ID = "0x" + "0" * 61 + "abc"


def pure(relay: Relay) -> Wire:
    """The way to a relay in this process."""

    def carry(method: str, target: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        path, _, query = target.partition("?")
        pairs = parse_query(query)
        sent = {"host": HOST, **{name.lower(): value for name, value in headers.items()}}
        raw = RawRequest(method, path, target, pairs, sent, body, "http", HOST, "127.0.0.1")
        response = relay.handle(raw, relay.now_ms())
        return Answer(response.status, dict(response.headers), response.body)

    return Wire(f"http://{HOST}", carry, lambda method, path, body: done(relay, method, path, body))


@contextmanager
def through_socket(relay: Relay, prefix: str) -> Iterator[Wire]:
    """The way to a relay behind a socket; `prefix` is empty or names a world."""
    with serve(relay) as serving:
        host = urlsplit(serving.url).netloc
        connection = HTTPConnection(host, timeout=PATIENCE_S)

        def carry(method: str, target: str, body: bytes, headers: Mapping[str, str]) -> Answer:
            connection.request(method, prefix + target, body or None, dict(headers))
            response = connection.getresponse()
            return Answer(response.status, dict(response.getheaders()), response.read())

        def control(method: str, path: str, body: Any) -> Any:
            wanted = b"" if body is None else json.dumps(body).encode()
            answer = carry(method, f"/__mockrelay/{path}", wanted, {"Content-Type": "application/json"})
            assert answer.status == 200, answer.body
            return answer.json

        try:
            yield Wire(serving.url + prefix, carry, control)
        finally:
            connection.close()


@pytest.fixture(params=["without a socket", "through a socket", "in a world"])
def wire(request: pytest.FixtureRequest) -> Iterator[Wire]:
    relay = relay_from(choices=CHOICES)
    if request.param == "without a socket":
        yield pure(relay)
        return
    with through_socket(relay, "/w/mine" if request.param == "in a world" else "") as found:
        yield found


def signer(wire: Wire, name: str) -> Signer:
    """An account of the default scenario with its keys."""
    world = relay_from(choices=CHOICES).world
    account = next(account for account in world.accounts.values() if account.name == name)
    private, layer1 = signing_keys(world, account)
    assert private is not None
    assert layer1 is not None
    return Signer(wire, name, private, layer1)


def taken(answer: Answer) -> Any:
    """What a request that must be taken is answered."""
    assert (answer.status, answer.code) == (200, 0), answer.body
    return answer.json


def test_orders_and_money_and_another_key(wire: Wire) -> None:
    """An order, a transfer, a withdrawal and a key update are taken; the old key is wrong at once, the new one right."""
    alice, bob = signer(wire, "alice"), signer(wire, "bob")
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

    new = keys.derive(alice.layer1, keys.default_seed(EXCHANGE, 1))
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
    assert alice.post("/api/v3/account", no_point, alice.ecdsa(owner.ACCOUNT_UPDATE, body)).code == 104005


def test_an_nft_from_mint_to_layer_1(wire: Wire) -> None:
    """Minted, transferred, its contract deployed, withdrawn; every hash is the one that the client computes."""
    carol, bob = signer(wire, "carol"), signer(wire, "bob")
    contract = wire.get(
        "/api/v3/nft/info/computeTokenAddress", nftFactory=_factory(wire), nftOwner=carol.owner, nftBaseUri=""
    ).json["tokenAddress"]
    mint = carol.mint_body(contract, NFT_ID, 1)
    assert carol.post("/api/v3/nft/mint", mint).code == 104004
    minted = taken(carol.mint(mint))
    assert int(minted["hash"], 16) == messages.MINT.hash(mint)
    raw = minted["raw_data"]
    assert int(raw["nftData"], 16) == nft.data_of_mint(mint)

    move = carol.move_body(raw, bob, 2)
    signed = {**move, "eddsaSignature": carol.eddsa(messages.TRANSFER, move)}
    assert bob.post("/api/v3/nft/transfer", signed).code != 0
    moved = taken(carol.post("/api/v3/nft/transfer", signed, carol.ecdsa(owner.TRANSFER, move)))
    assert int(moved["hash"], 16) == messages.TRANSFER.hash(move)

    deployment = carol.deployment_body(raw["nftData"], contract, 3)
    assert bob.deployment(deployment).code != 0
    deployed = taken(carol.deployment(deployment))
    assert int(deployed["hash"], 16) == messages.TRANSFER.hash(deployment["transfer"])
    wire.advance("15s")

    out = bob.move_body(raw, bob, 4, token={"tokenId": raw["nftTokenId"], "nftData": raw["nftData"], "amount": "1"})
    path = "/api/v3/nft/withdrawal"
    assert bob.post(path, {**out, "eddsaSignature": carol.eddsa(messages.WITHDRAWAL, out)}).code == 104005
    gone = taken(bob.post(path, out, bob.ecdsa(owner.WITHDRAWAL, out, "03")))
    assert int(gone["hash"], 16) == messages.WITHDRAWAL.hash(out)


def test_a_header_for_another_address_is_wrong(wire: Wire) -> None:
    """A deployment is signed with the address that the client was given: scheme, host, world and path."""
    carol = signer(wire, "carol")
    contract = wire.get(
        "/api/v3/nft/info/computeTokenAddress", nftFactory=_factory(wire), nftOwner=carol.owner, nftBaseUri=""
    ).json["tokenAddress"]
    raw = taken(carol.mint(carol.mint_body(contract, NFT_ID, 1)))["raw_data"]
    deployment = carol.deployment_body(raw["nftData"], contract, 3)
    right = carol.wire
    for base in (right.base + "/w/other", right.base.replace("http:", "https:"), "http://localhost:1"):
        carol.wire = right._replace(base=base)
        assert carol.deployment(deployment).code == 104005
    carol.wire = right
    taken(carol.deployment(deployment))


def _factory(wire: Wire) -> str:
    factory: str = wire.control("GET", "state", None)["exchange"]["nftFactory"]
    return factory


def test_what_was_signed_is_what_happens(wire: Wire) -> None:
    """Bob has the one LRC more that alice signed for."""
    alice, bob = signer(wire, "alice"), signer(wire, "bob")

    def free() -> int:
        return int(wire.control("GET", f"accounts/{bob.id}", None)["balances"]["LRC"]["free"])

    before = free()
    taken(alice.transfer(bob.id, nonce=0))
    wire.advance("1s")
    assert free() == before + E18
