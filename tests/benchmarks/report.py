"""What a run has found: as JSON, as a table, and as lines while it goes on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from tests.benchmarks.effort import Effort
from tests.benchmarks.measured import Figures, Measured
from tests.benchmarks.rows import BY_NAME, ROWS, Row, Verdict

_VERDICTS = {Verdict.MISSED: "no", Verdict.REACHED: "yes", Verdict.STRETCHED: "yes, stretch too"}


class Report(NamedTuple):
    """The figures of a run, and what they were measured on."""

    machine: str
    figures: Figures
    by_cpu: bool = False
    """Whether CPU decides where a row has both figures."""
    of_several: bool = False
    """Whether the figures are of more than one run."""

    def value(self, row: Row) -> float | None:
        """The figure that decides; None: it was not measured."""
        measured = self.figures.get(row.name)
        if measured is None:
            return None
        return measured.by_cpu if self.by_cpu and measured.by_cpu is not None else measured.value


def table(report: Report, effort: Effort, *, ratios_only: bool = False) -> str:
    """A Markdown table of the rows that were measured.

    With `ratios_only` what has a unit is given as a share of what is to be reached, since a time is one machine's.
    """
    lines = ["| figure | measured | reach | stretch | reached? |", "|---|---|---|---|---|"]
    for row in ROWS:
        value = report.value(row)
        if value is None:
            continue
        cells = (
            effort.text(row.what),
            _shown(row, value, ratios_only=ratios_only),
            f"{row.sense} {_with_unit(row, row.reach)}",
            _with_unit(row, row.stretch),
            _VERDICTS[row.verdict(value)],
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def line(row: Row, measured: Measured, effort: Effort) -> str:
    """A row as it is printed when it has been measured."""
    by_cpu = "" if measured.by_cpu is None else f", by CPU {number(measured.by_cpu)}"
    detail = f" ({measured.detail})" if measured.detail else ""
    reach = f"{row.sense} {_with_unit(row, row.reach)}, {_with_unit(row, row.stretch)}"
    return f"{effort.text(row.what):<76}{_with_unit(row, measured.value):>10}{by_cpu}  [{reach}]{detail}"


def as_json(report: Report, effort: Effort) -> str:
    """All of it, for programs."""
    rows = [
        {
            "name": row.name,
            "what": effort.text(row.what),
            "sense": row.sense.value,
            "reach": row.reach,
            "stretch": row.stretch,
            "unit": row.unit,
            "measured": measured.value,
            "by_cpu": measured.by_cpu,
            "detail": measured.detail,
            "verdict": row.verdict(_deciding(report, row)).value,
        }
        for row in ROWS
        if (measured := report.figures.get(row.name)) is not None
    ]
    return json.dumps(
        {"machine": report.machine, "by_cpu": report.by_cpu, "effort": effort._asdict(), "rows": rows}, indent=2
    )


def figures_of(text: str, machine: str, effort: Effort) -> dict[str, Measured]:
    """The figures of an earlier run, from its JSON; rows that there are no more are left out. Raises ValueError for a
    run on another machine or of another size: its figures mean nothing beside those of this one.
    """
    result: Mapping[str, Any] = json.loads(text)
    for what, was, now in (("machine", result["machine"], machine), ("effort", result["effort"], effort._asdict())):
        if was != now:
            raise ValueError(f"the earlier run has another {what}: {was}; now: {now}")
    return {
        row["name"]: Measured(row["measured"], row["by_cpu"], row["detail"])
        for row in result["rows"]
        if row["name"] in BY_NAME
    }


def number(value: float) -> str:
    """A number with as many digits as mean something."""
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _deciding(report: Report, row: Row) -> float:
    value = report.value(row)
    assert value is not None
    return value


def _shown(row: Row, value: float, *, ratios_only: bool) -> str:
    if row.unit != "x" and ratios_only:
        return f"{number(value / row.reach)} of it"
    return _with_unit(row, value)


def _with_unit(row: Row, value: float) -> str:
    text = f"{value:g}" if value in (row.reach, row.stretch) else number(value)
    return text if row.unit == "x" else f"{text} {row.unit}"
