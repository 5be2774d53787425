"""The file of a record: it holds whole lines only, also after a write that failed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol


class RawFile(Protocol):
    """An unbuffered file that is written at its end: `open(path, "ab", buffering=0)`."""

    def write(self, data: bytes, /) -> int | None:
        """Write the bytes, or some of them; the number written."""

    def truncate(self, size: int, /) -> int:
        """Cut the file to `size` bytes."""

    def close(self) -> None:
        """Close the file."""


class RecordFile:
    """Writes whole lines. After a failed write the file ends with the last whole line, and nothing more is written.

    Thread-safe.
    """

    __slots__ = ("_lock", "_raw", "_size", "failure", "on_failure")

    def __init__(self, raw: RawFile, size: int) -> None:
        """`size` is the number of bytes in the file, all of them whole lines."""
        self._raw = raw
        self._size = size
        self._lock = threading.Lock()
        self.failure: str | None = None
        """The reason why nothing more is written."""
        self.on_failure: Callable[[str], object] = lambda _: None
        """Called once, with the reason."""

    def write(self, line: str) -> None:
        """Write a line, which has its line feed. OSError, and nothing is written, where it cannot be written whole."""
        data = rest = line.encode()
        with self._lock:
            if self.failure is not None:
                raise OSError(self.failure)
            try:
                while rest:
                    count = self._raw.write(rest)
                    if not count:
                        raise OSError("a write of nothing")  # noqa: TRY301 - handled as any other failure
                    rest = rest[count:]
            except OSError as error:
                self.failure = error.strerror or str(error)
                # Where the rest of the line cannot be cut off either, resuming the record ignores that last line.
                with suppress(OSError):
                    self._raw.truncate(self._size)
                self.on_failure(self.failure)
                raise
            self._size += len(data)

    def close(self) -> None:
        """Close the file."""
        self._raw.close()
