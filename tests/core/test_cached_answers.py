"""A cached answer is given again only while it is still right."""

from __future__ import annotations

from typing import Any

import pytest

from mockrelay.core.call import VIEWS_MAX, Call, Encodable
from mockrelay.core.context import Context
from mockrelay.core.handle import handle_call
from mockrelay.spec.endpoints import BY_NAME
from tests.core.bench import ALICE, BOB, KEYS, UNIT, Bench

DAY_MS = 86_400_000


def asked(bench: Bench, name: str, **args: Any) -> Any:
    found = bench.call(name, args)
    assert isinstance(found, Encodable)
    return found.payload


def page(bench: Bench, **args: Any) -> list[tuple[str, str]]:
    orders = asked(bench, "get_orders", accountId=ALICE, **args)["orders"]
    return [(order["hash"], order["filledSize"]) for order in orders]


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("get_orders", {"accountId": ALICE}),
        ("get_depth", {"market": "LRC-ETH", "level": 0}),
        ("get_ticker", {"market": "LRC-ETH,LRC-USDT"}),
        ("get_candlestick", {"market": "LRC-ETH", "interval": "1w"}),
    ],
)
def test_an_answer_is_built_once_while_no_order_comes_or_moves(bench: Bench, name: str, args: dict[str, Any]) -> None:
    bench.sell(ALICE, 100 * UNIT, UNIT)
    first = bench.call(name, args)
    assert bench.call(name, args) is first
    bench.buy(BOB, 40 * UNIT, UNIT * 4 // 10)
    assert bench.call(name, args) is not first


def test_a_page_shows_new_orders_fills_and_ends(bench: Bench) -> None:
    first = bench.sell(ALICE, 100 * UNIT, UNIT)
    assert page(bench) == [(first, "0")]
    bench.buy(BOB, 40 * UNIT, UNIT * 4 // 10)
    assert page(bench) == [(first, str(40 * UNIT))]
    second = bench.sell(ALICE, 100 * UNIT, UNIT)
    assert page(bench) == [(second, "0"), (first, str(40 * UNIT))]
    assert page(bench, limit=1) == [(second, "0")]
    assert page(bench, status="processed") == []
    bench.buy(BOB, 60 * UNIT, UNIT * 6 // 10)
    assert page(bench, status="processed") == [(first, str(100 * UNIT))]


def test_a_copy_of_a_world_goes_its_own_way(bench: Bench) -> None:
    first = bench.sell(ALICE, 100 * UNIT, UNIT)
    assert page(bench) == [(first, "0")]
    before = bench.world.clone()
    bench.buy(BOB, 40 * UNIT, UNIT * 4 // 10)
    assert page(bench) == [(first, str(40 * UNIT))]
    bench.world = before
    assert page(bench) == [(first, "0")]
    assert asked(bench, "get_ticker", market="LRC-ETH")[0][8] == "0"


def test_the_ticker_forgets_a_trade_after_a_day_and_sees_the_book_change(bench: Bench) -> None:
    bench.sell(ALICE, 100 * UNIT, UNIT)
    bench.buy(BOB, 40 * UNIT, UNIT * 4 // 10)
    assert asked(bench, "get_ticker", market="LRC-ETH")[0][8:] == ["1", "0", "0.01"]
    bench.buy(BOB, 10 * UNIT, UNIT * 5 // 100)
    assert asked(bench, "get_ticker", market="LRC-ETH")[0][8:] == ["1", "0.005", "0.01"]
    bench.run_due_events(DAY_MS - 1)
    assert asked(bench, "get_ticker", market="LRC-ETH")[0][8] == "1"
    bench.run_due_events(1)
    assert asked(bench, "get_ticker", market="LRC-ETH")[0][8] == "0"
    bench.world.choices["ticker.window"] = "all"
    assert asked(bench, "get_ticker", market="LRC-ETH")[0][8] == "1"


def test_candles_follow_trades_bounds_and_choices(bench: Bench) -> None:
    bench.sell(ALICE, 100 * UNIT, UNIT)
    bench.buy(BOB, 10 * UNIT, UNIT // 10)
    bench.run_due_events(60_000)
    bench.buy(BOB, 10 * UNIT, UNIT // 10)
    start_ms = bench.now_ms - bench.now_ms % 60_000

    def trades(**args: Any) -> list[tuple[int, str]]:
        found = asked(bench, "get_candlestick", market="LRC-ETH", interval="1min", **args)
        return [(int(row[0]) - start_ms, row[1]) for row in found]

    assert trades() == [(-60_000, "1"), (0, "1")]
    assert trades(start=start_ms) == [(0, "1")]
    assert trades(end=start_ms - 1) == [(-60_000, "1")]
    bench.buy(BOB, 10 * UNIT, UNIT // 10)
    assert trades() == [(-60_000, "1"), (0, "2")]
    bench.world.choices["candles.order"] = "descending"
    assert trades() == [(0, "2"), (-60_000, "1")]
    assert trades(limit=1) == [(0, "2")]


def test_a_decider_that_changes_its_mind_is_asked_each_time(bench: Bench) -> None:
    bench.sell(ALICE, 100 * UNIT, UNIT)
    answers = iter(["0", "empty", "0"])

    def decide(key: str, _: object) -> Any:
        return next(answers) if key == "ticker.no_value" else bench.world.choices.get(key, 0)

    call = Call(BY_NAME["get_ticker"], {"market": "LRC-ETH"}, (), KEYS[ALICE], None, "192.0.2.1")
    lasts = []
    for _ in range(3):
        ctx = Context(bench.world, bench.now_ms, decide)
        lasts.append(handle_call(ctx, call).payload[0][9])
        assert [key for key, _ in ctx.trace.choices][-2:] == ["ticker.window", "ticker.no_value"]
    assert lasts == ["0", "", "0"]


def test_ever_other_questions_fill_no_memory(bench: Bench) -> None:
    bench.sell(ALICE, 100 * UNIT, UNIT)
    for number in range(VIEWS_MAX + 10):
        page(bench, offset=number)
        bench.call("get_depth", {"market": "LRC-ETH", "level": 0, "limit": number + 1})
        bench.call("get_candlestick", {"market": "LRC-ETH", "interval": "1min", "limit": number + 1})
    world = bench.world
    assert len(world.orders.pages) == VIEWS_MAX
    assert len(world.book("LRC-ETH").depth_views) <= VIEWS_MAX
    assert len(world.trade_log("LRC-ETH").views) <= VIEWS_MAX
