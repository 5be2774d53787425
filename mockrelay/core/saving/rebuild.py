"""Rebuild the parts of a world from their saved fields. InvalidSavedState if the fields of a part contradict each other."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from mockrelay.core.config import Config
from mockrelay.core.events import Event, EventQueue
from mockrelay.core.faults import Fault, Faults
from mockrelay.core.limiter import Limiter
from mockrelay.core.models import Order, Trade
from mockrelay.core.orders.store import MAX_ORDER_ID, OrderStore
from mockrelay.core.orders.trades import TradeLog
from mockrelay.core.requests.log import RequestLog
from mockrelay.core.saving.codec import InvalidSavedState, read_at
from mockrelay.core.world import FINDINGS_KEPT, Finding, World
from mockrelay.spec.choices import BY_KEY
from mockrelay.spec.request_kinds import KINDS, Effect
from mockrelay.suggest import in_quotes

Values = Mapping[str, Any]
"""Values as read, by field name."""

_REQUEST_ID = re.compile("r[1-9][0-9]{0,20}", re.ASCII)
_FAULT_ID = re.compile("f([1-9][0-9]{0,20})", re.ASCII)


def rebuild_orders(values: Values) -> OrderStore:
    """The orders, added in the order of their creation, which rebuilds all indexes."""
    store = OrderStore()
    orders: list[Order] = list(values["by_hash"].values())
    for seq, order in enumerate(orders):
        where = f".by_hash[{seq}]"
        if order.seq != seq:
            raise InvalidSavedState(f"{where}.seq", str(order.seq), f"{seq}, its place in the list")
        if order.order_id > MAX_ORDER_ID or store.is_used(order.account_id, order.sold_token, order.order_id):
            meant = f"an id up to {MAX_ORDER_ID} that no other order has"
            raise InvalidSavedState(f"{where}.order_id", str(order.order_id), meant)
        if seq and order.created_at_ms < orders[seq - 1].created_at_ms:
            raise InvalidSavedState(f"{where}.created_at_ms", str(order.created_at_ms), "a moment not before the last")
        store.add(order)
    highest_id: dict[tuple[int, int], int] = values["highest_id"]
    for key, order_id in store.highest_id.items():
        if highest_id.get(key, -1) < order_id:
            raise InvalidSavedState(".highest_id", f"{highest_id.get(key)} for {key}", f"{order_id} or more")
    store.highest_id = highest_id
    return store


def rebuild_trade_log(values: Values) -> TradeLog:
    """A trade log; candles and windows are computed when they are read."""
    trades: list[Trade] = values["trades"]
    for index in range(1, len(trades)):
        if trades[index].at_ms < trades[index - 1].at_ms:
            raise InvalidSavedState(f".trades[{index}].at_ms", str(trades[index].at_ms), "a moment not before the last")
    return TradeLog(**values)


def rebuild_request_log(values: Values) -> RequestLog:
    """The request log, with the rows of each account."""
    log, rows = RequestLog(), values["rows"]
    for index, row in enumerate(rows):
        if index and row.at_ms < rows[index - 1].at_ms:
            raise InvalidSavedState(f".rows[{index}].at_ms", str(row.at_ms), "a moment not before the last")
        if not row.account_ids:
            raise InvalidSavedState(f".rows[{index}].account_ids", "nobody", "an account")
        log.add(row)
    return log


def rebuild_events(values: Values) -> EventQueue:
    """An event queue; a sorted list is a heap."""
    events: list[Event] = values["_heap"]
    seqs = {event.seq for event in events}
    if len(seqs) != len(events):
        raise InvalidSavedState(".heap", "two events of one seq", "a seq of its own for each")
    if values["_next_seq"] <= max(seqs, default=-1):
        raise InvalidSavedState(".next_seq", str(values["_next_seq"]), "more than every event's seq")
    if events != sorted(events):
        raise InvalidSavedState(".heap", "an event out of order", "the earliest first")
    return EventQueue(**values)


def rebuild_limiter(values: Values) -> Limiter:
    """The limiter, with the right numbers for each kind of window."""
    words = BY_KEY["rate.window"].options
    counts: tuple[int, ...]
    for (_, _, window), counts in values["_windows"].items():
        if window not in words:
            raise InvalidSavedState(".windows", f"{in_quotes(window, 80)}", f"one of {', '.join(words)}")
        if len(counts) < 2 or (len(counts) > 2 and window != "sliding"):
            raise InvalidSavedState(".windows", f"{len(counts)} numbers", f"those of the window {in_quotes(window)}")
    return Limiter(**values)


def rebuild_faults(values: Values) -> Faults:
    """The faults, with consistent ids and counters."""
    faults: list[Fault] = list(values["by_id"].values())
    for index, fault in enumerate(faults):
        number = _FAULT_ID.fullmatch(fault.id)
        if number is None or int(number[1]) >= values["_next_number"]:
            raise InvalidSavedState(
                f".by_id[{index}].id", f"{in_quotes(fault.id, 80)}", "f and a number below next_number"
            )
        if fault.fired > min(fault.met, fault.match.times):
            raise InvalidSavedState(f".by_id[{index}].fired", str(fault.fired), "no more than met and times")
    return Faults(**values)


def rebuild_findings(listed: list[Finding]) -> deque[Finding]:
    """The findings, at most FINDINGS_KEPT."""
    if len(listed) > FINDINGS_KEPT:
        raise InvalidSavedState("", f"{len(listed)} findings", f"at most {FINDINGS_KEPT}")
    for index, finding in enumerate(listed):
        if finding.request is not None and _REQUEST_ID.fullmatch(finding.request) is None:
            raise InvalidSavedState(
                f"[{index}].request", f"{in_quotes(finding.request, 80)}", "r and a number, such as r17, or null"
            )
    return deque(listed, maxlen=FINDINGS_KEPT)


def rebuild_world(values: Values, config: Config) -> World:
    """A world of its saved fields, with its indexes rebuilt. References between records are not checked here."""
    findings = read_at(".findings", rebuild_findings, values["findings"])
    world = World(config=config, **{**values, "findings": findings})
    for account in list(world.accounts.values()):
        world.add_account(account)
    for nft in world.nfts.values():
        key = nft.minter_id, nft.token_address.lower(), nft.nft_id
        world.nfts_of.setdefault(key, []).append(nft.nft_data)
    for used in list(world.storage_ids):
        world.use_storage_id(*used)
    for request in world.requests.values():
        if KINDS[request.kind].effect is Effect.DEPLOY:
            world.deployments.setdefault(request.to_address, []).append(request.hash)
    return world


REBUILDERS: Mapping[type, Callable[[Values], Any]] = MappingProxyType(
    {
        OrderStore: rebuild_orders,
        TradeLog: rebuild_trade_log,
        RequestLog: rebuild_request_log,
        EventQueue: rebuild_events,
        Limiter: rebuild_limiter,
        Faults: rebuild_faults,
    }
)
"""Classes whose saved fields need a check or rebuild others. The other classes take the values as they are."""
