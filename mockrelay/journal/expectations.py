"""Compares the journal with the calls that a test expects. Where they differ: the nearest calls and how they differ."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from mockrelay.core.call import json_equal
from mockrelay.core.errors import InvalidInput, Path
from mockrelay.core.world import World
from mockrelay.journal.client_answer import answer_text, code_met
from mockrelay.journal.journal import Entry, Journal
from mockrelay.journal.masking import MASK, is_secret_field, masked
from mockrelay.journal.views import entry_view
from mockrelay.spec.codes import SUCCESS
from mockrelay.spec.codes import Code as C
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.suggest import in_quotes
from mockrelay.wire.field_values import WorldNames, check_fields

NEAREST_MAX = 3
_TEXT_MAX = 200
ABSENT = "(absent)"
_HTTP_STATUSES = range(100, 600)


class Expected(NamedTuple):
    """The calls that a test expects, and how many."""

    endpoint: str
    fields: Mapping[str, Any]
    """Decoded fields that the call must have; of an inner map, only the fields given are compared."""
    code: int | None
    """The code of the answer, 0 for a success; None: any answer."""
    at_least: int
    at_most: int | None


class FieldMismatch(NamedTuple):
    """A field whose value is not the expected one."""

    field: str
    wanted: Any
    found: Any

    def __str__(self) -> str:
        return f"{self.field}: wanted {_shown(self.wanted)}, found {_shown(self.found)}"


class UnmetExpectation(NamedTuple):
    """An expectation that is not met."""

    text: str
    """The message, of several lines."""
    meant: str
    found: int
    nearest: tuple[tuple[Entry, tuple[FieldMismatch, ...]], ...]

    def view(self, now_ms: int) -> dict[str, Any]:
        """The JSON form in the control API, at a moment."""
        nearest = [
            {
                "request": entry_view(entry, now_ms),
                "differences": [{"field": d.field, "wanted": d.wanted, "found": d.found} for d in differences],
            }
            for entry, differences in self.nearest
        ]
        return {"found": self.found, "nearest": nearest}


class _PastFields(NamedTuple):
    """The fields of an endpoint's calls in the journal."""

    calls: Sequence[Mapping[str, Any]]
    is_all: bool
    """Whether none of the calls has been dropped."""

    def has_field(self, path: Path) -> bool:
        """Whether a call has a field at this path."""
        return any(self._at(path))

    def has_value(self, path: Path, value: Any) -> bool:
        """Whether a call has this value at this path, or a dropped call may have had it."""
        return not self.is_all or any(json_equal(value, found) for (found,) in self._at(path))

    def _at(self, path: Path) -> Iterator[tuple[Any]]:
        """The value at this path in each call that has one."""
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
    now_ms: int,
    code: int | None = None,
) -> None:
    """InvalidInput for an expectation that no call of the endpoint can meet and none has met: with it, a check that a
    call is absent would pass whatever the client does.
    """
    names = WorldNames.of_world(world)
    calls = [entry.trace.args for entry in journal if entry.trace.endpoint == endpoint]
    past = _PastFields(calls, len(calls) == journal.times(endpoint))
    for part, fields in (("query", query), ("body", body)):
        try:
            check_fields(endpoint, fields, names, past)
        except InvalidInput as wrong:
            raise _masked_refusal(wrong.under(part), fields) from None
    for name in query:
        if name in body:
            raise InvalidInput(("query", name), f"{in_quotes(name)}, which is in the body too", "one of the two")
    if code is not None and not journal.times_answered(endpoint, code, now_ms):
        codes = (fault.effect.code for fault in world.faults if fault.match.on == endpoint)
        _check_code(endpoint, code, {each for each in codes if each is not None})


def _masked_refusal(wrong: InvalidInput, fields: Mapping[str, Any]) -> InvalidInput:
    """The same error with the value of a secret field masked."""
    _, *steps = wrong.path
    if wrong.at_key or not is_secret_field(str(steps[-1])):
        return wrong
    value: Any = fields
    for step in steps:
        value = value[step]
    return InvalidInput(wrong.path, MASK, wrong.expected.replace(json.dumps(value).strip('"'), "..."))


def _check_code(endpoint: str, code: int, scripted: Collection[int]) -> None:
    """InvalidInput for a code that neither an endpoint nor one of the `scripted` faults on it ever answers."""
    if code in _HTTP_STATUSES:
        expected = f"the code in the body, which is {SUCCESS} for a success; the HTTP status is not compared"
        raise InvalidInput(("code",), f"the HTTP status {code}", expected)
    codes = {SUCCESS, int(C.UNKNOWN_ERROR), int(C.INVALID_ARGUMENT), *scripted}
    codes.update(int(judged.code) for judged in BY_NAME[endpoint].codes)
    if code not in codes:
        expected = f"one of {', '.join(map(str, sorted(codes)))}"
        raise InvalidInput(("code",), f"{code}, which {endpoint} does not answer", expected)


def check_calls(journal: Journal, expected: Expected, now_ms: int) -> int | UnmetExpectation:
    """The number of calls that fit, or the unmet expectation, told as of `now_ms`."""
    called = (entry for entry in journal if entry.trace.endpoint == expected.endpoint)
    compared = [(entry, tuple(_mismatches(entry, expected, now_ms))) for entry in called]
    found = sum(not mismatches for _, mismatches in compared)
    answered = journal.times_answered(expected.endpoint, expected.code, now_ms)
    if not expected.fields:
        # Dropped calls count too.
        found = answered
    stored = sum(expected.code in (None, code_met(entry, now_ms)) for entry, _ in compared)
    dropped = answered - stored if expected.fields else 0
    if dropped > 0 and expected.at_most is not None and found <= expected.at_most:
        text = f"{dropped} calls of {expected.endpoint} are no longer kept, so nobody can say how many were made"
        text += _with_fields(expected)
        return UnmetExpectation(text, "fewer calls, or `DELETE requests` before those that count", found, ())
    if found >= expected.at_least and (expected.at_most is None or found <= expected.at_most):
        return found
    wanted = _times(expected)
    shown: list[tuple[Entry, tuple[FieldMismatch, ...]]]
    if found > expected.at_least:
        shown = [each for each in compared if not each[1]][-NEAREST_MAX:]
    else:
        # Among equally near calls the newest come first.
        shown = sorted((each for each in reversed(compared) if each[1]), key=lambda each: len(each[1]))[:NEAREST_MAX]
    lines = [f"{expected.endpoint} was called {_times_text(found)}{_with_fields(expected)}; {wanted} expected"]
    lines += _notes(journal, expected, now_ms, was_called=bool(compared))
    for entry, mismatches in shown:
        lines.append(f"  {entry.id} {entry.asked} -> {answer_text(entry, now_ms)}")
        lines += [f"    {mismatch}" for mismatch in mismatches]
    return UnmetExpectation("\n".join(lines), f"{wanted} of {expected.endpoint}", found, tuple(shown))


def check_sequence(journal: Journal, endpoints: Sequence[str]) -> int | UnmetExpectation:
    """The number of `endpoints` that were called, in this order and with any calls between; else what is missing."""
    called = [endpoint for entry in journal if (endpoint := entry.trace.endpoint) is not None]
    place = 0
    for endpoint in called:
        if place < len(endpoints) and endpoint == endpoints[place]:
            place += 1
    if place == len(endpoints):
        return place
    last = ", ".join(called[-20:]) or "none"
    missing = endpoints[place]
    after = f" after {', '.join(endpoints[:place])}" if place else ""
    text = (
        f"{missing} was not called{after}\n  expected in this order: {', '.join(endpoints)}\n  the last calls: {last}"
    )
    if journal.dropped:
        text += f"\n  ({journal.dropped} older calls are no longer kept)"
    return UnmetExpectation(text, f"a call of {missing}{after}", place, ())


def _mismatches(entry: Entry, expected: Expected, now_ms: int) -> Iterator[FieldMismatch]:
    if expected.code is not None and (code := code_met(entry, now_ms)) != expected.code:
        yield FieldMismatch("(code)", expected.code, code)
    yield from field_mismatches(expected.fields, entry.trace.args)


def field_mismatches(wanted: Mapping[str, Any], found: Mapping[str, Any], outer: str = "") -> Iterator[FieldMismatch]:
    """The fields of a call that differ from the wanted ones; of an inner map, only the fields wanted are compared."""
    for name, value in wanted.items():
        field = f"{outer}{name}"
        actual = found.get(name, ABSENT)
        if isinstance(value, dict) and isinstance(actual, dict):
            yield from field_mismatches(value, actual, f"{field}.")
        elif name not in found or not json_equal(value, actual):
            secret = is_secret_field(name)
            yield FieldMismatch(
                field, MASK if secret else masked(value), MASK if secret and actual != ABSENT else masked(actual)
            )


def _times(expected: Expected) -> str:
    least, most = expected.at_least, expected.at_most
    if most == 0:
        return "no call"
    if least == most:
        return _times_text(least)
    if most is None:
        return f"at least {_times_text(least)}"
    return f"{least} to {most} times" if least else f"at most {_times_text(most)}"


def _times_text(times: int) -> str:
    return "once" if times == 1 else f"{times} times"


def _with_fields(expected: Expected) -> str:
    parts = [f"{name} = {_shown(MASK if is_secret_field(name) else masked(v))}" for name, v in expected.fields.items()]
    if expected.code is not None:
        parts.append(f"code {expected.code}")
    return f" with {', '.join(parts)}" if parts else ""


def _notes(journal: Journal, expected: Expected, now_ms: int, *, was_called: bool) -> Iterator[str]:
    if journal.dropped and expected.fields:
        yield f"  ({journal.dropped} older calls are no longer kept, so their fields cannot be compared)"
    if not was_called:
        calls = ", ".join(f"{name} ({sum(codes.values())})" for name, codes in journal.counts_view(now_ms).items())
        yield f"  calls that were made: {calls or 'none'}"


def _shown(value: Any) -> str:
    text = value if value in (ABSENT, MASK) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _TEXT_MAX else f"{text[:_TEXT_MAX]}..."
