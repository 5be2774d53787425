"""Commands of a scenario's timeline, each carried out at its time.

A command that the state forbids changes nothing and becomes a finding of the rule `timeline`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockrelay.core.errors import CommandRefused
from mockrelay.core.units import duration_text
from mockrelay.spec.lint_rules import TIMELINE

if TYPE_CHECKING:
    from mockrelay.core.context import Context


def run_timeline_entry(ctx: Context, subject: str, at_ms: int) -> None:
    """Event: carry out the entry with the index `subject`."""
    index = int(subject)
    entry = ctx.world.config.timeline[index]
    call_ms, ctx.now_ms = ctx.now_ms, at_ms
    ctx.event = f"timeline entry {index + 1}"
    try:
        entry.command.apply(ctx)
    except CommandRefused as refusal:
        meant = "" if refusal.meant is None else f"; meant {refusal.meant}"
        ctx.add_finding(TIMELINE, f"{entry.command.name} at {duration_text(entry.at_ms)}: {refusal.error}{meant}")
    finally:
        ctx.now_ms, ctx.event = call_ms, None
