"""The JSON object of a request's body.

Refused beyond what Python's own reader refuses: NaN and Infinity, a repeated field, deep nesting, and strings with a lone
surrogate or NUL. A number with a point or an exponent is a `NumberLiteral`, which has its text, and never an integer.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, NoReturn

from mockrelay.core.call import NumberLiteral, Violation
from mockrelay.suggest import quoted
from mockrelay.wire.json_error import json_error

MAX_DEPTH = 64
"""Levels of nesting that a body may have: far beyond any request, far below Python's recursion limit."""
VALUES_MAX = 10_000
"""Values that a body may have: reading many more of them would hold up other requests."""
_WORD_MAX = 20
_BRACKET = ord("[")  # a number: to look for bytes in bytes by `in` takes ten times as long
_KINDS = {bool: "a boolean", str: "a string", list: "a list", type(None): "null"}
"""What a JSON value is that is neither an object nor a number."""


class RefusedJsonError(ValueError):
    """JSON that Python's reader accepts and this one does not."""

    def __init__(self, rule: str, detail: str) -> None:
        super().__init__(detail)
        self.rule = rule
        """The rule of the violation."""


def parse_body(body: bytes) -> dict[str, Any] | Violation:
    """The JSON object of a body, or why it is not one. Never raises."""
    if has_too_many_values(body):
        return Violation("body", "json", None, f"body: more than {VALUES_MAX} values")
    plain = _plain(body)
    if plain is not None:
        return plain
    try:
        value = _CAREFUL.decode(body.decode())
    except (ValueError, RecursionError) as error:
        why = why_not_json(body)
        if why is None and isinstance(error, RefusedJsonError):
            return Violation("body", error.rule, None, f"body: {error}")
        return Violation("body", "json", None, f"body: {why or 'an integer has too many digits'}")
    if body.count(b"{") + body.count(b"[") > MAX_DEPTH and is_deep(value):
        return Violation("body", "json", None, f"body: nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, dict):
        return value
    kind = _KINDS.get(type(value), "a number")
    return Violation("body", "type", None, f"body: it is {kind}; a JSON object is due")


def _plain(body: bytes) -> dict[str, Any] | None:
    """The object of a body that is certainly right, has no list, and objects inside it but none inside those; None for any other
    body, right or wrong.
    """
    if _BRACKET in body:
        return None
    decode, decode_error = _quick_decoder()
    try:
        value = decode(body)
    except (decode_error, UnicodeDecodeError, RecursionError):  # the second from msgspec before 0.21
        return None
    if value.__class__ is not dict:
        return None
    # Each field has a colon. Where no colon is left over, no field is repeated.
    colons_left = body.count(b":") - len(value)
    if colons_left:
        for each in value.values():
            if each.__class__ is dict:
                colons_left -= len(each)
                if not colons_left:
                    break
    return None if colons_left else value


def raw_fields(body: bytes) -> dict[str, str]:
    """The JSON text of each top-level field exactly as it was sent; empty where the body is not a JSON object."""
    decoder = json.JSONDecoder()
    fields: dict[str, str] = {}
    try:
        text = body.decode().strip(" \t\r\n")
        at = _after(text, 0, "{")
        while text[at] != "}":
            if fields:
                at = _after(text, at, ",")
            name, at = decoder.raw_decode(text, at)
            start = _after(text, at, ":")
            _, end = decoder.raw_decode(text, start)
            fields[name] = text[start:end]
            at = _after(text, end, "")
    except (ValueError, IndexError, RecursionError):
        return {}
    return fields


def _after(text: str, at: int, mark: str) -> int:
    """The index after blanks, a mark and blanks. ValueError where the mark is missing."""
    for expected in (mark, ""):
        while text[at] in " \t\r\n":
            at += 1
        if not text.startswith(expected, at):
            raise ValueError(expected)
        at += len(expected)
    return at


def unique_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The fields of an object. RefusedJsonError where one is repeated."""
    found = dict(pairs)
    if len(found) != len(pairs):
        names: set[str] = set()
        for name, _ in pairs:
            if name in names:
                raise RefusedJsonError("repeated", f"the field {quoted(name)} is given more than once")
            names.add(name)
    return found


def no_constant(word: str) -> NoReturn:
    """RefusedJsonError for a number such as NaN."""
    raise RefusedJsonError("json", f"{word[:_WORD_MAX]} is not a JSON number")


def finite_number(text: str) -> float:
    """A number with a point or an exponent. RefusedJsonError beyond a float, which would be written as Infinity."""
    number = float(text)
    return number if math.isfinite(number) else no_constant(text)


@cache
def _quick_decoder() -> tuple[Callable[[bytes], Any], type[Exception]]:
    """A reader that passes over a field's earlier values, and what it raises for a body that is not JSON."""
    import msgspec  # noqa: PLC0415  # only relayers that are sent a body need it

    return msgspec.json.Decoder(float_hook=NumberLiteral).decode, msgspec.DecodeError


_CAREFUL = json.JSONDecoder(object_pairs_hook=unique_fields, parse_float=NumberLiteral, parse_constant=no_constant)


def why_not_json(body: bytes) -> str | None:
    """Why a body is not the JSON of one value with at most `MAX_DEPTH` levels; the same under every version of Python.
    None where it is; it may still have an integer with too many digits.
    """
    if not body.strip():
        return "it is empty; a JSON object is due"
    if body.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        return "it starts with a byte order mark; plain UTF-8 is due"
    try:
        return json_error(body.decode(), MAX_DEPTH)
    except UnicodeDecodeError as error:
        return f"not UTF-8 at byte {error.start}"


def has_too_many_values(body: bytes) -> bool:
    """Whether a JSON text has more than `VALUES_MAX` values, judged by its commas and its strings before it is read."""
    if len(body) <= VALUES_MAX:
        return False
    quotes = body.count(b'"') - body.count(b'\\"')
    if quotes > 4 * VALUES_MAX:  # two for each name and each value
        return True
    if body.count(b",") < VALUES_MAX:
        return False
    # Without escapes, every second part between quotes is outside a string. (A pattern would hold up other threads.)
    outside = body.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')[::2]
    return sum(part.count(b",") for part in outside) >= VALUES_MAX


def has_half_pair(text: str) -> bool:
    """Whether a text has half a surrogate pair in it, which no UTF-8 can have."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def is_deep(value: Any) -> bool:
    """Whether a value read from JSON is nested deeper than `MAX_DEPTH`."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [inner for outer in level if isinstance(outer, dict | list) for inner in _members(outer)]
    return bool(level)


def _members(value: dict[str, Any] | list[Any]) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value


def text_violations(args: Mapping[str, Any]) -> Iterator[Violation]:
    """A violation for each field with a lone surrogate or NUL in it."""
    for name, value in args.items():
        waiting: list[Any] = [name, value]
        while waiting:
            inner = waiting.pop()
            if isinstance(inner, str) and ("\0" in inner or any("\ud800" <= letter <= "\udfff" for letter in inner)):
                field = quoted(name)
                yield Violation(field, "text", None, f"{field}: it holds a lone surrogate or NUL, which is not text")
                break
            if isinstance(inner, dict):
                waiting += [*inner, *inner.values()]
            elif isinstance(inner, list):
                waiting += inner
