"""The lock and the recorder of a relay, and what comes in and goes out on its WebSockets."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

from mockrelay.clock import Clock
from mockrelay.core.context import SOCKET
from mockrelay.journal.problems import note_socket_failure
from mockrelay.recording.recorder import Recorder, RecordFailed
from mockrelay.relay.live_state import CommandTime, LiveState
from mockrelay.relay.sessions import Out, SocketEvent
from mockrelay.spec.sockets import Ending


class SocketState(LiveState):
    """The state of a relay with its lock, and its WebSockets."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._lock = threading.RLock()
        self._recorder: Recorder | None = None
        self._recorded_sockets: set[str] = set()
        """The sessions that were opened since recording began; a replay knows no others."""
        self.on_out: Callable[[Out], object] = lambda _: None
        """Told of all that is sent on WebSockets, under the lock, in any thread."""
        self.sessions.on_out = partial(SocketState._note_out, weakref.proxy(self))

    @property
    def verifies_signatures(self) -> bool:
        """Whether its calls verify signatures, which takes some milliseconds, and to find out why one is wrong takes many. By
        the world's choice: that a scenario decides otherwise for a single call is not looked at. False with functions of the
        user's, which are called where the server runs.
        """
        is_checked = self.world.choices["signature.scheme"] == "protocol"
        return is_checked and self.start.verifier is None and self.start.decide is None

    @property
    def is_busy(self) -> bool:
        """Whether another thread is at work on it now."""
        if self._lock.acquire(False):
            self._lock.release()
            return False
        return True

    def socket_event(
        self,
        session: str,
        event: SocketEvent,
        now_ms: int | None = None,
        text: str = "",
        *,
        wall_ms: int | None = None,
    ) -> None:
        """Something happens on a WebSocket: a client's message, its end, or a moment at which something is due. What follows
        goes out on it. In a replay `now_ms` and `wall_ms` are the recorded times of relayer and machine.
        """
        with self._lock:
            is_replayed = wall_ms is not None
            wall_ms = Clock.real().now_ms() if wall_ms is None else wall_ms
            # Read under the lock: a restart in another thread may have set the clock back.
            now_ms = max(self.clock.now_ms() if now_ms is None else now_ms, self.world.now_ms)
            if self._recorder is not None and (event is SocketEvent.DUE or session in self._recorded_sockets):
                try:
                    self._recorder.socket_event(session, now_ms, wall_ms, event, text)
                except RecordFailed:
                    self.sessions.drop(Ending.CLEAN)
                    return
            self._command_time = CommandTime(now_ms, wall_ms, is_replayed=is_replayed)
            try:
                with self.context(SOCKET) as ctx:
                    self.sessions.happen(ctx.world, session, event, text)
            except Exception as error:
                note_socket_failure(self.journal, session, error)
                raise
            finally:
                self._command_time = None
            if event is SocketEvent.CLOSED:
                self._recorded_sockets.discard(session)

    @property
    def socket_count(self) -> int:
        """The number of open WebSocket sessions."""
        return len(self.sessions.opened)

    def sockets_due_ms(self) -> int | None:
        """When something is due that is to be pushed, or a `ping`; None without WebSockets."""
        with self._lock:
            due_ms = [self.sessions.due_ms(), self.world.events.next_ms()]
            return min((each for each in due_ms if each is not None), default=None) if self.sessions.opened else None

    def connect_socket(self, session: str, send: Callable[[Out], object]) -> bool:
        """Pass all that goes out on a WebSocket to `send`, what has gone out before first. It is called under the lock, in any
        thread, so it must not wait. False where the session ended too long ago.
        """
        with self._lock:
            found = self.sessions.find(session)
            if found is None:
                found = next((each for each in self.sessions if each.id == session), None)
            if found is not None:
                found.connect(send)
            return found is not None

    def end_sockets(self) -> None:
        """End all WebSockets."""
        with self._lock:
            self.sessions.restart()

    def _note_out(self, out: Out) -> None:
        if self._recorder is not None and out.session in self._recorded_sockets:
            self._recorder.socket_out(out._asdict())
        self.on_out(out)
