"""How an error names what was found and what was meant."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from itertools import islice

LISTED_MAX = 12
"""How many words an error lists."""
_SHOWN_MAX = 60
_QUOTED_MAX = 64
ECHO_MAX = 200
"""How many characters of an input an error repeats at most."""
_UNSEEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"})
"""The Unicode categories of characters that are written as escapes."""


def shown(value: object) -> str:
    """A plain value as an error calls it: what it is and, where that is short enough, how it reads."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return f"the number {str(value)[:_SHOWN_MAX]}"
        case list():
            return "a list"
        case dict():
            return "a map"
        case _:
            text = str(value)
            return in_quotes(text, _SHOWN_MAX)


def cut(text: str) -> str:
    """A text from outside, cut where it is too long to be repeated."""
    return text if len(text) <= ECHO_MAX else text[:ECHO_MAX] + "..."


def in_quotes(value: object, most: int = ECHO_MAX) -> str:
    """A value from outside as an error repeats it: a text in quotes, cut after `most` characters; anything else by its
    `repr`, cut too. Unlike `repr` alone it is the same under every version of Python, which differ in the characters that
    they can print: all that are younger than Unicode 3.2 are escaped.
    """
    text = value if isinstance(value, str) else "".join(islice(_printed(value), most + 1))
    end = "" if len(text) <= most else "..."
    text = text[:most]
    if not isinstance(value, str):
        return _escaped(text, "") + end
    if text.isascii():
        return repr(text) + end
    quote = '"' if "'" in text and '"' not in text else "'"
    return f"{quote}{_escaped(text, quote)}{quote}{end}"


def _printed(value: object) -> Iterator[str]:
    """The `repr` of a value in pieces: that of a long list takes long, and its beginning is enough."""
    if type(value) is list:
        yield "["
        for index, member in enumerate(value):
            if index:
                yield ", "
            yield from _printed(member)
        yield "]"
    elif type(value) is dict:
        yield "{"
        for index, (name, member) in enumerate(value.items()):
            yield f"{', ' if index else ''}{name!r}: "
            yield from _printed(member)
        yield "}"
    else:
        yield repr(value)


def _escaped(text: str, quote: str) -> str:
    """The text with escapes for what cannot be printed under every Python, and within quotes for these too."""
    return "".join(
        f"\\{letter}"
        if quote and letter in ("\\", quote)
        else letter
        if letter == " " or unicodedata.ucd_3_2_0.category(letter) not in _UNSEEN
        else ascii(letter)[1:-1]
        for letter in text
    )


def quoted(text: str) -> str:
    """Text that a client sent, as an error quotes it: short, ASCII, on one line."""
    if text.isascii() and text.isprintable() and 0 < len(text) <= _QUOTED_MAX:
        return text
    return json.dumps(text if len(text) <= _QUOTED_MAX else text[:_QUOTED_MAX] + "...")


def close_match(word: str, known: Iterable[str]) -> str | None:
    """The known word that is nearest to `word`, whatever the case of its letters; None: none is near."""
    import difflib  # noqa: PLC0415  # only mistakes need it

    # A comparison takes time for each letter, and no known word is longer.
    asked = word[:ECHO_MAX].lower()
    by_lower = {name.lower(): name for name in known}
    near = difflib.get_close_matches(asked, by_lower, n=1)
    return by_lower[near[0]] if near else None


def nearest(word: str, known: Collection[str]) -> str:
    """What somebody meant who wrote `word`: the known word that is nearest, or all of them."""
    near = close_match(word, known)
    return repr(str(near)) if near is not None else any_of(known)


def number_meant(value: object, meant: str) -> str:
    """The words for a number that was meant; they mention quotes where the value is a number in quotes."""
    return f"{meant}, without quotes" if isinstance(value, str) and value.isascii() and value.isdigit() else meant


def any_of(known: Collection[str]) -> str:
    """`one of a, b, c`, cut where there are too many to read."""
    names = [str(name) for name in known]
    if len(names) == 1:
        return names[0]
    more = ", ..." if len(names) > LISTED_MAX else ""
    return f"one of {', '.join(names[:LISTED_MAX])}{more}" if names else "nothing, since none are known here"
