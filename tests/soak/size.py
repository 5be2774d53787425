"""How much memory hangs on a thing."""

from __future__ import annotations

import gc
import sys
from types import FunctionType, ModuleType
from typing import Any

from mockrelay.core.config import Config
from mockrelay.scenario import Scenario

SHARED = (type, ModuleType, FunctionType, Scenario, Config)
"""What a thing does not own: code, and what it was made from."""


def bytes_of(thing: Any) -> int:
    """The bytes of a thing and of all that can be reached from it, each counted once."""
    seen: set[int] = set()
    waiting, size = [thing], 0
    while waiting:
        one = waiting.pop()
        if id(one) not in seen and not isinstance(one, SHARED):
            seen.add(id(one))
            size += sys.getsizeof(one)
            waiting += gc.get_referents(one)
    return size
