"""`mockrelay replay`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mockrelay.cli.options import EXIT_FINDINGS, EXIT_STOPPED, CliError, Setting, count_text, option

if TYPE_CHECKING:
    from mockrelay.cli.progress import Progress
    from mockrelay.cli.replaying import Rerun, Tape
    from mockrelay.replay.replay import Difference


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@option(
    "--set",
    "settings",
    type=Setting(),
    multiple=True,
    envvar="MOCKRELAY_REPLAY_SET",
    help="Another reading than the record's, to see what it changes; once for each. Goes on to the end.",
)
@option(
    "--all",
    "to_the_end",
    is_flag=True,
    envvar="MOCKRELAY_REPLAY_ALL",
    help="Go on after the first answer that differs.",
)
@option(
    "--shrink",
    is_flag=True,
    envvar="MOCKRELAY_REPLAY_SHRINK",
    help="Write the shortest record that still ends in the first difference.",
)
@option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    envvar="MOCKRELAY_REPLAY_OUT",
    help="Where --shrink writes; else beside FILE, with `.shrunk` in its name.",
)
def replay(
    file: Path, settings: tuple[tuple[str, str], ...], *, to_the_end: bool, shrink: bool, out: Path | None
) -> None:
    """Run a record again, all its worlds, and compare every answer byte for byte.

    Exit code 0: all the same; 1: an answer differs; 2: no record; 130: stopped.
    """
    from mockrelay.cli import replaying
    from mockrelay.cli.progress import Progress
    from mockrelay.recording.format import RecordError, other_version

    if out is not None and not shrink:
        raise CliError("--out is for --shrink")
    out = out or replaying.default_out(file)
    if shrink:
        _check_out(out, file)
    progress = Progress(sys.stderr)
    try:
        tape = replaying.Tape(file.read_bytes(), dict(settings))
        warning = other_version(tape.head)
        if warning is not None:
            click.echo(f"mockrelay: {warning}", err=True)
        rerun = tape.run(progress, to_the_end=to_the_end or bool(settings))
    except KeyboardInterrupt:
        progress.clear()
        raise CliError("stopped before the end", EXIT_STOPPED) from None
    except (OSError, RecordError) as error:
        progress.clear()
        raise CliError(f"{file}: {getattr(error, 'strerror', None) or error}") from None
    _tell(file, rerun)
    if not rerun.differences:
        if shrink:
            click.echo(f"there is nothing to shrink: {out} is not written")
        return
    if shrink:
        _shrink(tape, rerun.differences[0], out, progress)
    sys.exit(EXIT_FINDINGS)


def _check_out(out: Path, file: Path) -> None:
    """Fail before all attempts, and not after them, where there is no place for what they come to."""
    if not out.parent.is_dir():
        raise CliError(f"--out {out}: there is no folder {out.parent}")
    if out.exists() and out.samefile(file):
        raise CliError(f"--out {out}: that is the record itself; meant: another file")


def _tell(file: Path, rerun: Rerun) -> None:
    from mockrelay.cli import replaying

    torn = "; its last line was torn and has been left out" if rerun.torn else ""
    worlds = f" in {rerun.worlds} worlds" if rerun.worlds > 1 else ""
    calls = f"{rerun.calls} {'call' if rerun.calls == 1 else 'calls'}{worlds}{torn}"
    for difference in rerun.differences:
        click.echo(replaying.told(difference))
    if not rerun.differences:
        click.echo(f"{file}: {calls}: every answer is the recorded one, byte for byte")
        return
    click.echo(f"{file}: {calls}: {_count(rerun)}")


def _count(rerun: Rerun) -> str:
    if rerun.differing is None:
        return "stopped at the first that differs"
    hidden = rerun.differing - len(rerun.differences)
    return f"{rerun.differing} differ{'s' if rerun.differing == 1 else ''}" + (
        f", {hidden} not shown" if hidden else ""
    )


def _shrink(tape: Tape, difference: Difference, out: Path, progress: Progress) -> None:
    from mockrelay.replay.shrink import NotToShrinkError

    note = ""
    try:
        script = tape.script(difference)
        kept = script.deeds
        try:
            for fewer in tape.shrinking(script, progress):
                kept = fewer
        except KeyboardInterrupt:
            progress.clear()
            note = "; stopped before it was known to be the shortest"
        out.write_bytes(tape.record(script, kept))
    except NotToShrinkError as error:
        # That an answer differs holds all the same, and so does its exit code.
        progress.clear()
        raise CliError(f"--shrink: {error}", EXIT_FINDINGS) from None
    except OSError as error:
        raise CliError(f"--out {out}: {error.strerror or error}") from None
    needed = f"{len(kept)} of the {count_text(len(script.deeds), 'step')}"
    lead = "leads" if len(kept) == 1 else "lead"
    click.echo(f"{out}: {needed} before it (calls and acts of control) {lead} to the same{note}")
