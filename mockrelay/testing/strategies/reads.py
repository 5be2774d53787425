"""Draws reading calls that a world accepts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from hypothesis import strategies as st

from mockrelay.client.call import ApiCall
from mockrelay.spec.vocab import Interval
from mockrelay.testing.strategies.call_parts import ABSENT, any_case, assemble_call, caller, one_of
from mockrelay.testing.strategies.schema_values import ADDRESSES
from mockrelay.testing.strategies.world_view import WorldView

DAY_MS = 86_400_000
DrawCall = Callable[[st.DrawFn, WorldView, int | None], ApiCall]
"""(draw, the world, id of the calling account or None for any) -> the call."""


def _account(draw: st.DrawFn, view: WorldView, account_id: int | None) -> ApiCall:
    shown = one_of(draw, list(view.world.accounts.values()))
    account = caller(draw, view, account_id, lambda _: True)
    return assemble_call(draw, view, "get_account", {"owner": any_case(draw, shown.owner)}, account)


def is_any_read(draw: st.DrawFn) -> bool:
    """One time in four: elsewhere a read is about something that there is."""
    return draw(st.integers(0, 3)) == 0


def some_market(draw: st.DrawFn, view: WorldView, filled: Iterable[str]) -> str:
    """A market, mostly one of those with something to read."""
    with_rows = sorted(filled)
    is_any = not with_rows or is_any_read(draw)
    return str(one_of(draw, list(view.config.markets) if is_any else with_rows))


def traded_markets(view: WorldView) -> list[str]:
    """The markets with trades."""
    return [name for name, log in view.world.trade_logs.items() if not log.is_empty]


def depth(draw: st.DrawFn, view: WorldView, account_id: int | None, *, endpoint: str = "get_depth") -> ApiCall:
    """The book of a market, at one of its levels."""
    listed = [name for name, book in view.world.books.items() if book.bids.best() or book.asks.best()]
    market = view.config.markets[some_market(draw, view, listed)]
    values = {"market": market.name, "level": draw(st.sampled_from(market.levels))}
    return assemble_call(draw, view, endpoint, values, caller(draw, view, account_id, lambda _: True))


def candlestick(
    draw: st.DrawFn, view: WorldView, account_id: int | None, *, endpoint: str = "get_candlestick"
) -> ApiCall:
    """Candles of a market."""
    market = some_market(draw, view, traded_markets(view))
    interval = draw(st.sampled_from(list(Interval)))
    log = view.world.trade_logs.get(market)
    if log is None or log.is_empty or is_any_read(draw):
        # Where empty intervals are listed, a range of one-minute candles should not be longer than a day.
        end_ms = view.now_ms + draw(st.integers(-DAY_MS, DAY_MS))
        start_ms = end_ms - draw(st.integers(0, DAY_MS))
    else:
        traded_ms = draw(st.sampled_from(log.trades)).at_ms
        start_ms, end_ms = traded_ms - interval.length_ms, traded_ms + draw(st.integers(0, DAY_MS))
    values = {"market": market, "interval": interval.value, "start": start_ms, "end": end_ms}
    if draw(st.booleans()):
        values |= {"start": ABSENT, "end": ABSENT}
    return assemble_call(draw, view, endpoint, values, caller(draw, view, account_id, lambda _: True))


def tickers(draw: st.DrawFn, view: WorldView, account_id: int | None, *, endpoint: str = "get_ticker") -> ApiCall:
    """Tickers of one market or several."""
    markets = [some_market(draw, view, traded_markets(view)) for _ in range(draw(st.integers(1, 3)))]
    account = caller(draw, view, account_id, lambda _: True)
    return assemble_call(draw, view, endpoint, {"market": ",".join(markets)}, account)


def _order_fee(draw: st.DrawFn, view: WorldView, account_id: int | None, *, endpoint: str = "get_order_fee") -> ApiCall:
    account = caller(draw, view, account_id, lambda _: True)
    most = 1 if view.option("order_fee.many_markets") == "refuse" else 2
    markets = draw(st.lists(st.sampled_from(list(view.config.markets)), min_size=1, max_size=most))
    values = {
        "accountId": account.account_id,
        "market": ",".join(markets),
        "tokenB": one_of(draw, list(view.config.tokens)),
    }
    return assemble_call(draw, view, endpoint, values, account)


def _order_id(draw: st.DrawFn, view: WorldView, account_id: int | None) -> ApiCall:
    account = caller(draw, view, account_id, lambda _: True)
    values = {"accountId": account.account_id, "tokenSId": one_of(draw, list(view.config.tokens))}
    return assemble_call(draw, view, "get_order_id", values, account)


def order_list(draw: st.DrawFn, view: WorldView, account_id: int | None, *, endpoint: str = "get_orders") -> ApiCall:
    """A list of an account's orders."""
    orders = view.world.orders.by_hash.values()
    sellers = {order.account_id for order in orders}
    owners = [one for one in view.accounts if one.account_id in sellers and account_id in (None, one.account_id)]
    is_any = not owners or is_any_read(draw)
    account = caller(draw, view, account_id, lambda one: is_any or one in owners)
    own = [order for order in orders if order.account_id == account.account_id]
    markets = sorted({order.market for order in own})
    is_whole = own != [] and not is_any_read(draw)
    values = {
        "accountId": account.account_id,
        "market": one_of(draw, markets if is_whole else list(view.config.markets)),
        "fromHash": draw(st.sampled_from(own)).hash if own else ABSENT,
        **dict.fromkeys(_FILTERS if is_whole else (), ABSENT),
    }
    return assemble_call(draw, view, endpoint, values, account)


_FILTERS = ("start", "end", "fromHash", "side", "status", "offset")
"""What an order list is filtered by, beside the market."""


def block(draw: st.DrawFn, view: WorldView, account_id: int | None, *, endpoint: str = "get_block") -> ApiCall:
    """A block by its number or a word."""
    ids = st.integers(0, len(view.world.blocks) - 1).map(str)
    values = {"id": draw(ids | st.sampled_from(["finalized", "confirmed"]))}
    return assemble_call(draw, view, endpoint, values, caller(draw, view, account_id, lambda _: True))


def _nft_data(draw: st.DrawFn, view: WorldView, account_id: int | None) -> ApiCall:
    nft = one_of(draw, [one for one in view.world.nfts.values() if view.is_visible(one)])
    values = {
        "minter": str(nft.minter_id),
        "tokenAddress": any_case(draw, nft.token_address),
        "nftId": any_case(draw, nft.nft_id),
    }
    return assemble_call(draw, view, "get_nft_data", values, caller(draw, view, account_id, lambda _: True))


def token_address(
    draw: st.DrawFn, view: WorldView, account_id: int | None, *, endpoint: str = "compute_token_address"
) -> ApiCall:
    """The contract of anybody."""
    values = {"nftFactory": any_case(draw, view.config.exchange.nft_factory)}
    account = caller(draw, view, account_id, lambda _: True)
    return assemble_call(draw, view, endpoint, values, account)


def _code(draw: st.DrawFn, view: WorldView, account_id: int | None) -> ApiCall:
    contracts = [view.contract_of(one.owner) for one in view.accounts]
    values = {"address": draw(st.sampled_from(contracts) | ADDRESSES)}
    return assemble_call(draw, view, "get_code", values, caller(draw, view, account_id, lambda _: True))


READS: Mapping[str, DrawCall] = {
    "get_account": _account,
    "get_depth": depth,
    "get_candlestick": candlestick,
    "get_ticker": tickers,
    "get_order_fee": _order_fee,
    "get_order_id": _order_id,
    "get_orders": order_list,
    "get_block": block,
    "get_nft_data": _nft_data,
    "compute_token_address": token_address,
    "get_code": _code,
}
"""By endpoint: those whose valid calls depend on more than the schema and the common fields."""
