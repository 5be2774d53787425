"""Signatures and keys that no right client sends: each is a wrong signature, and nothing happens."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from mockrelay.relay import Relay
from mockrelay.signing import messages, owner
from mockrelay.signing.parameters import LAYER2_ORDER as SUBGROUP_ORDER
from mockrelay.signing.parameters import SNARK_FIELD as P
from tests.signing.small_points import OUTSIDE, SMALL
from tests.support.answer import Answer
from tests.support.client import digest, done
from tests.support.signer import DEPLOY, MINT, ORDER, PROTOCOL, TRANSFER, UPDATE, WITHDRAWAL, Signer, signer_of
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


DECIMALS = (
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
)
PARTS = ("signatureRx", "signatureRy", "signatureS")


@pytest.fixture(scope="module")
def relay() -> Relay:
    return relay_from(choices=PROTOCOL)


@pytest.fixture(scope="module")
def alice(relay: Relay) -> Signer:
    return signer_of(relay)


class Right(NamedTuple):
    """Requests with right signatures, each of which is spoilt in one place."""

    order: dict[str, Any]
    transfer: dict[str, Any]
    transfer_header: str
    withdrawal: dict[str, Any]
    withdrawal_header: str
    mint: dict[str, Any]


@pytest.fixture(scope="module")
def right(alice: Signer) -> Right:
    order, transfer, withdrawal = alice.order_body(0), alice.transfer_body(10002, 0), alice.withdrawal_body(1)
    return Right(
        {**order, **alice.parts(messages.ORDER_V2, order)},
        {**transfer, **alice.parts(messages.TRANSFER_V2, transfer)},
        alice.text_signature(transfer),
        withdrawal,
        alice.ecdsa(owner.WITHDRAWAL, withdrawal),
        alice.mint_body("0x" + "1" * 64, 1),
    )


@pytest.fixture(autouse=True)
def _nothing_happens(relay: Relay) -> Iterator[None]:
    before = digest(relay)
    yield
    assert digest(relay) == before
    assert done(relay, "GET", "problems") == []


def is_wrong(answer: Answer) -> bool:
    """Whether it was refused as a wrong signature."""
    assert answer.status in (200, 400), answer.body
    return answer.code == 104005


@pytest.mark.parametrize("text", DECIMALS, ids=lambda text: str(text)[:20])
def test_a_part_that_is_not_of_the_signature_is_104005(alice: Signer, right: Right, text: str) -> None:
    for part in PARTS:
        assert is_wrong(alice.post(ORDER, {**right.order, part: text})), part
        assert is_wrong(alice.post(TRANSFER, {**right.transfer, part: text}, right.transfer_header)), part


@pytest.mark.parametrize("part", PARTS)
def test_a_part_of_zero_or_blank_is_104004(alice: Signer, right: Right, part: str) -> None:
    for text in ("0", "000", ""):
        assert alice.post(ORDER, {**right.order, part: text}).code == 104004


@pytest.mark.parametrize("text", tuple(hex_signatures()), ids=lambda text: f"{str(text)[:6]}-{str(text)[-8:]}")
def test_eddsa_that_is_none_is_104005_in_bodies_and_headers(alice: Signer, right: Right, text: str) -> None:
    """A header asks for the owner's signature at a withdrawal, and for the account's at a deployment."""
    assert is_wrong(alice.post(WITHDRAWAL, {**right.withdrawal, "eddsaSignature": text}, right.withdrawal_header))
    assert is_wrong(alice.post(WITHDRAWAL, right.withdrawal, text))
    assert is_wrong(alice.post(MINT, {**right.mint, "eddsaSignature": text}))
    deployment = alice.deployment_body(None, 3, eddsaSignature=text)
    sent = json.dumps(deployment, separators=(",", ":"))
    assert is_wrong(alice.post_text(DEPLOY, sent, alice.call_signature("POST", DEPLOY, sent)))
    if text.isascii():
        assert is_wrong(alice.post(DEPLOY, alice.deployment_body(None, 3), text))


@pytest.mark.parametrize("text", tuple(layer1_signatures()), ids=lambda text: f"{str(text)[:6]}-{str(text)[-8:]}")
def test_ecdsa_that_is_none_is_104005_in_headers_and_bodies(alice: Signer, right: Right, text: str) -> None:
    assert is_wrong(alice.post(WITHDRAWAL, right.withdrawal, text))
    assert is_wrong(alice.post(WITHDRAWAL, {**right.withdrawal, "ecdsaSignature": text}, right.withdrawal_header))
    assert is_wrong(alice.post(TRANSFER, right.transfer, text))


def test_update_account_to_a_key_that_is_none_is_104005(alice: Signer) -> None:
    """Nobody can have signed for it, whatever the header is."""
    account = done(alice.relayer, "GET", f"accounts/{alice.id}")
    header = alice.ecdsa(owner.ACCOUNT_UPDATE, alice.update_body(account["publicKeyX"], account["publicKeyY"], 0))
    for x, y in POINTS:
        assert is_wrong(alice.post(UPDATE, alice.update_body(f"{x:064x}", f"{y:064x}", 0), header)), (x, y)


@pytest.mark.parametrize("value", [5, 1.5, True, ["0x"], {"a": "b"}])
def test_mint_nft_with_a_signature_that_is_not_text_is_104005(alice: Signer, right: Right, value: Any) -> None:
    """The spec does not show these fields in the body, so no schema says that they are texts."""
    for name in ("eddsaSignature", "ecdsaSignature", "hashApproved"):
        assert is_wrong(alice.post(MINT, {**right.mint, name: value}))
