"""The second half of the transcript: every field of every request, answer and record, copied out by hand.

Types are written `string`, `integer`, `boolean`, NAME of an object below, `list:TYPE`, `any` (no type shown).
`required` is None where the spec does not show it.
"""

from __future__ import annotations

from typing import NamedTuple

from tests.conformance.transcript import (
    INTERVALS,
    ORDER_FILTERS,
    ORDER_RESULTS,
    ORDER_STATUSES,
    ORDER_TYPES,
    SUBMIT_STATUSES,
    TX_TYPES,
)


class Field(NamedTuple):
    """One field of a request or a record."""

    name: str
    type: str
    required: bool | None
    form: str = "free"
    """What the spec says of the value; `wrong_fields.py` makes wrong values of it."""


def _yes(*names: str, kind: str = "string") -> tuple[Field, ...]:
    return tuple(Field(name, kind, True) for name in names)


def _maybe(*names: str, kind: str = "string") -> tuple[Field, ...]:
    return tuple(Field(name, kind, False) for name in names)


OBJECTS: dict[str, tuple[Field, ...]] = {
    "TokenInfo": (
        Field("type", "string", True, "word:ERC20|ETH"),
        Field("tokenId", "integer", True),
        *_yes("symbol", "name", "address", "unit"),
        *_yes("decimals", "precision", kind="integer"),
        *_yes("minOrderAmount", "maxOrderAmount", "dustOrderAmount"),
        Field("enabled", "boolean", True),
    ),
    "FeeInfo": _yes("type", "fee"),
    "OffFeeInfo": _yes("token", "fee"),
    "ExchangeInfo": (
        *_yes("chainId", "exchangeId", kind="integer"),
        *_yes("exchangeAddress"),
        Field("onchainFees", "list:FeeInfo", True),
        Field("transferFees", "list:OffFeeInfo", True),
        Field("withdrawalFees", "list:OffFeeInfo", True),
    ),
    "DexAccount": (
        Field("accountId", "integer", True),
        Field("frozen", "boolean", True),
        *_yes("publicKeyX", "publicKeyY"),
        *_maybe("tags"),
        *_yes("keyNonce", "accountNonce", kind="integer"),
    ),
    "Depth": (
        *_yes("version", "timestamp", kind="integer"),
        *_yes("bids", "asks", kind="list:list:string"),
    ),
    "FeeRate": (Field("symbol", "string", True), *_yes("makerRate", "takerRate", kind="integer")),
    "OrderFee": (Field("feeRate", "FeeRate", False), *_maybe("gasPrice")),
    "OrdersDetail": (Field("totalNum", "integer", True), Field("orders", "list:OrderDetail", False)),
    "OrderDetail": (
        *_yes("hash", "clientOrderId", "size", "volume", "price", "filledSize", "filledVolume", "filledFee"),
        Field("status", "string", True, "word:" + "|".join(ORDER_STATUSES)),
        *_yes("validSince", "validUntil", "createdAt", kind="integer"),
        Field("side", "string", True, "word:SELL|BUY"),
        Field("market", "string", True),
    ),
    "SubmitOrderResponseV3Item": (
        Field("orderHash", "string", True),
        Field("status", "string", True, "word:" + "|".join(ORDER_RESULTS)),
        Field("isIdempotent", "boolean", True),
    ),
    "SubmitResponse": (
        Field("hash", "string", True),
        Field("status", "string", True, "word:" + "|".join(SUBMIT_STATUSES)),
        Field("isIdempotent", "boolean", True),
    ),
    "Block": (
        *_yes("blockId", "blockSize", kind="integer"),
        *_yes("exchange", "txHash", "status"),
        Field("createdAt", "integer", True),
        Field("transactions", "list:TransactionBlock", True),
    ),
    "TransactionBlock": (
        Field("txType", "string", True, "word:" + "|".join(TX_TYPES)),
        *_maybe("accountId", "validUntil", "toAccountId", "storageId", "nonce", "minterAccountId", kind="integer"),
        *_maybe("owner", "toAccountAddress", "minter", "nftType"),
        *_maybe("token", "toToken", "fee", "nftToken", kind="_Token"),
        *_maybe("orderA", "orderB", kind="_Order"),
        Field("valid", "boolean", False),
    ),
    "NftInfo": (
        *_yes("nftData", "minter"),
        Field("nftType", "string", True, "word:ERC1155|ERC721"),
        *_yes("tokenAddress", "nftId"),
        Field("creatorFeeBips", "integer", True),
        Field("status", "boolean", True),
        *_maybe("nftFactory", "nftOwner", "nftBaseUri", "royaltyAddress", "originalMinter"),
    ),
    "NftFeeAnswer": (*_yes("gasPrice"), Field("fees", "list:NftFeeItem", True)),
    "NftFeeItem": (*_yes("token", "fee"), Field("discount", "any", True)),
    "NftMintAnswer": (*_yes("hash"), Field("raw_data", "NftMintSubmission", True)),
    "NftMintSubmission": (
        *_yes("hash"),
        Field("nftTokenId", "integer", True),
        *_yes("nftData"),
        Field("status", "string", True, "word:" + "|".join(SUBMIT_STATUSES)),
        Field("isIdempotent", "boolean", True),
    ),
    "NftMoveAnswer": (*_yes("hash"), Field("raw_data", "NftSubmission", True)),
    "NftSubmission": (
        *_yes("hash"),
        Field("status", "string", True, "word:" + "|".join(SUBMIT_STATUSES)),
        Field("isIdempotent", "boolean", True),
    ),
    "DeployAnswer": (
        *_yes("hash"),
        Field("status", "string", True, "word:SEND_TX_SUCCESS"),
        Field("isIdempotent", "boolean", True),
    ),
    "TokenAddressAnswer": _yes("tokenAddress"),
    "CodeAnswer": (Field("id", "integer", True), *_yes("jsonrpc", "result")),
    "BrokerAnswer": _yes("broker"),
    "_Token": (Field("tokenId", "integer", False), *_maybe("tokenAddress", "nftData", "nftId", "amount")),
    "_Order": (
        *_yes("storageID", "accountID", kind="integer"),
        *_yes("amountS", "amountB"),
        *_yes("tokenS", "tokenB", "validUntil", kind="integer"),
        Field("taker", "string", True),
        Field("feeBips", "integer", True),
        Field("isAmm", "boolean", True),
        Field("nftData", "string", True),
        Field("fillS", "integer", True),
    ),
    "ResultInfo": (Field("code", "integer", True), Field("message", "string", True)),
}

ANSWERS: dict[str, tuple[str, bool]] = {
    "get_tokens": ("list:TokenInfo", False),
    "get_exchange_info": ("ExchangeInfo", False),
    "send_eth_tx": ("string", False),
    "get_token_balances": ("list:string", False),
    "get_allowances": ("list:string", False),
    "get_eth_balance": ("string", False),
    "get_gas_price": ("string", False),
    "get_account": ("DexAccount", False),
    "get_depth": ("Depth", False),
    "get_candlestick": ("list:list:string", False),
    "get_ticker": ("list:list:string", False),
    "get_order_fee": ("OrderFee", True),
    "get_order_id": ("string", False),
    "submit_order": ("SubmitOrderResponseV3Item", False),
    "get_orders": ("OrdersDetail", False),
    "get_pending_requests": ("list:TransactionBlock", True),
    "update_account": ("SubmitResponse", True),
    "submit_transfer": ("string", False),
    "submit_withdrawal": ("SubmitResponse", True),
    "get_block": ("Block", True),
    "get_nft_data": ("NftInfo", True),
    "compute_token_address": ("TokenAddressAnswer", True),
    "get_code": ("CodeAnswer", True),
    "get_nft_fee": ("NftFeeAnswer", True),
    "get_broker": ("BrokerAnswer", True),
    "mint_nft": ("NftMintAnswer", True),
    "transfer_nft": ("NftMoveAnswer", True),
    "withdraw_nft": ("NftMoveAnswer", True),
    "deploy_nft_contract": ("DeployAnswer", True),
}
"""What a success holds (in `data` for an envelope), and whether the spec makes it required."""

UNNAMED = (
    *("OrderFee", "NftFeeAnswer", "NftFeeItem", "NftMintAnswer", "NftMoveAnswer", "DeployAnswer"),
    *("TokenAddressAnswer", "CodeAnswer", "BrokerAnswer"),
)
"""Objects that have no name in the spec, but one here."""

INPUT_OBJECTS: dict[str, tuple[Field, ...]] = {
    "TokenVolumeV3": (Field("tokenId", "integer", True), Field("volume", "string", True, "digits")),
    "PublicKey": (Field("x", "string", True, "hex"), Field("y", "string", True, "hex")),
    "CounterFactualInfo": _yes("walletFactory", "walletOwner", "walletSalt"),
    "NftFee": (Field("tokenId", "integer", None), Field("amount", "string", None, "digits")),
    "NftToken": (
        Field("tokenId", "integer", None),
        Field("nftData", "string", None),
        Field("amount", "string", None, "digits"),
    ),
    "CounterFactualNftInfo": tuple(Field(name, "string", None) for name in ("nftFactory", "nftOwner", "nftBaseUri")),
    "DeployVolume": (Field("volume", "string", None, "digits"), Field("tokenId", "integer", None)),
    "DeployTransfer": (
        *(Field(name, "any", None) for name in ("payeeAddr", "payerId", "payerAddr", "payeeId", "memo")),
        Field("maxFee", "DeployVolume", None),
        Field("token", "DeployVolume", None),
        *(Field(name, "any", None) for name in ("ecdsaSignature", "eddsaSignature", "ecdsaHash", "eddsaHash")),
        *(Field(name, "any", None) for name in ("validUntil", "exchange", "storageId")),
    ),
}

_SIGNATURE = tuple(Field(name, "string", True, "signature") for name in ("signatureRx", "signatureRy", "signatureS"))
_NFT_MOVE = (
    Field("exchange", "string", None, "address"),
    Field("fromAccountId", "integer", None),
    Field("fromAddress", "string", None, "address"),
    Field("toAccountId", "integer", None),
    Field("toAddress", "string", None, "address"),
    Field("token", "NftToken", None),
    Field("maxFee", "NftFee", None),
    Field("storageId", "integer", None, "id"),
    Field("validUntil", "integer", None, "until"),
)

REQUESTS: dict[str, tuple[Field, ...]] = {
    "get_tokens": (),
    "get_exchange_info": (),
    "send_eth_tx": (Field("data", "string", True, "hex"),),
    "get_token_balances": (Field("owner", "string", True, "address"), Field("token", "string", True, "address")),
    "get_allowances": (Field("owner", "string", True, "address"), Field("token", "string", True, "address")),
    "get_eth_balance": (Field("owner", "string", True, "address"),),
    "get_gas_price": (),
    "get_account": (Field("owner", "string", True, "address"),),
    "update_account": (
        Field("exchange", "string", True, "address"),
        Field("owner", "string", True, "address"),
        Field("accountId", "integer", True),
        Field("publicKey", "PublicKey", True),
        Field("maxFee", "TokenVolumeV3", True),
        Field("validUntil", "integer", True, "until"),
        Field("nonce", "integer", True, "id"),
        *_maybe("keySeed", "eddsaSignature", "ecdsaSignature", "hashApproved"),
    ),
    "get_depth": (
        Field("market", "string", True, "market"),
        Field("level", "integer", True, "level"),
        Field("limit", "integer", False, "count"),
    ),
    "get_candlestick": (
        Field("market", "string", True, "market"),
        Field("interval", "string", True, "word:" + "|".join(INTERVALS)),
        Field("start", "integer", False, "moment"),
        Field("end", "integer", False, "moment"),
        Field("limit", "integer", False, "count"),
    ),
    "get_ticker": (Field("market", "string", True, "market"),),
    "get_order_fee": (
        Field("accountId", "integer", True),
        Field("market", "string", True, "market"),
        Field("tokenB", "integer", True),
        Field("amountB", "string", True, "digits"),
    ),
    "get_order_id": (Field("accountId", "integer", True), Field("tokenSId", "integer", True)),
    "submit_order": (
        Field("exchangeId", "integer", True),
        Field("orderId", "integer", True),
        Field("accountId", "integer", True),
        Field("tokenSId", "integer", True),
        Field("tokenBId", "integer", True),
        Field("amountS", "string", True, "digits"),
        Field("amountB", "string", True, "digits"),
        Field("allOrNone", "string", False, "word:false"),
        Field("buy", "string", True, "word:true|false"),
        Field("validSince", "integer", True, "range:0:4294967295"),
        Field("validUntil", "integer", True, "range:0:4294967295"),
        Field("maxFeeBips", "integer", True, "range:1:63"),
        Field("label", "integer", True, "range:0:65535"),
        *_SIGNATURE,
        *_maybe("clientOrderId", "channelId"),
        Field("orderType", "string", False, "word:" + "|".join(ORDER_TYPES)),
    ),
    "get_orders": (
        Field("accountId", "integer", True),
        Field("market", "string", False, "market"),
        Field("start", "integer", False, "moment"),
        Field("end", "integer", False, "moment"),
        Field("fromHash", "string", False, "hex"),
        Field("side", "string", False, "word:BUY|SELL"),
        Field("status", "string", False, "words:" + "|".join(ORDER_FILTERS)),
        Field("limit", "integer", False, "count"),
        Field("offset", "integer", False, "count"),
    ),
    "submit_transfer": (
        Field("exchangeId", "integer", True),
        Field("sender", "integer", True),
        Field("receiver", "integer", True),
        Field("token", "integer", True),
        Field("tokenF", "integer", True),
        Field("amount", "string", True, "digits"),
        Field("amountF", "string", True, "digits"),
        Field("nonce", "integer", True, "id"),
        Field("label", "integer", True, "range:0:65535"),
        *_SIGNATURE,
        *_maybe("memo"),
    ),
    "submit_withdrawal": (
        Field("exchange", "string", True, "address"),
        Field("accountId", "integer", True),
        Field("owner", "string", True, "address"),
        Field("token", "TokenVolumeV3", True),
        Field("maxFee", "TokenVolumeV3", True),
        Field("storageId", "integer", True, "id"),
        Field("validUntil", "integer", True, "until"),
        Field("minGas", "integer", True, "gas"),
        Field("to", "string", True, "address"),
        *_maybe("extraData"),
        Field("fastWithdrawalMode", "boolean", False),
        Field("counterFactualInfo", "CounterFactualInfo", False),
        *_maybe("eddsaSignature", "ecdsaSignature", "hashApproved"),
    ),
    "get_block": (Field("id", "string", False, "block"),),
    "get_pending_requests": (),
    "get_nft_data": (
        Field("minter", "string", True),
        Field("tokenAddress", "string", True, "address"),
        Field("nftId", "string", True, "nft_id"),
    ),
    "compute_token_address": (
        Field("nftFactory", "string", None, "address"),
        Field("nftOwner", "string", None, "address"),
        Field("nftBaseUri", "string", None, "empty"),
    ),
    "get_code": (Field("address", "string", None, "address"),),
    "get_nft_fee": (
        Field("accountId", "integer", None),
        Field("requestType", "integer", None, "word:9|10|11|13"),
        Field("tokenAddress", "string", None, "address"),
    ),
    "get_broker": (),
    "mint_nft": (
        Field("exchange", "string", None, "address"),
        Field("minterId", "integer", None),
        Field("minterAddress", "string", None, "address"),
        Field("toAccountId", "integer", None),
        Field("toAddress", "string", None, "address"),
        Field("nftType", "integer", None, "range:0:0"),
        Field("tokenAddress", "string", None, "address"),
        Field("nftId", "string", None, "nft_id"),
        Field("amount", "string", None, "digits"),
        Field("validUntil", "integer", None, "until"),
        Field("creatorFeeBips", "integer", None, "bips"),
        Field("storageId", "integer", None, "id"),
        Field("maxFee", "NftFee", None),
        Field("forceToMint", "boolean", None),
        Field("counterFactualNftInfo", "CounterFactualNftInfo", None),
    ),
    "transfer_nft": _NFT_MOVE,
    "withdraw_nft": _NFT_MOVE,
    "deploy_nft_contract": (
        Field("nftData", "string", None),
        Field("tokenAddress", "string", None, "address"),
        Field("transfer", "DeployTransfer", None),
    ),
}
