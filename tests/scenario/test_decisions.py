"""`decisions`: an open decision has another outcome one single time, the nth that it is met in the world's life."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from mockrelay.core.world import digest
from mockrelay.relay import Relay
from tests.scenario.texts import HEAD, marked, refusal, relay_of
from tests.support.client import advance, done, get

SECOND_EMPTY = "decisions: [{key: ticker.no_value, nth: 2, value: empty}]\n"
TWO_AT_ONCE = (
    "timeline:\n"
    "  - {at: 60s, do: {deposit: {account: alice, token: LRC, amount: '1'}}}\n"
    "  - {at: 60s, do: {deposit: {account: bob, token: LRC, amount: '1'}}}\n"
    "  - {at: 60s, do: {deposit: {account: carol, token: LRC, amount: '1'}}}\n"
)


def opening(relay: Relay) -> str:
    """What stands where the ticker of a market without trades has no value."""
    row: list[str] = get(relay, "/api/v2/ticker", market="LRC-ETH").data[0]
    return row[4]


def receivers(relay: Relay) -> list[int]:
    """Whose deposits wait for the next block, in order."""
    return [row["accountId"] for row in get(relay, "/api/v3/block/getPendingRequests").json]


def test_only_the_nth_time_is_another() -> None:
    relay = relay_of(SECOND_EMPTY)
    assert [opening(relay) for _ in range(4)] == ["0", "", "0", "0"]


def test_the_choices_of_the_world_hold_the_other_times() -> None:
    relay = relay_of("choices: {ticker.no_value: empty}\ndecisions: [{key: ticker.no_value, nth: 3, value: '0'}]\n")
    assert [opening(relay) for _ in range(4)] == ["", "", "0", ""]


def test_one_decision_may_be_scripted_several_times() -> None:
    third = SECOND_EMPTY.replace("]", ", {key: ticker.no_value, nth: 4, value: empty}]")
    relay = relay_of(third)
    assert [opening(relay) for _ in range(5)] == ["0", "", "0", "", "0"]


def test_a_call_that_does_not_meet_the_decision_is_not_counted() -> None:
    relay = relay_of(SECOND_EMPTY)
    assert opening(relay) == "0"
    get(relay, "/api/v2/exchange/info")
    done(relay, "GET", "state")
    assert opening(relay) == ""


def test_a_decide_function_is_called_first_and_counts() -> None:
    answers: list[str | None] = ["empty", None, "0", None]
    asked: list[str] = []

    def decide(key: str, context: Mapping[str, Any]) -> Any:
        if key != "ticker.no_value":
            return None
        asked.append(key)
        return answers[len(asked) - 1]

    relay = relay_of("decisions: [{key: ticker.no_value, nth: 4, value: empty}]\n", decide=decide)
    assert [opening(relay) for _ in range(4)] == ["", "0", "0", ""]
    assert len(asked) == 4


def test_the_count_starts_again_with_a_reset_and_is_part_of_the_world() -> None:
    relay = relay_of(SECOND_EMPTY)
    start = digest(relay.world)
    opening(relay)
    assert digest(relay.world) != start
    copy = relay.world.clone()
    assert digest(copy) == digest(relay.world)
    assert opening(relay) == ""
    assert digest(copy) != digest(relay.world)
    done(relay, "POST", "reset", {})
    assert digest(relay.world) == start
    assert [opening(relay) for _ in range(2)] == ["0", ""]


@pytest.mark.parametrize(
    ("nth", "value", "order"),
    [
        # Three things at one moment are two decisions: which of three, then which of two.
        (1, 0, [10001, 10002, 10003]),
        (1, 1, [10002, 10001, 10003]),
        (1, 2, [10003, 10001, 10002]),
        (2, 1, [10001, 10003, 10002]),
        # Beyond the last one is the last one.
        (1, 7, [10003, 10001, 10002]),
        # It is not met a third time.
        (3, 1, [10001, 10002, 10003]),
    ],
)
def test_which_of_the_events_of_one_moment_comes_first(nth: int, value: int, order: list[int]) -> None:
    relay = relay_of(f"{TWO_AT_ONCE}decisions: [{{key: due.order, nth: {nth}, value: {value}}}]\n")
    advance(relay, "60s")
    assert receivers(relay) == order


def test_a_scenario_without_decisions_counts_none() -> None:
    relay = relay_of("")
    opening(relay)
    assert relay.world.decisions_met == {}


@pytest.mark.parametrize(
    ("decision", "message"),
    [
        ("^{nth: 1, value: x}", "found no 'key'; meant key, which is required here"),
        ("{key: ^order.dsut, nth: 1, value: keep}", "found the unknown key 'order.dsut'; meant 'order.dust'"),
        ("{key: ^due.oder, nth: 1, value: 1}", "found the unknown key 'due.oder'; meant 'due.order'"),
        ("^{key: order.dust, value: keep}", "found no 'nth'; meant nth, which is required here"),
        ("{key: order.dust, nth: ^0, value: keep}", "found the number 0; meant a whole number from 1 to"),
        ("{key: order.dust, nth: 1, value: ^kep}", "found 'kep'; meant one of finish, keep"),
        ("{key: due.order, nth: 1, value: ^first}", "found 'first'; meant a whole number from 0 to"),
        ("{key: due.order, nth: 1, value: 1}, {key: due.order, nth: ^1, value: 0}", "found the nth 1 of due.order"),
        ("{key: due.order, nth: 1, ^valu: 1}", "found the unknown key 'valu'; meant 'value'"),
    ],
)
def test_what_is_refused(decision: str, message: str) -> None:
    text, place = marked(f"{HEAD}decisions: [{decision}]\n")
    assert refusal(text).startswith(f"w.yaml:{place}: {message}")
