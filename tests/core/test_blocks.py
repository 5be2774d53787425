"""When blocks are sealed, confirmed and final."""

from __future__ import annotations

from mockrelay.core.commands.blocks import FinalizeBlocks
from mockrelay.core.config import BlockRules
from mockrelay.spec.request_kinds import RequestKind
from mockrelay.spec.vocab import BlockStatus
from tests.core.bench import Bench
from tests.core.request_bench import AT_ONCE, NEXT_BLOCK, NO_BLOCKS, TWO_BLOCKS, bench, seal, transfer


def statuses(world: Bench) -> list[BlockStatus]:
    return [block.status for block in world.world.blocks]


P, C, F = BlockStatus.PENDING, BlockStatus.CONFIRMED, BlockStatus.FINALIZED


def test_blocks_are_confirmed_and_final_after_their_times() -> None:
    world = bench(RequestKind.TRANSFER, AT_ONCE)
    transfer(world)
    seal(world)
    found = []
    for ms in (29_999, 1, 119_999, 1):
        world.run_due_events(ms)
        found.append(statuses(world))
    assert found == [[F, P], [F, C], [F, C], [F, F]]


def test_blocks_are_confirmed_and_final_by_the_number_of_blocks_on_top() -> None:
    world = bench(RequestKind.TRANSFER, AT_ONCE, blocks=BlockRules(None, None, NEXT_BLOCK, TWO_BLOCKS))
    found = []
    for nonce in (1, 2, 3):
        transfer(world, nonce=nonce)
        seal(world)
        found.append(statuses(world))
    assert found == [[F, P], [F, C, P], [F, F, C, P]]


def test_a_hand_makes_blocks_final_up_to_one() -> None:
    world = bench(RequestKind.TRANSFER, AT_ONCE)
    for nonce in (1, 2):
        transfer(world, nonce=nonce)
        seal(world)
    FinalizeBlocks(up_to=1).apply(world.context())
    assert statuses(world) == [F, F, P]
    world.run_due_events(30_000)
    assert statuses(world) == [F, F, C]


def test_a_block_is_sealed_at_each_interval_if_anything_waits() -> None:
    world = bench(RequestKind.TRANSFER, AT_ONCE, blocks=NO_BLOCKS._replace(seal_every_ms=10_000))
    world.run_due_events(25_000)
    assert len(world.world.blocks) == 1
    transfer(world)
    world.run_due_events(4999)
    assert len(world.world.blocks) == 1
    world.run_due_events(1)
    assert [block.created_at_ms - world.world.start_ms for block in world.world.blocks] == [0, 30_000]


def test_a_block_is_sealed_once_it_is_full() -> None:
    world = bench(RequestKind.TRANSFER, AT_ONCE, blocks=NO_BLOCKS._replace(seal_size=2))
    for nonce in (1, 2, 3):
        transfer(world, nonce=nonce)
    world.run_due_events(0)
    assert [len(block.transactions) for block in world.world.blocks] == [0, 2]
    assert len(world.world.pending) == 1
