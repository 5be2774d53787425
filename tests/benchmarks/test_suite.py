"""The suite's own parts: rows, table, plot and README. What it measures is never judged here, since machines differ."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.benchmarks import __main__ as suite
from tests.benchmarks import plot, publish
from tests.benchmarks.effort import FULL, QUICK, Effort
from tests.benchmarks.measured import Measured, machine, ratio
from tests.benchmarks.report import Report, as_json, figures_of, line, number, table
from tests.benchmarks.rows import BY_NAME, ROWS, Row, Sense, Verdict

FIGURES = {"post-rests": Measured(0.6, 0.8, "a detail"), "plugin-unused": Measured(4.5), "p99": Measured(3.0)}
REPORT = Report("a machine", FIGURES)
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(
    ("sense", "value", "verdict"),
    [
        (Sense.AT_LEAST, 0.54, Verdict.MISSED),
        (Sense.AT_LEAST, 0.55, Verdict.REACHED),
        (Sense.AT_LEAST, 0.69, Verdict.REACHED),
        (Sense.AT_LEAST, 0.70, Verdict.STRETCHED),
    ],
)
def test_more_is_better_where_it_is_at_least(sense: Sense, value: float, verdict: Verdict) -> None:
    assert Row("a", "a", sense, 0.55, 0.70).verdict(value) is verdict


@pytest.mark.parametrize(
    ("value", "verdict"),
    [(4.01, Verdict.MISSED), (4.0, Verdict.REACHED), (2.01, Verdict.REACHED), (2.0, Verdict.STRETCHED)],
)
def test_less_is_better_where_it_is_at_most(value: float, verdict: Verdict) -> None:
    assert Row("a", "a", Sense.AT_MOST, 4, 2).verdict(value) is verdict


def test_the_gain_is_one_just_where_a_row_is_reached() -> None:
    for row in ROWS:
        assert row.gain(row.reach) == 1
        assert row.gain(row.stretch) > 1


def test_each_row_is_measured_once() -> None:
    measured = [name for names in suite.MEASURES.values() for name in names]
    assert sorted(measured) == sorted(BY_NAME)
    assert len(ROWS) == len(BY_NAME)


def test_the_ratio_is_the_median_of_the_rounds() -> None:
    """A round in which one of the two was held up does not count for more than it is."""
    assert ratio([2, 4, 60], [4, 8, 10]) == 0.5


def test_the_table_has_the_rows_that_were_measured_in_their_order() -> None:
    assert table(REPORT, FULL).splitlines() == [
        "| figure | measured | reach | stretch | reached? |",
        "|---|---|---|---|---|",
        "| POST order that rests / bare POST | 0.60 | ≥ 0.55 | 0.7 | yes |",
        "| pytest run that never uses the fixture: added by the plugin | 4.50 ms | ≤ 15 ms | 5 ms | yes, stretch too |",
        "| POST order, slowest of a hundred, at 100,000 orders / at 1,000 (`serve`) | 3.00 | ≤ 2 | 1.3 | no |",
    ]


def test_with_ratios_only_a_time_is_a_share_of_what_may_be_used() -> None:
    lines = table(REPORT, FULL, ratios_only=True).splitlines()
    assert "| 0.30 of it | ≤ 15 ms |" in lines[3]


def test_cpu_decides_where_it_is_asked_to_and_there_is_such_a_figure() -> None:
    by_cpu = REPORT._replace(by_cpu=True)
    assert [by_cpu.value(BY_NAME[name]) for name in FIGURES] == [0.8, 4.5, 3.0]
    assert "| 0.80 | ≥ 0.55 | 0.7 | yes, stretch too |" in table(by_cpu, FULL)


def test_a_row_is_printed_with_both_figures_and_what_is_to_be_reached() -> None:
    result = line(BY_NAME["post-rests"], FIGURES["post-rests"], FULL)
    assert re.sub(" +", " ", result) == "POST order that rests / bare POST 0.60, by CPU 0.80 [≥ 0.55, 0.7] (a detail)"


def test_the_json_has_all_of_it_and_can_be_gone_on_from() -> None:
    result = json.loads(as_json(REPORT, FULL))
    assert (result["machine"], result["by_cpu"]) == ("a machine", False)
    assert result["rows"][0] == {
        "name": "post-rests",
        "what": "POST order that rests / bare POST",
        "sense": "≥",
        "reach": 0.55,
        "stretch": 0.70,
        "unit": "x",
        "measured": 0.6,
        "by_cpu": 0.8,
        "detail": "a detail",
        "verdict": "yes",
    }
    assert figures_of(json.dumps(result), "a machine", FULL) == FIGURES


def test_rows_that_there_are_no_more_are_left_out_of_an_earlier_run() -> None:
    result = json.loads(as_json(REPORT, FULL))
    result["rows"][0]["name"] = "gone"
    assert set(figures_of(json.dumps(result), "a machine", FULL)) == {"plugin-unused", "p99"}


@pytest.mark.parametrize(("machine", "effort", "what"), [("another", FULL, "machine"), ("a machine", QUICK, "effort")])
def test_a_run_elsewhere_or_of_another_size_is_not_gone_on_from(machine: str, effort: Effort, what: str) -> None:
    with pytest.raises(ValueError, match=f"another {what}"):
        figures_of(as_json(REPORT, FULL), machine, effort)


@pytest.mark.parametrize(("value", "text"), [(0.123, "0.12"), (9.996, "10.00"), (12.34, "12.3"), (123.4, "123")])
def test_numbers_have_the_digits_that_mean_something(value: float, text: str) -> None:
    assert number(value) == text


def test_the_plot_has_a_bar_and_a_mark_for_each_row_that_was_measured() -> None:
    drawn = ET.fromstring(plot.svg(REPORT, FULL))
    bars = [bar for bar in drawn.iter(f"{SVG}rect") if bar.get("height") == str(plot.ROW - 8)]
    # 0.6 of 0.55 is reached, 4.5 of 15 is less than the stretch of 5, 3 of 2 is missed.
    assert [bar.get("class") for bar in bars] == ["yes", "stretch", "no"]
    assert len([mark for mark in drawn.iter(f"{SVG}line") if mark.get("class") == "mark"]) == len(FIGURES)


def test_bars_go_to_the_right_for_better_and_to_the_left_for_worse() -> None:
    drawn = ET.fromstring(plot.svg(REPORT, FULL))
    bars = [bar for bar in drawn.iter(f"{SVG}rect") if bar.get("height") == str(plot.ROW - 8)]
    better, best, worse = ((float(bar.get("x", "")), float(bar.get("width", ""))) for bar in bars)
    just_there = plot.place_of(1)
    assert better[0] == best[0] == just_there
    assert best[1] > better[1]
    assert worse[0] < just_there
    assert worse[0] + worse[1] == pytest.approx(just_there)


def test_the_readme_gets_table_and_plot_between_its_marks() -> None:
    readme = publish.with_part("a\n<!-- speed -->\nold\n<!-- end -->\nb\n<!-- x -->\n<!-- end -->\n", "new")
    assert readme == "a\n<!-- speed -->\nnew\n<!-- end -->\nb\n<!-- x -->\n<!-- end -->\n"


def test_a_readme_without_a_place_for_it_is_left_alone() -> None:
    with pytest.raises(ValueError, match="no place"):
        publish.with_part("a", "new")


def test_what_the_page_says_names_the_machine_and_how_it_was_measured() -> None:
    result = publish.part(REPORT, FULL)
    assert result.startswith("Measured on a machine,\nby the clock, in one run of the suite. ")
    others = publish.part(REPORT._replace(by_cpu=True, of_several=True), QUICK)
    assert "by CPU time where there are both, in some runs of the suite in its quick form" in others
    assert "(speed.svg)" in result


def test_the_page_has_its_place_and_the_plot_lies_where_it_says() -> None:
    assert publish.with_part(publish.PAGE.read_text(encoding="utf-8"), "x")
    assert ET.fromstring(publish.PLOT.read_text(encoding="utf-8")).tag == f"{SVG}svg"


def test_a_quick_run_of_some_rows_gives_them_all_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = ["signature-hash", "signature-verify", "snapshot"]
    files = {kind: tmp_path / f"run.{kind}" for kind in ("json", "markdown", "svg")}
    to_files = [word for kind, path in files.items() for word in (f"--{kind}", str(path))]
    suite.main(["--quick", "--rows", *rows, *to_files])
    result = json.loads(files["json"].read_text(encoding="utf-8"))
    assert sorted(row["name"] for row in result["rows"]) == rows
    assert all(row["measured"] > 0 for row in result["rows"])
    assert len(files["markdown"].read_text(encoding="utf-8").splitlines()) == 2 + len(rows)
    assert ET.fromstring(files["svg"].read_text(encoding="utf-8")).tag == f"{SVG}svg"
    assert "snapshot and restore" in capsys.readouterr().out


def test_an_earlier_run_is_gone_on_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Only the rows that are asked for are measured anew."""
    earlier, later = tmp_path / "earlier.json", tmp_path / "later.json"
    before = Report(machine(), FIGURES | {"snapshot": Measured(-1.0)})
    earlier.write_text(as_json(before, QUICK), encoding="utf-8")
    suite.main(["--quick", "--from", str(earlier), "--rows", "snapshot", "--json", str(later)])
    found = figures_of(later.read_text(encoding="utf-8"), machine(), QUICK)
    assert found.pop("snapshot").value > 0
    assert found == FIGURES
    capsys.readouterr()


def test_all_rows_can_be_listed(capsys: pytest.CaptureFixture[str]) -> None:
    suite.main(["--list"])
    assert capsys.readouterr().out.split() == list(BY_NAME)
