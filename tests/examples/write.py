"""Fills the marked regions of the README and of the guide's pages: `python -m tests.examples.write`.

A region stands between `<!-- NAME -->` and `<!-- end -->`. NAME is one of

- the name of what is derived from the product (`tables`, `world`, `states`, `reference`), such as `codes`;
- `contents`: links to the page's sections;
- `example FILE`: a file of `tests/examples/pages` (or of `tests/examples`: `../FILE`) as a code block, without its
  docstring;
- `example FILE#PART`: its lines between `# region PART` and `# endregion` (in TypeScript `// # region PART`);
- `speed`, which `python -m tests.benchmarks --write` fills.

The client for JavaScript has no marks: the fields of faults stand in its types.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from tests.examples.fault_types import with_fault_types
from tests.examples.live_reference import live_reference
from tests.examples.reference import reference
from tests.examples.states import state_parts
from tests.examples.tables import tables
from tests.examples.world import world_tables

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "mockrelay" / "guide"
EXAMPLES = Path(__file__).parent / "pages"
FILLED_ELSEWHERE = frozenset({"speed"})

_REGION = re.compile(r"(<!-- (?!end )([^>]+?) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
_FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
_LANGUAGES = {
    "": "dockerfile",
    ".conf": "nginx",
    ".py": "python",
    ".yaml": "yaml",
    ".json": "json",
    ".js": "js",
    ".mjs": "js",
    ".ts": "ts",
    ".sh": "sh",
    ".html": "html",
    ".txt": "text",
}


def pages() -> tuple[Path, ...]:
    """The README and the pages of the guide."""
    return (ROOT / "README.md", *sorted(GUIDE.glob("*.md")))


def written() -> tuple[Path, ...]:
    """All that the writer fills: the pages, and the client for JavaScript."""
    return (*pages(), *sorted((ROOT / "mockrelay" / "js").glob("client.*")))


def refreshed(text: str) -> str:
    """A page or module with what is derived as it should be."""
    text = with_fault_types(text)
    return _REGION.sub(lambda found: f"{found[1]}{_content(found[2], text) or found[3].rstrip()}\n{found[4]}", text)


def anchor(title: str) -> str:
    """The anchor that a heading gets on a page."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def headings(text: str, level: str = "#+") -> Iterator[str]:
    """The headings of a page whose marks match `level`."""
    return (title for title in re.findall(rf"^{level} (.+)$", _FENCED.sub("", text), re.MULTILINE))


def _content(name: str, page: str) -> str | None:
    """What a region should hold; None: what it holds. Raises KeyError where there is no such region."""
    kind, _, source = name.partition(" ")
    if name in FILLED_ELSEWHERE:
        return None
    if name == "contents":
        return " ·\n".join(f"[{title}](#{anchor(title)})" for title in headings(page, "##"))
    return _code_block(source) if kind == "example" else _derived()[name]


@cache
def _derived() -> Mapping[str, str]:
    return {**tables(), **world_tables(), **state_parts(), "reference": reference(), "live_reference": live_reference()}


def _code_block(source: str) -> str:
    name, _, part = source.partition("#")
    path = EXAMPLES / name
    text = path.read_text(encoding="utf-8")
    code = _part(text, part, path) if part else _without_docstring(text) if path.suffix == ".py" else text
    return f"```{_LANGUAGES[path.suffix]}\n{code.strip()}\n```"


def _part(text: str, part: str, path: Path) -> str:
    found = re.search(
        rf"^\s*(?:// )?# region {re.escape(part)}\n(.*?)^\s*(?:// )?# endregion", text, re.DOTALL | re.MULTILINE
    )
    if found is None:
        raise KeyError(f"{path} has no region {part}")
    return textwrap.dedent(found[1])


def _without_docstring(text: str) -> str:
    module = ast.parse(text)
    first = module.body[0]
    is_docstring = isinstance(first, ast.Expr) and ast.get_docstring(module) is not None
    return "".join(text.splitlines(keepends=True)[first.end_lineno if is_docstring else 0 :])


def main() -> None:
    """Write what has changed."""
    for path in written():
        text = path.read_text(encoding="utf-8")
        if text != refreshed(text):
            path.write_text(refreshed(text), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
