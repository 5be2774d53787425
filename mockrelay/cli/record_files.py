"""The files of `serve --record` and `--resume`: opened for one writer, and how what is served starts with them."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import NamedTuple

import click

from mockrelay.cli.options import CliError, count_text
from mockrelay.recording.file import RecordFile
from mockrelay.recording.format import MAIN, head_of, other_version, read_record
from mockrelay.recording.recorder import OnFailure, RecordFailed
from mockrelay.relay import Relay
from mockrelay.replay import resume

_HELD_BY_ANOTHER = (errno.EAGAIN, errno.EACCES)


class Start(NamedTuple):
    """What is served: the relay, the worlds that are there from the start, and where it all is recorded."""

    relay: Relay
    worlds: Mapping[str, Relay]
    record: RecordFile | None
    told: str | None
    """What the start says about it."""


def record_into(relay: Relay, path: Path, on_failure: OnFailure, *, overwrite: bool) -> Start:
    """Start a record in a file that is new or empty, or whose content goes. Raises CliError."""
    with _opened("--record", path) as raw:
        size = os.fstat(raw.fileno()).st_size
        if size and not overwrite:
            raise CliError(
                f"--record {path}: holds something already; --resume goes on with a record, --overwrite replaces it"
            )
        if size:
            raw.truncate(0)
        file = RecordFile(raw, 0)
        # Where not even the start can be written there is nothing to go on with.
        with suppress(RecordFailed):
            relay.record_to(file.write, on_failure=on_failure)
        if file.failure is not None:
            raise CliError(f"--record {path}: {file.failure}")
    file.on_failure = _teller(path, on_failure)
    return Start(relay, {}, file, None)


def resume_from(path: Path, on_failure: OnFailure) -> Start:
    """The relays of a record as they were at its end; their record goes on in the same file. Raises CliError."""
    with _opened("--resume", path) as raw:
        text = path.read_bytes()
        record = read_record(text)
        # Told first: it may be why the record does not come out the same.
        if warning := other_version(head_of(record.steps[MAIN])):
            click.echo(f"mockrelay: {warning}", err=True)
        relay, loaded = resume(record)
        worlds = {name: resume(record, of=name)[0] for name in record.worlds}
        size = len(text) if record.torn is None else text.rindex(b"\n") + 1
        if size < len(text):
            raw.truncate(size)
        file = RecordFile(raw, size)
        if record.torn is None and not text.endswith(b"\n"):
            file.write("\n")
    file.on_failure = _teller(path, on_failure)
    relay.record_to(file.write, goes_on=True, on_failure=on_failure)
    for name, world in worlds.items():
        world.record_to(file.write, of=name, goes_on=True, on_failure=on_failure)
    torn = "" if record.torn is None else "; its last line was torn and has been left out"
    others = f" and {count_text(len(worlds), 'world')}" if worlds else ""
    return Start(relay, worlds, file, f"resumed {path}: {count_text(loaded.calls, 'call')}{others}{torn}")


@contextmanager
def _opened(option: str, path: Path) -> Iterator[FileIO]:
    """The file, held for this process until it is closed or the process ends; closed here where what is done with it
    fails. Raises CliError, also for an OSError or a ValueError inside.
    """
    with ExitStack() as stack:
        try:
            # Keys and signatures are in it as they were sent.
            raw = stack.enter_context(open(path, "ab", buffering=0, opener=_for_its_owner))
            if not _is_held(raw.fileno()):
                meant = "another process writes a record there; meant: a file of its own for each"
                raise CliError(f"{option} {path}: {meant}")
            yield raw
        except (OSError, ValueError) as error:
            raise CliError(f"{option} {path}: {getattr(error, 'strerror', None) or error}") from error
        stack.pop_all()


def _for_its_owner(path: str, flags: int) -> int:
    """Open a file that nobody else on the machine may read where it is a new one."""
    return os.open(path, flags, 0o600)


def _is_held(fd: int) -> bool:
    """Hold a file for this process alone; False where another process does. The lock goes with the process, so that one
    that was killed leaves none behind. On a file system without locks nothing is held.
    """
    try:
        _lock(fd)
    except OSError as error:
        return error.errno not in _HELD_BY_ANOTHER
    except ImportError:
        return True
    return True


if sys.platform == "win32":

    def _lock(fd: int) -> None:
        import msvcrt  # noqa: PLC0415 - Windows has it alone

        # Locked bytes cannot be read by others there: one that no record reaches.
        os.lseek(fd, 2**31 - 2, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)

else:

    def _lock(fd: int) -> None:
        import fcntl  # noqa: PLC0415 - Windows has none

        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _teller(path: Path, on_failure: OnFailure) -> Callable[[str], object]:
    """Says on standard error that the record has come to an end, and what follows."""
    rest = "calls are refused" if on_failure is OnFailure.REFUSE else "calls go on unrecorded"
    return lambda reason: click.echo(f"mockrelay: {path}: {reason}; the record ends here and {rest}", err=True)
