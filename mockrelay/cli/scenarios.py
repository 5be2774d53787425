"""`mockrelay scenarios` and `mockrelay validate`: what is shipped, what a scenario says in full, and what is wrong with one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from mockrelay.cli.facts import aligned
from mockrelay.scenario import (
    Scenario,
    ScenarioError,
    description,
    flat,
    load,
    scenario_text,
    shipped,
)
from mockrelay.scenario.editor import editor_schema_text

Verdict = dict[str, Any]
"""What validation says of a file: `file` as it was named and `ok`; then what the scenario holds, or `place` (the file to
blame, which may be one that it extends), `line` and `column` (from 1, or 0 where no place in it is to blame), `found`,
`meant` and the whole `message`.
"""


def listed(*, as_json: bool) -> str:
    """The shipped scenarios, each with what it is for."""
    rows = [{"name": name, "description": description(name)} for name in shipped()]
    return json.dumps(rows, indent=2) if as_json else "\n".join(aligned(rows))


def whole(source: str, *, as_json: bool) -> str:
    """A scenario with all that it extends, as one document that extends nothing. Raises ScenarioError."""
    values = flat(source)
    if as_json:
        return json.dumps(values, indent=2)
    told = description(source)
    return (f"# {told}\n" if told else "") + scenario_text(values).rstrip("\n")


def schema() -> str:
    """The schema by which editors complete and check scenario files."""
    return editor_schema_text().rstrip("\n")


def verdicts(files: Iterable[str]) -> list[Verdict]:
    """What is to be said of each file, in the order given."""
    return [_verdict(file) for file in files]


def told(found: Sequence[Verdict], *, as_json: bool) -> str:
    """Verdicts as lines, or as a JSON list."""
    return json.dumps(found, indent=2) if as_json else "\n".join(map(_line, found))


def _verdict(file: str) -> Verdict:
    try:
        scenario = load(Path(file))
    except ScenarioError as error:
        return {
            "file": file,
            "ok": False,
            "place": error.file,
            "line": error.line,
            "column": error.column,
            "found": error.found,
            "meant": error.meant,
            "message": str(error),
        }
    return {"file": file, "ok": True, "name": scenario.name} | _counts(scenario)


def _counts(scenario: Scenario) -> dict[str, int]:
    return {
        "accounts": len(scenario.accounts),
        "tokens": len(scenario.setting.tokens),
        "markets": len(scenario.setting.markets),
        "orders": len(scenario.resting),
        "faults": len(scenario.faults),
    }


def _line(verdict: Verdict) -> str:
    if not verdict["ok"]:
        message: str = verdict["message"]
        return message
    counts = [
        f"{count} {what if count != 1 else what.removesuffix('s')}"
        for what, count in verdict.items()
        if what not in ("file", "ok", "name")
    ]
    return f"{verdict['file']}: ok ({', '.join([verdict['name'], *counts])})"
