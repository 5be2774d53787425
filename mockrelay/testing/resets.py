"""What a handle's `reset` takes, as a control call."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mockrelay.client.control import ControlError
from mockrelay.scenario import Scenario, ScenarioError, is_path, load, load_text, load_with_limits, text_of


def reset_fields(start: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a reset in JSON. A scenario that is a document or a file becomes its text, since a server elsewhere may
    read no files. Raises ControlError for one that cannot be read.
    """
    # `scenarioText`, the control API's name, is the old one, for one release.
    fields = {"scenarioText" if name == "scenario_text" else name: value for name, value in start.items()}
    source, limits = fields.get("scenario"), fields.get("limits")
    if isinstance(limits, Mapping):
        fields["limits"] = {name: "none" if limit is None else limit for name, limit in limits.items()}
    if isinstance(source, (Mapping, Path)) or (isinstance(source, str) and is_path(source)):
        if "scenarioText" in fields:
            raise ControlError(400, "scenario: found beside scenario_text", "scenario", "one of the two")
        try:
            fields["scenarioText"] = text_of(load_with_limits(source, None, Path()))
        except ScenarioError as wrong:
            raise ControlError(400, f"{wrong.place}: found {wrong.found}", "scenario", wrong.meant) from None
        del fields["scenario"]
    return fields


def with_own(fields: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a reset, and those that a relayer has by itself: its own scenario only where they have none."""
    names = {"scenario", "scenarioText"}
    return {name: value for name, value in own.items() if name not in names or not names & fields.keys()} | dict(fields)


def scenario_of(fields: Mapping[str, Any]) -> Scenario | None:
    """The scenario that the fields of a reset have; None: none, or one that the reset is refused for."""
    name, text = fields.get("scenario"), fields.get("scenarioText")
    try:
        if isinstance(text, str):
            return load_text(text)
        return load(name) if isinstance(name, str) else None
    except ScenarioError:
        return None
