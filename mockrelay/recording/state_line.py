"""The line `state` of a record: writes a relayer's whole state as JSON, and reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockrelay.clock import RATE_MAX, ClockState
from mockrelay.core.errors import CommandRefused
from mockrelay.recording.format import RecordError, Step, moment_of
from mockrelay.recording.snapshots import RelayState, Snapshot, Snapshots
from mockrelay.scenario import Scenario, load_text, text_of
from mockrelay.suggest import in_quotes

REQUESTS_MAX = 2**53 - 1


def state_fields(state: RelayState, head_scenario: Scenario) -> dict[str, Any]:
    """The fields of the line. A scenario's name and text are among them only where they differ from the head's."""
    texts: dict[int, tuple[str, str]] = {}
    snapshots = [
        {"snapshot": name, **_write(snapshot, head_scenario, texts)} for name, snapshot in state.snapshots.items()
    ]
    present = _write(state.present, head_scenario, texts)
    return {"requests": state.requests, **present, "snapshots": snapshots}


def read_state(step: Step, head_scenario: Scenario) -> RelayState:
    """The state that a line holds. Raises RecordError."""
    requests, listed = step.value.get("requests"), step.value.get("snapshots")
    if type(requests) is not int or not 0 <= requests <= REQUESTS_MAX:
        raise RecordError(step.line, f"requests = {in_quotes(requests, 60)}", f"a number from 0 to {REQUESTS_MAX}")
    present = _read(step, head_scenario)
    if not isinstance(listed, list):
        raise RecordError(step.line, f"snapshots = {in_quotes(listed, 60)}", "a list of snapshots")
    by_name: dict[str, Snapshot] = {}
    for value in listed:
        name = value.get("snapshot") if isinstance(value, dict) else None
        if not isinstance(name, str) or name in by_name:
            raise RecordError(step.line, f"the snapshot {in_quotes(name, 60)}", "a name that no other snapshot has")
        by_name[name] = _read(step._replace(value=value), head_scenario)
    try:
        return RelayState(present, requests, Snapshots(by_name).by_name())
    except CommandRefused as refused:
        raise RecordError(step.line, refused.error, refused.meant or "") from None


def plain_rate(rate: float) -> float:
    """A clock's rate as records write it: a whole number without a fraction, so that 0 and 0.0 are written alike."""
    return int(rate) if rate == int(rate) else rate


def _write(snapshot: Snapshot, head_scenario: Scenario, texts: dict[int, tuple[str, str]]) -> dict[str, Any]:
    from mockrelay.core.saving import save_world  # noqa: PLC0415  # few ever record

    world, clock, scenario = snapshot
    fields: dict[str, Any] = {"world": save_world(world), "now_ms": clock.now_ms, "rate": plain_rate(clock.rate)}
    if scenario is head_scenario:
        return fields
    for each in (scenario, head_scenario):
        if id(each) not in texts:
            texts[id(each)] = each.name, text_of(each)
    name, text = texts[id(scenario)]
    return fields if (name, text) == texts[id(head_scenario)] else {**fields, "name": name, "scenario": text}


def _read(step: Step, head_scenario: Scenario) -> Snapshot:
    from mockrelay.core.saving import restore_world  # noqa: PLC0415  # few ever restore

    value: Mapping[str, Any] = step.value
    now_ms, rate = moment_of(step), value.get("rate")
    if isinstance(rate, bool) or not isinstance(rate, (int, float)) or not 0 <= rate <= RATE_MAX:
        raise RecordError(step.line, f"rate = {in_quotes(rate, 60)}", f"a number from 0 to {RATE_MAX}")
    try:
        scenario = _scenario_of(step, head_scenario)
        world = restore_world(value.get("world"), scenario.config)
    except RecordError:
        raise
    except ValueError as error:
        raise RecordError(step.line, f"a world that cannot be read ({error})", "one as `dump` wrote it") from None
    return Snapshot(world, ClockState(now_ms, float(rate)), scenario)


def _scenario_of(step: Step, head_scenario: Scenario) -> Scenario:
    if "scenario" not in step.value and "name" not in step.value:
        return head_scenario
    text, name = step.value.get("scenario"), step.value.get("name")
    if isinstance(text, str) and isinstance(name, str):
        return load_text(text, name)
    raise RecordError(step.line, f"the scenario {in_quotes(name, 60)}", "its name and its text, or neither")
