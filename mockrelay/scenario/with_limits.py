"""A scenario as a test gives it: a name, a file or a document, with limits of the test's own laid over it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mockrelay.core.errors import InvalidInput
from mockrelay.scenario.loader import load, load_document
from mockrelay.scenario.scenario import Scenario
from mockrelay.scenario.yaml import ScenarioError
from mockrelay.wire.violations import check


def load_with_limits(
    source: str | Path | Mapping[str, Any],
    limits: Mapping[str, int | str] | None,
    folder: Path,
    profile: str | None = None,
) -> Scenario:
    """The scenario of a packaged name, a file, or a document that may extend files in a folder, in a profile (None: its own).
    `limits`: those of endpoints, laid over its own. Raises ScenarioError.
    """
    scenario = load_document(source, "own", folder) if isinstance(source, Mapping) else load(source)
    scenario = scenario.with_profile(profile)
    if not limits:
        return scenario
    try:
        return scenario.with_limits(limits)
    except InvalidInput as wrong:
        raise ScenarioError(wrong.field, 0, 0, wrong.found, wrong.expected) from None


def checked_limits(values: Mapping[Any, Any]) -> Mapping[str, int | str]:
    """The limits of endpoints, as a scenario has them: None is `none`. Raises ValueError."""
    limits = {name: "none" if limit is None else limit for name, limit in values.items()}
    try:
        check("mockrelay:scenario.json#/properties/limits", limits)
    except InvalidInput as wrong:
        raise ValueError(f"{wrong.field}: found {wrong.found}; meant: {wrong.expected}") from None
    return limits
