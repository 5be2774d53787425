"""Transfers and withdrawals through the socket: what the client is told, where the money is, what the block says."""

from __future__ import annotations

from http.client import RemoteDisconnected

import pytest

from tests.flows.requests_client import ALICE, BOB, E18, LRC, running, transfer, withdrawal

FUNDS = 10_000 * E18
LRC_ADDRESS = "0xbbbbca6a901c926f240b89eacb641d8aec7aeafd"


def test_a_transfer_is_pending_then_in_a_block_and_its_amount_is_the_receivers() -> None:
    with running() as wallet:
        told = wallet.post("v2/transfer", transfer()).json
        assert told == {"resultInfo": {"code": 0, "message": "SUCCESS"}, "data": told["data"]}
        assert wallet.record(ALICE)["accountNonce"] == 4
        (waiting,) = wallet.pending()
        assert (waiting["txType"], waiting["accountId"], waiting["toAccountId"]) == ("Transfer", ALICE, BOB)
        assert waiting["nonce"] == 3
        assert wallet.money(ALICE) == (FUNDS - 120, 0)
        assert wallet.money(BOB) == (FUNDS + 100, 0)
        block = wallet.seal()
        assert block["transactions"] == [waiting | {"valid": True}]
        assert (block["status"], block["blockSize"], wallet.pending()) == ("pending", 1, [])
        wallet.advance("150s")
        assert wallet.get("v3/block/getBlock").json == block | {"status": "finalized"}
        assert wallet.post("v2/transfer", transfer()).code == 102021


def test_a_withdrawal_is_processed_with_its_block_and_then_on_layer_1() -> None:
    with running() as wallet:
        owner = wallet.owner(ALICE)
        body = withdrawal(owner)
        (before,) = wallet.get("v2/tokenBalances", owner=owner, token=LRC_ADDRESS).data
        first = wallet.post("v3/user/withdrawals", body).json
        assert (first["status"], first["isIdempotent"]) == ("received", False)
        again = wallet.post("v3/user/withdrawals", body).json
        assert again == first | {"status": "processing", "isIdempotent": True}
        assert (wallet.money(ALICE), wallet.money(ALICE, "ETH")) == ((FUNDS - 500, 500), (10 * E18 - 30, 30))
        (sealed,) = wallet.seal()["transactions"]
        assert (sealed["txType"], sealed["storageId"], sealed["valid"]) == ("Withdraw", 0, True)
        assert sealed["token"]["amount"] == "500"
        assert (wallet.money(ALICE), wallet.money(ALICE, "ETH")) == ((FUNDS - 500, 0), (10 * E18 - 30, 0))
        assert wallet.get("v2/tokenBalances", owner=owner, token=LRC_ADDRESS).data == [str(int(before) + 500)]
        assert wallet.post("v3/user/withdrawals", body).code == 102021
        assert wallet.post("v3/user/withdrawals", body | {"storageId": 1}).json["status"] == "received"


def test_a_withdrawal_that_fails_gives_all_back_but_its_storage_id() -> None:
    with running() as wallet:
        owner = wallet.owner(ALICE)
        body = withdrawal(owner)
        before = wallet.get("v2/tokenBalances", owner=owner, token=LRC_ADDRESS).data
        wallet.done("faults", {"on": "submit_withdrawal", "outcome": "failed"})
        first = wallet.post("v3/user/withdrawals", body).json
        assert first["status"] == "received"
        assert wallet.post("v3/user/withdrawals", body).json["status"] == "processing"
        (sealed,) = wallet.seal()["transactions"]
        assert sealed["valid"] is False
        assert (wallet.money(ALICE), wallet.money(ALICE, "ETH")) == ((FUNDS, 0), (10 * E18, 0))
        assert wallet.get("v2/tokenBalances", owner=owner, token=LRC_ADDRESS).data == before
        (request,) = wallet.state()["requests"]
        assert (request["hash"], request["status"]) == (first["hash"], "failed")
        assert wallet.post("v3/user/withdrawals", body).code == 102021


def test_a_repeat_tells_that_it_failed_where_repeats_are_always_idempotent() -> None:
    with running(request__repeat="always_idempotent") as wallet:
        body = withdrawal(wallet.owner(ALICE))
        hash_ = wallet.post("v3/user/withdrawals", body).json["hash"]
        wallet.done(f"submissions/{hash_}/advance", {"to": "failed"})
        told = wallet.post("v3/user/withdrawals", body).json
        assert told == {"hash": hash_, "status": "failed", "isIdempotent": True}
        assert wallet.pending() == []


def test_a_lost_answer_to_a_withdrawal_costs_nothing_when_it_is_sent_again() -> None:
    """The first was taken; the repeat says so and takes no second one."""
    with running() as wallet:
        body = withdrawal(wallet.owner(ALICE))
        wallet.done("faults", {"on": "submit_withdrawal", "drop": True, "at": "after"})
        with pytest.raises(RemoteDisconnected):
            wallet.post("v3/user/withdrawals", body)
        told = wallet.post("v3/user/withdrawals", body).json
        assert (told["status"], told["isIdempotent"]) == ("processing", True)
        assert wallet.money(ALICE) == (FUNDS - 500, 500)
        assert len(wallet.pending()) == 1


def test_a_lost_answer_to_a_transfer_shows_in_the_nonce() -> None:
    """A transfer has no repeat, so the same one again is refused, and moves nothing twice."""
    with running() as wallet:
        wallet.done("faults", {"on": "submit_transfer", "drop": True, "at": "after"})
        with pytest.raises(RemoteDisconnected):
            wallet.post("v2/transfer", transfer())
        assert wallet.record(ALICE)["accountNonce"] == 4
        assert wallet.post("v2/transfer", transfer()).code == 102021
        assert wallet.money(BOB) == (FUNDS + 100, 0)


def test_a_call_that_is_lost_on_its_way_was_never_made() -> None:
    with running() as wallet:
        wallet.done("faults", {"on": "submit_transfer", "drop": True, "at": "before"})
        with pytest.raises(RemoteDisconnected):
            wallet.post("v2/transfer", transfer())
        assert wallet.record(ALICE)["accountNonce"] == 3
        assert wallet.post("v2/transfer", transfer(token=LRC)).code == 0
        assert wallet.money(BOB) == (FUNDS + 100, 0)
