"""What the owner of an account signs with the layer-1 key: three requests as typed data (EIP-712), and texts (EIP-191).

Wallets sign the hash of a typed request as it is, or as a personal message. Some clients leave out the suffix that says
which, or send the wrong one, so a verifier tries both.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import sha256

from mockrelay.signing.curve import Point
from mockrelay.signing.eddsa import why_invalid_key
from mockrelay.signing.eip712 import Struct, domain_separator, struct_hash, typed_hash
from mockrelay.signing.fields import Body, Unreadable, address, find, number, to_bytes, to_element
from mockrelay.signing.hashes import keccak256
from mockrelay.signing.messages import TRANSFER_V2_FIELDS
from mockrelay.signing.parameters import SNARK_FIELD as P
from mockrelay.signing.secp256k1 import recover_address, sign_digest
from mockrelay.signing.wire_forms import PERSONAL_SUFFIX, Layer1Signature

_Reader = Callable[[Body], int | bytes]
_SIGN_BIT = 255


@dataclass(frozen=True, slots=True)
class TypedRequest:
    """A kind of request that the owner signs: its struct, and for each member the function that reads it from a body."""

    struct: Struct
    readers: tuple[_Reader, ...]

    def hash(self, body: Body, chain_id: int, exchange: int) -> bytes:
        """The 32-byte hash that is signed, on this chain, for the exchange contract at this address (a number).

        Raises `Unreadable` where the body lacks a member or has one that its type cannot hold.
        """
        values = [read(body) for read in self.readers]
        try:
            hashed = struct_hash(self.struct, values)
        except ValueError as error:
            raise Unreadable(self.struct.name, str(error)) from None
        return typed_hash(domain_separator(chain_id, exchange), hashed)


def _typed(name: str, *members: tuple[str, str, _Reader]) -> TypedRequest:
    return TypedRequest(
        Struct(name, tuple((type_, member) for type_, member, _ in members)),
        tuple(read for _, _, read in members),
    )


def packed_key(key: Point) -> int:
    """A layer-2 public key in 256 bits: y, and the highest bit set where x is above half the field's prime."""
    return key.y | (key.x > P // 2) << _SIGN_BIT


def _packed_of(body: Body) -> int:
    x, y = (to_element(name, find(body, name)) for name in ("publicKey.x", "publicKey.y"))
    # The packed form has only the sign of x. With y that determines a point of the curve; for any other pair, x could be
    # replaced without changing what is signed.
    if (problem := why_invalid_key(Point(x, y))) is not None:
        raise Unreadable("publicKey", problem)
    return packed_key(Point(x, y))


_TOKEN = (
    ("uint16", "tokenID", number("token.tokenId").read),
    ("uint96", "amount", number("token.volume", "token.amount").read),
)
_FEE = (
    ("uint16", "feeTokenID", number("maxFee.tokenId").read),
    ("uint96", "maxFee", number("maxFee.volume", "maxFee.amount").read),
)
_UNTIL = ("uint32", "validUntil", number("validUntil").read)
_STORAGE = ("uint32", "storageID", number("storageId").read)

ACCOUNT_UPDATE = _typed(
    "AccountUpdate",
    ("address", "owner", address("owner").read),
    ("uint32", "accountID", number("accountId").read),
    *_FEE,
    ("uint256", "publicKey", _packed_of),
    _UNTIL,
    ("uint32", "nonce", number("nonce").read),
)
TRANSFER = _typed(
    "Transfer",
    ("address", "from", address("payerAddr", "fromAddress").read),
    ("address", "to", address("payeeAddr", "toAddress").read),
    *_TOKEN,
    *_FEE,
    _UNTIL,
    _STORAGE,
)
"""Also for NFTs, and for the fee of a deployment."""
WITHDRAWAL = _typed(
    "Withdrawal",
    ("address", "owner", address("owner", "fromAddress").read),
    ("uint32", "accountID", number("accountId", "fromAccountId").read),
    *_TOKEN,
    *_FEE,
    ("address", "to", address("to", "toAddress").read),
    ("bytes", "extraData", lambda body: to_bytes("extraData", find(body, "extraData"))),
    ("uint256", "minGas", number("minGas", default=0).read),
    _UNTIL,
    _STORAGE,
)
"""Also for NFTs."""


def personal_hash(message: bytes) -> bytes:
    """The 32-byte hash that a wallet signs for a personal message (EIP-191, version E)."""
    return keccak256(b"\x19Ethereum Signed Message:\n%d" % len(message) + message)


def digests_of(typed: bytes) -> tuple[bytes, bytes]:
    """The digests that count as signed for a typed request: its hash, and that hash as a personal message."""
    return typed, personal_hash(typed)


_TRANSFER_TEXT = "Sign this message to authorize Loopring Pay:"


def transfer_v2_texts(body: Body) -> tuple[str, ...]:
    """The personal messages that clients sign for a gen-2 transfer, the usual one first. Raises `Unreadable`.

    Each contains the SHA-256 of the body's fields as JSON without blanks, values as sent. An older form has no memo, and
    published sample code has a second blank after the colon.
    """
    fields = {}
    for key in TRANSFER_V2_FIELDS:
        if (value := find(body, key)) is None:
            raise Unreadable(key, "absent")
        fields[key] = value
    hashes = [_json_hash({**fields, "memo": find(body, "memo") or ""}), _json_hash(fields)]
    return tuple(f"{_TRANSFER_TEXT}{blanks}0x{hash_}" for blanks in (" ", "  ") for hash_ in hashes)


def _json_hash(value: object) -> str:
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    # A text from JSON may hold a lone surrogate, which strict UTF-8 cannot encode.
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def transfer_v2_digests(body: Body) -> tuple[bytes, ...]:
    """The 32-byte digests that count as signed for a gen-2 transfer. Raises `Unreadable`."""
    return tuple(personal_hash(text.encode()) for text in transfer_v2_texts(body))


def sign_typed(private_key: int, typed: bytes, suffix: str) -> Layer1Signature:
    """The owner's signature of a typed request's hash, in the form of the suffix; of the hash itself without one."""
    digest = personal_hash(typed) if suffix == PERSONAL_SUFFIX else typed
    return Layer1Signature(sign_digest(private_key, digest), suffix)


def sign_text(private_key: int, text: str) -> bytes:
    """The owner's signature of a personal message, 65 bytes, as wallets make it."""
    return sign_digest(private_key, personal_hash(text.encode("utf-8", "surrogatepass")))


def signers(signature: Layer1Signature, digests: Iterable[bytes]) -> tuple[str, ...]:
    """The addresses (lower case) for which this is a signature of one of the digests."""
    found = (recover_address(digest, signature.rsv) for digest in digests)
    return tuple(address for address in found if address is not None)


def is_signed_by(owner: str, signature: Layer1Signature, digests: Iterable[bytes]) -> bool:
    """Whether this is the owner's signature of one of the digests; the letter case of `owner` does not matter."""
    return owner.lower() in signers(signature, digests)
