"""Books, candles, tickers and fee rates: that they are in order, and agree with each other and with what was asked."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from mockrelay.check.answers import Answer
from mockrelay.check.bodies import call
from mockrelay.check.facts import Missing
from mockrelay.check.reads import look_at_gas_price
from mockrelay.check.rows import Act, row
from mockrelay.check.run import Run
from mockrelay.spec.vocab import Interval

_DEPTH = (
    row("told", "get_depth", "The book of a market is told"),
    row("bids-fall", "get_depth", "Bids fall from the best one on, each price once"),
    row("asks-rise", "get_depth", "Asks rise from the best one on, each price once"),
    row("apart", "get_depth", "The best bid is below the best ask"),
    row("counted", "get_depth", "At each price there are an order and a size, or more", "Depth"),
    row("limit", "get_depth", "There are no more prices than `limit`, and they are the best ones"),
    row("levels", "get_depth", "A coarser level holds the same sizes in no more prices"),
    row("version", "get_depth", "The version of a book never falls", "Depth"),
)
_CANDLES = (
    row("told", "get_candlestick", "Candles of every interval are told"),
    row("grid", "get_candlestick", "Candles start on the grid of their interval"),
    row("order", "get_candlestick", "Candles are in the order of time, one way or the other, each once"),
    row("range", "get_candlestick", "No price of a candle is below its lowest or above its highest"),
    row("limit", "get_candlestick", "`limit` leaves the first rows"),
    row("bounds", "get_candlestick", "No candle starts before `start` or after `end`"),
    row("sums", "get_candlestick", "Candles of all intervals have the same trades and volumes in all"),
)
_TICKER = (
    row("told", "get_ticker", "Tickers are told"),
    row("rows", "get_ticker", "There is a row for each market asked for, in that order"),
    row("range", "get_ticker", "No price of a ticker is below its lowest or above its highest"),
    row("depth", "get_ticker", "The best bid and ask are those of the book"),
)
_FEE = (
    row("told", "get_order_fee", "The fee rates of an account are told"),
    row("market", "get_order_fee", "The rates are those of the market asked for"),
    row("rates", "get_order_fee", "Rates are at most 63, the highest maxFeeBips"),
    row("gas", "get_order_fee", "The gas price is the recommended one, in wei or in Gwei"),
    row("several", "get_order_fee", "Asked for several markets, the first is told, or the call is refused"),
)
_BIPS_MAX = 63
_EPOCH_OFFSETS_MS = {"monday": 4 * 86_400_000, "epoch": 0}


def _market(run: Run) -> None:
    _depth(run)
    look_at_candles_of_all_intervals(run)
    _ticker(run)


def _guessed(run: Run) -> list[str]:
    """A market, found by asking: no endpoint lists them."""
    symbols = [token.symbol for token in run.facts.tokens][:6]
    for name in (f"{base}-{quote}" for quote in symbols for base in symbols if base != quote):
        run.pause("get_ticker")
        if run.send(call(run, "get_ticker", {"market": name})).code == 0:
            return [name]
    raise Missing("no market was found: --market is needed")


def _prices(rows: list[list[str]]) -> list[Decimal]:
    return [Decimal(line[0]) for line in rows]


def _depth(run: Run) -> None:
    ask = call(run, "get_depth", {"market": run.facts.market(), "level": 0})
    book = run.right("told", ask)
    _look_at_book(run, book)
    one = run.right("told", ask.but(limit=1))
    for side in ("bids", "asks"):
        told, first = one.payload[side], book.payload[side][:1]
        run.must("limit", one, told == first, f"{side} {told} with limit 1, the best is {first}")
    run.must(
        "version", one, one.payload["version"] >= book.payload["version"], f"{one.payload['version']} after a later one"
    )
    coarse = run.ask(ask.but(level=1), (108_001,))
    if coarse.code == 0 and coarse.is_sound:
        _look_at_book(run, coarse)
        for side in ("bids", "asks"):
            fine_rows, coarse_rows = book.payload[side], coarse.payload[side]
            # A full page may end sooner in the finer book.
            if len(fine_rows) < 50:
                sizes = [sum(int(line[1]) for line in rows) for rows in (fine_rows, coarse_rows)]
                holds = sizes[0] == sizes[1] and len(coarse_rows) <= len(fine_rows)
                run.must("levels", coarse, holds, f"{side}: {coarse_rows}, at level 0 {fine_rows}")


def _look_at_book(run: Run, book: Answer) -> None:
    bids, asks = (_prices(book.payload[side]) for side in ("bids", "asks"))
    run.must("bids-fall", book, bids == sorted(set(bids), reverse=True), f"bids {_listed(bids)}")
    run.must("asks-rise", book, asks == sorted(set(asks)), f"asks {_listed(asks)}")
    if bids and asks:
        run.must("apart", book, bids[0] < asks[0], f"bid {bids[0]}, ask {asks[0]}")
    for line in (*book.payload["bids"], *book.payload["asks"]):
        run.must("counted", book, int(line[1]) > 0 < int(line[3]), f"{line}")


def _listed(prices: list[Decimal]) -> str:
    return ", ".join(map(str, prices[:10]))


def look_at_candles_of_all_intervals(run: Run) -> None:
    """Candles of the market, against each other."""
    ask = call(run, "get_candlestick", {"market": run.facts.market(), "interval": "1min"})
    totals: dict[str, tuple[int, ...]] = {}
    for interval in (Interval.MIN_1, Interval.HOUR_1, Interval.DAY_1, Interval.WEEK_1):
        answer = run.right("told", ask.but(interval=interval.value))
        _look_at_candles(run, answer, interval)
        totals[interval.value] = tuple(sum(int(line[at]) for line in answer.payload) for at in (1, 6, 7))
        if run.world is not None:
            # Another relayer may tell no more than a page of them.
            holds = len(set(totals.values())) == 1
            run.must("sums", answer, holds, f"trades, base and quote volume by interval: {totals}")
    whole = run.right("told", ask)
    rows: list[list[str]] = whole.payload
    if rows:
        limited = run.right("told", ask.but(limit=1))
        run.must(
            "limit", limited, limited.payload == rows[:1], f"{limited.payload} with limit 1, the first is {rows[0]}"
        )
        middle = rows[len(rows) // 2][0]
        for field, is_inside in (("start", int.__ge__), ("end", int.__le__)):
            answer = run.right("told", ask.but(**{field: int(middle)}))
            outside = [line[0] for line in answer.payload if not is_inside(int(line[0]), int(middle))]
            run.must("bounds", answer, not outside, f"{field} {middle}, told {outside}")
            is_there = any(line[0] == middle for line in answer.payload)
            # Another relayer may tell no more than a page.
            run.must(
                "bounds",
                answer,
                is_there or run.world is None,
                f"{field} {middle} left out the candle that starts then",
            )


def _look_at_candles(run: Run, answer: Answer, interval: Interval) -> None:
    starts = [int(line[0]) for line in answer.payload]
    if interval is Interval.WEEK_1:
        grids = {
            option
            for option, at in _EPOCH_OFFSETS_MS.items()
            if all((s - at) % interval.length_ms == 0 for s in starts)
        }
        run.must("grid", answer, bool(grids) or not starts, f"weeks that start at {starts[:5]}")
        if grids and starts:
            run.read("candles.week_start", grids, answer)
    else:
        off = [start for start in starts if start % interval.length_ms]
        run.must("grid", answer, not off, f"{interval}: {off[:5]}")
    rising = sorted(set(starts))
    run.must("order", answer, starts in (rising, rising[::-1]), f"{interval}: starts {starts[:10]}")
    if len(starts) > 1 and starts in (rising, rising[::-1]):
        run.read("candles.order", {"ascending" if starts == rising else "descending"}, answer)
    for line in answer.payload:
        first, last, high, low = map(Decimal, line[2:6])
        run.must("range", answer, low <= min(first, last) and max(first, last) <= high, f"{line}")


def _ticker(run: Run) -> None:
    markets = run.facts.markets[:3]
    ask = call(run, "get_ticker", {"market": ",".join(markets)})
    answer = run.right("told", ask)
    names = [line[0] for line in answer.payload]
    run.must("rows", answer, names == markets, f"rows of {names}, asked for {markets}")
    for line in answer.payload:
        first, high, low, last = (Decimal(text or 0) for text in line[4:8])
        is_traded = int(line[8] or 0) > 0
        if is_traded:
            run.must("range", answer, low <= min(first, last) and max(first, last) <= high, f"{line}")
    if run.world is not None:
        for line in answer.payload:
            _compare_with_book(run, answer, line)


def _compare_with_book(run: Run, answer: Answer, line: list[str]) -> None:
    """The best prices of a ticker against the book, which does not change meanwhile where time stands still."""
    book = run.right("told", call(run, "get_depth", {"market": line[0], "level": 0}))
    for text, side in ((line[9], "bids"), (line[10], "asks")):
        best = book.payload[side][0][0] if book.payload[side] else None
        if best is not None:
            run.must("depth", answer, text == best, f"{line[0]}: {text}, the best of {side} is {best}")
        else:
            run.must("depth", answer, text in ("", "0"), f"{line[0]}: {text}, where the book has no {side}")
            run.read("ticker.no_value", {"0" if text == "0" else "empty"}, answer)


def _order_fee(run: Run) -> None:
    if not run.facts.markets:
        run.facts.markets = _guessed(run)
    base, _ = run.facts.pair()
    fields: dict[str, Any] = {"accountId": run.facts.account_id(), "market": run.facts.market()}
    ask = call(run, "get_order_fee", {**fields, "tokenB": base.token_id, "amountB": str(10**base.decimals)})
    answer = run.right("told", ask)
    if run.world is not None and "gasPrice" in answer.payload:
        look_at_gas_price(run, answer, run.right("told", call(run, "get_gas_price")).payload)
    rate = answer.payload.get("feeRate")
    if rate is None:
        return
    run.must("market", answer, rate["symbol"] == run.facts.market(), f"rates of {rate['symbol']}")
    highest = max(rate["makerRate"], rate["takerRate"])
    run.must("rates", answer, highest <= _BIPS_MAX, f"{highest}")
    run.facts.exchange["takerRate"] = rate["takerRate"]
    if len(run.facts.markets) > 1:
        several = ask.but(market=",".join(run.facts.markets[:2]))
        run.told("several", several, "order_fee.many_markets", {0: "first", 100_000: "refuse"})


FEES = Act("fee rates", _order_fee, _FEE, writes=False)
MARKET: tuple[Act, ...] = (Act("market", _market, (*_DEPTH, *_CANDLES, *_TICKER), writes=False),)
