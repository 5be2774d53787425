"""Tools that are not ours: run where the machine has them or can get them, else skipped with the reason."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.processes import ROOT, environment

PACKAGES = ROOT / "tests" / "examples" / "ci" / "tools"
TOOL_S = 60
"""The longest time that a tool may take."""


def tool(name: str) -> str:
    """The path of a program; skips the test where the machine has none."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"this machine has no {name}")
    return found


def run_tool(command: Sequence[str], *, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """A command to its end, whatever its exit code."""
    return subprocess.run(
        command,
        cwd=cwd,
        env=environment({"PYTHONWARNINGS": ""}),
        capture_output=True,
        text=True,
        timeout=TOOL_S,
        check=False,
    )


@pytest.fixture(scope="session")
def npm_bin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of the npm packages that the lock file pins."""
    npm = tool("npm")
    folder = tmp_path_factory.mktemp("npm")
    for name in ("package.json", "package-lock.json"):
        shutil.copy(PACKAGES / name, folder)
    done = run_tool([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder)
    if done.returncode:
        pytest.skip(f"npm packages cannot be had: {done.stderr.strip().splitlines()[-1:]}")
    return folder / "node_modules" / ".bin"


def npm_program(folder: Path, name: str) -> str:
    """The path of a program of an npm package."""
    return str(folder / (f"{name}.cmd" if os.name == "nt" else name))
