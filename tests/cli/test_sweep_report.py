"""What a sweep came to, as table, JSON and JUnit; and its progress."""

from __future__ import annotations

import io
import json
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from typing import IO

import click
import pytest

from mockrelay.cli.output import Progress, left_text
from mockrelay.cli.sweep.children import Ended
from mockrelay.cli.sweep.one_run import Plan, Run, Verdict
from mockrelay.cli.sweep.report import Swept, as_json, as_junit, as_markdown, as_text
from mockrelay.cli.sweep.variations import Only
from tests.cli.sweeps import STATUS, Here, reads_only_the_status, reads_the_code, swept


def some() -> Swept:
    runs = [
        Run(
            ((STATUS, "400"),),
            Verdict.FAILED,
            "exit code 2: E <boom>",
            2,
            30,
            ("first", "E <boom>"),
            frozenset({STATUS}),
            4,
        ),
        Run((("block.fill_s", "string"),), Verdict.SURVIVED, "", 0, 31, ("ok",), frozenset({"block.fill_s"}), 4),
        Run((("pending.shape", "object"),), Verdict.NOT_MET, "pending.shape is not met"),
    ]
    return Swept(Run((), Verdict.SURVIVED, "", 0, 29, ("ok",), frozenset({STATUS}), 4), runs, 0, interrupted=False)


def test_the_table_has_a_line_for_each_option_and_counts_them() -> None:
    assert click.unstyle(as_text(some())).splitlines() == [
        "choice             option    verdict   detail",
        "http.error_status  400       failed    exit code 2: E <boom>",
        "block.fill_s       string †  survived",
        "pending.shape      object    not met",
        "3 options: 1 survived, 1 failed, 1 not met",
        "†: contradicts the spec",
        "--output-dir DIR keeps the output of each run",
    ]


class Saying(Here):
    """Says some bytes before it fails with an option."""

    def __init__(self, said: bytes) -> None:
        super().__init__(reads_the_code)
        self.said = said

    def run(self, command: Sequence[str], env: Mapping[str, str], output: IO[bytes], timeout_s: float | None) -> Ended:
        ended = super().run(command, env, io.BytesIO(), timeout_s)
        output.write(self.said)
        return ended._replace(exit_code=7) if "MOCKRELAY_SET" in env else ended


@pytest.mark.parametrize(
    ("said", "detail"),
    [
        (b"", "exit code 7"),
        (b"\n \n", "exit code 7"),
        (b"first\n\x1b[1;31mlast\x1b[0m\r\n", "exit code 7: last"),
        (
            b"FAILED t.py::test_a[x y] - assert 1 == 2\nERROR t.py::test_b\n1 failed, 1 error in 0.2s",
            "exit code 7: t.py::test_a[x y], t.py::test_b: assert 1 == 2",
        ),
        (
            b"".join(b"FAILED t.py::test_%d\n" % n for n in (1, 1, 2, 3, 4)),
            "exit code 7: t.py::test_1, t.py::test_2, t.py::test_3, \u2026",
        ),
        (b"FAIL: test_x (test_m.TestC.test_x)\nFAILED (failures=1)", "exit code 7: test_x (test_m.TestC.test_x)"),
        (b"--- FAIL: TestX (0.00s)\n    --- FAIL: TestX/one (0.00s)\nFAIL", "exit code 7: TestX/one"),
        (b"test a::b ... FAILED\ntest result: FAILED.", "exit code 7: a::b"),
        (b"\x1b]0;a title\x07done\x1b]2;another\x1b\\\n", "exit code 7: done"),
        (b"bell\x07 nothing\x00 no text\xff \x1bc", "exit code 7: bell\ufffd nothing\ufffd no text\ufffd \ufffdc"),
    ],
)
def test_a_failure_has_the_last_line_as_no_terminal_takes_it_for_a_command(said: bytes, detail: str) -> None:
    (run,) = swept(reads_the_code, children=Saying(said), only=(Only(STATUS, "400"),)).runs
    assert (run.verdict, run.detail) == (Verdict.FAILED, detail)


def test_the_json_has_everything() -> None:
    told = json.loads(as_json(Plan(("c", "d"), {}), {STATUS: "split"}, some()))
    assert told["command"] == ["c", "d"]
    assert told["counts"] == {"survived": 1, "failed": 1, "not met": 1}
    assert told["runs"][0] == {
        "readings": {STATUS: "400"},
        "verdict": "failed",
        "deviation": False,
        "exitCode": 2,
        "detail": "exit code 2: E <boom>",
        "tests": None,
        "failures": [],
        "lastLine": "E <boom>",
        "ms": 30,
        "calls": 4,
        "met": [STATUS],
        "output": None,
    }
    assert (told["runs"][1]["deviation"], told["runs"][2]["met"]) == (True, None)


def test_the_markdown_has_what_was_not_survived_first_and_the_rest_in_a_fold() -> None:
    text = as_markdown(some())
    table, fold = text.split("<details>")
    assert table.startswith("### mockrelay sweep\n\n3 options: 1 survived, 1 failed, 1 not met\n\n")
    assert f"| `{STATUS}=400` | failed | exit code 2: E &lt;boom> |" in table
    assert "| `block.fill_s=string \u2020` | survived |  |" in fold
    assert "pending.shape" not in text


def test_the_junit_has_a_case_for_each_and_skips_what_says_nothing() -> None:
    (suite,) = ET.fromstring(as_junit(some()))
    cases = [(case.get("name"), [child.tag for child in case]) for case in suite]
    assert cases == [
        ("the defaults", []),
        (f"{STATUS}=400", ["failure"]),
        ("block.fill_s=string †", []),
        ("pending.shape=object", ["skipped"]),
    ]
    assert "E <boom>" in str(suite.findtext("testcase/failure"))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_terminal_one_line_is_rewritten_and_gone_at_the_end() -> None:
    terminal = Terminal()
    progress = Progress(terminal)
    progress.show("one")
    progress.show("two")
    progress.print_line("this stays")
    progress.clear()
    assert terminal.getvalue() == "\r\x1b[Kone\r\x1b[Ktwo\r\x1b[Kthis stays\n"


def test_the_time_left_is_reckoned_from_what_is_done() -> None:
    told = [left_text(*args) for args in ((0, 9, 5000), (3, 9, 15_000), (1, 10, 10_000), (1, 100, 10_000), (9, 9, 1))]
    assert told == ["", "about 30 s left", "about 1:30 min left", "about 16 min left", ""]


def test_the_line_of_a_terminal_tells_how_far_it_is_and_what_runs() -> None:
    terminal = Terminal()
    swept(reads_the_code, stream=terminal, only=(Only(STATUS),))
    shown = terminal.getvalue().split("\r\x1b[K")
    assert any(line.startswith("sweep: 1 of 2, 0 not survived, about ") for line in shown)
    assert shown[-2:] == ["sweep: 2 of 2, 0 not survived", ""]


def test_elsewhere_each_run_has_a_line() -> None:
    stream = io.StringIO()
    swept(reads_only_the_status, stream=stream, choices={STATUS: "400"}, only=(Only(STATUS, "200"),))
    first, second, third = stream.getvalue().splitlines()
    assert first == "sweep: the defaults"
    assert second.startswith("sweep: survived the defaults in ")
    assert "; 1 of 1 options to run, 0 are of choices that it does not meet; about " in second
    assert third.startswith("sweep: 1 of 1: http.error_status=200: failed (")
    assert third.endswith("): exit code 1: ended with 1")
