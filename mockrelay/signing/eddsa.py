"""Layer-2 signatures: EdDSA over the curve, with Poseidon as the hash of the challenge.

With the private key k and the public key A = k * BASE, a signature of m is a point R and a number s with
s * BASE = R + t * A, where t is the hash of R, A and m. Two families of clients differ in how they derive the nonce r of
R = r * BASE, and in the modulus of s = r + k * t; both are verified by the same rule.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import lru_cache
from hashlib import sha512
from typing import NamedTuple

from mockrelay.signing.blake512 import blake512
from mockrelay.signing.curve import (
    BASE,
    COFACTOR,
    Point,
    is_in_subgroup,
    is_on_curve,
    is_small,
    multiply,
    negative,
)
from mockrelay.signing.field import is_element
from mockrelay.signing.parameters import LAYER2_ORDER as SUBGROUP_ORDER
from mockrelay.signing.parameters import SNARK_FIELD as P
from mockrelay.signing.poseidon import poseidon

_CHALLENGE_WIDTH = 6
_CHALLENGE_ROUNDS = 52


class Signature(NamedTuple):
    """A point R and a number s, integers. Signers give them from 0 to P - 1 (s below 8 * the order)."""

    rx: int
    ry: int
    s: int


class Family(StrEnum):
    """The family of clients whose way of signing is followed; both are deterministic."""

    PYTHON = "python"
    """The nonce is a SHA-512 of key and message; s is reduced by the order of the whole curve, so it is mostly above
    the order of the subgroup."""
    JAVASCRIPT = "javascript"
    """The nonce is a BLAKE-512 of half the hashed key and the message; s is reduced by the order of the subgroup."""


def public_key(private_key: int) -> Point:
    """The point that belongs to a private key, which is from 1 to the order of the subgroup, exclusive.

    Raises ValueError for a number outside.
    """
    if not 0 < private_key < SUBGROUP_ORDER:
        raise ValueError("a private key is above 0 and below the order of the subgroup")
    return _public_key(private_key)


def sign(private_key: int, message: int, family: Family = Family.PYTHON) -> Signature:
    """The signature that this family of clients makes of a message.

    The message is from 0 to 2^256 - 1. It counts modulo P, but the nonce is derived from it unreduced: a client that does
    not reduce a hash gets another, equally valid signature. Raises ValueError outside these ranges.
    """
    if not 0 <= message < 1 << 256:
        raise ValueError("a message is a number of at most 256 bits")
    key = public_key(private_key)
    nonce = _NONCES[family](private_key.to_bytes(32, "little"), message.to_bytes(32, "little"))
    point = multiply((nonce, BASE))
    s = nonce + private_key * _challenge(point, key, message)
    modulus = SUBGROUP_ORDER * (COFACTOR if family is Family.PYTHON else 1)
    return Signature(point.x, point.y, s % modulus)


def verify(key: Point, message: int, signature: Signature) -> bool:
    """Whether this is the key's signature of the message; never raises, whatever the numbers are."""
    return why_wrong(key, message, signature) is None


def why_wrong(key: Point, message: int, signature: Signature) -> str | None:
    """None for a valid signature, otherwise what is wrong with it, in one phrase; never raises.

    The message counts modulo P. Every s below P is accepted, however it was reduced.
    """
    if (problem := why_invalid_key(key)) is not None:
        return f"the public key {problem}"
    point, s = Point(signature.rx, signature.ry), signature.s
    if (problem := _why_invalid_point(point)) is not None:
        return f"the signature's point R {problem}"
    if not is_element(s) or s == 0:
        return "the signature's s is not above 0 and below the field's prime"
    # BASE and the key are in the subgroup, so scalars can be reduced by its order.
    challenge = _challenge(point, key, message)
    if multiply((s % SUBGROUP_ORDER, BASE), (-challenge % SUBGROUP_ORDER, key)) != point:
        return "the signature does not belong to this message and key"
    return None


def verifier_of(signature: Signature) -> Callable[[Point, int], bool] | None:
    """`verify` for one signature and many keys and messages, in two thirds of its time: a function of key and message.

    None where the signature cannot be valid for any of them.
    """
    point, s = Point(signature.rx, signature.ry), signature.s
    if _why_invalid_point(point) is not None or not is_element(s) or s == 0:
        return None
    rest = multiply((s % SUBGROUP_ORDER, BASE), (1, negative(point)))

    def is_signed_by(key: Point, message: int) -> bool:
        if why_invalid_key(key) is not None:
            return False
        return multiply((_challenge(point, key, message) % SUBGROUP_ORDER, key)) == rest

    return is_signed_by


@lru_cache(maxsize=256)
def why_invalid_key(key: Point) -> str | None:
    """None for a point that can be a public key, otherwise a phrase to follow "the public key"; never raises."""
    problem = _why_invalid_point(key)
    if problem is None and not is_in_subgroup(key):
        return "lies outside the subgroup of prime order"
    return problem


def _why_invalid_point(point: Point) -> str | None:
    if not (is_element(point.x) and is_element(point.y)):
        return "has a coordinate that is not below the field's prime"
    if not is_on_curve(point):
        return "is not on the curve"
    if is_small(point):
        return "is one of the eight points of small order"
    return None


def _challenge(point: Point, key: Point, message: int) -> int:
    return poseidon((*point, *key, message % P), _CHALLENGE_WIDTH, _CHALLENGE_ROUNDS)


def _python_nonce(key: bytes, message: bytes) -> int:
    return int.from_bytes(sha512(key + message).digest(), "little") % SUBGROUP_ORDER


def _javascript_nonce(key: bytes, message: bytes) -> int:
    return int.from_bytes(blake512(blake512(key)[32:] + message), "little") % SUBGROUP_ORDER


_NONCES = {Family.PYTHON: _python_nonce, Family.JAVASCRIPT: _javascript_nonce}


@lru_cache(maxsize=256)
def _public_key(private_key: int) -> Point:
    return multiply((private_key, BASE))
