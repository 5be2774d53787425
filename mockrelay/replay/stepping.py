"""Steps through a record, forward and back: a relay that is as the recorded one was after any of its calls and commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mockrelay.clock import ClockState
from mockrelay.core.world import digest_all
from mockrelay.journal import Entry, Journal
from mockrelay.journal.masking import masked_target
from mockrelay.recording.format import ANSWER, CALL, CONTROL, MAIN, STATE, WS_OUT, Record, RecordError, Step, head_of
from mockrelay.recording.snapshots import RelayState
from mockrelay.relay.relay import Relay
from mockrelay.replay.load import check_state, replay_step
from mockrelay.report import Report
from mockrelay.report.coverage import Coverage
from mockrelay.suggest import any_of, in_quotes

SNAPSHOTS_MAX = 100
"""How many states are kept; from the nearest one before it a position is reached by replaying."""
SPACING_MIN = 50
"""The least number of steps between two of them."""


class Position(NamedTuple):
    """A line of the record that the relayer can be shown behind."""

    line: int
    kind: str
    at_ms: int
    """The relayer's time behind it."""
    text: str
    """What happened, without secrets."""


class _Kept(NamedTuple):
    """All that is needed to go on from a position."""

    state: RelayState
    entries: Sequence[Entry]
    coverage: Coverage


class Stepper:
    """A relay that is moved through one world of a record. Its clock stands still."""

    def __init__(self, record: Record, of: str = MAIN) -> None:
        """It stands at the record's end. Raises RecordError for a line that cannot be replayed."""
        if of not in record.steps:
            raise RecordError(
                1, f"no world {in_quotes(of)}", any_of(record.worlds) if record.worlds else "the main world"
            )
        steps = record.steps[of]
        self.relay = Relay.from_head(head_of(steps))
        """The relay that is shown."""
        check_state(steps)
        self._steps = [step for step in steps[1:] if step.kind not in (ANSWER, WS_OUT)]
        spacing = max(SPACING_MIN, len(self._steps) // SNAPSHOTS_MAX)
        self._kept: dict[int, _Kept] = {}
        self.positions: list[Position] = []
        """By index: what the relayer is shown behind."""
        for index, step in enumerate(self._steps):
            self._replay(step)
            self.positions.append(Position(step.line, step.kind, self.relay.now_ms(), _text_of(step, self.relay)))
            if index % spacing == 0:
                self._kept[index] = self._present()
        self.position = len(self._steps) - 1
        """The index of the position that the relay is at."""
        self._digest = digest_all(self.relay.world)

    def go_to(self, position: int) -> None:
        """Move the relay to a position, an index into `positions`, whatever has been done to it since it was moved."""
        nearest = max(index for index in self._kept if index <= position)
        is_as_it_was = digest_all(self.relay.world) == self._digest
        if not (is_as_it_was and nearest <= self.position <= position):
            self._restore(self._kept[nearest])
            self.position = nearest
        for step in self._steps[self.position + 1 : position + 1]:
            self._replay(step)
        self.position = position
        self._digest = digest_all(self.relay.world)

    def _replay(self, step: Step) -> None:
        now_ms = replay_step(self.relay, step).now_ms
        self.relay.clock.restore(ClockState(now_ms, 0))

    def _present(self) -> _Kept:
        state = self.relay.state()
        present = state.present._replace(world=state.present.world.clone())
        return _Kept(state._replace(present=present), tuple(self.relay.journal), self.relay.coverage())

    def _restore(self, kept: _Kept) -> None:
        relay = self.relay
        present = kept.state.present
        # The numbers of calls go back too, so this is not `replace_state`.
        relay.restore_state(kept.state._replace(present=present._replace(world=present.world.clone())))
        relay.journal = Journal()
        report = Report()
        for entry in kept.entries:
            relay.journal.add(entry)
            # The calls are judged once more, for what later ones are compared with.
            report.record_call(entry, relay.clock.rate, lambda rule, detail: None)
        report.coverage = Coverage()
        report.coverage.merge(kept.coverage)
        relay.report = report
        relay.note_load()


def _text_of(step: Step, relay: Relay) -> str:
    """What a line is about, in a few words."""
    if step.kind == CALL:
        entry = next(reversed(relay.journal), None)
        return (
            "a call" if entry is None else f"{entry.id} {entry.raw.method} {masked_target(entry.raw.raw_target)[:200]}"
        )
    if step.kind == CONTROL:
        return f"command {step.value.get('command')}"
    return "the state at the start" if step.kind == STATE else "a WebSocket"
