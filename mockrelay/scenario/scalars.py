"""What a word of YAML without quotes stands for.

YAML readers disagree about such words: `010` is eight or ten, `12:30` is a text or 750, `1e18` a text, a float or an
integer. A scenario has none of that: without quotes there are whole numbers in plain decimal, `true`, `false` and words.
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
_FIRST_OF_NUMBERS = frozenset("0123456789+-.")
_SHOWN_MAX = 60
_SAFE_MAX = 2**53 - 1
_SAFE_LENGTH = len(str(-_SAFE_MAX))
"""With its sign; some longer ones are too long to be read at all."""
_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]*)")
_NUMBER_LIKE = re.compile(r"[-+.]?[0-9]|[-+]?\.(?:inf|nan)$", re.IGNORECASE)
_TRAPS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
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


def _trap(text: str, what: str) -> InvalidInput:
    """What is said of a word that YAML readers take for something else than what is written."""
    shown = text[:_SHOWN_MAX]
    meant = _meant_by(text) if shown == text else f'"{shown}"'
    return InvalidInput((), f"{shown} without quotes, which YAML takes for {what}", meant)


def _meant_by(text: str) -> str:
    """What is to be written in the place of a trap: itself in quotes; digits, of money with an exponent, and a moment,
    where only its day is named, since nothing in a scenario is written in these ways.
    """
    parts = _EXPONENT.fullmatch(text)
    if parts is not None:
        whole, fraction, exponent = parts[1], parts[2] or "", int(parts[3])
        if len(fraction) <= exponent:
            return f'"{(whole + fraction + "0" * (exponent - len(fraction))).lstrip("0") or "0"}"'
    return f'"{text}T00:00:00Z"' if _DAY.fullmatch(text) else f'"{text}"'


def read_plain(text: str) -> Plain:
    """The value of a word without quotes; InvalidInput where it has none that everybody would agree on."""
    if not text or text[0] not in _FIRST_OF_NUMBERS:
        return _WORDS.get(text, text)
    if not _NUMBER_LIKE.match(text):
        return text
    if _WHOLE.fullmatch(text):
        if len(text) > _SAFE_LENGTH or not -_SAFE_MAX <= int(text) <= _SAFE_MAX:
            raise _trap(text, "a number that not every reader holds exactly")
        return 0 if text == "-0" else int(text)
    for pattern, what in _TRAPS:
        if pattern.fullmatch(text):
            raise _trap(text, what)
    return text
