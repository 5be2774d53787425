"""The curve secp256k1 in plain Python, for platforms on which the library does not install.

Points are (X, Y, Z) with x = X / Z², y = Y / Z³ on y² = x³ + 7; Z = 0 is the neutral point.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from hashlib import sha256

from mockrelay.signing.parameters import LAYER1_ORDER as ORDER

_P = 2**256 - 2**32 - 977
_Point = tuple[int, int, int]
_NEUTRAL: _Point = (0, 1, 0)
_BASE: _Point = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
    1,
)
_WINDOW = 4
_WINDOW_STARTS = range(256 - _WINDOW, -1, -_WINDOW)


class PlainBackend:
    """Arithmetic on Python integers (see `secp256k1.Backend`)."""

    recover_ms = 3.0

    def public_key(self, secret: bytes) -> bytes:
        """The public key of a secret."""
        x, y = _affine(_multiply((int.from_bytes(secret, "big"), _BASE)))
        return x.to_bytes(32, "big") + y.to_bytes(32, "big")

    def sign(self, digest: bytes, secret: bytes) -> bytes:
        """The signature, 65 bytes."""
        key, message = int.from_bytes(secret, "big"), int.from_bytes(digest, "big")
        for nonce in _nonces(digest, secret):
            x, y = _affine(_multiply((nonce, _BASE)))
            s = pow(nonce, -1, ORDER) * (message + x * key) % ORDER
            # x above the order, which v cannot express, or s = 0 happen once in 2^127 signatures: take the next nonce.
            if x < ORDER and s:
                flip = s > ORDER // 2
                return x.to_bytes(32, "big") + (ORDER - s if flip else s).to_bytes(32, "big") + bytes((y % 2 ^ flip,))
        raise AssertionError("nonces do not end")

    def recover(self, digest: bytes, signature: bytes) -> bytes | None:
        """The public key, if there is one: the sum of (s / r) * R and (-digest / r) * BASE."""
        r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:64], "big")
        square = (pow(r, 3, _P) + 7) % _P
        y = pow(square, (_P + 1) // 4, _P)
        if y * y % _P != square:
            return None
        if y % 2 != signature[64]:
            y = _P - y
        inverse = pow(r, -1, ORDER)
        message = int.from_bytes(digest, "big")
        key = _multiply((s * inverse % ORDER, (r, y, 1)), (-message * inverse % ORDER, _BASE))
        if key[2] == 0:
            return None
        return b"".join(coordinate.to_bytes(32, "big") for coordinate in _affine(key))


def _nonces(digest: bytes, secret: bytes) -> Iterator[int]:
    """The nonces of RFC 6979 for key and digest, with HMAC-SHA256, in order."""
    seed = secret + (int.from_bytes(digest, "big") % ORDER).to_bytes(32, "big")
    value, key = b"\x01" * 32, bytes(32)
    for step in (b"\x00", b"\x01"):
        key = hmac.digest(key, value + step + seed, sha256)
        value = hmac.digest(key, value, sha256)
    while True:
        value = hmac.digest(key, value, sha256)
        if 0 < (nonce := int.from_bytes(value, "big")) < ORDER:
            yield nonce
        key = hmac.digest(key, value + b"\x00", sha256)
        value = hmac.digest(key, value, sha256)


def _multiply(*terms: tuple[int, _Point]) -> _Point:
    """The sum of scalar * point, four bits at a time; the doublings are shared."""
    tables = []
    for scalar, point in terms:
        multiples = [_NEUTRAL]
        for _ in range((1 << _WINDOW) - 1):
            multiples.append(_add(multiples[-1], point))
        tables.append((scalar, multiples))
    total = _NEUTRAL
    for start in _WINDOW_STARTS:
        for _ in range(_WINDOW):
            total = _double(total)
        for scalar, multiples in tables:
            total = _add(total, multiples[scalar >> start & (1 << _WINDOW) - 1])
    return total


def _double(point: _Point) -> _Point:
    x, y, z = point
    yy = y * y % _P
    s = 4 * x * yy % _P
    m = 3 * x * x % _P
    doubled = (m * m - 2 * s) % _P
    return doubled, (m * (s - doubled) - 8 * yy * yy) % _P, 2 * y * z % _P


def _add(left: _Point, right: _Point) -> _Point:
    (x1, y1, z1), (x2, y2, z2) = left, right
    if not z1:
        return right
    if not z2:
        return left
    zz1, zz2 = z1 * z1 % _P, z2 * z2 % _P
    u1, u2 = x1 * zz2 % _P, x2 * zz1 % _P
    s1, s2 = y1 * zz2 * z2 % _P, y2 * zz1 * z1 % _P
    h, r = (u2 - u1) % _P, (s2 - s1) % _P
    if not h:
        return _NEUTRAL if r else _double(left)
    hh = h * h % _P
    hhh, v = h * hh % _P, u1 * hh % _P
    x = (r * r - hhh - 2 * v) % _P
    return x, (r * (v - x) - s1 * hhh) % _P, h * z1 * z2 % _P


def _affine(point: _Point) -> tuple[int, int]:
    inverse = pow(point[2], -1, _P)
    square = inverse * inverse % _P
    return point[0] * square % _P, point[1] * square * inverse % _P
