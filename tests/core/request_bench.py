"""A bench for requests: a lifecycle of the test's choosing, and short ways to submit, to seal and to advance by hand."""

from __future__ import annotations

from typing import Any

from mockrelay.core.commands.blocks import SealBlocks
from mockrelay.core.commands.requests import AdvanceRequest
from mockrelay.core.config import BlockRules, Stage
from mockrelay.core.models import Request
from mockrelay.core.requests.lifecycle import key_of
from mockrelay.spec.request_kinds import AfterUnit, Duration, RequestKind
from mockrelay.spec.vocab import RequestStatus
from tests.core.bench import ALICE, BOB, Bench
from tests.support.bodies import LRC

R = RequestStatus
AT_ONCE, SOON = Duration(AfterUnit.TIME, 0), Duration(AfterUnit.TIME, 5000)
NEXT_BLOCK, TWO_BLOCKS = Duration(AfterUnit.BLOCKS, 1), Duration(AfterUnit.BLOCKS, 2)
TWO_POLLS, HAND = Duration(AfterUnit.POLLS, 2), Duration(AfterUnit.HAND, 0)
NO_BLOCKS = BlockRules(None, None, Duration(AfterUnit.TIME, 30_000), Duration(AfterUnit.TIME, 120_000))
FEE, FUNDS = 20, 1000
"""Of LRC, as the bench has them."""


def bench(
    kind: RequestKind,
    processing: Duration,
    *,
    received: Duration = AT_ONCE,
    fails_at: RequestStatus | None = None,
    blocks: BlockRules = NO_BLOCKS,
    **choices: str,
) -> Bench:
    """A bench where alice and bob have 1,000 LRC each, and requests of this kind wait for what is given."""
    stages = {
        R.RECEIVED: Stage(received, fails_at is R.RECEIVED),
        R.PROCESSING: Stage(processing, fails_at is R.PROCESSING),
    }
    options = {"signature.scheme": "off"} | {name.replace("__", "."): option for name, option in choices.items()}
    world = Bench(choices=options, lifecycles={kind: stages}, blocks=blocks)
    world.fund(ALICE, LRC=FUNDS)
    world.fund(BOB, LRC=FUNDS)
    return world


def transfer(world: Bench, amount: int = 100, nonce: int = 1) -> str:
    """Alice sends LRC to bob; the hash."""
    body = world.bodies.transfer(nonce, amount=str(amount), amountF=str(FEE))
    request_hash: str = world.call("submit_transfer", body)
    return request_hash


def withdrawal(world: Bench, storage_id: int = 0, amount: int = 100) -> dict[str, Any]:
    """Alice takes LRC to her own address on layer 1; the answer."""
    token, fee = {"tokenId": LRC, "volume": str(amount)}, {"tokenId": LRC, "volume": str(FEE)}
    answer: dict[str, Any] = world.call(
        "submit_withdrawal", world.bodies.withdrawal(storage_id, token=token, maxFee=fee)
    )
    return answer


def update_body(world: Bench, nonce: int, key: int) -> dict[str, Any]:
    """What alice sends for another key."""
    return world.bodies.update(nonce, f"0x{key:064x}", "0x2", maxFee={"tokenId": LRC, "volume": str(FEE)})


def update(world: Bench, nonce: int, key: int) -> str:
    """Alice takes another key; the hash."""
    request_hash: str = world.call("update_account", update_body(world, nonce, key))["hash"]
    return request_hash


def request(world: Bench, hash_: str) -> Request:
    return world.world.requests[hash_]


def seal(world: Bench) -> None:
    """A block of what waits."""
    assert len(SealBlocks().apply(world.context())["blockIds"]) == 1


def advance(world: Bench, hash_: str, to: RequestStatus) -> RequestStatus:
    return R(AdvanceRequest(to=to, hash=hash_).apply(world.context())["status"])


def key(world: Bench) -> int:
    """The first part of alice's key."""
    return int(key_of(world.world.accounts[ALICE]).public_key_x, 16)
