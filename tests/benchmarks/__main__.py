"""`python -m tests.benchmarks`: every ratio that is to be reached, measured side by side in one run.

--rows NAME...     only these rows (`--list` shows all)
--quick            shorter rounds and smaller books
--json FILE, --markdown FILE, --svg FILE     what was found, also as a file
--cpu              CPU time decides where a row has both figures: for a machine that does other things too
--from FILE        the JSON of an earlier run: rows that are not measured now are taken from it
--write            put table and plot into the guide
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tests.benchmarks import fixture, growth, inside, machine, signatures, start, wire
from tests.benchmarks import measured as how
from tests.benchmarks.effort import FULL, QUICK, Effort
from tests.benchmarks.measured import Figures, Measured
from tests.benchmarks.plot import svg
from tests.benchmarks.publish import publish
from tests.benchmarks.report import Report, as_json, figures_of, line, table
from tests.benchmarks.rows import BY_NAME, ROWS

Measure = Callable[[Effort], Figures]

MEASURES: Mapping[Measure, tuple[str, ...]] = {
    wire.throughput: tuple(name for name in BY_NAME if name.startswith(("post-", "get-"))),
    inside.handle_cpu: ("handle-cpu",),
    start.servers: ("serve-start",),
    start.commands: ("help",),
    start.plugin: ("plugin-unused",),
    fixture.fixtures: ("fixture-reset", "fixture-call"),
    inside.memory: ("memory",),
    inside.snapshot: ("snapshot",),
    inside.scenarios: ("scenario-small", "scenario-large"),
    machine.hypothesis: ("hypothesis",),
    signatures.signatures: ("signature-verify", "signature-hash"),
    wire.latency: ("p99",),
    # Last: what it leaves in memory is of no use to anybody.
    growth.growth: tuple(name for name in BY_NAME if name.startswith("growth-")),
}
"""Each measure and the rows that it gives."""


def main(args: Sequence[str]) -> None:
    """Measure, print and write what the arguments ask for."""
    asked = _parser().parse_args(args)
    if asked.list:
        print(*BY_NAME, sep="\n")
        return
    effort = QUICK if asked.quick else FULL
    here = how.machine()
    figures = {} if asked.earlier is None else figures_of(asked.earlier.read_text(encoding="utf-8"), here, effort)
    wanted = set(asked.rows) if asked.rows else set(BY_NAME) - set(figures)
    print(here, flush=True)
    figures |= _measured(wanted, effort)
    report = Report(here, figures, asked.cpu, of_several=asked.earlier is not None)
    for path, text in ((asked.json, as_json), (asked.markdown, table), (asked.svg, svg)):
        if path is not None:
            path.write_text(text(report, effort) + "\n", encoding="utf-8")
    if asked.write:
        publish(report, effort)
    missed = [row.name for row in ROWS if (value := report.value(row)) is not None and row.gain(value) < 1]
    print("missed: " + ", ".join(missed) if missed else "all of these are reached")


def _measured(wanted: set[str], effort: Effort) -> dict[str, Measured]:
    figures: dict[str, Measured] = {}
    for measure, names in MEASURES.items():
        if wanted.isdisjoint(names):
            continue
        for name, measured in measure(effort).items():
            if name in wanted:
                figures[name] = measured
                print(line(BY_NAME[name], measured, effort), flush=True)
    return figures


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", nargs="+", choices=list(BY_NAME), metavar="NAME")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--from", dest="earlier", type=Path, metavar="FILE")
    for name in ("json", "markdown", "svg"):
        parser.add_argument(f"--{name}", type=Path, metavar="FILE")
    return parser


if __name__ == "__main__":
    main(sys.argv[1:])
