"""Plain values to the text of a scenario that all YAML readers read alike.

A word is written without quotes only where all readers take it for a text: `off`, false to some, gets quotes. Equal values
give equal texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mockrelay.core.errors import InvalidInput
from mockrelay.scenario.scalars import read_plain
from mockrelay.suggest import in_quotes

WIDTH = 120
_STEP = "  "
_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\-]*")
_AMBIGUOUS_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
"""Words that some reader takes for a boolean or null, in any letter case."""
_KEY_MAX = 1000
"""A parser takes longer keys only with a question mark before them."""
_ESCAPED: Mapping[str, str] = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def scenario_text(values: Mapping[str, Any]) -> str:
    """The YAML text of a map of sections, whose values are texts, whole numbers, booleans, None, lists and maps of these.

    Raises ValueError for other values: a fraction, a number that not every reader holds exactly, a lone surrogate.
    """
    return "".join(f"{line}\n" for line in _block_map(values, "")) if values else "{}\n"


def _block_map(values: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, value in values.items():
        written = _scalar(key)
        if len(written) > _KEY_MAX:
            yield f"{indent}? {written}"
            written = ""
        inline = _inline(value, len(indent) + len(written) + 2)
        if inline is not None:
            yield f"{indent}{written}: {inline}"
        else:
            yield f"{indent}{written}:"
            yield from _block(value, indent + _STEP)


def _block_list(items: Sequence[Any], indent: str) -> Iterator[str]:
    for item in items:
        inline = _inline(item, len(indent) + 2)
        if inline is not None:
            yield f"{indent}- {inline}"
        else:
            first, *more = _block(item, indent + _STEP)
            yield f"{indent}- {first[len(indent) + 2 :]}"
            yield from more


def _block(value: Mapping[str, Any] | Sequence[Any], indent: str) -> Iterator[str]:
    return _block_map(value, indent) if isinstance(value, Mapping) else _block_list(value, indent)


def _inline(value: Any, column: int) -> str | None:
    """The value for the rest of a line; None for a collection that is too long or too deep for it."""
    if not _is_collection(value):
        return _scalar(value)
    if _height(value) > 2:
        return None
    written = _flow(value)
    return written if column + len(written) <= WIDTH or not value else None


def _flow(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_scalar(key)}: {_flow(inner)}" for key, inner in value.items()) + "}"
    if _is_collection(value):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    return _scalar(value)


def _height(value: Any) -> int:
    """The greatest depth of nested collections."""
    if not _is_collection(value):
        return 0
    return 1 + max(map(_height, value.values() if isinstance(value, Mapping) else value), default=0)


def _is_collection(value: Any) -> bool:
    return isinstance(value, (Mapping, list, tuple))


def _scalar(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return _whole(value)
    if isinstance(value, str):
        return value if _is_safe_unquoted(value) else _quoted(value)
    raise ValueError(f"a scenario cannot hold {in_quotes(value)}")


def _whole(value: int) -> str:
    written = f"{value:d}"
    try:
        read_plain(written)
    except InvalidInput as wrong:
        raise ValueError(f"a scenario cannot hold {wrong.found}, but as a text") from None
    return written


def _is_safe_unquoted(text: str) -> bool:
    if not _PLAIN.fullmatch(text) or text.lower() in _AMBIGUOUS_WORDS:
        return False
    try:
        return read_plain(text) == text
    except InvalidInput:
        return False


def _quoted(text: str) -> str:
    return '"' + "".join(_ESCAPED.get(letter) or _escape(letter) for letter in text) + '"'


def _escape(letter: str) -> str:
    if letter.isprintable():
        return letter
    number = ord(letter)
    if 0xD800 <= number <= 0xDFFF:
        raise ValueError("a scenario cannot hold half a surrogate pair")
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
