"""The calls of a relayer's journal: what was asked, what was answered, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

from mockrelay.client.control import Control, ControlError, hides
from mockrelay.relay import REQUEST_ID_HEADER
from mockrelay.testing.control import word
from mockrelay.testing.record import Record, recorded

__tracebackhide__ = hides


class Requests(Sequence[Record]):
    """The calls that the journal still holds, oldest first, and the counts of all calls."""

    def __init__(self, view: dict[str, Any]) -> None:
        self.total: int = view["total"]
        """The number of all calls."""
        self.dropped: int = view["dropped"]
        """The number of calls that the journal no longer holds."""
        self.counts: dict[str, dict[str, int]] = view["counts"]
        """The number of calls by endpoint and code (`"0"` is success)."""
        self._entries: list[Record] = recorded(view["requests"])

    @overload
    def __getitem__(self, at: int) -> Record: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Record]: ...
    def __getitem__(self, at: int | slice) -> Record | Sequence[Record]:
        return self._entries[at]

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        lines = [f"  {brief(entry)}" for entry in self._entries]
        return "\n".join([f"<{self.total} requests, {self.dropped} of them dropped", *lines]) + ">"


class Why(Record):
    """The steps that led to an answer; as text one line a step."""

    __slots__ = ()

    def __str__(self) -> str:
        return "\n".join(self["story"])

    __repr__ = __str__


def why(control: Control, asked: object) -> Why:
    """Why a call, given by its request id or by a response with one, was answered as it was."""
    request_id = asked if isinstance(asked, str) else id_of(asked)
    return Why(recorded(control("GET", f"why/{word(request_id, 'request')}")))


def id_of(response: object) -> str:
    """The request id of a response, of any client library whose responses have `headers`."""
    headers = getattr(response, "headers", None)
    if headers is None:
        raise TypeError(f"{response!r} is neither a request id nor a response with headers")
    for name, value in headers.items():
        if str(name).lower() == REQUEST_ID_HEADER.lower():
            return str(value)
    raise ControlError(
        404, f"the response has no header {REQUEST_ID_HEADER}", "response", "a response that came from this relayer"
    )


def brief(entry: Record) -> str:
    """A call, and what its client met, in one line."""
    return f"{entry['id']} {entry['method']} {entry['target']} ({entry['endpoint'] or 'no endpoint'}) -> {entry['summary']}"


def verify(control: Control, expected: dict[str, Any]) -> int:
    """The number of calls that match. Raises AssertionError, listing the nearest calls, where it is not the expected one."""
    __tracebackhide__ = True
    try:
        found: int = control("POST", "verify", {name: value for name, value in expected.items() if value is not None})[
            "found"
        ]
    except ControlError as error:
        if error.status != 409:
            raise
        text = error.error
    else:
        return found
    raise AssertionError(text)
