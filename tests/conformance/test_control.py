"""The control calls: what each refuses, what the digest sees, and what those that move requests, keys and fees do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mockrelay.relay import Relay
from tests.conformance.causes_of_requests import TRANSFER, UPDATE, WITHDRAWAL, taken
from tests.conformance.checks import advance_to
from tests.support.bodies import E18
from tests.support.calls import (
    CONTRACT_A,
    CONTRACT_B,
    OWNER_A,
    SOME_ADDRESS,
    accepted,
    bid,
    call,
    deployed,
    order,
    place,
    ready,
    valid_request,
)
from tests.support.client import advance, control, digest, done, state
from tests.support.views import orders
from tests.support.worlds import world, world_like

MISUSES: tuple[tuple[str, Any, int], ...] = (
    ("orders/{order}/fill", {"size": 5}, 400),
    ("orders/{order}/fill", {"size": "1", "price": "x"}, 400),
    ("orders/{order}/fill", {}, 400),
    ("orders/0x00/cancel", {}, 404),
    ("orders/{order}/burn", {}, 404),
    ("orders/{order}", {}, 405),
    ("accounts/99999/deposit", {"token": "LRC", "amount": "1"}, 404),
    ("accounts/10001/deposit", {"token": "FOO", "amount": "1"}, 404),
    ("accounts/10001/deposit", {"token": "LRC", "amount": "-1"}, 400),
    ("accounts/10001/deposit", {"token": "LRC", "amount": 1}, 400),
    ("accounts/10001/deposit", {"token": "LRC"}, 400),
    ("accounts/10001/freeze", {}, 400),
    ("clock", {"advance": "15"}, 400),
    ("clock", {"advance": "-1s"}, 400),
    ("clock", {"set": "2025-01-01T00:00:00Z"}, 400),
    ("clock", {"set": "tomorrow"}, 400),
    ("layer1", {"state": "asleep"}, 400),
    ("layer1", {"balances": {"0x12": {"ETH": "1"}}}, 400),
    ("layer1", {"balances": {"alice": {"FOO": "1"}}}, 404),
    ("layer1", {"balance": {}}, 400),
    ("reset", {"scenario": "no_such"}, 400),
    ("reset", {"scenarioText": "format: 2"}, 400),
    ("nothing", {}, 404),
    ("blocks/seal", {"count": 0}, 400),
    ("blocks/seal", {"count": -1}, 400),
    ("blocks/seal", {"count": "1"}, 400),
    ("blocks/seal", {"count": 1.5}, 400),
    ("blocks/seal", {"count": True}, 400),
    ("blocks/seal", {"counts": 1}, 400),
    ("blocks/seal", [], 400),
    ("blocks/finalize", {"upTo": -1}, 400),
    ("blocks/finalize", {"upTo": "1"}, 400),
    ("blocks/finalize", {"upto": 1}, 400),
    ("blocks/burn", {}, 404),
    ("submissions/0x00/advance", {"to": "processed"}, 404),
    ("submissions/{hash}/advance", {"to": "received"}, 400),
    ("submissions/{hash}/advance", {"to": "done"}, 400),
    ("submissions/{hash}/advance", {"to": 1}, 400),
    ("submissions/{hash}/advance", {}, 400),
    ("submissions/{ended}/advance", {"to": "failed"}, 409),
    ("submissions/{ended}/advance", {"to": "processed"}, 409),
    ("submissions/{ended}/advance", {"to": "processing"}, 409),
    ("fees", {"requestType": 12, "token": "LRC", "fee": "1"}, 400),
    ("fees", {"requestType": "9x", "token": "LRC", "fee": "1"}, 400),
    ("fees", {"token": "LRC", "fee": "1"}, 400),
    ("fees", {"requestType": 9, "token": "FOO", "fee": "1"}, 404),
    ("fees", {"requestType": 9, "fee": "1"}, 400),
    ("fees", {"requestType": 9, "token": "LRC", "fee": "1", "factor": 2}, 400),
    ("fees", {"requestType": 9, "token": "LRC", "fee": 1}, 400),
    ("fees", {"requestType": 9, "token": "LRC", "fee": "-1"}, 400),
    ("fees", {"requestType": 9, "token": "LRC", "factor": -1}, 400),
    ("fees", {"requestType": 9, "token": "LRC", "factor": "x"}, 400),
    ("accounts/99999/keys", {"apiKey": "z"}, 404),
    ("accounts/x/keys", {"apiKey": "z"}, 404),
    ("accounts/10001/keys", {"apiKey": ""}, 400),
    ("accounts/10001/keys", {"apiKey": 5}, 400),
    ("accounts/10001/keys", {"publicKeyX": "xyz"}, 400),
    ("accounts/10001/keys", {"publicKeyX": 5}, 400),
    ("accounts/10001/keys", {"accountNonce": -1}, 400),
    ("accounts/10001/keys", {"accountNonce": "1"}, 400),
    ("accounts/10001/keys", {"accountNonce": 2**53}, 400),
    ("accounts/10001/keys", {"nonce": 1}, 400),
    ("nft/x/deploy", {"outcome": "deployed"}, 400),
    (f"nft/{CONTRACT_B}/deploy", {"outcome": "maybe"}, 400),
    (f"nft/{CONTRACT_A}/deploy", {"outcome": "deployed"}, 409),
    (f"nft/{CONTRACT_A}/deploy", {"outcome": "failed"}, 409),
    ("layer1", {"approvedHashes": "0x"}, 400),
    ("layer1", {"approvedHashes": {"alice": "0x" + "1" * 64}}, 400),
    ("layer1", {"approvedHashes": {"alice": ["x"]}}, 400),
    ("layer1", {"approvedHashes": {"alice": [5]}}, 400),
    ("layer1", {"approvedHashes": {"0x12": []}}, 400),
)
"""Of a world with an order, a withdrawal that is open, one that has ended, and alice's contract deployed. Others: test_commands."""


@pytest.fixture(scope="module")
def hashes() -> dict[str, Any]:
    relay = ready(world(), "withdraw_nft")
    ended = taken(relay, WITHDRAWAL)["hash"]
    advance_to(relay, ended, "processed")
    open_ = taken(relay, WITHDRAWAL.but(storageId=8))["hash"]
    return {"relay": relay, "order": place(relay, order()), "hash": open_, "ended": ended}


@pytest.mark.parametrize(("path", "fields", "status"), MISUSES, ids=[f"{case[0]} {case[1]}" for case in MISUSES])
def test_misuse_changes_nothing(hashes: dict[str, Any], path: str, fields: Any, status: int) -> None:
    """It is answered with error, field and what was meant; the digest of all there is stays."""
    relay = hashes["relay"]
    before = state(relay)["digest_all"]
    answer = control(relay, "POST", path.format(**hashes), fields)
    assert (answer.status, set(answer.json)) == (status, {"error", "field", "meant"}), answer.body
    assert state(relay)["digest_all"] == before


def test_layer_1_owner_may_be_named(relay: Relay) -> None:
    """As in a scenario file an account's name stands for its address."""
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
def test_digest_sees_every_change(relay: Relay, change: Callable[[Relay], object]) -> None:
    """What the refusals must leave alone is no constant: each change of the world changes the digest."""
    accepted(relay, order(77))
    before = digest(relay)
    change(relay)
    assert digest(relay) != before


def test_digest_leaves_out_limiter_and_faults() -> None:
    """Calls counted and faults armed are in `digest_all` alone."""
    relay = world(limits="spec")
    before = state(relay)
    call(relay, valid_request("get_tokens"))
    done(relay, "POST", "faults", {"on": "get_depth", "code": 108001})
    after = state(relay)
    assert after["digest"] == before["digest"]
    assert after["digest_all"] != before["digest_all"]


WITH_TWO_STATES = ("transfer", "withdrawal", "account_update")
WITH_ONE_STATE = ("nft_mint", "nft_transfer", "nft_withdrawal", "nft_deploy")
BY_HAND = "\n  ".join(
    [
        "lifecycles:",
        *(f"{kind}: {{received: {{after: hand}}, processing: {{after: hand}}}}" for kind in WITH_TWO_STATES),
        *(f"{kind}: {{processing: {{after: hand}}}}" for kind in WITH_ONE_STATE),
    ]
)
"""Nothing moves by itself."""


def test_submit_withdrawal_is_moved_to_processing_and_on_by_hand(tmp_path: Path) -> None:
    """Its hash is taken in either letter case; processed pays out on layer 1."""
    relay = world_like(tmp_path, BY_HAND)
    hash_ = taken(relay, WITHDRAWAL)["hash"]
    advance_to(relay, hash_, "processing")
    assert call(relay, WITHDRAWAL).json == {"hash": hash_, "status": "processing", "isIdempotent": True}
    balances = valid_request("get_token_balances")
    had = int(call(relay, balances).data[0])
    advance_to(relay, "0x" + hash_[2:].upper(), "processed")
    assert call(relay, WITHDRAWAL).code == 102021
    assert int(call(relay, balances).data[0]) == had + E18


@pytest.mark.parametrize("name", ["submit_transfer", "mint_nft", "transfer_nft", "withdraw_nft", "deploy_nft_contract"])
@pytest.mark.parametrize("to", ["processed", "failed"])
def test_every_kind_of_request_is_moved_on_by_hand_once(tmp_path: Path, name: str, to: str) -> None:
    """All that have a hash can be moved on, once."""
    relay = world_like(tmp_path, BY_HAND)
    if name not in ("submit_transfer", "mint_nft"):
        advance_to(relay, taken(relay, valid_request("mint_nft").but(amount="5", storageId=900))["hash"], "processed")
    if name == "withdraw_nft":
        deployed(relay)
    advance(relay, "1d")
    answer = taken(relay, valid_request(name))
    hash_ = answer["data"] if name == "submit_transfer" else answer["hash"]
    advance_to(relay, hash_, to)
    for again in ("processing", "processed", "failed"):
        assert control(relay, "POST", f"submissions/{hash_}/advance", {"to": again}).status == 409


@pytest.mark.parametrize("type_", [9, 10, 11, 13])
def test_each_request_type_has_its_own_fee(relay: Relay, type_: int) -> None:
    """Set for one, the other three stay."""
    before = {each: call(relay, valid_request("get_nft_fee").but(requestType=each)).json for each in (9, 10, 11, 13)}
    done(relay, "POST", "fees", {"requestType": type_, "token": "LRC", "fee": "777"})
    for each in (9, 10, 11, 13):
        answer = call(relay, valid_request("get_nft_fee").but(requestType=each)).json
        if each == type_:
            assert {fee["token"]: fee["fee"] for fee in answer["fees"]}["LRC"] == "777"
        else:
            assert answer == before[each]


def test_an_api_key_is_replaced_by_hand(relay: Relay) -> None:
    """The new one is alice's, the old one nobody's."""
    done(relay, "POST", "accounts/10001/keys", {"apiKey": "fresh"})
    assert call(relay, TRANSFER._replace(key="fresh")).code == 0
    assert call(relay, TRANSFER._replace(key="key-a")).code == 104002


def test_public_key_and_nonce_are_set_by_hand() -> None:
    """get_account has them, and the nonce counts from there."""
    relay, key = world(), "0x" + "07" * 32
    done(relay, "POST", "accounts/10001/keys", {"publicKeyX": key, "publicKeyY": key, "accountNonce": 5})
    answer = call(relay, valid_request("get_account")).data
    assert (answer["publicKeyX"], answer["publicKeyY"], answer["accountNonce"]) == (key, key, 5)
    assert call(relay, TRANSFER).code == 102021
    assert call(relay, TRANSFER.but(nonce=5)).code == 0
    assert call(relay, UPDATE.but(nonce=6)).code == 0


def test_an_approved_hash_in_form_counts_under_presence(relay: Relay) -> None:
    """A withdrawal with an approved hash and the header is taken, a malformed one is 104005."""
    approved = "0x" + "5a" * 32
    done(relay, "POST", "layer1", {"approvedHashes": {OWNER_A: [approved]}})
    request = WITHDRAWAL.without("eddsaSignature").but(hashApproved=approved)
    assert call(relay, request).code == 0
    assert call(relay, request.but(storageId=8, hashApproved="0x12")).code in (104005, 100001)


def test_several_owners_by_name_and_address(relay: Relay) -> None:
    """Both forms are taken."""
    done(relay, "POST", "layer1", {"approvedHashes": {"alice": ["0x" + "1" * 64], SOME_ADDRESS: []}})


def test_reset_brings_the_first_moment_back() -> None:
    """Orders, clock, faults, limiter and ids: after a reset the same calls have the same answers."""
    relay = world(limits="spec")
    before = state(relay)
    first = [call(relay, order(1)).body, call(relay, bid(1)).body]
    advance(relay, "1d")
    done(relay, "POST", "faults", {"on": "get_depth", "code": 108001})
    done(relay, "POST", "reset", {})
    after = state(relay)
    assert (after["digest"], after["digest_all"]) == (before["digest"], before["digest_all"])
    assert [call(relay, order(1)).body, call(relay, bid(1)).body] == first


def test_choices_can_be_set_while_it_runs(relay: Relay) -> None:
    """PUT takes effect at the next call; an unknown key or option is a 400 and sets nothing."""
    assert call(relay, order(exchangeId=3)).status == 200
    done(relay, "PUT", "choices", {"http.error_status": "400"})
    assert call(relay, order(exchangeId=3)).status == 400
    assert done(relay, "GET", "choices")["http.error_status"] == "400"
    for wrong in ({"http.error_status": "418"}, {"no.such": "x"}, {"http.error_status": "200", "no.such": "x"}):
        assert control(relay, "PUT", "choices", wrong).status == 400
    assert done(relay, "GET", "choices")["http.error_status"] == "400"
