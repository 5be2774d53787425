"""What the owner signs: the published hashes and signatures in all forms, texts of gen-2 transfers, changed bits."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mockrelay.signing import owner
from mockrelay.signing.curve import Point, negative
from mockrelay.signing.eip712 import DOMAIN, Struct, domain_separator, struct_hash
from mockrelay.signing.fields import Unreadable
from mockrelay.signing.hashes import keccak256
from mockrelay.signing.owner import TypedRequest, digests_of, is_signed_by, packed_key, personal_hash, sign_typed
from mockrelay.signing.parameters import SNARK_FIELD as P
from mockrelay.signing.wire_forms import Layer1Signature, layer1_text, read_layer1
from tests.signing.bodies import BODIES, TYPED, at, changed, flipped
from tests.signing.vectors import CHAIN_ID, EXCHANGE, KEY, LAYER1_KEY, OWNER, load, number

EXCHANGE_NUMBER = int(EXCHANGE, 16)
VECTORS = [vector for vector in load("requests_v3")["vectors"] if "ecdsa" in vector]
REQUESTS = {"transfer": owner.TRANSFER, "withdrawal": owner.WITHDRAWAL}
GEN2 = next(vector for vector in load("requests_v2")["vectors"] if vector["kind"] == "v2transfer")


def typed_hash(request: TypedRequest, body: dict[str, Any]) -> bytes:
    return request.hash(body, CHAIN_ID, EXCHANGE_NUMBER)


def read(text: str) -> Layer1Signature:
    signature = read_layer1(text)
    assert signature is not None
    return signature


def test_the_published_domain() -> None:
    assert keccak256(DOMAIN.text.encode()).hex() == "8b73c3c69bb8fe3d512ecc4cf759cc79239f7b179b0ffacaa9a75d522b39400f"
    assert "0x" + domain_separator(CHAIN_ID, EXCHANGE_NUMBER).hex() == load("requests_v3")["domainSeparator"]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["kind"])
def test_published_typed_hashes_and_signatures_in_both_directions(vector: dict[str, Any]) -> None:
    hash_ = typed_hash(REQUESTS[vector["kind"]], vector["request"])
    published = vector["ecdsa"]
    assert "0x" + hash_.hex() == published["eip712Hash"]
    for suffix, name in (("02", "sig_eip712_02"), ("03", "sig_personal_03")):
        assert layer1_text(sign_typed(LAYER1_KEY, hash_, suffix)) == published[name]
        signature = read(published[name])
        assert signature.suffix == suffix
        assert is_signed_by(published["signer"], signature, digests_of(hash_))


@pytest.mark.parametrize("suffix", ["", "02", "03"])
def test_the_suffix_may_be_missing_or_wrong(suffix: str) -> None:
    """Both ways to sign are tried whatever it says."""
    hash_ = typed_hash(owner.TRANSFER, BODIES["transfer"][1])
    for way in ("02", "03"):
        signature = sign_typed(LAYER1_KEY, hash_, way)._replace(suffix=suffix)
        assert is_signed_by(OWNER, read(layer1_text(signature)), digests_of(hash_))


def test_a_signature_without_suffix_is_of_the_hash_itself() -> None:
    assert sign_typed(LAYER1_KEY, bytes(32), "").rsv == sign_typed(LAYER1_KEY, bytes(32), "02").rsv


def test_the_published_nft_withdrawal() -> None:
    vector = next(vector for vector in load("nft")["requests"] if vector["kind"] == "nftWithdrawal")
    assert "0x" + typed_hash(owner.WITHDRAWAL, vector["request"]).hex() == vector["eip712Hash"]


def test_an_account_update_put_together_by_hand() -> None:
    type_ = (
        b"AccountUpdate(address owner,uint32 accountID,uint16 feeTokenID,uint96 maxFee,uint256 publicKey,"
        b"uint32 validUntil,uint32 nonce)"
    )
    numbers = (int(OWNER, 16), 10001, 1, 1920000000000, KEY.y, 1900000000, 3)
    struct = keccak256(keccak256(type_) + b"".join(value.to_bytes(32, "big") for value in numbers))
    expected = keccak256(b"\x19\x01" + domain_separator(CHAIN_ID, EXCHANGE_NUMBER) + struct)
    assert typed_hash(owner.ACCOUNT_UPDATE, BODIES["account update"][1]) == expected


def test_the_packed_key_has_its_highest_bit_where_x_is_above_half() -> None:
    for vector in load("keys")["vectors"]:
        key = Point(number(vector["publicKeyX"]), number(vector["publicKeyY"]))
        assert packed_key(key) == number(vector["packedPublicKey"])
    assert packed_key(Point(P // 2, 5)) == 5
    assert packed_key(Point(P // 2 + 1, 5)) == 2**255 + 5
    assert packed_key(KEY) ^ packed_key(negative(KEY)) == 2**255


PLACES = [(kind, path) for kind, (_, paths) in TYPED.items() for path in paths]


@pytest.mark.parametrize(("kind", "path"), PLACES)
@settings(max_examples=4)
@given(st.integers(0, 255))
def test_one_flipped_bit_in_any_member_is_refused(kind: str, path: str, bit: int) -> None:
    request, _ = TYPED[kind]
    body = BODIES[kind][1]
    signature = sign_typed(LAYER1_KEY, typed_hash(request, body), "02")
    try:
        wrong = typed_hash(request, changed(body, path, flipped(at(body, path), bit)))
    except Unreadable:
        return
    assert not is_signed_by(OWNER, signature, digests_of(wrong))


def test_one_flipped_bit_in_any_place_of_the_signature_is_refused() -> None:
    hash_ = typed_hash(owner.TRANSFER, BODIES["transfer"][1])
    signature = sign_typed(LAYER1_KEY, hash_, "02")
    for bit in range(8 * len(signature.rsv)):
        rsv = bytearray(signature.rsv)
        rsv[bit // 8] ^= 1 << bit % 8
        assert not is_signed_by(OWNER, signature._replace(rsv=bytes(rsv)), digests_of(hash_))


def test_another_chain_another_exchange_and_another_owner_are_refused() -> None:
    body = BODIES["transfer"][1]
    hash_ = typed_hash(owner.TRANSFER, body)
    signature = sign_typed(LAYER1_KEY, hash_, "02")
    assert is_signed_by(OWNER.upper().replace("X", "x"), signature, digests_of(hash_))
    assert not is_signed_by(body["payeeAddr"], signature, digests_of(hash_))
    for chain, exchange in ((CHAIN_ID + 1, EXCHANGE_NUMBER), (CHAIN_ID, EXCHANGE_NUMBER + 1)):
        assert not is_signed_by(OWNER, signature, digests_of(owner.TRANSFER.hash(body, chain, exchange)))


def test_a_number_that_its_type_cannot_hold_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="amount does not fit into the type uint96"):
        typed_hash(owner.TRANSFER, changed(BODIES["transfer"][1], "token.volume", str(2**96)))
    with pytest.raises(Unreadable, match=r"owner: absent"):
        typed_hash(owner.ACCOUNT_UPDATE, changed(BODIES["account update"][1], "owner", None))
    with pytest.raises(Unreadable, match="extraData"):
        typed_hash(owner.WITHDRAWAL, changed(BODIES["withdrawal"][1], "extraData", "abc"))


def test_a_new_key_that_is_none_is_unreadable() -> None:
    """Its packed form would not tell one x from another."""
    with pytest.raises(Unreadable, match="publicKey: is not on the curve"):
        typed_hash(owner.ACCOUNT_UPDATE, changed(BODIES["account update"][1], "publicKey.x", "0x1"))


def test_a_struct_takes_bytes_where_they_are_due_and_numbers_elsewhere() -> None:
    for type_, value in (("bytes", 1), ("uint8", b""), ("uint8", 256), ("address", 2**160)):
        with pytest.raises(ValueError, match="the type"):
            struct_hash(Struct("S", ((type_, "member"),)), (value,))


def test_the_published_gen_2_transfer() -> None:
    published = GEN2["xApiSig"]
    assert owner.transfer_v2_texts(GEN2["request"])[0] == published["personalMessage"]
    assert "0x" + owner.sign_text(LAYER1_KEY, published["personalMessage"]).hex() == published["signature"]
    digests = owner.transfer_v2_digests(GEN2["request"])
    assert is_signed_by(published["signer"], read(published["signature"]), digests)


def test_older_forms_of_the_gen_2_transfer_are_taken() -> None:
    """Without memo, and with a second blank after the colon."""
    body = GEN2["request"]
    json_text = GEN2["xApiSig"]["json"]
    without_memo = json_text.replace(',"memo":""', "")
    assert without_memo != json_text
    usual, older = (sha256(text.encode()).hexdigest() for text in (json_text, without_memo))
    begin = "Sign this message to authorize Loopring Pay:"
    expected = (f"{begin} 0x{usual}", f"{begin} 0x{older}", f"{begin}  0x{usual}", f"{begin}  0x{older}")
    assert owner.transfer_v2_texts(body) == expected
    assert owner.transfer_v2_texts(changed(body, "memo", None)) == expected
    for text in expected:
        signature = Layer1Signature(owner.sign_text(LAYER1_KEY, text), "")
        assert is_signed_by(OWNER, signature, owner.transfer_v2_digests(body))


@pytest.mark.parametrize("path", ["exchangeId", "sender", "receiver", "token", "amount", "tokenF", "amountF", "label"])
def test_every_field_of_a_gen_2_transfer_counts(path: str) -> None:
    body = GEN2["request"]
    other = changed(body, path, flipped(at(body, path), 0))
    assert not set(owner.transfer_v2_digests(body)) & set(owner.transfer_v2_digests(other))


def test_memos_of_any_text_can_be_signed() -> None:
    texts = {owner.transfer_v2_texts({**GEN2["request"], "memo": memo})[0] for memo in ("é", "\ud800", '"', "x" * 9999)}
    assert len(texts) == 4


def test_a_gen_2_transfer_without_a_field_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="nonce: absent"):
        owner.transfer_v2_texts(changed(GEN2["request"], "nonce", None))


def test_a_known_personal_message() -> None:
    expected = "a1de988600a42c4b4ab089b619297c17d53cffae5d5120d82d8a92d0bb3b78f2"
    assert personal_hash(b"Hello World").hex() == expected
