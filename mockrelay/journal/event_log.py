"""What has happened to a relayer, as a bounded list of numbered events: calls, commands, and what they brought about.

It is kept from the first reader on. An item is what one call or command brought about; its events are told apart when
they are read.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from mockrelay.core.context import Move, Trace
from mockrelay.core.events import Event
from mockrelay.core.faults import Fault
from mockrelay.core.models import Account
from mockrelay.core.world import Finding, World
from mockrelay.journal.client_answer import code_met
from mockrelay.journal.journal import Entry
from mockrelay.journal.masking import masked, masked_target
from mockrelay.journal.secrets import Secrets, secrets_in, secrets_of_accounts
from mockrelay.spec.lint_rules import rule_of

EVENTS_MAX = 5000
"""How many events are kept, but for those of one item."""
TEXT_MAX = 500
"""How many characters of a target, a finding or a field of a command an event has."""
CALL, COMMAND, DUE, FAULT, FINDING, MOVED = "call", "command", "due", "fault", "finding", "moved"
"""The kinds of events."""

_FREE_TEXTS: Mapping[str, str] = MappingProxyType({CALL: "target", COMMAND: "fields", FINDING: "detail"})
"""By kind of event: what in it was written by clients and users, and so may hold a secret. Most calls have the mere path
of their endpoint, which is looked at no further."""

EventData = tuple[str, dict[str, Any]]
"""The kind of an event and its JSON object."""


class NumberedEvent(NamedTuple):
    """An event as a reader gets it."""

    number: int
    kind: str
    data: dict[str, Any]


class _Item(NamedTuple):
    """What one call or command brought about. It does not hold the call's body, which may be long."""

    first: int
    """The number of its first event."""
    at_ms: int
    by: str
    """The id of the call, or the source of the trace: `command NAME`."""
    due: Sequence[Event]
    faults: tuple[Fault, ...]
    moves: Sequence[Move]
    findings: tuple[Finding, ...]
    own: EventData | None
    """The event of the call or the command itself, which comes last."""
    seed: str
    accounts: Mapping[int, Account]
    """The accounts of the world in which it happened, whose keys are masked."""

    @property
    def size(self) -> int:
        """The number of its events."""
        return len(self.due) + len(self.faults) + len(self.moves) + len(self.findings) + (0 if self.own is None else 1)


class EventLog:
    """The newest events, numbered from 1."""

    __slots__ = ("_items", "next_number", "start")

    def __init__(self, start: str) -> None:
        self.start = start
        """Tells this list from those of other relayers and earlier processes."""
        self._items: deque[_Item] = deque()
        self.next_number = 1
        """The number of the event to come."""

    @property
    def first_number(self) -> int:
        """The number of the oldest event that is kept; `next_number` where there is none."""
        return self._items[0].first if self._items else self.next_number

    def add_call(self, entry: Entry, world: World) -> None:
        """Add an answered call, behind what it brought about."""
        trace, raw, response = entry.trace, entry.raw, entry.response
        target, findings = masked_target(raw.raw_target), trace.findings
        # A target may repeat what was sent as a key, and so may what was found about it.
        sent = raw.headers.get("x-api-key", "")
        if findings or trace.endpoint is None or (sent and sent in target):
            mask = Secrets(secrets_in(raw)).mask_text
            target = mask(target)
            findings = tuple(finding._replace(detail=mask(finding.detail)) for finding in findings)
        call: dict[str, Any] = {
            "id": entry.id,
            "at_ms": entry.at_ms,
            "method": raw.method,
            "target": target[:TEXT_MAX],
            "endpoint": trace.endpoint,
            "accountId": trace.account_id,
            "status": response.status if entry.is_sent(entry.at_ms) else None,
            "code": code_met(entry, entry.at_ms),
        }
        if trace.form:
            call["form"] = trace.form
        if response.not_before_ms is not None and not response.drop:
            call["heldUntil_ms"] = response.not_before_ms
        if trace.faults:
            call["faults"] = [fault.id for fault in trace.faults]
        if findings:
            call["findings"] = [finding.rule for finding in findings]
        self._add(entry.at_ms, entry.id, trace, findings, (CALL, call), world)

    def add_command(self, at_ms: int, name: str, fields: Mapping[str, Any], world: World) -> None:
        """Add a command that was carried out; of its fields, those that are short."""
        command = {"at_ms": at_ms, "command": name, "fields": masked(dict(_short(fields)))}
        self._add(at_ms, f"command {name}", None, (), (COMMAND, command), world)

    def add_trace(self, at_ms: int, trace: Trace, world: World) -> None:
        """Add what a command or a view brought about, and what fell due before it."""
        if trace.events or trace.moves or trace.findings:
            self._add(at_ms, trace.source, trace, trace.findings, None, world)

    def since(self, number: int, most: int) -> Iterator[NumberedEvent]:
        """The events from a number on, at most so many. The numbers of events that are no longer kept are left out."""
        secrets: dict[int, Secrets] = {}
        # Readers are nearly always at the end.
        wanted: list[_Item] = []
        for item in reversed(self._items):
            if item.first + item.size <= number:
                break
            wanted.append(item)
        for item in reversed(wanted):
            world = id(item.accounts)
            for index, (kind, data) in enumerate(_events_of(item)):
                if item.first + index < number:
                    continue
                if most == 0:
                    return
                most -= 1
                name = _FREE_TEXTS.get(kind)
                if name is not None and (kind != CALL or "?" in data[name] or data["endpoint"] is None):
                    if world not in secrets:
                        secrets[world] = secrets_of_accounts(item.seed, item.accounts.values())
                    data = {**data, name: secrets[world].mask(data[name])}  # noqa: PLW2901 - the same event
                yield NumberedEvent(item.first + index, kind, data)

    def _add(
        self,
        at_ms: int,
        by: str,
        trace: Trace | None,
        findings: tuple[Finding, ...],
        own: EventData | None,
        world: World,
    ) -> None:
        """Add an item. What one item has too much of, as after a long leap of the clock, is left out."""
        due: Sequence[Event] = () if trace is None else trace.events[-EVENTS_MAX:]
        moves: Sequence[Move] = () if trace is None else trace.moves[-EVENTS_MAX:]
        left_out = 0 if trace is None else len(trace.events) - len(due) + len(trace.moves) - len(moves)
        faults = () if trace is None else trace.faults
        item = _Item(
            self.next_number + left_out,
            at_ms,
            by,
            due,
            faults,
            moves,
            findings,
            own,
            world.config.seed,
            world.accounts,
        )
        items = self._items
        items.append(item)
        self.next_number = item.first + item.size
        while self.next_number - items[0].first > EVENTS_MAX and len(items) > 1:
            items.popleft()


def _short(fields: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The fields that are not lists, objects or long texts."""
    for name, value in fields.items():
        if isinstance(value, str | int | float) and not (isinstance(value, str) and len(value) > TEXT_MAX):
            yield name, value


def _events_of(item: _Item) -> Iterator[EventData]:
    """The events of an item, in order."""
    at_ms, by = item.at_ms, item.by
    for due in item.due:
        yield DUE, {"at_ms": due.at_ms, "event": due.kind.name.lower(), "subject": due.subject, "by": by}
    for fault in item.faults:
        yield FAULT, {"at_ms": at_ms, "fault": fault.id, "name": fault.name, "effect": fault.effect.kind, "by": by}
    for what, subject, was, to in item.moves:
        yield MOVED, {"at_ms": at_ms, "what": what, "hash": subject, "from": was, "to": to, "by": by}
    for finding in item.findings:
        rule = rule_of(finding.rule)
        found = {"rule": rule.id, "level": rule.level, "detail": finding.detail[:TEXT_MAX]}
        yield FINDING, {"at_ms": at_ms, **found, "request": finding.request, "source": finding.source}
    if item.own is not None:
        yield item.own
