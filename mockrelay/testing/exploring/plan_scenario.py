"""Plans as scenarios: the text that a relayer starts from, and the file that repeats a failure."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from mockrelay.scenario import flat_text, load, scenario_text, shipped, text_of
from mockrelay.scenario.exchange import NONE
from mockrelay.scenario.scenario import Scenario
from mockrelay.spec.choices import BY_KEY
from mockrelay.testing.exploring.deviations import Plan, listed

_WIDTH = 118


def _is_equal(one: Scenario, other: Scenario) -> bool:
    """Whether two scenarios are equal in content; the pytest plugin's are of a subclass."""
    return all(getattr(one, part.name) == getattr(other, part.name) for part in fields(Scenario) if part.compare)


def _extended(name: str, base: Scenario, scenario: Scenario) -> dict[str, Any] | None:
    """The sections of a scenario that extends another one and is equal to `scenario`, where it differs in its profile and its
    limits at most; None: it differs in more.
    """
    sections: dict[str, Any] = {"extends": name}
    profile, limits = scenario.config.profile.name, scenario.config.limits
    if profile != base.config.profile.name:
        sections["profile"], base = profile, base.with_profile(profile)
    if limits != base.config.limits:
        sections["limits"] = {name: NONE if limit is None else limit for name, limit in limits.items()}
        base = base.with_limits(sections["limits"])
    return sections if _is_equal(base, scenario) else None


class BaseScenario:
    """The scenario that a test is explored from."""

    def __init__(self, scenario: Scenario, choices: Mapping[str, str], file: Path | None = None) -> None:
        self.choices = dict(choices)
        """Options that the test and the run set beside the scenario's own."""
        self.file = file
        self._scenario = scenario
        self._own = _own_decisions(scenario, self.choices)
        extended = _extended(scenario.name, load(scenario.name), scenario) if scenario.name in shipped() else None
        self._head: dict[str, Any] = {"format": 1, "name": scenario.name, **(extended or {})}
        self._flat: dict[str, Any] | None = flat_text(text_of(scenario)) if extended is None else None

    def sentence(self, plan: Plan) -> str:
        """When the test fails, as a sentence about a run under a plan that did."""
        if plan.deviations:
            return f"fails when {plan.phrase}"
        if self._own:
            return f"fails with nothing drawn; {listed(self._own)} {'is' if len(self._own) == 1 else 'are'} set for it"
        return "fails with every decision at its default"

    def text(self, plan: Plan) -> str:
        """The scenario of a plan, as a text that any relayer takes."""
        return scenario_text(self._document(plan, self._head, self._flat))

    def write(self, plan: Plan, path: Path) -> None:
        """Write the scenario of a plan into a file, which extends the test's own scenario where it can."""
        head, flat = {**self._head, "name": path.stem}, self._flat
        if self.file is not None and self.file.parent.resolve() == path.parent.resolve():
            extended = _extended(self.file.name, load(self.file), self._scenario)
            if extended is not None:
                head, flat = {"format": 1, "name": path.stem, **extended}, None
        lines = textwrap.wrap(f"Found by explore: {path.stem} {self.sentence(plan)}.", _WIDTH, break_on_hyphens=False)
        path.parent.mkdir(parents=True, exist_ok=True)
        comment = "".join(f"# {line}\n" for line in lines)
        path.write_text(comment + scenario_text(self._document(plan, head, flat)), encoding="utf-8")

    def _document(self, plan: Plan, head: Mapping[str, Any], flat: Mapping[str, Any] | None) -> dict[str, Any]:
        own = plan.sections
        document = dict(head) | {key: value for key, value in (flat or {}).items() if key not in head}
        choices = {**document.get("choices", {}), **self.choices, **own.get("choices", {})}
        document |= {"choices": choices} if choices else {}
        if "lifecycles" in own:
            document["lifecycles"] = {**document.get("lifecycles", {}), **own["lifecycles"]}
        for name in ("faults", "decisions"):
            if name in own:
                document[name] = [*document.get(name, ()), *own[name]]
        return document


def _own_decisions(scenario: Scenario, choices: Mapping[str, str]) -> list[str]:
    """What a scenario and a test set to something else than the default, in words."""
    options = {**scenario.choices, **choices}
    found = [f"`{key}={option}`" for key, option in sorted(options.items()) if option != BY_KEY[key].default]
    ours, default = (flat_text(text_of(one)) for one in (scenario, load("default")))
    return found + [f"the scenario's `{name}`" for name in _DECIDING if ours.get(name) != default.get(name)]


_DECIDING = ("lifecycles", "faults", "decisions", "timeline")
"""The sections of a scenario, beside its choices, that decide what the spec leaves open."""
