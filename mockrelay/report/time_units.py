"""Times that a client sent in seconds where milliseconds are meant, and that are valid all the same.

Milliseconds in a field of seconds exceed its schema's maximum. Seconds in a field of milliseconds are a moment in 1970: the
call is answered, but with an empty list.
"""

from __future__ import annotations

from functools import cache

from mockrelay.journal.journal import Entry
from mockrelay.report.report_finding import AddFinding
from mockrelay.spec.lint_rules import SECONDS_FOR_MILLISECONDS
from mockrelay.wire.schemas import SCHEME, keyword, place_of, properties_of

_MIN, _MAX = 10**8, 10**11
"""As seconds the years 1973 to 5138; as milliseconds a moment before 1973, when no exchange existed."""


@cache
def millisecond_fields(endpoint: str) -> tuple[str, ...]:
    """The fields of a request that its schema declares to be in milliseconds."""
    fields = properties_of(place_of(f"{SCHEME}requests/{endpoint}.json"))
    return tuple(name for name, field in fields.items() if keyword(field, "x-unit") == "milliseconds")


def check_units(entry: Entry, rate: float, add: AddFinding) -> None:
    """Add a finding for a time that is probably in seconds, unless the relayer's own clock is before 1973."""
    assert entry.trace.endpoint is not None
    args = entry.trace.args
    for name in millisecond_fields(entry.trace.endpoint):
        value = args.get(name)
        if type(value) is int and _MIN <= value < _MAX <= entry.at_ms:
            detail = f"{entry.trace.endpoint}: {name}: {value} looks like seconds, milliseconds are meant"
            add(SECONDS_FOR_MILLISECONDS, detail)
            return
