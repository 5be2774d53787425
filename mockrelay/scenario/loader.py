"""Loads scenarios: shipped ones by name, files by path, or texts; together with the scenarios that they extend."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, lru_cache
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from mockrelay._files import data_root, packaged_scenarios
from mockrelay.core.errors import InvalidInput
from mockrelay.core.world import with_option_texts
from mockrelay.scenario.build import build_scenario
from mockrelay.scenario.dump import scenario_text
from mockrelay.scenario.history import normalize_tx_types
from mockrelay.scenario.merge import check_unique_names, merge_documents
from mockrelay.scenario.scenario import FORMAT, Scenario
from mockrelay.scenario.section import SCHEMA, at
from mockrelay.scenario.validate import unknown_name_above
from mockrelay.scenario.yaml import Node, ScenarioError, node_of, parse, place_of, plain_value, scenario_error
from mockrelay.suggest import in_quotes, nearest, shown
from mockrelay.wire.violations import check

_SUFFIX = ".yaml"

_PATH_ERRORS = (OSError, RuntimeError, ValueError)
"""What file functions raise for a name that is too long, links in a circle, and a zero character."""
_HEAD = {
    "format": f"{SCHEMA}#/properties/format",
    "name": f"{SCHEMA}#/properties/name",
    # Only the form: `_base_source` says which scenario it names.
    "extends": f"{SCHEMA}#/$defs/text",
}
"""The fields that are read before anything is extended, with their schemas."""

_parse_cached = lru_cache(maxsize=32)(parse)
"""For shipped scenarios, which most others extend. Nodes are immutable by convention, so a document can be shared."""


class _HasBytes(Protocol):
    def read_bytes(self) -> bytes: ...


class Source(NamedTuple):
    """The origin of a scenario."""

    name: str
    """The name, unless the text has one."""
    file: str
    """The file name in errors."""
    key: str
    """Identifies it, to detect circles."""
    text: str
    folder: Path | None
    """The folder of files that it may extend; None: it may extend shipped scenarios only."""
    is_packaged: bool = False
    document: Node | None = None
    """The text's document, where that is known without reading it."""
    values_max: int = sys.maxsize
    """How many values it may have."""


def load(source: str | Path) -> Scenario:
    """The scenario of a shipped name (`default`) or of a file. A text that ends in .yaml or .yml or holds a path
    separator is a path. Raises ScenarioError.
    """
    return scenario_of(source_of(source))


def load_text(text: str, origin: str = "<text>", values_max: int = sys.maxsize) -> Scenario:
    """The scenario that a text describes; it may extend shipped ones only, and has at most so many values. Raises ScenarioError."""
    return scenario_of(source_of_text(text, origin)._replace(values_max=values_max))


def load_document(values: Mapping[str, Any], name: str, folder: Path) -> Scenario:
    """The scenario of a document in Python: `format` and `name` may be left out, and it may extend files in a folder. The place
    of an error is the path of the value (`faults[0].code`). Raises ScenarioError.
    """
    whole = {"format": FORMAT, "name": name, **values}
    document = node_of(whole)
    return scenario_of(Source(name, "the scenario", "the document", scenario_text(whole), folder, document=document))


def flat(source: str | Path) -> dict[str, Any]:
    """The document of a scenario merged with all that it extends, as plain values: their `scenario_text` loads as the same
    scenario. Raises ScenarioError.
    """
    return _flat(source_of(source))


def flat_text(text: str, origin: str = "<text>") -> dict[str, Any]:
    """The same for the scenario that a text describes."""
    return _flat(source_of_text(text, origin))


def description(source: str | Path) -> str:
    """What a scenario is for: the first sentence of the comment at its top, or an empty text. Raises ScenarioError if the
    file cannot be read.
    """
    lines = source_of(source).text.splitlines()
    comment = " ".join(line.removeprefix("#").strip() for line in takewhile(lambda line: line.startswith("#"), lines))
    sentence, stop, _ = comment.partition(". ")
    return sentence + stop.rstrip()


def is_path(source: str) -> bool:
    """Whether the source of a scenario is a path, and not the name of a shipped one."""
    return source.endswith((".yaml", ".yml")) or "/" in source or "\\" in source


def shipped() -> tuple[str, ...]:
    """The names of the scenarios in the package."""
    return packaged_scenarios()


def scenario_of(source: Source) -> Scenario:
    """The scenario of what `source_of` has found. Raises ScenarioError."""
    with _without_garbage_collection():
        found = _scenario_or_error(source)
    if isinstance(found, ScenarioError):
        raise found
    return found


def _scenario_or_error(source: Source) -> Scenario | ScenarioError:
    """As `scenario_of`. When this has returned, nothing refers to the document any more: what the collector would walk through
    as soon as it is on again, while no other thread can run.
    """
    try:
        document, name, texts = read_document(source, ())
        return replace(_build(source, document, name), texts=texts)
    except ScenarioError as error:
        return ScenarioError(*error.args)


def _build(source: Source, document: Node, name: str) -> Scenario:
    """The scenario of a merged document. Packaged ones are not checked by the schema, which the tests do, to start faster."""
    values = prepared_values(document)
    try:
        if not source.is_packaged:
            check(SCHEMA, values)
        return build_scenario(values, name)
    except InvalidInput as wrong:
        raise scenario_error(document, unknown_name_above(values, wrong) or wrong) from None


def prepared_values(document: Node) -> Any:
    """The values of a document, words and options in the form that the schema has."""
    values = plain_value(document)
    normalize_tx_types(values)
    _normalize_options(values)
    return values


def _normalize_options(values: dict[str, Any]) -> None:
    """Put the options into the place of numbers that mean them, among the choices and in the timeline."""
    timeline = values.get("timeline")
    entries = [entry.get("do") for entry in timeline if isinstance(entry, dict)] if isinstance(timeline, list) else []
    for place in (values, *entries):
        if isinstance(place, dict) and isinstance(place.get("choices"), dict):
            place["choices"] = with_option_texts(place["choices"])


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Switch the garbage collector off: it would walk again and again through the growing document, which has no cycles,
    and double the time that a large scenario takes.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _flat(source: Source) -> dict[str, Any]:
    with _without_garbage_collection():
        document, name, _ = read_document(source, ())
        _build(source, document, name)
        values = plain_value(document)
    return _with_head(values, name)


def text_of(scenario: Scenario) -> str:
    """The scenario as one text that extends nothing and loads as an equal scenario."""
    return _merged_text(scenario.texts, scenario.name)


@lru_cache(maxsize=4)  # A dump and each start of a record need it, mostly that of one scenario.
def _merged_text(texts: tuple[str, ...], name: str) -> str:
    with _without_garbage_collection():
        document: Mapping[str, Node] = {}
        for text_ in reversed(texts):
            document = merge_documents(document, _entries(parse(text_, name)))
        values = {key: plain_value(node) for key, node in document.items()}
    return scenario_text(_with_head(values, name))


def _with_head(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {"format": FORMAT, "name": name} | {key: values[key] for key in values if key not in _HEAD}


def source_of(source: str | Path) -> Source:
    """What `load` reads. Raises ScenarioError."""
    try:
        if isinstance(source, Path) or is_path(source):
            return _file_source(Path(source))
        return _shipped_source(source)
    except InvalidInput as wrong:
        raise ScenarioError(str(source), 0, 0, wrong.found, wrong.expected) from None


def source_of_text(text: str, origin: str, folder: Path | None = None) -> Source:
    """What `load_text` reads; `folder` has the files that it may extend."""
    return Source(origin, origin, f"text {origin}", text, folder)


def read_document(source: Source, descendants: Sequence[Source]) -> tuple[Node, str, tuple[str, ...]]:
    """The document merged onto what it extends, its name, and the texts of all of them, its own first. `descendants`: the
    scenarios that led here by extending.
    """
    read = _parse_cached if source.is_packaged else parse
    document = source.document or read(source.text, source.file, values_max=source.values_max)
    try:
        head = _head(document)
        base_source = _base_source(head, source, descendants)
    except InvalidInput as wrong:
        raise scenario_error(document, wrong) from None
    name = head.get("name", source.name)
    if base_source is None:
        return document, name, (source.text,)
    base, _, texts = read_document(base_source, (*descendants, source))
    merged = merge_documents(_entries(base), _entries(document))
    del merged["extends"]
    return document._replace(value=merged), name, (source.text, *texts)


def _entries(document: Node) -> dict[str, Node]:
    if not isinstance(document.value, dict):
        raise InvalidInput((), shown(document.value), "a map")
    return document.value


def _head(document: Node) -> dict[str, Any]:
    """The fields that are needed before anything is extended; InvalidInput where one is wrong or a name is repeated."""
    fields = _entries(document)
    head = {key: plain_value(fields[key]) for key in _HEAD if key in fields}
    if "format" not in head:
        raise InvalidInput(("format",), "no 'format'", f"`format: {FORMAT}` at the top")
    for key, value in head.items():
        with at(key):
            check(_HEAD[key], value)
    check_unique_names(fields)
    return head


def _base_source(head: Mapping[str, Any], source: Source, descendants: Sequence[Source]) -> Source | None:
    """The scenario that a document extends, or None. `descendants` as for `_load_document`."""
    if "extends" not in head:
        return None
    with at("extends"):
        found = _named_source(head["extends"], source)
        chain = (*descendants, source)
        if found.key in (link.key for link in chain):
            circle = " > ".join(link.file for link in (*chain, found))
            raise InvalidInput((), f"a circle: {circle}", "a scenario that does not lead back here")
    return found


def _named_source(named: str, source: Source) -> Source:
    """The scenario that `extends: named` means in a document from `source`."""
    if not is_path(named):
        return _shipped_source(named)
    if source.folder is None:
        raise InvalidInput((), f"the path {in_quotes(named)}", f"a shipped scenario, {nearest('', shipped())}")
    try:
        folder = source.folder.resolve()
        is_inside = (folder / named).resolve().is_relative_to(folder)
    except _PATH_ERRORS:
        raise InvalidInput((), f"the path {in_quotes(named)}, which no file can have", "a scenario file") from None
    if not is_inside:
        found = f"the path {in_quotes(named)}, which leaves the scenario's folder"
        raise InvalidInput((), found, "a file in it or below it")
    return _file_source(source.folder / named)


@cache
def _shipped_source(name: str) -> Source:
    names = shipped()
    if name not in names:
        found = f"the scenario {in_quotes(name)}, which is not shipped"
        raise InvalidInput((), found, f"{nearest(name, names)}, or a path")
    file = f"{name}{_SUFFIX}"
    data = data_root().joinpath("scenarios", file)
    return Source(name, file, f"shipped {name}", _read_text(data, file), None, is_packaged=True)


def _file_source(path: Path) -> Source:
    try:
        is_there, is_folder = path.is_file(), path.is_dir()
    except _PATH_ERRORS:
        is_there = is_folder = False
    if not is_there:
        raise InvalidInput((), "a folder" if is_folder else "no such file", "a scenario file")
    return Source(path.stem, str(path), f"file {path.resolve()}", _read_text(path, str(path)), path.parent)


def _read_text(data: _HasBytes, file: str) -> str:
    try:
        raw = data.read_bytes()
    except OSError as error:
        raise ScenarioError(file, 0, 0, f"a file that cannot be read ({error.strerror})", "a scenario file") from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8-sig", "replace")
        line, column = place_of(before, len(before))
        raise ScenarioError(file, line, column, "bytes that are not UTF-8", "a file in UTF-8") from None
