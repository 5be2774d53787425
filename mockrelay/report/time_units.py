"""Times that look like another unit than the one that is meant, and are valid all the same.

Milliseconds in a field of seconds are too large for it, so its schema says that. Seconds in a field of milliseconds are a
moment in 1970: the client gets an answer, and wonders why it is empty.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from mockrelay.journal.journal import Entry
from mockrelay.spec.lint_rules import SECONDS_FOR_MILLISECONDS, Rule
from mockrelay.wire.schemas import SCHEME, keyword, place_of, properties_of

_LEAST, _MOST = 10**8, 10**11
"""Between 1973 and 5138 in seconds; in milliseconds a moment before 1973, which no exchange has."""


@cache
def millisecond_fields(endpoint: str) -> tuple[str, ...]:
    """The fields of a request that its schema declares to be in milliseconds."""
    fields = properties_of(place_of(f"{SCHEME}requests/{endpoint}.json"))
    return tuple(name for name, place in fields.items() if keyword(place, "x-unit") == "milliseconds")


def check_units(entry: Entry, rate: float, find: Callable[[Rule, str], None]) -> None:
    """Note a time that is probably in seconds. In a world that itself lives before 1973 nobody can tell."""
    assert entry.trace.endpoint is not None
    args = entry.trace.args
    for name in millisecond_fields(entry.trace.endpoint):
        value = args.get(name)
        if type(value) is int and _LEAST <= value < _MOST <= entry.at_ms:
            told = f"{entry.trace.endpoint}: {name}: {value} looks like seconds, milliseconds are meant"
            find(SECONDS_FOR_MILLISECONDS, told)
            return
