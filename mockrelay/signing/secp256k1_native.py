"""The curve secp256k1 by the library coincurve."""

from __future__ import annotations

from coincurve import PrivateKey, PublicKey


class NativeBackend:
    """Arithmetic by libsecp256k1 (see `secp256k1.Backend`)."""

    recover_ms = 0.1

    def public_key(self, secret: bytes) -> bytes:
        """The public key of a secret."""
        return PrivateKey(secret).public_key.format(compressed=False)[1:]

    def sign(self, digest: bytes, secret: bytes) -> bytes:
        """The signature, 65 bytes."""
        return PrivateKey(secret).sign_recoverable(digest, hasher=None)

    def recover(self, digest: bytes, signature: bytes) -> bytes | None:
        """The public key, if there is one."""
        try:
            return PublicKey.from_signature_and_message(signature, digest, hasher=None).format(compressed=False)[1:]
        except ValueError:
            return None
