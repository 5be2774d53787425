"""Whether a client looks before it sends a submission again whose outcome is open.

Open is the outcome of a submission whose answer was lost, broken, held back or a failure of the server, and of an order
that is answered `UNKNOWN`. It stays so until the client reads what may show the outcome, or sends the very same one again
where that asks for it: a request is polled by sending it again, and so is an order that is held (spec, `isIdempotent`).

Only what is sent *again* is blamed: the same id, or the same terms under another. Anything else is another submission.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from http import HTTPStatus
from typing import Any, NamedTuple

from mockrelay.journal.journal import Entry
from mockrelay.spec.fault_effects import BODY
from mockrelay.spec.lint_rules import BLIND_RETRY, CHANGED_RETRY, Rule
from mockrelay.spec.request_kinds import KINDS

KEPT_MAX = 64
"""How many open submissions are kept; the oldest go."""
_NAMED_MAX = 5
_FAILURE = HTTPStatus.INTERNAL_SERVER_ERROR
_UNKNOWN = b'"UNKNOWN"'


class Submission(NamedTuple):
    """How to know a submission again, by the paths of its fields, and what may show what became of it."""

    slot: tuple[str, ...]
    """Two with the same values here are meant to be one: account and id, or account and nonce."""
    terms: tuple[str, ...]
    """What it does, whatever its id."""
    looks: tuple[str, ...]
    """The endpoints that may show its outcome."""
    is_polled: bool
    """Whether it is asked after by sending it again."""


_BLOCKS = ("get_pending_requests", "get_block")
SUBMISSIONS: Mapping[str, Submission] = {
    "submit_order": Submission(
        ("accountId", "tokenSId", "orderId"),
        ("accountId", "tokenSId", "tokenBId", "amountS", "amountB", "buy"),
        ("get_orders",),
        False,
    ),
    **{
        row.endpoint: Submission(row.slot, row.terms, (*row.shown_by, *_BLOCKS), row.polled_by == row.endpoint)
        for row in KINDS.values()
    },
}
LOOKS = frozenset(look for submission in SUBMISSIONS.values() for look in submission.looks)
_NOT_COMPARED = (
    *("signatureRx", "signatureRy", "signatureS", "eddsaSignature", "ecdsaSignature", "hashApproved"),
    *("clientOrderId", "channelId", "memo"),
)
"""What may differ in the very same submission: signatures, and what is not signed."""


class Open(NamedTuple):
    """A submission whose outcome the client cannot know."""

    request: str
    endpoint: str
    account_id: int | None
    remote: str
    args: Mapping[str, Any]
    why: str
    is_held: bool
    """It is an order that was answered `UNKNOWN`."""
    until_ms: int | None
    """When the answer comes after all."""


class Retries:
    """The open submissions."""

    __slots__ = ("_open",)

    def __init__(self) -> None:
        self._open: deque[Open] = deque(maxlen=KEPT_MAX)

    def see_submission(self, entry: Entry, rate: float, find: Callable[[Rule, str], None]) -> None:
        """A submission: is it one of the open ones again, and is it open itself?"""
        asked_again = bool(self._open) and self._compare(entry, find)
        trace, response = entry.trace, entry.response
        # The usual case at the price of a few comparisons.
        if trace.code == 0 and not trace.faults and response.status < _FAILURE and not _is_held(entry):
            return
        why = _why_open(entry)
        # Whoever has asked after a held order knows that it is held.
        if why is not None and not (why is _HELD and asked_again):
            assert trace.endpoint is not None
            is_held = why is _HELD
            until_ms = response.not_before_ms if why is _LATE else None
            self._open.append(
                Open(entry.id, trace.endpoint, trace.account_id, entry.raw.remote, trace.args, why, is_held, until_ms)
            )

    def see_look(self, entry: Entry, rate: float, find: Callable[[Rule, str], None]) -> None:
        """A call that may show what became of a submission of the same caller."""
        if self._open and entry.trace.code == 0 and _why_open(entry) in (None, _LATE):
            left = [each for each in self._open if not _shows(entry, each)]
            if len(left) != len(self._open):
                self._open = deque(left, maxlen=KEPT_MAX)

    def forget(self) -> None:
        """The world begins anew."""
        self._open.clear()

    def _compare(self, entry: Entry, find: Callable[[Rule, str], None]) -> bool:
        """Blame what is to be blamed; whether an open submission was asked after as it may be."""
        asked_again = False
        for each in tuple(self._open):
            if each.until_ms is not None and entry.at_ms >= each.until_ms:
                self._open.remove(each)
            elif each.endpoint == entry.trace.endpoint and (found := _again(each, entry)) is not None:
                # Blamed once, and what is known of its outcome from now on is what this call is answered.
                self._open.remove(each)
                if found is _FINE:
                    asked_again = True
                else:
                    find(*found)
        return asked_again


_LOST, _BROKEN = "whose answer was lost", "whose answer came broken"
_LATE, _HELD = "whose answer is still held back", "which was answered UNKNOWN"
_FINE: tuple[Rule, str] = BLIND_RETRY, ""
"""Sent again as it may be."""


def _why_open(entry: Entry) -> str | None:
    """Why the client cannot know the outcome of a call; None where it can."""
    response = entry.response
    if response.drop:
        return _LOST
    if response.status >= _FAILURE:
        return f"which was answered with status {response.status}"
    if any(fault.effect.row is BODY for fault in entry.trace.faults):
        return _BROKEN
    if response.not_before_ms is not None:
        return _LATE
    return _HELD if _is_held(entry) else None


def _is_held(entry: Entry) -> bool:
    """Whether the call is an order that was answered `UNKNOWN`."""
    return entry.trace.endpoint == "submit_order" and entry.response.body.find(_UNKNOWN) >= 0


def _shows(look: Entry, each: Open) -> bool:
    if look.trace.endpoint not in SUBMISSIONS[each.endpoint].looks:
        return False
    if look.trace.account_id is None or each.account_id is None:
        return look.raw.remote == each.remote
    return look.trace.account_id == each.account_id


def _again(each: Open, entry: Entry) -> tuple[Rule, str] | None:
    """What to say of a submission beside an open one; None where they have nothing to do with each other."""
    form = SUBMISSIONS[each.endpoint]
    unlike = tuple(_unlike(each.args, entry.trace.args))
    looked = f"nothing that shows it was read since ({', '.join(form.looks)})"
    if not unlike:
        if form.is_polled or each.is_held:
            return _FINE
        return BLIND_RETRY, f"{entry.trace.endpoint}: the same as {each.request}, {each.why}; {looked}"
    if _same(form.slot, each.args, entry.trace.args):
        same = f"the {' and '.join(form.slot)} of"
    elif _same(form.terms, each.args, entry.trace.args):
        same = f"the {', '.join(form.terms)} of"
    else:
        return None
    others = ", ".join(unlike[:_NAMED_MAX])
    return CHANGED_RETRY, f"{entry.trace.endpoint}: {same} {each.request}, {each.why}, with another {others}; {looked}"


def _unlike(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[str]:
    """The fields that differ."""
    for name in dict.fromkeys((*one, *other)):
        if name not in _NOT_COMPARED and one.get(name) != other.get(name):
            yield name


def _same(paths: tuple[str, ...], one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether both have these fields, with the same values."""
    return bool(paths) and all((value := _at(one, path)) is not None and value == _at(other, path) for path in paths)


def _at(args: Mapping[str, Any], path: str) -> Any:
    value: Any = args
    for name in path.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value
