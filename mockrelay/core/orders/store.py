"""All orders, indexed by hash, by clientOrderId and by the filters of a page.

The lists stay sorted as orders are added and change, so that the cost of a page does not grow with the number of orders.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Annotated, NamedTuple

from sortedcontainers import SortedList

from mockrelay.core.call import Encodable
from mockrelay.core.models import Order
from mockrelay.core.state import KeyedBy, State, cache_field, derived_field, saved_field
from mockrelay.spec.vocab import OrderStatus, Side

OPEN = frozenset({OrderStatus.PROCESSING, OrderStatus.WAITING, OrderStatus.CANCELLING})
"""Statuses in which an order holds frozen money."""

MAX_ORDER_ID = 2**32 - 1

FAILED = "failed"
"""The status under which orders that were released as failed are listed; `Order.status` is `cancelled`."""


def listed_status(order: Order) -> str:
    """The status that an order is listed under."""
    return FAILED if order.failed else order.status


ListKey = tuple[str, Side, str]
"""Market, side and `listed_status`: every order of an account is in exactly one such list."""


class OrderQuery(NamedTuple):
    """Which of an account's orders to show: filters (None: any), creation time (both bounds inclusive), paging."""

    account_id: int
    market: str | None
    side: Side | None
    statuses: frozenset[str] | None
    start_ms: int
    end_ms: int | None
    before_seq: int | None
    offset: int
    limit: int


class OrderPage(NamedTuple):
    """A page of an account's orders, newest first, and the number of orders on all pages."""

    total: int
    orders: list[Order]


class OrderIdSet(State):
    """A set of order ids. They are mostly consecutive, so 64 of them share a bit mask: a fraction of a set's memory."""

    _masks: dict[int, int] = derived_field(factory=dict)

    def __contains__(self, order_id: int) -> bool:
        return self._masks.get(order_id >> 6, 0) >> (order_id & 63) & 1 == 1

    def add(self, order_id: int) -> None:
        """Add an id."""
        chunk = order_id >> 6
        self._masks[chunk] = self._masks.get(chunk, 0) | 1 << (order_id & 63)

    def __iter__(self) -> Iterator[int]:
        return (chunk << 6 | bit for chunk, mask in self._masks.items() for bit in range(64) if mask >> bit & 1)


class OrderStore(State):
    """The orders of a world."""

    by_hash: Annotated[dict[str, Order], KeyedBy("hash")] = saved_field(factory=dict)
    highest_id: dict[tuple[int, int], int] = saved_field(factory=dict)
    """(account id, sold token id) -> the highest id used or reserved."""
    by_client_id: dict[int, dict[str, str]] = derived_field(factory=dict)
    """Account id -> clientOrderId -> hash of the newest order with it."""
    used_ids: dict[tuple[int, int], OrderIdSet] = derived_field(factory=dict)
    """(account id, sold token id) -> used order ids."""
    _hash_of_seq: list[str] = derived_field(factory=list)
    _times_ms: list[int] = derived_field(factory=list)
    _lists: dict[int, dict[ListKey, SortedList[int]]] = derived_field(factory=dict)
    pages: dict[OrderQuery, Encodable] = cache_field(factory=dict)
    """Answers, valid until an order is added or changes."""

    def __len__(self) -> int:
        return len(self._hash_of_seq)

    def next_id(self, account_id: int, token_id: int) -> int:
        """The order id after the highest one used or reserved; if there is none, the lowest free one."""
        next_id = self.highest_id.get((account_id, token_id), -1) + 1
        if next_id <= MAX_ORDER_ID:
            return next_id
        order_ids = self.used_ids.get((account_id, token_id), OrderIdSet())
        return next(candidate for candidate in range(MAX_ORDER_ID + 1) if candidate not in order_ids)

    def reserve_id(self, account_id: int, token_id: int, order_id: int) -> None:
        """Make `next_id` return ids above this one."""
        key = account_id, token_id
        self.highest_id[key] = max(self.highest_id.get(key, -1), order_id)

    def is_used(self, account_id: int, token_id: int, order_id: int) -> bool:
        """Whether an order of the account that sells this token has the id."""
        order_ids = self.used_ids.get((account_id, token_id))
        return order_ids is not None and order_id in order_ids

    def ids_of(self, account_id: int, token_id: int) -> Iterable[int]:
        """The ids of the account's orders that sell this token."""
        return self.used_ids.get((account_id, token_id), ())

    def add(self, order: Order) -> None:
        """Add an order; its seq must be the number of orders before it."""
        hash_, seq, account_id, order_id = order.hash, order.seq, order.account_id, order.order_id
        assert seq == len(self._hash_of_seq)
        self.by_hash[hash_] = order
        self._hash_of_seq.append(hash_)
        self._times_ms.append(order.created_at_ms)
        if order.client_order_id:
            self.by_client_id.setdefault(account_id, {})[order.client_order_id] = hash_
        key = account_id, order.sold_token
        order_ids = self.used_ids.get(key)
        if order_ids is None:
            order_ids = self.used_ids[key] = OrderIdSet()
        order_ids.add(order_id)
        if order_id > self.highest_id.get(key, -1):
            self.highest_id[key] = order_id
        self._list_of(order).add(seq)
        if self.pages:
            self.pages = {}

    def replace(self, before: Order, after: Order) -> None:
        """Replace an order that has changed its state or been filled."""
        self.by_hash[after.hash] = after
        if self.pages:
            self.pages = {}
        if before.status is not after.status or before.failed is not after.failed:
            self._list_of(before).remove(before.seq)
            self._list_of(after).add(after.seq)

    def page(self, query: OrderQuery) -> OrderPage:
        """The page of a query."""
        account_id, market, side, statuses, start_ms, end_ms, before_seq, offset, limit = query
        lists = [
            seqs
            for (of_market, of_side, status), seqs in self._lists.get(account_id, {}).items()
            if (market is None or of_market == market)
            and (side is None or of_side is side)
            and (statuses is None or status in statuses)
        ]
        first = bisect_left(self._times_ms, start_ms)
        last = len(self._times_ms) if end_ms is None else bisect_right(self._times_ms, end_ms)
        total = sum(max(seqs.bisect_left(last) - seqs.bisect_left(first), 0) for seqs in lists)
        if before_seq is not None:
            last = min(last, before_seq)
        newest_first = self._merged(lists, first, last)
        # A client's offset and limit may be any integers.
        first_shown = min(offset, total)
        shown = islice(newest_first, first_shown, min(first_shown + limit, total))
        return OrderPage(total, [self.by_hash[self._hash_of_seq[seq]] for seq in shown])

    @staticmethod
    def _merged(lists: Iterable[SortedList[int]], first: int, last: int) -> Iterator[int]:
        runs = [seqs.irange(first, last, inclusive=(True, False), reverse=True) for seqs in lists]
        return runs[0] if len(runs) == 1 else heapq.merge(*runs, reverse=True)

    def _list_of(self, order: Order) -> SortedList[int]:
        key = order.market, order.side, listed_status(order)
        lists = self._lists.get(order.account_id)
        if lists is None:
            lists = self._lists[order.account_id] = {}
        seqs = lists.get(key)
        if seqs is None:
            seqs = lists[key] = SortedList()
        return seqs


def statuses_of_filter(status: str, *, cancelling_alone: bool) -> frozenset[str]:
    """The statuses to list for a comma-separated `status` filter (choice `orders.filter_cancelling`)."""
    statuses = frozenset(status.split(","))
    if OrderStatus.CANCELLED in statuses and not cancelling_alone:
        return statuses | {OrderStatus.CANCELLING.value}
    return statuses
