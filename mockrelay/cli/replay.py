"""`mockrelay replay`: a record run again, its differences in words, and the shortest record with the first of them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from mockrelay.cli.options import (
    EXISTING_FILE,
    EXIT_FINDINGS,
    EXIT_STOPPED,
    FILE,
    CliError,
    KeyOption,
    count_text,
    file_error,
    option,
)
from mockrelay.cli.output import Progress, check_parent, for_its_owner, left_text

if TYPE_CHECKING:
    from mockrelay.recording.format import Head, Step
    from mockrelay.relay import Relay
    from mockrelay.replay.diff import ChangedPart
    from mockrelay.replay.replay import Difference
    from mockrelay.replay.shrink import Operation, Reproduction

PARTS_MAX = 12
"""The number of differing parts of an answer that are shown."""
DIFFERENCES_MAX = 20
"""The number of differing answers that are shown with `--all`; the others are counted."""
AROUND_BYTES = 40
VALUE_MAX, REQUEST_MAX = 200, 2000
"""The number of characters that are shown of a value, and of a request's body."""


@click.command()
@click.argument("file", type=EXISTING_FILE)
@option(
    "--set",
    "choices",
    type=KeyOption(),
    multiple=True,
    command="replay",
    help="An option of a choice in place of the record's, to see what it changes; repeat it for several. Implies --all.",
)
@option("--all", "to_the_end", is_flag=True, command="replay", help="Continue after the first answer that differs.")
@option(
    "--shrink",
    is_flag=True,
    command="replay",
    help="Write the shortest record that still ends in the first difference.",
)
@option(
    "--output",
    type=FILE,
    command="replay",
    old={"--out": None, "MOCKRELAY_REPLAY_OUT": None},
    help="The file that --shrink writes.  [default: beside FILE, with .shrunk in its name]",
)
def replay(
    file: Path, choices: tuple[tuple[str, str], ...], *, to_the_end: bool, shrink: bool, output: Path | None
) -> None:
    """Run a record again and compare every answer. All its worlds are run, and answers are compared byte for byte.

    Exit code 0: no answer differs; 1: one does; 2: FILE is not a record; 130: stopped.
    """
    from mockrelay.recording.format import RecordError, other_version

    if output is not None and not shrink:
        raise CliError("--output is for --shrink")
    output = output or file.with_name(f"{file.stem}.shrunk{file.suffix or '.jsonl'}")
    if shrink:
        check_parent("--output", output)
        if output.exists() and output.samefile(file):
            raise CliError(f"--output {output}: that is the record itself; meant: another file")
    progress = Progress(sys.stderr)
    try:
        recording = Recording(file.read_bytes(), dict(choices))
        warning = other_version(recording.head)
        if warning is not None:
            click.echo(f"mockrelay: {warning}", err=True)
        result = recording.run(progress, to_the_end=to_the_end or bool(choices))
    except KeyboardInterrupt:
        progress.clear()
        raise CliError("stopped before the end", EXIT_STOPPED) from None
    except (OSError, RecordError) as error:
        progress.clear()
        raise CliError(f"{file}: {getattr(error, 'strerror', None) or error}") from None
    click.echo("\n".join([*map(format_difference, result.differences), f"{file}: {_summary(result)}"]))
    if result.differences and shrink:
        _shrink(recording, result.differences[0], output, progress)
    elif shrink:
        click.echo(f"there is nothing to shrink: {output} is not written")
    if result.differences:
        sys.exit(EXIT_FINDINGS)


class Result(NamedTuple):
    """What differed when a record was run again."""

    calls: int
    worlds: int
    torn: bool
    """Whether the record's last line was incomplete."""
    differences: Sequence[Difference]
    """The first ones."""
    differing: int | None
    """The number of all differences; None: the run stopped at the first."""


class Recording:
    """A record that can be run, with `choices` in place of its own. Raises RecordError."""

    def __init__(self, text: bytes, choices: Mapping[str, str]) -> None:
        from mockrelay.recording.format import CALL, head_of, lines_by_world, read_record

        record = read_record(text, with_ended=True)
        self.torn = record.torn is not None
        self.worlds = lines_by_world(record)
        self.head = head_of(self.worlds[0][1])
        self.calls = sum(step.kind == CALL for _, steps in self.worlds for step in steps)
        self._choices = dict(choices)

    def make(self, head: Head) -> Relay:
        """A relay of this record. The given choices hold whatever the record sets."""
        from mockrelay.relay import Relay

        choices = self._choices
        return Relay.from_head(head, decide=(lambda key, _: choices.get(key)) if choices else None)

    def run(self, progress: Progress, *, to_the_end: bool) -> Result:
        """Run all worlds, each to its first difference or to its end. Raises RecordError."""
        from mockrelay.recording.format import CALL
        from mockrelay.replay.replay import differences_of

        done = count = 0
        shown: list[Difference] = []

        def show(step: Step) -> None:
            nonlocal done
            done += step.kind == CALL
            if progress.due():
                left = left_text(done, self.calls, progress.elapsed_ms)
                progress.show(f"replay: {done} of {self.calls} calls, {count} differ, {left}".rstrip(", "))

        for world_lines in self.worlds:
            for difference in differences_of(world_lines, self.make, show):
                count += 1
                if not to_the_end or len(shown) < DIFFERENCES_MAX:
                    shown.append(difference)
                if not to_the_end:
                    break
        progress.clear()
        shown.sort(key=lambda each: each.call.line)
        if to_the_end:
            return Result(self.calls, len(self.worlds), self.torn, shown, count)
        return Result(self.calls, len(self.worlds), self.torn, shown[:1], None)

    def reproduction(self, difference: Difference) -> Reproduction:
        """The steps that lead to a difference. Raises CannotShrinkError."""
        from mockrelay.replay.shrink import reproduction_of

        return reproduction_of(
            next(steps for _, steps in self.worlds if any(step is difference.call for step in steps)), difference
        )

    def shrink(self, reproduction: Reproduction, progress: Progress) -> Iterator[Sequence[Operation]]:
        """Shorter and shorter lists of steps that lead to the same difference. Raises CannotShrinkError."""
        from mockrelay.replay.shrink import shrink

        attempts, length = 0, len(reproduction.operations)

        def show() -> None:
            nonlocal attempts
            attempts += 1
            if progress.due():
                progress.show(f"shrink: {length} of {len(reproduction.operations)} left, attempt {attempts}")

        for steps in shrink(reproduction, self.make, show):
            length = len(steps)
            yield steps
        progress.clear()


def _summary(result: Result) -> str:
    """How much was run, and how many answers differ."""
    torn = "; its last line was torn and has been left out" if result.torn else ""
    worlds = f" in {result.worlds} worlds" if result.worlds > 1 else ""
    calls = f"{count_text(result.calls, 'call')}{worlds}{torn}"
    if not result.differences:
        return f"{calls}: every answer is the recorded one, byte for byte"
    if result.differing is None:
        return f"{calls}: stopped at the first that differs"
    hidden = result.differing - len(result.differences)
    verb = "differs" if result.differing == 1 else "differ"
    return f"{calls}: {result.differing} {verb}" + (f", {hidden} not shown" if hidden else "")


def _shrink(recording: Recording, difference: Difference, output: Path, progress: Progress) -> None:
    """Write the shortest record with a difference, and print how long it is. Raises CliError."""
    from mockrelay.replay.shrink import CannotShrinkError, record_of

    note = ""
    try:
        reproduction = recording.reproduction(difference)
        steps = reproduction.operations
        try:
            for fewer in recording.shrink(reproduction, progress):
                steps = fewer
        except KeyboardInterrupt:
            progress.clear()
            note = "; stopped before it was known to be the shortest"
        with open(output, "wb", opener=for_its_owner) as file:
            file.write(record_of(reproduction, steps, recording.make))
    except CannotShrinkError as error:
        # The answer differs all the same, and the exit code says so.
        progress.clear()
        raise CliError(f"--shrink: {error}", EXIT_FINDINGS) from None
    except OSError as error:
        raise file_error("--output", output, error) from None
    needed = f"{len(steps)} of the {count_text(len(reproduction.operations), 'step')}"
    verb = "leads" if len(steps) == 1 else "lead"
    click.echo(f"{output}: {needed} before it (calls and commands) {verb} to the same{note}")


def format_difference(difference: Difference) -> str:
    """A difference in words: the line, the request, and what the answer has in place of what. Secrets are masked."""
    from mockrelay.journal.masking import masked, masked_body
    from mockrelay.recording.format import CONTROL, MAIN, WS_IN, body_of

    call = difference.call
    place = f"line {call.line}" + (f", world {difference.world}" if difference.world != MAIN else "")
    lines = [f"{place}: {_request(call)}"]
    if difference.failure is not None:
        lines.append(f"  mockrelay itself fails: {type(difference.failure).__name__}: {difference.failure}")
    lines += [f"  {text}" for part in difference.parts[:PARTS_MAX] for text in _part(part, difference)]
    if len(difference.parts) > PARTS_MAX:
        lines.append(f"  and {len(difference.parts) - PARTS_MAX} parts more")
    if difference.byte is not None and difference.answer is not None:
        lines.append(
            f"  first other byte of the body: {difference.byte} (from 0), recorded in line {difference.answer.line}"
        )
    if call.kind == WS_IN:
        return "\n".join(lines)
    sent = masked(call.value["fields"]) if call.kind == CONTROL else masked_body(body_of(call))
    if sent is not None:
        name = "fields" if call.kind == CONTROL else "the request's body"
        lines.append(f"  {name}: {_short(sent, REQUEST_MAX)}")
    return "\n".join(lines)


def _request(call: Step) -> str:
    from mockrelay.journal.masking import masked_target
    from mockrelay.recording.format import CONTROL, WS_IN, request_of

    if call.kind == CONTROL:
        return f"the command {call.value['command']}"
    if call.kind == WS_IN:
        return f"WebSocket {call.value['session']}: {call.value['event']}"
    request = request_of(call)
    return f"r{call.value.get('seq')} {request.method} {masked_target(request.raw_target)}"


def _part(part: ChangedPart, difference: Difference) -> Iterator[str]:
    """A differing part of an answer as lines."""
    from mockrelay.journal.masking import masked
    from mockrelay.replay.diff import BODY

    if part.where == BODY and isinstance(part.was, bytes) and isinstance(part.now, bytes):
        start = max((difference.byte or 0) - AROUND_BYTES, 0)
        yield f"body, from byte {start}:"
        yield f"  now      {_excerpt(part.now, start)}"
        yield f"  recorded {_excerpt(part.was, start)}"
        return
    name = part.where.rpartition(".")[2]
    now, was = (masked({name: value})[name] for value in (part.now, part.was))
    yield f"{part.where}: {_short(now)} in place of {_short(was)}"


def _excerpt(body: bytes, start: int) -> str:
    piece = body[start : start + 2 * AROUND_BYTES]
    return repr(piece.decode("utf-8", "backslashreplace")) + ("…" if start + 2 * AROUND_BYTES < len(body) else "")


def _short(value: Any, length_max: int = VALUE_MAX) -> str:
    from mockrelay.replay.diff import NOTHING

    text = "nothing" if value is NOTHING else json.dumps(value, default=str)
    return text if len(text) <= length_max else f"{text[:length_max]}…"
