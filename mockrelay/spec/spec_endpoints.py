"""The endpoint table: one row per endpoint of the spec, in the spec's order.

Routing, the limiter, the gate, the generated documents and the tables in the guide are derived from these rows.
A row's codes stand in the order in which they are checked (the first one that applies is the answer); each is marked as
listed by the spec for this endpoint, or as mockrelay's own where the spec lists none and an answer is needed all the same.
"""

from __future__ import annotations

from mockrelay.spec.codes import Code as C
from mockrelay.spec.endpoint import Endpoint, Judged, KeyHeader, SignatureHeader, listed, ours

_KEY = (C.AUTH_KEY_EMPTY, C.AUTH_KEY_INVALID)
_KEY_OURS = ours(*_KEY)
_KEY_LISTED = listed(*_KEY)
_REQUEST_RULES = (
    C.REQUEST_SENDER_INVALID,
    C.REQUEST_RECEIVER_INVALID,
    C.REQUEST_FEE_TOKEN_UNSUPPORTED,
    C.REQUEST_FEE_TOKEN_INCONSISTENT,
)
_SIGNATURE = (C.AUTH_SIGNATURE_MISSING, C.AUTH_SIGNATURE_WRONG)


def _row(
    section: int,
    name: str,
    method: str,
    path: str,
    *codes: tuple[Judged, ...],
    per_second: int | None = None,
    enveloped: bool = True,
    key: KeyHeader = KeyHeader.REQUIRED,
    public: bool = False,
    signature: SignatureHeader | None = None,
    shape: C = C.UNKNOWN_ERROR,
) -> Endpoint:
    return Endpoint(
        section=str(section),
        name=name,
        method=method,
        path=path,
        key=key,
        public=public,
        signature=signature,
        enveloped=enveloped,
        per_second=per_second,
        nft=False,
        shape=shape,
        codes=tuple(judged for group in codes for judged in group),
    )


def _nft_row(
    section: int,
    name: str,
    method: str,
    path: str,
    *codes: tuple[Judged, ...],
    per_second: int | None = None,
    key: KeyHeader = KeyHeader.NOT_SHOWN,
    public: bool = False,
    signature: SignatureHeader | None = None,
) -> Endpoint:
    own = codes or (_KEY_OURS,)
    return Endpoint(
        section=str(section),
        name=name,
        method=method,
        path=path,
        key=key,
        public=public,
        signature=signature,
        enveloped=False,
        per_second=per_second,
        nft=True,
        shape=None,
        codes=(
            *(judged for group in own for judged in group),
            *ours(C.INVALID_ARGUMENT, C.UNKNOWN_ERROR),
        ),
    )


_UNKNOWN = listed(C.UNKNOWN_ERROR)
_LAYER1_READ = listed(C.LAYER1_REQUEST_FAILED, C.LAYER1_NODE_ERROR)

ENDPOINTS: tuple[Endpoint, ...] = (
    _row(1, "get_tokens", "GET", "/api/v2/exchange/tokens", _KEY_OURS, _UNKNOWN, per_second=3, public=True),
    _row(2, "get_exchange_info", "GET", "/api/v2/exchange/info", _KEY_OURS, _UNKNOWN, per_second=3, public=True),
    _row(
        3,
        "send_eth_tx",
        "POST",
        "/api/v2/sendEthTx",
        _KEY_OURS,
        _UNKNOWN,
        listed(C.LAYER1_NODE_UNAVAILABLE),
        _LAYER1_READ,
        per_second=5,
        public=True,
    ),
    _row(
        4,
        "get_token_balances",
        "GET",
        "/api/v2/tokenBalances",
        _KEY_OURS,
        _UNKNOWN,
        _LAYER1_READ,
        per_second=5,
        public=True,
    ),
    _row(
        5, "get_allowances", "GET", "/api/v2/allowances", _KEY_OURS, _UNKNOWN, _LAYER1_READ, per_second=3, public=True
    ),
    _row(
        6, "get_eth_balance", "GET", "/api/v2/ethBalances", _KEY_OURS, _UNKNOWN, _LAYER1_READ, per_second=5, public=True
    ),
    _row(
        7,
        "get_gas_price",
        "GET",
        "/api/v2/recommendedGasPrice",
        _KEY_OURS,
        _UNKNOWN,
        listed(C.GAS_PRICE_UNAVAILABLE),
        per_second=5,
        public=True,
    ),
    _row(
        8,
        "get_account",
        "GET",
        "/api/v2/account",
        _KEY_OURS,
        _UNKNOWN,
        listed(C.ADDRESS_NOT_FOUND, C.USER_NOT_FOUND),
        per_second=3,
        public=True,
    ),
    _row(
        9,
        "update_account",
        "POST",
        "/api/v3/account",
        listed(C.EXCHANGE_ID_INCORRECT, *_REQUEST_RULES),
        ours(*_SIGNATURE),
        listed(C.REQUEST_NONCE_INVALID, C.INVALID_ARGUMENT, C.UNKNOWN_ERROR),
        per_second=5,
        enveloped=False,
        key=KeyHeader.NOT_LISTED,
        signature=SignatureHeader.ECDSA,
        shape=C.INVALID_ARGUMENT,
    ),
    _row(
        10,
        "get_depth",
        "GET",
        "/api/v2/depth",
        _KEY_OURS,
        _UNKNOWN,
        listed(C.MARKET_UNSUPPORTED, C.DEPTH_LEVEL_UNSUPPORTED),
        per_second=3,
        public=True,
    ),
    _row(
        11,
        "get_candlestick",
        "GET",
        "/api/v2/candlestick",
        _KEY_OURS,
        listed(C.INVALID_ARGUMENT, C.UNKNOWN_ERROR),
        per_second=5,
        public=True,
        shape=C.INVALID_ARGUMENT,
    ),
    _row(
        12,
        "get_ticker",
        "GET",
        "/api/v2/ticker",
        _KEY_OURS,
        listed(C.INVALID_ARGUMENT, C.UNKNOWN_ERROR),
        per_second=5,
        public=True,
        shape=C.INVALID_ARGUMENT,
    ),
    _row(13, "get_order_fee", "GET", "/api/v3/user/orderFee", _KEY_OURS, _UNKNOWN, per_second=5, enveloped=False),
    _row(
        14,
        "get_order_id",
        "GET",
        "/api/v2/orderId",
        _KEY_LISTED,
        listed(C.AUTH_ACCOUNT_ID_INVALID, C.UNKNOWN_ERROR),
        per_second=5,
    ),
    _row(
        15,
        "submit_order",
        "POST",
        "/api/v3/order",
        _KEY_LISTED,
        listed(
            C.EXCHANGE_ID_INCORRECT,
            C.ORDER_ACCOUNT_ID_INVALID,
            C.AUTH_ACCOUNT_ID_INVALID,
            C.ORDER_TOKEN_UNSUPPORTED,
            C.ORDER_MARKET_UNSUPPORTED,
            C.ORDER_EXISTS,
            C.ORDER_ID_INVALID,
            C.ORDER_SIGNATURE_MISSING,
            C.AUTH_SIGNATURE_MISSING,
            C.AUTH_SIGNATURE_WRONG,
            C.ORDER_RATE_ILLEGAL,
            C.ORDER_EXPIRED,
            C.ORDER_NOT_VALID,
            C.ORDER_AMOUNT_TOO_SMALL,
            C.ORDER_AMOUNT_TOO_LARGE,
            C.ORDER_BALANCE_INSUFFICIENT,
            C.ORDER_FREEZE_FAILED,
            C.ORDER_SUBMIT_FAILED,
            C.UNKNOWN_ERROR,
        ),
        per_second=3,
        shape=C.ORDER_NOT_VALID,
    ),
    _row(
        16,
        "get_orders",
        "GET",
        "/api/v2/orders",
        _KEY_LISTED,
        listed(C.USER_ID_EMPTY, C.AUTH_ACCOUNT_ID_INVALID, C.UNKNOWN_ERROR),
        per_second=5,
    ),
    _row(
        17,
        "submit_transfer",
        "POST",
        "/api/v2/transfer",
        _KEY_OURS,
        listed(C.EXCHANGE_ID_INCORRECT, *_REQUEST_RULES),
        ours(*_SIGNATURE),
        listed(C.REQUEST_NONCE_INVALID, C.UNKNOWN_ERROR),
        per_second=5,
        signature=SignatureHeader.ECDSA,
    ),
    _row(
        18,
        "submit_withdrawal",
        "POST",
        "/api/v3/user/withdrawals",
        _KEY_OURS,
        listed(C.EXCHANGE_ID_INCORRECT, *_REQUEST_RULES),
        ours(*_SIGNATURE),
        listed(C.REQUEST_NONCE_INVALID, C.INVALID_ARGUMENT, C.UNKNOWN_ERROR),
        per_second=5,
        enveloped=False,
        signature=SignatureHeader.ECDSA,
        shape=C.INVALID_ARGUMENT,
    ),
    _row(19, "get_block", "GET", "/api/v3/block/getBlock", _KEY_OURS, _UNKNOWN, per_second=5, enveloped=False),
    _row(
        20,
        "get_pending_requests",
        "GET",
        "/api/v3/block/getPendingRequests",
        _KEY_OURS,
        _UNKNOWN,
        per_second=5,
        enveloped=False,
    ),
    _nft_row(
        21,
        "get_nft_data",
        "GET",
        "/api/v3/nft/info/nftData",
        _KEY_LISTED,
        listed(C.AUTH_ACCOUNT_ID_INVALID),
        per_second=5,
        key=KeyHeader.REQUIRED,
        public=True,
    ),
    _nft_row(22, "compute_token_address", "GET", "/api/v3/nft/info/computeTokenAddress"),
    _nft_row(23, "get_code", "POST", "/api/v3/delegator/getCode"),
    _nft_row(24, "get_nft_fee", "GET", "/api/v3/user/nft/offchainFee"),
    _nft_row(25, "get_broker", "GET", "/api/v3/getAvailableBroker"),
    _nft_row(26, "mint_nft", "POST", "/api/v3/nft/mint", _KEY_OURS, ours(*_SIGNATURE)),
    _nft_row(27, "transfer_nft", "POST", "/api/v3/nft/transfer", _KEY_OURS, ours(*_SIGNATURE)),
    _nft_row(27, "withdraw_nft", "POST", "/api/v3/nft/withdrawal", _KEY_OURS, ours(*_SIGNATURE)),
    _nft_row(
        28,
        "deploy_nft_contract",
        "POST",
        "/api/v3/nft/deployTokenAddress",
        _KEY_OURS,
        ours(*_SIGNATURE),
        key=KeyHeader.REQUIRED,
        signature=SignatureHeader.EDDSA,
    ),
)
