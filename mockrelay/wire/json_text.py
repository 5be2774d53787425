"""Large values as JSON text, and back, in pieces: what is written or read in one call lets no other thread run meanwhile."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import partial
from typing import Any

PIECE = 1_000
"""How many members of a list or an object are written at once."""
READ_AT_ONCE = 4 << 10
"""The length up to which a text, or a list or an object in a longer one, is read at once."""
FREED_AT_ONCE = 100
"""How many members of a list are freed at once."""
_COMPACT = json.JSONEncoder(separators=(",", ":"))
_BLANKS = re.compile(r"[ \t\r\n]*")


def compact_json(value: Any) -> str:
    """A value as JSON without blanks, the same text as that of Python's own encoder."""
    if isinstance(value, dict) and any(map(_is_large, value.values())):
        return f"{{{','.join(f'{_COMPACT.encode(str(name))}:{compact_json(own)}' for name, own in value.items())}}}"
    if not isinstance(value, dict | list) or len(value) <= PIECE:
        return _COMPACT.encode(value)
    members = list(value.items() if isinstance(value, dict) else value)
    pieces = (members[at : at + PIECE] for at in range(0, len(members), PIECE))
    is_object = isinstance(value, dict)
    inner = ",".join(_COMPACT.encode(dict(piece) if is_object else piece)[1:-1] for piece in pieces)
    return f"{{{inner}}}" if is_object else f"[{inner}]"


def _is_large(value: Any) -> bool:
    """Whether a value is long, or has a long member that `compact_json` would find."""
    if isinstance(value, dict):
        return len(value) > PIECE or any(map(_is_large, value.values()))
    return isinstance(value, list | tuple) and len(value) > PIECE


class NoJsonError(ValueError):
    """A text that is not JSON."""

    def __init__(self, column: int) -> None:
        super().__init__(f"not JSON at column {column}")
        self.column = column
        """Where the first value or mark begins that is not JSON, from 1."""


class JsonReader:
    """Reads JSON texts. Python's own reader has what is short in them, in one call each."""

    __slots__ = ("_read", "_text", "large")

    def __init__(self) -> None:
        names: dict[str, str] = {}
        self.large: list[Any] = [names]
        """For `free`: the lists and objects that were not read in one call, also those of texts that are not JSON."""
        self._read = json.JSONDecoder(object_pairs_hook=partial(_object, names)).raw_decode
        self._text = ""

    def value(self, text: str) -> Any:
        """The value of a text. Raises NoJsonError, and RecursionError where it is nested too deep."""
        self._text = text
        value, at = self._value(self._behind_blanks(0))
        at = self._behind_blanks(at)
        if at < len(text):
            raise NoJsonError(at + 1)
        return value

    def _value(self, at: int) -> tuple[Any, int]:
        """The value at an index, and the index behind it."""
        mark = self._text[at : at + 1]
        if mark not in ("[", "{"):
            return self._scalar(at)
        try:
            value, size = self._read(self._text[at : at + READ_AT_ONCE])
        except ValueError:
            # It is longer, or it is wrong: the place is found among its members.
            return self._list(at + 1) if mark == "[" else self._members(at + 1)
        return value, at + size

    def _scalar(self, at: int) -> tuple[Any, int]:
        try:
            return self._read(self._text, at)
        except ValueError:
            raise NoJsonError(at + 1) from None

    def _list(self, at: int) -> tuple[list[Any], int]:
        """The list that was opened before an index, and the index behind it."""
        found: list[Any] = []
        self.large.append(found)
        at = self._behind_blanks(at)
        is_end = self._text.startswith("]", at)
        while not is_end:
            value, at = self._value(at)
            found.append(value)
            at, is_end = self._behind_member(at, "]")
        return found, at + 1

    def _members(self, at: int) -> tuple[dict[str, Any], int]:
        """The object that was opened before an index, and the index behind it."""
        found: dict[str, Any] = {}
        self.large.append(found)
        at = self._behind_blanks(at)
        is_end = self._text.startswith("}", at)
        while not is_end:
            if not self._text.startswith('"', at):
                raise NoJsonError(at + 1)
            name, at = self._scalar(at)
            at = self._behind_blanks(at)
            if not self._text.startswith(":", at):
                raise NoJsonError(at + 1)
            found[name], at = self._value(self._behind_blanks(at + 1))
            at, is_end = self._behind_member(at, "}")
        return found, at + 1

    def _behind_member(self, at: int, end: str) -> tuple[int, bool]:
        """The index of the next member or of the end, and whether it is the end."""
        at = self._behind_blanks(at)
        if self._text.startswith(end, at):
            return at, True
        if not self._text.startswith(",", at):
            raise NoJsonError(at + 1)
        return self._behind_blanks(at + 1), False

    def _behind_blanks(self, at: int) -> int:
        found = _BLANKS.match(self._text, at)
        return at if found is None else found.end()


def _object(names: dict[str, str], pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, whose names are kept once for all objects that have them."""
    return {names.setdefault(name, name): value for name, value in pairs}


def free(large: Iterable[Any]) -> None:
    """Free the members of lists and objects that nobody uses any more, few at a time: all at once would hold up others."""
    for container in large:
        while container:
            if isinstance(container, dict):
                container.popitem()
            else:
                del container[-FREED_AT_ONCE:]
