"""Scenarios from where they lie: shipped ones by name, files by path, texts as they are; and what they extend."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from mockrelay._files import data_root, packaged_scenarios
from mockrelay.core.errors import InvalidInput
from mockrelay.scenario.build import scenario_of
from mockrelay.scenario.building import SCHEMA, at
from mockrelay.scenario.dump import scenario_text
from mockrelay.scenario.errors import ScenarioError
from mockrelay.scenario.history import in_words_of_the_spec
from mockrelay.scenario.merge import check_named_once, lay_over
from mockrelay.scenario.scenario import Scenario
from mockrelay.scenario.validate import unknown_above
from mockrelay.scenario.yaml_nodes import Node, located, parse, place_of, plain_of
from mockrelay.suggest import nearest, shown
from mockrelay.wire.violations import check

_SUFFIX = ".yaml"
_PATH_LIKE = re.compile(r".*\.ya?ml|.*[/\\].*", re.DOTALL)

_NO_PATH = (OSError, RuntimeError, ValueError)
"""What looking for a file raises for a name too long, for links in a circle, and for a zero character."""
FORMAT = 1
_HEAD = {
    "format": f"{SCHEMA}#/properties/format",
    "name": f"{SCHEMA}#/properties/name",
    # Whether it is there, and what was meant in its place, is said by whoever looks for it.
    "extends": f"{SCHEMA}#/$defs/text",
}
"""What is read before anything is extended, and the schemas that hold already then."""

_parse_kept = lru_cache(maxsize=32)(parse)
"""For shipped scenarios, which nearly every other one extends. Documents never change, so one can serve all."""


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
    is_packaged: bool = False


def load(source: str | Path) -> Scenario:
    """The scenario of a shipped name (`default`) or of a file. A text that ends in .yaml or .yml or holds a path
    separator is a path. Raises ScenarioError.
    """
    return _scenario(_source(source))


def load_text(text: str, origin: str = "<text>") -> Scenario:
    """The scenario that a text describes; it may extend shipped ones only. Raises ScenarioError."""
    return _scenario(_text_source(text, origin))


def flat(source: str | Path) -> dict[str, Any]:
    """The document of a scenario together with all that it extends, as plain values: what `load` takes for the same
    scenario once it is written down. Raises ScenarioError where `load` would.
    """
    return _flat(_source(source))


def flat_text(text: str, origin: str = "<text>") -> dict[str, Any]:
    """The same for the scenario that a text describes."""
    return _flat(_text_source(text, origin))


def description(source: str | Path) -> str:
    """What a scenario is for: the first sentence of the comment at its top, or nothing. Raises ScenarioError where there
    is no such file.
    """
    lines = _source(source).text.splitlines()
    comment = " ".join(line.removeprefix("#").strip() for line in takewhile(lambda line: line.startswith("#"), lines))
    sentence, stop, _ = comment.partition(". ")
    return sentence + stop.rstrip()


def shipped() -> tuple[str, ...]:
    """The names of the scenarios that come with the package."""
    return packaged_scenarios()


def _scenario(source: Source) -> Scenario:
    with _no_collections():
        document, name, texts = _whole(source, ())
        return replace(_built(source, document, name), texts=texts)


def _built(source: Source, document: Node, name: str) -> Scenario:
    """The scenario of a whole document, held to the schema; a packaged one is right, as the tests show, and starts faster."""
    values = plain_of(document)
    in_words_of_the_spec(values)
    try:
        if not source.is_packaged:
            check(SCHEMA, values)
        return scenario_of(values, name)
    except InvalidInput as wrong:
        raise located(document, unknown_above(values, wrong) or wrong) from None


@contextmanager
def _no_collections() -> Iterator[None]:
    """Keep the garbage collector from walking through what is being made, again and again: nothing of it is garbage that
    only a collector finds, and in a large scenario looking for some takes as long as all the rest.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _flat(source: Source) -> dict[str, Any]:
    with _no_collections():
        document, name, _ = _whole(source, ())
        _built(source, document, name)
        values = plain_of(document)
    return _headed(values, name)


def text_of(scenario: Scenario) -> str:
    """A scenario as one text that extends nothing: the same one when it is loaded."""
    with _no_collections():
        document: Mapping[str, Node] = {}
        for text_ in reversed(scenario.texts):
            document = lay_over(document, _entries(parse(text_, scenario.name)))
        values = {key: plain_of(node) for key, node in document.items()}
    return scenario_text(_headed(values, scenario.name))


def _headed(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {"format": FORMAT, "name": name} | {key: values[key] for key in values if key not in _HEAD}


def _source(source: str | Path) -> Source:
    try:
        if isinstance(source, Path) or _PATH_LIKE.fullmatch(source):
            return _file_source(Path(source))
        return _shipped_source(source)
    except InvalidInput as wrong:
        raise ScenarioError(str(source), 0, 0, wrong.found, wrong.expected) from None


def _text_source(text: str, origin: str) -> Source:
    return Source(origin, origin, f"text {origin}", text, None)


def _whole(source: Source, above: Sequence[Source]) -> tuple[Node, str, tuple[str, ...]]:
    """The document laid over what it extends, its name, and the texts of all of them, its own first; `above` are those
    that extend it.
    """
    document = (_parse_kept if source.is_packaged else parse)(source.text, source.file)
    try:
        head = _head(document)
        base_source = _extended(head, source, above)
    except InvalidInput as wrong:
        raise located(document, wrong) from None
    name = head.get("name", source.name)
    if base_source is None:
        return document, name, (source.text,)
    base, _, texts = _whole(base_source, (*above, source))
    merged = lay_over(_entries(base), _entries(document))
    del merged["extends"]
    return document._replace(value=merged), name, (source.text, *texts)


def _entries(document: Node) -> dict[str, Node]:
    if not isinstance(document.value, dict):
        raise InvalidInput((), shown(document.value), "a map")
    return document.value


def _head(document: Node) -> dict[str, Any]:
    """The values that are needed before anything is extended; InvalidInput where one is wrong, or a name is given twice."""
    fields = _entries(document)
    head = {key: plain_of(fields[key]) for key in _HEAD if key in fields}
    if "format" not in head:
        raise InvalidInput(("format",), "no 'format'", f"`format: {FORMAT}` at the top")
    for key, value in head.items():
        with at(key):
            check(_HEAD[key], value)
    check_named_once(fields)
    return head


def _extended(head: Mapping[str, Any], source: Source, above: Sequence[Source]) -> Source | None:
    """What a document extends, None where that is nothing; `above` are those that extend this one."""
    if "extends" not in head:
        return None
    with at("extends"):
        found = _named_source(head["extends"], source)
        chain = (*above, source)
        if found.key in (link.key for link in chain):
            circle = " > ".join(link.file for link in (*chain, found))
            raise InvalidInput((), f"a circle: {circle}", "a scenario that does not lead back here")
    return found


def _named_source(named: str, source: Source) -> Source:
    """What `extends` names in a document that comes from `source`."""
    if not _PATH_LIKE.fullmatch(named):
        return _shipped_source(named)
    if source.folder is None:
        raise InvalidInput((), f"the path {named!r}", f"a shipped scenario, {nearest('', shipped())}")
    try:
        folder = source.folder.resolve()
        is_inside = (folder / named).resolve().is_relative_to(folder)
    except _NO_PATH:
        raise InvalidInput((), f"the path {named!r}, which no file can have", "a scenario file") from None
    if not is_inside:
        found = f"the path {named!r}, which leaves the scenario's folder"
        raise InvalidInput((), found, "a file in it or below it")
    return _file_source(source.folder / named)


def _shipped_source(name: str) -> Source:
    names = shipped()
    if name not in names:
        found = f"the scenario {name!r}, which is not shipped"
        raise InvalidInput((), found, f"{nearest(name, names)}, or a path")
    file = f"{name}{_SUFFIX}"
    data = data_root().joinpath("scenarios", file)
    return Source(name, file, f"shipped {name}", _text_of(data, file), None, is_packaged=True)


def _file_source(path: Path) -> Source:
    try:
        is_there, is_folder = path.is_file(), path.is_dir()
    except _NO_PATH:
        is_there = is_folder = False
    if not is_there:
        raise InvalidInput((), "a folder" if is_folder else "no such file", "a scenario file")
    return Source(path.stem, str(path), f"file {path.resolve()}", _text_of(path, str(path)), path.parent)


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
