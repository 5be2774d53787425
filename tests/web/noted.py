"""A transport without a socket."""

from __future__ import annotations

import asyncio
from typing import Any


class Noted(asyncio.Transport):
    """Notes what is written and whether it receives; writing to it once it is closed is a failure."""

    def __init__(self) -> None:
        super().__init__({"peername": ("127.0.0.1", 1)})
        self.written: list[bytes] = []
        self._receives = True
        self._closed = False

    def write(self, data: bytes | bytearray | memoryview[Any]) -> None:
        assert not self._closed
        self.written.append(bytes(data))

    def write_eof(self) -> None:
        assert not self._closed

    def pause_reading(self) -> None:
        self._receives = False

    def resume_reading(self) -> None:
        self._receives = True

    def is_reading(self) -> bool:
        return self._receives

    def is_closing(self) -> bool:
        return self._closed

    def close(self) -> None:
        self._closed = True

    def abort(self) -> None:
        self._closed = True
