"""The sections `lifecycles` and `blocks`: how long states last, and when blocks are sealed and become final."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from mockrelay.core.config import BlockRules, Lifecycle, Stage
from mockrelay.core.errors import InvalidInput
from mockrelay.scenario.section import Values, at, duration_in_ms
from mockrelay.spec.request_kinds import AT_ONCE, KINDS, AfterUnit, Duration, RequestKind
from mockrelay.spec.vocab import OrderStatus, RequestStatus

CANCEL = "cancel"
NO_RULE = "none"
"""Turns an interval or a size off that the extended scenario sets."""
DEFAULT_BLOCKS = BlockRules(
    seal_every_ms=10_000,
    seal_size=100,
    confirm=Duration(AfterUnit.TIME, 30_000),
    finalize=Duration(AfterUnit.TIME, 120_000),
)


class Lifecycles(NamedTuple):
    """The duration of states: of an order that is being cancelled, and of requests by kind."""

    cancel: Duration
    requests: Mapping[RequestKind, Lifecycle]


DEFAULT_LIFECYCLES = Lifecycles(
    AT_ONCE,
    MappingProxyType(
        {name: {state: Stage(duration) for state, duration in kind.durations.items()} for name, kind in KINDS.items()}
    ),
)


def build_lifecycles(values: Values) -> Lifecycles:
    """The section `lifecycles`; states that it leaves out last as long as by default."""
    cancel = DEFAULT_LIFECYCLES.cancel
    if OrderStatus.CANCELLING in values.get(CANCEL, ()):
        cancel = _duration(values[CANCEL][OrderStatus.CANCELLING]["after"])
    requests = dict(DEFAULT_LIFECYCLES.requests)
    for kind in RequestKind:
        if kind in values:
            with at(kind):
                requests[kind] = _lifecycle(values[kind], kind)
    return Lifecycles(cancel, requests)


def _lifecycle(values: Values, kind: RequestKind) -> Lifecycle:
    stages = {
        state: _stage(values[state], state) if state in values else Stage(duration)
        for state, duration in KINDS[kind].durations.items()
    }
    blocks = 0
    for state, stage in stages.items():
        is_sealed = blocks > 0
        blocks += stage.duration.amount if stage.duration.unit is AfterUnit.BLOCKS else 0
        # A request that waits for a block is in the next one, and what a sealed block holds cannot fail any more.
        if stage.fails and (is_sealed or blocks > 1):
            found = "a failure after the block that holds the request"
            raise InvalidInput((state, "then"), found, "one that comes with it or before")
    return stages


def _stage(values: Values, state: RequestStatus) -> Stage:
    if "after" not in values:
        # The schema cannot require it: a file may add `then` alone to the `after` of the scenario that it extends.
        raise InvalidInput((state, "after"), "no 'after'", "after, which is required here")
    return Stage(_duration(values["after"]), fails="then" in values)


def _duration(after: Any) -> Duration:
    if isinstance(after, dict):
        ((unit, amount),) = after.items()
        return Duration(AfterUnit(unit), amount)
    return Duration(AfterUnit.HAND, 0) if after == AfterUnit.HAND else Duration(AfterUnit.TIME, duration_in_ms(after))


def build_blocks(values: Values) -> BlockRules:
    """The section `blocks`; what it leaves out is as by default, but `seal` needs only one of interval and size."""
    rules = DEFAULT_BLOCKS
    if "seal" in values:
        every_ms, size = _seal(values["seal"])
        rules = rules._replace(seal_every_ms=every_ms, seal_size=size)
    if "confirm" in values:
        rules = rules._replace(confirm=_duration(values["confirm"]["after"]))
    if "finalize" in values:
        rules = rules._replace(finalize=_duration(values["finalize"]["after"]))
    return rules


def _seal(values: Values | str) -> tuple[int | None, int | None]:
    if isinstance(values, str):
        return None, None
    every, size = values.get("every", NO_RULE), values.get("size", NO_RULE)
    if every == size == NO_RULE:
        raise InvalidInput(("seal",), "neither an interval nor a size", "one of every, size, or hand")
    return None if every == NO_RULE else duration_in_ms(every), None if size == NO_RULE else size
