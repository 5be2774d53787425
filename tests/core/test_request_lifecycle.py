"""Requests: what each state waits for, where the money is, what a failure gives back, which ids and keys count."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mockrelay.core.commands.accounts import SetKeys
from mockrelay.core.commands.blocks import SealBlocks
from mockrelay.core.errors import CommandRefused
from mockrelay.core.models import Balance
from mockrelay.spec.request_kinds import Duration, RequestKind
from mockrelay.spec.vocab import RequestStatus
from tests.core.bench import ALICE, BOB
from tests.core.request_bench import (
    AT_ONCE,
    FEE,
    FUNDS,
    HAND,
    NEXT_BLOCK,
    SOON,
    TWO_BLOCKS,
    TWO_POLLS,
    R,
    advance,
    bench,
    key,
    request,
    seal,
    transfer,
    update,
    withdrawal,
)
from tests.support.bodies import LRC

YEAR_MS = 365 * 86_400_000

# What a state waits for


def test_a_state_that_lasts_0s_is_over_at_the_next_call_and_not_before() -> None:
    world = bench(RequestKind.TRANSFER, AT_ONCE)
    hash_ = transfer(world)
    assert request(world, hash_).status is R.RECEIVED
    world.run_due_events(0)
    assert request(world, hash_).status is R.PROCESSED


def test_time_is_counted_from_where_each_state_begins() -> None:
    world = bench(RequestKind.TRANSFER, SOON, received=SOON)
    hash_ = transfer(world)
    found = []
    for ms in (4999, 1, 4999, 1):
        world.run_due_events(ms)
        found.append(request(world, hash_).status)
    assert found == [R.RECEIVED, R.PROCESSING, R.PROCESSING, R.PROCESSED]


def test_one_jump_of_the_clock_goes_through_all_states() -> None:
    world = bench(RequestKind.TRANSFER, SOON, received=SOON)
    hash_ = transfer(world)
    world.run_due_events(10_000)
    assert request(world, hash_).status is R.PROCESSED


@pytest.mark.parametrize(("duration", "blocks"), [(NEXT_BLOCK, 1), (TWO_BLOCKS, 2)])
def test_blocks_are_counted_as_they_are_sealed(duration: Duration, blocks: int) -> None:
    world = bench(RequestKind.WITHDRAWAL, duration)
    hash_ = withdrawal(world)["hash"]
    world.run_due_events(0)
    for number in range(blocks):
        assert request(world, hash_).status is R.PROCESSING
        if number:
            withdrawal(world, storage_id=number)
        seal(world)
    assert request(world, hash_).status is R.PROCESSED


def test_a_block_that_ends_one_state_does_not_count_for_the_next() -> None:
    world = bench(RequestKind.WITHDRAWAL, NEXT_BLOCK, received=NEXT_BLOCK)
    hash_ = withdrawal(world)["hash"]
    seal(world)
    assert request(world, hash_).status is R.PROCESSING
    withdrawal(world, storage_id=1)
    seal(world)
    assert request(world, hash_).status is R.PROCESSED


def test_the_last_poll_moves_a_request_and_its_answer_says_so() -> None:
    """Each state counts its own."""
    world = bench(RequestKind.WITHDRAWAL, TWO_POLLS, received=TWO_POLLS)
    statuses = [withdrawal(world)["status"] for _ in range(5)]
    assert statuses == ["received", "received", "processing", "processing", "processed"]


def test_what_waits_for_a_hand_waits_for_ever() -> None:
    world = bench(RequestKind.TRANSFER, HAND, received=HAND)
    hash_ = transfer(world)
    world.run_due_events(YEAR_MS)
    assert request(world, hash_).status is R.RECEIVED
    assert advance(world, hash_, R.PROCESSING) is R.PROCESSING
    world.run_due_events(YEAR_MS)
    assert advance(world, hash_, R.PROCESSED) is R.PROCESSED


def test_a_hand_may_go_ahead_of_the_clock_which_then_has_nothing_to_do() -> None:
    world = bench(RequestKind.TRANSFER, SOON, received=SOON)
    hash_ = transfer(world)
    assert advance(world, hash_, R.PROCESSED) is R.PROCESSED
    world.run_due_events(60_000)
    assert world.balance(BOB, LRC) == Balance(FUNDS + 100, 0, 0)


# Money


def test_money_is_in_flight_until_a_request_is_processed() -> None:
    world = bench(RequestKind.TRANSFER, SOON)
    transfer(world)
    assert world.balance(ALICE, LRC) == Balance(FUNDS - 100 - FEE, 0, 100 + FEE)
    world.run_due_events(5000)
    assert world.balance(ALICE, LRC) == Balance(FUNDS - 100 - FEE, 0, 0)
    assert world.balance(BOB, LRC) == Balance(FUNDS + 100, 0, 0)
    assert world.world.ledger.fees_wei == {LRC: FEE}


@pytest.mark.parametrize("sealed_first", [False, True])
def test_credit_on_block_waits_for_both_the_block_and_the_processing(*, sealed_first: bool) -> None:
    world = bench(RequestKind.TRANSFER, HAND, transfer__credit="on_block")
    hash_ = transfer(world)
    world.run_due_events(0)
    steps: list[Callable[[], object]] = [lambda: seal(world), lambda: advance(world, hash_, R.PROCESSED)]
    for step in steps if sealed_first else reversed(steps):
        assert world.balance(BOB, LRC).free_wei == FUNDS
        step()
    assert world.balance(BOB, LRC).free_wei == FUNDS + 100
    assert world.balance(ALICE, LRC) == Balance(FUNDS - 100 - FEE, 0, 0)


# Failure


@pytest.mark.parametrize("at", [R.RECEIVED, R.PROCESSING])
def test_a_failure_before_the_seal_gives_all_back_and_leaves_nothing_pending(at: RequestStatus) -> None:
    """The storage id stays used."""
    world = bench(RequestKind.WITHDRAWAL, SOON, received=SOON, fails_at=at)
    hash_ = withdrawal(world)["hash"]
    world.run_due_events(10_000)
    assert request(world, hash_).status is R.FAILED
    assert world.balance(ALICE, LRC) == Balance(FUNDS, 0, 0)
    assert not world.world.pending
    assert SealBlocks().apply(world.context()) == {"blockIds": []}
    assert (ALICE, LRC, 0) in world.world.storage_ids


@pytest.mark.parametrize("at", [R.RECEIVED, R.PROCESSING])
@pytest.mark.parametrize("duration", [NEXT_BLOCK, SOON, TWO_POLLS, HAND])
def test_what_is_going_to_fail_is_sealed_as_not_valid(at: RequestStatus, duration: Duration) -> None:
    world = (
        bench(RequestKind.WITHDRAWAL, AT_ONCE, received=duration, fails_at=at)
        if at is R.RECEIVED
        else bench(RequestKind.WITHDRAWAL, duration, fails_at=at)
    )
    hash_ = withdrawal(world)["hash"]
    world.run_due_events(0)
    seal(world)
    ((tx, valid),) = world.world.blocks[1].transactions
    assert (tx.body, valid) == (hash_, False)
    if duration is NEXT_BLOCK:
        assert request(world, hash_).status is R.FAILED
    else:
        assert advance(world, hash_, R.FAILED) is R.FAILED
    assert world.balance(ALICE, LRC) == Balance(FUNDS, 0, 0)


def test_what_a_block_has_as_valid_cannot_fail_and_what_it_has_not_cannot_succeed() -> None:
    for fails_at, to in ((None, R.FAILED), (R.PROCESSING, R.PROCESSED)):
        world = bench(RequestKind.WITHDRAWAL, HAND, fails_at=fails_at)
        hash_ = withdrawal(world)["hash"]
        world.run_due_events(0)
        seal(world)
        with pytest.raises(CommandRefused) as misused:
            advance(world, hash_, to)
        assert misused.value.status == 409
        assert request(world, hash_).status is R.PROCESSING


def test_a_request_without_funds_that_was_taken_all_the_same_can_only_fail() -> None:
    """Nothing was taken from the account, so nothing is given back."""
    world = bench(RequestKind.WITHDRAWAL, HAND, request__insufficient_funds="fail")
    hash_ = withdrawal(world, amount=FUNDS)["hash"]
    assert world.balance(ALICE, LRC) == Balance(FUNDS, 0, 0)
    with pytest.raises(CommandRefused) as misused:
        advance(world, hash_, R.PROCESSED)
    assert misused.value.status == 409
    assert advance(world, hash_, R.FAILED) is R.FAILED
    assert world.balance(ALICE, LRC) == Balance(FUNDS, 0, 0)


def test_what_a_block_has_as_not_valid_fails_although_a_hand_has_moved_it() -> None:
    """It was going to fail as `received` when it was sealed."""
    world = bench(RequestKind.WITHDRAWAL, SOON, received=HAND, fails_at=R.RECEIVED)
    hash_ = withdrawal(world)["hash"]
    seal(world)
    assert advance(world, hash_, R.PROCESSING) is R.PROCESSING
    world.run_due_events(5000)
    assert request(world, hash_).status is R.FAILED
    assert world.balance(ALICE, LRC) == Balance(FUNDS, 0, 0)


# Ids and nonces


@pytest.mark.parametrize(("storage_id", "code"), [(2**32 - 1, None), (2**32, 102021), (2**32 + 1, 102021)])
def test_a_storage_id_has_32_bits(storage_id: int, code: int | None) -> None:
    world = bench(RequestKind.WITHDRAWAL, HAND)
    if code is None:
        assert withdrawal(world, storage_id)["status"] == "received"
    else:
        assert world.refusal("submit_withdrawal", world.bodies.withdrawal(storage_id)) == code


@pytest.mark.parametrize(("due", "code"), [(2**32 - 1, None), (2**32, 102021), (2**32 + 1, 102021)])
def test_a_nonce_has_32_bits(due: int, code: int | None) -> None:
    """Also where the account's own has come so far."""
    world = bench(RequestKind.TRANSFER, HAND)
    world.world.next_nonce[ALICE] = due
    if code is None:
        assert transfer(world, 1, due).startswith("0x")
    else:
        assert world.refusal("submit_transfer", world.bodies.transfer(due, amount="1", amountF=str(FEE))) == code


# When the key of an account update counts


@pytest.mark.parametrize(("failing", "keys"), [((0,), [88]), ((1,), [77]), ((0, 1), [88, 1]), ((1, 0), [77, 1])])
def test_of_two_updates_in_flight_each_may_fail(failing: tuple[int, ...], keys: list[int]) -> None:
    """The key is that of the last one that has not failed, else the first of all."""
    world = bench(RequestKind.ACCOUNT_UPDATE, HAND)
    hashes = [update(world, 1, 77), update(world, 2, 88)]
    assert key(world) == 88
    found = []
    for one in failing:
        advance(world, hashes[one], R.FAILED)
        found.append(key(world))
    assert found == keys


def test_a_later_update_that_is_active_at_once_outlives_the_earlier_ones_block() -> None:
    """The earlier one waits for its block, and the choice changes between the two."""
    world = bench(RequestKind.ACCOUNT_UPDATE, HAND, account__key_active="on_block")
    update(world, 1, 77)
    world.world.choices["account.key_active"] = "at_once"
    update(world, 2, 88)
    assert key(world) == 88
    seal(world)
    assert (key(world), world.world.accounts[ALICE].key_nonce) == (88, 2)


def test_a_key_set_by_hand_after_an_update_outlives_the_updates_block() -> None:
    """The update's key was active at once, and has been replaced since."""
    world = bench(RequestKind.ACCOUNT_UPDATE, HAND)
    update(world, 1, 77)
    SetKeys(account=ALICE, public_key_x=f"0x{99:064x}").apply(world.context())
    seal(world)
    assert key(world) == 99
