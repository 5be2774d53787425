"""Calls drawn for a world that verifies signatures: they are signed rightly or wrong in one place."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mockrelay.control.signable import SIGNABLE
from mockrelay.relay import Relay
from mockrelay.spec.endpoint import SPEC
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.testing import RelayerHandle
from mockrelay.testing.calling import send, send_over_http
from mockrelay.testing.strategies import near_valid_call, near_valid_calls, valid_call
from mockrelay.testing.strategies.world_view import view_world
from mockrelay.web import serve
from tests.core.test_lazy_signing import signing_of
from tests.support.client import control, done
from tests.support.processes import imported_by
from tests.support.worlds import relay_from
from tests.testing.test_strategies import is_refused_as_promised, needs

PROTOCOL = {"signature.scheme": "protocol"}
READINGS: list[dict[str, str]] = [
    {},
    {"hash.scheme": "protocol", "nft.optional_fields": "strict", "order.rejected_answer": "data"},
    {"account.key_active": "on_block", "account.nonce_moves": "on_block", "fee.charged": "max_fee"},
    {"transfer.fee_token": "any", "nft.repeat_deploy": "refuse", "storage_id.space": "shared"},
]
KINDS = sorted(name for name in SIGNABLE if BY_NAME[name].profile == SPEC)
HELD = [name for name in KINDS if name not in ("transfer_nft", "withdraw_nft")]
"""What an account can do that holds no NFT."""


def verifying(name: str = "", **choices: str) -> Relay:
    """A relay that verifies, with what an endpoint's calls need."""
    return needs(name, relay_from(choices=PROTOCOL | choices))


# ---- Signed rightly.


@pytest.mark.parametrize("name", KINDS)
@settings(max_examples=12)
@given(data=st.data())
def test_a_valid_call_is_signed_and_accepted(name: str, data: st.DataObject) -> None:
    """In each of the ways in which clients sign, and with nothing noted about its signatures."""
    relay = verifying(name, **data.draw(st.sampled_from(READINGS)))
    call = data.draw(valid_call(relay, name))
    answer = send(relay, call)
    assert answer.is_accepted, (call, answer.body)
    assert "signature" not in {finding["rule"] for finding in control(relay, "GET", "findings").json}


@pytest.mark.parametrize("name", KINDS)
def test_all_ways_of_signing_are_drawn(name: str) -> None:
    """Body and header, with and without the byte that says what was signed, by either key where a kind lets choose."""
    seen: set[tuple[bool, int]] = set()

    @settings(max_examples=30)
    @given(data=st.data())
    def look(data: st.DataObject) -> None:
        call = data.draw(valid_call(relay, name))
        inner = call.fields.get("transfer", call.fields)
        seen.add(("eddsaSignature" in inner or "signatureRx" in inner, len(call.signature or "")))

    relay = verifying(name)
    look()
    layer1, layer2 = {132, 134}, {194}
    lengths = {length for _, length in seen}
    if name in ("submit_order", "mint_nft"):
        assert seen == {(True, 0)}
    elif name == "submit_transfer":
        assert seen == {(True, 132)}
    elif name == "deploy_nft_contract":
        assert (lengths, len(seen)) == (layer2, 2)
    else:
        assert lengths - {0} == layer1
        assert {has_eddsa for has_eddsa, _ in seen} == {True, False}


@settings(max_examples=15)
@given(data=st.data())
def test_an_account_goes_on_signing_with_its_new_key(data: st.DataObject) -> None:
    """An update that is drawn leads to a key that the account signs with; the calls of the replaced key are wrong."""
    relay = verifying()
    order = data.draw(valid_call(relay, "submit_order", account=10001))
    for _ in range(data.draw(st.integers(1, 3))):
        update = data.draw(valid_call(relay, "update_account", account=10001))
        assert send(relay, update).is_accepted
        # A failure of the update would bring the old key back.
        done(relay, "POST", "blocks/seal", {"count": 1})
    assert send(relay, order).code == 104005
    assert send(relay, data.draw(valid_call(relay, "submit_order", account=10001))).is_accepted


def test_an_approved_hash_stands_for_the_owners_signature() -> None:
    """Where layer 1 lists hashes for an owner they are drawn too, and the header is then not looked at."""
    relay = verifying()
    owner = relay.accounts()[0]["owner"]
    done(relay, "POST", "layer1", {"approvedHashes": {owner: ["0x" + "0e" * 32]}})
    seen: set[str] = set()

    @settings(max_examples=15)
    @given(data=st.data())
    def check(data: st.DataObject) -> None:
        call = data.draw(valid_call(relay, "submit_withdrawal", account=10001))
        seen.add(call.fields.get("hashApproved", ""))
        for near in near_valid_calls(view_world(relay), call):
            is_header = near.rule.startswith("header X-API-SIG: one bit")
            assert not (is_header and call.fields.get("hashApproved"))
        if call.fields.get("hashApproved"):
            assert send(relay, call._replace(signature="0x" + "1" * 130)).is_accepted
        done(relay, "POST", "reset", {})
        done(relay, "POST", "layer1", {"approvedHashes": {owner: ["0x" + "0e" * 32]}})

    check()
    assert seen == {"", "0x" + "0e" * 32}


def test_who_cannot_sign_is_not_asked_to() -> None:
    """An account whose public key was set by hand makes no orders; one without a layer-1 key makes no withdrawals."""
    relay = verifying()
    done(relay, "POST", "accounts/alice/keys", {"publicKeyX": "0x1", "publicKeyY": "0x2"})
    callers: set[Any] = set()

    @settings(max_examples=30)
    @given(data=st.data())
    def look(data: st.DataObject) -> None:
        callers.add(data.draw(valid_call(relay, "submit_order")).fields["accountId"])

    look()
    assert callers
    assert 10001 not in callers


# ---- Wrong in one place.


@pytest.mark.parametrize("name", KINDS)
@settings(max_examples=2)
@given(data=st.data())
def test_each_rule_of_a_signed_call_broken(name: str, data: st.DataObject) -> None:
    """All near-valid forms get their codes: what is broken is signed as it is, so that no other rule is broken."""
    relay = verifying(name, **data.draw(st.sampled_from(READINGS)))
    call = data.draw(valid_call(relay, name))
    done(relay, "POST", "snapshots", {"name": "start"})
    for near in near_valid_calls(view_world(relay), call):
        is_refused_as_promised(relay, near)
        if near.before:
            done(relay, "POST", "snapshots/start/restore", {})
    assert send(relay, call).is_accepted


@pytest.mark.parametrize("name", KINDS)
def test_each_part_of_each_signature_is_turned(name: str) -> None:
    """One bit of every part, a field changed after signing, and a stranger's signature: each is 104005."""
    relay = verifying(name)
    rules: set[str] = set()

    @settings(max_examples=8)
    @given(data=st.data())
    def look(data: st.DataObject) -> None:
        call = data.draw(valid_call(relay, name))
        rules.update(near.rule for near in near_valid_calls(view_world(relay), call) if near.is_as_sent)

    look()
    header = {f"header X-API-SIG: one bit of {part} is another" for part in "rsv"}
    eddsa = {f"eddsaSignature: one bit of {part} is another" for part in ("Rx", "Ry", "S")}
    parts = {f"{part}: one bit is another" for part in ("signatureRx", "signatureRy", "signatureS")}
    meant = {
        "submit_order": parts,
        "submit_transfer": parts | header,
        "submit_withdrawal": eddsa | header,
        "update_account": eddsa | header,
        "mint_nft": eddsa | {"no signature"},
        "transfer_nft": eddsa | header | {"no signature"},
        "withdraw_nft": eddsa | header | {"no signature"},
        "deploy_nft_contract": eddsa
        | {f"ecdsaSignature: one bit of {part} is another" for part in "rsv"}
        | {f"header X-API-SIG: one bit of {part} is another" for part in ("Rx", "Ry", "S")},
    }
    strangers = {rule for rule in rules if rule.startswith("signed by ")}
    assert strangers
    assert rules - strangers == meant[name] | {"a field changed after signing"}


@settings(max_examples=30)
@given(data=st.data())
def test_near_valid_calls_of_all_kinds(data: st.DataObject) -> None:
    """One rule of one call, drawn; only that one is signed."""
    relay = verifying(data.draw(st.sampled_from(KINDS)))
    near = data.draw(near_valid_call(relay, data.draw(st.sampled_from(KINDS))))
    is_refused_as_promised(relay, near)


# ---- Through a socket.


@pytest.mark.parametrize("path", ["", "/w/mine"])
def test_they_hold_over_http(path: str) -> None:
    """A deployment's signature is over the address that its caller has, a world's path included."""
    with serve(relay_from(choices=PROTOCOL)) as server:
        relayer = RelayerHandle.at(server.url + path)

        @settings(max_examples=4)
        @given(data=st.data())
        def check(data: st.DataObject) -> None:
            relayer.reset(choices=PROTOCOL)
            for name in ("mint_nft", "deploy_nft_contract", data.draw(st.sampled_from(HELD))):
                near = data.draw(near_valid_call(relayer, name).filter(lambda near: not near.before))
                assert send_over_http(relayer.url, near.call).code == near.code, near
                call = data.draw(valid_call(relayer, name))
                answer = send_over_http(relayer.url, call)
                assert answer.is_accepted, (call, answer.body)

        check()


def test_what_is_drawn_for_a_handle_with_an_address_is_sent_there() -> None:
    """Without a socket too: the address of the handle is the one that is signed and the one that is called."""
    relayer = RelayerHandle.of(relay_from(choices=PROTOCOL), "https://relay.test/v")

    @settings(max_examples=3)
    @given(data=st.data())
    def check(data: st.DataObject) -> None:
        relayer.reset()
        call = data.draw(valid_call(relayer, "deploy_nft_contract"))
        assert send(relayer, call, base="https://relay.test").code == 104005
        assert send(relayer, call).is_accepted

    check()


def test_no_curve_is_needed_where_nothing_is_verified() -> None:
    """Neither by calls that are drawn, valid or not, nor by the machine."""
    script = """
from hypothesis import HealthCheck, given, settings, strategies as st
from hypothesis.stateful import run_state_machine_as_test
from mockrelay.relay import Relay
from mockrelay.spec.endpoint import SPEC
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.testing import RelayMachine, near_valid_call, valid_call
relay = Relay.from_scenario("default", clock="frozen", limits="off")
@settings(max_examples=30, database=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def drawn(data):
    data.draw(valid_call(relay, "submit_withdrawal"))
    data.draw(near_valid_call(relay, "update_account"))
drawn()
run_state_machine_as_test(RelayMachine, settings=settings(max_examples=5, stateful_step_count=10, database=None))
"""
    assert signing_of(imported_by(script)) <= {"hashes", "parameters"}
