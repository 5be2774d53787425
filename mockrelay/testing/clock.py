"""The relayer's clock, as a test moves it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from mockrelay.client.control import Control, hides

__tracebackhide__ = hides

_MS = timedelta(milliseconds=1)


class Time:
    """The relayer's clock, which can stand still, run at a rate, and be moved forward, never back."""

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
        """Relayer seconds per real second: 0 stands still, 1 is real time."""
        return float(self._control("GET", "clock")["rate"])

    @rate.setter
    def rate(self, rate: float) -> None:
        self._control("POST", "clock", {"rate": rate})

    def advance(self, by: str | timedelta) -> None:
        """Move forward by a duration (`15s`; units ms s m h d); events that are due by then happen."""
        self._control("POST", "clock", {"advance": f"{by // _MS}ms" if isinstance(by, timedelta) else by})

    def set(self, to: str | datetime) -> None:
        """Move forward to a moment (`2030-01-01T00:00:00Z`, or a datetime with a time zone)."""
        if isinstance(to, datetime):
            if to.tzinfo is None:
                raise ValueError(f"{to} has no time zone; meant: a datetime with one, such as UTC")
            to = to.isoformat()
        self._control("POST", "clock", {"set": to})

    def __repr__(self) -> str:
        return f"<relayer's clock at {self.now.isoformat()}, rate {self.rate:g}>"
