"""What is pushed for a topic: the difference between what subscribers were told last and what holds now.

All subscribers to the same topic with the same parameters share a feed, so that a push is made once, however many get it.
A push is a text without its beginning, which is the subscriber's own topic.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from mockrelay.core.context import NO_CONTEXT, Context
from mockrelay.core.live.order_views import live_order_view
from mockrelay.core.live.trades import trade_row
from mockrelay.core.orders.book import BookSide, DepthRow
from mockrelay.core.orders.market_data import candle_row, depth_row, latest_candle, ticker_row
from mockrelay.relay.sessions.messages import Subscription
from mockrelay.spec.sockets import ROWS_MAX, Kind
from mockrelay.spec.vocab import Interval


class ViewContext(Context):
    """A context for what is pushed: by the world's choices alone. Nothing that a scenario or a test decides call by call is asked,
    since a push is not a call.
    """

    def decide(self, key: str, context: Mapping[str, Any] = NO_CONTEXT) -> str:
        """The world's option."""
        return self.world.choices[key]


class Feed(ABC):
    """The pushes of a topic with certain parameters."""

    def first(self, ctx: Context) -> Iterable[str]:
        """The pushes that a new subscriber gets at once."""
        return ()

    @abstractmethod
    def changes(self, ctx: Context, orders: Sequence[str]) -> Iterator[str]:
        """The pushes since the last call; `orders` are the hashes of the orders that have changed since then, oldest first."""


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _data(value: Any) -> str:
    return f'"data":{_json(value)}'


class _Accounts(Feed):
    """The balances of an account; those of NFTs only in the newer form, which has fields for them."""

    def __init__(self, ctx: Context, sub: Subscription) -> None:
        self._account_id = sub.account_id
        self._is_v3 = bool(sub.args.get("v3"))
        self._told = self._balances(ctx)

    def _balances(self, ctx: Context) -> dict[int, tuple[int, int]]:
        """(total, locked) in the smallest unit, by token id."""
        world, balances = ctx.world, {}
        nft_ids = [nft.nft_token_id for nft in world.nfts.values()] if self._is_v3 else []
        for token_id in (*world.config.tokens, *nft_ids):
            free_wei, frozen_wei, in_flight_wei = world.ledger.balance(self._account_id, token_id)
            balances[token_id] = free_wei + frozen_wei + in_flight_wei, frozen_wei + in_flight_wei
        return balances

    def changes(self, ctx: Context, orders: Sequence[str]) -> Iterator[str]:
        now = self._balances(ctx)
        changed = [token_id for token_id, amounts in now.items() if self._told.get(token_id, (0, 0)) != amounts]
        self._told = now
        for token_id in changed:
            yield _data(
                {"accountId": self._account_id, "tokenId": token_id, **self._shown(ctx, token_id, now[token_id])}
            )

    def _shown(self, ctx: Context, token_id: int, amounts: tuple[int, int]) -> dict[str, str]:
        total, locked = map(str, amounts)
        if not self._is_v3:
            return {"totalAmount": total, "amountLocked": locked}
        nft = next((each for each in ctx.world.nfts.values() if each.nft_token_id == token_id), None)
        of_nft = (
            {} if nft is None else {"nftId": nft.nft_id, "nftData": nft.nft_data, "tokenAddress": nft.token_address}
        )
        return {"total": total, "locked": locked, **of_nft}


class _Orders(Feed):
    def __init__(self, ctx: Context, sub: Subscription) -> None:
        self._account_id = sub.account_id
        self._market = sub.args["market"]

    def changes(self, ctx: Context, orders: Sequence[str]) -> Iterator[str]:
        for hash_ in orders:
            order = ctx.world.orders.by_hash[hash_]
            if (order.account_id, order.market) == (self._account_id, self._market):
                yield _data({**live_order_view(ctx, order), "updateAt": ctx.now_ms})


class _Book(Feed):
    """The book of a market at a level: whole, or the levels that changed."""

    def __init__(self, ctx: Context, sub: Subscription) -> None:
        self._market = ctx.world.config.markets[sub.args["market"]]
        self._level = min(sub.args["level"], max(self._market.levels))
        self._rows_max = sub.args.get("count", ROWS_MAX) if sub.args.get("snapshot") else None
        self._version = ctx.world.book(self._market.name).version
        self._told = self._sides(ctx)

    def first(self, ctx: Context) -> Iterable[str]:
        return [] if self._rows_max is None else [self._whole(self._version)]

    def changes(self, ctx: Context, orders: Sequence[str]) -> Iterator[str]:
        version = ctx.world.book(self._market.name).version
        if version == self._version:
            return
        before, self._told = self._told, self._sides(ctx)
        start, self._version = self._version, version
        yield self._whole(start) if self._rows_max is not None else self._difference(start, before)

    def _sides(self, ctx: Context) -> list[dict[int, DepthRow]]:
        """The rows of bids and asks by their price, best first."""
        book = ctx.world.book(self._market.name)
        return [self._rows(side) for side in (book.bids, book.asks)]

    def _rows(self, side: BookSide) -> dict[int, DepthRow]:
        rows = side.depth(10**self._level, len(side.orders) if self._rows_max is None else self._rows_max)
        return {row[0]: row for row in rows}

    def _whole(self, start: int) -> str:
        bids, asks = ([self._shown(row) for row in side.values()] for side in self._told)
        data = {"bids": bids, "asks": asks, "version": self._version}
        return f'{self._versions(start)},{_data(data)},"version":{self._version}'

    def _difference(self, start: int, before: list[dict[int, DepthRow]]) -> str:
        bids, asks = (
            [
                *(self._shown(row) for steps, row in now.items() if was.get(steps) != row),
                *(self._shown((steps, 0, 0, 0)) for steps in was if steps not in now),
            ]
            for was, now in zip(before, self._told, strict=True)
        )
        return f"{self._versions(start)},{_data({'bids': bids, 'asks': asks})}"

    def _versions(self, start: int) -> str:
        return f'"startVersion":{start},"endVersion":{self._version}'

    def _shown(self, row: DepthRow) -> list[str]:
        return depth_row(self._market, self._level, row)


class _Trades(Feed):
    def __init__(self, ctx: Context, sub: Subscription) -> None:
        self._market = ctx.world.config.markets[sub.args["market"]]
        self._told = len(ctx.world.trade_log(self._market.name).trades)

    def changes(self, ctx: Context, orders: Sequence[str]) -> Iterator[str]:
        trades = ctx.world.trade_log(self._market.name).trades
        for trade in trades[self._told :]:
            at, number, side, base, price, _, fee = trade_row(
                self._market, trade, trade.taker_side, trade.taker.fee_wei
            )
            yield _data([[at, number, side, base, price, fee]])
        self._told = len(trades)


class _Ticker(Feed):
    def __init__(self, ctx: Context, sub: Subscription) -> None:
        self._market = ctx.world.config.markets[sub.args["market"]]
        self._told = ticker_row(ctx, self._market)

    def first(self, ctx: Context) -> Iterable[str]:
        return [_data(self._told)]

    def changes(self, ctx: Context, orders: Sequence[str]) -> Iterator[str]:
        now = ticker_row(ctx, self._market)
        if now != self._told:
            self._told = now
            yield _data(now)


class _Candles(Feed):
    def __init__(self, ctx: Context, sub: Subscription) -> None:
        self._market = ctx.world.config.markets[sub.args["market"]]
        self._interval = Interval(sub.args["interval"])
        self._trades = len(ctx.world.trade_log(self._market.name).trades)

    def changes(self, ctx: Context, orders: Sequence[str]) -> Iterator[str]:
        trades = len(ctx.world.trade_log(self._market.name).trades)
        if trades == self._trades:
            return
        self._trades = trades
        yield _data(candle_row(self._market, latest_candle(ctx, self._market, self._interval)))


_FEEDS: Mapping[Kind, Callable[[Context, Subscription], Feed]] = MappingProxyType(
    {
        Kind.ACCOUNT: _Accounts,
        Kind.ORDER: _Orders,
        Kind.ORDERBOOK: _Book,
        Kind.TRADE: _Trades,
        Kind.TICKER: _Ticker,
        Kind.CANDLESTICK: _Candles,
    }
)


def feed_of(ctx: Context, sub: Subscription) -> Feed:
    """A new feed for a subscription, whose subscribers know what holds now."""
    return _FEEDS[sub.topic.kind](ctx, sub)


def feed_key(sub: Subscription) -> tuple[Any, ...]:
    """Equal for subscriptions that may share a feed."""
    return sub.topic.kind, sub.account_id, *sorted(sub.args.items())
