"""The place where a text stops being JSON. Python's own reader names a different one in each version."""

from __future__ import annotations

import re

_BLANKS = re.compile(r"[ \t\r\n]*")
_PLAIN = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|-?Infinity|NaN|true|false|null")
# Possessive, since for a long text a gigabyte of positions to backtrack to would be stored; with limits, since other
# threads wait while a match runs.
_STRING_PART = re.compile(
    r'[^"\\\x00-\x1f]{0,100000}+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]{0,100}+){0,10000}+'
)

_VALUE, _NAME, _COLON, _COMMA = range(4)
"""What is due: a value, a field's name, the colon behind it, or a comma or the end of the list or the object."""


def json_error(text: str, depth_max: int) -> str | None:
    """Why a text is not JSON with at most `depth_max` levels: too deep, or the line and the column of the first
    character that no JSON value can go on with. That is the end of a text that ends too early, and the opening quote of
    a string that is not closed. None where nothing is wrong.
    """
    closers: list[str] = []
    due, at = _VALUE, 0
    may_close = False  # whether the list or the object is empty so far
    while True:
        at = _end(_BLANKS, text, at)
        mark = text[at : at + 1]
        if len(closers) > depth_max:
            return f"nested deeper than {depth_max} levels"
        if not closers and due is _COMMA:
            return _place(text, at) if mark else None
        if closers and mark == closers[-1] and (due is _COMMA or may_close):
            closers.pop()
            due, may_close, at = _COMMA, False, at + 1
        elif due is _COMMA and mark == ",":
            due, at = _NAME if closers[-1] == "}" else _VALUE, at + 1
        elif due is _COLON and mark == ":":
            due, at = _VALUE, at + 1
        elif due is _VALUE and mark in ("[", "{"):
            closers.append("]" if mark == "[" else "}")
            due, may_close, at = _NAME if mark == "{" else _VALUE, True, at + 1
        elif due in (_VALUE, _NAME) and mark == '"':
            end = _string_end(text, at + 1)
            if text[end : end + 1] != '"':
                return _place(text, at if text[end:] in ("", "\\") else end)
            due, may_close, at = _COMMA if due is _VALUE else _COLON, False, end + 1
        else:
            end = _end(_PLAIN, text, at)
            if due is not _VALUE or end == at:
                return _place(text, at)
            due, may_close, at = _COMMA, False, end


def _place(text: str, at: int) -> str:
    line_start = text.rfind("\n", 0, at) + 1
    return f"not JSON at line {text.count(chr(10), 0, at) + 1}, column {at - line_start + 1}"


def _string_end(text: str, at: int) -> int:
    """The index of what ends a string that goes on at `at`: its quote, or what no string can have."""
    while (end := _end(_STRING_PART, text, at)) > at:
        at = end
    return at


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return at if match is None else match.end()
