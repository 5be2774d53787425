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
"""How many states are stored; a position is reached by replaying from the nearest one before it."""
SPACING_MIN = 50
"""The least number of steps between two of them."""


class Position(NamedTuple):
    """A line of the record after which the relayer can be shown."""

    line: int
    kind: str
    at_ms: int
    """The relayer's time after it."""
    text: str
    """What happened, without secrets."""


class _Checkpoint(NamedTuple):
    """All that is needed to replay on from a position."""

    state: RelayState
    entries: Sequence[Entry]
    coverage: Coverage


class Stepper:
    """A relay that is moved through one world of a record. Its clock stands still."""

    def __init__(self, record: Record, of: str = MAIN) -> None:
        """At first the relay is at the record's end. Raises RecordError for a line that cannot be replayed."""
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
        self._checkpoints: dict[int, _Checkpoint] = {}
        self.positions: list[Position] = []
        """By index: the lines after which the relayer can be shown."""
        for index, step in enumerate(self._steps):
            self._replay(step)
            self.positions.append(Position(step.line, step.kind, self.relay.now_ms(), _text_of(step, self.relay)))
            if index % spacing == 0:
                self._checkpoints[index] = self._present()
        self.position = len(self._steps) - 1
        """The index of the position that the relay is at."""
        self._digest = digest_all(self.relay.world)

    def go_to(self, position: int) -> None:
        """Move the relay to a position, an index into `positions`, whatever has been done to it since it was moved."""
        nearest = max(index for index in self._checkpoints if index <= position)
        is_as_it_was = digest_all(self.relay.world) == self._digest
        if not (is_as_it_was and nearest <= self.position <= position):
            self._restore(self._checkpoints[nearest])
            self.position = nearest
        for step in self._steps[self.position + 1 : position + 1]:
            self._replay(step)
        self.position = position
        self._digest = digest_all(self.relay.world)

    def _replay(self, step: Step) -> None:
        now_ms = replay_step(self.relay, step).now_ms
        self.relay.clock.restore(ClockState(now_ms, 0))

    def _present(self) -> _Checkpoint:
        state = self.relay.state()
        present = state.present._replace(world=state.present.world.clone())
        return _Checkpoint(state._replace(present=present), tuple(self.relay.journal), self.relay.coverage())

    def _restore(self, checkpoint: _Checkpoint) -> None:
        relay = self.relay
        present = checkpoint.state.present
        # The numbers of calls go back too, so this is not `replace_state`.
        relay.restore_state(checkpoint.state._replace(present=present._replace(world=present.world.clone())))
        relay.journal = Journal()
        report = Report()
        for entry in checkpoint.entries:
            relay.journal.add(entry)
            # The report takes in the calls again, since later ones are compared with them; the entries have their findings.
            report.record_call(entry, relay.clock.rate, lambda rule, detail: None)
        report.coverage = Coverage()
        report.coverage.merge(checkpoint.coverage)
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
