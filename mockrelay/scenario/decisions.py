"""The section `decisions`: what is decided a single time, other than the choices of the scenario say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mockrelay.core.config import Decisions
from mockrelay.scenario.building import Values, once


def build_decisions(listed: Sequence[Values]) -> Decisions:
    """Outcomes by the decision's key and by the number of times that it has been met with that."""
    names = (((index, "nth"), f"{values['nth']} of {values['key']}") for index, values in enumerate(listed))
    once("nth", names)
    decisions: dict[str, dict[int, Any]] = {}
    for values in listed:
        decisions.setdefault(values["key"], {})[values["nth"]] = values["value"]
    return decisions
