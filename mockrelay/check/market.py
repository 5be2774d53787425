"""Checks of books, candles, tickers and fee rates: that they are sorted, and agree with each other and with the call."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from mockrelay.check.answer import Answer
from mockrelay.check.calls import api_call
from mockrelay.check.checks import check
from mockrelay.check.reads import look_at_gas_price
from mockrelay.check.run import CheckCase, Run
from mockrelay.client.facts import Missing
from mockrelay.spec.vocab import Interval

_DEPTH = (
    check("answered", "get_depth", "A right call is answered with the book of a market"),
    check("bids-fall", "get_depth", "Bids fall from the best one on, each price once"),
    check("asks-rise", "get_depth", "Asks rise from the best one on, each price once"),
    check("apart", "get_depth", "The best bid is below the best call"),
    check("counted", "get_depth", "At each price there are an order and a size, or more", "Depth"),
    check("limit", "get_depth", "There are no more prices than `limit`, and they are the best ones"),
    check("levels", "get_depth", "A coarser level holds the same sizes in no more prices"),
    check("level-above", "get_depth", "A level above the highest is refused, or counts as the highest"),
    check("version", "get_depth", "The version of a book never falls", "Depth"),
)
_CANDLES = (
    check("answered", "get_candlestick", "A right call is answered with candles of every interval"),
    check("grid", "get_candlestick", "Candles start on the grid of their interval"),
    check("order", "get_candlestick", "Candles are in the order of time, one way or the other, each once"),
    check("range", "get_candlestick", "No price of a candle is below its lowest or above its highest"),
    check("limit", "get_candlestick", "`limit` leaves the first rows"),
    check("bounds", "get_candlestick", "No candle starts before `start` or after `end`"),
    check("sums", "get_candlestick", "Candles of all intervals have the same trades and volumes in all"),
)
_TICKER = (
    check("answered", "get_ticker", "A right call is answered with tickers"),
    check("rows", "get_ticker", "There is a row for each market asked for, in that order"),
    check("range", "get_ticker", "No price of a ticker is below its lowest or above its highest"),
    check("depth", "get_ticker", "The best bid and call are those of the book"),
)
_FEE = (
    check("answered", "get_order_fee", "A right call is answered with the fee rates of an account"),
    check("market", "get_order_fee", "The rates are those of the market asked for"),
    check("rates", "get_order_fee", "Rates are at most 63, the highest maxFeeBips"),
    check("gas", "get_order_fee", "The gas price is the recommended one, in wei or in Gwei"),
    check("several", "get_order_fee", "Asked for several markets, the first is answered, or the call is refused"),
)
_BIPS_MAX = 63
_EPOCH_OFFSETS_MS = {"monday": 4 * 86_400_000, "epoch": 0}


def _market(run: Run) -> None:
    _depth(run)
    look_at_candles_of_all_intervals(run)
    _ticker(run)


def _guessed(run: Run) -> list[str]:
    """A market, found by trying: no endpoint lists them."""
    symbols = [token.symbol for token in run.facts.tokens][:6]
    for name in (f"{base}-{quote}" for quote in symbols for base in symbols if base != quote):
        run.throttle.wait("get_ticker")
        if run.send(api_call(run, "get_ticker", {"market": name})).code == 0:
            return [name]
    raise Missing("no market was found: --market is needed")


def _prices(rows: list[list[str]]) -> list[Decimal]:
    return [Decimal(line[0]) for line in rows]


_NO_LEVEL = 99
"""A level that no market has: no price has so many decimals."""


def _depth(run: Run) -> None:
    call = api_call(run, "get_depth", {"market": run.facts.market, "level": 0})
    book = run.expect_accepted("answered", call)
    _look_at_book(run, book)
    one = run.expect_accepted("answered", call.but(limit=1))
    for side in ("bids", "asks"):
        found, first = one.payload[side], book.payload[side][:1]
        run.expect("limit", one, found == first, f"{side} {found} with limit 1, the best is {first}")
    run.expect(
        "version", one, one.payload["version"] >= book.payload["version"], f"{one.payload['version']} after a later one"
    )
    run.expect_option("level-above", call.but(level=_NO_LEVEL), "depth.level_above", {0: "highest", 108_001: "refuse"})
    coarse = run.call(call.but(level=1), (108_001,))
    if coarse.code == 0 and coarse.is_sound:
        _look_at_book(run, coarse)
        for side in ("bids", "asks"):
            fine_rows, coarse_rows = book.payload[side], coarse.payload[side]
            # A full page may end sooner in the finer book.
            if len(fine_rows) < 50:
                sizes = [sum(int(line[1]) for line in rows) for rows in (fine_rows, coarse_rows)]
                holds = sizes[0] == sizes[1] and len(coarse_rows) <= len(fine_rows)
                run.expect("levels", coarse, holds, f"{side}: {coarse_rows}, at level 0 {fine_rows}")


def _look_at_book(run: Run, book: Answer) -> None:
    bids, asks = (_prices(book.payload[side]) for side in ("bids", "asks"))
    run.expect("bids-fall", book, bids == sorted(set(bids), reverse=True), f"bids {_listed(bids)}")
    run.expect("asks-rise", book, asks == sorted(set(asks)), f"asks {_listed(asks)}")
    if bids and asks:
        run.expect("apart", book, bids[0] < asks[0], f"bid {bids[0]}, call {asks[0]}")
    for line in (*book.payload["bids"], *book.payload["asks"]):
        run.expect("counted", book, int(line[1]) > 0 < int(line[3]), f"{line}")


def _listed(prices: list[Decimal]) -> str:
    return ", ".join(map(str, prices[:10]))


def look_at_candles_of_all_intervals(run: Run) -> None:
    """Candles of the market, against each other."""
    call = api_call(run, "get_candlestick", {"market": run.facts.market, "interval": "1min"})
    totals: dict[str, tuple[int, ...]] = {}
    for interval in (Interval.MIN_1, Interval.HOUR_1, Interval.DAY_1, Interval.WEEK_1):
        answer = run.expect_accepted("answered", call.but(interval=interval.value))
        _look_at_candles(run, answer, interval)
        totals[interval.value] = tuple(sum(int(line[at]) for line in answer.payload) for at in (1, 6, 7))
        if run.own_world is not None:
            # Another relayer may answer no more than a page of them.
            holds = len(set(totals.values())) == 1
            run.expect("sums", answer, holds, f"trades, base and quote volume by interval: {totals}")
    whole = run.expect_accepted("answered", call)
    rows: list[list[str]] = whole.payload
    if rows:
        limited = run.expect_accepted("answered", call.but(limit=1))
        run.expect(
            "limit", limited, limited.payload == rows[:1], f"{limited.payload} with limit 1, the first is {rows[0]}"
        )
        middle = rows[len(rows) // 2][0]
        for field, is_inside in (("start", int.__ge__), ("end", int.__le__)):
            answer = run.expect_accepted("answered", call.but(**{field: int(middle)}))
            outside = [line[0] for line in answer.payload if not is_inside(int(line[0]), int(middle))]
            run.expect("bounds", answer, not outside, f"{field} {middle}, found {outside}")
            is_listed = any(line[0] == middle for line in answer.payload)
            # Another relayer may answer no more than a page.
            run.expect(
                "bounds",
                answer,
                is_listed or run.own_world is None,
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
        run.expect("grid", answer, bool(grids) or not starts, f"weeks that start at {starts[:5]}")
        if grids and starts:
            run.observe("candles.week_start", grids, answer)
    else:
        off = [start for start in starts if start % interval.length_ms]
        run.expect("grid", answer, not off, f"{interval}: {off[:5]}")
    rising = sorted(set(starts))
    run.expect("order", answer, starts in (rising, rising[::-1]), f"{interval}: starts {starts[:10]}")
    if len(starts) > 1 and starts in (rising, rising[::-1]):
        run.observe("candles.order", {"ascending" if starts == rising else "descending"}, answer)
    for line in answer.payload:
        first, last, high, low = map(Decimal, line[2:6])
        run.expect("range", answer, low <= min(first, last) and max(first, last) <= high, f"{line}")


def _ticker(run: Run) -> None:
    markets = run.facts.markets[:3]
    call = api_call(run, "get_ticker", {"market": ",".join(markets)})
    answer = run.expect_accepted("answered", call)
    names = [line[0] for line in answer.payload]
    run.expect("rows", answer, names == markets, f"rows of {names}, asked for {markets}")
    for line in answer.payload:
        first, high, low, last = (Decimal(text or 0) for text in line[4:8])
        is_traded = int(line[8] or 0) > 0
        if is_traded:
            run.expect("range", answer, low <= min(first, last) and max(first, last) <= high, f"{line}")
    if run.own_world is not None:
        for line in answer.payload:
            _compare_with_book(run, answer, line)


def _compare_with_book(run: Run, answer: Answer, line: list[str]) -> None:
    """The best prices of a ticker against the book, which does not change meanwhile where time stands still."""
    book = run.expect_accepted("answered", api_call(run, "get_depth", {"market": line[0], "level": 0}))
    for text, side in ((line[9], "bids"), (line[10], "asks")):
        best = book.payload[side][0][0] if book.payload[side] else None
        if best is not None:
            run.expect("depth", answer, text == best, f"{line[0]}: {text}, the best of {side} is {best}")
        else:
            run.expect("depth", answer, text in ("", "0"), f"{line[0]}: {text}, where the book has no {side}")
            run.observe("ticker.no_value", {"0" if text == "0" else "empty"}, answer)


def _order_fee(run: Run) -> None:
    if not run.facts.markets:
        run.facts.markets = _guessed(run)
    base, _ = run.facts.pair
    fields: dict[str, Any] = {"accountId": run.facts.account_id, "market": run.facts.market}
    call = api_call(run, "get_order_fee", {**fields, "tokenB": base.token_id, "amountB": str(base.unit_wei)})
    answer = run.expect_accepted("answered", call)
    if run.own_world is not None and "gasPrice" in answer.payload:
        look_at_gas_price(run, answer, run.expect_accepted("answered", api_call(run, "get_gas_price")).payload)
    rate = answer.payload.get("feeRate")
    if rate is None:
        return
    run.expect("market", answer, rate["symbol"] == run.facts.market, f"rates of {rate['symbol']}")
    highest = max(rate["makerRate"], rate["takerRate"])
    run.expect("rates", answer, highest <= _BIPS_MAX, f"{highest}")
    run.taker_bips = rate["takerRate"]
    if len(run.facts.markets) > 1:
        several = call.but(market=",".join(run.facts.markets[:2]))
        run.expect_option("several", several, "order_fee.many_markets", {0: "first", 100_000: "refuse"})


FEES = CheckCase("fee rates", _order_fee, _FEE, writes=False)
MARKET: tuple[CheckCase, ...] = (CheckCase("market", _market, (*_DEPTH, *_CANDLES, *_TICKER), writes=False),)
