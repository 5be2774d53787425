"""Invariants of every world: money is conserved, no balance is negative, and no state or counter goes back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from mockrelay.core.ledger import HOUSE_ID
from mockrelay.core.models import Order
from mockrelay.core.world import World
from mockrelay.spec.request_kinds import KINDS, Effect
from mockrelay.spec.transitions import BLOCK, ORDER, REQUEST
from mockrelay.spec.vocab import RequestStatus


def check_money(world: World, put_in_wei: Mapping[int, int]) -> None:
    """Assert that free, frozen, in-flight and fee amounts of each token add up to what was put in, and that only the house
    has negative balances.
    """
    total: Counter[int] = Counter(world.ledger.fees_wei)
    for (account_id, token_id), held in world.ledger.balances.items():
        total[token_id] += sum(held)
        assert account_id == HOUSE_ID or min(held) >= 0, f"account {account_id} has {held} of token {token_id}"
    for token_id in world.config.tokens:
        put_in = put_in_wei.get(token_id, 0)
        assert total[token_id] == put_in, f"token {token_id}: {total[token_id]} in all, and {put_in} was put in"


def withdrawn_wei(world: World) -> Counter[int]:
    """The amounts withdrawn to layer 1, by token id."""
    withdrawn: Counter[int] = Counter()
    for request in world.requests.values():
        if KINDS[request.kind].effect is Effect.LEAVE and request.status is RequestStatus.PROCESSED:
            withdrawn[request.token_id] += request.amount_wei
    return withdrawn


def check_order(order: Order) -> None:
    """Assert that an order sold no more than it may, and that its deciding leg is not filled beyond its amount."""
    assert 0 <= order.sold_wei <= order.amount_sold_wei, f"{order.hash} has sold {order.sold_wei}"
    filled, size = (
        (order.filled_base_wei, order.size_base_wei)
        if order.ends_on_base
        else (order.filled_quote_wei, order.volume_quote_wei)
    )
    assert filled <= size, f"{order.hash} is filled with {filled} of {size}"


class Progress(NamedTuple):
    """States and counters that only ever move forward."""

    states: Mapping[tuple[str, str], str]
    """The states of orders, requests and blocks."""
    numbers: Mapping[tuple[str, object], int]
    """Versions, ids, nonces and counts."""


def progress_of(world: World) -> Progress:
    """The progress of a world."""
    states = {("order", order.hash): str(order.status) for order in world.orders.by_hash.values()}
    states |= {("request", request.hash): str(request.status) for request in world.requests.values()}
    states |= {("block", str(block.block_id)): str(block.status) for block in world.blocks}
    numbers: dict[tuple[str, object], int] = {("blocks", ""): len(world.blocks), ("transaction", ""): world.next_tx_id}
    numbers |= {("version", name): book.version for name, book in world.books.items()}
    numbers |= {("order id", key): highest for key, highest in world.orders.highest_id.items()}
    numbers |= {("nonce", one.account_id): one.account_nonce for one in world.accounts.values()}
    return Progress(states, numbers)


def check_progress(before: Progress, after: Progress) -> None:
    """Assert that states moved by the transition tables only, and that no version, id or nonce fell."""
    for (what, name), was in before.states.items():
        now = after.states.get((what, name))
        assert now is not None, f"{what} {name} is gone"
        assert now == was or now in _REACHABLE[what][was], f"{what} {name} went from {was} to {now}"
    for key, number in before.numbers.items():
        assert after.numbers[key] >= number, f"{key[0]} {key[1]} fell from {number} to {after.numbers[key]}"


def _reachable(table: Mapping[Any, Any]) -> dict[str, frozenset[str]]:
    """For each state all states that can follow, in any number of moves."""
    found = {str(state): {str(to) for (start, _), to in table.items() if start == state} for state, _ in table}
    for _ in found:
        for states in found.values():
            states.update(*(found.get(state, ()) for state in tuple(states)))
    ends = {str(to): frozenset[str]() for to in table.values()}
    return ends | {state: frozenset(states) for state, states in found.items()}


_REACHABLE: Mapping[str, Mapping[str, frozenset[str]]] = {
    "order": _reachable(ORDER),
    "request": _reachable(REQUEST),
    "block": _reachable(BLOCK),
}
