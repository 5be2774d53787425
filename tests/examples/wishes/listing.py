"""The wishes as the guide lists them.

Each test beside this file is one wish: its docstring says what is wanted, its decorators and the lines up to the first
empty one are what the guide shows, and the rest proves that they do what they should.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parent


def wishes() -> dict[str, str]:
    """The wishes of each file, by the names of their regions: `wishes orders` for `test_orders.py`."""
    return {
        f"wishes {path.stem.removeprefix('test_')}": "\n".join(_items(path.read_text(encoding="utf-8")))
        for path in sorted(FOLDER.glob("test_*.py"))
    }


def _items(source: str) -> Iterator[str]:
    """One item of a list for each test: the wish, and the code that fulfils it."""
    lines = source.splitlines()
    for test in ast.parse(source).body:
        if isinstance(test, ast.FunctionDef) and test.name.startswith("test_"):
            marks = [line for mark in test.decorator_list for line in lines[mark.lineno - 1 : mark.end_lineno]]
            body = lines[test.body[0].end_lineno : test.end_lineno]
            code = "\n".join(body[: [*body, ""].index("")])
            if marks:
                names = ", ".join(own.arg for own in test.args.args)
                code = "\n".join((*marks, f"def {test.name}({names}):", code))
            fence = textwrap.indent(f"```python\n{textwrap.dedent(code)}\n```", "  ")
            yield f"- {' '.join((ast.get_docstring(test) or '').split())}\n\n{fence}\n"
