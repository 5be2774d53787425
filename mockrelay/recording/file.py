"""The file of a record: whole lines, whatever becomes of a write."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol


class RawFile(Protocol):
    """An unbuffered file that is written at its end: `open(path, "ab", buffering=0)`."""

    def write(self, data: bytes, /) -> int | None:
        """How many of the bytes were written."""

    def truncate(self, size: int, /) -> int:
        """Cut the file to so many bytes."""

    def close(self) -> None:
        """Let go of the file."""


class RecordFile:
    """Writes whole lines. After a write that failed the file ends with the last whole line, and no more is written to it.

    May be used from several threads.
    """

    __slots__ = ("_lock", "_raw", "_size", "failure", "on_failure")

    def __init__(self, raw: RawFile, size: int) -> None:
        """`size`: how many bytes are in the file, all of them whole lines."""
        self._raw = raw
        self._size = size
        self._lock = threading.Lock()
        self.failure: str | None = None
        """Why nothing more is written."""
        self.on_failure: Callable[[str], object] = lambda _: None
        """Is told the reason, once."""

    def write(self, line: str) -> None:
        """Write a line, given with its end. OSError where it is not written as a whole, which it then is not in part."""
        data = rest = line.encode()
        with self._lock:
            if self.failure is not None:
                raise OSError(self.failure)
            try:
                while rest:
                    count = self._raw.write(rest)
                    if not count:
                        raise OSError("a write of nothing")  # noqa: TRY301 - it ends as any other does
                    rest = rest[count:]
            except OSError as error:
                self.failure = error.strerror or str(error)
                # What cannot be cut off either is a torn last line, which is left out when the record is resumed.
                with suppress(OSError):
                    self._raw.truncate(self._size)
                self.on_failure(self.failure)
                raise
            self._size += len(data)

    def close(self) -> None:
        """Let go of the file."""
        self._raw.close()
