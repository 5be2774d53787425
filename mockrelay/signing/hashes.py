"""Hash functions of the layer-1 chain."""

from __future__ import annotations


def keccak256(data: bytes) -> bytes:
    """The 32-byte Keccak-256 hash that the layer-1 chain uses (not NIST's SHA3-256)."""
    # Imported on first use: few runs relay a transaction, and all of them start.
    from Crypto.Hash import keccak  # noqa: PLC0415

    return keccak.new(digest_bits=256, data=data).digest()
