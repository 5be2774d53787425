"""Texts of clients, which may hold anything, as a report can carry them."""

from __future__ import annotations

import re

_HALF = re.compile("[\ud800-\udfff]")
_LOOSE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
# Everything that XML 1.0 has no place for, not even as a reference; and the C1 controls, which it discourages.
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_REPLACED = "\ufffd"


def text(value: str) -> str:
    """A text that every reader of Unicode takes: half a surrogate pair is replaced."""
    return value if value.isascii() else _HALF.sub(_REPLACED, value)


def one_line(value: str) -> str:
    """A text on one line: line ends and controls become spaces, so that no client can write lines of its own."""
    return _LOOSE.sub(" ", value)


def xml(value: str) -> str:
    r"""A text as the inside of an element. A character that XML cannot hold is shown as `\x1b` or `\ud800`."""
    shown = _NOT_XML.sub(_escaped, value).replace("\r", "\\x0d")
    return shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def xml_attribute(value: str) -> str:
    """A text as an attribute with its quotes; line ends and tabs survive as references."""
    return '"' + xml(value).replace('"', "&quot;").replace("\n", "&#10;").replace("\t", "&#9;") + '"'


def _escaped(found: re.Match[str]) -> str:
    number = ord(found[0])
    return f"\\x{number:02x}" if number <= 0xFF else f"\\u{number:04x}"
