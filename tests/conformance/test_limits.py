"""Rate limits on the relayer's clock: the last allowed call, the first refused, who is counted, and bans."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import pytest

from mockrelay.relay import Relay
from mockrelay.web import serve
from tests.conformance.checks import refused
from tests.conformance.transcript import ROWS, Row
from tests.support.answer import Answer
from tests.support.bodies import E18
from tests.support.calls import Request, at_once, call, order, valid_request
from tests.support.client import advance, control, digest, done, send
from tests.support.connection import connected
from tests.support.worlds import relay_from, world

LIMITED = [row for row in ROWS if row.limit is not None]
UNLIMITED = [row for row in ROWS if row.limit is None]
TOKENS, DEPTH, BROKER = (valid_request(name) for name in ("get_tokens", "get_depth", "get_broker"))
RATE_STATUS, RATE_BODY, RETRY_AFTER = ("429", "200"), ("result_info", "empty", "html"), ("1", "none")
ESCALATING = {"rate.escalate": "60s"}


def limited(choices: Mapping[str, str] | None = None) -> Relay:
    return world(choices, limits="spec")


def statuses(relay: Relay, request: Request, count: int = 1) -> list[int]:
    return [call(relay, request).status for _ in range(count)]


def refused_by_limiter(answer: Answer) -> None:
    """429 in the API's own shape, with 100000 and a second's patience asked for."""
    refused(answer, 429, {100000})
    assert answer.headers["retry-after"] == "1"


def test_21_limits() -> None:
    """The spec lists 21 limits; eight endpoints have none."""
    assert (len(LIMITED), len(UNLIMITED)) == (21, 8)


@pytest.mark.parametrize("row", LIMITED, ids=[f"{row.name}-{row.limit}" for row in LIMITED])
def test_last_allowed_first_refused_and_next_second(row: Row) -> None:
    """Exactly the limit passes in one clock second; the next second starts anew, not a millisecond earlier."""
    relay, request = limited(), valid_request(row.name)
    assert row.limit is not None
    assert 429 not in statuses(relay, request, row.limit)
    before = digest(relay)
    refused_by_limiter(call(relay, request))
    assert digest(relay) == before
    advance(relay, "999ms")
    refused_by_limiter(call(relay, request))
    advance(relay, "1ms")
    assert 429 not in statuses(relay, request, row.limit)
    refused_by_limiter(call(relay, request))


@pytest.mark.parametrize("row", LIMITED, ids=[row.name for row in LIMITED])
def test_other_caller_and_other_endpoint_are_untouched(row: Row) -> None:
    """A limit counts for one endpoint and one account's key; without a key for one peer."""
    relay, request = limited(), valid_request(row.name)
    statuses(relay, request, row.limit or 0)
    if row.key == "none":
        assert call(relay, request, remote="10.0.0.9").status != 429
    else:
        assert call(relay, request._replace(key="bob")).status != 429
        assert call(relay, request._replace(key=None)).status != 429
        assert call(relay, request, remote="10.0.0.9").status == 429
    for other in ROWS:
        if other.name != row.name:
            assert call(relay, valid_request(other.name)).status != 429
    refused_by_limiter(call(relay, request))


@pytest.mark.parametrize("row", UNLIMITED, ids=[row.name for row in UNLIMITED])
def test_endpoint_without_a_limit_is_never_limited(row: Row) -> None:
    """Two hundred calls in one second."""
    assert 429 not in statuses(limited(), valid_request(row.name), 200)


def test_refused_calls_count() -> None:
    """A call that is refused for its shape or its key has still been a call."""
    relay, account = limited(), valid_request("get_account")
    assert statuses(relay, DEPTH.but(level="x"), 3) == [200] * 3
    refused_by_limiter(call(relay, DEPTH))
    assert [call(relay, account._replace(key=None)).code for _ in range(3)] == [104001] * 3
    refused_by_limiter(call(relay, account._replace(key="nobody")))


def test_refusals_by_the_limiter_do_not_count() -> None:
    """Twenty calls too many do not spoil the next second."""
    relay = limited()
    statuses(relay, DEPTH, 20)
    advance(relay, "1s")
    assert statuses(relay, DEPTH, 4) == [200, 200, 200, 429]


def test_the_window_is_the_clock_second() -> None:
    """Three calls at the end of one second and three at the start of the next are all allowed."""
    relay = limited()
    advance(relay, "999ms")
    assert statuses(relay, DEPTH, 3) == [200] * 3
    advance(relay, "1ms")
    assert statuses(relay, DEPTH, 4) == [200, 200, 200, 429]


def test_of_a_hundred_orders_at_once_three_are_taken_and_the_others_were_never_there() -> None:
    """The world is the one that the three alone lead to: no order, no id used, no money frozen, no event to come."""
    relay, other = limited(), limited()
    requests = [order(number, amountS=str(E18), label=number) for number in range(100)]
    with serve(relay) as server:
        answers = at_once(server.url, requests)
    assert sorted(answer.status for answer in answers) == [200] * 3 + [429] * 97
    taken = sorted(
        (int(answer.headers["x-mockrelay-request-id"][1:]), number)
        for number, answer in enumerate(answers)
        if answer.code == 0
    )
    for _, number in taken:
        assert call(other, requests[number]).code == 0
    assert digest(relay) == digest(other)


@pytest.mark.parametrize(("status", "body", "retry"), list(product(RATE_STATUS, RATE_BODY, RETRY_AFTER)))
def test_every_form_of_a_refusal_by_choice(status: str, body: str, retry: str) -> None:
    """Status, body and Retry-After are set apart from each other, and arrive as they are over a kept connection."""
    relay = limited({"rate.status": status, "rate.body": body, "rate.retry_after": retry})
    with serve(relay) as server, connected(server.url) as connection:
        *_, answer = [call(connection, TOKENS) for _ in range(4)]
        assert answer.status == int(status)
        assert answer.headers.get("retry-after") == (None if retry == "none" else retry)
        has_the_form(answer, body)
        advance(connection, "1s")
        assert call(connection, TOKENS).code == 0


def has_the_form(answer: Answer, body: str) -> None:
    if body == "html":
        assert answer.headers["content-type"].startswith("text/html")
        assert answer.body.startswith(b"<html>")
    elif body == "empty":
        assert answer.body == b""
    else:
        assert answer.headers["content-type"].startswith("application/json")
        assert answer.json == {"resultInfo": {"code": 100000, "message": answer.message}}


@pytest.mark.parametrize("body", RATE_BODY)
def test_no_other_answer_takes_the_form_of_a_refusal_by_the_limiter(body: str) -> None:
    relay = limited({"rate.body": body, "rate.status": "200"})
    assert call(relay, TOKENS._replace(key="nobody")).code == 104002
    assert send(relay, "GET", "/api/v2/nothing").status == 404


def test_one_setting_turns_all_limits_off() -> None:
    """When the relay is made, at a reset, and in a scenario."""
    free, relay = world(limits="off"), limited()
    for row in ROWS:
        assert 429 not in statuses(free, valid_request(row.name), 20), row.name
    done(relay, "POST", "reset", {"limits": "off"})
    assert set(statuses(relay, TOKENS, 50)) == {200}
    done(relay, "POST", "reset", {})
    assert statuses(relay, TOKENS, 4)[-1] == 429
    plain = relay_from(limits=None)
    done(plain, "POST", "reset", {"scenarioText": "format: 1\nname: free\nextends: default\nlimits: off\n"})
    assert set(statuses(plain, TOKENS, 50)) == {200}


def test_limits_hold_where_nothing_is_set() -> None:
    """A relay made from `default` alone has the limiter on."""
    assert statuses(relay_from(limits=None), TOKENS, 4) == [200, 200, 200, 429]


def test_control_calls_are_not_limited_and_take_no_place() -> None:
    relay = limited()
    assert {control(relay, "GET", "health").status for _ in range(50)} == {200}
    assert statuses(relay, TOKENS, 4) == [200, 200, 200, 429]


def test_two_relayers_do_not_share_a_limiter() -> None:
    for relay in (limited(), limited()):
        assert statuses(relay, TOKENS, 4) == [200, 200, 200, 429]


def test_a_client_that_does_not_slow_down_stays_refused_for_a_minute() -> None:
    """From the tenth refusal in a row, everywhere, for its account alone; what it sends meanwhile does not prolong it."""
    relay = limited(ESCALATING)
    assert statuses(relay, TOKENS, 13) == [200] * 3 + [429] * 10
    for _ in range(59):
        advance(relay, "1s")
        assert statuses(relay, TOKENS) == statuses(relay, BROKER) == [429]
        assert statuses(relay, TOKENS._replace(key="bob")) == [200]
    advance(relay, "999ms")
    assert statuses(relay, TOKENS) == [429]
    advance(relay, "1ms")
    assert statuses(relay, TOKENS, 3) == [200] * 3


def test_a_client_that_goes_on_and_on_is_banned_again() -> None:
    """Fifteen calls a second for three minutes: three are answered, then none for a minute, and so on."""
    relay = limited(ESCALATING)
    answered = []
    for second in range(180):
        answered += [second] * statuses(relay, TOKENS, 15).count(200)
        advance(relay, "1s")
    assert answered == [0, 0, 0, 60, 60, 60, 120, 120, 120]


def test_a_client_that_heeds_retry_after_is_never_banned() -> None:
    """Sixty refusals, each followed by the wait that it asks for."""
    relay = limited(ESCALATING)
    for _ in range(60):
        assert statuses(relay, TOKENS, 3) == [200] * 3
        answer = call(relay, TOKENS)
        assert (answer.status, answer.headers["retry-after"]) == (429, "1")
        advance(relay, f"{answer.headers['retry-after']}s")


def test_nine_refusals_and_a_pause_are_no_ban() -> None:
    """The tenth in a row bans; one answered call between them begins a new row."""
    relay = limited(ESCALATING)
    for _ in range(3):
        assert statuses(relay, TOKENS, 12) == [200] * 3 + [429] * 9
        advance(relay, "1s")
    assert statuses(relay, TOKENS, 3) == [200] * 3


def test_a_ban_has_the_form_that_is_chosen() -> None:
    """HTML, without Retry-After: what a service in front of the relayer sends."""
    relay = limited({**ESCALATING, "rate.body": "html", "rate.retry_after": "none"})
    with serve(relay) as server, connected(server.url) as connection:
        for _ in range(13):
            call(connection, TOKENS)
        advance(connection, "30s")
        banned = call(connection, valid_request("get_orders"))
        assert banned.status == 429
        has_the_form(banned, "html")
        assert "retry-after" not in banned.headers


def test_a_ban_is_part_of_the_world() -> None:
    """A snapshot brings it back, a reset lifts it, and by default there is none."""
    relay = limited(ESCALATING)
    done(relay, "POST", "snapshots", {"name": "before"})
    statuses(relay, TOKENS, 13)
    done(relay, "POST", "snapshots", {"name": "banned"})
    advance(relay, "30s")
    done(relay, "POST", "snapshots/before/restore")
    assert statuses(relay, BROKER) == [200]
    done(relay, "POST", "snapshots/banned/restore")
    assert statuses(relay, BROKER) == [429]
    done(relay, "POST", "reset", {})
    assert statuses(relay, BROKER) == [200]
    mild = limited()
    statuses(mild, TOKENS, 200)
    advance(mild, "1s")
    assert statuses(mild, TOKENS) == [200]


@pytest.mark.parametrize(
    ("choices", "counts_go_on", "ban_goes_on"),
    [
        ({"rate.status": "200", "rate.body": "html", "rate.retry_after": "none"}, True, True),
        ({"rate.unlisted": "5"}, True, True),
        ({"rate.scope": "api_key", "rate.window": "second", "rate.escalate": "60s"}, True, True),
        ({"order.dust": "keep"}, True, True),
        ({"rate.window": "sliding"}, False, True),
        ({"rate.scope": "global"}, False, False),
        ({"rate.escalate": "none"}, True, False),
    ],
    ids=lambda value: (
        ", ".join(f"{key}={option}" for key, option in value.items()) if isinstance(value, dict) else None
    ),
)
def test_changed_choices_forget_the_counts_that_they_are_about(
    choices: dict[str, str], counts_go_on: bool, ban_goes_on: bool
) -> None:
    """The same option again forgets nothing. What is forgotten does not come back with the option."""
    start = done(limited(), "GET", "choices")
    before = {key: start[key] for key in choices}
    counted, banned = limited(ESCALATING), limited(ESCALATING)
    statuses(counted, TOKENS, 3)
    statuses(banned, TOKENS, 13)
    for relay in (counted, banned):
        done(relay, "PUT", "choices", choices)
        done(relay, "PUT", "choices", {**before, "rate.escalate": "60s"})
    assert (statuses(counted, TOKENS) == [429]) == counts_go_on
    assert (statuses(banned, BROKER) == [429]) == ban_goes_on
