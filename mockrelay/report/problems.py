"""The problems that a relayer has had, from its first start to the present moment: what `GET problems` shows of one start."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, Self

from mockrelay.journal import Problem, ProblemKind
from mockrelay.report.formats.characters import text
from mockrelay.report.report_finding import ReportFinding
from mockrelay.spec.lint_rules import PROBLEM_RULES

STORED_PER_KIND_MAX = 100
"""The number of problems that are stored of a kind, the first ones. All are counted."""
_NO_CALL = "problem"


class ReportProblem(NamedTuple):
    """A problem in a report. It holds no secret."""

    kind: ProblemKind
    request: str | None
    """The id of the call, such as `r17`; None: it is not about a call."""
    reason: str
    meant: str
    world: str = ""
    """The relayer under `/w/NAME/` that it comes from; empty: the main one."""

    def view(self) -> dict[str, Any]:
        """Its JSON form."""
        return {
            "kind": self.kind.value,
            "request": self.request,
            "reason": text(self.reason),
            "meant": text(self.meant),
            "world": self.world,
        }

    def as_finding(self) -> ReportFinding:
        """The problem in the form of a finding, for formats that list both alike."""
        detail = f"{self.reason}; meant: {self.meant}" if self.meant else self.reason
        return ReportFinding(PROBLEM_RULES[self.kind], detail, self.request, _NO_CALL, world=self.world)


class Problems:
    """The first problems of each kind, and the exact number of all."""

    __slots__ = ("_stored", "counts")

    def __init__(self) -> None:
        self.counts: dict[ProblemKind, int] = {}
        self._stored: dict[ProblemKind, list[ReportProblem]] = {}

    def __iter__(self) -> Iterator[ReportProblem]:
        """The stored problems, by kind."""
        for stored in self._stored.values():
            yield from stored

    @property
    def total(self) -> int:
        """The number of problems, stored or not."""
        return sum(self.counts.values())

    def add(self, problems: Iterable[Problem]) -> None:
        """Add the problems of one start."""
        for problem in problems:
            self.add_counted([ReportProblem(*problem)], {problem.kind: 1})

    def add_counted(self, problems: Iterable[ReportProblem], counts: dict[ProblemKind, int]) -> None:
        """Add problems of which only the first are listed; `counts` has the number of all."""
        for kind, count in counts.items():
            self.counts[kind] = self.counts.get(kind, 0) + count
        for problem in problems:
            stored = self._stored.setdefault(problem.kind, [])
            if len(stored) < STORED_PER_KIND_MAX:
                stored.append(problem)

    def merge(self, other: Self, world: str = "") -> None:
        """Add those of another relayer, which is the world of that name."""
        self.add_counted((problem._replace(world=problem.world or world) for problem in other), other.counts)

    def masked(self, mask: Callable[[str], str]) -> Problems:
        """The same, with what a client sent masked."""
        others = Problems()
        others.add_counted(
            (
                problem._replace(reason=mask(problem.reason), meant=mask(problem.meant), world=mask(problem.world))
                for problem in self
            ),
            self.counts,
        )
        return others

    def as_findings(self) -> tuple[list[ReportFinding], dict[str, int]]:
        """The problems that are not findings anyway, in the form of findings, and their exact number by rule."""
        own = [problem.as_finding() for problem in self if problem.kind in PROBLEM_RULES]
        return own, {PROBLEM_RULES[kind].id: count for kind, count in self.counts.items() if kind in PROBLEM_RULES}
