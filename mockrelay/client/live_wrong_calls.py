"""Calls of the profile `live` that are wrong in one thing, by the id of the row, with the code that each is refused with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from mockrelay.client.facts import (
    NO_MARKET,
    NO_TOKEN,
    SOME_ADDRESS,
    SOME_HASH,
    UNKNOWN_ID,
    VALID_S,
    ZERO_ADDRESS,
    Facts,
)
from mockrelay.client.wrong_calls import WRONG_CALLS, WrongCall
from mockrelay.client.wrong_fields import ABSENT
from mockrelay.spec.codes import Code as C
from mockrelay.spec.live_endpoints import LIKE

_UNKNOWN_WORD = "nobody.eth"


def _field(path: str, id_: str, what: str, code: int, value: Any, **more: Any) -> WrongCall:
    return WrongCall(id_, what, code, {path: value}, **more)


def _unknown(path: str, what: str, code: int, **more: Any) -> WrongCall:
    return _field(path, f"unknown-{what}", f"an unknown {what}", code, UNKNOWN_ID, **more)


def _other_key(code: int) -> WrongCall:
    return WrongCall("other-key", "another account's key", code, {}, other_key=True)


def _listed(field: str, code: int) -> tuple[WrongCall, WrongCall]:
    """An unknown market in a list of them, alone and beside a known one."""

    def among(facts: Facts, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        return {field: f"{fields[field]},{NO_MARKET}"}

    return (
        _field(field, "unknown-market", "an unknown market", code, NO_MARKET),
        WrongCall("one-unknown", "an unknown market among others", code, among),
    )


_MARKET = (_field("market", "unknown-market", "an unknown market", C.MARKET_UNSUPPORTED, NO_MARKET),)
_OF_ACCOUNT = (
    _unknown("accountId", "account", C.AUTH_ACCOUNT_ID_INVALID),
    _other_key(C.AUTH_ACCOUNT_ID_INVALID),
)
"""What concerns the account is looked at first: an unknown one is as another's."""
_OWN = (_unknown("accountId", "account", C.USER_NOT_FOUND), _other_key(C.AUTH_ACCOUNT_ID_INVALID))
"""The account must be there, and be that of the key."""
_PUBLIC_KEY = tuple(
    _field(f"publicKey{axis}", f"other-key-{axis.lower()}", f"another key's {axis}", C.INVALID_ARGUMENT, "7")
    for axis in ("X", "Y")
)
_ORDER = (_field("orderHash", "unknown-order", "a hash of no order", C.ORDER_NOT_FOUND, SOME_HASH),)
_CANCEL = (_field("orderHash", "unknown-order", "a hash of no order", C.ORDERS_NOT_OPEN, SOME_HASH),)
_HISTORIES = (
    *(f"get_{kind}_{generation}" for kind in ("transfers", "withdrawals", "deposits") for generation in ("v3", "v2")),
    *("get_create_info", "get_update_info", "get_transactions_v3", "get_collection_details", "get_nft_balances"),
    *(f"get_nft_{kind}" for kind in ("mints", "transfers", "withdrawals", "deposits")),
    *(f"cancel_orders_{generation}_by_{what}" for generation in ("v3", "v2") for what in ("hash", "client_id")),
)


def _order_amount(path: str, value: Callable[[Any], int]) -> Callable[[Facts, Mapping[str, Any]], Mapping[str, Any]]:
    def changes(facts: Facts, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        sold = next(token for token in facts.tokens if token.token_id == fields["sellToken"]["tokenId"])
        return {path: str(value(sold))}

    return changes


_ORDER_GEN3 = (
    _field("exchange", "other-exchange", "another exchange", C.EXCHANGE_ID_INCORRECT, SOME_ADDRESS),
    _unknown("accountId", "account", C.ORDER_ACCOUNT_ID_INVALID),
    _other_key(C.AUTH_ACCOUNT_ID_INVALID),
    _field("sellToken.tokenId", "unknown-sold", "an unknown token to sell", C.ORDER_TOKEN_UNSUPPORTED, UNKNOWN_ID),
    _field("buyToken.tokenId", "unknown-bought", "an unknown token to buy", C.ORDER_TOKEN_UNSUPPORTED, UNKNOWN_ID),
    WrongCall(
        "no-market",
        "a token for itself",
        C.ORDER_MARKET_UNSUPPORTED,
        lambda facts, fields: {"buyToken.tokenId": fields["sellToken"]["tokenId"]},
    ),
    _field("storageId", "large-id", "a storage id of 2^32", C.ORDER_ID_INVALID, 2**32),
    _field("maxFeeBips", "no-fee", "maxFeeBips 0", C.ORDER_RATE_ILLEGAL, 0),
    _field("maxFeeBips", "large-fee", "maxFeeBips 64", C.ORDER_RATE_ILLEGAL, 64),
    _field("validUntil", "expired", "validUntil that has passed", C.ORDER_EXPIRED, 1),
    _field("allOrNone", "all-or-none", "allOrNone true", C.ORDER_NOT_VALID, True),
    WrongCall(
        "milliseconds",
        "validUntil in milliseconds",
        C.ORDER_NOT_VALID,
        lambda facts, fields: {"validUntil": (facts.now_s + VALID_S) * 1000},
    ),
    WrongCall(
        "too-small",
        "an amount below the least",
        C.ORDER_AMOUNT_TOO_SMALL,
        _order_amount("sellToken.volume", lambda sold: sold.min_order_wei - 1),
        in_every_world=False,
    ),
    _field("buyToken.volume", "nothing", "nothing to be bought", C.ORDER_AMOUNT_TOO_SMALL, "0"),
    WrongCall(
        "too-large",
        "an amount above the most",
        C.ORDER_AMOUNT_TOO_LARGE,
        _order_amount("sellToken.volume", lambda sold: sold.max_order_wei + 1),
    ),
)
_TRANSFER = (
    _field("exchange", "other-exchange", "another exchange", C.EXCHANGE_ID_INCORRECT, SOME_ADDRESS),
    _unknown("payerId", "payer", C.REQUEST_SENDER_INVALID),
    _field("payerAddr", "other-payer", "another owner of the payer", C.REQUEST_SENDER_INVALID, SOME_ADDRESS),
    _other_key(C.REQUEST_SENDER_INVALID),
    _unknown("payeeId", "payee", C.REQUEST_RECEIVER_INVALID),
    _field("payeeAddr", "to-nobody", "the zero address as payee", C.REQUEST_RECEIVER_INVALID, ZERO_ADDRESS),
    _field("maxFee.tokenId", "fee-token", "an unknown fee token", C.REQUEST_FEE_TOKEN_UNSUPPORTED, NO_TOKEN),
    _field("validUntil", "expired", "validUntil that has passed", C.INVALID_ARGUMENT, 1),
    _field("token.volume", "nothing", "nothing to transfer", C.INVALID_ARGUMENT, "0"),
)
_NFT_REQUEST = (
    _field("exchange", "other-exchange", "another exchange", C.EXCHANGE_ID_INCORRECT, SOME_ADDRESS),
    _other_key(C.REQUEST_SENDER_INVALID),
    _field("maxFee.tokenId", "fee-token", "an unknown fee token", C.REQUEST_FEE_TOKEN_UNSUPPORTED, NO_TOKEN),
    _field("validUntil", "expired", "validUntil that has passed", C.INVALID_ARGUMENT, 1),
)
_MINT = (
    *_NFT_REQUEST,
    _unknown("minterId", "minter", C.REQUEST_SENDER_INVALID),
    _field("minterAddress", "other-minter", "another minter's address", C.REQUEST_SENDER_INVALID, SOME_ADDRESS),
    _unknown("toAccountId", "receiver", C.REQUEST_RECEIVER_INVALID),
    _field("tokenAddress", "other-contract", "another contract", C.INVALID_ARGUMENT, SOME_ADDRESS),
    _field("nftType", "erc721", "nftType 1", C.INVALID_ARGUMENT, 1, early=True),
    _field("amount", "nothing", "nothing to mint", C.INVALID_ARGUMENT, "0"),
)
_TOKEN = (
    _field("token.nftData", "unknown-nft", "an unknown NFT", C.INVALID_ARGUMENT, SOME_HASH),
    _field("token.tokenId", "other-token-id", "another token id", C.INVALID_ARGUMENT, NO_TOKEN),
    _field("token.amount", "nothing", "nothing to move", C.INVALID_ARGUMENT, "0"),
)
_MOVE = (
    *_NFT_REQUEST,
    _unknown("fromAccountId", "sender", C.REQUEST_SENDER_INVALID),
    _field("fromAddress", "other-owner", "another owner", C.REQUEST_SENDER_INVALID, SOME_ADDRESS),
    *_TOKEN,
)
_NOBODY = "the zero address to pay to"

_BY_ROW: Mapping[str, tuple[WrongCall, ...]] = MappingProxyType(
    {
        **dict.fromkeys(_HISTORIES, _OF_ACCOUNT),
        **dict.fromkeys(("get_orders_v3", "get_orders_live"), _OF_ACCOUNT),
        **dict.fromkeys(("get_user_trades_v3", "get_user_trades_v2"), (*_OF_ACCOUNT, *_MARKET)),
        "get_order_v3": (*_OF_ACCOUNT[:1], *_ORDER),  # without an account it asks for the key's
        "get_order_v2": (*_OF_ACCOUNT, *_ORDER),
        **dict.fromkeys(("cancel_order_v3", "cancel_orders_v2"), (*_OF_ACCOUNT, *_CANCEL)),
        **dict.fromkeys(("post_api_key_v3", "get_balances_v3", "get_balances_v2"), _OWN),
        **dict.fromkeys(("get_api_key_v3", "get_counterfactual_info"), _OWN[:1]),
        "post_api_key_v2": (*_OWN, *_PUBLIC_KEY),
        "get_api_key_v2": (*_OWN[:1], *_PUBLIC_KEY),
        "get_offchain_fee": _OWN,
        "get_order_fee_v2": WRONG_CALLS["get_order_fee"],
        "get_storage_id_v2": (
            *_OWN,
            _field("tokenSId", "unknown-token", "an unknown token", C.ORDER_TOKEN_UNSUPPORTED, NO_TOKEN),
        ),
        "get_storage_id": (
            *_OWN,
            _field("sellTokenId", "unknown-token", "an unknown token", C.ORDER_TOKEN_UNSUPPORTED, NO_TOKEN),
        ),
        "get_order_rate_amount": (*_OWN, *_listed("market", C.INVALID_ARGUMENT)),
        "get_nft_order_rate_amount": (
            *_OWN,
            _field("feeTokenSymbol", "unknown-token", "an unknown token", C.INVALID_ARGUMENT, _UNKNOWN_WORD),
        ),
        "get_fee_rates_v2": (*_OWN, *_listed("markets", C.INVALID_ARGUMENT)),
        **dict.fromkeys(("get_depth_v3", "get_mix_depth", "get_trades_v3", "get_trades_v2"), _MARKET),
        **dict.fromkeys(
            ("get_ticker_v3", "get_mix_ticker", "get_candlestick_v3", "get_mix_candlestick"),
            _listed("market", C.MARKET_UNSUPPORTED),
        ),
        "get_account_v3": (
            WrongCall(
                "no-account", "neither owner nor account", C.INVALID_ARGUMENT, {"owner": ABSENT, "accountId": ABSENT}
            ),
            WrongCall(
                "unknown-owner",
                "an address without an account",
                C.USER_NOT_FOUND,
                {"owner": SOME_ADDRESS, "accountId": ABSENT},
                in_every_world=False,
            ),
            WrongCall(
                "unknown-account", "an unknown account", C.USER_NOT_FOUND, {"owner": ABSENT, "accountId": UNKNOWN_ID}
            ),
        ),
        "compute_token_address_live": tuple(
            wrong for wrong in WRONG_CALLS["compute_token_address"] if wrong.id == "other-factory"
        ),
        "create_collection": (
            _field("owner", "other-owner", "another owner", C.AUTH_ACCOUNT_ID_INVALID, SOME_ADDRESS),
            _other_key(C.AUTH_ACCOUNT_ID_INVALID),
            _field("nftFactory", "other-factory", "another factory", C.INVALID_ARGUMENT, SOME_ADDRESS),
        ),
        "resolve_ens": (_field("fullName", "unknown-name", "an unknown name", C.INVALID_ARGUMENT, _UNKNOWN_WORD),),
        "get_nft_data_live": (
            _field("minter", "unknown-minter", "an unknown minter", C.INVALID_ARGUMENT, str(UNKNOWN_ID)),
            _field("nftId", "unknown-nft", "an unknown NFT", C.INVALID_ARGUMENT, SOME_HASH),
        ),
        "get_nft_holders": (_field("nftData", "unknown-nft", "an unknown NFT", C.INVALID_ARGUMENT, SOME_HASH),),
        "submit_order_gen3": _ORDER_GEN3,
        "submit_order_v2": WRONG_CALLS["submit_order"],
        "submit_orders_v2": (
            WrongCall(
                "other-exchange",
                "an order for another exchange",
                C.BATCH_PARTLY_FAILED,
                lambda facts, fields: {"orders": [{**fields["orders"][0], "exchangeId": UNKNOWN_ID}]},
            ),
        ),
        "submit_transfer_v3": _TRANSFER,
        "submit_withdrawal_live": WRONG_CALLS["submit_withdrawal"],
        "update_account_live": WRONG_CALLS["update_account"],
        "mint_nft_live": _MINT,
        "transfer_nft_live": (*_MOVE, _unknown("toAccountId", "receiver", C.REQUEST_RECEIVER_INVALID)),
        "withdraw_nft_live": (
            *_MOVE,
            _field("toAddress", "to-nobody", _NOBODY, C.REQUEST_RECEIVER_INVALID, ZERO_ADDRESS),
        ),
        "withdraw_nft_real": (
            *_NFT_REQUEST,
            _unknown("accountId", "account", C.REQUEST_SENDER_INVALID),
            _field("owner", "other-owner", "another owner", C.REQUEST_SENDER_INVALID, SOME_ADDRESS),
            *_TOKEN,
            _field("to", "to-nobody", _NOBODY, C.REQUEST_RECEIVER_INVALID, ZERO_ADDRESS),
        ),
    }
)
LIVE_WRONG_CALLS: Mapping[str, tuple[WrongCall, ...]] = MappingProxyType(
    {**{row: _BY_ROW[base] for row, base in LIKE.items() if base in _BY_ROW}, **_BY_ROW}
)
