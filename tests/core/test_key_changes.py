"""When the key of an account update counts, and when the old one is back."""

from __future__ import annotations

from typing import Any

import pytest

from mockrelay.core.commands.accounts import SetKeys
from mockrelay.spec.request_kinds import RequestKind
from tests.core.requested import (
    AT_ONCE,
    FEE,
    HAND,
    R,
    bench,
    by_hand,
    key,
    seal,
    update,
)
from tests.core.worlds import ALICE, DAY_S, LRC, NOW_S, Bench


def test_a_failed_update_brings_the_old_key_back_and_its_nonce_stays_used() -> None:
    world = bench(RequestKind.ACCOUNT_UPDATE, HAND)
    hash_ = update(world, 1, 77)
    assert (key(world), world.world.accounts[ALICE].key_nonce) == (77, 1)
    by_hand(world, hash_, R.FAILED)
    assert (key(world), world.world.accounts[ALICE].key_nonce) == (1, 0)
    assert world.world.accounts[ALICE].account_nonce == 2
    assert world.refusal("update_account", _again(world, 1)) == 102021


def _again(world: Bench, nonce: int) -> dict[str, Any]:
    fee = {"tokenId": LRC, "volume": str(FEE)}
    fields = {"exchange": "0x" + "0" * 39 + "e", "owner": f"0x{ALICE:040x}", "accountId": ALICE, "maxFee": fee}
    return fields | {"publicKey": {"x": "0x3", "y": "0x4"}, "validUntil": NOW_S + DAY_S, "nonce": nonce}


@pytest.mark.parametrize(
    ("failing", "keys"),
    [((0,), [88]), ((1,), [77]), ((0, 1), [88, 1]), ((1, 0), [77, 1])],
)
def test_of_two_updates_in_flight_each_may_fail(failing: tuple[int, ...], keys: list[int]) -> None:
    """The key is that of the last one that has not failed, else the first of all."""
    world = bench(RequestKind.ACCOUNT_UPDATE, HAND)
    hashes = [update(world, 1, 77), update(world, 2, 88)]
    assert key(world) == 88
    seen = []
    for one in failing:
        by_hand(world, hashes[one], R.FAILED)
        seen.append(key(world))
    assert seen == keys


def test_a_key_that_counts_from_the_block_on_does_not_count_before() -> None:
    world = bench(RequestKind.ACCOUNT_UPDATE, AT_ONCE, account__key_active="on_block", account__nonce_moves="on_block")
    update(world, 1, 77)
    world.run_due_events(0)
    assert (key(world), world.world.accounts[ALICE].account_nonce) == (1, 1)
    seal(world)
    assert (key(world), world.world.accounts[ALICE].account_nonce) == (77, 2)


def test_a_key_set_by_hand_after_an_update_outlives_the_updates_block() -> None:
    """The update's key was active at once, and has been replaced since."""
    world = bench(RequestKind.ACCOUNT_UPDATE, HAND)
    update(world, 1, 77)
    SetKeys(account=ALICE, public_key_x=f"0x{99:064x}").apply(world.context())
    seal(world)
    assert key(world) == 99
