"""The tools of other languages that tests run: the packages of `tests/examples/npm`, as its lock file pins them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.support.processes import environment

PACKAGES = Path(__file__).parents[1] / "examples" / "npm"
INSTALLED = "MOCKRELAY_TESTS_NPM"
"""The variable that names a folder where they are installed already."""
_FILES = ("package.json", "package-lock.json")


def install(folder: Path) -> None:
    """Install them in a folder."""
    for name in _FILES:
        shutil.copy(PACKAGES / name, folder)
    npm = shutil.which("npm")
    assert npm is not None
    subprocess.run([npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=folder, check=True)


def is_npm_here() -> bool:
    """Whether this machine has Node, and reaches a registry."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        return False
    return subprocess.run([npm, "ping"], capture_output=True, check=False).returncode == 0


def environment_of_node(**env: str) -> dict[str, str]:
    """The environment of a tool, in which `mockrelay` is that of this Python."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    return environment({"PATH": path, **env})
