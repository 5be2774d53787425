"""The README tells the truth: its examples run and its tables are the product's own."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from mockrelay.scenario import load_text
from mockrelay.spec.codes import Code
from tests.conformance.causes_of_requests import ALL_CAUSES
from tests.examples.how import WAYS
from tests.examples.readme import README, refreshed
from tests.processes import environment

TEXT = README.read_text(encoding="utf-8")
SHELL_BLOCKS = re.findall(r"```sh\n(.*?)\n```", TEXT, re.DOTALL)
PYTHON_BLOCKS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


def test_the_generated_tables_are_as_the_product_says() -> None:
    assert refreshed(TEXT) == TEXT, "run `python -m tests.examples.readme`"


def test_each_code_has_a_way_that_the_conformance_tests_go() -> None:
    tried = {(cause.name, cause.code, cause.how) for cause in ALL_CAUSES}
    assert [
        (way.endpoint, int(way.code), way.how) for way in WAYS if (way.endpoint, way.code, way.how) not in tried
    ] == []
    assert [way.code for way in WAYS] == list(Code)


@pytest.mark.parametrize("block", PYTHON_BLOCKS, ids=[block.partition("\n")[0] for block in PYTHON_BLOCKS])
def test_an_example_runs(block: str, tmp_path: Path, pytester: pytest.Pytester) -> None:
    """Blocks with tests are run by pytest, others as a program."""
    tests = block.count("def test_") + block.count(".TestCase")
    if tests:
        pytester.makeini("[pytest]\nasyncio_mode = auto\n")
        pytester.makepyfile(block)
        pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=tests)
    else:
        script = tmp_path / "example.py"
        script.write_text(block, encoding="utf-8")
        assert pytester.run(sys.executable, str(script)).ret == 0


@pytest.mark.parametrize("block", re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL))
def test_a_scenario_of_the_readme_is_one(block: str) -> None:
    assert load_text(block).world(0).orders.by_hash, "its order does not rest"


@pytest.mark.skipif(os.name != "posix" or shutil.which("curl") is None, reason="needs sh and curl")
def test_the_commands_for_a_shell_run(tmp_path: Path) -> None:
    """But for the two at the top: CI itself is the second, and the packaging tests run the first."""
    serve, arm = SHELL_BLOCKS[2:]
    ready_file = tmp_path / "ready.json"
    env = environment({"PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))})
    assert serve.endswith("&")
    with subprocess.Popen(["sh", "-c", f"exec {serve[:-1]}"], cwd=tmp_path, env=env, stdout=subprocess.PIPE) as server:
        try:
            assert server.stdout is not None
            said, url = server.stdout.readline().decode().strip().rsplit(" ", 1)
            assert said == "mockrelay listening on"
            told = subprocess.run(["sh", "-c", arm], env=env | {"URL": url}, capture_output=True, check=True)
            assert json.loads(ready_file.read_text(encoding="utf-8"))["url"] == url
        finally:
            server.terminate()
    assert json.loads(told.stdout) == {"id": "f1", "listed": True}


def test_ci_runs_the_command_for_tests_that_the_readme_gives() -> None:
    """The virtual environment is CI's own; what is installed and run in it is the same."""
    ci = (README.parent / ".ci" / "run").read_text(encoding="utf-8")
    install, run = re.search(r"pip install -e (\S+) && \.venv/bin/(python -m pytest.*)", TEXT).groups()  # type: ignore[union-attr]
    assert install in ci
    assert run in ci


def test_the_version_in_the_readme_is_the_packages() -> None:
    project = tomllib.loads((README.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] == "mockrelay"
    from mockrelay import __version__  # noqa: PLC0415

    assert f"### {__version__}" in TEXT
