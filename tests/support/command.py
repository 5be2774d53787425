"""`mockrelay` in this process, for whatever is not about the process itself."""

from __future__ import annotations

import gc
import signal
from collections.abc import Mapping

from click.testing import CliRunner, Result

from mockrelay.cli import main
from mockrelay.cli.signals import STOPPING


def say(*args: object, env: Mapping[str, str] | None = None, text: str | None = None) -> Result:
    """`mockrelay ARGS` with this text on standard input. An error other than a refusal is raised.

    A `serve` that is refused leaves signals and the garbage collector as they were.
    """
    handlers = {number: signal.getsignal(number) for number in STOPPING}
    was_on = gc.isenabled()
    try:
        result = CliRunner().invoke(main, [str(arg) for arg in args], input=text, env=env)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if was_on:
            gc.enable()
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result
