"""Escaping of text from clients, which may contain any characters, for the forms of a report."""

from __future__ import annotations

import re

_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
# Characters that XML 1.0 forbids even as references, and the C1 controls, which it discourages.
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_REPLACED = "\ufffd"


def text(value: str) -> str:
    """The text as valid Unicode: lone surrogates are replaced."""
    return value if value.isascii() else _SURROGATE.sub(_REPLACED, value)


def one_line(value: str) -> str:
    """The text on one line: line ends and controls become a space, so that a client cannot add lines to a report."""
    return _CONTROLS.sub(" ", value)


def xml(value: str) -> str:
    r"""The text as the content of an element. A character that XML forbids becomes `\x1b` or `\ud800`."""
    shown = _NOT_XML.sub(_escaped, value).replace("\r", "\\x0d")
    return shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def xml_attribute(value: str) -> str:
    """The text as an attribute in quotes; line ends and tabs become references."""
    return '"' + xml(value).replace('"', "&quot;").replace("\n", "&#10;").replace("\t", "&#9;") + '"'


def _escaped(found: re.Match[str]) -> str:
    number = ord(found[0])
    return f"\\x{number:02x}" if number <= 0xFF else f"\\u{number:04x}"
