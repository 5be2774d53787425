"""How far something long has come: one line that is rewritten on a terminal, now and then a line elsewhere."""

from __future__ import annotations

import shutil
from typing import TextIO

from mockrelay.clock import Clock

REWRITE_MS = 100
"""A terminal's line is rewritten no more often."""
LINE_MS = 10_000
"""Elsewhere a line tells of the state no more often."""


class Progress:
    """Tells of progress on a stream, usually standard error."""

    def __init__(self, stream: TextIO, clock: Clock | None = None) -> None:
        self._stream = stream
        self._clock = clock or Clock.real()
        self._start_ms = self._told_ms = self._clock.now_ms()
        self.on_terminal = stream.isatty()
        self._shown = False

    @property
    def elapsed_ms(self) -> int:
        """Since the progress began."""
        return self._clock.now_ms() - self._start_ms

    def due(self) -> bool:
        """Whether enough time has passed since the last word for another one."""
        passed_ms = self._clock.now_ms() - self._told_ms
        return passed_ms >= (REWRITE_MS if self.on_terminal else LINE_MS)

    def show(self, text: str) -> None:
        """The state, in place of the last one that was shown."""
        self._told_ms = self._clock.now_ms()
        if self.on_terminal:
            columns = shutil.get_terminal_size().columns - 1
            self._stream.write("\r\x1b[K" + text[:columns])
            self._shown = True
        else:
            self._stream.write(text + "\n")
        self._stream.flush()

    def say(self, text: str) -> None:
        """A line that stays."""
        self.clear()
        self._stream.write(text + "\n")
        self._stream.flush()

    def clear(self) -> None:
        """Take away the state that is shown."""
        if self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
            self._shown = False


def left_text(done: int, total: int, elapsed_ms: int) -> str:
    """Roughly how long the rest takes, if it goes on like this: `about 40 s left`; empty while nothing is known."""
    if not done or done >= total:
        return ""
    left_s = round(elapsed_ms * (total - done) / done / 1000)
    minutes, seconds = divmod(left_s, 60)
    return (
        f"about {minutes} min left"
        if minutes >= 10
        else f"about {minutes}:{seconds:02} min left"
        if minutes
        else f"about {seconds} s left"
    )
