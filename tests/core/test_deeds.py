"""What a timeline's deeds act on, and what a test's own hand changes."""

from __future__ import annotations

import pytest

from mockrelay.core import request_verbs
from mockrelay.core.deeds import AdvanceRequest
from mockrelay.core.errors import CommandRefused
from mockrelay.spec.request_kinds import FeeKind, RequestKind
from tests.core.requested import HAND, R, bench, by_hand, request, transfer, update, withdrawal
from tests.core.worlds import ALICE, BOB


def test_the_oldest_open_request_is_the_accounts_own_of_that_kind() -> None:
    """Not an older one of another kind, nor one that has ended, nor anybody else's."""
    world = bench(RequestKind.WITHDRAWAL, HAND)
    moved = transfer(world, amount=10)
    ended, oldest, newest = (withdrawal(world, storage_id, 10)["hash"] for storage_id in (0, 1, 2))
    by_hand(world, ended, R.PROCESSED)
    before = request(world, moved).status
    AdvanceRequest(R.FAILED, None, RequestKind.WITHDRAWAL, ALICE)(world.context())
    found = [request(world, hash_).status for hash_ in (moved, ended, oldest, newest)]
    assert found == [before, R.PROCESSED, R.FAILED, R.RECEIVED]
    for kind, account_id in ((RequestKind.WITHDRAWAL, BOB), (RequestKind.ACCOUNT_UPDATE, ALICE)):
        with pytest.raises(CommandRefused):
            AdvanceRequest(R.FAILED, None, kind, account_id)(world.context())


def test_a_nonce_that_is_set_by_hand_is_the_next_one() -> None:
    """Also while nonces of requests that are under way count already, which other changes leave alone."""
    world = bench(RequestKind.ACCOUNT_UPDATE, HAND, account__nonce_moves="on_block")
    update(world, 1, 77)
    request_verbs.set_keys(world.context(), ALICE, {"api_key": "another"})
    assert world.world.next_nonce == {ALICE: 2}
    request_verbs.set_keys(world.context(), ALICE, {"account_nonce": 5})
    assert world.world.next_nonce == {}
    assert world.world.accounts[ALICE].account_nonce == 5


def test_a_fee_has_96_bits_as_signed_amounts_have() -> None:
    """The largest is taken, and one more is not."""
    world = bench(RequestKind.WITHDRAWAL, HAND)
    set_fee = request_verbs.set_fee
    assert set_fee(world.context(), FeeKind.WITHDRAWAL, "LRC", 2**96 - 1, None) == 2**96 - 1
    with pytest.raises(CommandRefused):
        set_fee(world.context(), FeeKind.WITHDRAWAL, "LRC", 2**96, None)
