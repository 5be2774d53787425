"""Transfers and withdrawals: what the client is answered, where the money is, what the block says.

Alice and bob have 10,000 LRC and 10 ETH each. A transfer costs 0.05 LRC and a withdrawal 0.1 LRC.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from mockrelay.relay import Relay
from tests.conformance.causes_of_requests import TRANSFER, UPDATE, WITHDRAWAL, inside, taken
from tests.conformance.checks import advance_to, pending, refused_call
from tests.support.bodies import E18
from tests.support.calls import SOME_ADDRESS, Request, accepted, call, order, valid_request
from tests.support.client import advance, done, state
from tests.support.views import money, seal
from tests.support.worlds import world, world_like

FUNDS = 10_000 * E18
TRANSFER_FEE, WITHDRAWAL_FEE = 5 * 10**16, 10**17


def account_nonce(relay: Relay) -> int:
    found: int = call(relay, valid_request("get_account")).data["accountNonce"]
    return found


def layer1_lrc(relay: Relay) -> int:
    return int(call(relay, valid_request("get_token_balances")).data[0])


def test_submit_transfer_is_pending_then_in_a_block(relay: Relay) -> None:
    answer = call(relay, TRANSFER).json
    assert answer == {"resultInfo": {"code": 0, "message": "SUCCESS"}, "data": answer["data"]}
    assert account_nonce(relay) == 1
    (waiting,) = pending(relay)
    assert (waiting["txType"], waiting["accountId"], waiting["toAccountId"]) == ("Transfer", 10001, 10002)
    assert waiting["nonce"] == 0
    assert money(relay, "alice") == (FUNDS - E18 - TRANSFER_FEE, 0, 0)
    assert money(relay, "bob") == (FUNDS + E18, 0, 0)
    block = seal(relay)
    assert block["transactions"] == [waiting | {"valid": True}]
    assert (block["status"], block["blockSize"], pending(relay)) == ("pending", 1, [])
    advance(relay, "150s")
    assert call(relay, Request("get_block", {})).json == block | {"status": "finalized"}
    assert call(relay, TRANSFER).code == 102021


def test_submit_withdrawal_is_processed_with_its_block_and_then_on_layer_1(relay: Relay) -> None:
    """1 LRC, the fee of 30 wei in ETH."""
    done(relay, "POST", "fees", {"requestType": "withdrawal", "token": "ETH", "fee": "30"})
    request = inside(WITHDRAWAL, "maxFee", tokenId=0)
    before = layer1_lrc(relay)
    first = taken(relay, request)
    assert (first["status"], first["isIdempotent"]) == ("received", False)
    assert taken(relay, request) == first | {"status": "processing", "isIdempotent": True}
    assert money(relay, "alice") == (FUNDS - E18, 0, E18)
    assert money(relay, "alice", "ETH") == (10 * E18 - 30, 0, 30)
    (sealed,) = seal(relay)["transactions"]
    assert (sealed["txType"], sealed["storageId"], sealed["valid"]) == ("Withdraw", 7, True)
    assert sealed["token"]["amount"] == str(E18)
    assert money(relay, "alice") == (FUNDS - E18, 0, 0)
    assert money(relay, "alice", "ETH") == (10 * E18 - 30, 0, 0)
    assert layer1_lrc(relay) == before + E18
    assert call(relay, request).code == 102021
    assert taken(relay, request.but(storageId=8))["status"] == "received"


@pytest.mark.parametrize("how", ["by a fault", "by hand"])
def test_submit_withdrawal_that_fails_gives_all_back_but_its_storage_id(relay: Relay, how: str) -> None:
    """Another request under that id is 102021 as well."""
    before = layer1_lrc(relay)
    if how == "by a fault":
        done(relay, "POST", "faults", {"on": "submit_withdrawal", "outcome": "failed"})
    first = taken(relay, WITHDRAWAL)
    assert first["status"] == "received"
    assert taken(relay, WITHDRAWAL)["status"] == "processing"
    assert money(relay, "alice") == (FUNDS - E18 - WITHDRAWAL_FEE, 0, E18 + WITHDRAWAL_FEE)
    if how == "by a fault":
        (sealed,) = seal(relay)["transactions"]
        assert sealed["valid"] is False
    else:
        advance_to(relay, first["hash"], "failed")
    assert (money(relay, "alice"), layer1_lrc(relay)) == ((FUNDS, 0, 0), before)
    (request,) = state(relay)["requests"]
    assert (request["hash"], request["status"]) == (first["hash"], "failed")
    refused_call(call(relay, WITHDRAWAL), "submit_withdrawal", {102021}, "this request is failed", "storageId")
    other = inside(WITHDRAWAL, "token", volume=str(2 * E18))
    refused_call(call(relay, other), "submit_withdrawal", {102021}, "taken by another request", "storageId")


def test_a_repeat_has_the_status_failed_where_repeats_are_always_idempotent() -> None:
    relay = world({"request.repeat": "always_idempotent"})
    hash_ = taken(relay, WITHDRAWAL)["hash"]
    advance_to(relay, hash_, "failed")
    assert taken(relay, WITHDRAWAL) == {"hash": hash_, "status": "failed", "isIdempotent": True}
    assert pending(relay) == []


def test_submit_withdrawal_of_eth_pays_out_to_the_native_balance(relay: Relay) -> None:
    request = inside(WITHDRAWAL, "token", tokenId=0, volume="12345").but(to=SOME_ADDRESS)
    advance_to(relay, taken(relay, request)["hash"], "processed")
    assert call(relay, Request("get_eth_balance", {"owner": SOME_ADDRESS})).data == "12345"


def test_submit_withdrawal_of_a_token_that_is_not_enabled_is_100001(tmp_path: Path) -> None:
    """Another token still goes."""
    relay = world_like(tmp_path, "tokens: [{symbol: LRC, enabled: false}]")
    refused_call(call(relay, WITHDRAWAL), "submit_withdrawal", {100001}, "token")
    taken(relay, inside(WITHDRAWAL, "token", tokenId=0, volume="5"))


def test_a_lost_answer_to_submit_withdrawal_costs_nothing_when_it_is_sent_again(relay: Relay) -> None:
    """The first was taken; the repeat says so and takes no second one."""
    done(relay, "POST", "faults", {"on": "submit_withdrawal", "drop": True, "at": "after"})
    assert call(relay, WITHDRAWAL).drop
    again = taken(relay, WITHDRAWAL)
    assert (again["status"], again["isIdempotent"]) == ("processing", True)
    assert money(relay, "alice") == (FUNDS - E18 - WITHDRAWAL_FEE, 0, E18 + WITHDRAWAL_FEE)
    assert len(pending(relay)) == 1


@pytest.mark.parametrize(("at", "nonce", "code"), [("after", 1, 102021), ("before", 0, 0)])
def test_a_lost_answer_to_submit_transfer_shows_in_the_nonce(relay: Relay, at: str, nonce: int, code: int) -> None:
    """A transfer has no repeat: the same one again is refused, unless the call itself was lost; nothing moves twice."""
    done(relay, "POST", "faults", {"on": "submit_transfer", "drop": True, "at": at})
    assert call(relay, TRANSFER).drop
    assert account_nonce(relay) == nonce
    assert call(relay, TRANSFER).code == code
    assert money(relay, "bob") == (FUNDS + E18, 0, 0)


def test_what_is_in_flight_cannot_be_spent_twice(relay: Relay) -> None:
    """All LRC are being withdrawn: no order, no transfer, no mint, no update."""
    taken(relay, inside(WITHDRAWAL, "token", volume=str(FUNDS - WITHDRAWAL_FEE)))
    assert call(relay, order(1)).code == 102011
    assert call(relay, TRANSFER).code == 100000
    assert call(relay, valid_request("mint_nft")).code == 100001
    assert call(relay, UPDATE).code == 100001


def test_what_is_frozen_by_an_order_cannot_be_withdrawn(relay: Relay) -> None:
    """The other way round: 100 LRC in an order."""
    accepted(relay, order(1))
    most = 9_900 * E18 - WITHDRAWAL_FEE
    refused_call(call(relay, inside(WITHDRAWAL, "token", volume=str(most + 1))), "submit_withdrawal", {100001})
    taken(relay, inside(WITHDRAWAL, "token", volume=str(most)))


def test_submit_transfer_has_another_hash_whatever_field_differs() -> None:
    """The same request in another world has the same."""
    requests = [
        *(TRANSFER, TRANSFER.but(amount="2"), TRANSFER.but(receiver=10003), TRANSFER.but(token=0, tokenF=0)),
        TRANSFER.but(label=1),
    ]
    hashes = [taken(world(), request)["data"] for request in requests]
    assert len(set(hashes)) == len(requests)
    assert taken(world(), TRANSFER)["data"] == hashes[0]


def test_submit_transfer_with_a_lone_surrogate_in_its_memo_is_taken(relay: Relay) -> None:
    """Pending requests and the state are still JSON in UTF-8."""
    assert call(relay, TRANSFER.but(memo="\ud800")).status == 200
    pending(relay)
    state(relay)
