"""Scenarios from where they lie: shipped ones by name, files by path, texts as they are; and what they extend."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from mockrelay._files import data_root
from mockrelay.core.wording import nearest
from mockrelay.scenario.build import FORMAT, scenario_of
from mockrelay.scenario.errors import ScenarioError
from mockrelay.scenario.merging import check_named_once, lay_over
from mockrelay.scenario.nodes import Node, parse, place_of
from mockrelay.scenario.reading import entries, text
from mockrelay.scenario.scenario import Scenario

_SUFFIX = ".yaml"
_PATH_LIKE = re.compile(r".*\.ya?ml|.*[/\\].*", re.DOTALL)


class _HasBytes(Protocol):
    def read_bytes(self) -> bytes: ...


class Source(NamedTuple):
    """Where a scenario comes from."""

    name: str
    """What it is called where it does not say."""
    file: str
    """What errors call it."""
    key: str
    """What tells it from all others."""
    text: str
    folder: Path | None
    """Where the files are that it may extend; None where it may extend shipped ones only."""


def load(source: str | Path) -> Scenario:
    """The scenario of a shipped name (`default`) or of a file. A text that ends in .yaml or .yml or holds a path
    separator is a path. Raises ScenarioError.
    """
    if isinstance(source, Path) or _PATH_LIKE.fullmatch(source):
        return _scenario(_file_source(Path(source), None))
    return _scenario(_shipped_source(source, None))


def load_text(text: str, origin: str = "<text>") -> Scenario:
    """The scenario that a text describes; it may extend shipped ones only. Raises ScenarioError."""
    return _scenario(Source(origin, origin, f"text {origin}", text, None))


def shipped() -> tuple[str, ...]:
    """The names of the scenarios that come with the package."""
    files = data_root().joinpath("scenarios").iterdir()
    return tuple(sorted(file.name.removesuffix(_SUFFIX) for file in files if file.name.endswith(_SUFFIX)))


def _scenario(source: Source) -> Scenario:
    document, name = _whole(source, ())
    return scenario_of(document, name)


def _whole(source: Source, above: Sequence[Source]) -> tuple[Node, str]:
    """The document laid over what it extends, and its name; `above` are those that extend it."""
    document = parse(source.text, source.file)
    fields = entries(document)
    _check_format(document)
    check_named_once(fields)
    name = text(fields["name"]) if "name" in fields else source.name
    if "extends" not in fields:
        return document, name
    chain = (*above, source)
    base_source = _extended(fields["extends"], source)
    if base_source.key in (link.key for link in chain):
        circle = " > ".join(link.file for link in (*chain, base_source))
        raise fields["extends"].error(f"a circle: {circle}", "a scenario that does not lead back here")
    base, _ = _whole(base_source, chain)
    return document._replace(value=lay_over(entries(base), fields)), name


def _check_format(document: Node) -> None:
    found = entries(document).get("format")
    if found is None:
        raise document.error("no 'format'", f"`format: {FORMAT}` at the top")
    if found.value is True or found.value != FORMAT:
        raise found.error(found.shown, f"{FORMAT}, the format that this version reads")


def _extended(node: Node, source: Source) -> Source:
    named = text(node)
    if not _PATH_LIKE.fullmatch(named):
        return _shipped_source(named, node)
    if source.folder is None:
        raise node.error(f"the path {named!r}", f"a shipped scenario, {nearest('', shipped())}")
    folder = source.folder.resolve()
    path = (folder / named).resolve()
    if not path.is_relative_to(folder):
        raise node.error(f"the path {named!r}, which leaves the scenario's folder", "a file in it or below it")
    return _file_source(source.folder / named, node)


def _shipped_source(name: str, asked: Node | None) -> Source:
    names = shipped()
    if name not in names:
        raise _missing(
            asked, name, f"the scenario {name!r}, which is not shipped", f"{nearest(name, names)}, or a path"
        )
    file = f"{name}{_SUFFIX}"
    data = data_root().joinpath("scenarios", file)
    return Source(name, file, f"shipped {name}", _text_of(data, file), None)


def _file_source(path: Path, asked: Node | None) -> Source:
    if not path.is_file():
        raise _missing(asked, str(path), "no such file", "a scenario file")
    return Source(path.stem, str(path), f"file {path.resolve()}", _text_of(path, str(path)), path.parent)


def _missing(asked: Node | None, file: str, found: str, meant: str) -> ScenarioError:
    if asked is None:
        return ScenarioError(file, 0, 0, found, meant)
    return asked.error(found, meant)


def _text_of(data: _HasBytes, file: str) -> str:
    try:
        raw = data.read_bytes()
    except OSError as error:
        raise ScenarioError(file, 0, 0, f"a file that cannot be read ({error.strerror})", "a scenario file") from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8-sig", "replace")
        line, column = place_of(before, len(before))
        raise ScenarioError(file, line, column, "bytes that are no UTF-8", "a file in UTF-8") from None
