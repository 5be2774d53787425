"""Calls drawn for a world: valid ones are accepted by it, near-valid ones get their code, hostile ones an answer."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mockrelay.client.call import ApiAnswer, ApiCall
from mockrelay.relay import Relay
from mockrelay.spec.choices import CHOICES
from mockrelay.spec.endpoints import ENDPOINTS
from mockrelay.testing import RelayerHandle
from mockrelay.testing.calling import send
from mockrelay.testing.strategies import CALLS, NearValid, hostile_call, near_valid_call, near_valid_calls, valid_call
from mockrelay.testing.strategies.signing import sign_again
from mockrelay.testing.strategies.world_view import view_world
from tests.support.client import advance, digest, done
from tests.support.worlds import relay_from

NAMES = [row.name for row in ENDPOINTS]
SILENCES = {choice.key: st.sampled_from(choice.options) for choice in CHOICES}


def act_at_random(draw: st.DrawFn, relay: Relay) -> None:
    """Let a few accepted calls happen, so that ids are used, books are crossed and contracts are there."""
    for name in draw(st.lists(st.sampled_from([*WRITES, "wait", "seal", "freeze"]), max_size=6)):
        if name == "wait":
            advance(relay, draw(st.sampled_from(["1s", "15s", "10m"])))
        elif name == "seal":
            done(relay, "POST", "blocks/seal", {"count": 1})
        elif name == "freeze":
            done(relay, "POST", "accounts/bob/freeze", {"frozen": True})
        elif name != "transfer_nft" or list(view_world(relay).holdings()):
            send(relay, draw(valid_call(relay, name)))


WRITES = ["submit_order", "submit_order", "submit_transfer", "submit_withdrawal", "update_account", "mint_nft"]
WRITES += ["transfer_nft", "deploy_nft_contract"]


@st.composite
def worlds(draw: st.DrawFn, name: str = "") -> Relay:
    """A world in which some things have happened, under some reading of the silences; an NFT's calls can be made."""
    choices = draw(st.just({}) | st.fixed_dictionaries({}, optional=SILENCES))
    relay = needs(name, relay_from(choices=choices))
    act_at_random(draw, relay)
    return relay


def minted(relay: Relay) -> str:
    """Carol has some of an NFT; her contract, which is not deployed."""
    here = view_world(relay)
    carol = next(one for one in here.accounts if one.name == "carol")
    contract = here.contract_of(carol.owner)
    fields: dict[str, Any] = {
        "exchange": here.config.exchange.exchange_address,
        "minterId": carol.account_id,
        "minterAddress": carol.owner,
        "toAccountId": carol.account_id,
        "toAddress": carol.owner,
        "nftType": 0,
        "tokenAddress": contract,
        "nftId": "0x" + "0a" * 32,
        "amount": "9",
        "validUntil": here.now_s + 86_400,
        "creatorFeeBips": 0,
        "storageId": 5,
        "maxFee": {"tokenId": 0, "amount": str(10**15)},
        "forceToMint": False,
        "counterFactualNftInfo": {
            "nftFactory": here.config.exchange.nft_factory,
            "nftOwner": carol.owner,
            "nftBaseUri": "",
        },
    }
    call = ApiCall("mint_nft", fields, carol.api_key)
    signed = sign_again(here, call) if here.verifies else call
    assert signed is not None
    assert send(relay, signed).is_accepted
    done(relay, "POST", "blocks/seal", {"count": 1})
    advance(relay, "1s")
    return contract


def needs(name: str, relay: Relay) -> Relay:
    """A relay in which there are the NFTs that an endpoint's calls need."""
    if name in ("get_nft_data", "transfer_nft", "withdraw_nft", "deploy_nft_contract"):
        contract = minted(relay)
        if name != "deploy_nft_contract":
            done(relay, "POST", f"nft/{contract}/deploy", {"outcome": "deployed"})
    return relay


def test_every_endpoint_has_its_calls() -> None:
    """The table of what is drawn has the rows of the endpoint table."""
    assert set(CALLS) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=8)
@given(data=st.data())
def test_a_valid_call_is_accepted(name: str, data: st.DataObject) -> None:
    """By the world that it was drawn for, whatever has happened there and however silences are read."""
    relay = data.draw(worlds(name))
    call = data.draw(valid_call(relay, name))
    answer = send(relay, call)
    assert answer.is_accepted, (call, answer.body)


def is_refused_as_promised(relay: Relay, near: NearValid) -> None:
    """With its code, after what has to come before it, and nothing changes by it."""
    for call in near.before:
        answer = send(relay, call)
        assert answer.is_accepted, (near.rule, answer.body)
    for call in near.spending:
        send(relay, call)
    before = digest(relay)
    answer = send(relay, near.call)
    assert answer.code == near.code, (near, answer.body)
    assert digest(relay) == before, near


@settings(max_examples=60)
@given(data=st.data())
def test_a_near_valid_call_gets_its_code_and_changes_nothing(data: st.DataObject) -> None:
    relay = data.draw(worlds())
    near = data.draw(near_valid_call(relay))
    is_refused_as_promised(relay, near)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=2)
@given(data=st.data())
def test_each_rule_of_an_endpoint_broken(name: str, data: st.DataObject) -> None:
    """All near-valid forms of one valid call, each in a world of its own."""
    relay = needs(name, relay_from())
    call = data.draw(valid_call(relay, name))
    done(relay, "POST", "snapshots", {"name": "start"})
    for near in near_valid_calls(view_world(relay), call):
        is_refused_as_promised(relay, near)
        if near.before:
            done(relay, "POST", "snapshots/start/restore", {})


def is_shaped(answer: ApiAnswer) -> bool:
    """Whether it is an answer of the API: JSON, with an outcome wherever it is no success."""
    if answer.status == 200 and answer.code == 0:
        return answer.value is not None
    info = answer.value["resultInfo"]
    return isinstance(info["code"], int) and isinstance(info["message"], str) and info["code"] != 0


@settings(max_examples=150)
@given(data=st.data())
def test_a_hostile_call_is_answered(data: st.DataObject) -> None:
    """Never with 5xx, always in the shape of the API."""
    relay = relay_from()
    answer = send(relay, data.draw(hostile_call(relay)))
    assert answer.status in (200, 400, 404, 405, 413), answer
    assert is_shaped(answer), answer


def test_what_is_drawn_for_a_handle_is_drawn_for_its_relay() -> None:
    """Handles are taken as relays are."""

    @settings(max_examples=5)
    @given(data=st.data())
    def check(data: st.DataObject) -> None:
        relayer = RelayerHandle.of(relay_from())
        call = data.draw(valid_call(relayer, "submit_order", account=10002))
        assert call.fields["accountId"] == 10002
        assert send(relayer, call).is_accepted

    check()


def test_calls_can_be_printed_and_sent_again() -> None:
    """A call is a plain value: what a failing example shows is what can be sent."""
    call = ApiCall("get_depth", {"market": "LRC-ETH", "level": 0}, "nobody")
    assert eval(repr(call)) == call
    assert call.but(level=1).query == (("market", "LRC-ETH"), ("level", "1"))
