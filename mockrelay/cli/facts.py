"""The tables of `mockrelay spec`, derived from the facts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from mockrelay.spec.choices import CHOICES
from mockrelay.spec.codes import SUCCESS, SUCCESS_MESSAGE, Code
from mockrelay.spec.endpoints import ENDPOINTS
from mockrelay.spec.transitions import ORDER

Row = dict[str, Any]


def as_json(what: str) -> str:
    """A JSON list with an object for each row."""
    return json.dumps(_ROWS[what](), indent=2)


def as_table(what: str) -> str:
    """Aligned columns under their heads. Long texts are left to the JSON form."""
    rows = [{head: value for head, value in row.items() if head not in _JSON_ONLY} for row in _ROWS[what]()]
    return "\n".join(aligned(rows))


def _endpoints() -> list[Row]:
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


def _codes() -> list[Row]:
    success = {"code": SUCCESS, "meaning": SUCCESS_MESSAGE}
    return [success, *({"code": int(code), "meaning": code.meaning} for code in Code)]


def _limits() -> list[Row]:
    return [{"name": row.name, "per_second": row.per_second} for row in ENDPOINTS if row.per_second is not None]


def _choices() -> list[Row]:
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


def _transitions() -> list[Row]:
    return [
        {"machine": "order", "state": state.value, "trigger": trigger.value, "becomes": becomes.value}
        for (state, trigger), becomes in ORDER.items()
    ]


_ROWS: Mapping[str, Callable[[], list[Row]]] = {
    "endpoints": _endpoints,
    "codes": _codes,
    "limits": _limits,
    "choices": _choices,
    "transitions": _transitions,
}
_JSON_ONLY = frozenset({"codes", "codes_listed", "deviations", "spec_says", "why"})


def aligned(rows: list[Row]) -> Iterator[str]:
    """Rows as lines: columns of one width each, under the names of their fields."""
    cells = [list(rows[0]), *([_cell(value) for value in row.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for line in cells:
        yield "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, list) else str(value)
