"""The client for JavaScript under the runners of tests that it has fixtures for, each in parallel workers.

These tests need Node and the packages of `tests/examples/npm`, which `.ci/run` installs from the lock file there.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from mockrelay._files import javascript_client
from tests.support.npm import PACKAGES, environment_of_node

pytestmark = pytest.mark.tools

CASES = PACKAGES.joinpath("cases.mjs").read_text(encoding="utf-8")
RIGHT = re.findall(r'^  "(.+)": async', CASES.partition("export const wrong")[0], re.MULTILINE)
"""The tests in `cases.mjs` that must pass."""
ON_THE_PAGE = "the client asks once more after a 503"
"""The test on the page of the guide, which each runner runs once."""
WRONG = {
    "unfired_fault": "unfired_fault: the fault f1 on get_ticker never fired",
    "unknown_path": "unknown_path [r1]: ",
    "seconds-for-milliseconds": "seconds-for-milliseconds [r1]: get_orders: start: ",
    "wrong-content-type": "wrong-content-type [r1]: ",
    "unknown_path before a reset": "unknown_path [r1]: ",
    "the test's own failure": "the test's own failure",
}
"""The tests that must fail, with what the failure says first."""


@pytest.fixture
def project(tmp_path: Path, npm: Path) -> Path:
    """A project with the runners, the client as `mockrelay client js` writes it, and the tests of `tests/examples/npm`."""
    shutil.copytree(PACKAGES, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("node_modules"))
    (tmp_path / "node_modules").symlink_to(npm / "node_modules", target_is_directory=True)
    command = [sys.executable, "-m", "mockrelay", "client", "js", "--output", "mockrelay.mjs"]
    subprocess.run(command, cwd=tmp_path, check=True)
    return tmp_path


def run(project: Path, command: Sequence[str], **env: str) -> subprocess.CompletedProcess[str]:
    program, *rest = command
    found = shutil.which(program, path=str(project / "node_modules" / ".bin")) or shutil.which(program)
    assert found is not None
    return subprocess.run(
        [found, *rest],
        cwd=project,
        env=environment_of_node(**env),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def by_junit(text: str) -> list[tuple[str, str]]:
    """Each test of a JUnit report with the text of its failure, empty where it passed."""
    cases = ET.fromstring(text).iter("testcase")
    texts = (
        (
            case.attrib["name"],
            [f"{part.get('message', '')}\n{part.text}" for part in case if part.tag in ("failure", "error")],
        )
        for case in cases
    )
    return [(name, "\n".join(found)) for name, found in texts]


def by_json(text: str) -> list[tuple[str, str]]:
    """As `by_junit`, of Jest's JSON."""
    files = json.loads(text)["testResults"]
    return [(case["title"], "\n".join(case["failureMessages"])) for file in files for case in file["assertionResults"]]


def by_mocha(text: str) -> list[tuple[str, str]]:
    """As `by_junit`, of Mocha's JSON."""
    return [(case["title"], case["err"].get("message", "")) for case in json.loads(text)["tests"]]


RUNNERS: Mapping[str, tuple[str, Callable[[str], list[tuple[str, str]]], int, int]] = {
    "node": ("node --test --test-reporter=junit node/", by_junit, 2, 1),
    "vitest": ("vitest run --reporter=junit", by_junit, 3, 2),
    "jest": ("jest --json", by_json, 2, 1),
    "playwright": ("playwright test --reporter=junit", by_junit, 1, 1),
    "mocha": (
        "mocha --parallel --jobs 2 --timeout 30s --reporter json mocha/own.test.mjs mocha/wrong.test.mjs mocha/page.test.mjs",
        by_mocha,
        1,
        1,
    ),
}
"""The command, the reader of what it prints, and how often the right and the wrong tests are run."""


@pytest.mark.parametrize("runner", RUNNERS)
def test_what_fails_a_test_in_pytest_fails_it_under_every_runner_and_nothing_else_does(
    runner: str, project: Path
) -> None:
    command, read, right_times, wrong_times = RUNNERS[runner]
    result = run(project, command.split(), NODE_OPTIONS="--experimental-vm-modules" if runner == "jest" else "")
    assert result.returncode, result.stdout + result.stderr
    cases = read(result.stdout)
    passed = Counter(name for name, failure in cases if not failure)
    assert passed == {**dict.fromkeys(RIGHT, right_times), ON_THE_PAGE: 1}, cases
    failed = [(name, failure) for name, failure in cases if failure]
    assert Counter(name for name, _ in failed) == dict.fromkeys(WRONG, wrong_times)
    for name, failure in failed:
        assert WRONG[name] in failure


def test_its_types_are_those_of_the_module_and_hold_in_typescript(project: Path) -> None:
    strict = "--strict --target es2022 --types node"
    made = run(
        project, f"tsc {strict} --module nodenext --allowJs --checkJs --declaration --outDir made mockrelay.mjs".split()
    )
    assert made.returncode == 0, made.stdout
    assert (project / "made" / "mockrelay.d.mts").read_text("utf-8") == javascript_client()["client.d.mts"]
    for module in ("--module nodenext", "--module esnext --moduleResolution bundler"):
        checked = run(project, f"tsc {strict} {module} --noEmit --skipLibCheck types/uses.ts".split())
        assert checked.returncode == 0, checked.stdout


def test_a_server_that_was_spawned_ends_with_the_process_that_did_it(project: Path) -> None:
    """However that ends: here by a signal that it cannot catch."""
    script = project / "spawns.mjs"
    script.write_text(
        'import { spawn } from "./mockrelay.mjs";\n'
        "const { url } = await spawn();\n"
        "console.log(url);\n"
        'process.kill(process.pid, "SIGKILL");\n',
        encoding="utf-8",
    )
    url = run(project, ["node", "spawns.mjs"]).stdout.strip()
    gone = run(
        project,
        [
            "node",
            "--input-type=module",
            "--eval",
            f"while (true) {{ try {{ await fetch('{url}/__mockrelay/health'); }} catch {{ break; }} }}",
        ],
    )
    assert gone.returncode == 0, gone.stderr
