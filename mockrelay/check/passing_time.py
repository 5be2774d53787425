"""What shows when time has passed: more than a page of orders, minutes without a trade, a day, blocks that are final."""

from __future__ import annotations

from mockrelay.check import rules
from mockrelay.check.calls import api_call, order
from mockrelay.check.checks import check
from mockrelay.check.market import look_at_candles_of_all_intervals
from mockrelay.check.reads import look_at_blocks
from mockrelay.check.run import CheckCase, Lost, Run
from mockrelay.client.facts import DAY_S, Missing

_CHECKS = (
    check("many", "get_orders", "A hundred orders are asked for: all are answered, or the first 50"),
    check("expired", "get_orders", "An order whose validUntil has passed is expired", "States and transitions"),
    check("minutes", "get_candlestick", "Minutes without a trade have no candle, or a flat one"),
    check("day", "get_ticker", "After a day without a trade the volumes are nothing, or those of all time"),
)
_MANY = 51
_MINUTE_MS = 60_000
_GAP_MINUTES = 4
_HOURS = 25


def _passing_time(run: Run) -> None:
    for part in (_pages, _minutes, _day):
        try:
            part(run)
        except (Lost, Missing):
            continue
    look_at_blocks(run)


def _pages(run: Run) -> None:
    """More orders than a page holds, far from the market and valid for a day."""
    base, quote = run.facts.pair
    legs = (base, max(base.min_order_wei, base.unit_wei)), (quote, quote.unit_wei)
    for _ in range(_MANY):
        run.expect_accepted("taken", order(run, run.facts.bob, *legs))
    answer = run.expect_accepted(
        "answered", api_call(run, "get_orders", {"accountId": run.facts.bob.account_id, "limit": 100}, run.facts.bob)
    )
    count, total = len(answer.payload.get("orders", [])), answer.payload["totalNum"]
    holds = count in (total, 50) and total >= _MANY
    run.expect("many", answer, holds, f"{count} of {total} orders, {_MANY} or more were made")
    if count in (total, 50):
        run.observe("page.limit_max", {"50" if count == 50 else "none"}, answer)


def _minutes(run: Run) -> None:
    """A trade, some minutes, and another."""
    base, quote = run.facts.pair
    # A price at which every seller sells.
    legs = (quote, quote.unit_wei), (base, base.unit_wei)
    for wait in (0, _GAP_MINUTES):
        run.world.advance(wait * _MINUTE_MS)
        run.expect_accepted("taken", order(run, run.facts.bob, *legs, buy="true"))
    call = api_call(run, "get_candlestick", {"market": run.facts.market, "interval": "1min"})
    answer = run.expect_accepted("answered", call)
    starts = sorted(int(line[0]) for line in answer.payload)
    last = run.facts.now_ms() - run.facts.now_ms() % _MINUTE_MS
    between = [start for start in starts if last - _GAP_MINUTES * _MINUTE_MS < start < last]
    holds = len(between) in (0, _GAP_MINUTES - 1) and starts[-1:] == [last]
    run.expect("minutes", answer, holds, f"{len(between)} candles in {_GAP_MINUTES - 1} minutes without a trade")
    if holds:
        run.observe("candles.empty", {"flat" if between else "skip"}, answer)
    look_at_candles_of_all_intervals(run)


def _day(run: Run) -> None:
    base, quote = run.facts.pair
    legs = (base, base.unit_wei), (quote, quote.unit_wei)
    short = run.call(order(run, run.facts.bob, *legs, validUntil=run.facts.now_s + DAY_S), (102_120,))
    run.world.advance(_HOURS * 60 * _MINUTE_MS)
    ticker = run.expect_accepted("answered", api_call(run, "get_ticker", {"market": run.facts.market}))
    volume, trades = ticker.payload[0][2], ticker.payload[0][8]
    run.expect("day", ticker, (volume == "0") == (trades == "0"), f"volume {volume} in {trades} trades")
    run.observe("ticker.window", {"24h" if trades == "0" else "all"}, ticker)
    if short.code == 0 and short.is_sound and short.payload["status"] == "NEW_ACTIVED":
        hash_ = short.payload["orderHash"]
        fields = {"accountId": run.facts.bob.account_id, "status": "expired", "limit": 50}
        listed = run.expect_accepted("answered", api_call(run, "get_orders", fields, run.facts.bob))
        states = [one["status"] for one in listed.payload.get("orders", []) if one["hash"] == hash_]
        run.expect("expired", listed, states == ["expired"], f"order {hash_}: {states or 'not listed'}", rules.MEMORY)


PASSING_TIME = CheckCase(
    "time going by",
    _passing_time,
    _CHECKS,
    writes=True,
    endpoints=("get_orders", "get_candlestick", "get_ticker", "get_block", "submit_order"),
)
