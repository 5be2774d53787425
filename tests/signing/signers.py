"""Clients that sign wrongly: what each signs in place of what is meant, independent of the code that explains it.

Whatever is called here with a kind of request (a key of `BODIES`, or `deployment` and `query` for whole calls) gives the
text of the signature that such a client sends.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from mockrelay.signing import messages, owner
from mockrelay.signing.eddsa import sign
from mockrelay.signing.eip712 import Struct, domain_separator, struct_hash
from mockrelay.signing.hashes import checksummed, keccak256
from mockrelay.signing.keys import default_seed, derive
from mockrelay.signing.parameters import SNARK_FIELD as P
from mockrelay.signing.poseidon import poseidon
from mockrelay.signing.request_signature import message_of
from mockrelay.signing.secp256k1 import sign_digest
from mockrelay.signing.wire_forms import Layer1Signature, eddsa_hex, layer1_text
from tests.signing.bodies import BODIES, TYPED, changed
from tests.signing.vectors import CHAIN_ID, EXCHANGE, LAYER1_KEY, PRIVATE, load

Signer = Callable[[str], str]
EXCHANGE_NUMBER = int(EXCHANGE, 16)
CHECKSUMMED = checksummed(bytes.fromhex(EXCHANGE[2:]))
BOB_PRIVATE, BOB_LAYER1, OLD_PRIVATE = 12345, int("22" * 32, 16), 777
DEPLOY: dict[str, Any] = load("url_sig")["deploy"]
DEPLOY_URL = DEPLOY["host"] + DEPLOY["path"]
WORLD_URL = "http://127.0.0.1:8080/w/ci/api/v3/order"
PREFIX = "Sign this message to authorize Loopring Pay: "
PAID_FIELDS = ("exchangeId", "sender", "receiver", "token", "amount", "tokenF", "amountF", "label", "nonce")
PAID = {name: BODIES["gen-2 transfer"][1][name] for name in PAID_FIELDS} | {"memo": ""}


# Layer 2, over the fields


def fields(*changes: tuple[str, Any], private: int = PRIVATE) -> Signer:
    """Signs the body with other values at these paths, or with another key."""

    def signer(kind: str) -> str:
        message, body = BODIES[kind]
        for path, value in changes:
            body = changed(body, path, value)
        return eddsa_hex(sign(private, message.hash(body)))

    return signer


def inputs(change: Callable[[list[int]], object], width: int | None = None) -> Signer:
    """Signs the numbers of the message, changed as a list, hashed in a state that is usually one wider."""

    def signer(kind: str) -> str:
        message, body = BODIES[kind]
        numbers = list(message.inputs(body).values())
        usual = len(numbers) + 1
        change(numbers)
        return eddsa_hex(sign(PRIVATE, poseidon(numbers, width or usual)))

    return signer


def swap(first: int, second: int) -> Callable[[list[int]], object]:
    """Two numbers of a list exchanged."""

    def exchange(numbers: list[int]) -> None:
        numbers[first], numbers[second] = numbers[second], numbers[first]

    return exchange


def in_alphabetical_order(kind: str) -> str:
    """Hashes the fields by name."""
    message, body = BODIES[kind]
    numbers = message.inputs(body)
    return eddsa_hex(sign(PRIVATE, messages.hash_of(numbers[name] for name in sorted(numbers))))


def as_generation_3(kind: str) -> str:
    """Signs a gen-2 order as a gen-3 order."""
    body = BODIES[kind][1]
    numbers = (
        *(EXCHANGE_NUMBER, body["orderId"], body["accountId"], body["tokenSId"], body["tokenBId"]),
        *(int(body["amountS"]), int(body["amountB"]), body["validUntil"], body["maxFeeBips"], 0, 0),
    )
    return eddsa_hex(sign(PRIVATE, poseidon(numbers, 12)))


def parts_in_another_order(kind: str) -> str:
    """Sends a right signature, s first."""
    signature = sign(PRIVATE, BODIES[kind][0].hash(BODIES[kind][1]))
    return ",".join(map(str, (signature.s, signature.rx, signature.ry)))


def without_first_zeros(kind: str) -> str:
    """Joins the parts of a right signature without the zeros that they begin with.

    The message counts modulo P, so each multiple of P more gives another right signature; one begins with a zero.
    """
    message = BODIES[kind][0].hash(BODIES[kind][1])
    for number in range(5):
        signature = sign(PRIVATE, message + number * P)
        if 0 < sum(64 - len(f"{part:x}") for part in signature) < 4:
            return "0x" + "".join(f"{part:x}" for part in signature)
    raise AssertionError("none of five signatures has a part that begins with a zero")


def typed_hash_on_layer_2(kind: str) -> str:
    """Signs with the layer-2 key what the owner signs."""
    return eddsa_hex(sign(PRIVATE, int.from_bytes(typed_hash(kind), "big")))


def derived(nonce: int, exchange: str = EXCHANGE) -> int:
    """The private key that the owner makes of the usual text."""
    return derive(LAYER1_KEY, default_seed(exchange, nonce)).private


# Layer 1, over typed data


def typed(
    *changes: tuple[str, Any],
    chain: int = CHAIN_ID,
    exchange: int = EXCHANGE_NUMBER,
    suffix: str = "02",
    layer1_key: int = LAYER1_KEY,
) -> Signer:
    """Signs typed data of the body with other values at these paths, or of another chain or exchange."""

    def signer(kind: str) -> str:
        body = BODIES[kind][1]
        for path, value in changes:
            body = changed(body, path, value)
        return layer1_text(owner.sign_typed(layer1_key, TYPED[kind][0].hash(body, chain, exchange), suffix))

    return signer


def typed_hash(kind: str) -> bytes:
    """What the owner should have signed."""
    return TYPED[kind][0].hash(BODIES[kind][1], CHAIN_ID, EXCHANGE_NUMBER)


def hash_in_domain(struct: bytes) -> bytes:
    """The hash of typed data whose struct has this hash."""
    return keccak256(b"\x19\x01" + domain_separator(CHAIN_ID, EXCHANGE_NUMBER) + struct)


def digest(value: bytes, suffix: str = "02") -> str:
    """The owner's signature of 32 bytes."""
    return layer1_text(Layer1Signature(sign_digest(LAYER1_KEY, value), suffix))


def struct_alone(kind: str) -> str:
    """Signs the struct without its domain."""
    request, body = TYPED[kind][0], BODIES[kind][1]
    return digest(struct_hash(request.struct, [read(body) for read in request.readers]))


def hash_as_text(kind: str) -> str:
    """Signs the hash of typed data as hex digits."""
    return digest(owner.personal_hash(f"0x{typed_hash(kind).hex()}".encode()), "03")


def layer_2_hash(kind: str) -> str:
    """Signs with the owner's key what the layer-2 key signs."""
    message, body = BODIES[kind]
    return digest(message.hash(body).to_bytes(32, "big"))


def struct_without(left_out: str) -> Signer:
    """Signs a struct that lacks a member."""

    def signer(kind: str) -> str:
        request, body = TYPED[kind][0], BODIES[kind][1]
        pairs = zip(request.struct.members, request.readers, strict=True)
        rest = [(member, read(body)) for member, read in pairs if member[1] != left_out]
        struct = Struct(request.struct.name, tuple(member for member, _ in rest))
        return digest(hash_in_domain(struct_hash(struct, [value for _, value in rest])))

    return signer


def packed_key_with_other_sign(kind: str) -> str:
    """Signs an account update whose packed key has its highest bit the other way round."""
    request, body = TYPED[kind][0], BODIES[kind][1]
    values = [read(body) for read in request.readers]
    place = [name for _, name in request.struct.members].index("publicKey")
    packed = values[place]
    assert isinstance(packed, int)
    values[place] = packed ^ 1 << 255
    return digest(hash_in_domain(struct_hash(request.struct, values)), "03")


def with_unknown_suffix(kind: str) -> str:
    """Sends a right signature with the suffix 01."""
    return typed()(kind).removesuffix("02") + "01"


def with_v(of_right: Callable[[int], int]) -> Signer:
    """Sends a right signature with another last byte."""

    def signer(kind: str) -> str:
        signature = sign_digest(LAYER1_KEY, typed_hash(kind))
        return f"0x{signature[:64].hex()}{of_right(signature[64]):02x}"

    return signer


# Layer 1, over the text of a gen-2 transfer


def pay_text(paid: dict[str, Any], prefix: str = PREFIX + "0x", **style: Any) -> str:
    """The text that names this JSON."""
    text = json.dumps(paid, **{"separators": (",", ":"), **style})
    return prefix + sha256(text.encode()).hexdigest()


def pay(paid: dict[str, Any], prefix: str = PREFIX + "0x", key: int = LAYER1_KEY, **style: Any) -> Signer:
    """Signs the text that names this JSON."""
    return lambda kind: "0x" + owner.sign_text(key, pay_text(paid, prefix, **style)).hex()


def without_personal_prefix(kind: str) -> str:
    """Signs the right text without the prefix of personal messages."""
    return digest(keccak256(pay_text(PAID).encode()), "")


# Layer 2, over the whole call


def encoded(text: str) -> str:
    """Percent-encoded as it should be."""
    return quote(text, safe="")


def called(text: str, private: int = PRIVATE) -> Signer:
    """Signs exactly this text."""
    return lambda kind: eddsa_hex(sign(private, message_of(text)))


def posted(body: str, url: str = DEPLOY_URL, private: int = PRIVATE) -> Signer:
    """Signs this address and body."""
    return called(f"POST&{encoded(url)}&{encoded(body)}", private)


def got(url: str, query: str = "b%3D2%26a%3Dx%2Cy", private: int = PRIVATE) -> Signer:
    """Signs this address for the request with a query."""
    return called(f"GET&{encoded(url)}&{query}", private)


def deployment(change: Callable[[dict[str, Any]], object] = dict, **style: Any) -> str:
    """The deployment's JSON, changed or written in another way."""
    body = json.loads(DEPLOY["json"])
    change(body)
    return json.dumps(body, **{"separators": (",", ":"), **style})


def without_inner_signature(body: dict[str, Any]) -> None:
    """The deployment as it was before the transfer in it was signed."""
    del body["transfer"]["eddsaSignature"]


def with_text_for_number(body: dict[str, Any]) -> None:
    """The deployment with a number as a string."""
    body["transfer"]["storageId"] = str(body["transfer"]["storageId"])


def transfer_hash(kind: str) -> str:
    """Signs the transfer in the deployment in place of the whole call."""
    return eddsa_hex(sign(PRIVATE, messages.TRANSFER.hash(json.loads(DEPLOY["json"])["transfer"])))
