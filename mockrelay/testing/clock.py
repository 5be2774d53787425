"""The relayer's clock, as a test moves it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from mockrelay.client.control import Control, hides

__tracebackhide__ = hides

_MS = timedelta(milliseconds=1)


class Time:
    """The relayer's clock: it can stand still, run, and go ahead, never back."""

    def __init__(self, control: Control) -> None:
        self._control = control

    @property
    def now_ms(self) -> int:
        """The relayer's time in milliseconds since 1970."""
        now_ms: int = self._control("GET", "clock")["now_ms"]
        return now_ms

    @property
    def now_s(self) -> int:
        """The relayer's time in whole seconds, as `validSince` and `validUntil` count it."""
        return self.now_ms // 1000

    @property
    def now(self) -> datetime:
        """The relayer's time as a datetime in UTC."""
        return datetime.fromtimestamp(0, UTC) + self.now_ms * _MS

    @property
    def rate(self) -> float:
        """How fast it runs: 0 stands still, 1 goes with the wall, 60 makes a minute of every second."""
        return float(self._control("GET", "clock")["rate"])

    @rate.setter
    def rate(self, rate: float) -> None:
        self._control("POST", "clock", {"rate": rate})

    def advance(self, by: str | timedelta) -> None:
        """Move ahead by a duration (`15s`; units ms s m h d); all that falls due by then happens."""
        self._control("POST", "clock", {"advance": f"{by // _MS}ms" if isinstance(by, timedelta) else by})

    def set(self, to: str | datetime) -> None:
        """Move ahead to a moment (`2030-01-01T00:00:00Z`, or a datetime that knows its zone)."""
        if isinstance(to, datetime):
            if to.tzinfo is None:
                raise ValueError(f"{to} may be any of a day's moments; meant: a datetime with a zone, such as UTC")
            to = to.isoformat()
        self._control("POST", "clock", {"set": to})

    def __repr__(self) -> str:
        return f"<relayer's clock at {self.now.isoformat()}, rate {self.rate:g}>"
