"""The sections that say what happens by itself, and when: `lifecycles` and `blocks`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

from mockrelay.core.setting import BlockRules, Lifecycle, Stage
from mockrelay.core.units import duration_ms
from mockrelay.scenario.nodes import Node
from mockrelay.scenario.reading import Fields, by_name, duration, entries, name_in, whole
from mockrelay.spec.request_kinds import AT_ONCE, KINDS, AfterUnit, RequestKind, Stay
from mockrelay.spec.vocab import OrderStatus, RequestStatus

CANCEL = "cancel"
NO_RULE = "none"
"""An interval or a size that does not count, whatever the scenario says that is extended."""
DEFAULT_BLOCKS = BlockRules(
    seal_every_ms=10_000,
    seal_size=100,
    confirm=Stay(AfterUnit.TIME, 30_000),
    finalize=Stay(AfterUnit.TIME, 120_000),
)

_FORMS: Mapping[AfterUnit, str] = MappingProxyType(
    {
        AfterUnit.TIME: "a duration such as 15s (units ms, s, m, h, d)",
        AfterUnit.BLOCKS: "{blocks: n}",
        AfterUnit.POLLS: "{polls: n}",
        AfterUnit.HAND: "hand",
    }
)


class Lifecycles(NamedTuple):
    """How long each state lasts: of a cancel its one, of requests theirs by kind."""

    cancel: Stay
    requests: Mapping[RequestKind, Lifecycle]


DEFAULT_LIFECYCLES = Lifecycles(
    AT_ONCE,
    MappingProxyType(
        {name: {state: Stage(stay) for state, stay in kind.stays.items()} for name, kind in KINDS.items()}
    ),
)


def read_lifecycles(node: Node) -> Lifecycles:
    """The section `lifecycles`; states that it leaves out are as by default."""
    cancel = DEFAULT_LIFECYCLES.cancel
    requests = dict(DEFAULT_LIFECYCLES.requests)
    for name, given in by_name(node, (*KINDS, CANCEL), lambda kind: kind):
        if name == CANCEL:
            cancel = dict(by_name(given, (OrderStatus.CANCELLING,), _cancelling)).get(OrderStatus.CANCELLING, cancel)
        else:
            requests[RequestKind(name)] = _lifecycle(given, RequestKind(name))
    return Lifecycles(cancel, requests)


def _cancelling(node: Node) -> Stay:
    return Fields(node, ("after",)).need("after", stay_of(AfterUnit.TIME, AfterUnit.HAND))


def _lifecycle(node: Node, name: RequestKind) -> Lifecycle:
    kind = KINDS[name]
    given = dict(by_name(node, kind.stays, partial(_stage, units=kind.units)))
    stages = {state: given.get(state, Stage(stay)) for state, stay in kind.stays.items()}
    blocks = 0
    for state, stage in stages.items():
        is_sealed = blocks > 0
        blocks += stage.stay.amount if stage.stay.unit is AfterUnit.BLOCKS else 0
        # What waits is in the next block, and what a block holds stays as it is.
        if stage.fails and (is_sealed or blocks > 1):
            then = entries(entries(node)[state])["then"]
            raise then.error("a failure after the block that holds the request", "one that comes with it or before")
    return stages


def _stage(node: Node, units: tuple[AfterUnit, ...]) -> Stage:
    fields = Fields(node, ("after", "then"))
    then = fields.get("then", name_in((RequestStatus.FAILED,)), None)
    return Stage(fields.need("after", stay_of(*units)), fails=then is not None)


def stay_of(*units: AfterUnit) -> partial[Stay]:
    """A reader of `after` that takes these units."""
    return partial(_stay, units=units)


def _stay(node: Node, units: tuple[AfterUnit, ...]) -> Stay:
    value = node.value
    if value == AfterUnit.HAND and AfterUnit.HAND in units:
        return Stay(AfterUnit.HAND, 0)
    ms = duration_ms(value) if isinstance(value, str) else None
    if ms is not None:
        return Stay(AfterUnit.TIME, ms)
    if isinstance(value, dict) and len(value) == 1:
        ((name, count),) = value.items()
        if name in units and name in (AfterUnit.BLOCKS, AfterUnit.POLLS):
            return Stay(AfterUnit(name), whole(1)(count))
    found = f"a map of {' and '.join(map(repr, value)) or 'nothing'}" if isinstance(value, dict) else node.shown
    raise node.error(found, " or ".join(_FORMS[unit] for unit in units))


def read_blocks(node: Node) -> BlockRules:
    """The section `blocks`; what it leaves out is as by default, but of interval and size at `seal` one will do."""
    fields = Fields(node, ("seal", "confirm", "finalize"))
    default = DEFAULT_BLOCKS
    every_ms, size = fields.get("seal", _seal, (default.seal_every_ms, default.seal_size))
    return BlockRules(
        seal_every_ms=every_ms,
        seal_size=size,
        confirm=fields.get("confirm", _ripens, default.confirm),
        finalize=fields.get("finalize", _ripens, default.finalize),
    )


def _seal(node: Node) -> tuple[int | None, int | None]:
    if node.value == AfterUnit.HAND:
        return None, None
    if not isinstance(node.value, dict):
        raise node.error(node.shown, "hand, or a map of every and size")
    fields = Fields(node, ("every", "size"))
    rules = fields.get("every", _interval_ms, None), fields.get("size", _size, None)
    if rules == (None, None):
        raise node.error("neither an interval nor a size", "one of every, size, or hand")
    return rules


def _interval_ms(node: Node) -> int | None:
    if node.value == NO_RULE:
        return None
    ms = duration(node)
    if not ms:
        raise node.error(node.shown, "an interval above zero")
    return ms


def _size(node: Node) -> int | None:
    return None if node.value == NO_RULE else whole(1)(node)


def _ripens(node: Node) -> Stay:
    return Fields(node, ("after",)).need("after", stay_of(AfterUnit.TIME, AfterUnit.BLOCKS))
