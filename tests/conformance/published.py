"""What the product publishes about itself, through its command line."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from click.testing import CliRunner

from mockrelay.cli import main


@cache
def published(table: str) -> Any:
    """`mockrelay spec TABLE --format json`, parsed."""
    result = CliRunner().invoke(main, ["spec", table, "--format", "json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.output)
