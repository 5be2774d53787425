"""`mockrelay validate`: whether scenario files are right."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from mockrelay.cli.options import EXIT_CONFIG, completed_by, count_text
from mockrelay.cli.output import coloured, output_options, put

Result = dict[str, Any]
"""The result for a file: `file` as it was named and `ok`; then what the scenario holds, or `place` (the file with the
error, which may be one that it extends), `line` and `column` (from 1, or 0 where the error has no place), `found`, `meant`
and the whole `message`.
"""


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", shell_complete=completed_by("scenarios"))
@output_options("validate", "text", "json", old={"--json": "json", "MOCKRELAY_JSON": "json"})
def validate(files: tuple[str, ...], output_format: str, output: Path | None) -> None:
    """Check scenario files. Files that they extend are checked too. Exit code 0: all are right; 2: some are not."""
    results = [_result(file) for file in files]
    put(json.dumps(results, indent=2) if output_format == "json" else "\n".join(map(_line, results)), output)
    if not all(result["ok"] for result in results):
        sys.exit(EXIT_CONFIG)


def _result(file: str) -> Result:
    from mockrelay.scenario import ScenarioError, load

    try:
        scenario = load(Path(file))
    except ScenarioError as error:
        place = {"place": error.file, "line": error.line, "column": error.column}
        return {"file": file, "ok": False, **place, "found": error.found, "meant": error.meant, "message": str(error)}
    return {
        "file": file,
        "ok": True,
        "name": scenario.name,
        "accounts": len(scenario.accounts),
        "tokens": len(scenario.config.tokens),
        "markets": len(scenario.config.markets),
        "orders": len(scenario.resting_orders),
        "faults": len(scenario.faults),
    }


def _line(result: Result) -> str:
    if not result["ok"]:
        return coloured(str(result["message"]), "red")
    nouns = ("account", "token", "market", "order", "fault")
    counts = [count_text(result[f"{noun}s"], noun) for noun in nouns]
    return f"{result['file']}: {coloured('ok', 'green')} ({', '.join([result['name'], *counts])})"
