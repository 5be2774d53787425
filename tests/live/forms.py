"""The bodies of submissions under the profile live, by hand: each field, what it holds, whether it must be there, and the
codes that a wrong value of it has beside that of its form.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from mockrelay.relay import Relay
from tests.conformance.transcript import MEANINGS
from tests.live.test_rows import KEY, PRESENCE, collection, mint_live, nft_move, nft_withdrawal, order_v3, transfer_v3
from tests.support.answer import Answer
from tests.support.bodies import E18, ECDSA_SIGNATURE, EDDSA_SIGNATURE, bodies_of
from tests.support.client import advance, post
from tests.support.worlds import relay_from

LEFT_OUT: Any = object()
_KEY, _ADDRESS_DIGITS = "0x" + "01" * 96, "a" * 40
_NO_INTEGER = ("", "x", " ", "null", "true", "1.0", "1e3", "+1", "1_0", "0x1", "²", "\uff11", "9" * 5000, 1.5)
_NO_DIGITS = ("", "x", "-1", "+1", "1.0", "1e21", "1,000", " 7", "5\n", "0x10", "²", "\uff11", "9" * 5000, -1, 1.5)
_NO_ADDRESS = (
    "",
    "x",
    "0x",
    f"0x{_ADDRESS_DIGITS}a",
    f"0x{_ADDRESS_DIGITS[:-1]}g",
    _ADDRESS_DIGITS,
    f"0X{_ADDRESS_DIGITS}",
)
_OTHER_TYPES: tuple[Any, ...] = (None, True, [], [1], {}, {"a": 1})
WRONG: Mapping[str, tuple[Any, ...]] = {
    "integer": (*_NO_INTEGER, *_OTHER_TYPES),
    "account": (*_NO_INTEGER, *_OTHER_TYPES, -1, 99999, 2**63),
    "payee": (*_NO_INTEGER, *_OTHER_TYPES, -1, 99999, 2**63),
    "token": (*_NO_INTEGER, *_OTHER_TYPES, -1, 99, 2**63),
    "storage": (*_NO_INTEGER, *_OTHER_TYPES, -1, 2**32, 2**63),
    "until": (*_NO_INTEGER, *_OTHER_TYPES, -1, 0, 2**32, 2**63),
    "bips": (*_NO_INTEGER, *_OTHER_TYPES, -1, 0, 64),
    "label": (*_NO_INTEGER, *_OTHER_TYPES, -1, 65536),
    "nonce": (*_NO_INTEGER, *_OTHER_TYPES, -1, 7, 2**32),
    "royalty": (*_NO_INTEGER[1:], *_OTHER_TYPES[1:], -1, 11),
    "zero": (*_NO_INTEGER[1:], *_OTHER_TYPES[1:], 1),
    "digits": (*_NO_DIGITS, *_OTHER_TYPES),
    "address": (*_NO_ADDRESS, *_OTHER_TYPES, 5),
    "exchange": (*_NO_ADDRESS, *_OTHER_TYPES, 5, "0x" + "1" * 40),
    "hash": ("", "x", "-1", "1.0", "0x", "0x" + "g" * 64, "0x" + "1" * 65, *_OTHER_TYPES, "0x" + "1" * 64),
    "nft id": ("", "x", "0x", "0x" + "g" * 64, "0x" + "1" * 65, *_OTHER_TYPES),
    "part": ("", " ", "0", "abc", "-1", "1.0", "²", "9" * 5000, None, True, [], {}),
    "own key": ("", "x", "0x", "0xg", "7", "0x" + "1" * 65, *_OTHER_TYPES, 5),
    "coordinate": ("", "x", "0x", "0xg", "0x" + "f" * 64, "0x" + "1" * 65, *_OTHER_TYPES, 5),
    "flag": ("", "x", "2", "yes", 2, -1, 1.5, None, [], {}),
    "false": ("x", "true", True, 1, 2, [], {}),
    "eddsa": ("", " ", "x", "0x", _KEY[:-1], f"{_KEY}0", f"0x{'f' * 192}", f"0x{'g' * 192}", *_OTHER_TYPES, 5),
    "optional eddsa": ("x", "0x", _KEY[:-1], f"{_KEY}0", f"0x{'f' * 192}", *_OTHER_TYPES[1:], 5),
    "optional ecdsa": ("x", "0x", "0x" + "1" * 129, "0x" + "1" * 131, "0x" + "g" * 130, *_OTHER_TYPES[1:], 5),
    "optional hash": ("x", "0x", "0x" + "1" * 63, "0x" + "g" * 64, *_OTHER_TYPES[1:], 5),
    "bytes": ("x", "0", "0x0", "0x0g", *_OTHER_TYPES[1:], 5),
    "text": (*_OTHER_TYPES[1:], 5, 1.5, "\ud800", "\x00"),
    "client text": ("", *_OTHER_TYPES, 5, 1.5),
    "client id": (*_OTHER_TYPES[1:], 5, 1.5, "\ud800", "\x00", "x" * 121, "é" * 61),
    "word": ("FOO", "LIMIT_ORDER ", "1", *_OTHER_TYPES[1:], 5),
    "object": ("", "x", 1, None, True, [], [1]),
    "optional object": ("x", 1, True, [], [1]),
}
"""Values that no field of the kind may have in any of the loose forms in which clients write it."""


class LiveField(NamedTuple):
    """A field of a body. `name` has the fields around it before dots."""

    name: str
    kind: str
    own: tuple[int, ...] = ()
    required: bool = True


class LiveForm(NamedTuple):
    """The body of a row's request. `shape`: the code of a form that is wrong."""

    row_id: str
    shape: int
    fields: tuple[LiveField, ...]


F = LiveField
_SENT = (F("exchange", "exchange", (102001,)), F("storageId", "storage", (102021,)), F("validUntil", "until"))
_FEE = (F("maxFee", "object"), F("maxFee.tokenId", "token", (102024,)))
_SIGNED = (
    F("eddsaSignature", "optional eddsa", (104005,), required=False),
    F("hashApproved", "optional hash", (104005,), required=False),
)
_OWNER_SIGNED = (*_SIGNED, F("ecdsaSignature", "optional ecdsa", (104005,), required=False))
_MEMO = F("memo", "text", required=False)
_WALLET = (
    F("counterFactualInfo", "optional object", required=False),
    F("counterFactualInfo.walletFactory", "address"),
    F("counterFactualInfo.walletOwner", "address"),
    F("counterFactualInfo.walletSalt", "text"),
)
_GEN2_ORDER = (
    F("exchangeId", "integer", (102001,)),
    F("orderId", "storage", (102004,)),
    F("accountId", "account", (102003,)),
    F("tokenSId", "token", (102002,)),
    F("tokenBId", "token", (102002,)),
    F("amountS", "digits", (102012,)),
    F("amountB", "digits", (102012,)),
    F("buy", "flag"),
    F("allOrNone", "false", required=False),
    F("label", "label"),
    F("validSince", "integer"),
    F("validUntil", "until", (102008,)),
    F("maxFeeBips", "bips", (102006,)),
    *(F(f"signature{part}", "part", (102010, 104004, 104005)) for part in ("Rx", "Ry", "S")),
    F("clientOrderId", "text", required=False),
    F("orderType", "word", required=False),
)
_NFT_TOKEN = (F("token", "object"), F("token.nftData", "hash"), F("token.amount", "digits"))
_NFT_MOVE = (
    *(*_SENT, *_FEE, F("maxFee.amount", "digits", (114002,)), *_NFT_TOKEN),
    F("fromAccountId", "account", (102022,)),
    F("fromAddress", "address", (102022,), required=False),
)
_WITHDRAWAL = (
    *(*_SENT, *_FEE, *_OWNER_SIGNED, *_WALLET, F("maxFee.volume", "digits")),
    F("accountId", "account", (102022,)),
    F("owner", "address", (102022,)),
    F("token", "object"),
    F("token.tokenId", "token"),
    F("token.volume", "digits"),
    F("to", "address", (102023,)),
    F("minGas", "integer"),
    F("extraData", "bytes", required=False),
)
_UPDATE = (
    *(_SENT[0], *_FEE, *_OWNER_SIGNED, F("maxFee.volume", "digits")),
    F("accountId", "account", (102022,)),
    F("owner", "address", (102022,)),
    F("publicKey", "object"),
    F("publicKey.x", "coordinate"),
    F("publicKey.y", "coordinate"),
    F("validUntil", "until"),
    F("nonce", "nonce", (102021,)),
    F("keySeed", "text", required=False),
)
FORMS = (
    LiveForm(
        "submit_order_gen3",
        102120,
        (
            F("exchange", "exchange", (102001,)),
            F("accountId", "account", (102003,)),
            F("storageId", "storage", (102004,)),
            F("sellToken", "object"),
            F("sellToken.tokenId", "token", (102002,)),
            F("sellToken.volume", "digits", (102012,)),
            F("buyToken", "object"),
            F("buyToken.tokenId", "token", (102002,)),
            F("buyToken.volume", "digits", (102012,)),
            F("validUntil", "until", (102008,)),
            F("maxFeeBips", "bips", (102006,)),
            F("fillAmountBOrS", "flag"),
            F("allOrNone", "false", required=False),
            F("eddsaSignature", "eddsa", (102010, 104004, 104005)),
            F("clientOrderId", "client id", required=False),
            F("orderType", "word", required=False),
            F("tradeChannel", "word", required=False),
            F("taker", "address", required=False),
        ),
    ),
    LiveForm("submit_order_v2", 102120, _GEN2_ORDER),
    LiveForm(
        "submit_transfer_v3",
        100001,
        (
            *(*_SENT, *_FEE, *_OWNER_SIGNED, *_WALLET, _MEMO, F("clientId", "text", required=False)),
            F("maxFee.volume", "digits"),
            F("payerId", "account", (102022,)),
            F("payerAddr", "address", (102022,)),
            F("payeeId", "payee", (102023,)),
            F("payeeAddr", "address", (102023,)),
            F("token", "object"),
            F("token.tokenId", "token"),
            F("token.volume", "digits"),
        ),
    ),
    *(LiveForm(row_id, 100001, _WITHDRAWAL) for row_id in ("submit_withdrawal_live", "submit_withdrawal_v2")),
    *(LiveForm(row_id, 100001, _UPDATE) for row_id in ("update_account_live", "update_account_v2")),
    LiveForm(
        "mint_nft_live",
        100001,
        (
            *(*_SENT, *_FEE, F("maxFee.amount", "digits", (114002,)), *_SIGNED, _MEMO),
            F("minterId", "account", (102022,)),
            F("minterAddress", "address", (102022,), required=False),
            F("toAccountId", "payee", (102023,)),
            F("toAddress", "address", (102023,), required=False),
            F("nftType", "zero", required=False),
            F("tokenAddress", "address"),
            F("nftId", "nft id"),
            F("amount", "digits"),
            F("royaltyPercentage", "royalty", required=False),
            F("counterFactualNftInfo", "optional object", required=False),
            F("counterFactualNftInfo.nftFactory", "exchange"),
            F("counterFactualNftInfo.nftOwner", "address"),
        ),
    ),
    LiveForm(
        "transfer_nft_live",
        100001,
        (
            *(*_NFT_MOVE, *_OWNER_SIGNED, _MEMO),
            F("toAccountId", "payee", (102023,)),
            F("toAddress", "address", (102023,)),
        ),
    ),
    LiveForm("withdraw_nft_live", 100001, (*_NFT_MOVE, F("toAddress", "address", (102023,), required=False))),
    LiveForm(
        "withdraw_nft_real",
        100001,
        (
            *(*_SENT, *_FEE, F("maxFee.amount", "digits", (114002,)), *_NFT_TOKEN, *_OWNER_SIGNED, _MEMO),
            F("accountId", "account", (102022,)),
            F("owner", "address", (102022,)),
            F("to", "address", (102023,)),
            F("minGas", "integer"),
            F("extraData", "bytes", required=False),
        ),
    ),
    LiveForm(
        "create_collection",
        100001,
        (
            *(F("name", "client text"), F("owner", "address", (104003,)), F("nftFactory", "exchange")),
            *(F(name, "text", required=False) for name in ("description", "avatar", "banner", "tileUri")),
        ),
    ),
    LiveForm("post_api_key_v3", 100001, (F("accountId", "account", (101002,)),)),
    LiveForm(
        "post_api_key_v2",
        100001,
        (F("accountId", "account", (101002,)), F("publicKeyX", "own key"), F("publicKeyY", "own key")),
    ),
)


class Sent(NamedTuple):
    """A right request of a row: its body, and the signature of its header."""

    body: dict[str, Any]
    signature: str | None = ECDSA_SIGNATURE


def prepared() -> Relay:
    """Alice has minted 5 of an NFT (storage id 901 of LRC) and withdrawn an LRC (903), and has her contract deployed (905)."""
    relay = relay_from("live_v3", choices=PRESENCE)
    bodies, contract = bodies_of(relay), mint_live(relay, 0)["tokenAddress"]
    minted = post(relay, "/api/v3/nft/mint", mint_live(relay, 901)).json
    assert post(relay, "/api/v3/user/withdrawals", bodies.withdrawal(903), signature=ECDSA_SIGNATURE).code == 0
    deployment = bodies.deployment(minted["nftData"], contract, 905)
    assert post(relay, "/api/v3/nft/deployTokenAddress", deployment, signature=EDDSA_SIGNATURE).code == 0
    advance(relay, "20s")
    return relay


def right_requests(relay: Relay) -> dict[str, Sent]:
    """A right request of each row in `prepared()`, by the row's id, with all optional objects."""
    bodies, alice = bodies_of(relay), relay.world.accounts[10001]
    (nft,) = relay.world.nfts.values()
    token = {"tokenId": nft.nft_token_id, "nftData": nft.nft_data, "amount": "1"}
    wallet = {"walletFactory": "0x" + "1" * 40, "walletOwner": "0x" + "2" * 40, "walletSalt": "7"}
    withdrawal_fee = {"maxFee": {"tokenId": 1, "amount": str(E18 // 10)}}
    api_key = {"accountId": 10001}
    return {
        "submit_order_gen3": Sent(order_v3(relay, 20), None),
        "submit_order_v2": Sent(bodies.order(22), None),
        "submit_transfer": Sent(bodies.transfer(0)),
        "submit_transfer_v3": Sent(transfer_v3(relay, 21, counterFactualInfo=wallet)),
        **dict.fromkeys(
            ("submit_withdrawal_live", "submit_withdrawal_v2"), Sent(bodies.withdrawal(23, counterFactualInfo=wallet))
        ),
        **dict.fromkeys(
            ("update_account_live", "update_account_v2"), Sent(bodies.update(0, alice.public_key_x, alice.public_key_y))
        ),
        "create_collection": Sent(collection(relay), EDDSA_SIGNATURE),
        "mint_nft_live": Sent(mint_live(relay, 25, nftId="0x8"), None),
        "transfer_nft_live": Sent(nft_move(relay, token, 27)),
        "withdraw_nft_live": Sent(nft_move(relay, token, 29, **withdrawal_fee)),
        "withdraw_nft_real": Sent(nft_withdrawal(relay, token, 31)),
        "post_api_key_v3": Sent(api_key, EDDSA_SIGNATURE),
        "post_api_key_v2": Sent(api_key | dict(KEY), EDDSA_SIGNATURE),
    }


def changed(body: Mapping[str, Any], name: str, value: Any) -> dict[str, Any]:
    """The body with another value of a field, or without it; `name` has the fields around it before dots."""
    outer, dot, inner = name.partition(".")
    if dot:
        return {**body, outer: changed(body.get(outer, {}), inner, value)}
    return {each: old for each, old in {**body, outer: value}.items() if old is not LEFT_OUT}


def refused(answer: Answer, status: int, codes: Collection[int], *named: str) -> None:
    """It is a refusal in the one error shape, with one of the codes, and a message that names what is told."""
    assert set(answer.json) == {"resultInfo"}, answer
    assert set(answer.json["resultInfo"]) == {"code", "message"}, answer
    assert (answer.status, answer.code in codes) == (status, True), f"expected one of {sorted(codes)}: {answer.body!r}"
    assert answer.message.startswith(MEANINGS.get(answer.code, "")), answer
    for word in named:
        assert word in answer.message, f"{word} is not named: {answer.body!r}"


def wrong_values(form: LiveForm, field: LiveField) -> Iterator[tuple[Any, frozenset[int]]]:
    """The wrong values of a field, and the codes that may answer each. One that may be absent may also be empty."""
    codes = frozenset({form.shape, *field.own})
    values = (*WRONG[field.kind], LEFT_OUT)
    yield from ((value, codes) for value in values if field.required or value not in ("", None, LEFT_OUT))
