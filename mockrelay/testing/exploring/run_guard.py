"""The end of a client that never ends: too many calls while the clock stands still, or too much time for one run."""

from __future__ import annotations

import contextlib
import ctypes
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from types import FrameType
from typing import Any

from mockrelay.relay import Relay
from mockrelay.relay.start import Start
from mockrelay.scenario import Scenario
from mockrelay.wire.encode import encode_failure
from mockrelay.wire.http import RawRequest, Response

_TIMER_THREAD = "mockrelay timer"
_OUR_THREADS = ("mockrelay", "mockrelay call", _TIMER_THREAD)
"""The names of the threads that serve relayers and end runs, which are never interrupted."""
_AGAIN_S = 0.5
_JOINS_MAX = 10
_WATCH_FILES = frozenset({__file__, contextlib.__file__})
_ALARM: Any = getattr(signal, "SIGALRM", None)


class EndlessClient(BaseException):
    """The client would not have ended. Not an Exception, so that clients that catch those end too."""


class RunGuard:
    """Ends one run at a time in which the client makes too many calls while the clock stands still, or takes too long."""

    def __init__(self, calls_max: int, seconds_max: float) -> None:
        self.error: type[BaseException] = EndlessClient
        """What is raised: EndlessClient or a subclass."""
        self.calls = 0
        """The calls of the run so far."""
        self._calls_max = calls_max
        self._seconds_max = seconds_max
        self._test_thread = 0
        self._threads_before: frozenset[threading.Thread] = frozenset()
        self._too_much = threading.Event()
        self._moment_ms, self._calls_of_moment = -1, 0
        self._is_watching = False
        self.reason = ""
        """Why the run was ended; empty: it was not."""

    def begin(self) -> None:
        """Start a run, in the thread that runs the test."""
        self.calls, self._moment_ms, self._calls_of_moment, self.reason = 0, -1, 0, ""
        self._test_thread = threading.get_ident()
        self._threads_before = frozenset(threading.enumerate())

    @contextmanager
    def watch(self) -> Iterator[None]:
        """End what is inside when its time is over. Raises EndlessClient, whatever the client has made of it."""
        try:
            with self._interrupted_in_time():
                yield
        except (EndlessClient, KeyboardInterrupt):
            raise
        except BaseException as error:
            if not self.reason:
                raise
            raise self.error(self.reason) from error
        if self.reason:
            raise self.error(self.reason)

    @contextmanager
    def _interrupted_in_time(self) -> Iterator[None]:
        ended = threading.Event()
        self._too_much.clear()
        timer = threading.Thread(target=self._end, args=(ended,), name=_TIMER_THREAD, daemon=True)
        with _alarm(self._raise), self._quiet_ends():
            self._is_watching = True
            timer.start()
            try:
                try:
                    yield
                finally:
                    self._is_watching = False
            finally:
                # Twice, since the run may be ended just before the line above.
                self._is_watching = False
                ended.set()
                self._too_much.set()
                # Before the signal has its default action again, which is the end of the process.
                timer.join()
                raise_in(self._test_thread, None)
                if self.reason:
                    self._end_threads()

    def note_call(self, now_ms: int) -> bool:
        """Count a call at a moment of the relayer's clock; whether it may be answered. Raises EndlessClient for one that
        may not in the test's own thread.
        """
        if now_ms != self._moment_ms:
            self._moment_ms, self._calls_of_moment = now_ms, 0
        if not self.reason and self._calls_of_moment >= self._calls_max:
            self.reason = (
                f"the client made {self._calls_max} calls while the relayer's clock stood still, and would have gone on: "
                "a client that waits must move the clock (relayer.clock.advance); explore(calls_max=...) allows more"
            )
            self._too_much.set()
        if not self.reason:
            self.calls += 1
            self._calls_of_moment += 1
        elif threading.get_ident() == self._test_thread:
            raise self.error(self.reason)
        return not self.reason

    def _end(self, ended: threading.Event) -> None:
        """End the run when it is too much, again and again, since a client may catch what it gets."""
        if self._too_much.wait(self._seconds_max):
            # Most clients end by the calls that are refused now, and close what they have opened.
            ended.wait(_AGAIN_S)
        else:
            self.reason = self.reason or (
                f"the run took longer than {self._seconds_max:g} s, after {self.calls} calls; explore(run_timeout_s=...) "
                "allows more"
            )
        while not ended.is_set():
            for thread in self._client_threads():
                raise_in(thread.ident or 0, SystemExit)
            if _has_alarm(self._raise):
                # It wakes the thread from a sleep or a socket too.
                signal.pthread_kill(self._test_thread, _ALARM)
            else:
                raise_in(self._test_thread, self.error)
            ended.wait(_AGAIN_S)

    def _end_threads(self) -> None:
        """Wait for the threads that the client has begun, and end those that go on."""
        for _ in range(_JOINS_MAX):
            threads = self._client_threads()
            for thread in threads:
                thread.join(_AGAIN_S)
                raise_in(thread.ident or 0, SystemExit)
            if not threads:
                return

    def _client_threads(self) -> list[threading.Thread]:
        """The threads that the client has begun."""
        return [
            each for each in threading.enumerate() if each not in self._threads_before and each.name not in _OUR_THREADS
        ]

    @contextmanager
    def _quiet_ends(self) -> Iterator[None]:
        """Inside, what threads raise when the run has been ended is no error; pytest takes all of it for one."""
        hook = threading.excepthook

        def quiet(ended: threading.ExceptHookArgs) -> None:
            if not self.reason:
                hook(ended)

        threading.excepthook = quiet
        try:
            yield
        finally:
            threading.excepthook = hook

    def _raise(self, number: int, frame: FrameType | None) -> None:
        # Not in the frames that begin and end the watch, which would not be left as they should, nor in a finalizer, which
        # would take the error and only warn of it: the next signal comes soon.
        if not self._is_watching or frame is None or frame.f_code.co_filename in _WATCH_FILES:
            return
        if not _is_in_finalizer(frame):
            raise self.error(self.reason)


class GuardedRelay(Relay):
    """A relay whose calls are counted by a guard."""

    def __init__(self, scenario: Scenario, *, guard: RunGuard, **options: Any) -> None:
        """`options`: those of `Relay`."""
        super().__init__(scenario, **options)
        self._guard = guard

    def handle(self, raw: RawRequest, now_ms: int, generation: int | None = None) -> Response:
        """The relay's answer; status 503 to what comes when the run has been ended, and no trace of it."""
        if not self._guard.note_call(now_ms):
            return encode_failure(HTTPStatus.SERVICE_UNAVAILABLE, self._guard.reason)
        return super().handle(raw, now_ms, generation)

    def from_start(self, start: Start) -> Relay:
        """A relay with the same guard."""
        return GuardedRelay(guard=self._guard, **start._asdict())


@contextmanager
def _alarm(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Handle the signal inside, where there is one, nobody else uses it, and this is the thread that gets it."""
    is_ours = _ALARM is not None and threading.current_thread() is threading.main_thread()
    if not is_ours or signal.getsignal(_ALARM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(_ALARM, handler)
    try:
        yield
    finally:
        signal.signal(_ALARM, signal.SIG_DFL)


def _has_alarm(handler: Callable[[int, FrameType | None], None]) -> bool:
    return _ALARM is not None and signal.getsignal(_ALARM) == handler


def _is_in_finalizer(frame: FrameType | None) -> bool:
    """Whether a frame or one of its callers is a `__del__`."""
    while frame is not None:
        if frame.f_code.co_name == "__del__":
            return True
        frame = frame.f_back
    return False


class _Settled(BaseException):
    """Raised in the thread that has an error raised in another one."""


def raise_in(thread_id: int, error: type[BaseException] | None) -> None:
    """Have an error raised in a thread as soon as it runs Python; None: not any more.

    CPython 3.11 alerts all threads until the error is taken. If the thread sleeps or has ended, the others are alerted for
    good, and one with a trace function (coverage, a debugger) never comes back from its next call. So this thread takes an
    error of its own at once, which ends the alert; the other one takes its error when it next gets the interpreter.
    """
    set_error = ctypes.pythonapi.PyThreadState_SetAsyncExc
    this_thread, settled = ctypes.c_ulong(threading.get_ident()), ctypes.py_object(_Settled)
    set_error(ctypes.c_ulong(thread_id), None if error is None else ctypes.py_object(error))
    try:
        set_error(this_thread, settled)
        while True:
            pass
    except _Settled:
        pass
