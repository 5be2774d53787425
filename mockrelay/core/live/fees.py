"""Fees of requests, and rates and least amounts of orders (E18, E19, E21, E22; F16)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from mockrelay.core.accounts.queries import callers_account
from mockrelay.core.call import Call, Refused
from mockrelay.core.config import POOL_PREFIX, Token
from mockrelay.core.layer1_queries import gas_price_text
from mockrelay.core.orders.queries import market_of
from mockrelay.spec.codes import Code as C
from mockrelay.spec.request_kinds import FeeKind
from mockrelay.suggest import in_quotes

if TYPE_CHECKING:
    from mockrelay.core.context import Context

FIRST_TOKENS = ("ETH", "LRC", "USDT", "DAI")
"""Clients find these by their place in a list of fees."""
_FRESH_S = 60
"""For how long a client may go on with the least amounts of orders."""

KIND_OF_REQUEST_TYPE: Mapping[int, FeeKind] = MappingProxyType(
    {
        0: FeeKind.TRANSFER,  # an order
        1: FeeKind.WITHDRAWAL,
        2: FeeKind.ACCOUNT_UPDATE,
        3: FeeKind.TRANSFER,
        4: FeeKind.WITHDRAWAL,  # a fast one
        5: FeeKind.ACCOUNT_UPDATE,  # the first key of an account
        6: FeeKind.TRANSFER,  # leaving a pool
        7: FeeKind.TRANSFER,  # a deposit
        8: FeeKind.TRANSFER,  # joining a pool
        15: FeeKind.ACCOUNT_UPDATE,  # a transfer that gives its receiver a first key
    }
)
"""Which fee is asked for by the number of a request type; requests of NFTs have others."""
KIND_OF_NFT_REQUEST_TYPE: Mapping[int, FeeKind] = MappingProxyType(
    {
        **{kind.request_type: kind for kind in FeeKind if kind.request_type is not None},
        19: FeeKind.NFT_TRANSFER,  # one that gives its receiver a first key
    }
)
"""The same for requests of NFTs."""


def get_offchain_fee(ctx: Context, call: Call) -> dict[str, Any]:
    """What a request costs, in each token that can pay it (E18)."""
    callers_account(ctx, call)
    return fee_answer(ctx, KIND_OF_REQUEST_TYPE[call.args["requestType"]])


def get_nft_fee_live(ctx: Context, call: Call) -> dict[str, Any]:
    """What a request about an NFT costs, in each token that can pay it (E19)."""
    return fee_answer(ctx, KIND_OF_NFT_REQUEST_TYPE[call.args["requestType"]])


def fee_answer(ctx: Context, kind: FeeKind) -> dict[str, Any]:
    """The gas price in wei and the fees of a kind: those that a request is charged."""
    fees_wei = ctx.world.fees[kind]
    rows = [
        {"token": token.symbol, "tokenId": token.token_id, "fee": str(fees_wei[token.token_id]), "discount": 1}
        for token in _in_order(ctx)
        if token.token_id in fees_wei
    ]
    return {"gasPrice": gas_price_text(ctx), "fees": rows}


def get_order_rate_amount(ctx: Context, call: Call) -> dict[str, Any]:
    """For both tokens of a market the least that an order may sell, and the account's rates (E21). What is left of an order
    below the cost of a trade is dust.
    """
    account = callers_account(ctx, call)
    market = market_of(ctx, call.args["market"].removeprefix(POOL_PREFIX), C.INVALID_ARGUMENT)
    rates = {"makerRate": account.maker_bips, "takerRate": account.taker_bips}
    basic_rates = {"makerRate": ctx.world.config.maker_bips, "takerRate": ctx.world.config.taker_bips}
    amounts = [
        {
            "tokenSymbol": token.symbol,
            "baseOrderInfo": {"minAmount": str(token.min_order_wei), **basic_rates},
            "userOrderInfo": {"minAmount": str(token.min_order_wei), **rates},
            "tradeCost": str(token.dust_order_wei),
        }
        for token in (market.base, market.quote)
    ]
    return {"gasPrice": gas_price_text(ctx), "amounts": amounts, "cacheOverdueAt": ctx.now_s + _FRESH_S}


def get_nft_order_rate_amount(ctx: Context, call: Call) -> dict[str, Any]:
    """For an NFT contract the account's rate and the least amounts, by tokens that pay fees (E22). The relayer trades no NFTs, so amounts are nominal."""
    account = callers_account(ctx, call)
    asked = call.args.get("feeTokenSymbol")
    tokens = [token for token in _in_order(ctx) if asked in (None, token.symbol)]
    if not tokens:
        raise Refused(C.INVALID_ARGUMENT, f"feeTokenSymbol: there is no token {in_quotes(asked)}")
    amounts = [
        {
            "feeTokenSymbol": token.symbol,
            "minAmount": "1",
            "tradeCost": "1",
            "marketOrderInfo": {"minimum": "1", "maximum": "1000000", "dust": "0"},
        }
        for token in tokens
    ]
    return {
        "nftTokenAddress": call.args["nftTokenAddress"],
        "feeRate": account.taker_bips,
        "amounts": amounts,
        "gasPrice": gas_price_text(ctx),
        "cacheOverdueAt": ctx.now_s + _FRESH_S,
    }


def get_fee_rates_v2(ctx: Context, call: Call) -> list[dict[str, Any]]:
    """The account's rates in each market asked for (F16)."""
    account = callers_account(ctx, call)
    return [
        {
            "symbol": market_of(ctx, name, C.INVALID_ARGUMENT, field="markets").name,
            "makerRate": account.maker_bips,
            "takerRate": account.taker_bips,
        }
        for name in call.args["markets"].split(",")
    ]


def _in_order(ctx: Context) -> list[Token]:
    """All tokens: those that clients find by their place, then the others by id."""
    tokens = ctx.world.config.tokens.values()
    places = {symbol: place for place, symbol in enumerate(FIRST_TOKENS)}
    return sorted(tokens, key=lambda token: (places.get(token.symbol, len(places)), token.token_id))
