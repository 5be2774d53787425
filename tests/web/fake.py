"""A relay that does nothing but remember and answer, for tests of what stands before a relay."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import Queue

from mockrelay.clock import Clock
from mockrelay.control import Load, handle_control
from mockrelay.control.files import ReadFile, any_file
from mockrelay.control.routes import AllWorlds
from mockrelay.journal import Journal
from mockrelay.journal.secrets import Secrets
from mockrelay.recording.format import MAIN
from mockrelay.relay import Relay
from mockrelay.relay.start import Start
from mockrelay.report import Report
from mockrelay.wire.http import RawRequest, Response
from tests.support.worlds import START_MS

JSON_TYPE = ("Content-Type", "application/json")


class WatchedClock(Clock):
    """A frozen clock that tells when somebody waits for it, and when nobody does any more."""

    def __init__(self) -> None:
        super().__init__(START_MS)
        self.awaited = threading.Event()
        self.left = threading.Event()

    def on_move(self, watcher: Callable[[], None]) -> Callable[[], None]:
        end = super().on_move(watcher)
        self.awaited.set()

        def leave() -> None:
            end()
            if not self._watchers:
                self.left.set()

        return leave


class FakeRelay(Relay):
    """Answers the API with its `response` and control calls with what it was asked; keeps what it got."""

    clock: WatchedClock

    def __init__(self, name: str = "fake") -> None:
        self.name = name
        self.clock = WatchedClock()
        self.seen: list[RawRequest] = []
        self.handled = threading.Event()
        self.response = Response(200, (JSON_TYPE,), json.dumps({"name": name}).encode())
        self.failure: Exception | None = None
        self.siblings: list[FakeRelay] = []
        self.ended = False
        self.busy = threading.Lock()
        self.is_verifying = False
        self.journal = Journal()
        self.departures: Queue[str] = Queue()
        """The calls whose clients have left."""

    @property
    def is_busy(self) -> bool:
        return self.busy.locked()

    @property
    def verifies_signatures(self) -> bool:
        return self.is_verifying

    @property
    def scenario_name(self) -> str:
        return self.name

    def end_record(self) -> None:
        self.ended = True

    def end_sockets(self) -> None:
        """It has none."""

    def leave(self, request_id: str) -> None:
        self.departures.put(request_id)

    def spawn(self, name: str = MAIN, start: Start | None = None) -> FakeRelay:
        self.siblings.append(FakeRelay(f"sibling {len(self.siblings) + 1} of {self.name}"))
        return self.siblings[-1]

    def handle(self, raw: RawRequest, now_ms: int, generation: int | None = None) -> Response:
        assert now_ms == self.clock.now_ms()
        self.seen.append(raw)
        self.handled.set()
        if self.failure is not None:
            raise self.failure
        return self.response

    def report_and_secrets(self) -> tuple[Report, Secrets]:
        return Report(), Secrets(())

    @property
    def socket_count(self) -> int:
        return 0

    def request_id(self, raw: RawRequest) -> str | None:
        return None

    def control(
        self, method: str, path: str, query: tuple[tuple[str, str], ...], body: bytes, load: Load | None = None
    ) -> Response:
        if self.failure is not None:
            raise self.failure
        asked = {"method": method, "path": path, "query": query, "length": len(body)}
        return Response(200, (JSON_TYPE,), json.dumps(asked).encode())

    @contextmanager
    def failing(self, failure: Exception) -> Iterator[None]:
        """Every call inside raises `failure`."""
        self.failure = failure
        try:
            yield
        finally:
            self.failure = None


def control(
    relay: Relay,
    method: str,
    path: str,
    query: tuple[tuple[str, str], ...],
    body: bytes,
    load: Load | None = None,
    read_file: ReadFile = any_file,
    all_worlds: AllWorlds | None = None,
) -> Response:
    """A control call to a relay, which may be a fake one."""
    if isinstance(relay, FakeRelay):
        return relay.control(method, path, query, body, load)
    return handle_control(relay, method, path, query, body, load, read_file, all_worlds)
