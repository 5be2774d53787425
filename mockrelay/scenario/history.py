"""The section `history`: transactions of the past, as a relayer answered them, in a block of their own."""

from __future__ import annotations

from typing import Any

from mockrelay.core.ids import fast_hash
from mockrelay.core.records import Block, PendingTx, SealedTx, Told
from mockrelay.core.wording import nearest
from mockrelay.core.world import World
from mockrelay.scenario.nodes import Node
from mockrelay.scenario.reading import Fields, each, entries
from mockrelay.spec.vocab import BlockStatus, TxType
from mockrelay.wire.compile import checker

_SCHEMA = "mockrelay:objects/TransactionBlock.json"
_TYPES = {word.lower(): word for word in TxType}


def read_history(node: Node) -> tuple[Told, ...]:
    """The transactions, oldest first, each with the fields that the spec gives to one."""
    return Fields(node, ("transactions",)).get("transactions", each(_transaction), ())


def seal_history(world: World, told: tuple[Told, ...]) -> None:
    """Put the transactions into block 1, which is final from the start."""
    sealed = []
    for transaction in told:
        tx = PendingTx(world.next_tx_id, TxType(transaction.fields["txType"]), transaction)
        world.next_tx_id += 1
        sealed.append(SealedTx(tx, transaction.fields.get("valid", True)))
    block_id = len(world.blocks)
    tx_hash = fast_hash("block", world.setting.seed, block_id)
    world.blocks.append(Block(block_id, tx_hash, BlockStatus.FINALIZED, world.start_ms, tuple(sealed)))


def _transaction(node: Node) -> Told:
    fields = {key: _plain(value) for key, value in entries(node).items()}
    word = fields.get("txType")
    if isinstance(word, str):
        # Real answers show the words in lower case too.
        if word.lower() not in _TYPES:
            raise entries(node)["txType"].error(f"{word!r}", nearest(word, list(TxType)))
        fields["txType"] = _TYPES[word.lower()]
    if not checker(_SCHEMA)(fields):
        from mockrelay.wire.explain import explain  # noqa: PLC0415  # brings jsonschema, which a right file never needs

        flaw = explain(_SCHEMA, fields)[0]
        field = flaw.field.partition(".")[0]
        raise entries(node).get(field, node).error(flaw.detail, "a transaction as the relayer answers it")
    return Told(fields)


def _plain(node: Node) -> Any:
    if isinstance(node.value, dict):
        return {key: _plain(value) for key, value in node.value.items()}
    if isinstance(node.value, list):
        return [_plain(item) for item in node.value]
    return node.value
