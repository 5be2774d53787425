"""The value of a YAML scalar without quotes.

YAML readers disagree about some: `010` is eight or ten, `12:30` a text or 750, `1e18` a text, a float or an integer. A
scenario may not have these: without quotes it takes whole numbers in plain decimal, `true`, `false`, `null` and words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from mockrelay.core.errors import InvalidInput

Plain = str | int | bool | None

_WORDS: Mapping[str, bool | None] = MappingProxyType(
    {"true": True, "false": False, "": None, "~": None, "null": None, "Null": None, "NULL": None}
)
_NUMBER_STARTS = frozenset("0123456789+-.")
_SHOWN_MAX = 60
_JUDGED_MAX = 1000
_SAFE_MAX = 2**53 - 1
_SAFE_LENGTH = len(str(-_SAFE_MAX))
"""With its sign. Longer texts are not converted: Python limits the digits that `int` takes."""
_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]*)")
_NUMBER_LIKE = re.compile(r"[-+.]?[0-9]|[-+]?\.(?:inf|nan)$", re.IGNORECASE)
_AMBIGUOUS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), what)
    for pattern, what in (
        (r"[-+]?0x.*", "a number in base 16"),
        (r"[-+]?0b[01_]+", "a number in base 2"),
        (r"[-+]?0o?[0-9_]+", "a number in base 8"),
        (r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?", "a number in base 60"),
        (r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[t\s].*)?", "a date"),
        (r"[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)e[-+]?[0-9]+", "a number with an exponent"),
        (r"[-+]?(?:[0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*)", "a number with a fraction"),
        (r"[-+]?\.(?:inf|nan)", "no number at all"),
        (r"[-+]?[0-9][0-9_]*", "a number in an odd spelling"),
    )
)


_EXPONENT = re.compile(r"([0-9]{1,40})(?:\.([0-9]{1,40}))?e\+?([0-9]{1,2})", re.IGNORECASE)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _ambiguous(text: str, what: str) -> InvalidInput:
    """The error for a scalar that YAML readers do not take for what is written."""
    shown = text[:_SHOWN_MAX]
    meant = _unambiguous(text) if shown == text else f'"{shown}"'
    return InvalidInput((), f"{shown} without quotes, which YAML takes for {what}", meant)


def _unambiguous(text: str) -> str:
    """What to write instead of an ambiguous scalar: the same in quotes; an amount with an exponent as digits, and a day as a
    moment, since a scenario takes neither an exponent nor a bare day.
    """
    parts = _EXPONENT.fullmatch(text)
    if parts is not None:
        whole, fraction, exponent = parts[1], parts[2] or "", int(parts[3])
        if len(fraction) <= exponent:
            return f'"{(whole + fraction + "0" * (exponent - len(fraction))).lstrip("0") or "0"}"'
    return f'"{text}T00:00:00Z"' if _DAY.fullmatch(text) else f'"{text}"'


def read_plain(text: str) -> Plain:
    """The value of a scalar without quotes; InvalidInput where YAML readers disagree about it."""
    if not text or text[0] not in _NUMBER_STARTS:
        return _WORDS.get(text, text)
    if not _NUMBER_LIKE.match(text):
        return text
    # A pattern takes time for each character; of a longer text the start is judged.
    text, whole = text[:_JUDGED_MAX], text
    if _WHOLE.fullmatch(text):
        if len(text) > _SAFE_LENGTH or not -_SAFE_MAX <= int(text) <= _SAFE_MAX:
            raise _ambiguous(text, "a number that not every reader holds exactly")
        return 0 if text == "-0" else int(text)
    for pattern, what in _AMBIGUOUS:
        if pattern.fullmatch(text):
            raise _ambiguous(text, what)
    return whole
