"""A scenario as a test gives it: a name, a file or a document, with limits of the test's own laid over it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mockrelay.core.errors import InvalidInput
from mockrelay.scenario.loader import load, load_document
from mockrelay.scenario.scenario import Scenario
from mockrelay.wire.violations import check


def load_with_limits(
    source: str | Path | Mapping[str, Any], limits: Mapping[str, int | str] | None, folder: Path
) -> Scenario:
    """The scenario of a packaged name, a file, or a document that may extend files in a folder. `limits`: those of endpoints,
    laid over its own. Raises ScenarioError.
    """
    if isinstance(source, Mapping):
        own = source.get("limits")
        with_limits = {"limits": {**(own if isinstance(own, Mapping) else {}), **limits}} if limits else {}
        return load_document({**source, **with_limits}, "own", folder)
    scenario = load(source)
    if not limits:
        return scenario
    base, beside = (f"./{source.name}", source.parent) if isinstance(source, Path) else (source, folder)
    return load_document({"extends": base, "limits": limits}, scenario.name, beside)


def checked_limits(values: Mapping[Any, Any]) -> Mapping[str, int | str]:
    """The limits of endpoints, as a scenario has them: None is `none`. Raises ValueError."""
    limits = {name: "none" if limit is None else limit for name, limit in values.items()}
    try:
        check("mockrelay:scenario.json#/properties/limits", limits)
    except InvalidInput as wrong:
        raise ValueError(f"{wrong.field}: found {wrong.found}; meant: {wrong.expected}") from None
    return limits
