"""A session: one WebSocket as the relayer sees it, and what is sent on it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from enum import StrEnum
from typing import Any, NamedTuple

from mockrelay.journal.masking import masked_body
from mockrelay.relay.sessions.messages import Subscription
from mockrelay.spec.sockets import Ending

LOG_MAX = 200
LOG_CHARACTERS_MAX = 1 << 20
"""Messages of a session that are kept, and characters of them all; the last message is kept in any case."""
SUBSCRIBED_MAX = 1_000
"""Subscriptions of a session that are kept once they have ended."""
UNSENT_MAX = 10_000
"""Messages that are kept for a session that nobody has connected."""
HELD_MAX = 10_000
"""Pushes that a session holds; it ends where there are more."""
CLOSE_CODES = {Ending.CLEAN: 1001, Ending.SLOW: 1008}
"""The codes of close messages (RFC 6455, 7.4.1): going away, policy violation."""
RESTARTED = 1012
"""The code where the relayer has another state from now on, as after a restart."""
BY_CLIENT, BY_RELAYER = "client", "relayer"


class SocketEvent(StrEnum):
    """What may happen on a WebSocket from outside."""

    MESSAGE = "message"
    """The client has sent a text."""
    CLOSED = "closed"
    """The client has ended the connection, or it has broken."""
    NOT_READ = "not read"
    """The client reads so slowly that it is cut off."""
    DUE = "due"
    """Time has passed, and something is due."""


class Out(NamedTuple):
    """Something that a session sends, or its end."""

    session: str
    text: str | None = None
    """A text message."""
    ending: Ending | None = None
    """How the connection ends; None: it goes on."""
    code: int | None = None
    """The code of the close message, where one is sent."""


class Logged(NamedTuple):
    """A message of a session."""

    at_ms: int
    way: str
    """`in`: from the client; `out`: to it; `lost`: left out by a fault."""
    text: str


class Session:
    """One WebSocket."""

    __slots__ = (
        "_log_characters",
        "api_key",
        "closed_by",
        "connected",
        "findings",
        "gaps",
        "held",
        "id",
        "is_silent",
        "log",
        "opened_ms",
        "path",
        "pinged_ms",
        "pings",
        "ponged_ms",
        "pongs",
        "pushed",
        "received",
        "subscribed",
        "subscriptions",
        "swapped",
        "unanswered_ms",
        "unsent",
    )

    def __init__(self, session_id: str, path: str, now_ms: int) -> None:
        self.id = session_id
        """The id of the request that opened it."""
        self.path = path
        self.opened_ms = now_ms
        self.api_key: str | None = None
        """The key that the first message with one brought."""
        self.subscriptions: dict[str, Subscription] = {}
        """By their texts, in the order in which they were made."""
        self.subscribed: deque[tuple[int, Subscription]] = deque(maxlen=SUBSCRIBED_MAX)
        """The last that were made, with their times."""
        self.pinged_ms = self.ponged_ms = self.unanswered_ms = now_ms
        self.pings = self.pongs = self.received = self.pushed = 0
        self.findings = 0
        self.log: deque[Logged] = deque()
        self._log_characters = 0
        self.closed_by: str | None = None
        """`client`, `relayer`, or how a fault or a test ended it; None: it is open."""
        self.is_silent = False
        self.held: deque[str] | None = None
        """Pushes that wait; None: none are held."""
        self.swapped: str | None = None
        """A push that is sent behind the next one."""
        self.connected: Callable[[Out], object] | None = None
        """Sends what goes out; None: nobody does yet, and it is kept."""
        self.unsent: deque[Out] = deque(maxlen=UNSENT_MAX)
        self.gaps: dict[str, int] = {}
        """Subscription -> pushes since one of it was left out."""

    def waited_ms(self, now_ms: int) -> int:
        """How long a `ping` has been without its `pong`: since the first one that is, or since the last `pong`. A clock that was moved
        ahead by hours has not waited for hours.
        """
        return now_ms - max(self.ponged_ms, self.unanswered_ms) if self.pongs < self.pings else 0

    def note(self, at_ms: int, way: str, text: str) -> None:
        """Keep a message, in place of the oldest ones where there are too many."""
        log = self.log
        log.append(Logged(at_ms, way, text))
        self._log_characters += len(text)
        while len(log) > LOG_MAX or (self._log_characters > LOG_CHARACTERS_MAX and len(log) > 1):
            self._log_characters -= len(log.popleft().text)

    def end(self, closed_by: str) -> None:
        """Nothing is sent any more. Who was to send it is let go, unless nobody has sent what there is yet."""
        self.closed_by, self.is_silent = closed_by, False
        self.held = None
        self.swapped = None
        self.connected = None

    def send(self, out: Out) -> None:
        """Send something, or keep it until somebody sends it."""
        (self.unsent.append if self.connected is None else self.connected)(out)

    def connect(self, send: Callable[[Out], object]) -> None:
        """Send by `send` from now on, what has been kept first."""
        self.connected = send
        while self.unsent:
            send(self.unsent.popleft())

    def view(self, messages: int) -> dict[str, Any]:
        """What the control API shows, with its last messages."""
        log = list(self.log)[-messages:] if messages else []
        return {
            "id": self.id,
            "path": self.path,
            "opened_ms": self.opened_ms,
            "state": "silent" if self.is_silent else "open" if self.closed_by is None else "closed",
            "closed_by": self.closed_by,
            "subscriptions": [each.fields for each in self.subscriptions.values()],
            "subscribed": [{"at_ms": at_ms, **each.fields} for at_ms, each in self.subscribed],
            "received": self.received,
            "pushed": self.pushed,
            "held": 0 if self.held is None else len(self.held),
            "pings": self.pings,
            "pongs": self.pongs,
            "messages": [
                {"at_ms": at_ms, "way": way, "message": masked_body(text.encode("utf-8", "replace"))}
                for at_ms, way, text in log
            ],
        }
