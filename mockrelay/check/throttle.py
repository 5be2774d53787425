"""Calls spread out so that they keep to the spec's rate limits, in real time or in the time of the check's own world."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

from mockrelay.clock import Clock
from mockrelay.spec.endpoints import BY_NAME

SECOND_MS = 1000
MARGIN_MS = 100
"""What is waited beyond a second: calls that leave a second apart may arrive somewhat closer to each other."""
_UNLISTED_PER_SECOND = 5
"""The limit where the spec shows none: the one that most endpoints have."""


class Throttle:
    """When each endpoint may be called again."""

    def __init__(self, now_ms: Callable[[], int], wait_ms: Callable[[int], None], margin_ms: int) -> None:
        self.now_ms = now_ms
        self._wait_ms = wait_ms
        self._window_ms = SECOND_MS + margin_ms
        self._calls: dict[str, deque[int]] = {}

    @classmethod
    def in_real_time(cls) -> Throttle:
        """The throttle for a relayer whose clock cannot be moved."""
        return cls(Clock.real().now_ms, _wait, MARGIN_MS)

    def wait(self, endpoint: str) -> None:
        """Wait until the endpoint may be called, and count the call."""
        per_second = BY_NAME[endpoint].per_second or _UNLISTED_PER_SECOND
        calls = self._calls.setdefault(endpoint, deque(maxlen=per_second))
        if len(calls) == per_second:
            early_ms = calls[0] + self._window_ms - self.now_ms()
            if early_ms > 0:
                self._wait_ms(early_ms)
        calls.append(self.now_ms())


def _wait(ms: int) -> None:
    threading.Event().wait(ms / SECOND_MS)
