"""Check of the balances of a saved world."""

from __future__ import annotations

from collections import Counter

from mockrelay.core.ledger import HOUSE_ID
from mockrelay.core.orders.store import OPEN
from mockrelay.core.requests.lifecycle import in_flight_legs
from mockrelay.core.saving.codec import require
from mockrelay.core.world import World


def check_money(world: World) -> None:
    """Check that no balance but the house's is negative, that frozen and in-flight amounts are those of open orders and
    requests, and that balances and fees add up to the deposits. Raises InvalidSavedState.
    """
    frozen: Counter[tuple[int, int]] = Counter()
    for order in world.orders.by_hash.values():
        if order.status in OPEN and order.account_id != HOUSE_ID:
            frozen[order.account_id, order.sold_token] += order.remaining_frozen_wei
    in_flight: Counter[tuple[int, int]] = Counter()
    for request in world.requests.values():
        for token_id, wei in in_flight_legs(request):
            in_flight[request.account_id, token_id] += wei
    ledger = world.ledger
    total: Counter[int] = Counter(ledger.fees_wei)
    for key in {**ledger.balances, **frozen, **in_flight}:
        where, balance = f".ledger.balances{list(key)}", ledger.balance(*key)
        require(
            balance.free_wei >= 0 or key[0] == HOUSE_ID,
            f"{where}.free_wei",
            balance.free_wei,
            "no debt but the house's",
        )
        require(
            balance.frozen_wei == frozen[key],
            f"{where}.frozen_wei",
            balance.frozen_wei,
            f"{frozen[key]!s:.80} for open orders",
        )
        meant = f"{in_flight[key]!s:.80} for open requests"
        require(balance.in_flight_wei == in_flight[key], f"{where}.in_flight_wei", balance.in_flight_wei, meant)
        total[key[1]] += sum(balance)
    for token_id in total.keys() | ledger.deposited_wei.keys():
        deposited_wei = ledger.deposited_wei.get(token_id, 0)
        meant = f"{total[token_id]!s:.80}, which balances and fees add up to"
        require(deposited_wei == total[token_id], f".ledger.deposited_wei[{token_id}]", deposited_wei, meant)
