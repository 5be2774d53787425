"""The WebSockets of a relayer, as a test looks at them and disturbs them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from mockrelay.client.control import Control, hides
from mockrelay.spec.sockets import TOPICS
from mockrelay.suggest import nearest
from mockrelay.testing.record import Record, recorded

__tracebackhide__ = hides

_MESSAGES = 200


class HeldPushes:
    """Pushes that are held; as a context manager they are released at its end."""

    def __init__(self, control: Control) -> None:
        self._control = control
        control("POST", "ws/hold", {})

    def release(self) -> int:
        """Send them, in order, and hold none any more; how many were sent."""
        return int(self._control("POST", "ws/release", {})["released"])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


class Sockets:
    """The WebSockets of a relayer of the profile `live`."""

    def __init__(self, control: Control) -> None:
        self._control = control

    @property
    def sessions(self) -> list[Record]:
        """All sessions, those that have ended first: `id`, `state` (`open`, `silent`, `closed`), `closed_by`, `subscriptions`,
        counts, and the last `messages` (`at_ms`, `way`, `message`).
        """
        sessions: list[Record] = recorded(self._control("GET", "ws", None, {"messages": _MESSAGES}))
        return sessions

    @property
    def subscriptions(self) -> list[Record]:
        """The subscriptions of the open sessions, each with its `session`."""
        return [
            Record(session=session.id, **sub)
            for session in self._views()
            if session.state == "open"
            for sub in session.subscriptions
        ]

    def assert_subscribed(self, topic: str, **parameters: Any) -> None:
        """Fail, listing the subscriptions, unless an open session has this topic with these parameters. Raises ValueError for a
        topic or a parameter that does not exist.
        """
        __tracebackhide__ = True
        _check(topic, parameters)
        if not any(_is_meant(sub, topic, parameters) for sub in self.subscriptions):
            now = [_text(sub) for sub in self.subscriptions]
            raise AssertionError(f"no open WebSocket is subscribed to {_wanted(topic, parameters)}; {_listed(now)}")

    def assert_resubscribed(self, topic: str, **parameters: Any) -> None:
        """Fail unless a client has subscribed again to this topic with these parameters: twice or more often, and now."""
        __tracebackhide__ = True
        self.assert_subscribed(topic, **parameters)
        made = [sub for session in self._views() for sub in session.subscribed if _is_meant(sub, topic, parameters)]
        if len(made) < 2:
            wanted = _wanted(topic, parameters)
            raise AssertionError(f"{wanted} was subscribed to once, at {made[0].at_ms} ms, and never again")

    def hold(self) -> HeldPushes:
        """Hold all pushes from now on, also on sessions to come."""
        return HeldPushes(self._control)

    def release(self) -> int:
        """Send what is held, in order, and hold nothing any more; how many pushes that were."""
        return int(self._control("POST", "ws/release", {})["released"])

    def drop(self, how: str = "clean", session: str | None = None) -> list[str]:
        """End all open sessions, or one, and give their ids: `clean`, `reset`, `silent` or `slow`. Raises ControlError for a
        session that is not open.
        """
        body = {"how": how} if session is None else {"how": how, "session": session}
        dropped: list[str] = self._control("POST", "ws/drop", body)["dropped"]
        return dropped

    def __repr__(self) -> str:
        return (
            "\n".join(
                [
                    "<WebSockets",
                    *(
                        f"  {each.id} {each.path} {each.state}: {_listed(map(_text, each.subscriptions))}"
                        for each in self._views()
                    ),
                ]
            )
            + ">"
        )

    def _views(self) -> list[Record]:
        views: list[Record] = recorded(self._control("GET", "ws"))
        return views


def _check(topic: str, parameters: Mapping[str, Any]) -> None:
    if topic not in TOPICS:
        raise ValueError(f"there is no topic {topic!r}; meant: {nearest(topic, TOPICS)}")
    for name in parameters:
        if name not in (known := TOPICS[topic].parameters):
            raise ValueError(f"the topic {topic} has no {name!r}; meant: {nearest(name, known)}")


def _is_meant(sub: Mapping[str, Any], topic: str, parameters: Mapping[str, Any]) -> bool:
    return sub["topic"] == topic and all(name in sub and sub[name] == value for name, value in parameters.items())


def _wanted(topic: str, parameters: Mapping[str, Any]) -> str:
    return _text({"topic": topic, **parameters})


def _text(sub: Mapping[str, Any]) -> str:
    return json.dumps(dict(sub))


def _listed(subscriptions: Any) -> str:
    listed = ", ".join(subscriptions)
    return f"subscribed: {listed}" if listed else "nothing is subscribed"
