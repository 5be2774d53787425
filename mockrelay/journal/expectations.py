"""What a test expects of the calls that were made, and where it is not so: the calls that come nearest and how they
differ.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from mockrelay.core.call import json_equal
from mockrelay.core.errors import InvalidInput, Path
from mockrelay.core.world import World
from mockrelay.journal.journal import Entry, Journal
from mockrelay.journal.masking import MASK, SECRET_FIELDS, masked
from mockrelay.journal.views import entry_view
from mockrelay.spec.codes import SUCCESS
from mockrelay.spec.codes import Code as C
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.wire.field_values import WorldNames, check_fields

NEAREST_MAX = 3
_TEXT_MAX = 200
ABSENT = "(absent)"
_HTTP_STATUSES = range(100, 600)


class Expected(NamedTuple):
    """Calls that a test expects: which, and how many of them."""

    endpoint: str
    fields: Mapping[str, Any]
    """Decoded fields that the call must have; an inner map names the fields of it that count."""
    code: int | None
    """The code that it must have been answered with, 0 for a success; None: any answer."""
    at_least: int
    at_most: int | None


class Difference(NamedTuple):
    """A field that is not as expected."""

    field: str
    wanted: Any
    found: Any

    def __str__(self) -> str:
        return f"{self.field}: wanted {_shown(self.wanted)}, found {_shown(self.found)}"


class Missed(NamedTuple):
    """An expectation that is not met."""

    text: str
    """All of it in words, over several lines."""
    meant: str
    found: int
    nearest: tuple[tuple[Entry, tuple[Difference, ...]], ...]

    def view(self) -> dict[str, Any]:
        """As the control API tells it."""
        nearest = [
            {
                "request": entry_view(entry),
                "differences": [{"field": d.field, "wanted": d.wanted, "found": d.found} for d in differences],
            }
            for entry, differences in self.nearest
        ]
        return {"found": self.found, "nearest": nearest}


class _Kept(NamedTuple):
    """The fields of the calls of an endpoint that are still kept."""

    calls: Sequence[Mapping[str, Any]]
    is_all: bool
    """Whether no call is missing."""

    def has_field(self, path: Path) -> bool:
        """Whether there is something at this path of some call's fields."""
        return any(self._at(path))

    def has_value(self, path: Path, value: Any) -> bool:
        """Whether there is this value, or may have been in a call that is no longer kept."""
        return not self.is_all or any(json_equal(value, found) for (found,) in self._at(path))

    def _at(self, path: Path) -> Iterator[tuple[Any]]:
        """What stands at this path of each call that has something there."""
        for call in self.calls:
            values: list[Any] = [call]
            for step in path:
                values = [value[step] for value in values if isinstance(value, dict) and step in value]
            yield from ((value,) for value in values)


def check_possible(
    journal: Journal,
    world: World,
    endpoint: str,
    query: Mapping[str, Any],
    body: Mapping[str, Any],
    code: int | None = None,
) -> None:
    """InvalidInput for an expectation that no call of the endpoint can meet, in a world, and that none has met: it says
    nothing, and a check for absence would pass whatever the client does.
    """
    names = WorldNames.of_world(world)
    calls = [entry.trace.args for entry in journal if entry.trace.endpoint == endpoint]
    kept = _Kept(calls, len(calls) == journal.times(endpoint))
    for part, fields in (("query", query), ("body", body)):
        try:
            check_fields(endpoint, fields, names, kept)
        except InvalidInput as wrong:
            raise _masked_refusal(wrong.under(part), fields) from None
    for name in query:
        if name in body:
            raise InvalidInput(("query", name), f"{name!r}, which is in the body too", "one of the two")
    if code is not None and not journal.times(endpoint, code):
        codes = (fault.effect.code for fault in world.faults if fault.match.on == endpoint)
        _check_code(endpoint, code, {each for each in codes if each is not None})


def _masked_refusal(wrong: InvalidInput, fields: Mapping[str, Any]) -> InvalidInput:
    """The same without the value of a secret field."""
    _, *steps = wrong.path
    if wrong.at_key or str(steps[-1]).lower() not in SECRET_FIELDS:
        return wrong
    value: Any = fields
    for step in steps:
        value = value[step]
    return InvalidInput(wrong.path, MASK, wrong.expected.replace(json.dumps(value).strip('"'), "..."))


def _check_code(endpoint: str, code: int, scripted: Collection[int]) -> None:
    """InvalidInput for a code that an endpoint answers under no option, and that no fault answers there."""
    if code in _HTTP_STATUSES:
        expected = f"the code in the body, which is {SUCCESS} for a success; the HTTP status is not compared"
        raise InvalidInput(("code",), f"the HTTP status {code}", expected)
    known = {SUCCESS, int(C.UNKNOWN_ERROR), int(C.INVALID_ARGUMENT), *scripted}
    known.update(int(judged.code) for judged in BY_NAME[endpoint].codes)
    if code not in known:
        expected = f"one of {', '.join(map(str, sorted(known)))}"
        raise InvalidInput(("code",), f"{code}, which {endpoint} does not answer", expected)


def check_calls(journal: Journal, expected: Expected) -> int | Missed:
    """How many calls fit, or what is missed."""
    called = (entry for entry in journal if entry.trace.endpoint == expected.endpoint)
    compared = [(entry, tuple(_differences(entry, expected))) for entry in called]
    found = sum(not unlike for _, unlike in compared)
    if not expected.fields:
        # Counted over all calls, also those that are no longer kept.
        found = journal.times(expected.endpoint, expected.code)
    kept = sum(expected.code in (None, entry.trace.code) for entry, _ in compared)
    gone = journal.times(expected.endpoint, expected.code) - kept if expected.fields else 0
    if gone > 0 and expected.at_most is not None and found <= expected.at_most:
        text = f"{gone} calls of {expected.endpoint} are no longer kept, so nobody can say how many were made{_as_expected(expected)}"
        return Missed(text, "fewer calls, or `DELETE requests` before those that count", found, ())
    if found >= expected.at_least and (expected.at_most is None or found <= expected.at_most):
        return found
    wanted = _times(expected)
    shown: list[tuple[Entry, tuple[Difference, ...]]]
    if found > expected.at_least:
        shown = [each for each in compared if not each[1]][-NEAREST_MAX:]
    else:
        # Of those that are equally near the newest come first.
        shown = sorted((each for each in reversed(compared) if each[1]), key=lambda each: len(each[1]))[:NEAREST_MAX]
    lines = [f"{expected.endpoint} was called {_counted(found)}{_as_expected(expected)}; {wanted} expected"]
    lines += _others(journal, expected, bool(compared))
    for entry, unlike in shown:
        lines.append(f"  {entry.id} {entry.asked} -> status {entry.response.status}, code {_code(entry.trace.code)}")
        lines += [f"    {difference}" for difference in unlike]
    return Missed("\n".join(lines), f"{wanted} of {expected.endpoint}", found, tuple(shown))


def check_sequence(journal: Journal, endpoints: Sequence[str]) -> int | Missed:
    """How many calls there are once these were made in this order, with any others between them, or what is missed."""
    made = [endpoint for entry in journal if (endpoint := entry.trace.endpoint) is not None]
    place = 0
    for endpoint in made:
        if place < len(endpoints) and endpoint == endpoints[place]:
            place += 1
    if place == len(endpoints):
        return place
    was = ", ".join(made[-20:]) or "none"
    missing = endpoints[place]
    after = f" after {', '.join(endpoints[:place])}" if place else ""
    text = f"{missing} was not called{after}\n  expected in this order: {', '.join(endpoints)}\n  the last calls: {was}"
    if journal.dropped:
        text += f"\n  ({journal.dropped} older calls are no longer kept)"
    return Missed(text, f"a call of {missing}{after}", place, ())


def _differences(entry: Entry, expected: Expected) -> Iterator[Difference]:
    if expected.code is not None and entry.trace.code != expected.code:
        yield Difference("(code)", expected.code, entry.trace.code)
    yield from differences(expected.fields, entry.trace.args)


def differences(wanted: Mapping[str, Any], found: Mapping[str, Any], outer: str = "") -> Iterator[Difference]:
    """The fields of a call that differ from those wanted; an inner map names the fields of it that count."""
    for name, value in wanted.items():
        field = f"{outer}{name}"
        given = found.get(name, ABSENT)
        if isinstance(value, dict) and isinstance(given, dict):
            yield from differences(value, given, f"{field}.")
        elif name not in found or not json_equal(value, given):
            secret = name.lower() in SECRET_FIELDS
            yield Difference(
                field, MASK if secret else masked(value), MASK if secret and given != ABSENT else masked(given)
            )


def _times(expected: Expected) -> str:
    least, most = expected.at_least, expected.at_most
    if most == 0:
        return "no call"
    if least == most:
        return _counted(least)
    if most is None:
        return f"at least {_counted(least)}"
    return f"{least} to {most} times" if least else f"at most {_counted(most)}"


def _counted(times: int) -> str:
    return "once" if times == 1 else f"{times} times"


def _as_expected(expected: Expected) -> str:
    parts = [
        f"{name} = {_shown(MASK if name.lower() in SECRET_FIELDS else masked(v))}"
        for name, v in expected.fields.items()
    ]
    if expected.code is not None:
        parts.append(f"code {expected.code}")
    return f" with {', '.join(parts)}" if parts else ""


def _others(journal: Journal, expected: Expected, was_called: bool) -> Iterator[str]:
    if journal.dropped and expected.fields:
        yield f"  ({journal.dropped} older calls are no longer kept, so their fields cannot be compared)"
    if not was_called:
        calls = ", ".join(f"{name} ({sum(codes.values())})" for name, codes in journal.counted().items())
        yield f"  calls that were made: {calls or 'none'}"


def _code(code: int | None) -> str:
    return "none" if code is None else str(code)


def _shown(value: Any) -> str:
    text = value if value in (ABSENT, MASK) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _TEXT_MAX else f"{text[:_TEXT_MAX]}..."
