"""Layer-1 signatures: known values, and that the library and plain integers agree."""

from __future__ import annotations

import sys
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mockrelay.signing import secp256k1
from mockrelay.signing.hashes import keccak256
from mockrelay.signing.parameters import LAYER1_ORDER as ORDER
from mockrelay.signing.secp256k1 import Backend, address_of, recover_address, sign_digest
from mockrelay.signing.secp256k1_native import NativeBackend
from mockrelay.signing.secp256k1_plain import PlainBackend
from tests.signing.vectors import LAYER1_KEY, OWNER

BASE_X = 0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798
DIGEST = sha256(b"Satoshi Nakamoto").digest()
KNOWN = (
    "934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d8"
    "2442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5"
)
"""The signature of the digest by the private key 1, as test suites for RFC 6979 give it."""


@pytest.fixture(params=[NativeBackend, PlainBackend])
def either(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Backend:
    chosen: Backend = request.param()
    monkeypatch.setattr(secp256k1, "backend", lambda: chosen)
    return chosen


def test_keccak_of_nothing() -> None:
    assert keccak256(b"").hex() == "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"


@pytest.mark.usefixtures("either")
def test_known_addresses() -> None:
    assert address_of(1) == "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"
    assert address_of(LAYER1_KEY) == OWNER.lower()


@pytest.mark.usefixtures("either")
def test_a_known_signature_is_made_and_leads_back_to_its_address() -> None:
    signature = sign_digest(1, DIGEST)
    assert signature[:64].hex() == KNOWN
    assert signature[64] in (27, 28)
    assert recover_address(DIGEST, signature) == address_of(1)


@pytest.mark.usefixtures("either")
def test_v_may_come_without_its_27_and_the_other_half_of_s_with_the_other_v() -> None:
    signature = sign_digest(LAYER1_KEY, DIGEST)
    r, s, v = signature[:32], int.from_bytes(signature[32:64], "big"), signature[64]
    assert recover_address(DIGEST, signature[:64] + bytes((v - 27,))) == OWNER.lower()
    mirrored = r + (ORDER - s).to_bytes(32, "big") + bytes((55 - v,))
    assert s <= ORDER // 2
    assert recover_address(DIGEST, mirrored) == OWNER.lower()


@pytest.mark.usefixtures("either")
def test_what_cannot_be_a_signature_is_nobodys() -> None:
    good = sign_digest(LAYER1_KEY, DIGEST)
    zero, order, most = (value.to_bytes(32, "big") for value in (0, ORDER, 2**256 - 1))
    bad = [good[:-1], good + b"\0", b"", *(good[:64] + bytes((v,)) for v in (2, 26, 29, 255))]
    bad += [part + good[32:] for part in (zero, order, most)]
    bad += [good[:32] + part + good[64:] for part in (zero, order, most)]
    assert [recover_address(DIGEST, signature) for signature in bad] == [None] * len(bad)
    assert recover_address(b"", good) is None
    assert recover_address(DIGEST * 2, good) is None


@pytest.mark.usefixtures("either")
def test_an_r_that_is_no_points_x_and_a_key_at_infinity_are_nobodys() -> None:
    """5 is no x on the curve. With R the base and s the digest, s * R and digest * BASE cancel out."""
    five = (5).to_bytes(32, "big")
    assert recover_address(DIGEST, five + DIGEST + b"\x1b") is None
    assert recover_address(five, BASE_X.to_bytes(32, "big") + five + b"\x1b") is None


@settings(max_examples=40)
@given(st.integers(1, ORDER - 1), st.binary(min_size=32, max_size=32))
def test_both_ways_sign_and_recover_the_same(private: int, digest: bytes) -> None:
    secret = private.to_bytes(32, "big")
    native, plain = NativeBackend(), PlainBackend()
    assert plain.public_key(secret) == native.public_key(secret)
    signature = native.sign(digest, secret)
    assert plain.sign(digest, secret) == signature
    assert plain.recover(digest, signature) == native.recover(digest, signature) == native.public_key(secret)


@settings(max_examples=40)
@given(
    st.integers(1, ORDER - 1), st.integers(1, ORDER - 1), st.sampled_from([0, 1]), st.binary(min_size=32, max_size=32)
)
def test_both_ways_agree_on_any_numbers(r: int, s: int, parity: int, digest: bytes) -> None:
    signature = r.to_bytes(32, "big") + s.to_bytes(32, "big") + bytes((parity,))
    assert PlainBackend().recover(digest, signature) == NativeBackend().recover(digest, signature)


def test_the_library_is_chosen_where_it_is_installed_and_plain_integers_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    choose = secp256k1.backend.__wrapped__
    assert type(choose()).__name__ == "NativeBackend"
    monkeypatch.delitem(sys.modules, "mockrelay.signing.secp256k1_native", raising=False)
    monkeypatch.setitem(sys.modules, "coincurve", None)
    assert type(choose()).__name__ == "PlainBackend"


def test_private_keys_and_digests_outside_their_ranges_are_errors() -> None:
    for private in (0, -1, ORDER):
        with pytest.raises(ValueError, match="layer-1 private key"):
            address_of(private)
    with pytest.raises(ValueError, match="32 bytes"):
        sign_digest(1, b"short")
