"""Names that follow from what they name: hashes of signed fields, and what a seed gives where a scenario is silent."""

from __future__ import annotations

from hashlib import blake2b

from mockrelay.signing.moduli import SNARK_FIELD


def fast_hash(kind: str, *fields: object) -> str:
    """`0x` and 64 hex digits that differ where `kind` or any field does; not what a real relayer computes."""
    return hash_of(kind + "\x1f%s" * len(fields) % fields)


def hash_of(text: str) -> str:
    """`0x` and 64 hex digits that differ where the text does."""
    return "0x" + blake2b(text.encode("utf-8", "surrogatepass"), digest_size=32).hexdigest()


def seeded_hex(seed: str, kind: str, name: str, size: int) -> str:
    """`0x` and `size` bytes in hex, named by a seed, a kind and a name."""
    text = f"mockrelay\x1f{seed}\x1f{kind}\x1f{name}"
    return "0x" + blake2b(text.encode(), digest_size=size).hexdigest()


def seeded_field_element(seed: str, kind: str, name: str) -> str:
    """A number of the field, in hex with 64 digits, named by a seed, a kind and a name."""
    return f"0x{int(seeded_hex(seed, kind, name, 64), 16) % SNARK_FIELD:064x}"


def seeded_number(seed: str, kind: str, name: str, below: int) -> int:
    """A number from 1 to `below`, exclusive, named by a seed, a kind and a name: 64 bytes of hash, reduced."""
    return int(seeded_hex(seed, kind, name, 64), 16) % (below - 1) + 1
