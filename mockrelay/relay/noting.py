"""What a call leaves in the journal, and what a test should not pass over in silence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http import HTTPStatus

from mockrelay.core.context import Context
from mockrelay.core.faults import Fault, Faults
from mockrelay.core.wording import nearest
from mockrelay.journal import Journal, Trouble, TroubleKind
from mockrelay.journal.journal import Entry, new_entry
from mockrelay.journal.masking import masked, masked_target
from mockrelay.journal.verify import unlike_exactly
from mockrelay.relay.answering import Outcome
from mockrelay.spec.endpoints import METHODS_OF_PATH
from mockrelay.wire.decode import NoRoute
from mockrelay.wire.messages import RawRequest

_PATH_MAX = 200
_NEAREST_MAX = 3


def entry_of(seq: int, ctx: Context, raw: RawRequest, outcome: Outcome) -> Entry:
    """The call as the journal and the report take it."""
    response, endpoint, args, key, code, detail, _ = outcome
    return new_entry(
        (
            seq,
            ctx.now_ms,
            raw,
            response,
            endpoint,
            args,
            ctx.world.account_of_key.get(key) if key else None,
            code,
            detail,
            ctx.stage,
            ctx.consulted,
            ctx.happened,
            ctx.moves,
            ctx.fired,
            ctx.findings,
            ctx.cause,
        )
    )


def note_missed(journal: Journal, request_id: str, raw: RawRequest, missed: NoRoute) -> None:
    """A call that reached no endpoint is trouble, unless it was only too long."""
    if missed.status in (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED):
        meant = ", ".join(missed.allow) or nearest(raw.path[:_PATH_MAX], METHODS_OF_PATH)
        reason = f"{raw.method} {masked_target(raw.raw_target)} reached no endpoint: {missed.detail}"
        journal.trouble(TroubleKind.UNKNOWN_PATH, request_id, reason, meant)


def unfired(faults: Faults, journal: Journal) -> Iterator[Trouble]:
    """The faults that met no call. The scenario's own lie in wait for every test; one that a test arms is meant for that
    test.
    """
    for fault in faults:
        if fault.fired or fault.of_scenario:
            continue
        when = f" with {json.dumps(masked(dict(fault.when)))}" if fault.when else ""
        reason = f"the fault {fault.name or fault.id} on {fault.on}{when} never fired: {_met(fault, journal)}"
        yield Trouble(TroubleKind.UNFIRED_FAULT, None, reason, f"a call of {fault.on}{when}, or no fault")


def _met(fault: Fault, journal: Journal) -> str:
    """Which calls came instead of the one that a fault is for."""
    calls = journal.times(fault.on)
    if not calls:
        return "it was not called"
    came = f"{calls} {'call' if calls == 1 else 'calls'} of it came"
    if fault.met:
        return f"{came}, {fault.met} {'fits' if fault.met == 1 else 'fit'}, and nth is {fault.nth}"
    unlike = [(entry, tuple(unlike_exactly(fault.when, entry.args))) for entry in journal if entry.endpoint == fault.on]
    early = next((entry for entry, differences in unlike if not differences), None)
    if early is not None:
        return f"{came}; {early.id} has what it asks for, but came before it was armed or was answered ahead of it"
    nearest_first = sorted(unlike, key=lambda each: (len(each[1]), -each[0].seq))[:_NEAREST_MAX]
    told = [f"{entry.id}: {', '.join(each.told for each in differences)}" for entry, differences in nearest_first]
    return "; ".join([f"{came}, none fits", *told])
