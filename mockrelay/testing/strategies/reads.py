"""Calls that only look, as a world accepts them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hypothesis import strategies as st

from mockrelay.client.call import ApiCall
from mockrelay.spec.vocab import Interval
from mockrelay.testing.strategies.known import Known
from mockrelay.testing.strategies.parts import ABSENT, assembled, caller, one_of, spelt
from mockrelay.testing.strategies.schemas import ADDRESSES

DAY_MS = 86_400_000
Reading = Callable[[st.DrawFn, Known, int | None], ApiCall]
"""(draw, the world, whose call or None for anybody's) -> the call."""


def _account(draw: st.DrawFn, here: Known, account_id: int | None) -> ApiCall:
    shown = one_of(draw, list(here.world.accounts.values()))
    account = caller(draw, here, account_id, lambda _: True)
    return assembled(draw, here, "get_account", {"owner": spelt(draw, shown.owner)}, account)


def _depth(draw: st.DrawFn, here: Known, account_id: int | None) -> ApiCall:
    market = one_of(draw, list(here.config.markets.values()))
    given = {"market": market.name, "level": draw(st.sampled_from(market.levels))}
    return assembled(draw, here, "get_depth", given, caller(draw, here, account_id, lambda _: True))


def _candlestick(draw: st.DrawFn, here: Known, account_id: int | None) -> ApiCall:
    market = one_of(draw, list(here.config.markets))
    # Where empty intervals are shown, a span of a minute's candles should not be longer than a day.
    end_ms = here.now_ms + draw(st.integers(-DAY_MS, DAY_MS))
    start_ms = end_ms - draw(st.integers(0, DAY_MS))
    given = {"market": market, "interval": draw(st.sampled_from(list(Interval))), "start": start_ms, "end": end_ms}
    if draw(st.booleans()):
        given |= {"start": ABSENT, "end": ABSENT}
    return assembled(draw, here, "get_candlestick", given, caller(draw, here, account_id, lambda _: True))


def _ticker(draw: st.DrawFn, here: Known, account_id: int | None) -> ApiCall:
    markets = draw(st.lists(st.sampled_from(list(here.config.markets)), min_size=1, max_size=3))
    account = caller(draw, here, account_id, lambda _: True)
    return assembled(draw, here, "get_ticker", {"market": ",".join(markets)}, account)


def _order_fee(draw: st.DrawFn, here: Known, account_id: int | None) -> ApiCall:
    account = caller(draw, here, account_id, lambda _: True)
    most = 1 if here.option("order_fee.many_markets") == "refuse" else 2
    markets = draw(st.lists(st.sampled_from(list(here.config.markets)), min_size=1, max_size=most))
    given = {
        "accountId": account.account_id,
        "market": ",".join(markets),
        "tokenB": one_of(draw, list(here.config.tokens)),
    }
    return assembled(draw, here, "get_order_fee", given, account)


def _order_id(draw: st.DrawFn, here: Known, account_id: int | None) -> ApiCall:
    account = caller(draw, here, account_id, lambda _: True)
    given = {"accountId": account.account_id, "tokenSId": one_of(draw, list(here.config.tokens))}
    return assembled(draw, here, "get_order_id", given, account)


def _orders(draw: st.DrawFn, here: Known, account_id: int | None) -> ApiCall:
    account = caller(draw, here, account_id, lambda _: True)
    own = [order.hash for order in here.world.orders.by_hash.values() if order.account_id == account.account_id]
    given = {
        "accountId": account.account_id,
        "market": one_of(draw, list(here.config.markets)),
        "fromHash": draw(st.sampled_from(own)) if own else ABSENT,
    }
    return assembled(draw, here, "get_orders", given, account)


def _block(draw: st.DrawFn, here: Known, account_id: int | None) -> ApiCall:
    ids = st.integers(0, len(here.world.blocks) - 1).map(str)
    given = {"id": draw(ids | st.sampled_from(["finalized", "confirmed"]))}
    return assembled(draw, here, "get_block", given, caller(draw, here, account_id, lambda _: True))


def _nft_data(draw: st.DrawFn, here: Known, account_id: int | None) -> ApiCall:
    nft = one_of(draw, [one for one in here.world.nfts.values() if here.is_visible(one)])
    given = {
        "minter": str(nft.minter_id),
        "tokenAddress": spelt(draw, nft.token_address),
        "nftId": spelt(draw, nft.nft_id),
    }
    return assembled(draw, here, "get_nft_data", given, caller(draw, here, account_id, lambda _: True))


def _token_address(draw: st.DrawFn, here: Known, account_id: int | None) -> ApiCall:
    given = {"nftFactory": spelt(draw, here.config.exchange.nft_factory)}
    account = caller(draw, here, account_id, lambda _: True)
    return assembled(draw, here, "compute_token_address", given, account)


def _code(draw: st.DrawFn, here: Known, account_id: int | None) -> ApiCall:
    contracts = [here.contract_of(one.owner) for one in here.accounts]
    given = {"address": draw(st.sampled_from(contracts) | ADDRESSES)}
    return assembled(draw, here, "get_code", given, caller(draw, here, account_id, lambda _: True))


READS: Mapping[str, Reading] = {
    "get_account": _account,
    "get_depth": _depth,
    "get_candlestick": _candlestick,
    "get_ticker": _ticker,
    "get_order_fee": _order_fee,
    "get_order_id": _order_id,
    "get_orders": _orders,
    "get_block": _block,
    "get_nft_data": _nft_data,
    "compute_token_address": _token_address,
    "get_code": _code,
}
"""Calls of endpoints for which schema and common fields do not say enough."""
