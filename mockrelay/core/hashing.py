"""Deterministic hashes of fields, and values derived from a seed where a scenario gives none."""

from __future__ import annotations

from functools import cache
from hashlib import blake2b

from mockrelay.signing.parameters import SNARK_FIELD

_EMPTY = blake2b(digest_size=32)
_DIGITS_MAX = 78
"""Digits of the largest number of 256 bits."""


def fast_hash(kind: str, *fields: object) -> str:
    """A hash of the fields, `0x` and 64 hex digits; not the one that a real relayer computes."""
    return hash_of(_template(kind, len(fields)) % fields)


@cache
def _template(kind: str, fields: int) -> str:
    return kind + "\x1f%s" * fields


def hash_of(text: str) -> str:
    """A hash of the text, `0x` and 64 hex digits."""
    hashed = _EMPTY.copy()
    hashed.update(text.encode("utf-8", "surrogatepass"))
    return "0x" + hashed.hexdigest()


def hash_of_text(text: str) -> str:
    """A hash in hex, of its hex or of the decimal digits of the same number; any other text in lower case."""
    if text.isascii() and text.isdigit() and len(text) <= _DIGITS_MAX:
        return f"0x{int(text):064x}"
    return text.lower()


def seeded_hex(seed: str, kind: str, name: str, size: int) -> str:
    """`0x` and `size` bytes in hex, derived from seed, kind and name."""
    text = f"mockrelay\x1f{seed}\x1f{kind}\x1f{name}"
    return "0x" + blake2b(text.encode(), digest_size=size).hexdigest()


def seeded_field_element(seed: str, kind: str, name: str) -> str:
    """An element of the signature scheme's field, `0x` and 64 hex digits, derived from seed, kind and name."""
    return f"0x{int(seeded_hex(seed, kind, name, 64), 16) % SNARK_FIELD:064x}"


def seeded_number(seed: str, kind: str, name: str, below: int) -> int:
    """A number from 1 to `below`, exclusive, derived from seed, kind and name: a hash of 64 bytes, reduced."""
    return int(seeded_hex(seed, kind, name, 64), 16) % (below - 1) + 1
