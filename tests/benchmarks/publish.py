"""Puts a run's table and plot where readers find them: into the page of the guide, and beside it."""

from __future__ import annotations

import re

from tests.benchmarks.effort import FULL, Effort
from tests.benchmarks.plot import svg
from tests.benchmarks.report import Report, table
from tests.support.processes import ROOT

PAGE = ROOT / "mockrelay" / "guide" / "speed.md"
PLOT = PAGE.with_name("speed.svg")
_MARK = re.compile(r"(<!-- speed -->\n).*?(<!-- end -->)", re.DOTALL)


def publish(report: Report, effort: Effort) -> None:
    """Write both."""
    PAGE.write_text(with_part(PAGE.read_text(encoding="utf-8"), part(report, effort)), encoding="utf-8")
    PLOT.write_text(svg(report, effort), encoding="utf-8")


def with_part(page: str, written: str) -> str:
    """The page with this as its table. Raises ValueError where it has no place for it."""
    if not _MARK.search(page):
        raise ValueError("the page has no place for the table: <!-- speed --> and <!-- end -->")
    return _MARK.sub(lambda found: f"{found[1]}{written}\n{found[2]}", page)


def part(report: Report, effort: Effort) -> str:
    """What the page says: ratios only, and what they were measured on."""
    how = "by CPU time where there are both" if report.by_cpu else "by the clock"
    runs = "some runs of the suite" if report.of_several else "one run of the suite"
    form = "" if effort == FULL else " in its quick form, with smaller books"
    return (
        f"Measured on {report.machine},\n{how}, in {runs}{form}. `of it` is the share of what may be used.\n\n"
        f"{table(report, effort, ratios_only=True)}\n\n"
        "![How far each figure gets](speed.svg)"
    )
