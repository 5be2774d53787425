"""Blocks and pending requests: order, sealing, confirmation, unknown ids, and one place for each transaction."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mockrelay.relay import Relay
from tests.conformance.causes_of_requests import TRANSFER, UPDATE, WITHDRAWAL, taken
from tests.conformance.checks import advance_to, block, blocks, pending, refused_call, seal
from tests.support.calls import EXCHANGE, Request, accepted, bid, call, order, valid_request
from tests.support.client import advance, control, digest, done
from tests.support.worlds import START_MS, world, world_like

BY_HAND = "blocks: {seal: hand}"


def transfers(relay: Relay, count: int, first: int = 0) -> None:
    """So many transfers of one LRC."""
    for nonce in range(first, first + count):
        taken(relay, TRANSFER.but(nonce=nonce))


def newest(relay: Relay) -> int:
    """The id of the newest block."""
    return len(blocks(relay)) - 1


def one_of_each(relay: Relay) -> list[str]:
    """A transfer, a withdrawal, a trade, an update and a mint; their transaction types in this order."""
    taken(relay, TRANSFER)
    taken(relay, WITHDRAWAL)
    accepted(relay, order(1))
    accepted(relay, bid(1))
    taken(relay, UPDATE.but(nonce=1))
    taken(relay, valid_request("mint_nft").but(storageId=900))
    return ["Transfer", "Withdraw", "SpotTrade", "AccountUpdate", "NftMint"]


@pytest.mark.parametrize("block_id", [None, "finalized", "confirmed", 0])
def test_block_zero_is_finalized_and_empty(block_id: Any) -> None:
    """All four ways to ask find it; its time is the relayer's start."""
    found = block(world(), block_id)
    assert (found["blockId"], found["status"], found["transactions"]) == (0, "finalized", [])
    assert (found["exchange"], found["createdAt"]) == (EXCHANGE, START_MS)


def test_a_block_keeps_the_order_of_pending_requests(relay: Relay) -> None:
    """Pending requests stand in the order of acceptance, and so they stand in the block."""
    types = one_of_each(relay)
    waiting = pending(relay)
    assert [tx["txType"] for tx in waiting] == types
    assert seal(relay) == [1]
    assert block(relay, 1)["transactions"] == waiting
    assert pending(relay) == []


def test_blocks_are_sealed_every_ten_seconds(relay: Relay) -> None:
    """Of the relayer's clock: what was accepted at 25 s is sealed at 30 s, not a millisecond earlier."""
    advance(relay, "25s")
    transfers(relay, 2)
    advance(relay, "4999ms")
    assert (newest(relay), len(pending(relay))) == (0, 2)
    advance(relay, "1ms")
    assert (newest(relay), len(pending(relay))) == (1, 0)
    assert block(relay, 1)["createdAt"] == START_MS + 30_000


def test_nothing_pending_seals_nothing(relay: Relay) -> None:
    """Neither an hour nor a hand makes an empty block."""
    advance(relay, "1h")
    assert seal(relay, 3) == []
    assert newest(relay) == 0
    transfers(relay, 1)
    advance(relay, "1h")
    assert newest(relay) == 1


def test_a_full_block_is_sealed_at_once(tmp_path: Path) -> None:
    """Two of three wait; the third fills the block, which has the time of the third; a fourth waits again."""
    relay = world_like(tmp_path, "blocks: {seal: {every: none, size: 3}}")
    transfers(relay, 2)
    advance(relay, "30d")
    assert (newest(relay), len(pending(relay))) == (0, 2)
    transfers(relay, 2, first=2)
    assert (newest(relay), len(pending(relay))) == (1, 1)
    assert (block(relay, 1)["blockSize"], block(relay, 1)["createdAt"]) == (3, START_MS + 30 * 86_400_000)


def test_a_hundred_transactions_fill_a_block_of_the_default_scenario(relay: Relay) -> None:
    """99 wait, the 100th does not."""
    transfers(relay, 99)
    assert (newest(relay), len(pending(relay))) == (0, 99)
    transfers(relay, 2, first=99)
    assert (newest(relay), len(pending(relay))) == (1, 1)


def test_blocks_are_sealed_by_hand(tmp_path: Path) -> None:
    """Time alone seals nothing; a count is a most, and each block has what waits."""
    relay = world_like(tmp_path, BY_HAND)
    transfers(relay, 2)
    advance(relay, "30d")
    assert newest(relay) == 0
    assert seal(relay) == [1]
    assert seal(relay) == []
    transfers(relay, 1, first=2)
    assert seal(relay, 5) == [2]


def test_a_deposit_waits_for_a_block_too(relay: Relay) -> None:
    """A deposit by hand is a transaction as any other."""
    done(relay, "POST", "accounts/10001/deposit", {"token": "LRC", "amount": "77"})
    (tx,) = pending(relay)
    assert (tx["txType"], tx["accountId"], tx["token"]["tokenId"], tx["token"]["amount"]) == (
        "Deposit",
        10001,
        1,
        "77",
    )


def test_blocks_are_confirmed_and_finalized_by_time(relay: Relay) -> None:
    """Sealed at 10 s, confirmed 30 s later, final 120 s after that; `confirmed` is the newest that is at least so."""
    transfers(relay, 1)
    for until, status, confirmed, final in (
        (10_000, "pending", 0, 0),
        (39_999, "pending", 0, 0),
        (40_000, "confirmed", 1, 0),
        (159_999, "confirmed", 1, 0),
        (160_000, "finalized", 1, 1),
    ):
        advance(relay, f"{START_MS + until - done(relay, 'GET', 'state')['now_ms']}ms")
        assert block(relay, 1)["status"] == status, until
        found = [block(relay, name)["blockId"] for name in ("confirmed", "finalized", None)]
        assert found == [confirmed, final, final], until


def test_blocks_are_confirmed_and_finalized_by_the_blocks_on_top(tmp_path: Path) -> None:
    """Confirmed with one block upon it, final with two; time alone does nothing."""
    text = "blocks: {seal: hand, confirm: {after: {blocks: 1}}, finalize: {after: {blocks: 2}}}"
    relay = world_like(tmp_path, text)
    seen = []
    for nonce in range(4):
        transfers(relay, 1, first=nonce)
        seal(relay)
        advance(relay, "1d")
        seen.append([found["status"] for found in blocks(relay)[1:]])
    assert seen == [
        ["pending"],
        ["confirmed", "pending"],
        ["finalized", "confirmed", "pending"],
        ["finalized", "finalized", "confirmed", "pending"],
    ]


def test_blocks_are_finalized_by_hand(tmp_path: Path) -> None:
    """Up to a block, or all that are sealed; what is final stays so."""
    relay = world_like(tmp_path, BY_HAND)
    for nonce in range(3):
        transfers(relay, 1, first=nonce)
        seal(relay)
    for _ in range(2):
        done(relay, "POST", "blocks/finalize", {"upTo": 2})
    assert [found["status"] for found in blocks(relay)] == ["finalized"] * 3 + ["pending"]
    assert block(relay)["blockId"] == 2
    done(relay, "POST", "blocks/finalize", {})
    assert [found["status"] for found in blocks(relay)] == ["finalized"] * 4


@pytest.mark.parametrize("block_id", [1, 7, 2**31, 2**53 - 1])
def test_get_block_with_an_unknown_id_is_100000(relay: Relay, block_id: int) -> None:
    """100000, and the message names id."""
    refused_call(call(relay, Request("get_block", {"id": block_id})), "get_block", {100000}, "id")


def test_get_block_with_an_unknown_id_is_empty_by_choice() -> None:
    """Under `empty` the answer is 200, an object that holds no transaction."""
    answer = call(world({"block.unknown_id": "empty"}), Request("get_block", {"id": 7}))
    assert answer.status == 200
    assert "resultInfo" not in answer.json
    assert answer.json.get("transactions", []) == []


def test_only_status_changes_and_every_transaction_has_one_place(relay: Relay) -> None:
    """Through sealing, ripening, the ends of all requests and a year: the same transactions, once each."""
    one_of_each(relay)
    waiting = pending(relay)
    sealed: dict[int, dict[str, Any]] = {}
    for span in ("1ms", "5s", "5s", "30s", "120s", "1d", "365d"):
        advance(relay, span)
        for found in blocks(relay):
            found.pop("status")
            assert sealed.setdefault(found["blockId"], found) == found
        places = [*(tx for found in blocks(relay) for tx in found["transactions"]), *pending(relay)]
        assert places == waiting


def test_ids_and_hashes_are_all_different(relay: Relay) -> None:
    """No block's hash is another's."""
    for nonce in range(5):
        transfers(relay, 1, first=nonce)
        seal(relay)
    found = blocks(relay)
    assert [each["blockId"] for each in found] == list(range(6))
    assert len({each["txHash"] for each in found}) == 6


def test_fifty_years_with_one_transfer_seal_one_block(relay: Relay) -> None:
    transfers(relay, 1)
    for _ in range(50):
        advance(relay, "365d")
    assert newest(relay) == 1


def test_a_failure_before_the_seal_leaves_no_transaction(tmp_path: Path) -> None:
    """Taken out of pending, its neighbours stay; the next block holds those only."""
    relay = world_like(tmp_path, BY_HAND)
    taken(relay, TRANSFER)
    failing = taken(relay, WITHDRAWAL)["hash"]
    taken(relay, WITHDRAWAL.but(storageId=8))
    advance_to(relay, failing, "failed")
    assert [tx["txType"] for tx in pending(relay)] == ["Transfer", "Withdraw"]
    seal(relay)
    assert [tx.get("storageId") for tx in block(relay, 1)["transactions"]] == [None, 8]


def test_a_failure_alone_in_pending_leaves_nothing_to_seal(relay: Relay) -> None:
    """No block for what has failed."""
    advance_to(relay, taken(relay, WITHDRAWAL)["hash"], "failed")
    advance(relay, "1h")
    assert (newest(relay), pending(relay)) == (0, [])


def test_a_failure_at_the_seal_is_sealed_as_invalid(tmp_path: Path) -> None:
    """`then: failed` with its block: the block holds it with `valid` false, and stays so."""
    relay = world_like(tmp_path, "lifecycles: {withdrawal: {processing: {after: {blocks: 1}, then: failed}}}")
    taken(relay, TRANSFER)
    taken(relay, WITHDRAWAL)
    advance(relay, "10s")
    found = block(relay, 1)["transactions"]
    assert [(tx["txType"], tx.get("valid", True)) for tx in found] == [("Transfer", True), ("Withdraw", False)]
    advance(relay, "365d")
    assert block(relay, 1)["transactions"] == found


def test_a_failure_after_the_seal_is_refused_by_hand(tmp_path: Path) -> None:
    """409, nothing changes, and the request comes to its good end."""
    relay = world_like(tmp_path, "lifecycles: {withdrawal: {processing: {after: {blocks: 2}}}}")
    hash_ = taken(relay, WITHDRAWAL)["hash"]
    seal(relay)
    assert call(relay, WITHDRAWAL).json["status"] == "processing"
    before = digest(relay)
    answer = control(relay, "POST", f"submissions/{hash_}/advance", {"to": "failed"})
    assert (answer.status, set(answer.json)) == (409, {"error", "field", "meant"})
    assert digest(relay) == before
    advance_to(relay, hash_, "processed")


def test_a_failure_after_the_seal_is_refused_when_the_scenario_is_loaded(tmp_path: Path) -> None:
    """A lifecycle that fails with the second block cannot be."""
    with pytest.raises(ValueError, match=r"withdrawal|failed|block"):
        world_like(tmp_path, "lifecycles: {withdrawal: {processing: {after: {blocks: 2}, then: failed}}}")


@pytest.mark.parametrize("after", ["0s", "5s", "10s", "15s", "1h"])
def test_no_failed_request_is_in_a_block_as_valid(tmp_path: Path, after: str) -> None:
    """Whichever comes first, seal or failure: what has failed is nowhere, or in its block with `valid` false."""
    relay = world_like(tmp_path, f"lifecycles: {{withdrawal: {{processing: {{after: {after}, then: failed}}}}}}")
    hash_ = taken(relay, WITHDRAWAL)["hash"]
    for span in ("1ms", "9999ms", "5s", "1h", "1h"):
        advance(relay, span)
    assert control(relay, "POST", f"submissions/{hash_}/advance", {"to": "processed"}).status == 409
    everything = [*(tx for found in blocks(relay) for tx in found["transactions"]), *pending(relay)]
    assert all(tx.get("valid") is False for tx in everything), everything


def test_a_request_that_failed_for_lack_of_funds_by_choice_is_never_valid() -> None:
    """`request.insufficient_funds: fail`: accepted, then failed, and not in a block as valid."""
    relay = world({"request.insufficient_funds": "fail"})
    request = WITHDRAWAL.but(token={"tokenId": 1, "volume": str(10**30)})
    hash_ = taken(relay, request)["hash"]
    advance(relay, "1h")
    everything = [*(tx for found in blocks(relay) for tx in found["transactions"]), *pending(relay)]
    assert all(tx.get("valid") is False for tx in everything), everything
    assert control(relay, "POST", f"submissions/{hash_}/advance", {"to": "processed"}).status == 409
