"""`mockrelay spec`: the tables of the spec."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from mockrelay.cli.options import CliError, completed_by
from mockrelay.cli.output import aligned, output_options, put

TABLES = ("endpoints", "codes", "limits", "choices", "transitions")

Row = dict[str, Any]

_JSON_ONLY = frozenset({"codes", "codes_listed", "deviations", "spec_says", "why"})
"""Fields that are too long for a column."""


@click.command()
@click.argument("table", type=click.Choice(TABLES), default=TABLES[0], metavar="[" + "|".join(TABLES) + "]")
@click.argument("row", required=False, metavar="[ROW]", shell_complete=completed_by("rows"))
@output_options("spec", "text", "json", old={"--json": "json", "MOCKRELAY_JSON": "json"})
def spec(table: str, row: str | None, output_format: str, output: Path | None) -> None:
    """Print a table of the spec. The default is `endpoints`; ROW is one of its rows: `mockrelay spec codes 102014`. `--format json`
    has fields that the text leaves out.
    """
    rows = _rows(table)
    if row is not None:
        from mockrelay.suggest import nearest

        names = names_of_rows(table)
        if row not in names:
            raise CliError(f"the table {table} has no row {row!r}; meant: {nearest(row, names)}")
        rows = [each for each in rows if _name(each) == row]
    if output_format == "json":
        put(json.dumps(rows, indent=2), output)
    else:
        short = [{name: value for name, value in row.items() if name not in _JSON_ONLY} for row in rows]
        put("\n".join(aligned(short)), output)


def names_of_rows(table: str) -> list[str]:
    """What stands first in the rows of a table, each once."""
    return list(dict.fromkeys(map(_name, _rows(table))))


def _name(row: Row) -> str:
    return str(next(iter(row.values())))


def _rows(table: str) -> list[Row]:
    from mockrelay.spec.choices import CHOICES
    from mockrelay.spec.codes import SPEC_CODES, SUCCESS, SUCCESS_MESSAGE
    from mockrelay.spec.endpoints import ENDPOINTS
    from mockrelay.spec.transitions import ORDER

    match table:
        case "endpoints":
            return [
                {
                    "name": row.name,
                    "method": row.method,
                    "path": row.path,
                    "key": row.key.value,
                    "signature": row.signature and row.signature.value,
                    "enveloped": row.enveloped,
                    "per_second": row.per_second,
                    "codes": [int(judged.code) for judged in row.codes],
                    "codes_listed": [int(code) for code in row.listed_codes],
                }
                for row in ENDPOINTS
            ]
        case "codes":
            success = {"code": SUCCESS, "meaning": SUCCESS_MESSAGE}
            return [success, *({"code": int(code), "meaning": code.meaning} for code in SPEC_CODES)]
        case "limits":
            limited = (row for row in ENDPOINTS if row.per_second is not None)
            return [{"name": row.name, "per_second": row.per_second} for row in limited]
        case "choices":
            return [
                {
                    "key": choice.key,
                    "default": choice.default,
                    "options": list(choice.options),
                    "deviations": list(choice.deviations),
                    "spec_says": choice.spec_says,
                    "why": choice.why,
                }
                for choice in CHOICES
            ]
        case _:
            return [
                {"machine": "order", "state": state.value, "trigger": trigger.value, "becomes": becomes.value}
                for (state, trigger), becomes in ORDER.items()
            ]
