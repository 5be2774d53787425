"""The views of a relayer's present state, its dump, and the loading of a record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from mockrelay.control.fields import Fields
from mockrelay.control.views import account_state, fault_view, request_state_view, world_view
from mockrelay.core.commands.base import account_ref
from mockrelay.core.commands.lookup import account_of
from mockrelay.core.commands.orders import order_by_hash, order_state_view
from mockrelay.core.commands.requests import request_by_hash
from mockrelay.core.commands.settings import no_fault
from mockrelay.core.errors import BAD, CommandRefused
from mockrelay.journal.secrets import known_secrets
from mockrelay.relay import Relay
from mockrelay.relay.commands import clock_view, health
from mockrelay.wire.http import Response

Words = tuple[str, ...]

LINES = ("Content-Type", "application/jsonl")


class LoadedRecord(Protocol):
    """The result of loading a record."""

    @property
    def calls(self) -> int:
        """The number of calls in it."""


Load = Callable[[Any, bytes], LoadedRecord]
"""Restores a relay (first argument) from a record; ValueError, with nothing changed, where it cannot be read."""


def show_health(relay: Relay, fields: Fields, words: Words) -> Any:
    """The relayer's status, version, scenario and time."""
    return health(relay)


def show_state(relay: Relay, fields: Fields, words: Words) -> Any:
    """The whole world."""
    with relay.locked_context() as ctx:
        return world_view(ctx)


def show_clock(relay: Relay, fields: Fields, words: Words) -> Any:
    """The relayer's time and the rate of its clock."""
    return clock_view(relay)


def show_choices(relay: Relay, fields: Fields, words: Words) -> Any:
    """Every choice with its present option."""
    with relay.locked_context() as ctx:
        return dict(ctx.world.choices)


def show_faults(relay: Relay, fields: Fields, words: Words) -> Any:
    """All faults that are armed or have fired."""
    with relay.locked_context() as ctx:
        return [fault_view(fault) for fault in ctx.world.faults]


def show_fault(relay: Relay, fields: Fields, words: Words) -> Any:
    """One fault."""
    with relay.locked_context() as ctx:
        for fault in ctx.world.faults:
            if fault.id == words[0]:
                return fault_view(fault)
    raise no_fault(words[0])


def show_order(relay: Relay, fields: Fields, words: Words) -> Any:
    """One order."""
    with relay.locked_context() as ctx:
        return order_state_view(ctx, order_by_hash(ctx, words[0]))


def show_accounts(relay: Relay, fields: Fields, words: Words) -> Any:
    """All accounts, with keys and balances."""
    with relay.locked_context() as ctx:
        return [account_state(ctx, account) for account in ctx.world.accounts.values()]


def show_account(relay: Relay, fields: Fields, words: Words) -> Any:
    """One account."""
    with relay.locked_context() as ctx:
        return account_state(ctx, account_of(ctx, account_ref(words[0])))


def show_submission(relay: Relay, fields: Fields, words: Words) -> Any:
    """One submitted request."""
    with relay.locked_context() as ctx:
        return request_state_view(request_by_hash(ctx, words[0]))


def show_snapshots(relay: Relay, fields: Fields, words: Words) -> Any:
    """All snapshots, oldest first."""
    return relay.snapshot_views()


def show_sockets(relay: Relay, fields: Fields, words: Words) -> Any:
    """All WebSockets, those that have ended first."""
    messages = fields.integer("messages", least=0) if "messages" in fields else 0
    with relay.locked_context():
        secrets = known_secrets(relay.world, relay.journal)
        return [secrets.mask(session.view(messages)) for session in relay.sessions]


def dump(relay: Relay, fields: Fields, words: Words) -> Response:
    """The relayer's whole state, snapshots included, as a record."""
    return Response(200, (LINES,), relay.dump())


def load_record(relay: Relay, record: bytes, load: Load | None) -> Any:
    """Replace the relayer's whole state, snapshots included, by the state at the end of a record."""
    if load is None:
        raise CommandRefused(BAD, "nothing here carries records out", "load", "`mockrelay.replay.load_into`")
    try:
        loaded = load(relay, record)
    except ValueError as error:
        meant = "a record, as `GET dump` or `serve --record` wrote it"
        if record.strip() and b"\n" not in record:
            meant += ", with its line feeds (`curl --data` takes them out, `curl --data-binary @FILE` does not)"
        raise CommandRefused(BAD, str(error), "body", meant) from None
    names = [snapshot["name"] for snapshot in relay.snapshot_views()]
    return {"calls": loaded.calls, "now_ms": relay.now_ms(), "scenario": relay.scenario_name, "snapshots": names}
