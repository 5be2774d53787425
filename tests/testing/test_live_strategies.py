"""Calls drawn for a world in the profile live: right ones are accepted in each form, near-valid ones get their code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import run_state_machine_as_test

from mockrelay.control.signable import SIGNABLE
from mockrelay.relay import Relay
from mockrelay.spec.endpoint import LIVE, Endpoint
from mockrelay.spec.endpoints import ALL_ENDPOINTS, BY_ID
from mockrelay.testing import RelayMachine
from mockrelay.testing.calling import send
from mockrelay.testing.strategies import near_valid_call, near_valid_calls, valid_call
from mockrelay.testing.strategies.draw import rows_of
from mockrelay.testing.strategies.world_view import view_world
from tests.support.client import advance, control, done
from tests.support.worlds import relay_from
from tests.testing.test_strategies import NAMES, is_refused_as_promised, minted

OF_LIVE = sorted(row.id for row in ALL_ENDPOINTS if row.profile == LIVE and not row.upgrades)
REPLACED = {row.name for row in ALL_ENDPOINTS if row.form and not row.recognized_by}
"""Rows of the specification that the profile answers otherwise."""
READINGS: list[dict[str, str]] = [
    {},
    {"signature.scheme": "presence"},
    {"signature.scheme": "off", "storage_id.space": "apart", "depth.level_above": "refuse"},
    {"hash.scheme": "fast", "fee.charged": "max_fee", "transfer.fee_token": "same", "block.unknown_id": "empty"},
    {"order.too_short_validity": "refuse", "order.max_fee_below_rate": "refuse", "order.repeated_client_id": "refuse"},
]
ORDERS = ("submit_order_gen3", "submit_order_v2")
WRITES = ["submit_order", "submit_order_v2", "submit_transfer", "submit_transfer_v3", "submit_withdrawal", "mint_nft"]


def world(data: st.DataObject, row: Endpoint, **options: Any) -> Relay:
    """A world in which some things have happened, those that a row's calls need among them."""
    relay = relay_from("live_v3", **options)
    if "nft" in row.name:
        contract = minted(relay)
        if row.name == "withdraw_nft":
            done(relay, "POST", f"nft/{contract}/deploy", {"outcome": "deployed"})
    is_of_order = row.name.startswith(("get_order_v", "cancel_order"))
    for name in [*(["submit_order"] if is_of_order else []), *data.draw(st.lists(st.sampled_from(WRITES), max_size=3))]:
        answer = send(relay, data.draw(valid_call(relay, name)))
        assert answer.is_accepted, (name, answer.body)
        advance(relay, "16s")
    return relay


def test_every_row_of_a_profile_has_its_calls() -> None:
    """A name stands for all forms of its endpoint in the profile, the id of a form's row for that one."""
    live, spec = view_world(relay_from("live_v3")), view_world(relay_from())
    assert set(rows_of(live, None)) == {*OF_LIVE, *NAMES} - REPLACED
    assert rows_of(live, "submit_order") == ["submit_order", "submit_order_gen3"]
    assert rows_of(live, "withdraw_nft") == ["withdraw_nft_live", "withdraw_nft_real"]
    assert rows_of(live, "submit_order_gen3") == ["submit_order_gen3"]
    assert rows_of(live, "mint_nft") == ["mint_nft_live"]
    assert rows_of(spec, "submit_order") == ["submit_order"]
    assert set(rows_of(spec, None)).isdisjoint(OF_LIVE)


@pytest.mark.parametrize("drawn", [valid_call, near_valid_call])
@settings(max_examples=1)
@given(data=st.data())
def test_a_row_that_the_profile_does_not_serve_is_refused(drawn: Any, data: st.DataObject) -> None:
    with pytest.raises(ValueError, match="'get_depth_v3' is not a call of the profile spec; meant: 'get_depth'"):
        data.draw(drawn(relay_from(), "get_depth_v3"))


@pytest.mark.parametrize("row_id", OF_LIVE)
@settings(max_examples=4)
@given(data=st.data())
def test_a_valid_call_is_accepted_in_its_form(row_id: str, data: st.DataObject) -> None:
    """By the world that it was drawn for, whatever has happened there, and with nothing noted about its signatures."""
    row = BY_ID[row_id]
    relay = world(data, row, choices=data.draw(st.sampled_from(READINGS)))
    call = data.draw(valid_call(relay, row_id))
    answer = send(relay, call)
    assert answer.is_accepted, (call, answer.body)
    entry = done(relay, "GET", "requests")["requests"][-1]
    assert (entry["endpoint"], entry.get("form", "")) == (row.name, row.form)
    assert "signature" not in {finding["rule"] for finding in control(relay, "GET", "findings").json}


@pytest.mark.parametrize("row_id", OF_LIVE)
@settings(max_examples=2)
@given(data=st.data())
def test_each_rule_of_a_row_broken(row_id: str, data: st.DataObject) -> None:
    """All near-valid forms of one valid call get their codes and change nothing."""
    relay = world(data, BY_ID[row_id], choices=data.draw(st.sampled_from(READINGS)))
    call = data.draw(valid_call(relay, row_id))
    done(relay, "POST", "snapshots", {"name": "start"})
    for near in near_valid_calls(view_world(relay), call):
        is_refused_as_promised(relay, near)
        if near.before:
            done(relay, "POST", "snapshots/start/restore", {})
    assert send(relay, call).is_accepted


UNREACHED: Mapping[int, str] = {
    100000: "unknown errors, and limits",
    102014: "a fault holds the order back",
    102027: "a fault holds the order back",
    102025: "every fee token is right under live",
    102023: "an update has no receiver",
    102118: "a lifecycle that cannot be cancelled",
    104205: "layer 1 does not answer",
    104208: "layer 1 does not answer",
}
"""Codes of rows that no near-valid call of the world at rest gets."""


@pytest.mark.parametrize(
    "row_id", [*ORDERS, "submit_transfer_v3", "update_account_live", "mint_nft_live", "withdraw_nft_real"]
)
def test_near_valid_calls_reach_every_code_of_a_submission(row_id: str) -> None:
    seen: set[int] = set()

    @settings(max_examples=6)
    @given(data=st.data())
    def look(data: st.DataObject) -> None:
        relay = world(data, BY_ID[row_id])
        call = data.draw(valid_call(relay, row_id))
        seen.update(int(near.code) for near in near_valid_calls(view_world(relay), call))

    look()
    assert {int(code) for code, _ in BY_ID[row_id].codes} - UNREACHED.keys() <= seen


@pytest.mark.parametrize("row_id", [row_id for row_id in OF_LIVE if BY_ID[row_id].name in SIGNABLE])
def test_a_signature_turned_in_one_bit_is_among_the_wrong_ones(row_id: str) -> None:
    """Where it verifies; and the signature of another account is."""
    rules: set[str] = set()

    @settings(max_examples=3)
    @given(data=st.data())
    def look(data: st.DataObject) -> None:
        relay = world(data, BY_ID[row_id])
        call = data.draw(valid_call(relay, row_id))
        rules.update(near.rule for near in near_valid_calls(view_world(relay), call) if near.is_as_sent)

    look()
    assert any("one bit" in rule for rule in rules)
    assert any(rule.startswith("signed by ") for rule in rules)


@pytest.mark.parametrize("row_id", OF_LIVE)
@settings(max_examples=1)
@given(data=st.data())
def test_a_call_over_the_limit_is_near_valid(row_id: str, data: st.DataObject) -> None:
    """As many as the limit are let in within one second, whatever the form."""
    row = BY_ID[row_id]
    relay = world(data, row, limits="spec")
    call = data.draw(valid_call(relay, row_id))
    (near,) = [near for near in near_valid_calls(view_world(relay), call) if near.spending]
    assert len(near.spending) == row.per_second
    is_refused_as_promised(relay, near)


OUTAGES = [
    *((name, 104205, 104208) for name in ("get_token_balances_v3", "get_allowances_v3", "get_eth_balance_v3")),
    *((name, 104205, 104208) for name in ("get_eth_nonce_v3", "get_eth_nonce_v2")),
    ("get_gas_price_v3", 105001, 105001),
]


@pytest.mark.parametrize(("name", "down", "error"), OUTAGES)
@settings(max_examples=4)
@given(data=st.data())
def test_a_call_during_an_outage_is_near_valid(name: str, down: int, error: int, data: st.DataObject) -> None:
    state, code = data.draw(st.sampled_from([("down", down), ("error", error)]))
    relay = relay_from("live_v3")
    done(relay, "POST", "layer1", {"state": state})
    near = data.draw(near_valid_call(relay, name))
    assert near.code == code
    is_refused_as_promised(relay, near)
    done(relay, "POST", "layer1", {"state": "up"})
    assert send(relay, near.call).is_accepted


@settings(max_examples=40)
@given(data=st.data())
def test_any_near_valid_call_gets_its_code(data: st.DataObject) -> None:
    row = BY_ID[data.draw(st.sampled_from(OF_LIVE))]
    relay = world(data, row)
    is_refused_as_promised(relay, data.draw(near_valid_call(relay, row.id)))


def test_the_machine_makes_the_calls_of_the_profile() -> None:
    """Orders and transfers of both generations, cancellations, and each read; its invariants hold."""
    called: set[str] = set()

    class Live(RelayMachine):
        scenario = "live_v3"
        choices: ClassVar[Mapping[str, str]] = {"signature.scheme": "presence"}

        def call(self, call: Any) -> Any:
            called.add(call.endpoint)
            return super().call(call)

    run_state_machine_as_test(Live, settings=settings(max_examples=25, stateful_step_count=25))
    assert {"submit_order", "submit_order_gen3", "submit_order_v2", "submit_transfer", "submit_transfer_v3"} <= called
    assert {"update_account_live", "submit_withdrawal_live", "mint_nft_live"} <= called
    assert "update_account" not in called
