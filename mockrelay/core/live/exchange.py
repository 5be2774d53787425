"""Time, tokens, markets, contract and prices (E1 to E6, E17; F1, F2, F18)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockrelay.core.call import Call
from mockrelay.core.config import Market, Pool, Token
from mockrelay.spec.request_kinds import FeeKind

if TYPE_CHECKING:
    from mockrelay.core.context import Context

_POOL, _ORDER_BOOK = 1, 2
"""The bits of a market's status."""
_FEE_LISTS = {
    "openAccountFees": FeeKind.ACCOUNT_UPDATE,
    "updateFees": FeeKind.ACCOUNT_UPDATE,
    "transferFees": FeeKind.TRANSFER,
    "withdrawalFees": FeeKind.WITHDRAWAL,
    "fastWithdrawalFees": FeeKind.WITHDRAWAL,
}


def get_timestamp_v3(ctx: Context, call: Call) -> dict[str, int]:
    """The relayer's time in milliseconds (E1)."""
    return {"timestamp": ctx.now_ms}


def get_timestamp_v2(ctx: Context, call: Call) -> int:
    """The relayer's time in milliseconds (F1)."""
    return ctx.now_ms


def get_tokens_v3(ctx: Context, call: Call) -> list[dict[str, Any]]:
    """All tokens by id, the native coin among them (E2)."""
    return [_token_view(token) for token in ctx.world.config.tokens.values()]


def get_markets_v3(ctx: Context, call: Call) -> dict[str, Any]:
    """All markets (E3)."""
    return {"markets": get_markets_v2(ctx, call)}


def get_markets_v2(ctx: Context, call: Call) -> list[dict[str, Any]]:
    """All markets (F2)."""
    return [_market_view(market) for market in ctx.world.config.markets.values()]


def get_mix_markets(ctx: Context, call: Call) -> dict[str, Any]:
    """All markets, then the pools, with what trades their tokens and since when (E4)."""
    config, start_ms = ctx.world.config, ctx.world.start_ms
    pooled = {pool.market.name for pool in config.pools}
    books = [
        _mix_market_view(market, start_ms, market.created_at_ms, _ORDER_BOOK | _POOL * (market.name in pooled))
        for market in config.markets.values()
    ]
    pools = [
        {**_mix_market_view(pool.market, start_ms, pool.created_at_ms, _ORDER_BOOK | _POOL), "market": pool.market_name}
        for pool in config.pools
    ]
    return {"markets": books + pools}


def get_exchange_info_v3(ctx: Context, call: Call) -> dict[str, Any]:
    """The exchange contract and the present fees (E5)."""
    exchange = ctx.world.config.exchange
    return {
        "chainId": exchange.chain_id,
        "exchangeAddress": exchange.exchange_address,
        "depositAddress": exchange.exchange_address,
        "onchainFees": [{"type": category, "fee": str(wei)} for category, wei in exchange.onchain_fees],
        **{field: _fee_list(ctx, kind) for field, kind in _FEE_LISTS.items()},
        "ammExitFees": [],
    }


def get_amm_pools(ctx: Context, call: Call) -> dict[str, Any]:
    """The pools of the scenario (E6). Nothing trades with them here."""
    return {"pools": [_pool_view(pool, ctx.world.start_ms) for pool in ctx.world.config.pools]}


def get_prices_v3(ctx: Context, call: Call) -> dict[str, Any]:
    """The price of each token in a currency, "0" where it has none (E17)."""
    now_s = ctx.now_ms // 1000
    return {"prices": [{"symbol": symbol, "price": price, "updatedAt": now_s} for symbol, price in _prices(ctx, call)]}


def get_prices_v2(ctx: Context, call: Call) -> list[dict[str, Any]]:
    """The price of each token in a currency, in the second generation's form (F18)."""
    return [{"symbol": symbol, "price": price, "timestamp": ctx.now_ms} for symbol, price in _prices(ctx, call)]


def _prices(ctx: Context, call: Call) -> list[tuple[str, str]]:
    config = ctx.world.config
    prices = config.prices.get(call.args["legal"], {})
    return [(token.symbol, prices.get(token.symbol, "0")) for token in config.tokens.values()]


def _fee_list(ctx: Context, kind: FeeKind) -> list[dict[str, str]]:
    """Where a kind of request has no fees of its own, those of withdrawals."""
    fees = ctx.world.fees[kind] or ctx.world.fees[FeeKind.WITHDRAWAL]
    return [{"token": ctx.world.config.tokens[token_id].symbol, "fee": str(wei)} for token_id, wei in fees.items()]


def _token_view(token: Token) -> dict[str, Any]:
    most = str(token.max_order_wei)
    return {
        "type": token.type,
        "tokenId": token.token_id,
        "symbol": token.symbol,
        "name": token.name,
        "address": token.address.lower(),
        "decimals": token.decimals,
        "precision": token.precision,
        "precisionForOrder": token.precision,
        "orderAmounts": {"minimum": str(token.min_order_wei), "maximum": most, "dust": str(token.dust_order_wei)},
        "luckyTokenAmounts": {"minimum": "1", "maximum": most, "dust": "1"},
        "fastWithdrawLimit": most,
        "gasAmounts": {"distribution": "85000", "deposit": "100000"},
        "enabled": token.enabled,
        **token.shown,
    }


def _mix_market_view(market: Market, start_ms: int, created_at_ms: int | None, status: int) -> dict[str, Any]:
    return {**_market_view(market), "status": status, "createdAt": _since(start_ms, created_at_ms)}


def _pool_view(pool: Pool, start_ms: int) -> dict[str, Any]:
    return {
        "name": pool.name,
        "market": pool.market_name,
        "address": pool.address.lower(),
        "version": pool.version,
        "tokens": {"pooled": [pool.market.base.token_id, pool.market.quote.token_id], "lp": pool.lp.token_id},
        "feeBips": pool.fee_bips,
        "precisions": {"price": pool.price_precision, "amount": pool.amount_precision},
        "createdAt": _since(start_ms, pool.created_at_ms),
        "status": pool.status,
    }


def _since(start_ms: int, created_at_ms: int | None) -> str:
    return str(start_ms if created_at_ms is None else created_at_ms)


def _market_view(market: Market) -> dict[str, Any]:
    return {
        "market": market.name,
        "baseTokenId": market.base.token_id,
        "quoteTokenId": market.quote.token_id,
        "precisionForPrice": market.price_precision,
        "orderbookAggLevels": len(market.levels),
        "enabled": market.base.enabled and market.quote.enabled,
        **market.shown,
    }
