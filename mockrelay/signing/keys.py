"""Layer-2 keys, which follow from a text signed with the layer-1 key (signing notes, 8)."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import NamedTuple

from mockrelay.signing.curve import Point
from mockrelay.signing.eddsa import public_key
from mockrelay.signing.moduli import LAYER2_ORDER as SUBGROUP_ORDER
from mockrelay.signing.owner import sign_text

_NONCE = re.compile(r".*with key nonce: ([0-9]{1,10})", re.DOTALL)
# v of a signature, and how other devices write the same.
_OTHER_V = {0x1B: 0x00, 0x1C: 0x01, 0x00: 0x1B, 0x01: 0x1C}


class KeyPair(NamedTuple):
    """A layer-2 key: a private number from 1 to the order of the subgroup, exclusive, and its public point."""

    private: int
    public: Point


def default_seed(exchange: str, key_nonce: int) -> str:
    """The text that is signed for the key of this nonce, where the account stores no keySeed of its own.

    `exchange` is the exchange's address as clients know it; its letter case is part of the text. For a new key the
    nonce is the account's nonce before the update.
    """
    return f"Sign this message to access Loopring Exchange: {exchange} with key nonce: {key_nonce}"


def nonce_of_seed(seed: str) -> int | None:
    """The key nonce that a keySeed ends in, or None: then it is none that the protocol takes."""
    found = _NONCE.fullmatch(seed)
    return None if found is None else int(found[1])


def derive(layer1_key: int, seed: str) -> KeyPair:
    """The layer-2 key of the owner with this layer-1 private key, from a keySeed. Raises ValueError for no such key."""
    return key_of_signature(sign_text(layer1_key, seed))


def key_of_signature(signature: bytes) -> KeyPair:
    """The layer-2 key that the signature (65 bytes) of a keySeed gives: its SHA-256 read from the low end, reduced."""
    private = int.from_bytes(sha256(signature).digest(), "little") % SUBGROUP_ORDER
    return KeyPair(private, public_key(private))


def key_candidates(signature: bytes) -> tuple[KeyPair, ...]:
    """The keys that this signature of a keySeed may have been turned into, the usual one first.

    Devices differ in how they write v, the last byte, and the hash differs with it.
    """
    usual = key_of_signature(signature)
    if signature[-1] not in _OTHER_V:
        return (usual,)
    return usual, key_of_signature(signature[:-1] + bytes((_OTHER_V[signature[-1]],)))
