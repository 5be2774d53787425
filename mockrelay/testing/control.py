"""The way from a handle to its relayer: control calls in this process or over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from mockrelay.client.control import NO_QUERY, Control, ControlError, control_value, encode_body, hides
from mockrelay.control import handle_control
from mockrelay.replay import load_into

if TYPE_CHECKING:
    from mockrelay.relay import Relay

__tracebackhide__ = hides


def in_process(relay: Relay) -> Control:
    """Calls to a relay of this process: no socket and no loop, so they work in any thread and inside any loop."""

    def control(method: str, path: str, body: object = None, query: Mapping[str, object] = NO_QUERY) -> Any:
        pairs = tuple((name, str(value)) for name, value in query.items())
        response = handle_control(relay, method, path, pairs, encode_body(body), load_into)
        return control_value(response.status, dict(response.headers)["Content-Type"], response.body)

    return control


class HandleControl:
    """The control calls of one handle and of the objects that it returns, until it is closed."""

    __slots__ = ("_control",)

    def __init__(self, control: Control) -> None:
        self._control: Control | None = control

    def __call__(self, method: str, path: str, body: object = None, query: Mapping[str, object] = NO_QUERY) -> Any:
        """Make a control call. Raises RuntimeError once closed."""
        if self._control is None:
            raise RuntimeError("this relayer has ended with the test that it was made for")
        return self._control(method, path, body, query)

    @property
    def is_closed(self) -> bool:
        """Whether calls are refused."""
        return self._control is None

    def close(self) -> None:
        """Refuse calls from here on."""
        self._control = None


def described(describe: Callable[[], str]) -> str:
    """The part of a repr that has to ask the relayer; empty where that is not possible any more, since a repr must not raise."""
    try:
        return f" {describe()}"
    except (ControlError, RuntimeError):
        return ""


def word(value: object, what: str) -> str:
    """A value as one segment of a path. Raises ControlError for an empty one and one with a slash."""
    text = str(value)
    if not text or "/" in text:
        raise ControlError(404, f"{text!r} names no {what}", what, f"the name or id of one {what}")
    return text
