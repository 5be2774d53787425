"""Who calls, and times in words."""

from __future__ import annotations

from mockrelay.journal.journal import Entry


def caller_of(entry: Entry) -> str:
    """The account of the API key; without one, the address that the call came from."""
    return f"address {entry.raw.remote}" if entry.trace.account_id is None else f"account {entry.trace.account_id}"


def seconds_text(ms: int) -> str:
    """`1.5 s`, `200 ms`."""
    return f"{ms} ms" if ms < 1000 else f"{ms / 1000:.1f} s"
