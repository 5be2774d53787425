"""Every item of what published clients need has a test that names it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from mockrelay.spec.live_endpoints import LIVE_ENDPOINTS

ITEMS = (
    *(f"E{number}" for number in range(1, 45) if number not in (22, 39)),
    "E47",
    *(f"F{number}" for number in range(1, 26) if number != 4),
    *(f"L{number}" for number in (*range(1, 15), 16)),
    *(f"S{number}" for number in range(1, 10)),
    *(f"C{number}" for number in range(1, 27)),
)
"""Those that a client was run through and that one client's main flow, or side flows of two, need; state and conflicts."""
_ID = re.compile(r"(?<![A-Za-z0-9])([EFLSC][0-9]{1,2})(?![0-9A-Za-z])")
_IN_NAME = re.compile(r"(?<=_)([eflsc][0-9]{1,2})(?=_|$)")


def _named() -> Iterator[str]:
    """The items in names, docstrings, parameters and tables of the tests of this folder."""
    for file in Path(__file__).parent.glob("test_*.py"):
        if file.name == Path(__file__).name:
            continue
        text = file.read_text(encoding="utf-8")
        tree = ast.parse(text)
        for table in tree.body:
            if isinstance(table, (ast.Assign, ast.AnnAssign)):
                yield from _ID.findall(ast.unparse(table))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield from (found.upper() for found in _IN_NAME.findall(node.name))
                yield from _ID.findall(ast.get_docstring(node) or "")
                for decorator in node.decorator_list:
                    yield from _ID.findall(ast.unparse(decorator))
    # The tests of all rows have the items of the rows in their ids.
    yield from (row.section for row in LIVE_ENDPOINTS)


NAMED = frozenset(_named())


@pytest.mark.parametrize("item", ITEMS)
def test_an_item_has_a_test_that_names_it(item: str) -> None:
    assert item in NAMED
