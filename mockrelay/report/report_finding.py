"""A finding as a report shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, Self, TypeAlias

from mockrelay.core.context import CALL
from mockrelay.spec.lint_rules import LEVELS, Rule

AddFinding: TypeAlias = Callable[[Rule, str], None]
"""Adds a finding, by its rule and detail, to the call that is being checked."""


class ReportFinding(NamedTuple):
    """A finding with its rule and the call that it is about. It holds no secret."""

    rule: Rule
    detail: str
    request: str | None
    """The id of the call, such as `r17`; None: it is not about a call."""
    source: str = CALL
    """What brought it about: `call`, `command NAME`, `timeline entry N`, `event`."""
    asked: str = ""
    """Method and target of the call, such as `POST /api/v3/order`; empty where it is not about a call."""
    world: str = ""
    """The relayer under `/w/NAME/` that it comes from; empty: the main one."""

    @property
    def call(self) -> str:
        """Method and path of the call, without the query."""
        return self.asked.partition("?")[0].partition("#")[0]

    @property
    def place(self) -> str:
        """The call that the finding is about, in words; where it is not about a call, its source."""
        asked = self.asked if self.source == CALL else self.source
        if self.world:
            asked = f"{asked} (world {self.world})".lstrip()
        return " ".join(part for part in (self.request, asked) if part)

    def of_world(self, world: str) -> Self:
        """The finding as one of a world, unless it has one already. A target within a world starts with `/w/NAME`."""
        if self.world or not world:
            return self
        return self._replace(world=world, asked=self.asked.replace(f" /w/{world}/", " /", 1))


def heaviest_first(findings: Iterable[ReportFinding]) -> list[ReportFinding]:
    """The findings sorted by level, stable within a level. A level that is not in `LEVELS` comes last."""
    weights = {level: index for index, level in enumerate(LEVELS)}
    return sorted(findings, key=lambda finding: weights.get(finding.rule.level, len(weights)))


def by_rule(findings: Iterable[ReportFinding]) -> dict[str, list[ReportFinding]]:
    """The findings by the id of their rule, the heaviest rule first."""
    groups: dict[str, list[ReportFinding]] = {}
    for finding in heaviest_first(findings):
        groups.setdefault(finding.rule.id, []).append(finding)
    return groups
