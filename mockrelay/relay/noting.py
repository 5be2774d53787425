"""What a call leaves in the journal, and what a test should not pass over in silence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from mockrelay.core.context import Context
from mockrelay.core.faults import Faults
from mockrelay.core.wording import nearest
from mockrelay.journal import Journal, Trouble, TroubleKind
from mockrelay.relay.answering import Outcome
from mockrelay.spec.endpoints import METHODS_OF_PATH
from mockrelay.wire.decode import NoRoute
from mockrelay.wire.messages import RawRequest

_PATH_MAX = 200


def fields_of(seq: int, ctx: Context, raw: RawRequest, outcome: Outcome) -> tuple[Any, ...]:
    """The call as the journal takes it: the fields of an `Entry`."""
    response, endpoint, args, key, code, detail, _ = outcome
    return (
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
    )


def note_missed(journal: Journal, request_id: str, raw: RawRequest, missed: NoRoute) -> None:
    """A call that reached no endpoint is trouble, unless it was only too long."""
    if missed.status in (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED):
        meant = ", ".join(missed.allow) or nearest(raw.path[:_PATH_MAX], METHODS_OF_PATH)
        reason = f"{raw.method} {raw.raw_target} reached no endpoint: {missed.detail}"
        journal.trouble(TroubleKind.UNKNOWN_PATH, request_id, reason, meant)


def unfired(faults: Faults, own: int, journal: Journal) -> Iterator[Trouble]:
    """The faults that met no call. The scenario's own, the first `own` of them, lie in wait for every test; one that a
    test arms is meant for that test.
    """
    of_scenario = {f"f{number}" for number in range(1, own + 1)}
    for fault in faults:
        if fault.fired or fault.id in of_scenario:
            continue
        calls = journal.times(fault.on)
        met = f"{calls} calls of it came" if calls else "it was not called"
        when = f" with {json.dumps(dict(fault.when))}" if fault.when else ""
        reason = f"the fault {fault.name or fault.id} on {fault.on}{when} never fired: {met}, {fault.met} fit"
        yield Trouble(TroubleKind.UNFIRED_FAULT, None, reason, f"a call of {fault.on}{when}, or no fault")
