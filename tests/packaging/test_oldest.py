"""The oldest versions that `pyproject.toml` allows still carry mockrelay; the newest are what every other test runs on.

Slow (an environment is made and packages fetched), so only run with `-m packaging`.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.packaging.doing import do
from tests.support.processes import ROOT, environment

pytestmark = pytest.mark.packaging

ROOMS = (
    "web",
    "scenario",
    "cli/test_serve.py",
    "cli/test_usage.py",
    "cli/test_wait.py",
    "testing/test_explore.py",
    "plugin/test_settings.py",
    "wire/test_compile.py",
    "wire/test_encode.py",
    "wire/test_json_body.py",
)
"""What leans most on aiohttp, pyyaml, click, hypothesis, pytest, jsonschema and msgspec."""
BESIDE = ("pytest-aiohttp", "pytest-asyncio", "pytest-xdist", "requests", "httpx", "prometheus-client", "websockets")
"""What these tests need, in any version that goes with the rest."""


def ranges() -> list[str]:
    """The requirements that a user of the package and of its extras gets."""
    project = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    return [*project["dependencies"], *extras["eth"], *extras["test"], *extras["hypothesis"], *extras["tls"]]


def oldest(requirements: list[str]) -> Iterator[str]:
    for requirement in requirements:
        found = re.fullmatch(r"([A-Za-z0-9_.-]+)>=([0-9.]+),<[0-9.]+", requirement)
        assert found, f"{requirement}: a range has a floor and a ceiling"
        yield f"{found[1]}=={found[2]}"


def test_the_oldest_of_each_range_works(tmp_path: Path) -> None:
    do(sys.executable, "-m", "venv", tmp_path / "venv")
    python = next(path for path in tmp_path.glob("venv/*/python*") if path.stem == "python")
    do(python, "-m", "pip", "install", "--quiet", "-e", ROOT, *oldest(ranges()), *BESIDE)
    tests = [str(ROOT / "tests" / room) for room in ROOMS]
    # What old test tools leave unclosed is no fault of what they test.
    lenient = ("-W", "default::pytest.PytestUnraisableExceptionWarning")
    output = do(
        python, "-m", "pytest", "-q", "-n", "2", *lenient, *tests, env=environment({"PYTHONWARNINGS": ""}), cwd=ROOT
    )
    assert re.search(r"^\d+ passed", output.splitlines()[-1]), output
