"""Whether a client reads the outcome of a submission before it sends the submission again.

The outcome of a submission is unknown to the client where the answer was lost, broken, delayed or a server error, and where
an order was answered `UNKNOWN`. It stays unknown until the client reads what may show it, or sends the identical submission
again where that is the way to poll: for requests, and for orders that are held (spec, `isIdempotent`).

Only a retry is reported: the same id, or the same terms under another id. Anything else is a new submission.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any, NamedTuple

from mockrelay.journal.journal import Entry
from mockrelay.report.report_finding import AddFinding
from mockrelay.spec.fault_effects import BODY
from mockrelay.spec.lint_rules import BLIND_RETRY, CHANGED_RETRY, Rule
from mockrelay.spec.request_kinds import KINDS, SUBMISSIONS

STORED_MAX = 64
"""The number of submissions with unknown outcome that are stored; the oldest are dropped."""
_LISTED_FIELDS_MAX = 5
_UNKNOWN = b'"UNKNOWN"'
_SERVER_ERROR = HTTPStatus.INTERNAL_SERVER_ERROR.value
"""The lowest status of a server error."""


class _Watched(NamedTuple):
    """How a retry is recognized, by the paths of fields, and which calls may show the outcome."""

    slot: tuple[str, ...]
    """Submissions with equal values in these fields are meant to be one: account and id, or account and nonce."""
    terms: tuple[str, ...]
    """What it does, whatever its id."""
    reads: tuple[str, ...]
    """The endpoints that may show its outcome."""
    is_polled: bool
    """Whether it is polled by sending it again."""


_GEN2_ORDER = (
    ("accountId", "tokenSId", "orderId"),
    ("accountId", "tokenSId", "tokenBId", "amountS", "amountB", "buy"),
)
_BLOCK_READS = ("get_pending_requests", "get_block")
WATCHED: Mapping[str, _Watched] = {
    "submit_order": _Watched(*_GEN2_ORDER, ("get_orders",), False),
    "submit_order_gen3": _Watched(
        ("accountId", "sellToken.tokenId", "storageId"),
        ("accountId", "sellToken", "buyToken", "fillAmountBOrS"),
        ("get_orders_v3", "get_order_v3"),
        False,
    ),
    "submit_order_v2": _Watched(*_GEN2_ORDER, ("get_orders", "get_order_v2"), False),
    **{
        row: _Watched(
            KINDS[kind].slot(submission),
            submission.terms,
            (*KINDS[kind].shown_by, *_BLOCK_READS),
            submission.polled_by == submission.row,
        )
        for row, (kind, submission) in SUBMISSIONS.items()
    },
}
OUTCOME_READS = frozenset(endpoint for submission in WATCHED.values() for endpoint in submission.reads)
_NOT_COMPARED = (
    *("signatureRx", "signatureRy", "signatureS", "eddsaSignature", "ecdsaSignature", "hashApproved"),
    *("clientOrderId", "channelId", "memo"),
)
"""What may differ in an identical submission: signatures, and fields that are not signed."""


class OpenSubmission(NamedTuple):
    """A submission whose outcome the client cannot know."""

    request: str
    row: str
    """The id of the row of its endpoint and form."""
    account_id: int | None
    remote: str
    args: Mapping[str, Any]
    reason: str
    is_held: bool
    """It is an order that was answered `UNKNOWN`."""
    until_ms: int | None
    """When its delayed answer is sent; None: never."""


class RetryWatch:
    """The submissions whose outcome the client cannot know."""

    __slots__ = ("_open",)

    def __init__(self) -> None:
        self._open: deque[OpenSubmission] = deque(maxlen=STORED_MAX)

    def check_submission(self, entry: Entry, rate: float, add: AddFinding) -> None:
        """Check whether a submission is a retry of an open one, and store it if it is open itself."""
        was_polled = bool(self._open) and self._compare(entry, add)
        trace, response = entry.trace, entry.response
        # The usual case, by a few comparisons.
        if (
            trace.code == 0
            and not trace.faults
            and response.status < _SERVER_ERROR
            and response.body.find(_UNKNOWN) < 0
        ):
            return
        reason = _why_open(entry)
        # A client that has polled a held order knows that it is held.
        if reason is not None and not (reason is _HELD and was_polled):
            assert trace.row is not None
            until_ms = response.not_before_ms if reason is _DELAYED else None
            caller = trace.account_id, entry.raw.remote
            self._open.append(
                OpenSubmission(entry.id, trace.row, *caller, trace.args, reason, reason is _HELD, until_ms)
            )

    def check_read(self, entry: Entry, rate: float, add: AddFinding) -> None:
        """Drop the open submissions of the caller whose outcome this call may show."""
        if self._open and entry.trace.code == 0 and _why_open(entry) in (None, _DELAYED):
            left = [each for each in self._open if not _may_show(entry, each)]
            if len(left) != len(self._open):
                self._open = deque(left, maxlen=STORED_MAX)

    def leave(self, request_id: str) -> None:
        """Note that a submission's connection was closed before its delayed answer was sent: the answer is lost."""
        for index, each in enumerate(self._open):
            if each.request == request_id:
                self._open[index] = each._replace(reason=_LOST, until_ms=None)

    def clear(self) -> None:
        """Drop all submissions."""
        self._open.clear()

    def _compare(self, entry: Entry, add: AddFinding) -> bool:
        """Add a finding for each open submission that the call retries; whether it polls one of them."""
        was_polled = False
        for each in tuple(self._open):
            if each.until_ms is not None and entry.at_ms >= each.until_ms:
                self._open.remove(each)
            elif each.row == entry.trace.row and (result := _retry(each, entry)) is not None:
                # Each is reported once; from now on the answer to this call tells the outcome, or is open itself.
                self._open.remove(each)
                if result is _POLL:
                    was_polled = True
                else:
                    add(*result)
        return was_polled


_LOST, _BROKEN = "whose answer was lost", "whose answer came broken"
_DELAYED, _HELD = "whose answer is still held back", "which was answered UNKNOWN"
_POLL: tuple[Rule, str] = BLIND_RETRY, ""
"""Not a finding: the identical submission, sent again to poll it."""


def _why_open(entry: Entry) -> str | None:
    """Why the client cannot know the outcome of a call; None where it can."""
    response = entry.response
    if response.drop:
        return _LOST
    if response.status >= _SERVER_ERROR:
        return f"which was answered with status {response.status}"
    if any(fault.effect.row is BODY for fault in entry.trace.faults):
        return _BROKEN
    if response.not_before_ms is not None:
        return _DELAYED
    return _HELD if _is_held(entry) else None


def _is_held(entry: Entry) -> bool:
    """Whether the call is an order that was answered `UNKNOWN`."""
    return entry.trace.endpoint == "submit_order" and entry.response.body.find(_UNKNOWN) >= 0


def _may_show(read: Entry, each: OpenSubmission) -> bool:
    if read.trace.endpoint not in WATCHED[each.row].reads:
        return False
    if read.trace.account_id is None or each.account_id is None:
        return read.raw.remote == each.remote
    return read.trace.account_id == each.account_id


def _retry(each: OpenSubmission, entry: Entry) -> tuple[Rule, str] | None:
    """The finding for a submission that retries an open one; `_POLL` for a poll, None for a new submission."""
    submission = WATCHED[each.row]
    changed = tuple(_changed_fields(each.args, entry.trace.args))
    unread = f"nothing that shows it was read since ({', '.join(submission.reads)})"
    if not changed:
        if submission.is_polled or each.is_held:
            return _POLL
        return BLIND_RETRY, f"{entry.trace.endpoint}: the same as {each.request}, {each.reason}; {unread}"
    if _agree(submission.slot, each.args, entry.trace.args):
        same = f"the {' and '.join(submission.slot)} of"
    elif _agree(submission.terms, each.args, entry.trace.args):
        same = f"the {', '.join(submission.terms)} of"
    else:
        return None
    others = ", ".join(changed[:_LISTED_FIELDS_MAX])
    return (
        CHANGED_RETRY,
        f"{entry.trace.endpoint}: {same} {each.request}, {each.reason}, with another {others}; {unread}",
    )


def _changed_fields(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[str]:
    for name in dict.fromkeys((*one, *other)):
        if name not in _NOT_COMPARED and one.get(name) != other.get(name):
            yield name


def _agree(paths: tuple[str, ...], one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether both have all of these fields, with equal values."""
    return bool(paths) and all((value := _at(one, path)) is not None and value == _at(other, path) for path in paths)


def _at(args: Mapping[str, Any], path: str) -> Any:
    value: Any = args
    for name in path.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value
