"""YAML text to nodes with line and column, built from parser events; YAML constructors, which convert values, are not used.

Not allowed, since YAML readers disagree about them or since they make a file hard to read: numbers in any notation but
plain decimal, dates, repeated keys, anchors and aliases, tags, more than one document.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

import yaml

from mockrelay.core.errors import InvalidInput, Path
from mockrelay.scenario.scalars import Plain, read_plain
from mockrelay.suggest import cut, shown
from mockrelay.wire.json_body import has_half_pair
from mockrelay.wire.violations import RepeatedValue

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The parser: the one in C if PyYAML was built with it."""

DEPTH_MAX = 32
_COLLECTIONS = (dict, list)
_SCALAR, _MAP_END = yaml.ScalarEvent, yaml.MappingEndEvent
_PIECE = 65_536
"""How many characters the parser reads at once."""

Value: TypeAlias = "Plain | list[Node] | dict[str, Node]"


class ScenarioError(ValueError):
    """A scenario that cannot be read: line and column (from 1, or 0 where the error has no place in a file), what was
    found there, and what was meant.
    """

    def __init__(self, file: str, line: int, column: int, found: str, meant: str) -> None:
        super().__init__(file, line, column, found, meant)
        self.file = file
        self.line = line
        self.column = column
        self.found = found
        self.meant = meant

    @property
    def place(self) -> str:
        """`file:line:column`, or the file alone."""
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file

    def __str__(self) -> str:
        return f"{self.place}: found {self.found}; meant {self.meant}"


class Node(NamedTuple):
    """A value with line and column (from 1) of its start, and those of its key, or 0, 0 without a key."""

    value: Value
    file: str
    line: int
    column: int
    key_line: int = 0
    key_column: int = 0

    def error(self, found: str, meant: str) -> ScenarioError:
        """An error at the value."""
        return ScenarioError(self.file, self.line, self.column, found, meant)

    @property
    def place(self) -> str:
        """`file:line:column` of its start, or the file alone."""
        return self.error("", "").place

    @property
    def shown(self) -> str:
        """The value as errors show it."""
        return shown(self.value)


class _Pieces:
    """A long text as a parser reads it: a call of Python for each piece, between which other threads run. The parser in C
    holds them up until it has a whole value or comment.
    """

    def __init__(self, text: str) -> None:
        text.encode()  # raises with the place in the whole text
        self._text = text
        self._at = 0

    def read(self, _size: int = 0) -> str:
        """The next piece; empty at the end."""
        piece = self._text[self._at : self._at + _PIECE]
        self._at += len(piece)
        return piece


def parse(text: str, file: str, loader: Any = LOADER, values_max: int = sys.maxsize) -> Node:
    """The document of a YAML text, which has at most so many values, lists and maps included. Raises ScenarioError."""
    text = text.removeprefix("\ufeff")
    try:
        events = loader(text if len(text) <= _PIECE else _Pieces(text))
        # Each value but the whole has a character of its own at least.
        if len(text) < values_max:
            return _Builder(events, text, file).document()
        return _BoundedBuilder(events, text, file, values_max).document()
    except yaml.MarkedYAMLError as error:
        raise _syntax_error(error, text, file) from None
    except yaml.reader.ReaderError as error:
        line, column = _place_of_character(text, error.character)
        raise ScenarioError(file, line, column, "a character that YAML does not allow", "printable text") from None
    except UnicodeEncodeError as error:
        line, column = place_of(text, error.start)
        raise ScenarioError(file, line, column, "half a surrogate pair", "whole characters") from None


def _syntax_error(error: yaml.MarkedYAMLError, text: str, file: str) -> ScenarioError:
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
    if mark and text[mark.index : mark.index + 1] == "\t":
        return ScenarioError(file, line, column, "a tab", "blanks: YAML takes nothing else at the start of a line")
    return ScenarioError(file, line, column, f"broken YAML: {cut(error.problem or error.context or '')}", "valid YAML")


def node_of(value: Any, path: str = "") -> Node:
    """The node of a plain value. Its place is its path, in place of a file. Raises ScenarioError for a value that no scenario
    can have.
    """
    place = path or "the scenario"
    if isinstance(value, Mapping):
        if wrong := next((key for key in value if not isinstance(key, str)), None):
            raise ScenarioError(place, 0, 0, f"the key {shown(wrong)}", "texts as keys")
        return Node({key: node_of(own, f"{path}.{key}" if path else key) for key, own in value.items()}, place, 0, 0)
    if isinstance(value, list | tuple):
        return Node([node_of(own, f"{path}[{index}]") for index, own in enumerate(value)], place, 0, 0)
    if value is not None and not isinstance(value, str | int):
        raise ScenarioError(place, 0, 0, shown(value), "a text, a whole number, true, false, a list or a map")
    return Node(value, place, 0, 0)


def plain_value(node: Node) -> Any:
    """The value without line and column: lists and maps of plain values, in their order."""
    value = node.value
    # Without a call for each of the innermost values, of which a large scenario has hundreds of thousands.
    if isinstance(value, dict):
        return {
            key: plain_value(inner) if isinstance(own := inner.value, _COLLECTIONS) else own
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [plain_value(inner) for inner in value]
    return value


def scenario_error(document: Node, wrong: InvalidInput) -> ScenarioError:
    """The error with line and column; for something that is missing, those of the innermost value on its path."""
    node = _node_at(document, wrong.path)
    found = wrong.found
    if isinstance(wrong, RepeatedValue):
        found += f" (first at {_node_at(document, wrong.first).place})"
    line, column = (node.key_line, node.key_column) if wrong.at_key else (node.line, node.column)
    return ScenarioError(node.file, line, column, found, wrong.expected)


def _node_at(node: Node, path: Path) -> Node:
    for step in path:
        value = node.value
        if isinstance(value, dict) and step in value:
            node = value[str(step)]
        elif isinstance(value, list) and isinstance(step, int):
            node = value[step]
        else:
            break
    return node


def place_of(text: str, index: int) -> tuple[int, int]:
    """Line and column, from 1, of a character."""
    before = text[:index]
    return before.count("\n") + 1, index - (before.rfind("\n") + 1) + 1


def _place_of_character(text: str, character: object) -> tuple[int, int]:
    # The two parsers count differently, in characters or in bytes, so the text is searched for the character.
    wanted = chr(character) if isinstance(character, int) else str(character)
    index = text.find(wanted)
    return place_of(text, index) if index >= 0 else (0, 0)


class _Builder:
    """Builds nodes from a stream of YAML events.

    A large scenario has hundreds of thousands of events, so each passes a single test for all that is not allowed; which
    of it was found is determined only when the test fails.
    """

    __slots__ = ("_depth", "_event", "_file", "_text")

    def __init__(self, loader: Any, text: str, file: str) -> None:
        self._event: Callable[[], Any] = loader.get_event
        self._text = text if "!" in text else ""
        self._file = file
        self._depth = 0

    def document(self) -> Node:
        """The one document."""
        self._event()  # the start of the stream
        start = self._event()
        if type(start) is yaml.StreamEndEvent:
            raise ScenarioError(self._file, 1, 1, "nothing", "a scenario, which starts with `format: 1`")
        node = self._node(self._event(), 0, 0)
        self._event()  # the end of the document
        after = self._event()
        if type(after) is not yaml.StreamEndEvent:
            raise self._error(after, "a second document", "one scenario a file")
        return node

    def _node(self, event: Any, key_line: int, key_column: int) -> Node:
        mark = event.start_mark
        value = self._scalar(event) if type(event) is _SCALAR else self._collection(event)
        return Node(value, self._file, mark.line + 1, mark.column + 1, key_line, key_column)

    def _scalar(self, event: Any) -> Plain:
        if event.tag is not None or event.anchor is not None:
            raise self._not_allowed(event)
        text: str = event.value
        if not text.isascii() and has_half_pair(text):
            # From an escape, which one of the two parsers accepts.
            raise self._error(event, "half a surrogate pair", "whole characters")
        if not event.implicit[0]:
            return text
        # The parser in C drops the tag `!`, and then reports a quoted text as one without quotes.
        if self._text and self._text.startswith("!", event.start_mark.index):
            raise self._error(event, "the tag !", "the value without a tag")
        try:
            return read_plain(text)
        except InvalidInput as wrong:
            raise self._error(event, wrong.found, wrong.expected) from None

    def _collection(self, event: Any) -> list[Node] | dict[str, Node]:
        kind = type(event)
        if kind is yaml.AliasEvent or event.tag is not None or event.anchor is not None:
            raise self._not_allowed(event)
        self._depth += 1
        if self._depth > DEPTH_MAX:
            raise self._error(event, f"values nested more than {DEPTH_MAX} deep", "a scenario")
        value = self._map() if kind is yaml.MappingStartEvent else self._list()
        self._depth -= 1
        return value

    def _list(self) -> list[Node]:
        items: list[Node] = []
        while type(event := self._event()) is not yaml.SequenceEndEvent:
            items.append(self._node(event, 0, 0))
        return items

    def _map(self) -> dict[str, Node]:
        entries: dict[str, Node] = {}
        while type(event := self._event()) is not _MAP_END:
            mark = event.start_mark
            key = self._scalar(event) if type(event) is _SCALAR else None
            if type(key) is not str or key in entries:
                raise self._wrong_key(event, entries)
            entries[key] = self._node(self._event(), mark.line + 1, mark.column + 1)
        return entries

    def _wrong_key(self, event: Any, entries: Mapping[str, Node]) -> ScenarioError:
        key = self._node(event, 0, 0)
        if isinstance(key.value, str):
            first = entries[key.value].key_line
            return key.error(f"the key {key.shown} again (first in line {first})", "each key once")
        return key.error(f"{key.shown} as a key", "a name, in quotes if need be")

    def _not_allowed(self, event: Any) -> ScenarioError:
        """The error for an alias, an anchor or a tag."""
        if event.anchor is None:
            return self._error(event, f"the tag {cut(event.tag)}", "the value without a tag")
        mark = "*" if type(event) is yaml.AliasEvent else "&"
        return self._error(event, f"{mark}{cut(event.anchor)}", "the value itself: a scenario has no anchors")

    def _error(self, event: Any, found: str, meant: str) -> ScenarioError:
        start = event.start_mark
        return ScenarioError(self._file, start.line + 1, start.column + 1, found, meant)


class _BoundedBuilder(_Builder):
    """Builds at most so many nodes."""

    __slots__ = ("_values_left", "_values_max")

    def __init__(self, loader: Any, text: str, file: str, values_max: int) -> None:
        super().__init__(loader, text, file)
        self._values_max = self._values_left = values_max

    def _node(self, event: Any, key_line: int, key_column: int) -> Node:
        self._values_left -= 1
        if self._values_left < 0:
            found, meant = f"more than {self._values_max:,} values", "fewer, or a file that the server is started with"
            raise self._error(event, found, meant)
        return super()._node(event, key_line, key_column)
