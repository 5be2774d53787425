"""Reads and writes signatures as text.

Readers take any text and give None for one that does not have the form; they do not verify.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from mockrelay.signing.eddsa import Signature

_HEX = re.compile(r"0x([0-9a-fA-F]{64})([0-9a-fA-F]{64})([0-9a-fA-F]{64})")
_PART = r"([0-9]{1,78})"
_COMMAS = re.compile(f"{_PART},{_PART},{_PART}")
_DECIMAL = re.compile(_PART)
_LAYER1 = re.compile(r"0x([0-9a-fA-F]{130})(0[23])?")


def read_eddsa(text: str) -> Signature | None:
    """An EdDSA signature in one text: gen-3 hex, or the three decimal numbers of gen-2 with commas."""
    if found := _HEX.fullmatch(text):
        return Signature(*(int(part, 16) for part in found.groups()))
    if found := _COMMAS.fullmatch(text):
        return Signature(*map(int, found.groups()))
    return None


def read_parts(rx: str, ry: str, s: str) -> Signature | None:
    """An EdDSA signature in the three fields of a gen-2 body, each of at most 78 decimal digits."""
    if not all(_DECIMAL.fullmatch(part) for part in (rx, ry, s)):
        return None
    return Signature(int(rx), int(ry), int(s))


def eddsa_hex(signature: Signature) -> str:
    """The gen-3 form: 0x and 192 hex digits, 64 a part."""
    return "0x" + "".join(f"{part:064x}" for part in signature)


def eddsa_commas(signature: Signature) -> str:
    """The gen-2 form of the header: three decimal numbers, joined by commas."""
    return ",".join(map(str, signature))


def eddsa_parts(signature: Signature) -> dict[str, str]:
    """The gen-2 form of a body: three fields."""
    return dict(zip(("signatureRx", "signatureRy", "signatureS"), map(str, signature), strict=True))


class Layer1Signature(NamedTuple):
    """An ECDSA signature, and its suffix, which says what it signs."""

    rsv: bytes
    """r, s and v, 65 bytes."""
    suffix: str
    """`02` the hash itself, `03` the hash as a personal message, empty where the client sends none."""


DIRECT_SUFFIX = "02"
PERSONAL_SUFFIX = "03"


def read_layer1(text: str) -> Layer1Signature | None:
    """An ECDSA signature: 0x and 130 hex digits, with or without a suffix of two more."""
    found = _LAYER1.fullmatch(text)
    return None if found is None else Layer1Signature(bytes.fromhex(found[1]), found[2] or "")


def layer1_text(signature: Layer1Signature) -> str:
    """The form on the wire: 0x, 130 hex digits and the suffix."""
    return f"0x{signature.rsv.hex()}{signature.suffix}"
