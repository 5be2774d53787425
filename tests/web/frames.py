"""WebSockets by hand: the frames of RFC 6455 over a connection, and a relayer whose WebSocket events can be waited for."""

from __future__ import annotations

import json
import queue
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from mockrelay.clock import Clock
from mockrelay.relay import Relay
from mockrelay.relay.sessions import SocketEvent
from mockrelay.wire.http import SOCKET_HEADERS
from tests.live.test_sockets import FOLDER
from tests.support.answer import Answer
from tests.support.connection import PATIENCE_S, Connection

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
MASK = b"\x37\xfa\x21\x3d"
ACCEPT = "ICX+Yqv66kxgM0FcWaLWlFLwTAI="
"""SHA-1 of the key in `SOCKET_HEADERS` and the text of RFC 6455, 1.3, in base 64."""


class Frame(NamedTuple):
    opcode: int
    data: bytes


def frame(opcode: int, data: bytes = b"", *, final: bool = True) -> bytes:
    """A frame of a client."""
    size = len(data)
    length = (
        bytes([0x80 | size])
        if size < 126
        else b"\xfe" + struct.pack(">H", size)
        if size < 1 << 16
        else b"\xff" + struct.pack(">Q", size)
    )
    masked = bytes(byte ^ MASK[at % 4] for at, byte in enumerate(data))
    return bytes([opcode | 0x80 * final]) + length + MASK + masked


def handshake(target: str, **headers: str) -> bytes:
    """A handshake, with other headers in place of the right ones."""
    lines = [f"{name}: {value}" for name, value in {**SOCKET_HEADERS, **headers}.items()]
    return "\r\n".join([f"GET {target} HTTP/1.1", "Host: localhost", *lines, "", ""]).encode()


class Wire(Connection):
    """A connection that becomes a WebSocket."""

    def shake(self, target: str = "/v2/ws", **headers: str) -> Answer:
        """Send a handshake and read its answer."""
        self.send(handshake(self.base + target, **headers))
        return self.read()

    def open(self, target: str = "/v2/ws") -> str:
        """Open it and read the first `ping`; the session's id."""
        answer = self.shake(target)
        assert (answer.status, answer.headers["sec-websocket-accept"]) == (101, ACCEPT)
        assert self.frame() == (TEXT, b"ping")
        return answer.headers["x-mockrelay-request-id"]

    def text(self, message: Any) -> None:
        """Send a text, or a message as JSON."""
        self.send(frame(TEXT, (message if isinstance(message, str) else json.dumps(message)).encode()))

    def subscribe(self, *topics: dict[str, Any], **beside: Any) -> None:
        """Subscribe; the answer is read."""
        self.text({"op": "sub", "topics": topics, **beside})
        assert self.message()["result"] == {"status": "OK"}

    def frame(self) -> Frame:
        """The next frame. EOFError at the end, ConnectionError where the connection broke."""
        first, size = self.take(2)
        assert first & 0x70 == 0
        if size >= 126:
            size = int.from_bytes(self.take(2 if size == 126 else 8), "big")
        return Frame(first & 0x0F, self.take(size))

    def message(self) -> Any:
        """The next message that is not a `ping`."""
        while True:
            opcode, data = self.frame()
            assert opcode == TEXT, (opcode, data)
            if data != b"ping":
                return json.loads(data)

    def ends_broken(self) -> bool:
        """Read on to the end: whether it comes without a close message."""
        try:
            while True:
                if self.frame().opcode == CLOSE:
                    return False
        except (EOFError, ConnectionError):
            return True

    def closing_code(self, *, answers: bool = True) -> int:
        """The code of the close message, which must come next."""
        opcode, data = self.frame()
        assert opcode == CLOSE, data
        if answers:
            self.send(frame(CLOSE, data[:2]))
        return int.from_bytes(data[:2], "big")

    def take(self, count: int) -> bytes:
        """The next bytes."""
        while len(self._buffer) < count:
            self._more()
        taken, self._buffer = self._buffer[:count], self._buffer[count:]
        return taken


@contextmanager
def wired(url: str) -> Iterator[Wire]:
    wire = Wire(url)
    try:
        yield wire
    finally:
        wire.close()


class WatchedRelay(Relay):
    """A relayer that tells what has happened on its WebSockets."""

    happened: queue.Queue[tuple[str, SocketEvent]]

    def socket_event(self, session: str, event: SocketEvent, *args: Any, **options: Any) -> None:
        super().socket_event(session, event, *args, **options)
        self.happened.put((session, event))

    def await_event(self, session: str, event: SocketEvent) -> None:
        """Wait until this has happened; what happened before is forgotten."""
        while self.happened.get(timeout=PATIENCE_S) != (session, event):
            pass

    def from_start(self, start: Any) -> Relay:
        return watched(type(self)(**start._asdict()))


def watched(relay: Relay) -> WatchedRelay:
    assert isinstance(relay, WatchedRelay)
    relay.happened = queue.Queue()
    return relay


def live_relay(clock: Clock | None = None, **options: Any) -> WatchedRelay:
    """The relayer of `tests.live`, whose clock stands still unless another is given."""
    clock = clock or Clock.frozen(1_685_577_600_000)
    return watched(WatchedRelay.from_scenario(FOLDER / "world_v3.yaml", clock=clock, **options))
