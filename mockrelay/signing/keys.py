"""Layer-2 keys, which are derived from the signature of a text (the keySeed) by the layer-1 key."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import NamedTuple

from mockrelay.signing.curve import Point
from mockrelay.signing.eddsa import public_key
from mockrelay.signing.owner import sign_text
from mockrelay.signing.parameters import LAYER2_ORDER as SUBGROUP_ORDER

_NONCE = re.compile(r".*with key nonce: ([0-9]{1,10})", re.DOTALL)
# v of a signature, and the same as other devices write it.
_OTHER_V = {0x1B: 0x00, 0x1C: 0x01, 0x00: 0x1B, 0x01: 0x1C}


class KeyPair(NamedTuple):
    """A layer-2 key: a private number from 1 to the order of the subgroup, exclusive, and its public point."""

    private: int
    public: Point


def default_seed(exchange: str, key_nonce: int) -> str:
    """The text that is signed for the key of this nonce, where the account has no keySeed.

    `exchange` is the exchange's address as clients know it; its letter case is part of the text. For a new key the
    nonce is the account's nonce before the update.
    """
    return f"Sign this message to access Loopring Exchange: {exchange} with key nonce: {key_nonce}"


def nonce_of_seed(seed: str) -> int | None:
    """The key nonce at the end of a keySeed; None where it does not end in one, which the protocol does not allow."""
    found = _NONCE.fullmatch(seed)
    return None if found is None else int(found[1])


def derive(layer1_key: int, seed: str) -> KeyPair:
    """The layer-2 key of the owner with this layer-1 private key, from a keySeed. Raises ValueError for a key
    outside its range.
    """
    return key_of_signature(sign_text(layer1_key, seed))


def key_of_signature(signature: bytes) -> KeyPair:
    """The layer-2 key of the signature (65 bytes) of a keySeed: its SHA-256 as a little-endian number, reduced."""
    private = int.from_bytes(sha256(signature).digest(), "little") % SUBGROUP_ORDER
    return KeyPair(private, public_key(private))


def key_candidates(signature: bytes) -> tuple[KeyPair, ...]:
    """The keys that clients may derive from this signature of a keySeed, the usual one first.

    Devices write v, the last byte, in two ways, and the key is a hash over all bytes.
    """
    usual = key_of_signature(signature)
    if signature[-1] not in _OTHER_V:
        return (usual,)
    return usual, key_of_signature(signature[:-1] + bytes((_OTHER_V[signature[-1]],)))
