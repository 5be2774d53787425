"""How the runs of endless clients are ended."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading

import pytest

from mockrelay.testing.exploring import run_guard
from mockrelay.testing.exploring.run_guard import EndlessClient, RunGuard
from tests.support.processes import PATIENCE_S

TRACED = """
import sys, threading
from mockrelay.testing.exploring.run_guard import raise_in

end, at = threading.Event(), threading.Event()
thread = threading.Thread(target=lambda: (at.set(), end.wait()))
thread.start()
at.wait()
{raise_}
sys.settrace(lambda *_: None)

def traced():
    return "came back"

told = traced()
sys.settrace(None)
end.set()
thread.join()
print(told)
"""


@pytest.mark.parametrize(
    "raise_",
    ["raise_in(thread.ident, SystemExit)", "raise_in(thread.ident, SystemExit); raise_in(thread.ident, None)"],
    ids=["in a thread that waits", "taken back"],
)
def test_an_error_for_a_thread_does_not_hold_up_the_traced_calls_of_others(raise_: str) -> None:
    """CPython 3.11 would not come back from the call, as long as nobody takes the error."""
    script = TRACED.format(raise_=raise_)
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=PATIENCE_S, check=True
    )
    assert result.stdout == "came back\n"


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="this system has no SIGALRM")
def test_a_finalizer_is_not_interrupted_since_it_would_swallow_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    # No signals but those of this test, however long it takes.
    monkeypatch.setattr(run_guard, "_AGAIN_S", PATIENCE_S)
    guard, ends = RunGuard(calls_max=1, seconds_max=PATIENCE_S), []

    class Response:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGALRM)
            ends.append("finalizer")

    def end_run() -> None:
        assert guard.note_call(0)
        assert not guard.note_call(0)

    def run_client() -> None:
        client = threading.Thread(target=end_run)
        client.start()
        client.join()
        Response()
        ends.append("client")
        signal.raise_signal(signal.SIGALRM)
        ends.append("after the end")

    guard.begin()
    with pytest.raises(EndlessClient), guard.watch():
        run_client()
    assert ends == ["finalizer", "client"]
