"""`mockrelay replay`: a record run again, told where it differs, and made shorter."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from mockrelay.cli.progress import Progress, left_text
from mockrelay.journal.masking import masked, masked_body, masked_target
from mockrelay.recording.format import CALL, CONTROL, MAIN, Head, Step, body_of, head_of, read_record, request_of
from mockrelay.relay import Relay
from mockrelay.replay.diff import BODY, NOTHING, Part
from mockrelay.replay.replay import Difference, chapters_of, differences_of
from mockrelay.replay.shrink import Deed, Script, record_of, script_of, shrinking

PARTS_SHOWN = 12
DIFFERENCES_SHOWN = 20
"""How many answers are shown where all are looked for; the others are counted."""
AROUND_BYTES = 40
VALUE_MAX, REQUEST_MAX = 200, 2000


class Rerun(NamedTuple):
    """What a record came to."""

    calls: int
    worlds: int
    torn: bool
    differences: Sequence[Difference]
    differing: int | None
    """How many there were, those that are not kept too; None: it stopped at the first."""


class Tape:
    """A record that was read and can be run, under other readings where they are given. Raises RecordError."""

    def __init__(self, text: bytes, readings: Mapping[str, str]) -> None:
        record = read_record(text, with_ended=True)
        self.torn = record.torn is not None
        self.chapters = chapters_of(record)
        self.head = head_of(self.chapters[0][1])
        self.calls = sum(step.kind == CALL for _, steps in self.chapters for step in steps)
        self._readings = dict(readings)

    def make(self, head: Head) -> Relay:
        """A relay of this record, with the readings that go over its own, whatever its lines set."""
        readings = self._readings
        return Relay.of_head(head, decide=(lambda key, _: readings.get(key)) if readings else None)

    def run(self, progress: Progress, *, to_the_end: bool) -> Rerun:
        """Run all worlds, each to its first difference or to its end. Raises RecordError."""
        done = 0
        kept: list[Difference] = []
        count = 0

        def tell(step: Step) -> None:
            nonlocal done
            done += step.kind == CALL
            if progress.due():
                left = left_text(done, self.calls, progress.elapsed_ms)
                progress.show(f"replay: {done} of {self.calls} calls, {count} differ, {left}".rstrip(", "))

        for chapter in self.chapters:
            for difference in differences_of(chapter, self.make, tell):
                count += 1
                if not to_the_end:
                    kept.append(difference)
                    break
                if len(kept) < DIFFERENCES_SHOWN:
                    kept.append(difference)
        progress.clear()
        kept.sort(key=lambda each: each.call.line)
        worlds = len(self.chapters)
        if to_the_end:
            return Rerun(self.calls, worlds, self.torn, kept, count)
        return Rerun(self.calls, worlds, self.torn, kept[:1], None)

    def script(self, difference: Difference) -> Script:
        """What leads to a difference. Raises NotToShrinkError."""
        return script_of(
            next(steps for _, steps in self.chapters if any(step is difference.call for step in steps)), difference
        )

    def shrinking(self, script: Script, progress: Progress) -> Iterator[Sequence[Deed]]:
        """Ever fewer deeds that lead to the same difference. Raises NotToShrinkError."""
        attempts, length = 0, len(script.deeds)

        def tried() -> None:
            nonlocal attempts
            attempts += 1
            if progress.due():
                progress.show(f"shrink: {length} of {len(script.deeds)} left, attempt {attempts}")

        for deeds in shrinking(script, self.make, tried):
            length = len(deeds)
            yield deeds
        progress.clear()

    def record(self, script: Script, deeds: Sequence[Deed]) -> bytes:
        """The shorter record."""
        return record_of(script, deeds, self.make)


def told(difference: Difference) -> str:
    """A difference as it is read: where, what is asked, and what is answered in place of what. Secrets are masked."""
    call, response = difference.call, difference.response
    where = f"line {call.line}" + (f", world {difference.world}" if difference.world != MAIN else "")
    lines = [f"{where}: {_asked(call)}"]
    if response is None:
        lines.append(f"  mockrelay itself fails: {type(difference.failure).__name__}: {difference.failure}")
    lines += [f"  {text}" for part in difference.parts[:PARTS_SHOWN] for text in _part(part, difference)]
    if len(difference.parts) > PARTS_SHOWN:
        lines.append(f"  and {len(difference.parts) - PARTS_SHOWN} parts more")
    if difference.byte is not None and difference.answer is not None:
        lines.append(
            f"  first other byte of the body: {difference.byte} (from 0), recorded in line {difference.answer.line}"
        )
    sent = masked(call.value["fields"]) if call.kind == CONTROL else masked_body(body_of(call))
    if sent is not None:
        what = "fields" if call.kind == CONTROL else "the request's body"
        lines.append(f"  {what}: {_short(sent, REQUEST_MAX)}")
    return "\n".join(lines)


def default_out(path: Path) -> Path:
    """Where a shorter record goes unless told otherwise: beside the whole one."""
    return path.with_name(f"{path.stem}.shrunk{path.suffix or '.jsonl'}")


def _asked(call: Step) -> str:
    if call.kind == CONTROL:
        return f"the command {call.value['command']}"
    request = request_of(call)
    return f"r{call.value.get('seq')} {request.method} {masked_target(request.raw_target)}"


def _part(part: Part, difference: Difference) -> Iterator[str]:
    if part.where == BODY and isinstance(part.was, bytes) and isinstance(part.now, bytes):
        at = max((difference.byte or 0) - AROUND_BYTES, 0)
        yield f"body, from byte {at}:"
        yield f"  now      {_cut(part.now, at)}"
        yield f"  recorded {_cut(part.was, at)}"
        return
    name = part.where.rpartition(".")[2]
    now, was = (masked({name: value})[name] for value in (part.now, part.was))
    yield f"{part.where}: {_short(now)} in place of {_short(was)}"


def _cut(body: bytes, at: int) -> str:
    piece = body[at : at + 2 * AROUND_BYTES]
    return repr(piece.decode("utf-8", "backslashreplace")) + ("…" if at + 2 * AROUND_BYTES < len(body) else "")


def _short(value: Any, length_max: int = VALUE_MAX) -> str:
    text = "nothing" if value is NOTHING else json.dumps(value, default=str)
    return text if len(text) <= length_max else f"{text[:length_max]}…"
