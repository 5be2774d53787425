"""Typed data of the layer-1 chain (EIP-712): hashes of structs within a domain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from mockrelay.signing.hashes import keccak256

DOMAIN_NAME = "Loopring Protocol"
DOMAIN_VERSION = "3.6.0"
_UINT = "uint"


@dataclass(frozen=True, slots=True)
class Struct:
    """A type: its name and its members, each a type (address, uintN or bytes) and a name, in order."""

    name: str
    members: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        """The encoded type, which is hashed."""
        return f"{self.name}({','.join(f'{type_} {name}' for type_, name in self.members)})"


DOMAIN = Struct(
    "EIP712Domain",
    (("string", "name"), ("string", "version"), ("uint256", "chainId"), ("address", "verifyingContract")),
)


def struct_hash(struct: Struct, values: Sequence[int | bytes]) -> bytes:
    """The 32-byte hash of a struct with these values: whole numbers for address and uintN, bytes for bytes and string.

    Raises ValueError for a number that its type cannot hold, or a value of the wrong kind.
    """
    words = (_word(type_, name, value) for (type_, name), value in zip(struct.members, values, strict=True))
    return keccak256(_type_hash(struct) + b"".join(words))


@lru_cache(maxsize=64)
def domain_separator(chain_id: int, exchange: int) -> bytes:
    """The 32-byte hash of the domain of an exchange contract (its address as a number) on a chain."""
    return struct_hash(DOMAIN, (DOMAIN_NAME.encode(), DOMAIN_VERSION.encode(), chain_id, exchange))


def typed_hash(separator: bytes, hash_of_struct: bytes) -> bytes:
    """The 32-byte hash that is signed for a struct in a domain."""
    return keccak256(b"\x19\x01" + separator + hash_of_struct)


@lru_cache(maxsize=32)
def _type_hash(struct: Struct) -> bytes:
    return keccak256(struct.text.encode())


def _word(type_: str, name: str, value: int | bytes) -> bytes:
    if isinstance(value, bytes) != (type_ in ("bytes", "string")):
        raise ValueError(f"{name} is not of the type {type_}")
    if isinstance(value, bytes):
        return keccak256(value)
    bits = int(type_.removeprefix(_UINT)) if type_.startswith(_UINT) else 160
    if not 0 <= value < 1 << bits:
        raise ValueError(f"{name} does not fit into the type {type_}")
    return value.to_bytes(32, "big")
