"""The views of what happened: requests, the reasons for their answers, findings, coverage, problems, expectations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mockrelay.control.fields import Fields
from mockrelay.control.reports import coverage_report, findings_report
from mockrelay.core.errors import BAD, CONFLICT, MISSING, CommandRefused, InvalidInput, path_text
from mockrelay.core.fault_json import check_served
from mockrelay.core.world import World
from mockrelay.journal.expectations import Expected, UnmetExpectation, check_calls, check_possible, check_sequence
from mockrelay.journal.journal import ENTRIES_MAX, Entry
from mockrelay.journal.secrets import Secrets, known_secrets
from mockrelay.journal.views import entry_view, finding_view, why_view
from mockrelay.relay import Relay
from mockrelay.spec.endpoints import BY_NAME, ENDPOINTS
from mockrelay.suggest import any_of, in_quotes, nearest

VERIFY_FIELDS = ("endpoint", "times", "atLeast", "atMost", "body", "query", "code", "sequence")
_NAMES = tuple(row.name for row in ENDPOINTS)

Words = tuple[str, ...]


def show_requests(relay: Relay, fields: Fields, words: Words) -> Any:
    """The calls in the journal, oldest first."""
    last = fields.integer("last", least=1) if "last" in fields else ENTRIES_MAX
    endpoint = _endpoint(fields, "endpoint") if "endpoint" in fields else None
    with relay.locked_context() as ctx:
        journal = relay.journal
        entries = [entry for entry in journal if endpoint in (None, entry.trace.endpoint)][-last:]
        secrets = known_secrets(relay.world, journal)
        return {
            "total": journal.total,
            "dropped": journal.dropped,
            "counts": {name: dict(codes) for name, codes in journal.counts_view(ctx.now_ms).items()},
            "requests": [secrets.mask(entry_view(entry, ctx.now_ms)) for entry in entries],
        }


def show_request(relay: Relay, fields: Fields, words: Words) -> Any:
    """One call in the journal."""
    with relay.locked_context() as ctx:
        view = entry_view(_entry(relay, words[0]), ctx.now_ms)
        return known_secrets(relay.world, relay.journal).mask(view)


def why(relay: Relay, fields: Fields, words: Words) -> Any:
    """Why a call was answered as it was."""
    with relay.locked_context() as ctx:
        unread = relay.report.unread_ends()
        view = why_view(_entry(relay, words[0]), ctx.now_ms, is_frozen=not relay.clock.rate, unread=unread)
        return known_secrets(relay.world, relay.journal).mask(view)


def verify(relay: Relay, fields: Fields, words: Words) -> Any:
    """Check that a test's expected calls were made."""
    if ("sequence" in fields) == ("endpoint" in fields):
        raise CommandRefused(
            BAD, "calls are expected of one endpoint or in a sequence", "endpoint", "endpoint or sequence"
        )
    with relay.locked_context() as ctx:
        if "sequence" in fields:
            names = _sequence(fields)
            _check_served(ctx.world, names, "sequence")
            result = check_sequence(relay.journal, names)
        else:
            expected = _expected(fields)
            _check_served(ctx.world, [expected.endpoint], "endpoint")
            query, body = fields.mapping("query"), fields.mapping("body")
            try:
                check_possible(relay.journal, ctx.world, expected.endpoint, query, body, ctx.now_ms, expected.code)
            except InvalidInput as wrong:
                raise _impossible(expected.endpoint, wrong) from None
            result = check_calls(relay.journal, expected, ctx.now_ms)
        secrets = known_secrets(relay.world, relay.journal) if isinstance(result, UnmetExpectation) else Secrets(())
    if isinstance(result, UnmetExpectation):
        text, meant, view = (secrets.mask(part) for part in (result.text, result.meant, result.view(ctx.now_ms)))
        raise CommandRefused(CONFLICT, text, "sequence" if "sequence" in fields else "endpoint", meant, view)
    return {"found": result}


def show_findings(relay: Relay, fields: Fields, words: Words) -> Any:
    """The client's mistakes since the last reset; with a `format`, all since the relayer was created."""
    if "format" in fields:
        return findings_report(relay.whole_report(), fields)
    with relay.locked_context() as ctx:
        secrets = known_secrets(ctx.world, relay.journal)
        findings = (*ctx.world.findings, *relay.report.unread_ends())
        return [secrets.mask(finding_view(finding)) for finding in findings]


def show_coverage(relay: Relay, fields: Fields, words: Words) -> Any:
    """The parts of the spec that the client has met since the relayer was created, and those that it has not."""
    with relay.locked_context():
        return coverage_report(relay.report_now(), fields)


def show_problems(relay: Relay, fields: Fields, words: Words) -> Any:
    """Problems: unknown paths, faults that never fired, a record that failed, bugs of mockrelay itself."""
    with relay.locked_context():
        secrets = known_secrets(relay.world, relay.journal)
    return [
        {
            "kind": problem.kind,
            "request": problem.request_id,
            "reason": secrets.mask_text(problem.reason),
            "meant": problem.meant,
        }
        for problem in relay.problems()
    ]


def _entry(relay: Relay, request_id: str) -> Entry:
    found = relay.journal.find(request_id)
    if found is None:
        ids = [entry.id for entry in relay.journal]
        meant = f"one of {ids[0]} to {ids[-1]}, which are kept" if ids else "a call that was made; there is none"
        raise CommandRefused(MISSING, f"there is no request {in_quotes(request_id, 60)}", "id", meant)
    return found


def _endpoint(fields: Fields, name: str) -> str:
    return _checked_endpoint(fields.text(name), name)


def _checked_endpoint(endpoint: str, field: str) -> str:
    if endpoint not in BY_NAME:
        path = endpoint.rpartition(" ")[2].partition("?")[0]
        names = [row.name for row in ENDPOINTS if row.path == path]
        meant = any_of(names) if names else nearest(endpoint, _NAMES)
        raise CommandRefused(BAD, f"{in_quotes(endpoint, 60)} is not an endpoint", field, meant)
    return endpoint


def _check_served(world: World, endpoints: Iterable[str], field: str) -> None:
    """CommandRefused for an endpoint that no call to this relayer can reach."""
    try:
        for endpoint in endpoints:
            check_served(world.config.profile, endpoint)
    except InvalidInput as wrong:
        raise CommandRefused(BAD, f"{field}: found {wrong.found}", field, wrong.expected) from None


def _sequence(fields: Fields) -> list[str]:
    names = fields.required("sequence")
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise CommandRefused(BAD, "a sequence is a list of endpoint names", "sequence", "at least one name")
    beside = next((name for name in VERIFY_FIELDS if name != "sequence" and name in fields), None)
    if beside is not None:
        raise CommandRefused(BAD, f"{beside} says nothing of a sequence", beside, "a sequence alone, or an endpoint")
    return [_checked_endpoint(name, "sequence") for name in names]


def _impossible(endpoint: str, wrong: InvalidInput) -> CommandRefused:
    """The refusal of an expectation that no call can meet."""
    error = f"{wrong.field}: found {wrong.found}"
    if wrong.at_key:
        error = f"{endpoint} has no field {in_quotes(path_text(wrong.path[1:]), 60)}"
    return CommandRefused(BAD, error, wrong.field, wrong.expected)


def _expected(fields: Fields) -> Expected:
    bounds = [name for name in ("times", "atLeast", "atMost") if name in fields]
    if "times" in fields and len(bounds) > 1:
        raise CommandRefused(
            BAD, f"{' and '.join(bounds)} cannot hold together", "times", "times, or atLeast and atMost"
        )
    at_least = 0 if "atMost" in fields else 1
    at_most = fields.integer("atMost") if "atMost" in fields else None
    if "atLeast" in fields:
        at_least = fields.integer("atLeast")
    if "times" in fields:
        at_least = at_most = fields.integer("times")
    if at_most is not None and at_least > at_most:
        raise CommandRefused(BAD, f"atLeast is {at_least} and atMost is {at_most}", "atMost", f"{at_least} or more")
    return Expected(
        _endpoint(fields, "endpoint"),
        {**fields.mapping("query"), **fields.mapping("body")},
        fields.integer("code") if "code" in fields else None,
        at_least,
        at_most,
    )
