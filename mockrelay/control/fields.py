"""Reading the body of a control call: each field by name and type, with an error that says what was meant."""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Collection, Mapping
from typing import Any, NoReturn

from mockrelay.clock import MOMENT_MAX_MS, ClockWish
from mockrelay.core.errors import BAD, CommandRefused
from mockrelay.core.units import duration_ms, moment_ms, moment_text
from mockrelay.wire.body import MAX_DEPTH, is_deep

_AMOUNT_MAX = 2**256 - 1
_AMOUNT_DIGITS_MAX = 78
_INTEGER_MAX = 2**53 - 1
_SECONDS_MAX = 10**11
_HALF_PAIR = re.compile("[\ud800-\udfff]")
_COORDINATE = re.compile("0x[0-9a-fA-F]{1,64}")


class Fields:
    """The fields of a control call's body. Every reader raises CommandRefused, which names the field."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Any], known: Collection[str]) -> None:
        self._values = values
        for name in values:
            if name not in known:
                near = difflib.get_close_matches(name, known, n=1)
                meant = near[0] if near else (f"one of {', '.join(known)}" if known else "no field at all")
                raise CommandRefused(BAD, f"unknown field {name!r}", name, meant)

    def __contains__(self, name: str) -> bool:
        return self._values.get(name) is not None

    def text(self, name: str) -> str:
        """A string."""
        value: str = self._typed(name, str, "a string")
        return value

    def boolean(self, name: str) -> bool:
        """`true` or `false`."""
        value: bool = self._typed(name, bool, "true or false")
        return value

    def integer(self, name: str, *, least: int = 0) -> int:
        """A whole number that every reader of JSON holds exactly."""
        value = self.given(name)
        if type(value) is not int or not least <= value <= _INTEGER_MAX:
            meant = f"a whole number from {least} to {_INTEGER_MAX}"
            raise CommandRefused(BAD, f"{_short(value)} is no such number", name, meant)
        return value

    def one_of(self, name: str, words: Collection[str]) -> str:
        """One word of a list."""
        value = self.given(name)
        if not isinstance(value, str) or value not in words:
            raise CommandRefused(BAD, f"{_short(value)} is not known here", name, f"one of {', '.join(words)}")
        return value

    def mapping(self, name: str) -> Mapping[str, Any]:
        """An object; an empty one where the field is left out."""
        return self._typed(name, dict, "an object") if name in self else {}

    def amount_wei(self, name: str) -> int:
        """An amount in the smallest unit, as a string of digits."""
        return _amount_wei(name, self.given(name))

    def amounts_wei(self, name: str) -> dict[str, dict[str, int]]:
        """Amounts by address, then by token; empty where the field is left out."""
        amounts: dict[str, dict[str, int]] = {}
        for address, by_token in self.mapping(name).items():
            if not isinstance(by_token, dict):
                raise CommandRefused(BAD, f"{_short(by_token)} is no object", f"{name}.{address}", "amounts by token")
            amounts[address] = {token: _amount_wei(f"{name}.{address}.{token}", wei) for token, wei in by_token.items()}
        return amounts

    def texts(self, name: str) -> dict[str, list[str]]:
        """Lists of strings by owner; empty where the field is left out."""
        for owner, listed in self.mapping(name).items():
            if not isinstance(listed, list) or not all(isinstance(text, str) for text in listed):
                raise CommandRefused(
                    BAD, f"{_short(listed)} is no list of strings", f"{name}.{owner}", "a list of strings"
                )
        return dict(self.mapping(name))

    def coordinate(self, name: str) -> str:
        """A coordinate of a key: 0x and up to 64 hex digits; with all 64 in the answer."""
        text = self.text(name)
        if not _COORDINATE.fullmatch(text):
            raise CommandRefused(BAD, f"{_short(text)} is no coordinate", name, "0x and up to 64 hex digits")
        return f"0x{int(text, 16):064x}"

    def token(self, name: str) -> str | int:
        """A token: its symbol or its id."""
        value = self.given(name)
        if type(value) is int or isinstance(value, str):
            return value
        raise CommandRefused(BAD, f"{_short(value)} is no token", name, "a symbol or an id")

    def duration_ms(self, name: str) -> int:
        """A duration such as `15s`."""
        if type(given := self.given(name)) is int:
            raise CommandRefused(
                BAD, f"{_short(given)} has no unit", name, f'"{_short(given)}s", or ms, m, h, d in place of s'
            )
        duration = duration_ms(self.text(name))
        if duration is None:
            raise CommandRefused(
                BAD, f"{_short(self._values[name])} is no duration", name, "a number with ms, s, m, h or d: 15s"
            )
        return duration

    def moment_ms(self, name: str) -> int:
        """A moment such as `2026-01-01T00:00:00Z`."""
        if type(given := self.given(name)) is int:
            raise CommandRefused(
                BAD, f"{_short(given)} may be in seconds or in milliseconds", name, _moment_example(given)
            )
        moment = moment_ms(self.text(name))
        if moment is None:
            raise CommandRefused(
                BAD, f"{_short(self._values[name])} is no moment", name, "a date and time with Z: 2026-01-01T00:00:00Z"
            )
        return moment

    def everything(self) -> Mapping[str, Any]:
        """All fields as they were sent."""
        return self._values

    def given(self, name: str) -> Any:
        """A field of any type that must be there."""
        if name not in self:
            raise CommandRefused(BAD, f"{name} is missing", name, f"{name}, which is required here")
        return self._values[name]

    def _typed(self, name: str, type_: type, meant: str) -> Any:
        value = self.given(name)
        if not isinstance(value, type_):
            raise CommandRefused(BAD, f"{_short(value)} is of the wrong type", name, meant)
        return value


def clock_wish_of(value: Any) -> ClockWish:
    """A clock as a body names it: `real`, `frozen`, a rate, or `{"rate", "start"?}`. Raises ValueError."""
    if not isinstance(value, dict):
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise ValueError(f"{_short(value)} is no clock: real, frozen or a rate such as 60")  # noqa: TRY004
        return ClockWish.of_text(str(value))
    for name in value:
        if name not in ("rate", "start"):
            raise ValueError(f"a clock has no {name!r}: rate and start")
    wish = clock_wish_of(value.get("rate", 0))
    start = value.get("start")
    start_ms = moment_ms(start) if isinstance(start, str) else None
    if start is not None and (start_ms is None or start_ms < 0):
        raise ValueError(f"{_short(start)} is no moment from 1970 on: a date and time with Z")
    return wish if start_ms is None else wish.from_scenario(start_ms)


def object_of(body: bytes) -> dict[str, Any]:
    """The JSON object that a body is, an empty one where it is empty. Raises CommandRefused."""
    if not body.strip():
        return {}
    try:
        value = json.loads(body, parse_constant=_no_number, parse_float=_number, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise CommandRefused(BAD, f"the body is no JSON: {error}", "body", "a JSON object") from None
    # What can just be read may be too deep to be written again, in an error for instance.
    if body.count(b"{") + body.count(b"[") > MAX_DEPTH and is_deep(value):
        raise CommandRefused(BAD, f"the body is nested deeper than {MAX_DEPTH} levels", "body", "a JSON object")
    # Such a text can only come as an escape, and many readers of JSON take none that has one in it.
    if b"\\" in body and _HALF_PAIR.search(json.dumps(value, ensure_ascii=False)):
        raise CommandRefused(BAD, "a text has half a surrogate pair in it", "body", "whole characters")
    if not isinstance(value, dict):
        raise CommandRefused(BAD, f"the body is {_short(value)}", "body", "a JSON object")
    return value


def _moment_example(number: int) -> str:
    """What somebody may have meant by a number: that moment, or any."""
    at_ms = number if number > _SECONDS_MAX else number * 1000
    text = moment_text(at_ms) if 0 < at_ms <= MOMENT_MAX_MS else "2026-01-01T00:00:00Z"
    return f'a date and time with Z: "{text}"'


def _amount_wei(name: str, value: Any) -> int:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= _AMOUNT_DIGITS_MAX:
        amount_wei = int(value)
        if amount_wei <= _AMOUNT_MAX:
            return amount_wei
    raise CommandRefused(BAD, f"{_short(value)} is no amount", name, "a string of digits, in the smallest unit")


def _short(value: Any) -> str:
    text = json.dumps(value) if not isinstance(value, float) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _number(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _no_number(text)


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text[:20]} is no number of JSON")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = next(name for name, _ in pairs if sum(name == other for other, _ in pairs) > 1)
        raise ValueError(f"the field {twice[:60]!r} is given twice")
    return found
