"""The request log: every accepted request, deposit and account creation of a world, oldest first.

Histories of accounts are views of it. A row's number in the log, from 1 on, is its id.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mockrelay.core.models import Block, LogRow
from mockrelay.core.state import State, cache_field, derived_field, saved_field


class RequestLog(State):
    """The rows of one world, and which of them concern an account."""

    rows: list[LogRow] = saved_field(factory=list)
    _ids_of: dict[int, list[int]] = derived_field(factory=dict)
    """Account id -> the ids of its rows."""
    _places: dict[int, tuple[int, int]] = cache_field(factory=dict)
    """Transaction id -> block id and index in the block, of the blocks up to `_blocks_read`."""
    _blocks_read: int = cache_field(factory=int)
    """The number of blocks that `_places` covers."""

    def add(self, row: LogRow) -> int:
        """Add a row; returns its id."""
        self.rows.append(row)
        row_id = len(self.rows)
        for account_id in dict.fromkeys(row.account_ids):
            self._ids_of.setdefault(account_id, []).append(row_id)
        return row_id

    def of_account(self, account_id: int) -> Iterator[tuple[int, LogRow]]:
        """The ids and rows that concern an account, newest first."""
        return ((row_id, self.rows[row_id - 1]) for row_id in reversed(self._ids_of.get(account_id, ())))

    def place_of(self, tx_id: int, blocks: Sequence[Block]) -> tuple[int, int]:
        """The block of a transaction, and its index there; (0, 0) while it waits."""
        for block in blocks[self._blocks_read :]:
            for index, (tx, _) in enumerate(block.transactions):
                self._places[tx.tx_id] = (block.block_id, index)
        self._blocks_read = len(blocks)
        return self._places.get(tx_id, (0, 0))
