"""Signing mistakes that clients make, each with the cause that is to be named and words of its explanation."""

from __future__ import annotations

import json
from typing import NamedTuple

from mockrelay.signing import messages, owner
from mockrelay.signing.curve import Point, negative
from mockrelay.signing.diagnosis.causes import AccountKeys, Cause, SentCall, SignedPart, SignedRequest, SigningContext
from mockrelay.signing.eddsa import public_key
from mockrelay.signing.secp256k1 import address_of
from tests.signing import signers as by
from tests.signing.bodies import BODIES, PAYEE, TYPED
from tests.signing.signers import DEPLOY, DEPLOY_URL, PAID, WORLD_URL, Signer
from tests.signing.vectors import CHAIN_ID, EXCHANGE, KEY, LAYER1_KEY, OWNER

CONTEXT = SigningContext(
    chain_id=CHAIN_ID,
    exchange_address=EXCHANGE,
    exchange_id=2,
    replaced=(public_key(by.OLD_PRIVATE),),
    others=(
        AccountKeys("bob", public_key(by.BOB_PRIVATE), address_of(by.BOB_LAYER1)),
        AccountKeys("carol", public_key(4242), PAYEE),
        AccountKeys("dan", None, "0x" + "00" * 20),
    ),
    token_ids=(0, 1, 2, 3),
    layer1_key=LAYER1_KEY,
    key_nonce=4,
)


class Mistake(NamedTuple):
    """A mistake and its explanation."""

    signer: Signer
    cause: Cause
    words: tuple[str, ...]
    """Parts of the sentence that explains it."""
    key: Point
    """What the relayer takes for the account's key."""


def row(signer: Signer, cause: Cause, *words: str, key: Point = KEY) -> Mistake:
    """A mistake of an account whose key is `KEY`."""
    return Mistake(signer, cause, words, key)


def request_of(kind: str, key: Point = KEY) -> SignedRequest:
    """The request of this kind as the gate passes it on."""
    account = AccountKeys("alice", key, OWNER)
    if kind == "query":
        return SignedRequest(messages.ORDER, None, {}, SentCall("GET", WORLD_URL, "b=2&a=x,y", ""), account)
    if kind == "deployment":
        call = SentCall("POST", DEPLOY_URL, "", DEPLOY["json"])
        return SignedRequest(messages.TRANSFER, owner.TRANSFER, json.loads(call.body)["transfer"], call, account)
    message, body = BODIES[kind]
    typed_request = TYPED[kind][0] if kind in TYPED else None
    return SignedRequest(message, typed_request, body, SentCall("POST", "http://h/api", "", json.dumps(body)), account)


M, C, O = SignedPart.MESSAGE, SignedPart.CALL, SignedPart.OWNER  # noqa: E741 - one letter each keeps the table readable
_ROWS: dict[tuple[str, SignedPart], dict[str, Mistake]] = {
    ("gen-2 order", M): {
        "bob's key": row(by.fields(private=by.BOB_PRIVATE), Cause.OTHER_ACCOUNT, "bob", "alice"),
        "the replaced key": row(by.fields(private=by.OLD_PRIVATE), Cause.REPLACED_KEY, "alice had before"),
        "a key with the other sign": row(by.fields(), Cause.KEY_SIGN, "other sign", key=negative(KEY)),
        "the key of another nonce": row(by.fields(private=by.derived(3)), Cause.KEY_SEED, "key nonce 3"),
        "a key from a checksummed address": row(
            by.fields(private=by.derived(4, by.CHECKSUMMED)), Cause.KEY_SEED, "letter case of a checksum"
        ),
        "validSince left out": row(
            by.inputs(lambda n: n.pop(8)), Cause.FIELD_LEFT_OUT, "without validSince", "after allOrNone"
        ),
        "the label left out, and a narrower hash": row(
            by.inputs(lambda n: n.pop(), 13), Cause.FIELD_LEFT_OUT, "without label", "narrower"
        ),
        "neighbours exchanged": row(by.inputs(by.swap(10, 11)), Cause.FIELD_ORDER, "buy before maxFeeBips"),
        "alphabetical": row(by.in_alphabetical_order, Cause.FIELD_ORDER, "alphabetical"),
        "amounts exchanged": row(by.inputs(by.swap(5, 6)), Cause.FIELD_VALUE, "amountS and amountB exchanged"),
        "milliseconds": row(
            by.fields(("validUntil", 1900000000000)),
            Cause.FIELD_VALUE,
            "validUntil 1900000000000",
            "milliseconds",
            "1900000000 is meant",
        ),
        "another order id": row(by.fields(("orderId", 4)), Cause.FIELD_VALUE, "orderId 4", "5 is meant"),
        "another token": row(by.fields(("tokenBId", 3)), Cause.FIELD_VALUE, "tokenBId 3", "another token"),
        "the wrong side": row(by.fields(("buy", "true")), Cause.FIELD_VALUE, "buy 1", "0 is meant"),
        "another exchange": row(by.fields(("exchangeId", 1)), Cause.EXCHANGE_ID, "exchangeId 1", "2 is meant"),
        "the other generation": row(by.as_generation_3, Cause.HASH, "gen-3 order", "gen-2 order"),
        "parts in another order": row(by.parts_in_another_order, Cause.FORM, "Rx, Ry, s"),
    },
    ("gen-2 transfer", M): {
        "fee still 0": row(by.fields(("amountF", "0")), Cause.FIELD_VALUE, "amountF 0", "the fee was still open"),
        "sender and receiver exchanged": row(
            by.inputs(by.swap(1, 2)), Cause.FIELD_VALUE, "sender and receiver exchanged"
        ),
    },
    ("gen-2 transfer", O): {
        "bob's owner": row(by.pay(PAID, key=by.BOB_LAYER1), Cause.OTHER_ACCOUNT, "bob"),
        "a number for a string": row(
            by.pay({**PAID, "amount": int(PAID["amount"])}), Cause.FIELD_VALUE, "amount as the number", "as it was sent"
        ),
        "JSON with blanks": row(by.pay(PAID, separators=(", ", ": ")), Cause.TEXT, "with blanks"),
        "JSON sorted by key": row(by.pay(PAID, sort_keys=True), Cause.TEXT, "sorted by key"),
        "the nonce before": row(
            by.pay({**PAID, "nonce": PAID["nonce"] - 1}), Cause.FIELD_VALUE, "nonce 9", "10 is meant"
        ),
        "the label left out": row(
            by.pay({k: v for k, v in PAID.items() if k != "label"}), Cause.FIELD_LEFT_OUT, "without label"
        ),
        "no prefix of personal messages": row(by.without_personal_prefix, Cause.FORM, "without the prefix"),
        "the hash without 0x": row(by.pay(PAID, by.PREFIX), Cause.FORM, "without 0x"),
    },
    ("withdrawal", O): {
        "chain 1": row(by.typed(chain=1), Cause.CHAIN_ID, "chain id 1;", "1337 is meant"),
        "chain 5, as a personal message": row(by.typed(chain=5, suffix="03"), Cause.CHAIN_ID, "chain id 5;"),
        "no exchange address": row(by.typed(exchange=0), Cause.EXCHANGE_ADDRESS, "0x" + "0" * 40, EXCHANGE),
        "the hash as text": row(by.hash_as_text, Cause.FORM, "hex digits", "32 bytes is meant"),
        "no domain": row(by.struct_alone, Cause.FORM, "the struct alone"),
        "an unknown suffix": row(by.with_unknown_suffix, Cause.FORM, "suffix is 01"),
        "the other v": row(by.with_v(lambda right: 55 - right), Cause.FORM, "byte v"),
        "v of a chain": row(by.with_v(lambda _: 37), Cause.FORM, "which is 37"),
        "no extraData": row(by.typed(("extraData", "")), Cause.FIELD_VALUE, "extraData nothing"),
        "minGas left out of the struct": row(by.struct_without("minGas"), Cause.FIELD_LEFT_OUT, "without minGas"),
        "the layer-2 hash": row(by.layer_2_hash, Cause.HASH, "layer-2 key signs"),
    },
    ("withdrawal", M): {
        "zeros lost": row(by.without_first_zeros, Cause.FORM, "zeros"),
        "no minGas below onChainDataHash": row(by.fields(("minGas", 0)), Cause.FIELD_VALUE, "minGas 0"),
        "the typed data's hash": row(by.typed_hash_on_layer_2, Cause.HASH, "typed data"),
    },
    ("mint", M): {
        "zeros lost": row(by.without_first_zeros, Cause.FORM, "zeros"),
        "no royalty": row(by.fields(("royaltyPercentage", 0)), Cause.FIELD_VALUE, "royaltyPercentage 0"),
        "the other type of NFT": row(by.fields(("nftType", 1)), Cause.FIELD_VALUE, "nftType 1"),
        "another storage id": row(by.fields(("storageId", 11)), Cause.FIELD_VALUE, "storageId 11", "9 is meant"),
    },
    ("account update", O): {
        "the new key with the other sign": row(by.packed_key_with_other_sign, Cause.KEY_SIGN, "publicKey", "packed"),
        "the nonce after": row(by.typed(("nonce", 4), suffix="03"), Cause.FIELD_VALUE, "nonce 4", "3 is meant"),
        "bob's layer-1 key": row(by.typed(layer1_key=by.BOB_LAYER1), Cause.OTHER_ACCOUNT, "layer-1 key of bob"),
    },
    ("account update", M): {
        "milliseconds": row(by.fields(("validUntil", 1900000000000)), Cause.FIELD_VALUE, "milliseconds"),
        "x and y exchanged": row(by.inputs(by.swap(4, 5)), Cause.FIELD_VALUE, "publicKey.x and publicKey.y exchanged"),
    },
    ("NFT transfer", M): {
        "the two zeros left out": row(by.inputs(lambda n: (n.pop(8), n.pop(8))), Cause.FIELD_LEFT_OUT, "two zeros"),
    },
    ("NFT transfer", O): {
        "Sepolia": row(by.typed(chain=11155111), Cause.CHAIN_ID, "11155111"),
        "fee still 0": row(by.typed(("maxFee.amount", "0")), Cause.FIELD_VALUE, "maxFee 0"),
    },
    ("NFT withdrawal", M): {
        "to the owner": row(by.fields(("toAddress", OWNER)), Cause.FIELD_VALUE, OWNER),
        "exchange 0": row(by.fields(("exchange", "0x" + "0" * 40)), Cause.EXCHANGE_ADDRESS, EXCHANGE),
    },
    ("NFT withdrawal", O): {
        "amount left out": row(by.struct_without("amount"), Cause.FIELD_LEFT_OUT, "amount"),
    },
    ("deployment", C): {
        "sorted keys": row(by.posted(by.deployment(sort_keys=True)), Cause.TEXT, "sorted by key"),
        "blanks": row(by.posted(by.deployment(separators=(", ", ": "))), Cause.TEXT, "with blanks"),
        "the body before the transfer was signed": row(
            by.posted(by.deployment(by.without_inner_signature)),
            Cause.FIELD_LEFT_OUT,
            "without transfer.eddsaSignature",
        ),
        "a string for a number": row(
            by.posted(by.deployment(by.with_text_for_number)), Cause.FIELD_VALUE, "transfer.storageId as the string"
        ),
        "https": row(
            by.posted(DEPLOY["json"], DEPLOY_URL.replace("http:", "https:")), Cause.URL, "https://", DEPLOY_URL
        ),
        "encoded twice": row(
            by.called(f"POST&{by.encoded(DEPLOY_URL)}&{by.encoded(by.encoded(DEPLOY['json']))}"),
            Cause.TEXT,
            "encoded twice",
        ),
        "not encoded": row(
            by.called(f"POST&{DEPLOY_URL}&{DEPLOY['json']}"), Cause.TEXT, "without any percent-encoding"
        ),
        "the hash of the transfer": row(by.transfer_hash, Cause.HASH, "body's fields"),
        "the replaced key": row(by.posted(DEPLOY["json"], private=by.OLD_PRIVATE), Cause.REPLACED_KEY, "had before"),
    },
    ("query", C): {
        "no port": row(by.got("http://127.0.0.1/w/ci/api/v3/order"), Cause.URL, "'http://127.0.0.1/w/ci"),
        "the world left out": row(by.got("http://127.0.0.1:8080/api/v3/order"), Cause.URL, "/w/ci/api/v3/order"),
        "a slash at the end": row(by.got(WORLD_URL + "/"), Cause.URL, "order/"),
        "path only": row(by.got("/api/v3/order"), Cause.URL, "'/api/v3/order'"),
        "localhost": row(by.got(WORLD_URL.replace("127.0.0.1", "localhost")), Cause.URL, "localhost"),
        "left out": row(by.got(WORLD_URL, ""), Cause.TEXT, "query left out"),
        "a parameter left out": row(by.got(WORLD_URL, "b%3D2"), Cause.TEXT, "without a"),
        "bob's key": row(by.got(WORLD_URL, private=by.BOB_PRIVATE), Cause.OTHER_ACCOUNT, "bob"),
        "another method": row(by.called(f"POST&{by.encoded(WORLD_URL)}&b%3D2%26a%3Dx%2Cy"), Cause.TEXT, "method POST"),
    },
}
MISTAKES = {(*where, name): mistake for where, mistakes in _ROWS.items() for name, mistake in mistakes.items()}
"""By kind of request, part that is signed, and what is wrong."""
