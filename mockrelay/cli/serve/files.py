"""The files that `serve` writes: the record, the report, the log and the ready file."""

from __future__ import annotations

import errno
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from io import FileIO
from pathlib import Path
from typing import Any, NamedTuple

import click

from mockrelay.cli.options import CliError, count_text, file_error
from mockrelay.cli.output import for_its_owner, is_regular, make_folder, write_whole
from mockrelay.journal.masking import masked_target
from mockrelay.journal.secrets import Secrets, secrets_in
from mockrelay.recording.file import RecordFile
from mockrelay.recording.format import MAIN, head_of, other_version, read_record
from mockrelay.recording.recorder import OnFailure, RecordFailed
from mockrelay.relay import REQUEST_ID_HEADER, Relay
from mockrelay.replay import resume
from mockrelay.report import Report
from mockrelay.report.fail_on import failure
from mockrelay.report.forms import REPORT_FILES, format_report, total_of
from mockrelay.web.dispatch import AnsweredRequest, RequestLog
from mockrelay.wire.http import Response

_LOCKED = (errno.EAGAIN, errno.EACCES)


class Start(NamedTuple):
    """The relays that a server starts with, and the file that they are recorded in."""

    relay: Relay
    worlds: Mapping[str, Relay]
    record: RecordFile | None
    message: str | None
    """A line that the start prints."""


def record_into(relay: Relay, path: Path, on_failure: OnFailure, *, overwrite: bool) -> Start:
    """Start a record in a file that is new or empty, or whose content is replaced. Raises CliError."""
    with _record_file("--record", path) as raw:
        size = os.fstat(raw.fileno()).st_size
        if size and not overwrite:
            raise CliError(f"--record {path}: is not empty; --resume continues a record, --overwrite replaces it")
        if size:
            raw.truncate(0)
        file = RecordFile(raw, 0)
        # The reason is in `file.failure`.
        with suppress(RecordFailed):
            relay.record_to(file.write, on_failure=on_failure)
        if file.failure is not None:
            raise CliError(f"--record {path}: {file.failure}")
    file.on_failure = _failure_printer(path, on_failure)
    return Start(relay, {}, file, None)


def resume_from(path: Path, on_failure: OnFailure) -> Start:
    """The relays of a record in the state of its end; they are recorded in the same file. Raises CliError."""
    with _record_file("--resume", path) as raw:
        text = path.read_bytes()
        record = read_record(text)
        # First the warning: it may explain an error that follows.
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
    file.on_failure = _failure_printer(path, on_failure)
    relay.record_to(file.write, is_continued=True, on_failure=on_failure)
    for name, world in worlds.items():
        world.record_to(file.write, of=name, is_continued=True, on_failure=on_failure)
    torn = "" if record.torn is None else "; its last line was torn and has been left out"
    others = f" and {count_text(len(worlds), 'world')}" if worlds else ""
    return Start(relay, worlds, file, f"resumed {path}: {count_text(loaded.calls, 'call')}{others}{torn}")


@contextmanager
def _record_file(option: str, path: Path) -> Iterator[FileIO]:
    """The file, open and locked for this process; it stays open unless an error is raised inside. Raises CliError, also
    for an OSError or a ValueError inside.
    """
    with ExitStack() as stack:
        try:
            # A device or a pipe cannot be cut, read again or locked, and opening a pipe waits for its reader.
            if not is_regular(path):
                raise CliError(f"{option} {path}: is not a regular file, which a record needs")
            # It has keys and signatures as they were sent, so only its owner may read it.
            raw = stack.enter_context(open(path, "ab", buffering=0, opener=for_its_owner))
            if not _lock_if_free(raw.fileno()):
                meant = "another process writes a record there; meant: a file of its own for each"
                raise CliError(f"{option} {path}: {meant}")
            yield raw
        except (OSError, ValueError) as error:
            raise file_error(option, path, error) from error
        stack.pop_all()


def _lock_if_free(fd: int) -> bool:
    """Lock a file for this process; False where another process has locked it. The lock ends with the process, even if it
    is killed. On a file system without locks nothing is locked.
    """
    try:
        _lock(fd)
    except OSError as error:
        return error.errno not in _LOCKED
    except ImportError:
        return True
    return True


if sys.platform == "win32":

    def _lock(fd: int) -> None:
        import msvcrt

        # Other processes cannot read locked bytes there, so this is a byte that no record reaches.
        os.lseek(fd, 2**31 - 2, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)

else:

    def _lock(fd: int) -> None:
        import fcntl

        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _failure_printer(path: Path, on_failure: OnFailure) -> Callable[[str], object]:
    """A function that prints on standard error that the record has ended, and what follows."""
    rest = "calls are refused" if on_failure is OnFailure.REFUSE else "calls go on unrecorded"
    return lambda reason: click.echo(f"mockrelay: {path}: {reason}; the record ends here and {rest}", err=True)


class Conclusion:
    """The end of a server: its report is written into the folder of `--output-dir`, and compared with
    `--fail-on`.
    """

    def __init__(self, folder: Path | None, fail_on: str | None) -> None:
        """Raises CliError where the folder cannot be written, so that this is known before a long run."""
        self._folder = folder
        self._fail_on = fail_on
        if folder is None:
            return
        make_folder("--output-dir", folder)
        probe = folder / f".mockrelay.{os.getpid()}"
        try:
            probe.write_bytes(b"")
            probe.unlink()
        except OSError as error:
            raise file_error("--output-dir", folder, error) from error

    def draw(self, report_of_all: Callable[[], Report]) -> str | None:
        """Write the report and print a line about it. Returns why the run fails, in a sentence; None: it does not. Raises
        CliError.
        """
        if self._folder is None and self._fail_on is None:
            return None
        report = report_of_all()
        found, problems = report.findings, report.problems
        sentence = None if self._fail_on is None else failure(found, problems, self._fail_on)
        if self._folder is not None:
            self._write(report, self._folder)
            click.echo(f"report in {self._folder}: {total_of(found, problems)}")
        elif sentence is not None:
            click.echo(format_report(found, problems, "text"), nl=False)
        return sentence

    def _write(self, report: Report, folder: Path) -> None:
        try:
            for name, format_file in REPORT_FILES.items():
                write_whole(folder / name, format_file(report))
        except OSError as error:
            raise file_error("--output-dir", folder, error) from error


def open_log(path: Path) -> FileIO:
    """The file of `--log`, to append to: a regular file or a device, or standard output (`-`). Raises CliError."""
    try:
        if str(path) == "-":
            return FileIO(sys.stdout.fileno(), "wb", closefd=False)
        if path.is_fifo():
            raise CliError(f"--log {path}: is a pipe; meant: a regular file or a device")
        return open(path, "ab", buffering=0, opener=for_its_owner)
    except OSError as error:
        raise file_error("--log", path, error) from error


SENT_SECRETS_MAX = 1000
"""The number of keys and signatures of earlier requests that the log masks."""


def log_to(file: FileIO, path: Path, form: str = "text") -> RequestLog:
    """A function that writes a line for each request, in one of `LOG_FORMS`. When a line cannot be written, it prints that
    once and writes no more; the answers stay as they are. The keys of the accounts of the relay that was asked are
    masked, and so are the newest keys and signatures that requests were sent with.
    """
    has_ended = False
    sent = Secrets(())
    line_of = LOG_FORMS[form]
    # Several threads answer requests.
    lock = threading.Lock()

    def log(answered: AnsweredRequest) -> None:
        nonlocal has_ended
        asked = f"{answered.raw.method} {masked_target(answered.raw.raw_target)}"
        # Before the lock, since it may wait for the relayer's.
        asked = answered.relay.account_secrets().mask_text(asked)
        own = Secrets(secrets_in(answered.raw))
        with lock:
            if has_ended:
                return
            sent.add(own)
            sent.forget_oldest(SENT_SECRETS_MAX)
            line = f"{line_of(answered, sent.mask_text(asked))}\n".encode()
            try:
                if file.write(line) != len(line):
                    raise OSError("a line was written in part")  # noqa: TRY301 - it ends the log as any other error does
            except OSError as error:
                has_ended = True
                click.echo(f"mockrelay: --log {path}: {error.strerror or error}; no more is written there", err=True)

    return log


def _text_line(answered: AnsweredRequest, asked: str) -> str:
    return f"{answered.now_ms} {asked} {_met(answered.response)}"


def _json_line(answered: AnsweredRequest, asked: str) -> str:
    response, trace = answered.response, answered.trace
    method, _, target = asked.partition(" ")
    value: dict[str, Any] = {
        "ms": answered.now_ms,
        "world": answered.world,
        "request": dict(response.headers).get(REQUEST_ID_HEADER),
        "method": method,
        "target": target,
        "endpoint": None if trace is None else trace.endpoint,
        "status": None if response.drop else response.status,
        "code": None if trace is None else trace.code,
        "duration_ms": round(answered.duration_s * 1000, 3),
        "fault": None if trace is None or not trace.faults else trace.faults[0].label,
    }
    return json.dumps(value if response.not_before_ms is None else value | {"heldUntil_ms": response.not_before_ms})


LOG_FORMS: Mapping[str, Callable[[AnsweredRequest, str], str]] = {"text": _text_line, "json": _json_line}
"""The formats of the log: each makes a line of a request and its method and target without secrets."""


def _met(response: Response) -> str:
    """What the client meets of an answer: its status and, where a fault delays it, from when on, or nothing."""
    if response.drop:
        return "no answer"
    return str(response.status) + ("" if response.not_before_ms is None else f" at {response.not_before_ms}")


def write_ca(ready_file: Path, ca_pem: bytes, stack: ExitStack) -> Path:
    """Write the certificate of an authority beside the ready file: `ready.json` gets `ready.ca.pem`. It is removed at the
    end. Raises CliError.
    """
    path = ready_file.with_suffix(".ca.pem").absolute()
    try:
        write_whole(path, ca_pem.decode())
    except OSError as error:
        raise file_error("--ready-file", path, error) from error
    stack.callback(partial(path.unlink, missing_ok=True))
    return path


def write_ready_file(path: Path, ready: dict[str, Any]) -> Callable[[], None]:
    """Write the ready file; a function that removes it, unless another server has replaced it since. Raises CliError."""
    text = json.dumps(ready)
    try:
        write_whole(path, text, is_secret=True)
    except OSError as error:
        raise file_error("--ready-file", path, error) from error

    def remove() -> None:
        with suppress(OSError, UnicodeDecodeError):
            if path.read_text(encoding="utf-8") == text:
                path.unlink()

    return remove
