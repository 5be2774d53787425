"""Commands run to their end."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.support.processes import environment


def do(*command: str | Path, env: dict[str, str] | None = None, cwd: Path | None = None) -> str:
    """Run a command to its end and give its output; what it says on standard error is shown if it fails."""
    done = subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        env=env or environment({"PYTHONWARNINGS": ""}),
        cwd=cwd,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    return done.stdout
