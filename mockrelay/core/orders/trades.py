"""A market's trades, and the candles and tickers computed from them.

Trades are only appended. Candles and ticker windows are updated when they are read, from the trades added since the last
read, so that adding a trade costs nothing.
"""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

from mockrelay.core.call import Encodable
from mockrelay.core.models import Trade
from mockrelay.core.state import State, cache_field, saved_field

DAY_MS = 86_400_000


class Candle(NamedTuple):
    """One interval's trades; prices in ticks."""

    start_ms: int
    trades: int
    open_ticks: int
    close_ticks: int
    high_ticks: int
    low_ticks: int
    base_wei: int
    quote_wei: int


class Ticker(NamedTuple):
    """A window's trades; prices in ticks."""

    trades: int
    base_wei: int
    quote_wei: int
    open_ticks: int
    high_ticks: int
    low_ticks: int
    close_ticks: int


class _CandleFold:
    """Candles of one interval, computed up to the trade `folded`."""

    __slots__ = ("candles", "folded", "length_ms", "offset_ms")

    def __init__(self, length_ms: int, offset_ms: int) -> None:
        self.length_ms = length_ms
        self.offset_ms = offset_ms
        self.candles: list[Candle] = []
        self.folded = 0

    def fold(self, trades: list[Trade]) -> list[Candle]:
        candles = self.candles
        for trade in trades[self.folded :]:
            at_ms, ticks, base_wei, quote_wei = trade[:4]
            start_ms = at_ms - (at_ms - self.offset_ms) % self.length_ms
            if candles and candles[-1].start_ms == start_ms:
                last = candles[-1]
                candles[-1] = Candle(
                    start_ms,
                    last.trades + 1,
                    last.open_ticks,
                    ticks,
                    max(last.high_ticks, ticks),
                    min(last.low_ticks, ticks),
                    last.base_wei + base_wei,
                    last.quote_wei + quote_wei,
                )
            else:
                candles.append(Candle(start_ms, 1, ticks, ticks, ticks, ticks, base_wei, quote_wei))
        self.folded = len(trades)
        return candles


class _Window:
    """The trades of the last `length_ms` (None: all), with their sums and extremes."""

    __slots__ = ("base_wei", "first", "folded", "highs", "length_ms", "lows", "quote_wei")

    def __init__(self, length_ms: int | None) -> None:
        self.length_ms = length_ms
        self.first = self.folded = 0
        self.base_wei = self.quote_wei = 0
        # Indexes of trades with no later trade of a better price: the first is the window's extreme.
        self.highs: deque[int] = deque()
        self.lows: deque[int] = deque()

    def fold(self, trades: list[Trade], now_ms: int) -> int:
        """Add new trades and drop old ones; returns the index of the first trade in the window."""
        for index in range(self.folded, len(trades)):
            trade = trades[index]
            self.base_wei += trade.base_wei
            self.quote_wei += trade.quote_wei
            while self.highs and trades[self.highs[-1]].price_ticks <= trade.price_ticks:
                self.highs.pop()
            self.highs.append(index)
            while self.lows and trades[self.lows[-1]].price_ticks >= trade.price_ticks:
                self.lows.pop()
            self.lows.append(index)
        self.folded = len(trades)
        if self.length_ms is not None:
            self._drop_until(trades, now_ms - self.length_ms)
        return self.first

    def ticker(self, trades: list[Trade]) -> Ticker | None:
        """The sums and prices of the window as of the last `fold`; None: no trades."""
        if self.first == len(trades):
            return None
        return Ticker(
            trades=len(trades) - self.first,
            base_wei=self.base_wei,
            quote_wei=self.quote_wei,
            open_ticks=trades[self.first].price_ticks,
            high_ticks=trades[self.highs[0]].price_ticks,
            low_ticks=trades[self.lows[0]].price_ticks,
            close_ticks=trades[-1].price_ticks,
        )

    def _drop_until(self, trades: list[Trade], until_ms: int) -> None:
        while self.first < len(trades) and trades[self.first].at_ms <= until_ms:
            self.base_wei -= trades[self.first].base_wei
            self.quote_wei -= trades[self.first].quote_wei
            self.first += 1
        while self.highs and self.highs[0] < self.first:
            self.highs.popleft()
        while self.lows and self.lows[0] < self.first:
            self.lows.popleft()


class TradeLog(State):
    """The trades of one market, oldest first."""

    trades: list[Trade] = saved_field(factory=list)
    _folds: dict[tuple[int, int], _CandleFold] = cache_field(factory=dict)
    _windows: dict[int | None, _Window] = cache_field(factory=dict)
    views: dict[tuple[Any, ...], Encodable] = cache_field(factory=dict)
    """Answers by all that they depend on, such as the number of trades."""

    @property
    def is_empty(self) -> bool:
        """Whether there are no trades: a log is created when it is first read."""
        return not self.trades

    def add(self, trade: Trade) -> None:
        """Append a trade, which must not be older than the last one."""
        self.trades.append(trade)
        # The number of trades is part of every key, so these answers are obsolete.
        self.views.clear()

    def candles(self, length_ms: int, offset_ms: int) -> list[Candle]:
        """Candles of the intervals that have trades, oldest first; they start at `offset_ms` + n * `length_ms`."""
        fold = self._folds.get((length_ms, offset_ms))
        if fold is None:
            fold = self._folds[length_ms, offset_ms] = _CandleFold(length_ms, offset_ms)
        return fold.fold(self.trades)

    def ticker(self, window_ms: int | None, now_ms: int) -> Ticker | None:
        """The trades later than `now_ms - window_ms`, or all if `window_ms` is None; None: no trades."""
        window = self._window(window_ms)
        window.fold(self.trades, now_ms)
        return window.ticker(self.trades)

    def first_in(self, window_ms: int | None, now_ms: int) -> int:
        """The index of the first trade that `ticker` includes; the number of trades if it includes none."""
        return self._window(window_ms).fold(self.trades, now_ms)

    def _window(self, window_ms: int | None) -> _Window:
        window = self._windows.get(window_ms)
        if window is None:
            window = self._windows[window_ms] = _Window(window_ms)
        return window
