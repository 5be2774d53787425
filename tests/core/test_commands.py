"""What commands act on, and what they change."""

from __future__ import annotations

import pytest

from mockrelay.core.commands.accounts import SetKeys
from mockrelay.core.commands.requests import AdvanceRequest
from mockrelay.core.commands.settings import SetFee
from mockrelay.core.errors import CommandRefused
from mockrelay.spec.request_kinds import FeeKind, RequestKind
from tests.core.bench import ALICE, BOB
from tests.core.request_bench import HAND, R, advance, bench, request, seal, transfer, update, withdrawal
from tests.support.bodies import LRC


def test_the_oldest_open_request_is_the_accounts_own_of_that_kind() -> None:
    """Not an older one of another kind, nor one that has ended, nor anybody else's."""
    world = bench(RequestKind.WITHDRAWAL, HAND)
    moved = transfer(world, amount=10)
    ended, oldest, newest = (withdrawal(world, storage_id, 10)["hash"] for storage_id in (0, 1, 2))
    advance(world, ended, R.PROCESSED)
    before = request(world, moved).status
    AdvanceRequest(to=R.FAILED, kind=RequestKind.WITHDRAWAL, account=ALICE).apply(world.context())
    found = [request(world, hash_).status for hash_ in (moved, ended, oldest, newest)]
    assert found == [before, R.PROCESSED, R.FAILED, R.RECEIVED]
    for kind, account_id in ((RequestKind.WITHDRAWAL, BOB), (RequestKind.ACCOUNT_UPDATE, ALICE)):
        with pytest.raises(CommandRefused):
            AdvanceRequest(to=R.FAILED, kind=kind, account=account_id).apply(world.context())


def test_a_nonce_that_is_set_by_hand_is_the_next_one() -> None:
    """Also while nonces of requests that are under way count already, which other changes leave alone."""
    world = bench(RequestKind.ACCOUNT_UPDATE, HAND, account__nonce_moves="on_block")
    update(world, 1, 77)
    SetKeys(account=ALICE, api_key="another").apply(world.context())
    assert world.world.next_nonce == {ALICE: 2}
    SetKeys(account=ALICE, account_nonce=5).apply(world.context())
    assert world.world.next_nonce == {}
    assert world.world.accounts[ALICE].account_nonce == 5


def test_a_nonce_that_is_set_by_hand_is_not_undone_by_the_block_of_an_earlier_request() -> None:
    world = bench(RequestKind.ACCOUNT_UPDATE, HAND, account__nonce_moves="on_block")
    update(world, 1, 77)
    AdvanceRequest(to=R.PROCESSED, kind=RequestKind.ACCOUNT_UPDATE, account=ALICE).apply(world.context())
    SetKeys(account=ALICE, account_nonce=0).apply(world.context())
    seal(world)
    assert world.world.accounts[ALICE].account_nonce == 0


def test_a_fee_has_96_bits_as_signed_amounts_have() -> None:
    """The largest is taken, and one more is not."""
    world = bench(RequestKind.WITHDRAWAL, HAND)
    fee = SetFee(kind=FeeKind.WITHDRAWAL, token="LRC", fee_wei=2**96 - 1).apply(world.context())
    assert fee == {"fee": str(2**96 - 1)}
    world.world.fees[FeeKind.WITHDRAWAL][LRC] = 2**95
    with pytest.raises(CommandRefused):
        SetFee(kind=FeeKind.WITHDRAWAL, token="LRC", factor_e18=2 * 10**18).apply(world.context())
