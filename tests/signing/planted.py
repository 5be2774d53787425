"""Signing mistakes that clients make, planted one by one: what was signed in place of what, and the cause to be named.

Each is signed as such a client would sign, independent of the code that explains it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from typing import Any, NamedTuple
from urllib.parse import quote

from mockrelay.signing import messages, owner
from mockrelay.signing.curve import Point, negative
from mockrelay.signing.diagnosis.causes import AccountKeys, Cause, SentCall, SignedPart, SignedRequest, SigningContext
from mockrelay.signing.eddsa import public_key, sign
from mockrelay.signing.eip712 import Struct, domain_separator, struct_hash
from mockrelay.signing.hashes import checksummed, keccak256
from mockrelay.signing.keys import default_seed, derive
from mockrelay.signing.parameters import SNARK_FIELD as P
from mockrelay.signing.poseidon import poseidon
from mockrelay.signing.request_signature import message_of
from mockrelay.signing.secp256k1 import address_of, sign_digest
from mockrelay.signing.wire_forms import Layer1Signature, eddsa_hex, layer1_text
from tests.signing.bodies import BODIES, PAYEE, TYPED, changed
from tests.signing.vectors import CHAIN_ID, EXCHANGE, KEY, LAYER1_KEY, OWNER, PRIVATE, load

EXCHANGE_NUMBER = int(EXCHANGE, 16)
BOB_PRIVATE, BOB_LAYER1, OLD_PRIVATE = 12345, int("22" * 32, 16), 777
KNOWN = SigningContext(
    chain_id=CHAIN_ID,
    exchange_address=EXCHANGE,
    exchange_id=2,
    replaced=(public_key(OLD_PRIVATE),),
    others=(
        AccountKeys("bob", public_key(BOB_PRIVATE), address_of(BOB_LAYER1)),
        AccountKeys("carol", public_key(4242), PAYEE),
        AccountKeys("dan", None, "0x" + "00" * 20),
    ),
    token_ids=(0, 1, 2, 3),
    layer1_key=LAYER1_KEY,
    key_nonce=4,
)
DEPLOY: dict[str, Any] = load("url_sig")["deploy"]
DEPLOY_URL = DEPLOY["host"] + DEPLOY["path"]
WORLD_URL = "http://127.0.0.1:8080/w/ci/api/v3/order"
GEN2 = BODIES["gen-2 transfer"][1]
CHECKSUMMED = checksummed(bytes.fromhex(EXCHANGE[2:]))
PAY = "Sign this message to authorize Loopring Pay: "


class Planted(NamedTuple):
    """A mistake."""

    kind: str
    """Of `BODIES`, or `deployment` and `query` for signed calls."""
    over: SignedPart
    signature: Callable[[], str]
    cause: Cause
    says: tuple[str, ...]
    """Parts of the sentence that explains it."""
    key: Point = KEY
    """What the relayer takes for the account's key."""


def judged(kind: str, key: Point = KEY, url: str | None = None) -> SignedRequest:
    """The request of this kind as the gate sees it."""
    account = AccountKeys("alice", key, OWNER)
    if kind == "query":
        call = SentCall("GET", url or WORLD_URL, "b=2&a=x,y", "")
        return SignedRequest(messages.ORDER, None, {}, call, account)
    if kind == "deployment":
        transfer = json.loads(DEPLOY["json"])["transfer"]
        call = SentCall("POST", url or DEPLOY_URL, "", DEPLOY["json"])
        return SignedRequest(messages.TRANSFER, owner.TRANSFER, transfer, call, account)
    message, body = BODIES[kind]
    typed = TYPED[kind][0] if kind in TYPED else None
    return SignedRequest(message, typed, body, SentCall("POST", "http://h/api", "", json.dumps(body)), account)


def fields(kind: str, *changes: tuple[str, Any], private: int = PRIVATE) -> str:
    """The signature of the body with other values at these paths."""
    message, body = BODIES[kind]
    for path, value in changes:
        body = changed(body, path, value)
    return eddsa_hex(sign(private, message.hash(body)))


def inputs(kind: str, change: Callable[[list[int]], object], width: int | None = None) -> str:
    """The signature of the numbers of a message, changed as a list, hashed in a state that is usually one wider."""
    message, body = BODIES[kind]
    numbers = list(message.inputs(body).values())
    usual = len(numbers) + 1
    change(numbers)
    return eddsa_hex(sign(PRIVATE, poseidon(numbers, width or usual)))


def swap(first: int, second: int) -> Callable[[list[int]], object]:
    """Two numbers of a list exchanged."""

    def exchange(numbers: list[int]) -> None:
        numbers[first], numbers[second] = numbers[second], numbers[first]

    return exchange


def in_alphabetical_order(kind: str) -> str:
    """The signature of a message whose fields are hashed by name."""
    message, body = BODIES[kind]
    made = message.inputs(body)
    return eddsa_hex(sign(PRIVATE, messages.hash_of(made[name] for name in sorted(made))))


def typed(
    kind: str,
    *changes: tuple[str, Any],
    chain: int = CHAIN_ID,
    exchange: int = EXCHANGE_NUMBER,
    suffix: str = "02",
    layer1_key: int = LAYER1_KEY,
) -> str:
    """The owner's signature of typed data, of the body with other values at these paths."""
    body = BODIES[kind][1]
    for path, value in changes:
        body = changed(body, path, value)
    return layer1_text(owner.sign_typed(layer1_key, TYPED[kind][0].hash(body, chain, exchange), suffix))


def digest(made: bytes, suffix: str = "02") -> str:
    """The owner's signature of 32 bytes."""
    return layer1_text(Layer1Signature(sign_digest(LAYER1_KEY, made), suffix))


def typed_hash(kind: str) -> bytes:
    """What the owner should have signed."""
    return TYPED[kind][0].hash(BODIES[kind][1], CHAIN_ID, EXCHANGE_NUMBER)


def struct_without(kind: str, left_out: str) -> str:
    """The owner's signature of a struct that lacks a member."""
    request, body = TYPED[kind][0], BODIES[kind][1]
    kept = [
        (member, read(body))
        for member, read in zip(request.struct.members, request.readers, strict=True)
        if member[1] != left_out
    ]
    struct = Struct(request.struct.name, tuple(member for member, _ in kept))
    hashed = struct_hash(struct, [value for _, value in kept])
    return digest(keccak256(b"\x19\x01" + domain_separator(CHAIN_ID, EXCHANGE_NUMBER) + hashed))


def update_with_other_sign() -> str:
    """The signature of an account update whose packed key has its highest bit the other way round."""
    body = BODIES["account update"][1]
    request = TYPED["account update"][0]
    values = [read(body) for read in request.readers]
    place = [name for _, name in request.struct.members].index("publicKey")
    packed = values[place]
    assert isinstance(packed, int)
    values[place] = packed ^ 1 << 255
    separator = domain_separator(CHAIN_ID, EXCHANGE_NUMBER)
    return digest(keccak256(b"\x19\x01" + separator + struct_hash(request.struct, values)), "03")


def pay(made: dict[str, Any], before: str = PAY + "0x", **how: Any) -> str:
    """The owner's signature of the text that names this JSON."""
    text = json.dumps(made, **{"separators": (",", ":"), **how})
    return "0x" + owner.sign_text(LAYER1_KEY, before + sha256(text.encode()).hexdigest()).hex()


def pay_text() -> str:
    """What the owner should have signed for the gen-2 transfer."""
    return PAY + "0x" + sha256(json.dumps(PAID, separators=(",", ":")).encode()).hexdigest()


def struct_alone(kind: str) -> bytes:
    """The hash of a struct, without its domain."""
    request, body = TYPED[kind][0], BODIES[kind][1]
    return struct_hash(request.struct, [read(body) for read in request.readers])


PAID = {key: GEN2[key] for key in ("exchangeId", "sender", "receiver", "token", "amount", "tokenF", "amountF", "label")}
PAID |= {"nonce": GEN2["nonce"], "memo": ""}


def encoded(text: str) -> str:
    """Percent-encoded as it should be."""
    return quote(text, safe="")


def called(text: str, private: int = PRIVATE) -> str:
    """The header of a client that signs exactly this text."""
    return eddsa_hex(sign(private, message_of(text)))


def posted(body: str, url: str = DEPLOY_URL) -> str:
    """The header of a client that signs this address and body."""
    return called(f"POST&{encoded(url)}&{encoded(body)}")


def deployment(**how: Any) -> str:
    """The deployment's JSON, written in another way."""
    return json.dumps(json.loads(DEPLOY["json"]), **{"separators": (",", ":"), **how})


def unsigned_deployment() -> str:
    """The deployment's JSON as it was before the transfer in it was signed."""
    body = json.loads(DEPLOY["json"])
    del body["transfer"]["eddsaSignature"]
    return json.dumps(body, separators=(",", ":"))


def retyped_deployment() -> str:
    """The deployment's JSON with a number as a string."""
    body = json.loads(DEPLOY["json"])
    body["transfer"]["storageId"] = str(body["transfer"]["storageId"])
    return json.dumps(body, separators=(",", ":"))


def got(url: str, query: str = "b%3D2%26a%3Dx%2Cy", private: int = PRIVATE) -> str:
    """The header of a client that signs this address for the request with a query."""
    return called(f"GET&{encoded(url)}&{query}", private)


def generation_3() -> str:
    """A gen-2 order, signed as a gen-3 order."""
    body = BODIES["gen-2 order"][1]
    made = (
        *(EXCHANGE_NUMBER, body["orderId"], body["accountId"], body["tokenSId"], body["tokenBId"]),
        *(int(body["amountS"]), int(body["amountB"]), body["validUntil"], body["maxFeeBips"], 0, 0),
    )
    return eddsa_hex(sign(PRIVATE, poseidon(made, 12)))


def derived(nonce: int, exchange: str = EXCHANGE) -> int:
    """The private key that alice's owner makes of the usual text."""
    return derive(LAYER1_KEY, default_seed(exchange, nonce)).private


def parts_in_another_order() -> str:
    """The signature of a gen-2 order, s first."""
    signature = sign(PRIVATE, BODIES["gen-2 order"][0].hash(BODIES["gen-2 order"][1]))
    return ",".join(map(str, (signature.s, signature.rx, signature.ry)))


def without_first_zeros(kind: str) -> str:
    """A right signature whose parts are joined without the zeros that they begin with.

    The message counts modulo P, so each multiple of P more gives another right signature; one begins with a zero.
    """
    message = BODIES[kind][0].hash(BODIES[kind][1])
    for number in range(5):
        signature = sign(PRIVATE, message + number * P)
        if 0 < sum(64 - len(f"{part:x}") for part in signature) < 4:
            return "0x" + "".join(f"{part:x}" for part in signature)
    raise AssertionError("none of five signatures has a part that begins with a zero")


def with_v(v: int) -> str:
    """A right signature with another last byte."""
    return f"0x{sign_digest(LAYER1_KEY, typed_hash('withdrawal'))[:64].hex()}{v:02x}"


def flipped_v() -> int:
    """The v that is not the right one."""
    return 55 - sign_digest(LAYER1_KEY, typed_hash("withdrawal"))[64]


M, C, O = SignedPart.MESSAGE, SignedPart.CALL, SignedPart.OWNER  # noqa: E741 - one letter each keeps the table readable
PERSONAL = owner.personal_hash
PLANTED: dict[str, Planted] = {
    # Orders
    "order: bob's key": Planted(
        "gen-2 order", M, lambda: fields("gen-2 order", private=BOB_PRIVATE), Cause.OTHER_ACCOUNT, ("bob", "alice")
    ),
    "order: the replaced key": Planted(
        "gen-2 order", M, lambda: fields("gen-2 order", private=OLD_PRIVATE), Cause.REPLACED_KEY, ("alice had before",)
    ),
    "order: a key with the other sign": Planted(
        "gen-2 order", M, lambda: fields("gen-2 order"), Cause.KEY_SIGN, ("other sign",), negative(KEY)
    ),
    "order: the key of another nonce": Planted(
        "gen-2 order", M, lambda: fields("gen-2 order", private=derived(3)), Cause.KEY_SEED, ("key nonce 3",)
    ),
    "order: a key from a checksummed address": Planted(
        "gen-2 order",
        M,
        lambda: fields("gen-2 order", private=derived(4, CHECKSUMMED)),
        Cause.KEY_SEED,
        ("letter case of a checksum",),
    ),
    "order: validSince left out": Planted(
        "gen-2 order",
        M,
        lambda: inputs("gen-2 order", lambda n: n.pop(8)),
        Cause.FIELD_LEFT_OUT,
        ("without validSince", "after allOrNone"),
    ),
    "order: the label left out, and a narrower hash": Planted(
        "gen-2 order",
        M,
        lambda: inputs("gen-2 order", lambda n: n.pop(), 13),
        Cause.FIELD_LEFT_OUT,
        ("without label", "narrower"),
    ),
    "order: neighbours exchanged": Planted(
        "gen-2 order", M, lambda: inputs("gen-2 order", swap(10, 11)), Cause.FIELD_ORDER, ("buy before maxFeeBips",)
    ),
    "order: alphabetical": Planted(
        "gen-2 order", M, lambda: in_alphabetical_order("gen-2 order"), Cause.FIELD_ORDER, ("alphabetical",)
    ),
    "order: amounts exchanged": Planted(
        "gen-2 order",
        M,
        lambda: inputs("gen-2 order", swap(5, 6)),
        Cause.FIELD_VALUE,
        ("amountS and amountB exchanged",),
    ),
    "order: milliseconds": Planted(
        "gen-2 order",
        M,
        lambda: fields("gen-2 order", ("validUntil", 1900000000000)),
        Cause.FIELD_VALUE,
        ("validUntil 1900000000000", "milliseconds", "1900000000 is meant"),
    ),
    "order: another order id": Planted(
        "gen-2 order", M, lambda: fields("gen-2 order", ("orderId", 4)), Cause.FIELD_VALUE, ("orderId 4", "5 is meant")
    ),
    "order: another token": Planted(
        "gen-2 order",
        M,
        lambda: fields("gen-2 order", ("tokenBId", 3)),
        Cause.FIELD_VALUE,
        ("tokenBId 3", "another token"),
    ),
    "order: the wrong side": Planted(
        "gen-2 order", M, lambda: fields("gen-2 order", ("buy", "true")), Cause.FIELD_VALUE, ("buy 1", "0 is meant")
    ),
    "order: another exchange": Planted(
        "gen-2 order",
        M,
        lambda: fields("gen-2 order", ("exchangeId", 1)),
        Cause.EXCHANGE_ID,
        ("exchangeId 1", "2 is meant"),
    ),
    "order: the other generation": Planted("gen-2 order", M, generation_3, Cause.HASH, ("gen-3 order", "gen-2 order")),
    "order: parts in another order": Planted("gen-2 order", M, parts_in_another_order, Cause.FORM, ("Rx, Ry, s",)),
    # Gen-2 transfers
    "transfer: fee still 0": Planted(
        "gen-2 transfer",
        M,
        lambda: fields("gen-2 transfer", ("amountF", "0")),
        Cause.FIELD_VALUE,
        ("amountF 0", "the fee was still open"),
    ),
    "transfer: sender and receiver exchanged": Planted(
        "gen-2 transfer",
        M,
        lambda: inputs("gen-2 transfer", swap(1, 2)),
        Cause.FIELD_VALUE,
        ("sender and receiver exchanged",),
    ),
    "transfer: bob's owner": Planted(
        "gen-2 transfer", O, lambda: "0x" + owner.sign_text(BOB_LAYER1, pay_text()).hex(), Cause.OTHER_ACCOUNT, ("bob",)
    ),
    "transfer: a number for a string": Planted(
        "gen-2 transfer",
        O,
        lambda: pay({**PAID, "amount": int(PAID["amount"])}),
        Cause.FIELD_VALUE,
        ("amount as the number", "as it was sent"),
    ),
    "transfer: JSON with blanks": Planted(
        "gen-2 transfer", O, lambda: pay(PAID, separators=(", ", ": ")), Cause.TEXT, ("with blanks",)
    ),
    "transfer: JSON sorted by key": Planted(
        "gen-2 transfer", O, lambda: pay(PAID, sort_keys=True), Cause.TEXT, ("sorted by key",)
    ),
    "transfer: the nonce before": Planted(
        "gen-2 transfer",
        O,
        lambda: pay({**PAID, "nonce": PAID["nonce"] - 1}),
        Cause.FIELD_VALUE,
        ("nonce 9", "10 is meant"),
    ),
    "transfer: the label left out": Planted(
        "gen-2 transfer",
        O,
        lambda: pay({k: v for k, v in PAID.items() if k != "label"}),
        Cause.FIELD_LEFT_OUT,
        ("without label",),
    ),
    "transfer: no prefix of personal messages": Planted(
        "gen-2 transfer", O, lambda: digest(keccak256(pay_text().encode()), ""), Cause.FORM, ("without the prefix",)
    ),
    "transfer: the hash without 0x": Planted("gen-2 transfer", O, lambda: pay(PAID, PAY), Cause.FORM, ("without 0x",)),
    # Withdrawals
    "withdrawal: chain 1": Planted(
        "withdrawal", O, lambda: typed("withdrawal", chain=1), Cause.CHAIN_ID, ("chain id 1;", "1337 is meant")
    ),
    "withdrawal: chain 5, as a personal message": Planted(
        "withdrawal", O, lambda: typed("withdrawal", chain=5, suffix="03"), Cause.CHAIN_ID, ("chain id 5;",)
    ),
    "withdrawal: no exchange address": Planted(
        "withdrawal", O, lambda: typed("withdrawal", exchange=0), Cause.EXCHANGE_ADDRESS, ("0x" + "0" * 40, EXCHANGE)
    ),
    "withdrawal: the hash as text": Planted(
        "withdrawal",
        O,
        lambda: digest(PERSONAL(f"0x{typed_hash('withdrawal').hex()}".encode()), "03"),
        Cause.FORM,
        ("hex digits", "32 bytes is meant"),
    ),
    "withdrawal: no domain": Planted(
        "withdrawal", O, lambda: digest(struct_alone("withdrawal")), Cause.FORM, ("the struct alone",)
    ),
    "withdrawal: an unknown suffix": Planted(
        "withdrawal", O, lambda: typed("withdrawal").removesuffix("02") + "01", Cause.FORM, ("suffix is 01",)
    ),
    "withdrawal: the other v": Planted("withdrawal", O, lambda: with_v(flipped_v()), Cause.FORM, ("byte v",)),
    "withdrawal: zeros lost": Planted(
        "withdrawal", M, lambda: without_first_zeros("withdrawal"), Cause.FORM, ("zeros",)
    ),
    "mint: zeros lost": Planted("mint", M, lambda: without_first_zeros("mint"), Cause.FORM, ("zeros",)),
    "withdrawal: v of a chain": Planted("withdrawal", O, lambda: with_v(37), Cause.FORM, ("which is 37",)),
    "withdrawal: no extraData": Planted(
        "withdrawal", O, lambda: typed("withdrawal", ("extraData", "")), Cause.FIELD_VALUE, ("extraData nothing",)
    ),
    "withdrawal: minGas left out of the struct": Planted(
        "withdrawal", O, lambda: struct_without("withdrawal", "minGas"), Cause.FIELD_LEFT_OUT, ("without minGas",)
    ),
    "withdrawal: the layer-2 hash": Planted(
        "withdrawal",
        O,
        lambda: digest(messages.WITHDRAWAL.hash(BODIES["withdrawal"][1]).to_bytes(32, "big")),
        Cause.HASH,
        ("layer-2 key signs",),
    ),
    "withdrawal: no minGas below onChainDataHash": Planted(
        "withdrawal", M, lambda: fields("withdrawal", ("minGas", 0)), Cause.FIELD_VALUE, ("minGas 0",)
    ),
    "withdrawal: the typed data's hash": Planted(
        "withdrawal",
        M,
        lambda: eddsa_hex(sign(PRIVATE, int.from_bytes(typed_hash("withdrawal"), "big"))),
        Cause.HASH,
        ("typed data",),
    ),
    # Account updates
    "update: the new key with the other sign": Planted(
        "account update", O, update_with_other_sign, Cause.KEY_SIGN, ("publicKey", "packed")
    ),
    "update: the nonce after": Planted(
        "account update",
        O,
        lambda: typed("account update", ("nonce", 4), suffix="03"),
        Cause.FIELD_VALUE,
        ("nonce 4", "3 is meant"),
    ),
    "update: milliseconds": Planted(
        "account update",
        M,
        lambda: fields("account update", ("validUntil", 1900000000000)),
        Cause.FIELD_VALUE,
        ("milliseconds",),
    ),
    "update: x and y exchanged": Planted(
        "account update",
        M,
        lambda: inputs("account update", swap(4, 5)),
        Cause.FIELD_VALUE,
        ("publicKey.x and publicKey.y exchanged",),
    ),
    "update: bob's layer-1 key": Planted(
        "account update",
        O,
        lambda: typed("account update", layer1_key=BOB_LAYER1),
        Cause.OTHER_ACCOUNT,
        ("layer-1 key of bob",),
    ),
    # NFTs
    "mint: no royalty": Planted(
        "mint", M, lambda: fields("mint", ("royaltyPercentage", 0)), Cause.FIELD_VALUE, ("royaltyPercentage 0",)
    ),
    "mint: the other type of NFT": Planted(
        "mint", M, lambda: fields("mint", ("nftType", 1)), Cause.FIELD_VALUE, ("nftType 1",)
    ),
    "mint: another storage id": Planted(
        "mint", M, lambda: fields("mint", ("storageId", 11)), Cause.FIELD_VALUE, ("storageId 11", "9 is meant")
    ),
    "NFT transfer: the two zeros left out": Planted(
        "NFT transfer",
        M,
        lambda: inputs("NFT transfer", lambda n: (n.pop(8), n.pop(8))),
        Cause.FIELD_LEFT_OUT,
        ("two zeros",),
    ),
    "NFT transfer: Sepolia": Planted(
        "NFT transfer", O, lambda: typed("NFT transfer", chain=11155111), Cause.CHAIN_ID, ("11155111",)
    ),
    "NFT transfer: fee still 0": Planted(
        "NFT transfer", O, lambda: typed("NFT transfer", ("maxFee.amount", "0")), Cause.FIELD_VALUE, ("maxFee 0",)
    ),
    "NFT withdrawal: to the owner": Planted(
        "NFT withdrawal", M, lambda: fields("NFT withdrawal", ("toAddress", OWNER)), Cause.FIELD_VALUE, (OWNER,)
    ),
    "NFT withdrawal: exchange 0": Planted(
        "NFT withdrawal",
        M,
        lambda: fields("NFT withdrawal", ("exchange", "0x" + "0" * 40)),
        Cause.EXCHANGE_ADDRESS,
        (EXCHANGE,),
    ),
    "NFT withdrawal: amount left out": Planted(
        "NFT withdrawal", O, lambda: struct_without("NFT withdrawal", "amount"), Cause.FIELD_LEFT_OUT, ("amount",)
    ),
    # Whole calls
    "deployment: sorted keys": Planted(
        "deployment", C, lambda: posted(deployment(sort_keys=True)), Cause.TEXT, ("sorted by key",)
    ),
    "deployment: blanks": Planted(
        "deployment", C, lambda: posted(deployment(separators=(", ", ": "))), Cause.TEXT, ("with blanks",)
    ),
    "deployment: the body before the transfer was signed": Planted(
        "deployment",
        C,
        lambda: posted(unsigned_deployment()),
        Cause.FIELD_LEFT_OUT,
        ("without transfer.eddsaSignature",),
    ),
    "deployment: a string for a number": Planted(
        "deployment", C, lambda: posted(retyped_deployment()), Cause.FIELD_VALUE, ("transfer.storageId as the string",)
    ),
    "deployment: https": Planted(
        "deployment",
        C,
        lambda: posted(DEPLOY["json"], DEPLOY_URL.replace("http:", "https:")),
        Cause.URL,
        ("https://", DEPLOY_URL),
    ),
    "deployment: encoded twice": Planted(
        "deployment",
        C,
        lambda: called(f"POST&{encoded(DEPLOY_URL)}&{encoded(encoded(DEPLOY['json']))}"),
        Cause.TEXT,
        ("encoded twice",),
    ),
    "deployment: not encoded": Planted(
        "deployment",
        C,
        lambda: called(f"POST&{DEPLOY_URL}&{DEPLOY['json']}"),
        Cause.TEXT,
        ("without any percent-encoding",),
    ),
    "deployment: the hash of the transfer": Planted(
        "deployment",
        C,
        lambda: eddsa_hex(sign(PRIVATE, judged("deployment").message.hash(judged("deployment").body))),
        Cause.HASH,
        ("body's fields",),
    ),
    "deployment: the replaced key": Planted(
        "deployment",
        C,
        lambda: called(f"POST&{encoded(DEPLOY_URL)}&{encoded(DEPLOY['json'])}", OLD_PRIVATE),
        Cause.REPLACED_KEY,
        ("had before",),
    ),
    "query: no port": Planted(
        "query", C, lambda: got("http://127.0.0.1/w/ci/api/v3/order"), Cause.URL, ("'http://127.0.0.1/w/ci",)
    ),
    "query: the world left out": Planted(
        "query", C, lambda: got("http://127.0.0.1:8080/api/v3/order"), Cause.URL, ("/w/ci/api/v3/order",)
    ),
    "query: a slash at the end": Planted("query", C, lambda: got(WORLD_URL + "/"), Cause.URL, ("order/",)),
    "query: path only": Planted("query", C, lambda: got("/api/v3/order"), Cause.URL, ("'/api/v3/order'",)),
    "query: localhost": Planted(
        "query", C, lambda: got(WORLD_URL.replace("127.0.0.1", "localhost")), Cause.URL, ("localhost",)
    ),
    "query: left out": Planted("query", C, lambda: got(WORLD_URL, ""), Cause.TEXT, ("query left out",)),
    "query: in the reverse order of its keys": Planted(
        "query", C, lambda: got(WORLD_URL, "b%3D2"), Cause.TEXT, ("without a",)
    ),
    "query: bob's key": Planted("query", C, lambda: got(WORLD_URL, private=BOB_PRIVATE), Cause.OTHER_ACCOUNT, ("bob",)),
    "query: another method": Planted(
        "query", C, lambda: called(f"POST&{encoded(WORLD_URL)}&b%3D2%26a%3Dx%2Cy"), Cause.TEXT, ("method POST",)
    ),
}
