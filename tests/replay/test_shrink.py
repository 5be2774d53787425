"""A record that differs is run again up to its difference, and made as short as the difference allows."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from mockrelay.cli.replay import format_difference
from mockrelay.recording import read_record
from mockrelay.recording.format import MAIN, lines_by_world
from mockrelay.relay import Relay
from mockrelay.relay.pipeline import answer
from mockrelay.replay.diff import NOTHING, ChangedPart, changed_body_parts, first_byte
from mockrelay.replay.replay import Difference, differences_of
from mockrelay.replay.shrink import CannotShrinkError, minimize, record_of, reproduction_of, shrink
from tests.support.bodies import ECDSA_SIGNATURE, W
from tests.support.client import advance, done, get, post
from tests.support.sockets import Socket
from tests.support.worlds import relay_from

CALLS = 200


def recorded(script: Callable[[Relay], object], relay: Relay | None = None) -> list[str]:
    relay = relay or relay_from()
    lines: list[str] = []
    relay.record_to(lines.append)
    script(relay)
    return lines


def found(lines: Sequence[str]) -> list[Difference]:
    record = read_record("".join(lines).encode(), with_ended=True)
    return [each for world_lines in lines_by_world(record) for each in differences_of(world_lines, Relay.from_head)]


def shortest(lines: Sequence[str]) -> list[str]:
    """The lines of the shortest record that ends in the first difference."""
    steps = read_record("".join(lines).encode()).steps[MAIN]
    script = reproduction_of(steps, found(lines)[0])
    (*_, operations) = shrink(script, Relay.from_head)
    return record_of(script, operations, Relay.from_head).decode().splitlines(keepends=True)


def kinds(lines: Sequence[str]) -> list[str]:
    return [json.loads(line)["kind"] for line in lines]


def targets(lines: Sequence[str]) -> list[str]:
    values = [json.loads(line) for line in lines]
    return [value.get("target") or value["command"] for value in values if value["kind"] in ("call", "control")]


def altered(line: str, was: str, now: str) -> str:
    assert was in line
    return line.replace(was, now, 1)


def two_hundred_calls(relay: Relay) -> None:
    """Bob's orders of ETH do not meet alice's; her deposit and her third order are all that her last list shows."""
    for n in range(CALLS - 1):
        if n == 97:
            post(relay, "/api/v3/order", W.order(6))
            done(relay, "POST", "accounts/bob/deposit", {"token": "ETH", "amount": "5"})
        elif n % 3 == 0:
            get(relay, "/api/v2/depth", market="LRC-ETH", level="0")
        elif n % 3 == 1:
            post(relay, "/api/v2/transfer", W.transfer(n), signature=ECDSA_SIGNATURE)
        else:
            get(relay, "/api/v2/orderId", accountId=10001, tokenSId=1)
    get(relay, "/api/v2/orders", accountId=10001)


def test_a_record_that_comes_out_the_same_has_no_difference() -> None:
    assert found(recorded(two_hundred_calls)) == []


def test_one_byte_of_an_answer_is_found_with_field_and_place() -> None:
    lines = recorded(two_hundred_calls)
    lines[-1] = altered(lines[-1], '\\"totalNum\\":1', '\\"totalNum\\":2')
    (difference,) = found(lines)
    assert difference.parts == (ChangedPart("body.data.totalNum", 2, 1),)
    assert difference.call.line == len(lines) - 1
    body = json.loads(lines[-1])["body"]
    assert difference.byte == body.index('"totalNum":2') + len('"totalNum":')


def test_the_fewest_of_two_hundred_calls_are_the_order_that_the_list_shows() -> None:
    lines = recorded(two_hundred_calls)
    lines[-1] = altered(lines[-1], '\\"totalNum\\":1', '\\"totalNum\\":2')
    shorter = shortest(lines)
    assert kinds(shorter) == ["head", "state", "call", "answer", "call", "answer"]
    assert targets(shorter) == ["/api/v3/order", "/api/v2/orders?accountId=10001"]
    (difference,) = found(shorter)
    assert difference.parts == (ChangedPart("body.data.totalNum", 2, 1),)
    assert [json.loads(line)["seq"] for line in shorter[2:]] == [1, 1, 2, 2]
    assert shortest(lines) == shorter, "it is the same record each time"


def test_an_act_of_control_that_matters_is_kept_and_one_that_does_not_is_left_out() -> None:
    def script(relay: Relay) -> None:
        done(relay, "PUT", "choices", {"http.error_status": "400"})
        done(relay, "POST", "accounts/bob/deposit", {"token": "ETH", "amount": "5"})
        advance(relay, "1s")
        get(relay, "/api/v2/orders")

    lines = recorded(script)
    lines[-1] = altered(lines[-1], '"status":400', '"status":200')
    shorter = shortest(lines)
    assert targets(shorter) == ["choices", "/api/v2/orders"]
    assert [each.parts for each in found(shorter)] == [(ChangedPart("status", 200, 400),)]


def test_an_answer_that_came_of_what_was_left_out_is_left_out_too() -> None:
    """The order is taken although its answer fails, so the list needs the order and not the fault."""

    def script(relay: Relay) -> None:
        done(relay, "POST", "faults", {"on": "submit_order", "status": 503})
        assert post(relay, "/api/v3/order", W.order(6)).status == 503
        get(relay, "/api/v2/orders", accountId=10001)

    lines = recorded(script)
    lines[-1] = altered(lines[-1], '\\"totalNum\\":1', '\\"totalNum\\":9')
    shorter = shortest(lines)
    assert kinds(shorter) == ["head", "state", "call", "call", "answer"]
    assert [each.parts for each in found(shorter)] == [(ChangedPart("body.data.totalNum", 9, 1),)]


def test_a_record_on_which_we_fail_shrinks_to_what_makes_us_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = recorded(two_hundred_calls)

    def fails(ctx: Any, raw: Any, verifier: Any) -> Any:
        if raw.path == "/api/v2/orders" and len(ctx.world.orders.by_hash) == 1:
            raise KeyError("a bug of ours")
        return answer(ctx, raw, verifier)

    monkeypatch.setattr("mockrelay.relay.relay.answer", fails)
    (difference,) = found(lines)
    assert repr(difference.failure) == "KeyError('a bug of ours')"
    shorter = shortest(lines)
    assert targets(shorter) == ["/api/v3/order", "/api/v2/orders?accountId=10001"]
    (again,) = found(shorter)
    assert isinstance(again.failure, KeyError)


def test_a_call_whose_answer_was_never_written_is_no_difference() -> None:
    lines = recorded(two_hundred_calls)
    assert found([*lines[:-1], lines[-1][:-30]]) == []


def test_worlds_are_compared_each_for_itself_those_that_were_removed_too(relay: Relay) -> None:
    lines: list[str] = []
    relay.record_to(lines.append)
    one, two = relay.spawn("one"), relay.spawn("two")
    for world in (one, two, relay):
        get(world, "/api/v2/orders", accountId=10001)
    two.end_record()
    changed = [line.replace('\\"totalNum\\":0', '\\"totalNum\\":3') for line in lines]
    assert [each.world for each in found(changed)] == [MAIN, "one", "two"]
    assert found(lines) == []


def test_a_number_that_does_not_fit_cannot_be_shrunk() -> None:
    lines = recorded(two_hundred_calls)
    del lines[2:4]
    difference = found(lines)[0]
    assert {part.where for part in difference.parts} == {"number", "header X-Mockrelay-Request-Id"}
    with pytest.raises(CannotShrinkError, match="number alone"):
        shortest(lines)


@pytest.mark.parametrize(
    ("was", "now", "parts"),
    [
        (b'{"a":1,"b":[1,2]}', b'{"a":2,"b":[1]}', [ChangedPart("body.a", 1, 2), ChangedPart("body.b[1]", 2, NOTHING)]),
        (b'{"a":1}', b'{"a":true}', [ChangedPart("body.a", 1, True)]),
        (b'{"a":{"b":0}}', b'{"a":0}', [ChangedPart("body.a", {"b": 0}, 0)]),
        (b'{"a":1}', b'{"a": 1}', [ChangedPart("body", b'{"a":1}', b'{"a": 1}')]),
        (b"<html>", b"{}", [ChangedPart("body", b"<html>", b"{}")]),
        (b"[" * 100_000, b"{}", [ChangedPart("body", b"[" * 100_000, b"{}")]),
        (b"9007199254740993", b"9007199254740992", [ChangedPart("body", 9007199254740993, 9007199254740992)]),
    ],
)
def test_bodies_are_compared_field_by_field(was: bytes, now: bytes, parts: list[ChangedPart]) -> None:
    assert list(changed_body_parts(was, now)) == parts


def test_the_first_other_byte_is_counted_from_0() -> None:
    assert [first_byte(b"abc", other) for other in (b"abc", b"xbc", b"abx", b"ab", b"abcd")] == [None, 0, 2, 2, 3]


@pytest.mark.parametrize("needed", [(), (0,), (199,), (3, 4, 150), tuple(range(0, 200, 17))])
def test_fewer_ends_with_just_those_that_are_needed(needed: tuple[int, ...]) -> None:
    attempts: list[int] = []

    def holds(items: Sequence[int]) -> bool:
        attempts.append(len(items))
        return set(needed) <= set(items)

    all_of_them = list(range(CALLS))
    (*_, last) = [all_of_them, *minimize(all_of_them, holds)]
    assert tuple(last) == needed
    assert len(attempts) < CALLS


def test_what_differs_on_a_websocket_is_found_and_not_shrunk() -> None:
    def script(relay: Relay) -> None:
        socket = Socket(relay)
        socket.subscribe({"topic": "ticker", "market": "LRC-ETH"})
        done(relay, "PUT", "choices", {"order.dust": "keep"})

    lines = recorded(script, relay_from("live_v3"))
    at = next(index for index, line in enumerate(lines) if '"ticker' in line and '"kind":"ws_out"' in line)
    changed = [*lines[:at], lines[at].replace("OK", "KO"), *lines[at + 1 :]]
    (difference,) = found(changed)
    assert (difference.call.kind, difference.parts[0].where) == ("ws_in", "sent on a WebSocket")
    assert "sent on a WebSocket: " in format_difference(difference)
    (missing,) = found([*lines[:-2], lines[-1]])
    assert missing.parts[0].was is NOTHING
    with pytest.raises(CannotShrinkError, match="sent on a WebSocket"):
        shortest(changed)
