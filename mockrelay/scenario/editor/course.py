"""JSON Schemas of what happens by itself: lifecycles of requests, and blocks."""

from __future__ import annotations

from collections.abc import Mapping

from mockrelay.scenario.editor.forms import Said, Schema, either, fields, or_none, shared, stay, whole
from mockrelay.scenario.lifecycles import CANCEL
from mockrelay.spec.request_kinds import KINDS, AfterUnit
from mockrelay.spec.vocab import OrderStatus, RequestStatus


def lifecycles() -> Schema:
    """How long states last, by kind of request."""
    told: dict[str, Said] = {}
    for name, kind in KINDS.items():
        stage = _stage(
            {
                "after": ("What it waits for.", stay(kind.units)),
                "then": ("It fails there.", {"const": RequestStatus.FAILED.value}),
            }
        )
        states = {state.value: (f"How long it is {state.value}.", stage) for state in kind.stays}
        told[name.value] = f"Requests of the kind {name.value}.", fields(states, states)
    cancelling = _stage({"after": ("What it waits for.", stay((AfterUnit.TIME, AfterUnit.HAND)))})
    state = {OrderStatus.CANCELLING.value: ("How long an order is cancelling.", cancelling)}
    told[CANCEL] = "Cancelled orders.", fields(state, state)
    return fields((*KINDS, CANCEL), told)


def _stage(said: Mapping[str, Said]) -> Schema:
    return fields(said, said)


def blocks() -> Schema:
    """When blocks are sealed, confirmed and finalized."""
    rules: Mapping[str, Said] = {
        "every": ("The interval; none: not by time.", or_none(shared("interval"))),
        "size": ("So many transactions; none: however many.", or_none(whole(1))),
    }
    ripe = _stage({"after": ("What it waits for.", stay((AfterUnit.TIME, AfterUnit.BLOCKS)))})
    said: Mapping[str, Said] = {
        "seal": ("By time, by size, or by hand.", either({"const": AfterUnit.HAND.value}, fields(rules, rules))),
        "confirm": ("From sealed to confirmed.", ripe),
        "finalize": ("From confirmed to finalized.", ripe),
    }
    return fields(said, said)
