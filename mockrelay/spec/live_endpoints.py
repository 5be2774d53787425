"""The rows that the profile `live` adds: calls of published clients that the specification does not have.

`section` is the letter and number of the call: E of the third generation, whose answers are bare, F of the second, whose
answers are enveloped, 7 the WebSockets of both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from http import HTTPStatus
from types import MappingProxyType

from mockrelay.spec.codes import Code as C
from mockrelay.spec.endpoint import (
    LIVE,
    SIGNATURE_BEFORE_RULES,
    Endpoint,
    Judged,
    KeyHeader,
    SignatureHeader,
    Step,
    listed,
)
from mockrelay.spec.spec_endpoints import ENDPOINTS

_PER_SECOND = {"E": 5, "F": 3, "7": 5}
"""The rate limit of each generation's calls, and of opening WebSockets."""


def _read(
    section: str, name: str, path: str, *codes: C, method: str = "GET", enveloped: bool | None = None
) -> Endpoint:
    """A call that needs no key."""
    return Endpoint(
        section=section,
        name=name,
        method=method,
        path=path,
        key=KeyHeader.NOT_LISTED,
        public=True,
        signature=None,
        enveloped=section.startswith("F") if enveloped is None else enveloped,
        per_second=_PER_SECOND[section[0]],
        nft=False,
        shape=C.INVALID_ARGUMENT,
        codes=listed(*codes, C.INVALID_ARGUMENT, C.UNKNOWN_ERROR),
        profile=LIVE,
    )


def _call(
    section: str,
    name: str,
    path: str,
    *codes: C,
    method: str = "GET",
    key: KeyHeader = KeyHeader.REQUIRED,
    signature: SignatureHeader | None = None,
    unknown_account: C = C.USER_NOT_FOUND,
    missing: C | None = None,
) -> Endpoint:
    """A call of an account, which brings its key, a signature, or both. `missing`: the code where what it asks for is not
    named at all.
    """
    own_key = (C.AUTH_KEY_EMPTY, C.AUTH_KEY_INVALID) if key is KeyHeader.REQUIRED else ()
    of_account = (unknown_account, *(code for code in codes if code is C.AUTH_ACCOUNT_ID_INVALID))
    signed = (C.AUTH_SIGNATURE_MISSING, C.AUTH_SIGNATURE_WRONG) if signature is not None else ()
    unnamed = () if missing is None else (missing,)
    listed_codes = dict.fromkeys((*own_key, *unnamed, *of_account, *signed, *codes))
    row = _read(section, name, path, *listed_codes, method=method)
    return replace(row, key=key, public=False, signature=signature)


def _of_orders(
    section: str, name: str, path: str, *codes: C, method: str = "GET", missing: C | None = None
) -> Endpoint:
    """A call about an account's orders and trades; one that cancels is signed as a whole."""
    signature = SignatureHeader.EDDSA if method == "DELETE" else None
    unknown = C.AUTH_ACCOUNT_ID_INVALID
    return _call(
        section, name, path, *codes, method=method, signature=signature, unknown_account=unknown, missing=missing
    )


_SPEC = {row.name: row for row in ENDPOINTS}
_BODY_SIGNATURES = ("eddsaSignature", "ecdsaSignature")


def _live_form(section: str, name: str, *, body_signatures: tuple[str, ...] = ()) -> Endpoint:
    """A row of the specification that answers otherwise in this profile."""
    row = _SPEC[name]
    per_second = row.per_second or _PER_SECOND[section[0]]
    return replace(
        row, section=section, profile=LIVE, form="live", per_second=per_second, body_signatures=body_signatures
    )


def _nft_form(
    section: str,
    name: str,
    *codes: C,
    before: tuple[C, ...] = (),
    form: str = "live",
    recognized_by: tuple[str, ...] = (),
) -> Endpoint:
    """A submission of NFTs in a form of this profile, with codes of its own; those of `before` are judged ahead of the
    receiver's.
    """
    every = (
        *(C.AUTH_KEY_EMPTY, C.AUTH_KEY_INVALID, C.EXCHANGE_ID_INCORRECT, C.REQUEST_SENDER_INVALID),
        *(*before, C.REQUEST_RECEIVER_INVALID, C.REQUEST_FEE_TOKEN_UNSUPPORTED, C.AUTH_SIGNATURE_MISSING),
        *(C.AUTH_SIGNATURE_WRONG, C.REQUEST_NONCE_INVALID, *codes, C.INVALID_ARGUMENT, C.UNKNOWN_ERROR),
    )
    row = replace(_live_form(section, name), key=KeyHeader.REQUIRED, shape=C.INVALID_ARGUMENT, codes=listed(*every))
    return replace(row, form=form, recognized_by=frozenset(recognized_by))


def _of_account(section: str, name: str, path: str, *codes: C, missing: C | None = None) -> Endpoint:
    """A query about an account, with its key."""
    return _call(section, name, path, *codes, unknown_account=C.AUTH_ACCOUNT_ID_INVALID, missing=missing)


def _history(section: str, name: str, path: str) -> Endpoint:
    """A history of an account."""
    return _of_account(section, name, path, missing=C.USER_ID_EMPTY)


def _socket(name: str, path: str, *codes: C) -> Endpoint:
    """A WebSocket: the request that opens it."""
    row = _read("7", name, path, *codes, enveloped=False)
    return replace(row, upgrades=True)


def _enveloped(base: Endpoint, name: str, path: str) -> Endpoint:
    """A call of the third generation on a path of the second."""
    return replace(
        base,
        section="F25",
        name=name,
        path=path,
        form="",
        like=base.id,
        enveloped=True,
        per_second=_PER_SECOND["F"],
        profile=LIVE,
    )


_NODE = (C.LAYER1_REQUEST_FAILED, C.LAYER1_NODE_ERROR)

_ROWS: tuple[Endpoint, ...] = (
    _read("E1", "get_timestamp_v3", "/api/v3/timestamp"),
    _read("E2", "get_tokens_v3", "/api/v3/exchange/tokens"),
    _read("E3", "get_markets_v3", "/api/v3/exchange/markets"),
    _read("E4", "get_mix_markets", "/api/v3/mix/markets"),
    _read("E5", "get_exchange_info_v3", "/api/v3/exchange/info"),
    _read("E6", "get_amm_pools", "/api/v3/amm/pools"),
    _read("E7", "get_account_v3", "/api/v3/account", C.USER_NOT_FOUND),
    _call(
        "E8",
        "get_api_key_v3",
        "/api/v3/apiKey",
        key=KeyHeader.NOT_LISTED,
        signature=SignatureHeader.EDDSA,
    ),
    _call(
        "E9",
        "post_api_key_v3",
        "/api/v3/apiKey",
        C.AUTH_ACCOUNT_ID_INVALID,
        method="POST",
        signature=SignatureHeader.EDDSA,
    ),
    _live_form("E10", "update_account", body_signatures=_BODY_SIGNATURES),
    _call("E11", "get_storage_id", "/api/v3/storageId", C.AUTH_ACCOUNT_ID_INVALID, C.ORDER_TOKEN_UNSUPPORTED),
    _call("E12", "get_balances_v3", "/api/v3/user/balances", C.AUTH_ACCOUNT_ID_INVALID),
    _read("E13", "get_depth_v3", "/api/v3/depth", C.MARKET_UNSUPPORTED),
    _read("E13", "get_mix_depth", "/api/v3/mix/depth", C.MARKET_UNSUPPORTED),
    _read("E14", "get_ticker_v3", "/api/v3/ticker", C.MARKET_UNSUPPORTED),
    _read("E14", "get_mix_ticker", "/api/v3/mix/ticker", C.MARKET_UNSUPPORTED),
    _read("E15", "get_candlestick_v3", "/api/v3/candlestick", C.MARKET_UNSUPPORTED),
    _read("E15", "get_mix_candlestick", "/api/v3/mix/candlestick", C.MARKET_UNSUPPORTED),
    _read("E16", "get_trades_v3", "/api/v3/trade", C.MARKET_UNSUPPORTED),
    _read("E17", "get_prices_v3", "/api/v3/price"),
    _call("E18", "get_offchain_fee", "/api/v3/user/offchainFee", C.AUTH_ACCOUNT_ID_INVALID),
    _live_form("E19", "get_nft_fee"),
    _call("E21", "get_order_rate_amount", "/api/v3/user/orderUserRateAmount", C.AUTH_ACCOUNT_ID_INVALID),
    _call("E22", "get_nft_order_rate_amount", "/api/v3/nft/info/orderUserRateAmount", C.AUTH_ACCOUNT_ID_INVALID),
    replace(
        _SPEC["submit_order"],
        section="E23",
        profile=LIVE,
        form="gen3",
        recognized_by=frozenset({"sellToken", "storageId"}),
        enveloped=False,
    ),
    _of_orders("E24", "get_order_v3", "/api/v3/order", C.ORDER_NOT_FOUND, missing=C.ORDER_HASH_EMPTY),
    _of_orders("E25", "get_orders_v3", "/api/v3/orders", missing=C.USER_ID_EMPTY),
    _of_orders("E26", "cancel_order_v3", "/api/v3/order", C.ORDERS_NOT_OPEN, C.ORDERS_NOT_CANCELLED, method="DELETE"),
    _of_orders("E27", "cancel_orders_v3_by_hash", "/api/v3/orders/byHash", method="DELETE"),
    _of_orders("E27", "cancel_orders_v3_by_client_id", "/api/v3/orders/byClientOrderId", method="DELETE"),
    replace(
        _SPEC["submit_withdrawal"],
        section="E28",
        name="submit_transfer_v3",
        path="/api/v3/transfer",
        profile=LIVE,
        body_signatures=_BODY_SIGNATURES,
    ),
    _live_form("E29", "submit_withdrawal", body_signatures=_BODY_SIGNATURES),
    _history("E30", "get_transfers_v3", "/api/v3/user/transfers"),
    _history("E30", "get_withdrawals_v3", "/api/v3/user/withdrawals"),
    _history("E30", "get_deposits_v3", "/api/v3/user/deposits"),
    _history("E30", "get_create_info", "/api/v3/user/createInfo"),
    _history("E30", "get_update_info", "/api/v3/user/updateInfo"),
    _history("E30", "get_transactions_v3", "/api/v3/user/transactions"),
    _of_orders("E30", "get_user_trades_v3", "/api/v3/user/trades", C.MARKET_UNSUPPORTED, missing=C.USER_ID_EMPTY),
    replace(
        _SPEC["get_block"],
        section="E31",
        codes=(*_SPEC["get_block"].codes, *listed(C.BLOCK_NOT_FOUND)),
        profile=LIVE,
        form="live",
    ),
    _nft_form("E32", "mint_nft", C.NFT_FEE_TOO_LOW, before=(C.CONTRACT_OF_ANOTHER,)),
    replace(
        _nft_form("E33", "transfer_nft", C.NFT_FEE_TOO_LOW),
        signature=SignatureHeader.ECDSA,
        body_signatures=_BODY_SIGNATURES,
    ),
    replace(
        _nft_form("E34", "withdraw_nft", C.NFT_FEE_TOO_LOW, form="real", recognized_by=("accountId", "to")),
        signature=SignatureHeader.ECDSA,
        body_signatures=_BODY_SIGNATURES,
    ),
    _nft_form("E34", "withdraw_nft", C.NFT_FEE_TOO_LOW),
    _of_account("E36", "get_nft_balances", "/api/v3/user/nft/balances"),
    _read("E37", "get_nfts", "/api/v3/nft/info/nfts"),
    replace(
        _read("E38", "get_nft_data", "/api/v3/nft/info/nftData"),
        form="live",
    ),
    _read("E39", "get_nft_holders", "/api/v3/nft/info/nftHolders"),
    _history("E40", "get_nft_mints", "/api/v3/user/nft/mints"),
    _history("E40", "get_nft_transfers", "/api/v3/user/nft/transfers"),
    _history("E40", "get_nft_withdrawals", "/api/v3/user/nft/withdrawals"),
    _history("E40", "get_nft_deposits", "/api/v3/user/nft/deposits"),
    replace(
        _live_form("E41", "compute_token_address"),
        key=KeyHeader.REQUIRED,
        shape=C.INVALID_ARGUMENT,
        codes=listed(C.AUTH_KEY_EMPTY, C.AUTH_KEY_INVALID, C.INVALID_ARGUMENT, C.UNKNOWN_ERROR),
    ),
    _call("E42", "get_collections", "/api/v3/nft/collection"),
    _of_account("E42", "get_collection_details", "/api/v3/user/collection/details"),
    _call(
        "E42",
        "create_collection",
        "/api/v3/nft/collection",
        method="POST",
        signature=SignatureHeader.EDDSA,
        unknown_account=C.AUTH_ACCOUNT_ID_INVALID,
    ),
    _read("E43", "get_eth_balance_v3", "/api/v3/eth/balances", *_NODE),
    _read("E43", "get_token_balances_v3", "/api/v3/eth/tokenBalances", *_NODE),
    _read("E43", "get_allowances_v3", "/api/v3/eth/allowances", *_NODE),
    _read("E43", "get_eth_nonce_v3", "/api/v3/eth/nonce", *_NODE),
    _read("E43", "get_gas_price_v3", "/api/v3/eth/recommendedGasPrice", C.GAS_PRICE_UNAVAILABLE),
    _read("E44", "resolve_ens", "/api/wallet/v3/resolveEns", enveloped=True),
    _read("E45", "get_wallet_type", "/api/wallet/v3/wallet/type", enveloped=True),
    _read("E46", "get_counterfactual_info", "/api/v3/counterFactualInfo", C.USER_NOT_FOUND),
    _read("E47", "get_ws_key_v3", "/v3/ws/key"),
    _read("E47", "get_ws_key_v2", "/v2/ws/key", enveloped=True),
    _socket("open_ws_v3", "/v3/ws", C.AUTH_KEY_EMPTY, C.AUTH_KEY_INVALID),
    _socket("open_ws_v2", "/v2/ws"),
    _read("F1", "get_timestamp_v2", "/api/v2/timestamp"),
    _read("F1", "post_timestamp_v2", "/api/v2/timestamp", method="POST"),
    _read("F2", "get_markets_v2", "/api/v2/exchange/markets"),
    _call(
        "F3",
        "get_api_key_v2",
        "/api/v2/apiKey",
        key=KeyHeader.NOT_LISTED,
        signature=SignatureHeader.EDDSA,
    ),
    _call(
        "F4",
        "post_api_key_v2",
        "/api/v2/apiKey",
        C.AUTH_ACCOUNT_ID_INVALID,
        method="POST",
        signature=SignatureHeader.EDDSA,
    ),
    _call("F7", "get_balances_v2", "/api/v2/user/balances", C.AUTH_ACCOUNT_ID_INVALID),
    replace(
        _SPEC["submit_order"],
        section="F8",
        name="submit_order_v2",
        path="/api/v2/order",
        profile=LIVE,
        per_second=_PER_SECOND["F"],
    ),
    replace(
        _SPEC["submit_order"],
        section="F9",
        name="submit_orders_v2",
        path="/api/v2/batchOrders",
        codes=listed(C.AUTH_KEY_EMPTY, C.AUTH_KEY_INVALID, C.ORDER_NOT_VALID, C.BATCH_PARTLY_FAILED, C.UNKNOWN_ERROR),
        profile=LIVE,
        per_second=_PER_SECOND["F"],
    ),
    _of_orders("F10", "get_order_v2", "/api/v2/order", C.ORDER_NOT_FOUND, missing=C.ORDER_HASH_EMPTY),
    replace(_SPEC["get_orders"], section="F11", profile=LIVE, form="live"),
    _of_orders("F12", "cancel_orders_v2", "/api/v2/orders", C.ORDERS_NOT_OPEN, C.ORDERS_NOT_CANCELLED, method="DELETE"),
    _of_orders("F13", "cancel_orders_v2_by_hash", "/api/v2/orders/byHash", method="DELETE"),
    _of_orders("F13", "cancel_orders_v2_by_client_id", "/api/v2/orders/byClientOrderId", method="DELETE"),
    _history("F14", "get_transfers_v2", "/api/v2/user/transfers"),
    _history("F14", "get_deposits_v2", "/api/v2/user/deposits"),
    _history("F14", "get_withdrawals_v2", "/api/v2/user/withdrawals"),
    _of_orders("F15", "get_user_trades_v2", "/api/v2/user/trades", C.MARKET_UNSUPPORTED, missing=C.USER_ID_EMPTY),
    _call("F16", "get_fee_rates_v2", "/api/v2/user/feeRates", C.AUTH_ACCOUNT_ID_INVALID),
    _read("F17", "get_trades_v2", "/api/v2/trade", C.MARKET_UNSUPPORTED),
    _read("F18", "get_prices_v2", "/api/v2/price"),
    _read("F19", "get_eth_nonce_v2", "/api/v2/ethNonce", *_NODE),
    _read("F19", "get_dex_nonce", "/api/v2/dexNonce"),
)

_BARE = {**_SPEC, **{row.id: row for row in _ROWS}}
_ON_OLDER_PATHS: tuple[Endpoint, ...] = (
    _call("F25", "get_storage_id_v2", "/api/v2/storageId", C.AUTH_ACCOUNT_ID_INVALID, C.ORDER_TOKEN_UNSUPPORTED),
    *(
        _enveloped(_BARE[base], name, path)
        for base, name, path in (
            ("get_offchain_fee", "get_offchain_fee_v2", "/api/v2/user/offchainFee"),
            ("get_order_fee", "get_order_fee_v2", "/api/v2/user/orderFee"),
            ("get_order_rate_amount", "get_order_rate_amount_v2", "/api/v2/user/orderUserRateAmount"),
            ("update_account_live", "update_account_v2", "/api/v2/account"),
            ("submit_withdrawal_live", "submit_withdrawal_v2", "/api/v2/user/withdrawals"),
            ("get_update_info", "get_update_info_v2", "/api/v2/user/updateInfo"),
            ("get_create_info", "get_create_info_v2", "/api/v2/user/createInfo"),
            ("get_mix_markets", "get_mix_markets_v2", "/api/v2/mix/markets"),
            ("get_mix_depth", "get_mix_depth_v2", "/api/v2/mix/depth"),
            ("get_mix_ticker", "get_mix_ticker_v2", "/api/v2/mix/ticker"),
            ("get_mix_candlestick", "get_mix_candlestick_v2", "/api/v2/mix/candlestick"),
            ("get_amm_pools", "get_amm_pools_v2", "/api/v2/amm/pools"),
        )
    ),
)
"""Calls of the third generation on paths of the second; one that names its token otherwise, and rows that are like others."""

_BEFORE_RULES = (
    *(C.AUTH_KEY_EMPTY, C.AUTH_KEY_INVALID, C.USER_ID_EMPTY),
    *(C.ORDER_ACCOUNT_ID_INVALID, C.REQUEST_SENDER_INVALID, C.USER_NOT_FOUND, C.AUTH_ACCOUNT_ID_INVALID),
    *(C.ORDER_SIGNATURE_MISSING, C.AUTH_SIGNATURE_MISSING, C.AUTH_SIGNATURE_WRONG),
)
"""The codes of the steps before the rules, in their order."""


def _place(judged: Judged) -> int:
    """Where a code stands among those of its row; codes of rules stay in the row's order."""
    return _BEFORE_RULES.index(judged.code) if judged.code in _BEFORE_RULES else len(_BEFORE_RULES)


_BATCH_STEPS = (Step.FAULTS, Step.RATE_LIMIT, Step.SHAPE, Step.KEY, Step.RULES)
"""Those of a batch, whose rules judge each order in the steps of an order."""

# Clients of the second generation read no answer whose status is not 200.
LIVE_ENDPOINTS = tuple(
    replace(
        row,
        steps=_BATCH_STEPS if row.name == "submit_orders_v2" else SIGNATURE_BEFORE_RULES,
        codes=tuple(sorted(row.codes, key=_place)),
        limit_status=HTTPStatus.OK if row.enveloped else None,
    )
    for row in (*_ROWS, *_ON_OLDER_PATHS)
)
LIKE: Mapping[str, str] = MappingProxyType({row.id: row.like for row in LIVE_ENDPOINTS if row.like})
"""By the id of a row that another one is like, the id of that one."""
