"""What happens at set moments after a world's start, as its scenario says (design: Scenario files).

An entry happens at its own moment, in order with everything else that falls due. What cannot be done then changes nothing
and is noted as a finding of the rule `timeline`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mockrelay.core.errors import CommandRefused
from mockrelay.core.units import duration_text
from mockrelay.spec.lint_rules import TIMELINE

if TYPE_CHECKING:
    from mockrelay.core.commands.base import Command
    from mockrelay.core.context import Context


class Entry(NamedTuple):
    """A command and its moment, in ms after the world's start."""

    at_ms: int
    command: Command[Context]


def entry_due(ctx: Context, subject: str, at_ms: int) -> None:
    """The moment of an entry, named by its place in the timeline, has come."""
    index = int(subject)
    entry = ctx.world.setting.timeline[index]
    later_ms, ctx.now_ms = ctx.now_ms, at_ms
    outer, ctx.event = ctx.event, f"timeline entry {index + 1}"
    try:
        entry.command.apply(ctx)
    except CommandRefused as misuse:
        meant = "" if misuse.meant is None else f"; meant {misuse.meant}"
        ctx.find(
            TIMELINE, f"entry {index + 1}, {entry.command.name} at {duration_text(entry.at_ms)}: {misuse.error}{meant}"
        )
    finally:
        ctx.now_ms, ctx.event = later_ms, outer
