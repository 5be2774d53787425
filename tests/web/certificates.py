"""Self-signed certificates for 127.0.0.1 (X.509 as DER, RFC 5280)."""

from __future__ import annotations

from pathlib import Path
from ssl import DER_cert_to_PEM_cert
from typing import NamedTuple

from Crypto.Hash import SHA256
from Crypto.PublicKey import ECC
from Crypto.Signature import DSS

INTEGER, BIT_STRING, OCTET_STRING, OBJECT_ID, UTF8, UTC_TIME, GENERALIZED_TIME = 2, 3, 4, 6, 12, 23, 24
SEQUENCE, SET, IP_ADDRESS, FIELD_0, FIELD_3 = 0x30, 0x31, 0x87, 0xA0, 0xA3
ECDSA_WITH_SHA256, COMMON_NAME, ALTERNATIVE_NAMES = "2A8648CE3D040302", "550403", "551D11"
PROTECTION = "PBKDF2WithHMAC-SHA1AndAES128-CBC"


class Certificate(NamedTuple):
    cert: Path
    key: Path


def self_signed(folder: Path, password: str | None = None) -> Certificate:
    """Two PEM files: a new certificate, valid from 2020 to 2120, and its private key."""
    key = ECC.generate(curve="P-256")
    algorithm = der(SEQUENCE, der(OBJECT_ID, bytes.fromhex(ECDSA_WITH_SHA256)))
    name = der(SEQUENCE, der(OBJECT_ID, bytes.fromhex(COMMON_NAME)), der(UTF8, b"test"))
    names = der(SEQUENCE, der(SET, name))
    hosts = der(OCTET_STRING, der(SEQUENCE, der(IP_ADDRESS, bytes([127, 0, 0, 1]))))
    extension = der(SEQUENCE, der(OBJECT_ID, bytes.fromhex(ALTERNATIVE_NAMES)), hosts)
    content = der(
        SEQUENCE,
        der(FIELD_0, der(INTEGER, b"\x02")),  # version 3
        der(INTEGER, b"\x01"),
        algorithm,
        names,
        der(SEQUENCE, der(UTC_TIME, b"200101000000Z"), der(GENERALIZED_TIME, b"21200101000000Z")),
        names,
        key.public_key().export_key(format="DER"),
        der(FIELD_3, der(SEQUENCE, extension)),
    )
    signature = DSS.new(key, "fips-186-3", "der").sign(SHA256.new(content))
    whole = der(SEQUENCE, content, algorithm, der(BIT_STRING, b"\x00", signature))
    files = Certificate(folder / "cert.pem", folder / "key.pem")
    files.cert.write_text(DER_cert_to_PEM_cert(whole), encoding="ascii")
    text = key.export_key(format="PEM", passphrase=password, protection=password and PROTECTION)
    files.key.write_text(str(text), encoding="ascii")
    return files


def der(tag: int, *parts: bytes) -> bytes:
    content = b"".join(parts)
    size = len(content)
    length = (
        bytes([size]) if size < 0x80 else bytes([0x81, size]) if size < 0x100 else b"\x82" + size.to_bytes(2, "big")
    )
    return bytes([tag]) + length + content
