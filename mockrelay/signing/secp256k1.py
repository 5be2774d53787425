"""Layer-1 signatures: ECDSA over secp256k1 with recovery of the signer's address.

Computed by the library coincurve where it is installed (the extra `eth`), otherwise in plain Python with the same
results, some 20 times slower. Either is imported on first use.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol

from mockrelay.signing.hashes import keccak256
from mockrelay.signing.parameters import LAYER1_ORDER as ORDER

SIGNATURE_BYTES = 65
_PARITIES = {0: 0, 1: 1, 27: 0, 28: 1}
"""By v: wallets write 27 or 28, some devices 0 or 1."""


class Backend(Protocol):
    """The arithmetic. A public key is 64 bytes, x and y; secrets and digests have 32 bytes."""

    recover_ms: float
    """The time of a recovery, as measured."""

    def public_key(self, secret: bytes) -> bytes:
        """The public key of a secret from 1 to ORDER - 1."""

    def sign(self, digest: bytes, secret: bytes) -> bytes:
        """r, s and the parity of y: 65 bytes. Deterministic (RFC 6979), s in the lower half."""

    def recover(self, digest: bytes, signature: bytes) -> bytes | None:
        """The public key whose signature (r, s and parity, r and s from 1 to ORDER - 1) this is, if there is one."""


def address_of(private_key: int) -> str:
    """The layer-1 address of a private key, 0x and 40 lower-case hex digits. Raises ValueError outside the range."""
    return _address(backend().public_key(_secret(private_key)))


def sign_digest(private_key: int, digest: bytes) -> bytes:
    """The signature of a 32-byte digest: r, s and v (27 or 28), 65 bytes, always the same for the same input."""
    if len(digest) != 32:
        raise ValueError("a digest has 32 bytes")
    signature = backend().sign(digest, _secret(private_key))
    return signature[:64] + bytes((27 + signature[64],))


def recover_address(digest: bytes, signature: bytes) -> str | None:
    """The address whose signature of this 32-byte digest this is, in lower case, or None; never raises.

    Nearly every well-formed signature has some address: with another digest, it is an unrelated one.
    """
    if len(digest) != 32 or len(signature) != SIGNATURE_BYTES or signature[64] not in _PARITIES:
        return None
    parts = (int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:64], "big"))
    if not all(0 < part < ORDER for part in parts):
        return None
    key = backend().recover(digest, signature[:64] + bytes((_PARITIES[signature[64]],)))
    return None if key is None else _address(key)


@lru_cache(maxsize=1)
def backend() -> Backend:
    """The library where it is installed, otherwise plain Python."""
    # Imported on first use: signing on layer 2 alone needs neither.
    try:
        from mockrelay.signing.secp256k1_native import NativeBackend  # noqa: PLC0415

        return NativeBackend()
    except ImportError:
        from mockrelay.signing.secp256k1_plain import PlainBackend  # noqa: PLC0415

        return PlainBackend()


def _secret(private_key: int) -> bytes:
    if not 0 < private_key < ORDER:
        raise ValueError("a layer-1 private key is above 0 and below the order of secp256k1")
    return private_key.to_bytes(32, "big")


def _address(key: bytes) -> str:
    return "0x" + keccak256(key)[-20:].hex()
