"""EdDSA: the published signatures made and verified, both families of clients, and everything that is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mockrelay.signing.curve import BASE, COFACTOR, NEUTRAL, Point, multiply, negative
from mockrelay.signing.eddsa import Family, Signature, public_key, sign, verify, why_invalid_key, why_wrong
from mockrelay.signing.parameters import LAYER2_ORDER as SUBGROUP_ORDER
from mockrelay.signing.parameters import SNARK_FIELD as P
from tests.signing.small_points import OUTSIDE, SMALL
from tests.signing.vectors import KEY, PRIVATE, load, number

VECTORS = load("eddsa")["vectors"]
GEN2 = load("requests_v2")["vectors"]
MESSAGE = 2**200 + 1
SIGNED = sign(PRIVATE, MESSAGE)
PARTS = ("signatureRx", "signatureRy", "signatureS")


def signature(vector: dict[str, Any]) -> Signature:
    return Signature(*(number(vector[name]) for name in ("Rx", "Ry", "s")))


def key(vector: dict[str, Any]) -> Point:
    return Point(number(vector["publicKeyX"]), number(vector["publicKeyY"]))


@pytest.mark.parametrize("vector", VECTORS)
def test_published_signatures_are_right_or_wrong_as_stated(vector: dict[str, Any]) -> None:
    assert verify(key(vector), number(vector["message"]), signature(vector)) is vector["valid"]


@pytest.mark.parametrize("vector", [vector for vector in VECTORS if "note" not in vector])
def test_published_signatures_are_made(vector: dict[str, Any]) -> None:
    private = number(vector["secret"])
    assert public_key(private) == key(vector)
    assert sign(private, number(vector["message"])) == signature(vector)
    assert (signature(vector).s > SUBGROUP_ORDER) is vector["sGreaterThanL"]


@pytest.mark.parametrize("vector", GEN2, ids=lambda vector: vector["kind"])
@pytest.mark.parametrize("family", Family)
def test_both_families_sign_as_published_and_are_verified(vector: dict[str, Any], family: Family) -> None:
    """The JavaScript client's signature stands beside the Python client's."""
    published = vector if family is Family.PYTHON else vector["altSignature"]
    expected = Signature(*(number(published[part]) for part in PARTS))
    assert sign(number(vector["l2PrivateKey"]), number(vector["hashDecimal"]), family) == expected
    assert verify(key(vector), number(vector["hashDecimal"]), expected)


@settings(max_examples=30)
@given(st.integers(1, SUBGROUP_ORDER - 1), st.integers(0, 2**256 - 1), st.sampled_from(Family))
def test_what_is_signed_is_verified(private: int, message: int, family: Family) -> None:
    """Whole hashes too: they count modulo the prime."""
    signed = sign(private, message, family)
    assert why_wrong(public_key(private), message, signed) is None
    assert verify(public_key(private), message % P, signed)
    assert signed.s < SUBGROUP_ORDER * (COFACTOR if family is Family.PYTHON else 1)


def test_every_reduction_of_s_below_the_prime_is_taken() -> None:
    """Seven or eight numbers below the prime are the same modulo the order; with one more or less none is right."""
    smallest = SIGNED.s % SUBGROUP_ORDER
    several = range(smallest, P, SUBGROUP_ORDER)
    assert len(several) in (7, 8)
    for s in several:
        assert verify(KEY, MESSAGE, SIGNED._replace(s=s))
        assert not verify(KEY, MESSAGE, SIGNED._replace(s=s + 1))


BITS = st.integers(0, 253)


@settings(max_examples=60)
@given(st.sampled_from(["rx", "ry", "s", "x", "y", "message"]), BITS, st.sampled_from(Family))
@example("s", 0, Family.PYTHON)
@example("s", 253, Family.JAVASCRIPT)
def test_one_flipped_bit_anywhere_is_refused(part: str, bit: int, family: Family) -> None:
    signed = sign(PRIVATE, MESSAGE, family)
    public, message = KEY, MESSAGE
    if part == "message":
        message ^= 1 << bit
    elif part in Point._fields:
        public = public._replace(**{part: getattr(public, part) ^ 1 << bit})
    else:
        signed = signed._replace(**{part: getattr(signed, part) ^ 1 << bit})
    assert not verify(public, message, signed)


def test_another_key_the_negative_key_and_the_negative_point_are_refused() -> None:
    assert not verify(public_key(2), MESSAGE, SIGNED)
    assert not verify(negative(KEY), MESSAGE, SIGNED)
    assert not verify(KEY, MESSAGE, SIGNED._replace(rx=P - SIGNED.rx))
    assert not verify(KEY, MESSAGE, SIGNED._replace(s=SUBGROUP_ORDER - SIGNED.s % SUBGROUP_ORDER))


@pytest.mark.parametrize("small", SMALL)
def test_points_of_small_order_are_refused_as_key_and_as_r(small: Point) -> None:
    """With the neutral point as key, R = s * BASE would be right for any message."""
    forged = Signature(*multiply((5, BASE)), 5)
    assert why_wrong(small, MESSAGE, forged) == "the public key is one of the eight points of small order"
    reason = why_wrong(KEY, MESSAGE, Signature(*small, SIGNED.s))
    assert reason == "the signature's point R is one of the eight points of small order"


@pytest.mark.parametrize("outside", OUTSIDE)
def test_keys_outside_the_subgroup_are_refused(outside: Point) -> None:
    assert why_invalid_key(outside) == "lies outside the subgroup of prime order"
    assert not verify(outside, MESSAGE, SIGNED)


@pytest.mark.parametrize("outside", OUTSIDE)
def test_r_outside_the_subgroup_is_refused(outside: Point) -> None:
    assert why_wrong(KEY, MESSAGE, Signature(*outside, SIGNED.s)) is not None


ODD_NUMBERS = (-(10**9999), -1, 0, 1, P - 1, P, P + 1, 2**256 - 1, 2**256, 10**9999)


@pytest.mark.parametrize("odd", ODD_NUMBERS, ids=lambda value: f"{value.bit_length()} bits {value < 0}")
def test_odd_numbers_are_refused_in_every_place(odd: int) -> None:
    for part in Signature._fields:
        assert why_wrong(KEY, MESSAGE, SIGNED._replace(**{part: odd})) is not None
    for part in Point._fields:
        assert why_wrong(KEY._replace(**{part: odd}), MESSAGE, SIGNED) is not None
    assert not verify(KEY, odd, SIGNED)


def test_the_reasons_name_what_is_wrong() -> None:
    assert why_wrong(Point(1, 1), MESSAGE, SIGNED) == "the public key is not on the curve"
    assert why_wrong(Point(P, 1), MESSAGE, SIGNED) == (
        "the public key has a coordinate that is not below the field's prime"
    )
    assert why_wrong(KEY, MESSAGE, SIGNED._replace(rx=1)) == "the signature's point R is not on the curve"
    for s in (0, P):
        assert why_wrong(KEY, MESSAGE, SIGNED._replace(s=s)) == (
            "the signature's s is not above 0 and below the field's prime"
        )
    assert why_wrong(KEY, MESSAGE + 1, SIGNED) == "the signature does not belong to this message and key"


def test_private_keys_and_messages_outside_their_ranges_are_errors() -> None:
    for private in (0, -1, SUBGROUP_ORDER):
        with pytest.raises(ValueError, match="private key"):
            sign(private, 1)
    for message in (-1, 2**256):
        with pytest.raises(ValueError, match="at most 256 bits"):
            sign(1, message)


def test_the_neutral_point_is_no_key() -> None:
    assert why_invalid_key(NEUTRAL) is not None
