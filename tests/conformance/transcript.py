"""The relayer's spec once more, copied out by hand as plain data, for tests to hold the product against.

Nothing here comes from the product. The fields of requests and answers stand in `fields.py`.
"""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """One endpoint."""

    number: int
    name: str
    method: str
    path: str
    envelope: bool
    key: str
    """`required`, `none` (the only listed header is another) or `silent` (headers not shown)."""
    signature: bool
    """X-API-SIG is required."""
    limit: int | None
    """Requests per second; None: not shown."""


ROWS: tuple[Row, ...] = (
    Row(1, "get_tokens", "GET", "/api/v2/exchange/tokens", True, "required", False, 3),
    Row(2, "get_exchange_info", "GET", "/api/v2/exchange/info", True, "required", False, 3),
    Row(3, "send_eth_tx", "POST", "/api/v2/sendEthTx", True, "required", False, 5),
    Row(4, "get_token_balances", "GET", "/api/v2/tokenBalances", True, "required", False, 5),
    Row(5, "get_allowances", "GET", "/api/v2/allowances", True, "required", False, 3),
    Row(6, "get_eth_balance", "GET", "/api/v2/ethBalances", True, "required", False, 5),
    Row(7, "get_gas_price", "GET", "/api/v2/recommendedGasPrice", True, "required", False, 5),
    Row(8, "get_account", "GET", "/api/v2/account", True, "required", False, 3),
    Row(9, "update_account", "POST", "/api/v3/account", False, "none", True, 5),
    Row(10, "get_depth", "GET", "/api/v2/depth", True, "required", False, 3),
    Row(11, "get_candlestick", "GET", "/api/v2/candlestick", True, "required", False, 5),
    Row(12, "get_ticker", "GET", "/api/v2/ticker", True, "required", False, 5),
    Row(13, "get_order_fee", "GET", "/api/v3/user/orderFee", False, "required", False, 5),
    Row(14, "get_order_id", "GET", "/api/v2/orderId", True, "required", False, 5),
    Row(15, "submit_order", "POST", "/api/v3/order", True, "required", False, 3),
    Row(16, "get_orders", "GET", "/api/v2/orders", True, "required", False, 5),
    Row(17, "submit_transfer", "POST", "/api/v2/transfer", True, "required", True, 5),
    Row(18, "submit_withdrawal", "POST", "/api/v3/user/withdrawals", False, "required", True, 5),
    Row(19, "get_block", "GET", "/api/v3/block/getBlock", False, "required", False, 5),
    Row(20, "get_pending_requests", "GET", "/api/v3/block/getPendingRequests", False, "required", False, 5),
    Row(21, "get_nft_data", "GET", "/api/v3/nft/info/nftData", False, "required", False, 5),
    Row(22, "compute_token_address", "GET", "/api/v3/nft/info/computeTokenAddress", False, "silent", False, None),
    Row(23, "get_code", "POST", "/api/v3/delegator/getCode", False, "silent", False, None),
    Row(24, "get_nft_fee", "GET", "/api/v3/user/nft/offchainFee", False, "silent", False, None),
    Row(25, "get_broker", "GET", "/api/v3/getAvailableBroker", False, "silent", False, None),
    Row(26, "mint_nft", "POST", "/api/v3/nft/mint", False, "silent", False, None),
    Row(27, "transfer_nft", "POST", "/api/v3/nft/transfer", False, "silent", False, None),
    Row(27, "withdraw_nft", "POST", "/api/v3/nft/withdrawal", False, "silent", False, None),
    Row(28, "deploy_nft_contract", "POST", "/api/v3/nft/deployTokenAddress", False, "required", True, None),
)
BY_NAME: dict[str, Row] = {row.name: row for row in ROWS}

NFT_SPECIFIC: frozenset[str] = frozenset(
    [
        "get_nft_data",
        "compute_token_address",
        "get_code",
        "get_nft_fee",
        "get_broker",
        "mint_nft",
        "transfer_nft",
        "withdraw_nft",
        "deploy_nft_contract",
    ]
)
"""The calls that 100000 is not listed for."""

MEANINGS: dict[int, str] = {
    100000: "Unknown error",
    100001: "Invalid argument",
    101001: "The address was not found",
    101002: "User not found",
    102001: "Exchange ID is incorrect",
    102002: "Unsupported token id in the order",
    102003: "Invalid account ID",
    102004: "Invalid order ID",
    102005: "Market not supported",
    102006: "Illegal rate field",
    102007: "Order already exists",
    102008: "Order has expired",
    102010: "Order is missing signature information",
    102011: "Insufficient user balance",
    102012: "The order amount is too small",
    102014: "Failed to freeze the amount, try again later",
    102020: "Exceeded the maximum order amount",
    102021: "Nonce is invalid",
    102022: "Transfer sender is invalid",
    102023: "Transfer receiver is invalid",
    102024: "Fee token is unsupported",
    102025: "Transfer token is not consistent with the fee token",
    102027: "Submit order fail",
    102120: "Order is not valid",
    104001: "Empty ApiKey",
    104002: "Invalid ApiKey",
    104003: "Invalid Account ID",
    104004: "No signature information provided",
    104005: "Wrong signature information",
    104202: "The current node service is not available",
    104205: "Error in internal request",
    104208: "Unknown error in the layer-1 node",
    105001: "Failed to get recommended gas",
    107001: "User ID cannot be empty",
    108000: "Unsupported market",
    108001: "Unsupported depth level",
}

REQUESTS_OF_FUNDS = ("submit_transfer", "submit_withdrawal", "update_account")
_KEYED = ("submit_order", "get_orders", "get_order_id", "get_nft_data")
_NODE = ("send_eth_tx", "get_token_balances", "get_allowances", "get_eth_balance")
_ORDER_ONLY = (
    *(102002, 102003, 102004, 102005, 102006, 102007, 102008, 102010, 102011, 102012, 102014, 102020, 102027),
    *(102120, 104004, 104005),
)

LISTED_FOR: dict[int, tuple[str, ...]] = {
    100000: tuple(row.name for row in ROWS if row.name not in NFT_SPECIFIC),
    100001: ("submit_withdrawal", "update_account", "get_candlestick", "get_ticker"),
    101001: ("get_account",),
    101002: ("get_account",),
    102001: ("submit_order", *REQUESTS_OF_FUNDS),
    **dict.fromkeys(_ORDER_ONLY, ("submit_order",)),
    **dict.fromkeys((102021, 102022, 102023, 102024, 102025), REQUESTS_OF_FUNDS),
    **dict.fromkeys((104001, 104002, 104003), _KEYED),
    104202: ("send_eth_tx",),
    104205: _NODE,
    104208: _NODE,
    105001: ("get_gas_price",),
    107001: ("get_orders",),
    108000: ("get_depth",),
    108001: ("get_depth",),
}

PAIRS: tuple[tuple[str, int], ...] = tuple(
    (row.name, code) for row in ROWS for code in sorted(LISTED_FOR) if row.name in LISTED_FOR[code]
)

ORDER_STATUSES = ("processing", "processed", "cancelling", "cancelled", "expired", "waiting")
ORDER_FILTERS = ("waiting", "processing", "processed", "failed", "cancelled", "expired")
ORDER_RESULTS = ("NEW_ACTIVED", "SUBMIT_ORDER_FAIL", "UNKNOWN")
SUBMIT_STATUSES = ("received", "processing", "processed", "failed")
SIDES = ("SELL", "BUY")
ORDER_TYPES = ("LIMIT_ORDER", "TAKER_ONLY", "MAKER_ONLY")
INTERVALS = ("1min", "5min", "15min", "30min", "1hr", "2hr", "4hr", "12hr", "1d", "1w")
NFT_REQUEST_TYPES = (9, 10, 11, 13)
NFT_SUBMISSIONS = ("mint_nft", "transfer_nft", "withdraw_nft", "deploy_nft_contract")
TX_TYPES = (
    *("Noop", "Deposit", "Withdraw", "Transfer", "SpotTrade", "AccountUpdate", "AmmUpdate", "JoinAmm", "ExitAmm"),
    *("SignatureVerification", "NftMint", "NftData"),
)

CANDLE_ROW = (
    "start time",
    "number of transactions",
    "open",
    "close",
    "highest",
    "lowest",
    "base volume",
    "quote volume",
)
TICKER_ROW = (
    *("market", "timestamp", "base volume", "quote volume", "open", "highest", "lowest", "close", "number of trades"),
    *("highest bid", "lowest ask"),
)
DEPTH_ITEM = ("price", "size", "volume", "count")
