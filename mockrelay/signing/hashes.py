"""Keccak-256, the hash of the layer-1 chain, and checksummed addresses."""

from __future__ import annotations


def keccak256(data: bytes) -> bytes:
    """The 32-byte Keccak-256 hash that the layer-1 chain uses (not NIST's SHA3-256)."""
    # Imported on first use: few runs need it, and all start faster without it.
    from Crypto.Hash import keccak  # noqa: PLC0415

    return keccak.new(digest_bits=256, data=data).digest()


def checksummed(address: bytes) -> str:
    """An address in hex whose letter case is its checksum (EIP-55)."""
    digits = address.hex()
    nibbles = keccak256(digits.encode()).hex()
    return "0x" + "".join(
        digit.upper() if nibble >= "8" else digit for digit, nibble in zip(digits, nibbles, strict=False)
    )
