"""Calls that are wrong in one thing, as a table by endpoint, with the code that each is refused with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from mockrelay.client.facts import (
    NFT_CODES,
    NO_MARKET,
    NO_TOKEN,
    SIGNATURE_PARTS,
    SOME_ADDRESS,
    SOME_HASH,
    UNKNOWN_ID,
    VALID_S,
    ZERO_ADDRESS,
    Facts,
)
from mockrelay.client.wrong_fields import ABSENT, with_field
from mockrelay.signing.parameters import SNARK_FIELD
from mockrelay.spec.codes import Code as C
from mockrelay.wire.schemas import Option

NO_SIGNATURE = "0x12"
"""Hex that has the form of no signature."""

Fields = Mapping[str, Any]
Codes = int | Mapping[int, Option | None]
"""The code of a refusal; or those that it may have, each with the option of a choice that it shows."""


class WrongCall(NamedTuple):
    """A right call to an endpoint with one thing wrong, and the code that it is refused with."""

    id: str
    what: str
    """What is wrong, in words."""
    codes: Codes
    changes: Fields | Callable[[Facts, Fields], Fields]
    """Values by the paths of their fields; or a function of the facts and the right call's fields."""
    other_key: bool = False
    """Whether it carries another account's API key."""
    signature: str = ""
    """The header X-API-SIG, where that is wrong."""
    of_signature: bool = False
    """Whether a signature is wrong: only a relayer that looks at them refuses it."""
    in_spec: bool = True
    """Whether the spec shows the code; False: it is the code of a mockrelay."""
    in_every_world: bool = True
    """Whether it is wrong in every world; False: there may be a world where the value is right, such as a fee of 0."""
    early: bool = False
    """Whether it is refused before signatures are looked at, although others are refused with the same code later."""
    section: str | None = None
    """The part of the spec that says so, where it is not the endpoint's own."""

    def apply(self, facts: Facts, fields: Fields) -> dict[str, Any]:
        """The fields of the wrong call, by those of a right one."""
        found = dict(fields)
        for path, value in self.changes_of(facts, fields).items():
            found = with_field(found, path, value)
        return found

    def changes_of(self, facts: Facts, fields: Fields) -> Fields:
        """Values by the paths of their fields."""
        return self.changes(facts, fields) if callable(self.changes) else self.changes


def _field(path: str, id_: str, what: str, codes: Codes, value: Any, **more: Any) -> WrongCall:
    return WrongCall(id_, what, codes, {path: value}, **more)


def _unknown(path: str, what: str, codes: Codes, **more: Any) -> WrongCall:
    """An id that nothing has, in the field of a thing (`what`)."""
    return WrongCall(f"unknown-{what}", f"an unknown {what}", codes, {path: UNKNOWN_ID}, **more)


def _market(codes: Codes, **more: Any) -> WrongCall:
    return WrongCall("unknown-market", "an unknown market", codes, {"market": NO_MARKET}, **more)


def _other_key(codes: Codes, **more: Any) -> WrongCall:
    return WrongCall("other-key", "another account's key", codes, {}, other_key=True, **more)


def _address(id_: str, path: str, what: str, codes: Codes, **more: Any) -> WrongCall:
    return WrongCall(id_, what, codes, {path: SOME_ADDRESS}, **more)


def _expired(codes: Codes) -> WrongCall:
    return WrongCall("expired", "validUntil that has passed", codes, {"validUntil": 1})


def _no_fee(path: str, codes: Codes, **more: Any) -> WrongCall:
    return WrongCall("low-fee", "a fee of nothing", codes, {path: "0"}, in_every_world=False, **more)


def _sold(facts: Facts, fields: Fields) -> Any:
    return next(token for token in facts.tokens if token.token_id == fields["tokenSId"])


def _too_small(facts: Facts, fields: Fields) -> Fields:
    return {"amountS": str(_sold(facts, fields).min_order_wei - 1)}


def _too_large(facts: Facts, fields: Fields) -> Fields:
    return {"amountS": str(_sold(facts, fields).max_order_wei + 1)}


_LARGE_PART = str(SNARK_FIELD)
_HEADER = WrongCall(
    "short-signature",
    "a header X-API-SIG that is not a signature",
    C.AUTH_SIGNATURE_WRONG,
    {},
    signature=NO_SIGNATURE,
    of_signature=True,
)


def _parts(missing: C) -> tuple[WrongCall, ...]:
    wrong = C.AUTH_SIGNATURE_WRONG
    return (
        WrongCall("no-part", "a signature part left out", missing, {"signatureRx": ABSENT}, of_signature=True),
        *(
            WrongCall(f"large-{part}", f"{part} beyond the field", wrong, {part: _LARGE_PART}, of_signature=True)
            for part in SIGNATURE_PARTS
        ),
    )


_LIMITS = "Limits"
_ORDER = (
    _field("exchangeId", "other-exchange", "another exchange", C.EXCHANGE_ID_INCORRECT, UNKNOWN_ID),
    _unknown("accountId", "account", C.ORDER_ACCOUNT_ID_INVALID),
    _other_key(C.AUTH_ACCOUNT_ID_INVALID),
    _field("tokenSId", "unknown-sold", "an unknown token to sell", C.ORDER_TOKEN_UNSUPPORTED, UNKNOWN_ID),
    _field("tokenBId", "unknown-bought", "an unknown token to buy", C.ORDER_TOKEN_UNSUPPORTED, UNKNOWN_ID),
    WrongCall(
        "no-market",
        "a token for itself",
        C.ORDER_MARKET_UNSUPPORTED,
        lambda facts, fields: {"tokenBId": fields["tokenSId"]},
    ),
    _field("orderId", "large-id", "an order id of 2^32", C.ORDER_ID_INVALID, 2**32),
    _field("maxFeeBips", "no-fee", "maxFeeBips 0", C.ORDER_RATE_ILLEGAL, 0, section=_LIMITS),
    _field("maxFeeBips", "large-fee", "maxFeeBips 64", C.ORDER_RATE_ILLEGAL, 64, section=_LIMITS),
    WrongCall("expired", "validUntil that has passed", C.ORDER_EXPIRED, {"validSince": 0, "validUntil": 1}),
    _field("allOrNone", "all-or-none", "allOrNone true", C.ORDER_NOT_VALID, "true"),
    _field("label", "large-label", "a label of 2^16", C.ORDER_NOT_VALID, 2**16, section=_LIMITS),
    WrongCall(
        "late-start",
        "validSince after validUntil",
        C.ORDER_NOT_VALID,
        lambda facts, fields: {"validSince": fields["validUntil"] + 1},
    ),
    WrongCall(
        "milliseconds",
        "validUntil in milliseconds",
        C.ORDER_NOT_VALID,
        lambda facts, fields: {"validUntil": (facts.now_s + VALID_S) * 1000},
        section="Conventions 4",
    ),
    WrongCall(
        "too-small",
        "an amount below minOrderAmount",
        C.ORDER_AMOUNT_TOO_SMALL,
        _too_small,
        in_every_world=False,
        section=_LIMITS,
    ),
    _field("amountB", "nothing", "nothing to be bought", C.ORDER_AMOUNT_TOO_SMALL, "0"),
    WrongCall("too-large", "an amount above maxOrderAmount", C.ORDER_AMOUNT_TOO_LARGE, _too_large, section=_LIMITS),
    _field("signatureS", "zero-part", "a signature part of zero", C.AUTH_SIGNATURE_MISSING, "0", of_signature=True),
    *_parts(C.ORDER_SIGNATURE_MISSING),
)
_TRANSFER = (
    _field("exchangeId", "other-exchange", "another exchange", C.EXCHANGE_ID_INCORRECT, UNKNOWN_ID),
    _unknown("sender", "sender", C.REQUEST_SENDER_INVALID),
    _other_key(C.REQUEST_SENDER_INVALID),
    _unknown("receiver", "receiver", C.REQUEST_RECEIVER_INVALID),
    _field("tokenF", "fee-token", "an unknown fee token", C.REQUEST_FEE_TOKEN_UNSUPPORTED, UNKNOWN_ID),
    _field("nonce", "nonce", "a nonce far ahead", C.REQUEST_NONCE_INVALID, 10**6),
    _field("amount", "nothing", "nothing to transfer", C.UNKNOWN_ERROR, "0", in_spec=False),
    _no_fee("amountF", C.UNKNOWN_ERROR, in_spec=False),
    *_parts(C.AUTH_SIGNATURE_MISSING),
)
_GEN3 = (
    _address("other-exchange", "exchange", "another exchange", C.EXCHANGE_ID_INCORRECT),
    _unknown("accountId", "account", C.REQUEST_SENDER_INVALID),
    _address("other-owner", "owner", "another owner", C.REQUEST_SENDER_INVALID),
    _field("maxFee.tokenId", "fee-token", "an unknown fee token", C.REQUEST_FEE_TOKEN_UNSUPPORTED, NO_TOKEN),
    _expired(C.INVALID_ARGUMENT),
    _HEADER,
)
_WITHDRAWAL = (
    *_GEN3,
    _other_key(C.REQUEST_SENDER_INVALID, in_spec=False),
    _field("to", "to-nobody", "the zero address to pay to", C.REQUEST_RECEIVER_INVALID, ZERO_ADDRESS, in_spec=False),
    _field("token.volume", "nothing", "nothing to withdraw", C.INVALID_ARGUMENT, "0", in_spec=False),
    _no_fee("maxFee.volume", C.INVALID_ARGUMENT, in_spec=False),
)
_UPDATE = (
    *_GEN3,
    _field("nonce", "nonce", "a nonce far ahead", C.REQUEST_NONCE_INVALID, 10**6),
)
_NFT_REQUEST = (
    _address("other-exchange", "exchange", "another exchange", NFT_CODES, early=True),
    _other_key(NFT_CODES, early=True),
    _field("maxFee.tokenId", "fee-token", "an unknown fee token", NFT_CODES, UNKNOWN_ID, early=True, in_spec=False),
    _expired(NFT_CODES),
)
_TO = (
    _unknown("toAccountId", "receiver", NFT_CODES, early=True),
    _address("other-receiver", "toAddress", "another owner of the receiver", NFT_CODES, early=True, in_spec=False),
)
_MINT = (
    *_NFT_REQUEST,
    *_TO,
    _unknown("minterId", "minter", NFT_CODES, early=True),
    _address("other-minter", "minterAddress", "another minter's address", NFT_CODES, early=True),
    _address("other-contract", "tokenAddress", "another contract", NFT_CODES, early=True),
    _address("other-factory", "counterFactualNftInfo.nftFactory", "another factory", NFT_CODES, early=True),
    _address(
        "other-nft-owner",
        "counterFactualNftInfo.nftOwner",
        "another owner's contract",
        NFT_CODES,
        early=True,
        in_spec=False,
    ),
    _field("nftType", "erc721", "nftType 1", NFT_CODES, 1, early=True, section=_LIMITS),
    _field("nftId", "short-id", "an NFT id without its leading zeros", NFT_CODES, "0x1", early=True),
    _field("amount", "nothing", "nothing to mint", NFT_CODES, "0"),
    _no_fee("maxFee.amount", NFT_CODES),
)
_MOVE = (
    *_NFT_REQUEST,
    _unknown("fromAccountId", "sender", NFT_CODES, early=True),
    _address("other-owner", "fromAddress", "another owner", NFT_CODES, early=True),
    _field("token.nftData", "unknown-nft", "an unknown NFT", NFT_CODES, SOME_HASH, early=True),
    _field("token.tokenId", "other-token-id", "another token id", NFT_CODES, UNKNOWN_ID, early=True, in_spec=False),
    _field("token.amount", "nothing", "nothing to move", NFT_CODES, "0"),
)
_DEPLOY = (
    _address("other-exchange", "transfer.exchange", "another exchange", NFT_CODES, early=True),
    _unknown("transfer.payerId", "payer", NFT_CODES, early=True),
    _address("other-payer", "transfer.payerAddr", "another owner of the payer", NFT_CODES, early=True),
    _other_key(NFT_CODES, early=True),
    _address("other-payee", "transfer.payeeAddr", "a payee but the broker", NFT_CODES, early=True),
    _field("transfer.payeeId", "payee-id", "a payeeId but 0", NFT_CODES, 1, early=True),
    _field("transfer.maxFee.tokenId", "two-tokens", "maxFee in another token", NFT_CODES, UNKNOWN_ID, early=True),
    WrongCall(
        "fee-token",
        "an unknown fee token",
        NFT_CODES,
        {"transfer.maxFee.tokenId": UNKNOWN_ID, "transfer.token.tokenId": UNKNOWN_ID},
        early=True,
    ),
    _field("nftData", "unknown-nft", "an unknown NFT", NFT_CODES, SOME_HASH, early=True),
    _address("other-contract", "tokenAddress", "nobody's contract", NFT_CODES, early=True),
    _no_fee("transfer.token.volume", NFT_CODES),
    _HEADER,
)

WRONG_CALLS: Mapping[str, tuple[WrongCall, ...]] = MappingProxyType(
    {
        "get_account": (
            WrongCall(
                "unknown-owner",
                "an address without an account",
                {101_001: ("account.unknown", "by_layer"), 101_002: ("account.unknown", "101002")},
                {"owner": SOME_ADDRESS},
                in_every_world=False,
            ),
        ),
        "get_depth": (
            _market(C.MARKET_UNSUPPORTED),
            _field(
                "level",
                "unknown-level",
                "a level that the market does not have",
                C.DEPTH_LEVEL_UNSUPPORTED,
                -1,
                in_every_world=False,
            ),
        ),
        "get_candlestick": (
            _market(C.INVALID_ARGUMENT),
            WrongCall(
                "two-markets",
                "more than one market",
                C.INVALID_ARGUMENT,
                lambda facts, fields: {"market": f"{fields['market']},{NO_MARKET}"},
            ),
            WrongCall("start-after-end", "a start after the end", C.INVALID_ARGUMENT, {"start": 2, "end": 1}),
        ),
        "get_ticker": (
            _market(C.INVALID_ARGUMENT),
            WrongCall(
                "one-unknown",
                "an unknown market among others",
                C.INVALID_ARGUMENT,
                lambda facts, fields: {"market": f"{fields['market']},{NO_MARKET}"},
            ),
        ),
        "get_order_fee": (
            _unknown("accountId", "account", C.UNKNOWN_ERROR, in_spec=False),
            _market(C.UNKNOWN_ERROR, in_spec=False),
            _unknown("tokenB", "token", C.UNKNOWN_ERROR, in_spec=False),
            _other_key(C.UNKNOWN_ERROR, in_spec=False),
        ),
        "get_order_id": (
            _unknown("accountId", "account", C.AUTH_ACCOUNT_ID_INVALID),
            _other_key(C.AUTH_ACCOUNT_ID_INVALID),
            _unknown("tokenSId", "token", C.UNKNOWN_ERROR, in_spec=False),
        ),
        "get_orders": (
            _field("accountId", "no-account", "no account id", C.USER_ID_EMPTY, ABSENT),
            _unknown("accountId", "account", C.AUTH_ACCOUNT_ID_INVALID),
            _other_key(C.AUTH_ACCOUNT_ID_INVALID),
            _market(C.UNKNOWN_ERROR, in_spec=False),
        ),
        "get_nft_data": (
            _field("minter", "unknown-minter", "an unknown minter", C.AUTH_ACCOUNT_ID_INVALID, str(UNKNOWN_ID)),
            _field("nftId", "unknown-nft", "an unknown NFT", NFT_CODES, SOME_HASH),
        ),
        "compute_token_address": (
            _field("nftBaseUri", "base-uri", "a base URI", NFT_CODES, "x"),
            _address("other-factory", "nftFactory", "another factory", NFT_CODES),
        ),
        "get_nft_fee": (_unknown("accountId", "account", NFT_CODES, in_spec=False),),
        "submit_order": _ORDER,
        "submit_transfer": _TRANSFER,
        "submit_withdrawal": _WITHDRAWAL,
        "update_account": _UPDATE,
        "mint_nft": _MINT,
        "transfer_nft": (*_MOVE, *_TO),
        "withdraw_nft": (
            *_MOVE,
            _field(
                "toAddress",
                "to-nobody",
                "the zero address to pay to",
                NFT_CODES,
                ZERO_ADDRESS,
                early=True,
                in_spec=False,
            ),
        ),
        "deploy_nft_contract": _DEPLOY,
    }
)
"""By endpoint. A wrong deployment is refused only before its contract is deployed: afterwards it is answered as it was."""
