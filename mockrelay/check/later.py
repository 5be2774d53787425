"""What is seen when time has gone by: more than a page of orders, minutes without a trade, a day, blocks that are final."""

from __future__ import annotations

from mockrelay.check import rules
from mockrelay.check.bodies import DAY_S, bob_of, call, now_s, order
from mockrelay.check.facts import Missing
from mockrelay.check.market import look_at_candles_of_all_intervals
from mockrelay.check.reads import look_at_blocks
from mockrelay.check.rows import Act, row
from mockrelay.check.run import Lost, Run

_ROWS = (
    row("many", "get_orders", "A hundred orders are asked for: all are told, or the first 50"),
    row("expired", "get_orders", "An order whose validUntil has passed is expired", "States and transitions"),
    row("minutes", "get_candlestick", "Minutes without a trade have no candle, or a flat one"),
    row("day", "get_ticker", "After a day without a trade the volumes are nothing, or those of all time"),
)
_MANY = 51
_MINUTE_MS = 60_000
_GAP_MINUTES = 4
_HOURS = 25


def _later(run: Run) -> None:
    for part in (_pages, _minutes, _day):
        try:
            part(run)
        except (Lost, Missing):
            continue
    look_at_blocks(run)


def _pages(run: Run) -> None:
    """More orders than a page holds, far from the market and valid for a day."""
    base, quote = run.facts.pair()
    legs = (base, max(base.least_wei, 10**base.decimals)), (quote, 10**quote.decimals)
    for _ in range(_MANY):
        run.right("taken", order(run, bob_of(run), *legs))
    answer = run.right(
        "told", call(run, "get_orders", {"accountId": bob_of(run).account_id, "limit": 100}, bob_of(run))
    )
    told, total = len(answer.payload.get("orders", [])), answer.payload["totalNum"]
    run.must(
        "many", answer, told in (total, 50) and total >= _MANY, f"{told} of {total} orders, {_MANY} or more were made"
    )
    if told in (total, 50):
        run.read("page.limit_max", {"50" if told == 50 else "none"}, answer)


def _minutes(run: Run) -> None:
    """A trade, some minutes, and another."""
    base, quote = run.facts.pair()
    # A price at which every seller sells.
    legs = (quote, 10**quote.decimals), (base, 10**base.decimals)
    for wait in (0, _GAP_MINUTES):
        run.steered.advance(wait * _MINUTE_MS)
        run.right("taken", order(run, bob_of(run), *legs, buy="true"))
    ask = call(run, "get_candlestick", {"market": run.facts.market(), "interval": "1min"})
    answer = run.right("told", ask)
    starts = sorted(int(line[0]) for line in answer.payload)
    last = run.now_ms() - run.now_ms() % _MINUTE_MS
    between = [start for start in starts if last - _GAP_MINUTES * _MINUTE_MS < start < last]
    holds = len(between) in (0, _GAP_MINUTES - 1) and starts[-1:] == [last]
    run.must("minutes", answer, holds, f"{len(between)} candles in {_GAP_MINUTES - 1} minutes without a trade")
    if holds:
        run.read("candles.empty", {"flat" if between else "skip"}, answer)
    look_at_candles_of_all_intervals(run)


def _day(run: Run) -> None:
    base, quote = run.facts.pair()
    legs = (base, 10**base.decimals), (quote, 10**quote.decimals)
    short = run.ask(order(run, bob_of(run), *legs, validUntil=now_s(run) + DAY_S), (102_120,))
    run.steered.advance(_HOURS * 60 * _MINUTE_MS)
    ticker = run.right("told", call(run, "get_ticker", {"market": run.facts.market()}))
    volume, trades = ticker.payload[0][2], ticker.payload[0][8]
    run.must("day", ticker, (volume == "0") == (trades == "0"), f"volume {volume} in {trades} trades")
    run.read("ticker.window", {"24h" if trades == "0" else "all"}, ticker)
    if short.code == 0 and short.is_sound and short.payload["status"] == "NEW_ACTIVED":
        hash_ = short.payload["orderHash"]
        fields = {"accountId": bob_of(run).account_id, "status": "expired", "limit": 50}
        listed = run.right("told", call(run, "get_orders", fields, bob_of(run)))
        states = [one["status"] for one in listed.payload.get("orders", []) if one["hash"] == hash_]
        run.must("expired", listed, states == ["expired"], f"order {hash_}: {states or 'not listed'}", rules.MEMORY)


LATER: tuple[Act, ...] = (
    Act(
        "time going by",
        _later,
        _ROWS,
        writes=True,
        endpoints=("get_orders", "get_candlestick", "get_ticker", "get_block", "submit_order"),
    ),
)
