"""Near-valid calls that are right but for the moment: over a limit, during an outage, before a deployment."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mockrelay.client.call import ApiCall
from mockrelay.client.facts import SOME_ADDRESS
from mockrelay.client.wrong_calls import WrongCall
from mockrelay.spec.endpoints import ENDPOINTS
from mockrelay.testing.calling import send
from mockrelay.testing.strategies import near_valid, near_valid_call, near_valid_calls, valid_call
from mockrelay.testing.strategies.world_view import view_world
from tests.support.client import done
from tests.support.worlds import relay_from
from tests.testing.test_strategies import is_refused_as_promised, minted, needs

PROTOCOL = {"signature.scheme": "protocol"}
LIMITED = [row.name for row in ENDPOINTS if row.per_second is not None]


@pytest.mark.parametrize("name", LIMITED)
def test_a_call_over_the_limit_is_near_valid(name: str) -> None:
    """As many as the limit are let in within one second; the next one is refused, and was right but for that."""
    per_second = next(row.per_second for row in ENDPOINTS if row.name == name)

    @settings(max_examples=3)
    @given(data=st.data())
    def check(data: st.DataObject) -> None:
        relay = needs(name, relay_from(limits="spec"))
        call = data.draw(valid_call(relay, name))
        nears = [near for near in near_valid_calls(view_world(relay), call) if near.spending]
        assert [len(near.spending) for near in nears] == [per_second]
        is_refused_as_promised(relay, nears[0])

    check()


@pytest.mark.parametrize("window", ["second", "sliding", "bucket"])
@pytest.mark.parametrize("scope", ["api_key", "address", "global"])
@pytest.mark.parametrize("status", ["429", "200"])
def test_limits_are_known_under_every_reading(window: str, scope: str, status: str) -> None:
    """However the second is measured and for whomever it counts; what was sent before is counted too."""
    choices = {"rate.window": window, "rate.scope": scope, "rate.status": status, "rate.unlisted": "5"}

    @settings(max_examples=10)
    @given(data=st.data())
    def check(data: st.DataObject) -> None:
        relay = relay_from(limits="spec", choices=choices)
        name = data.draw(st.sampled_from(["get_tokens", "get_broker", "submit_order"]))
        for _ in range(data.draw(st.integers(0, 2))):
            assert send(relay, data.draw(valid_call(relay, name))).is_accepted
            done(relay, "POST", "clock", {"advance": data.draw(st.sampled_from(["1ms", "300ms", "1s"]))})
        call = data.draw(valid_call(relay, name))
        near = next(near for near in near_valid_calls(view_world(relay), call) if near.spending)
        is_refused_as_promised(relay, near)

    check()


def test_no_valid_call_is_drawn_beyond_the_limit() -> None:
    """The callers that are left are those who have not spent theirs."""
    relay = relay_from(limits="spec")
    alice = relay.accounts()[0]["apiKey"]
    for _ in range(3):
        assert send(relay, ApiCall("get_tokens", {}, alice)).is_accepted
    keys: set[str | None] = set()

    @settings(max_examples=20)
    @given(data=st.data())
    def look(data: st.DataObject) -> None:
        keys.add(data.draw(valid_call(relay, "get_tokens")).key)

    look()
    assert keys
    assert alice not in keys


OUTAGES = [
    ("send_eth_tx", 104202, 104208),
    ("get_token_balances", 104205, 104208),
    ("get_allowances", 104205, 104208),
    ("get_eth_balance", 104205, 104208),
    ("get_gas_price", 105001, 105001),
]


@pytest.mark.parametrize(("name", "down", "error"), OUTAGES)
@settings(max_examples=8)
@given(data=st.data())
def test_a_call_during_an_outage_is_near_valid(name: str, down: int, error: int, data: st.DataObject) -> None:
    """By the codes of the specification: its node does not answer, or answers with an error."""
    state, code = data.draw(st.sampled_from([("down", down), ("error", error)]))
    relay = relay_from()
    done(relay, "POST", "layer1", {"state": state})
    near = data.draw(near_valid_call(relay, name))
    assert near.code == code
    is_refused_as_promised(relay, near)
    done(relay, "POST", "layer1", {"state": "up"})
    assert send(relay, near.call).is_accepted


@pytest.mark.parametrize("choices", [{}, PROTOCOL])
@settings(max_examples=8)
@given(data=st.data())
def test_an_nft_that_cannot_leave_yet_is_near_valid(choices: dict[str, str], data: st.DataObject) -> None:
    """Its contract is not deployed, which is all that is wrong."""
    relay = relay_from(choices=choices)
    contract = minted(relay)
    near = data.draw(near_valid_call(relay, "withdraw_nft"))
    assert (near.code, near.rule) == (100001, "its contract is not deployed")
    is_refused_as_promised(relay, near)
    done(relay, "POST", f"nft/{contract}/deploy", {"outcome": "deployed"})
    assert send(relay, near.call).is_accepted


def test_a_wrong_call_may_name_its_own_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    """For rules about the account that calls, such as one that forbids it to name itself."""
    own = WrongCall("own", "its own owner", 0, lambda facts, fields: {"owner": facts.owner, "of": facts.account_id})
    monkeypatch.setattr(near_valid, "WRONG_CALLS", {"get_account": (own,)})
    relay = relay_from()
    for account in relay.world.accounts.values():
        call = ApiCall("get_account", {"owner": SOME_ADDRESS}, account.api_key)
        found = [near.call.fields for near in near_valid.table_rules(view_world(relay), call)]
        assert found == [{"owner": account.owner, "of": account.account_id}]
