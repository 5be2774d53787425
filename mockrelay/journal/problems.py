"""Finds problems: requests that reached no endpoint, and faults that fired less often than they should."""

from __future__ import annotations

import json
import traceback
from collections.abc import Iterable, Iterator, Mapping
from http import HTTPStatus

from mockrelay.core.errors import CallbackFailed
from mockrelay.core.faults import Fault
from mockrelay.journal.expectations import field_mismatches
from mockrelay.journal.journal import Entry, Journal, Problem, ProblemKind
from mockrelay.journal.masking import masked
from mockrelay.spec.codes import Code
from mockrelay.spec.sockets import SOCKET_EVENTS
from mockrelay.suggest import nearest

_PATH_MAX = 200
_NEAREST_MAX = 3


def note_unknown_path(journal: Journal, entry: Entry, methods: Mapping[str, tuple[str, ...]]) -> None:
    """Add a problem for a call that reached no endpoint, unless its body was too long or browsers ask for that path by
    themselves. `methods`: those of each path.
    """
    if entry.raw.is_of_browsers:
        return
    if entry.response.status in (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED):
        path = entry.raw.path
        meant = ", ".join(methods.get(path, ())) or nearest(path[:_PATH_MAX], methods)
        reason = f"{entry.asked} reached no endpoint: {entry.trace.detail}"
        journal.note_problem(ProblemKind.UNKNOWN_PATH, entry.id, reason, meant)


def note_failure(journal: Journal, entry: Entry, error: Exception) -> None:
    """Add a problem for a call that was not answered but with status 500, and the call itself."""
    trace = entry.trace
    problem, trace.detail = _failure(entry.id, entry.asked, error)
    journal.problems.append(problem)
    trace.code = trace.outcome = int(Code.UNKNOWN_ERROR)
    journal.add(entry)


def note_socket_failure(journal: Journal, session: str, error: Exception) -> None:
    """Add a problem for what happened on a WebSocket, or was due while one was open, and could not be carried out."""
    problem, _ = _failure(session or None, f"the WebSocket {session}" if session else "what is due", error)
    # What is due is tried again and again.
    if problem not in journal.problems:
        journal.problems.append(problem)


def _failure(request_id: str | None, asked: str, error: Exception) -> tuple[Problem, str]:
    """The problem of what failed, and its detail."""
    if isinstance(error, CallbackFailed):
        cause = "" if error.__cause__ is None else "".join(traceback.format_exception(error.__cause__)).rstrip()
        reason, meant = f"{asked}: {error}\n{cause}".rstrip(), f"a `{error.name}` that does not raise"
        return Problem(ProblemKind.CALLBACK_FAILED, request_id, reason, meant), str(error)
    detail = f"mockrelay itself failed on {asked}: {type(error).__name__}: {error}"
    return Problem(ProblemKind.INNER_FAILURE, request_id, detail, "a bug report: this is never right"), detail


def unfired_faults(faults: Iterable[Fault], journal: Journal) -> Iterator[Problem]:
    """A problem for each fault that fired less often than it should. The scenario's faults do not count: they are armed for
    every test, while a fault that a test arms is meant for that test.
    """
    for fault in faults:
        if not fault.remaining or fault.from_scenario:
            continue
        match = fault.match
        when = f" with {json.dumps(masked(dict(match.when)))}" if match.when else ""
        fired = f"fired {fault.fired} of {match.times}" if fault.fired else "never fired"
        reason = f"the fault {fault.label} on {match.on}{when} {fired}: {_calls_instead(fault, journal)}"
        calls, less = ("more calls", "a smaller `times`") if fault.fired else ("a call", "no fault")
        yield Problem(ProblemKind.UNFIRED_FAULT, None, reason, f"{calls} of {match.on}{when}, or {less}")


def _calls_instead(fault: Fault, journal: Journal) -> str:
    """A sentence on the calls that came instead of the one that a fault is for."""
    match = fault.match
    if match.on in SOCKET_EVENTS:
        return "fewer came that fit" if fault.met else "none came that fits"
    calls = journal.times(match.on)
    if not calls:
        return "it was not called"
    came = f"{calls} {'call' if calls == 1 else 'calls'} of it came"
    if fault.met:
        starts = f", and nth is {match.nth}" if match.nth > 1 or not fault.fired else ""
        return f"{came}, {fault.met} {'fits' if fault.met == 1 else 'fit'}{starts}"
    calls_of_it = [entry for entry in reversed(journal) if entry.trace.endpoint == match.on]
    compared = [(entry, tuple(field_mismatches(match.when, entry.trace.args))) for entry in calls_of_it]
    early = next((entry for entry, mismatches in reversed(compared) if not mismatches), None)
    if early is not None:
        return f"{came}; {early.id} has what it asks for, but came before it was armed or was answered ahead of it"
    nearest_first = sorted(compared, key=lambda each: len(each[1]))[:_NEAREST_MAX]
    reasons = [f"{entry.id}: {', '.join(map(str, mismatches))}" for entry, mismatches in nearest_first]
    return "; ".join([f"{came}, none fits", *reasons])
