"""`mockrelay` in this process, for whatever is not about the process itself."""

from __future__ import annotations

import gc
import signal
from collections.abc import Mapping
from inspect import signature
from typing import Any

from click.testing import CliRunner, Result

from mockrelay.cli import main
from mockrelay.cli.signals import STOPPING

# Before click 8.2 the two outputs were one unless it was said otherwise.
_SEPARATE: dict[str, Any] = {"mix_stderr": False} if "mix_stderr" in signature(CliRunner).parameters else {}


def run_command(*args: object, env: Mapping[str, str] | None = None, text: str | None = None) -> Result:
    """`mockrelay ARGS` with this text on standard input. An error other than a refusal is raised.

    A `serve` that is refused leaves signals and the garbage collector as they were.
    """
    handlers = {number: signal.getsignal(number) for number in STOPPING}
    was_on = gc.isenabled()
    try:
        result = CliRunner(**_SEPARATE).invoke(main, [str(arg) for arg in args], input=text, env=env)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if was_on:
            gc.enable()
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result
