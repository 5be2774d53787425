"""Signatures and keys that no client sends: each is a wrong signature, in time, and nothing has happened."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from mockrelay.core.accounts.keys import signing_keys
from mockrelay.relay import Relay
from mockrelay.signing import messages, owner
from mockrelay.signing.parameters import LAYER2_ORDER as SUBGROUP_ORDER
from mockrelay.signing.parameters import SNARK_FIELD as P
from tests.conformance.signed_vectors import PROTOCOL
from tests.flows.signed_client import DEPLOY, Signer
from tests.flows.test_signed_flow import pure
from tests.signing.small_points import OUTSIDE, SMALL
from tests.support.answer import Answer
from tests.support.client import digest, done
from tests.support.worlds import relay_from

LONG = "7" * 10_000
OFF_CURVE = (2, 3)
R = (SMALL[1].x, SMALL[1].y)
POINTS = [OFF_CURVE, (0, 0), *((point.x, point.y) for point in [*SMALL, *OUTSIDE]), (P - 1, P - 1)]
SIZES = [0, 1, SUBGROUP_ORDER - 1, SUBGROUP_ORDER, 8 * SUBGROUP_ORDER, P - 1, P, 2**256 - 1]


def hex_signatures() -> Iterator[str]:
    """EdDSA in hex: parts of every kind, and texts that are none."""
    for x, y in POINTS:
        yield f"0x{x:064x}{y:064x}{1:064x}"
    for s in SIZES:
        yield f"0x{R[0]:064x}{R[1]:064x}{s:064x}"
    yield from (
        "0x",
        "0x" + "f" * 192,
        "0x" + "1" * 191,
        "0x" + LONG,
        "1" * 194,
        "0X" + "1" * 192,
        "0x" + "٣" * 192,
        "x",
    )


def layer1_signatures() -> Iterator[str]:
    """ECDSA: r, s and v of every kind, and texts that are none."""
    n = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
    for r, s, v in (
        (0, 1, 27),
        (1, 0, 27),
        (n, 1, 27),
        (1, n, 28),
        (2**256 - 1, 2**256 - 1, 0),
        (1, 1, 99),
        (5, 1, 27),
    ):
        yield f"0x{r:064x}{s:064x}{v:02x}"
        yield f"0x{r:064x}{s:064x}{v:02x}02"
    yield from (
        "0x",
        "0x" + "1" * 129,
        "0x" + "1" * 131,
        "0x" + LONG,
        "1" * 132,
        "0x" + "1" * 130 + "04",
        "1,2,3",
        LONG,
    )


DECIMALS = [
    "1",
    str(P - 1),
    str(P),
    str(SUBGROUP_ORDER),
    "9" * 78,
    "9" * 79,
    LONG,
    "-1",
    "0x1",
    "1e3",
    "٣",
    "0" * 77 + "1",
]


@pytest.fixture(scope="module")
def relay() -> Relay:
    return relay_from(choices=PROTOCOL)


@pytest.fixture(scope="module")
def alice(relay: Relay) -> Signer:
    found = signing_keys(relay.world, relay.world.accounts[10001])
    assert found.eddsa_private is not None
    assert found.layer1_private is not None
    return Signer(pure(relay), "alice", found.eddsa_private, found.layer1_private)


@pytest.fixture(autouse=True)
def _nothing_happens(relay: Relay) -> Iterator[None]:
    before = digest(relay)
    yield
    assert digest(relay) == before
    assert done(relay, "GET", "problems") == []


def wrong(answer: Answer) -> bool:
    """Whether it was refused as a wrong signature."""
    assert answer.status in (200, 400), answer.body
    return answer.code == 104005


@pytest.mark.parametrize("part", ["signatureRx", "signatureRy", "signatureS"])
@pytest.mark.parametrize("text", DECIMALS, ids=lambda text: str(text)[:20])
def test_decimal_parts(alice: Signer, part: str, text: str) -> None:
    body = alice.order_body(0)
    signed = {**body, **alice.parts(messages.ORDER_V2, body), part: text}
    assert wrong(alice.post("/api/v3/order", signed))
    moved = alice.transfer_body(10002, 0)
    header = "0x" + owner.sign_text(alice.layer1, owner.transfer_v2_texts(moved)[0]).hex()
    assert wrong(
        alice.post("/api/v2/transfer", {**moved, **alice.parts(messages.TRANSFER_V2, moved), part: text}, header)
    )


@pytest.mark.parametrize("part", ["signatureRx", "signatureRy", "signatureS"])
def test_zero_is_no_signature(alice: Signer, part: str) -> None:
    """Blank and zero are codes of their own for a gen-2 part."""
    body = alice.order_body(0)
    for text in ("0", "000", ""):
        assert alice.post("/api/v3/order", {**body, **alice.parts(messages.ORDER_V2, body), part: text}).code == 104004


@pytest.mark.parametrize("text", tuple(hex_signatures()), ids=lambda text: f"{str(text)[:6]}-{str(text)[-8:]}")
def test_eddsa_in_bodies(alice: Signer, text: str) -> None:
    body = alice.withdrawal_body(1)
    header = alice.ecdsa(owner.WITHDRAWAL, body)
    assert wrong(alice.post("/api/v3/user/withdrawals", {**body, "eddsaSignature": text}, header))
    mint = alice.mint_body(contract(alice), "0x" + "1" * 64, 1)
    assert wrong(alice.post("/api/v3/nft/mint", {**mint, "eddsaSignature": text}))
    deployment = alice.deployment_body("", contract(alice), 3, eddsaSignature=text)
    del deployment["nftData"]
    sent = json.dumps(deployment, separators=(",", ":"))
    assert wrong(alice.post_text(DEPLOY, sent, alice.call_signature("POST", DEPLOY, sent)))


@pytest.mark.parametrize("text", tuple(hex_signatures()), ids=lambda text: f"{str(text)[:6]}-{str(text)[-8:]}")
def test_eddsa_in_headers(alice: Signer, text: str) -> None:
    deployment = alice.deployment_body("", contract(alice), 3)
    del deployment["nftData"]
    if text.isascii():
        assert wrong(alice.post(DEPLOY, deployment, text))
    # Where the spec asks for the owner's signature, no other will do.
    assert wrong(alice.post("/api/v3/user/withdrawals", alice.withdrawal_body(1), text))


@pytest.mark.parametrize("text", tuple(layer1_signatures()), ids=lambda text: f"{str(text)[:6]}-{str(text)[-8:]}")
def test_ecdsa_in_headers_and_bodies(alice: Signer, text: str) -> None:
    body = alice.withdrawal_body(1)
    assert wrong(alice.post("/api/v3/user/withdrawals", body, text))
    signed = {**body, "ecdsaSignature": text}
    assert wrong(alice.post("/api/v3/user/withdrawals", signed, alice.ecdsa(owner.WITHDRAWAL, body)))
    moved = alice.transfer_body(10002, 0)
    assert wrong(alice.post("/api/v2/transfer", {**moved, **alice.parts(messages.TRANSFER_V2, moved)}, text))


@pytest.mark.parametrize("point", POINTS, ids=lambda point: f"{point[0]:x}"[:8])
def test_a_new_key_that_is_none(alice: Signer, point: tuple[int, int]) -> None:
    """Nobody can have signed for it, whatever the header is."""
    usable = alice.update_body(f"{alice_key(alice)[0]:#x}", f"{alice_key(alice)[1]:#x}", 0)
    body = alice.update_body(f"{point[0]:064x}", f"{point[1]:064x}", 0)
    assert wrong(alice.post("/api/v3/account", body, alice.ecdsa(owner.ACCOUNT_UPDATE, usable)))


@pytest.mark.parametrize("value", [5, 1.5, True, ["0x"], {"a": "b"}])
def test_signatures_that_are_no_text(alice: Signer, value: Any) -> None:
    """In bodies whose signature fields the spec does not show, no schema says that they are texts."""
    mint = alice.mint_body(contract(alice), "0x" + "1" * 64, 1)
    for name in ("eddsaSignature", "ecdsaSignature", "hashApproved"):
        assert wrong(alice.post("/api/v3/nft/mint", {**mint, name: value}))


def alice_key(alice: Signer) -> tuple[int, int]:
    """Her public key."""
    told = alice.wire.control("GET", f"accounts/{alice.id}", None)
    return int(told["publicKeyX"], 16), int(told["publicKeyY"], 16)


def contract(alice: Signer) -> str:
    """Her NFT contract."""
    query = {"nftFactory": "0xfac702ee00000000000000000000000000000001", "nftOwner": alice.owner, "nftBaseUri": ""}
    address: str = alice.wire.get("/api/v3/nft/info/computeTokenAddress", **query).json["tokenAddress"]
    return address
