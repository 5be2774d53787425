"""How the runs of endless clients are ended, where a process of its own shows it."""

from __future__ import annotations

import subprocess
import sys

import pytest

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
