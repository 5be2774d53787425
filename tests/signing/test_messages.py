"""Messages: the published inputs and hashes, which field stands where, and that every bit of every field counts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mockrelay.signing import messages, nft
from mockrelay.signing.eddsa import Signature, sign, verify
from mockrelay.signing.fields import Unreadable
from mockrelay.signing.messages import MESSAGES, Message, hash_text
from mockrelay.signing.wire_forms import eddsa_hex, read_eddsa
from tests.signing import reference
from tests.signing.bodies import BODIES, COVERED, PAYEE, at, changed, flipped
from tests.signing.vectors import EXCHANGE, KEY, OWNER, PRIVATE, load, number

KINDS: dict[str, Message] = {
    "v2order": messages.ORDER_V2,
    "v2transfer": messages.TRANSFER_V2,
    "order": messages.ORDER,
    "transfer": messages.TRANSFER,
    "withdrawal": messages.WITHDRAWAL,
    "nftMint": messages.MINT,
    "nftWithdrawal": messages.WITHDRAWAL,
    "nftOrderBuy": messages.ORDER,
}
VECTORS = load("requests_v2")["vectors"] + load("requests_v3")["vectors"] + load("nft")["requests"]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["kind"])
def test_published_inputs_and_hashes(vector: dict[str, Any]) -> None:
    message = KINDS[vector["kind"]]
    inputs = message.inputs(vector["request"])
    if "inputs" in vector:
        assert list(map(str, inputs.values())) == vector["inputs"]
    assert len(inputs) + 1 == vector["poseidon"]["t"]
    assert hash_text(message.hash(vector["request"])) == vector["hash"]


@pytest.mark.parametrize(
    "vector", [vector for vector in VECTORS if "eddsaSignature" in vector], ids=lambda vector: vector["kind"]
)
def test_published_signatures_in_both_directions(vector: dict[str, Any]) -> None:
    message = KINDS[vector["kind"]].hash(vector["request"])
    assert eddsa_hex(sign(PRIVATE, message)) == vector["eddsaSignature"]
    signature = read_eddsa(vector["eddsaSignature"])
    assert signature is not None
    assert verify(KEY, message, signature)


EXCHANGE_NUMBER = int(EXCHANGE, 16)
UNPUBLISHED = {
    "gen-2 withdrawal": [2, 10001, 3, 40, 1, 5, 211, 6],
    "account update": [EXCHANGE_NUMBER, 10001, 1, 1920000000000, KEY.x, KEY.y, 1900000000, 3],
    "NFT transfer": [EXCHANGE_NUMBER, 10001, 10002, 32768, 2, 1, 30, int(PAYEE, 16), 0, 0, 1900000000, 9],
}


@pytest.mark.parametrize("kind", UNPUBLISHED)
def test_kinds_without_a_vector_hash_their_fields_in_the_noted_order(kind: str) -> None:
    message, body = BODIES[kind]
    inputs = UNPUBLISHED[kind]
    assert list(message.inputs(body).values()) == inputs
    assert message.hash(body) == reference.poseidon(inputs, len(inputs) + 1, 53)


@pytest.mark.parametrize(
    ("kind", "path", "value"),
    [
        ("transfer", "maxFee", {"tokenId": 0, "volume": "1920000000000"}),
        ("gen-2 order", "allOrNone", None),
        ("gen-2 order", "allOrNone", False),
        ("gen-2 order", "buy", 0),
        ("gen-2 order", "amountS", 500000000000000000000),
        ("gen-2 order", "label", "211"),
        ("NFT order", "taker", None),
        ("transfer", "payeeAddr", PAYEE.lower()),
        ("withdrawal", "extraData", "0xABCD1234"),
    ],
)
def test_another_way_to_write_the_same_is_the_same_message(kind: str, path: str, value: Any) -> None:
    message, body = BODIES[kind]
    assert message.hash(changed(body, path, value)) == message.hash(body)


def test_an_nft_withdrawal_without_gas_and_data_is_one_with_0_and_nothing() -> None:
    """The published body names its fields as an ordinary withdrawal does; the spec's names them as an NFT transfer."""
    vector = next(vector for vector in load("nft")["requests"] if vector["kind"] == "nftWithdrawal")
    sent = dict(vector["request"])
    for ours, theirs in (("accountId", "fromAccountId"), ("owner", "fromAddress"), ("to", "toAddress")):
        sent[theirs] = sent.pop(ours)
    del sent["minGas"], sent["extraData"]
    assert hash_text(messages.WITHDRAWAL.hash(sent)) == vector["hash"]


def test_the_royalty_is_what_the_client_calls_it() -> None:
    message, body = BODIES["mint"]
    assert body["royaltyPercentage"] == 5
    renamed = {**changed(body, "royaltyPercentage", None), "creatorFeeBips": 5}
    assert message.hash(renamed) == message.hash(body)
    assert message.hash({**body, "creatorFeeBips": 6}) == message.hash(body)
    nothing = nft.nft_data(int(OWNER, 16), 0, int(body["tokenAddress"], 16), int(body["nftId"], 16), 0)
    assert message.inputs(changed(body, "royaltyPercentage", None))["nftData"] == nothing


PLACES = [(kind, path) for kind, paths in COVERED.items() for path in paths]


@settings(max_examples=120)
@given(st.sampled_from(PLACES), st.integers(0, 255))
def test_one_flipped_bit_in_any_field_is_refused(place: tuple[str, str], bit: int) -> None:
    kind, path = place
    message, body = BODIES[kind]
    signed: Signature = sign(PRIVATE, message.hash(body))
    other = changed(body, path, flipped(at(body, path), bit))
    try:
        wrong = message.hash(other)
    except Unreadable:
        return
    assert not verify(KEY, wrong, signed)


@pytest.mark.parametrize(("kind", "path"), PLACES)
def test_every_covered_field_counts(kind: str, path: str) -> None:
    message, body = BODIES[kind]
    assert message.hash(changed(body, path, flipped(at(body, path), 0))) != message.hash(body)


HOSTILE: tuple[Any, ...] = (
    *(-1, 1.5, True, "", " 7", "+5", "1e21", "1_000", "\N{SUPERSCRIPT TWO}", "\N{FULLWIDTH DIGIT ONE}", "9" * 10_000),
    *("0x", "0xZZ", "0x123", "\ud800", [], {}, {"tokenId": {}}, 10**400, reference.P),
)


@pytest.mark.parametrize("value", HOSTILE, ids=lambda value: ascii(value)[:12])
@pytest.mark.parametrize("kind", BODIES)
def test_hostile_values_are_unreadable_or_another_message_and_never_another_error(kind: str, value: Any) -> None:
    message, body = BODIES[kind]
    right = message.hash(body)
    for path in COVERED[kind]:
        if at(body, path) is value:
            continue
        try:
            assert message.hash(changed(body, path, value)) != right
        except Unreadable as error:
            assert error.name  # noqa: PT017 - either is as it should be


@pytest.mark.parametrize("kind", BODIES)
def test_a_body_with_nothing_in_it_is_unreadable_and_the_first_field_is_named(kind: str) -> None:
    message, _ = BODIES[kind]
    with pytest.raises(Unreadable, match="absent") as caught:
        message.inputs({})
    assert caught.value.name == message.fields[0].name


def test_a_body_that_is_signed_with_the_call_alone_has_no_message() -> None:
    """Whatever it holds: nothing could be signed, or be taken for signed, in its place."""
    for body in ({}, {"accountId": 10001, "nonce": 0}, *(sent for _, sent in BODIES.values())):
        with pytest.raises(Unreadable, match="is signed with the whole call alone"):
            messages.NOTHING.hash(body)


def test_kinds_have_names_of_their_own() -> None:
    assert len({message.kind for message in MESSAGES}) == len(MESSAGES) == 8


def test_a_hash_has_64_digits_on_the_wire() -> None:
    assert hash_text(10) == "0x" + "0" * 63 + "a"
    assert number(hash_text(10)) == 10
