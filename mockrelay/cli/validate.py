"""`mockrelay validate`: whether scenario files are right."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mockrelay.cli.options import EXIT_CONFIG, completed_by, count_text
from mockrelay.cli.output import coloured, output_options, put

if TYPE_CHECKING:
    from mockrelay.scenario import ScenarioError
    from mockrelay.scenario.loader import Source

Result = dict[str, Any]
"""The result for a file: `file` as it was named and `ok`; then what the scenario holds, or `errors`, all of them, each with
`place` (the file with the error, which may be one that it extends), `line` and `column` (from 1, or 0 where the error has no
place), `found`, `meant` and the whole `message`; those of the error that `serve` would name stand beside it too.
"""
STDIN = "-"


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE|NAME|-...", shell_complete=completed_by("scenarios"))
@output_options("validate", "text", "json", "github", old={"--json": "json", "MOCKRELAY_JSON": "json"})
def validate(files: tuple[str, ...], output_format: str, output: Path | None) -> None:
    """Check scenario files. Files that they extend are checked too; all errors of all files are shown. NAME is a packaged scenario,
    `-` standard input; `--format github` prints annotations of a job. Exit code 0: all are right; 2: some are not.
    """
    results = [_result(file) for file in files]
    match output_format:
        case "json":
            text = json.dumps(results, indent=2)
        case "github":
            text = "\n".join(line for each in results for line in _annotations(each))
        case _:
            text = "\n".join(line for each in results for line in _lines(each))
    put(text, output)
    if not all(result["ok"] for result in results):
        sys.exit(EXIT_CONFIG)


def _result(file: str) -> Result:
    from mockrelay.scenario import ScenarioError
    from mockrelay.scenario.every_error import scenario_errors
    from mockrelay.scenario.loader import scenario_of

    source = None
    try:
        source = _source(file)
        scenario = scenario_of(source)
    except ScenarioError as error:
        errors = [error] if source is None else scenario_errors(source)
        return {"file": file, "ok": False, **_fields(error), "errors": [_fields(each) for each in errors]}
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


def _source(file: str) -> Source:
    """Where a scenario is read from. The name of a packaged scenario means that, unless there is a file of this name."""
    from mockrelay.scenario import shipped
    from mockrelay.scenario.loader import source_of, source_of_text

    if file == STDIN:
        return source_of_text(sys.stdin.read(), "<stdin>", Path())
    return source_of(file if file in shipped() and not Path(file).is_file() else Path(file))


def _fields(error: ScenarioError) -> Result:
    place = {"place": error.file, "line": error.line, "column": error.column}
    return {**place, "found": error.found, "meant": error.meant, "message": str(error)}


def _lines(result: Result) -> Iterator[str]:
    """The errors of a file, or what is in it."""
    if not result["ok"]:
        yield from (coloured(str(error["message"]), "red") for error in result["errors"])
        return
    nouns = ("account", "token", "market", "order", "fault")
    counts = [count_text(result[f"{noun}s"], noun) for noun in nouns]
    yield f"{result['file']}: {coloured('ok', 'green')} ({', '.join([result['name'], *counts])})"


def _annotations(result: Result) -> Iterator[str]:
    """The errors of a file as GitHub Actions takes them, which shows them in the file."""
    from mockrelay.report.formats.github import annotation

    for error in result.get("errors", ()):
        place = {"file": error["place"], "line": error["line"], "col": error["column"]} if error["line"] else {}
        text = f"found {error['found']}; meant {error['meant']}" if place else error["message"]
        yield annotation("error", {**place, "title": "mockrelay validate"}, text)
    if result["ok"]:
        yield from _lines(result)
