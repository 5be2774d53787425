"""Rate limits and bans: limits that count for one caller, on the relayer's clock, in any
body that the real world sends, and never on what else a test does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from itertools import product
from typing import Any

import pytest

from mockrelay.relay import Relay
from mockrelay.web import serve
from tests.conformance.transcript import ROWS
from tests.flows.client import ALICE, BOB, E18, SCENARIO, Client, at_once, sale
from tests.support.answer import Answer
from tests.support.client import advance, digest, done, get, post, send
from tests.support.worlds import relay_from

TOKENS = "/api/v2/exchange/tokens"
BROKER = "/api/v3/getAvailableBroker"
RATE_STATUS, RATE_BODY, RETRY_AFTER = ("429", "200"), ("result_info", "empty", "html"), ("1", "none")


def limited(choices: Mapping[str, str] | None = None) -> Relay:
    """The flows' world with the spec's limits, on a clock that stands still."""
    return relay_from(SCENARIO, choices=choices, limits="spec")


@contextmanager
def behind_a_socket(relay: Relay) -> Iterator[Client]:
    with serve(relay) as server, closing(Client(server.port)) as client:
        yield client


def statuses(relay: Relay, path: str, count: int, key: str = "alice") -> list[int]:
    return [get(relay, path, key=key, market="LRC-ETH" if "ticker" in path else None).status for _ in range(count)]


def test_four_calls_of_one_account_and_everybody_else() -> None:
    """The fourth is one too many; another endpoint, another key and the next second are not touched by it."""
    relay = limited()
    with behind_a_socket(relay) as client:
        assert [client.get("v2/exchange/tokens").status for _ in range(4)] == [200, 200, 200, 429]
        assert [client.get("v2/ticker", market="LRC-ETH").status for _ in range(6)] == [200] * 5 + [429]
        assert client.get("v2/exchange/tokens", account=BOB).status == 200
        client.advance("999ms")
        assert client.get("v2/exchange/tokens").status == 429
        client.advance("1ms")
        assert client.get("v2/exchange/tokens").status == 200


def test_of_a_hundred_orders_at_once_three_are_taken_and_the_others_were_never_there() -> None:
    """The world is the one that the three alone lead to: no order, no id used, no money frozen, no event to come."""
    relay, other = limited(), limited()
    bodies: list[Mapping[str, Any]] = [sale(number, lrc=E18, label=number) for number in range(100)]
    with behind_a_socket(relay) as client:
        answers = at_once(client, bodies)
    assert sorted(answer.status for answer in answers) == [200] * 3 + [429] * 97
    taken = sorted(
        (int(answer.headers["x-mockrelay-request-id"][1:]), body)
        for answer, body in zip(answers, bodies, strict=True)
        if answer.code == 0
    )
    for _, body in taken:
        assert post(other, "/api/v3/order", body).code == 0
    assert digest(relay) == digest(other)


@pytest.mark.parametrize(("status", "body", "retry"), list(product(RATE_STATUS, RATE_BODY, RETRY_AFTER)))
def test_every_profile_of_a_refusal(status: str, body: str, retry: str) -> None:
    """Status, body and Retry-After are set apart from each other, and arrive as they are over a kept connection."""
    relay = limited({"rate.status": status, "rate.body": body, "rate.retry_after": retry})
    with behind_a_socket(relay) as client:
        *_, answer = [client.get("v2/exchange/tokens") for _ in range(4)]
        assert answer.status == int(status)
        assert answer.headers.get("retry-after") == (None if retry == "none" else retry)
        _has_the_form(answer, body)
        client.advance("1s")
        assert client.get("v2/exchange/tokens").code == 0


def _has_the_form(answer: Answer, body: str) -> None:
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
    assert send(relay, "GET", TOKENS, key="nobody").code == 104002
    assert send(relay, "GET", "/api/v2/nothing").status == 404


def test_one_setting_turns_it_off() -> None:
    """When the relay is made, at a reset, and in a scenario; each for all endpoints."""
    assert set(statuses(relay_from(SCENARIO, limits="off"), TOKENS, 50)) == {200}
    relay = limited()
    done(relay, "POST", "reset", {"limits": "off"})
    assert set(statuses(relay, TOKENS, 50)) == {200}
    done(relay, "POST", "reset", {})
    assert statuses(relay, TOKENS, 4)[-1] == 429
    done(relay, "POST", "reset", {"scenarioText": "format: 1\nname: free\nextends: default\nlimits: off\n"})
    relay = Relay.from_scenario("default", clock="frozen", limits="off")
    assert set(statuses(relay, TOKENS, 50)) == {200}


def test_calls_without_a_limit_of_their_own_are_never_refused_over_the_socket() -> None:
    assert [row.limit for row in ROWS if row.name == "get_broker"] == [None]
    with behind_a_socket(limited()) as client:
        assert {client.get("v3/getAvailableBroker").status for _ in range(200)} == {200}


def test_steering_is_not_limited_and_takes_no_place() -> None:
    relay = limited()
    with behind_a_socket(relay) as client:
        assert {client.control("GET", "health").status for _ in range(50)} == {200}
        assert [client.get("v2/exchange/tokens").status for _ in range(4)] == [200, 200, 200, 429]


def test_two_relayers_do_not_share_a_limiter() -> None:
    """What made tests unstable elsewhere: one limiter for all that runs."""
    first, second = limited(), limited()
    assert statuses(first, TOKENS, 4) == [200, 200, 200, 429]
    assert statuses(second, TOKENS, 4) == [200, 200, 200, 429]


# ---- The line about clients that are banned.

ESCALATING = {"rate.escalate": "60s"}


def test_a_client_that_does_not_slow_down_stays_refused_for_a_minute() -> None:
    """From the tenth refusal in a row, everywhere, for its account alone; what it sends meanwhile does not prolong it."""
    relay = limited(ESCALATING)
    assert statuses(relay, TOKENS, 13) == [200] * 3 + [429] * 10
    for _ in range(59):
        advance(relay, "1s")
        assert statuses(relay, TOKENS, 1) == statuses(relay, BROKER, 1) == [429]
        assert statuses(relay, TOKENS, 1, key="bob") == [200]
    advance(relay, "999ms")
    assert statuses(relay, TOKENS, 1) == [429]
    advance(relay, "1ms")
    assert statuses(relay, TOKENS, 3) == [200] * 3


def test_a_client_that_goes_on_and_on_is_banned_again() -> None:
    """Ten calls a second for three minutes: three are answered, then none for a minute, and so on."""
    relay = limited(ESCALATING)
    answered = []
    for second in range(180):
        for _ in range(15):
            answered += [second] if statuses(relay, TOKENS, 1) == [200] else []
        advance(relay, "1s")
    assert answered == [0, 0, 0, 60, 60, 60, 120, 120, 120]


def test_a_client_that_heeds_retry_after_is_never_banned() -> None:
    """Sixty refusals, each followed by the wait that it asks for."""
    relay = limited(ESCALATING)
    for _ in range(60):
        assert statuses(relay, TOKENS, 3) == [200] * 3
        refused = get(relay, TOKENS)
        assert (refused.status, refused.headers["retry-after"]) == (429, "1")
        advance(relay, f"{refused.headers['retry-after']}s")


def test_nine_refusals_and_a_pause_are_no_ban() -> None:
    """The tenth in a row bans; one answered call between them begins a new row."""
    relay = limited(ESCALATING)
    for _ in range(3):
        assert statuses(relay, TOKENS, 12) == [200] * 3 + [429] * 9
        advance(relay, "1s")
    assert statuses(relay, TOKENS, 3) == [200] * 3


def test_a_ban_is_seen_over_the_socket_in_the_profile_that_is_set() -> None:
    """HTML, without Retry-After: what a service in front of the relayer sends."""
    relay = limited({**ESCALATING, "rate.body": "html", "rate.retry_after": "none"})
    with behind_a_socket(relay) as client:
        for _ in range(13):
            client.get("v2/exchange/tokens")
        client.advance("30s")
        banned = client.get("v2/orders", accountId=ALICE)
        assert banned.status == 429
        _has_the_form(banned, "html")
        assert "retry-after" not in banned.headers


def test_a_ban_is_part_of_the_world() -> None:
    """A snapshot brings it back, a reset lifts it, and by default there is none."""
    relay = limited(ESCALATING)
    done(relay, "POST", "snapshots", {"name": "before"})
    statuses(relay, TOKENS, 13)
    done(relay, "POST", "snapshots", {"name": "banned"})
    advance(relay, "30s")
    done(relay, "POST", "snapshots/before/restore")
    assert statuses(relay, BROKER, 1) == [200]
    done(relay, "POST", "snapshots/banned/restore")
    assert statuses(relay, BROKER, 1) == [429]
    done(relay, "POST", "reset", {})
    assert statuses(relay, BROKER, 1) == [200]
    mild = limited()
    statuses(mild, TOKENS, 200)
    advance(mild, "1s")
    assert statuses(mild, TOKENS, 1) == [200]
