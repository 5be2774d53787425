"""YAML text to values that know where they stand. No YAML constructor is involved, so nothing is converted unseen.

Refused wherever they occur, since readers of YAML disagree about them or since they hide what a scenario says: numbers in
any notation but plain decimal, dates, repeated keys, anchors and aliases, tags, more than one document.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import yaml

from mockrelay.core.wording import shown
from mockrelay.scenario.errors import ScenarioError
from mockrelay.scenario.plain import Plain, TrapError, read_plain

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""Where the events come from: the parser in C where PyYAML has it."""

DEPTH_MAX = 32
_SHOWN_MAX = 60

Value: TypeAlias = "Plain | list[Node] | dict[str, Node]"


class Node(NamedTuple):
    """A value, where it begins (line and column from 1), and where its key does if it has one."""

    value: Value
    file: str
    line: int
    column: int
    key_line: int = 0
    key_column: int = 0

    def error(self, found: str, meant: str) -> ScenarioError:
        """Something is wrong with the value."""
        return ScenarioError(self.file, self.line, self.column, found, meant)

    def key_error(self, found: str, meant: str) -> ScenarioError:
        """Something is wrong with the value's key."""
        return ScenarioError(self.file, self.key_line, self.key_column, found, meant)

    @property
    def place(self) -> str:
        """Where it begins."""
        return f"{self.file}:{self.line}:{self.column}"

    @property
    def shown(self) -> str:
        """The value as an error calls it."""
        return shown(self.value)


def parse(text: str, file: str, loader: Any = LOADER) -> Node:
    """The one document of a YAML text; ScenarioError with the place of whatever cannot be read."""
    try:
        return _Builder(yaml.parse(text, Loader=loader), file).document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
        raise ScenarioError(
            file, line, column, f"broken YAML: {error.problem or error.context}", "valid YAML"
        ) from None
    except yaml.reader.ReaderError as error:
        line, column = _place(text, error.character)
        raise ScenarioError(file, line, column, "a character that YAML does not allow", "printable text") from None
    except UnicodeEncodeError as error:
        line, column = place_of(text, error.start)
        raise ScenarioError(file, line, column, "half a surrogate pair", "whole characters") from None


def place_of(text: str, index: int) -> tuple[int, int]:
    """Line and column, from 1, of a character."""
    before = text[:index]
    return before.count("\n") + 1, index - (before.rfind("\n") + 1) + 1


def _place(text: str, character: object) -> tuple[int, int]:
    # The two parsers count in characters and in bytes, so the character itself is looked for.
    wanted = chr(character) if isinstance(character, int) else str(character)
    index = text.find(wanted)
    return place_of(text, index) if index >= 0 else (0, 0)


class _Builder:
    """Turns a stream of YAML events into nodes."""

    __slots__ = ("_depth", "_events", "_file")

    def __init__(self, events: Iterator[Any], file: str) -> None:
        self._events = events
        self._file = file
        self._depth = 0

    def document(self) -> Node:
        """The one document."""
        next(self._events)  # the start of the stream
        start = next(self._events)
        if type(start) is yaml.StreamEndEvent:
            raise ScenarioError(self._file, 1, 1, "nothing", "a scenario, which starts with `format: 1`")
        node = self._node(next(self._events))
        next(self._events)  # the end of the document
        after = next(self._events)
        if type(after) is not yaml.StreamEndEvent:
            raise self._error(after, "a second document", "one scenario a file")
        return node

    def _node(self, event: Any, key_line: int = 0, key_column: int = 0) -> Node:
        kind = type(event)
        if kind is yaml.AliasEvent or event.anchor is not None:
            mark = "*" if kind is yaml.AliasEvent else "&"
            raise self._error(event, f"{mark}{event.anchor}", "the value itself: a scenario has no anchors")
        if event.tag is not None:
            raise self._error(event, f"the tag {event.tag}", "the value without a tag")
        value: Value
        if kind is yaml.ScalarEvent:
            value = self._scalar(event)
        else:
            self._depth += 1
            if self._depth > DEPTH_MAX:
                raise self._error(event, f"values nested more than {DEPTH_MAX} deep", "a scenario")
            value = self._map() if kind is yaml.MappingStartEvent else self._list()
            self._depth -= 1
        start = event.start_mark
        return Node(value, self._file, start.line + 1, start.column + 1, key_line, key_column)

    def _scalar(self, event: Any) -> Plain:
        text: str = event.value
        if not event.implicit[0]:
            return text
        try:
            return read_plain(text)
        except TrapError as trap:
            found = f"{text[:_SHOWN_MAX]} without quotes, which YAML takes for {trap.what}"
            raise self._error(event, found, f'"{text[:_SHOWN_MAX]}"') from None

    def _list(self) -> list[Node]:
        items: list[Node] = []
        for event in self._events:
            if type(event) is yaml.SequenceEndEvent:
                break
            items.append(self._node(event))
        return items

    def _map(self) -> dict[str, Node]:
        entries: dict[str, Node] = {}
        for event in self._events:
            if type(event) is yaml.MappingEndEvent:
                break
            key = self._node(event)
            if not isinstance(key.value, str):
                raise key.error(f"{key.shown} as a key", "a name, in quotes if need be")
            if key.value in entries:
                first = entries[key.value].key_line
                raise key.error(f"the key {key.shown} again (first in line {first})", "each key once")
            entries[key.value] = self._node(next(self._events), key.line, key.column)
        return entries

    def _error(self, event: Any, found: str, meant: str) -> ScenarioError:
        start = event.start_mark
        return ScenarioError(self._file, start.line + 1, start.column + 1, found, meant)
