"""The control verbs that these tests lean on: what they refuse, what the digest sees, reset and choices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mockrelay.relay import Relay
from tests.support.bodies import E18
from tests.support.calls import Request, accepted, bid, call, order, valid_request
from tests.support.client import advance, control, digest, done
from tests.support.views import orders
from tests.support.worlds import relay_from, world

NONSENSE: tuple[tuple[str, Any, int], ...] = (
    ("orders/{hash}/fill", {"size": str(100 * E18 + 1)}, 409),
    ("orders/{hash}/fill", {"size": "0"}, 400),
    ("orders/{hash}/fill", {"size": "-1"}, 400),
    ("orders/{hash}/fill", {"size": 5}, 400),
    ("orders/{hash}/fill", {"size": "1", "price": "x"}, 400),
    ("orders/{hash}/fill", {}, 400),
    ("orders/{hash}/release", {"as": "active"}, 409),
    ("orders/{hash}/release", {"as": "x"}, 400),
    ("orders/0x00/cancel", {}, 404),
    ("orders/{hash}/burn", {}, 404),
    ("orders/{hash}", {}, 405),
    ("accounts/99999/deposit", {"token": "LRC", "amount": "1"}, 404),
    ("accounts/x/deposit", {"token": "LRC", "amount": "1"}, 404),
    ("accounts/10001/deposit", {"token": "FOO", "amount": "1"}, 404),
    ("accounts/10001/deposit", {"token": "LRC", "amount": "-1"}, 400),
    ("accounts/10001/deposit", {"token": "LRC", "amount": 1}, 400),
    ("accounts/10001/deposit", {"token": "LRC"}, 400),
    ("accounts/10001/freeze", {"frozen": "yes"}, 400),
    ("accounts/10001/freeze", {}, 400),
    ("clock", {"advance": "15"}, 400),
    ("clock", {"advance": "-1s"}, 400),
    ("clock", {"set": "2025-01-01T00:00:00Z"}, 400),
    ("clock", {"set": "tomorrow"}, 400),
    ("layer1", {"state": "asleep"}, 400),
    ("layer1", {"balances": {"x": {"ETH": "1"}}}, 404),
    ("layer1", {"balances": {"0x12": {"ETH": "1"}}}, 400),
    ("layer1", {"balances": {"alice": {"FOO": "1"}}}, 404),
    ("layer1", {"balance": {}}, 400),
    ("reset", {"scenario": "no_such"}, 400),
    ("reset", {"scenarioText": "format: 2"}, 400),
    ("nothing", {}, 404),
)


@pytest.mark.parametrize(("path", "fields", "status"), NONSENSE, ids=[f"{case[0]} {case[1]}" for case in NONSENSE])
def test_control_verb_that_cannot_be_done_changes_nothing(path: str, fields: Any, status: int) -> None:
    """400, 404 or 409 with error, field and what was meant; the digest of all there is stays."""
    relay = world()
    order_hash = accepted(relay, order())["orderHash"]
    before = done(relay, "GET", "state")["digest_all"]
    answer = control(relay, "POST", path.replace("{hash}", order_hash), fields)
    assert set(answer.json) == {"error", "field", "meant"}, answer.body
    assert answer.status == status or {answer.status, status} == {400, 404}, answer.body
    assert done(relay, "GET", "state")["digest_all"] == before


def test_layer_1_owner_may_be_named() -> None:
    """As in a scenario file an account's name stands for its address."""
    relay = world()
    done(relay, "POST", "layer1", {"balances": {"alice": {"ETH": "7"}}})
    assert call(relay, valid_request("get_eth_balance")).data == "7"


CHANGES: dict[str, Callable[[Relay], object]] = {
    "order": lambda relay: accepted(relay, order()),
    "cancel": lambda relay: done(relay, "POST", f"orders/{orders(relay)[0]['hash']}/cancel", {}),
    "fill": lambda relay: done(relay, "POST", f"orders/{orders(relay)[0]['hash']}/fill", {"size": "9"}),
    "freeze": lambda relay: done(relay, "POST", "accounts/10001/freeze", {"frozen": True}),
    "deposit": lambda relay: done(relay, "POST", "accounts/10001/deposit", {"token": 1, "amount": "1"}),
    "gas price": lambda relay: done(relay, "POST", "layer1", {"gasPrice": "7"}),
    "outage": lambda relay: done(relay, "POST", "layer1", {"state": "down"}),
    "layer-1 balance": lambda relay: done(relay, "POST", "layer1", {"balances": {"0x" + "12" * 20: {"ETH": "1"}}}),
    "expiry": lambda relay: advance(relay, "61d"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_digest_sees_every_change(change: Callable[[Relay], object]) -> None:
    """What the refusals must leave alone is no constant: each change of the world changes the digest."""
    relay = world()
    accepted(relay, order(77))
    before = digest(relay)
    change(relay)
    assert digest(relay) != before


def test_digest_leaves_out_limiter_and_faults() -> None:
    """Calls counted and faults armed are in `digest_all` alone."""
    relay = world(limits="spec")
    before = done(relay, "GET", "state")
    call(relay, valid_request("get_tokens"))
    done(relay, "POST", "faults", {"on": "get_depth", "code": 108001})
    after = done(relay, "GET", "state")
    assert after["digest"] == before["digest"]
    assert after["digest_all"] != before["digest_all"]


def test_reset_brings_the_first_moment_back() -> None:
    """Orders, clock, faults, limiter and ids: after a reset the same calls have the same answers."""
    relay = world(limits="spec")
    before = done(relay, "GET", "state")
    first = [call(relay, order(1)).body, call(relay, bid(1)).body]
    advance(relay, "1d")
    done(relay, "POST", "faults", {"on": "get_depth", "code": 108001})
    done(relay, "POST", "reset", {})
    after = done(relay, "GET", "state")
    assert (after["digest"], after["digest_all"]) == (before["digest"], before["digest_all"])
    assert [call(relay, order(1)).body, call(relay, bid(1)).body] == first


def test_choices_can_be_set_while_it_runs() -> None:
    """PUT takes effect at the next call; an unknown key or option is a 400 and sets nothing."""
    relay = world()
    assert call(relay, order(exchangeId=3)).status == 200
    done(relay, "PUT", "choices", {"http.error_status": "400"})
    assert call(relay, order(exchangeId=3)).status == 400
    assert done(relay, "GET", "choices")["http.error_status"] == "400"
    for wrong in ({"http.error_status": "418"}, {"no.such": "x"}, {"http.error_status": "200", "no.such": "x"}):
        assert control(relay, "PUT", "choices", wrong).status == 400
    assert done(relay, "GET", "choices")["http.error_status"] == "400"


def test_limits_of_the_spec_hold_where_nothing_is_said() -> None:
    """A relay made from `default` alone has the limiter on; `reset` can switch it off."""
    relay = relay_from(limits=None)
    assert [call(relay, Request("get_tokens", {})).status for _ in range(4)] == [200, 200, 200, 429]
    done(relay, "POST", "reset", {"limits": "off"})
    assert [call(relay, Request("get_tokens", {})).status for _ in range(9)] == [200] * 9
