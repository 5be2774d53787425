"""The relayer's time in the place of the real time, in the modules of a client."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from mockrelay.testing.clock import Time

_MONOTONIC = ("time", "monotonic", "perf_counter")
"""The functions of `time` that give seconds. Each has one that gives nanoseconds."""


class _StandIn:
    """A module with other functions in the place of some of its own."""

    def __init__(self, module: ModuleType, functions: Mapping[str, Callable[..., Any]]) -> None:
        self.__dict__.update(functions)
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)

    def __repr__(self) -> str:
        return f"<{self._module.__name__} on a relayer's clock>"


def on_clock(clock: Time, module: ModuleType) -> dict[str, Any]:
    """The names of a module that stand for `time`, `asyncio` or a function of them that sleeps or gives the time, each with
    what it is on a relayer's clock. Raises ValueError where there are none.
    """

    def time_ns() -> int:
        return clock.now_ms * 1_000_000

    of_time: dict[str, Callable[..., Any]] = {"sleep": clock.sleep}
    of_time |= dict.fromkeys(_MONOTONIC, clock.time) | {f"{name}_ns": time_ns for name in _MONOTONIC}
    of_asyncio: dict[str, Callable[..., Any]] = {"sleep": clock.asleep}
    replacements: list[tuple[object, object]] = []
    for real, functions in ((time, of_time), (asyncio, of_asyncio)):
        replacements.append((real, _StandIn(real, functions)))
        replacements += [(getattr(real, name), function) for name, function in functions.items()]
    found = {name: other for name, value in vars(module).items() for real, other in replacements if value is real}
    if not found:
        raise ValueError(f"{module.__name__}: found neither `time` nor `asyncio` in it; meant: {_meant(module)}")
    return found


def _meant(module: ModuleType) -> str:
    inner = [
        name
        for name, other in sorted(sys.modules.items())
        if name.startswith(f"{module.__name__}.") and {"time", "asyncio"} & vars(other).keys()
    ]
    return " or ".join(inner) or "the module of the client that sleeps or reads the time"
