"""One run of a command: against a fresh relayer on a port of its own, under one reading."""

from __future__ import annotations

import re
import signal
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

from mockrelay.cli.sweeping.children import Children, Ended
from mockrelay.cli.sweeping.readings import Only, Reading, named, setting
from mockrelay.cli.sweeping.watching import Met, WatchedRelay
from mockrelay.clock import Clock, ClockWish
from mockrelay.relay import Relay
from mockrelay.web.serving import LoopThread, serve

if TYPE_CHECKING:
    from mockrelay.scenario import Scenario

TAIL_BYTES, TAIL_LINES = 16_384, 20
LINE_MAX = 120
NAMES_SHOWN = 3
"""How many failing tests a detail names."""
NOT_OURS = ("MOCKRELAY_SWEEP_", "MOCKRELAY_TOKEN", "MOCKRELAY_SET", "MOCKRELAY_URL")
"""Variables of our own environment that the command does not get as they are."""

_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)")
"""What changes colours, the cursor or a window's title."""
_UNPRINTABLE = re.compile("[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f]")
"""What a terminal would take for a command, but for what ends a line."""
_FAILING = re.compile(
    r"(?:FAILED|ERROR) (\S+::.+?)(?: - .*)?"  # pytest
    r"|(?:FAIL|ERROR): (\w+ \(.+\))"  # unittest
    r"|\s*--- FAIL: (\S+).*"  # go test
    r"|test (\S+) \.\.\. FAILED"  # cargo test
)
"""A line with the name of a test that failed."""
_NOT_IN_FILES = re.compile(r"[^A-Za-z0-9._=+-]+")


class Verdict(StrEnum):
    """What a run says of a reading."""

    SURVIVED = "survived"
    FAILED = "failed"
    TIMED_OUT = "timed out"
    NOT_MET = "not met"
    """The command never does what the choice is about, so its success says nothing."""
    OVERRULED = "overruled"
    """The command itself sets the choice to something else."""
    NOT_RUN = "not run"


class Plan(NamedTuple):
    """What is to be swept, and how."""

    command: tuple[str, ...]
    settings: Mapping[str, str]
    """The readings that hold in all runs, but where a run is about the same choice."""
    limits: str | None = None
    clock: str = "real"
    env_names: tuple[str, ...] = ()
    """Variables that get the relayer's address, beside MOCKRELAY_URL."""
    own_relayers: bool = False
    """The command makes its relayers itself, so no address is given to it."""
    only: tuple[Only, ...] = ()
    deviations: bool = True
    pairs: bool = False
    every: bool = False
    """Also what the command is known not to meet."""
    jobs: int = 1
    timeout_s: float | None = None
    fail_fast: bool = False
    output: Path | None = None
    """The folder that keeps what the runs print."""


class Run(NamedTuple):
    """A run and what it says."""

    reading: Reading
    verdict: Verdict
    detail: str = ""
    """The exit code, and which tests failed or else the last line of the output; or why it was not run."""
    exit_code: int | None = None
    ms: int = 0
    tail: tuple[str, ...] = ()
    """The last lines of the output."""
    met: frozenset[str] | None = None
    """The choices that were consulted; None: nobody watched."""
    calls: int = 0
    output: Path | None = None

    @property
    def lost(self) -> bool:
        """Whether the command did not survive."""
        return self.verdict in (Verdict.FAILED, Verdict.TIMED_OUT)

    @property
    def last_line(self) -> str:
        """The last line of the output that says something."""
        return self.tail[-1].strip()[:LINE_MAX] if self.tail else ""

    @property
    def failing(self) -> str:
        """The first tests that the last lines name as failing; empty where they name none."""
        found = [match for line in self.tail if (match := _FAILING.fullmatch(line))]
        names = list(dict.fromkeys(name for match in found for name in match.groups() if name))
        told = ", ".join(names[:NAMES_SHOWN])[:LINE_MAX]
        return f"{told}, …" if len(names) > NAMES_SHOWN else told


class Runner:
    """Runs a command under any reading, also several at once from several threads."""

    def __init__(self, plan: Plan, scenario: Scenario, environ: Mapping[str, str], children: Children) -> None:
        self.at_start: frozenset[Reading] = frozenset()
        """Readings that show in the world from the start, so that they are met by whoever calls it."""
        self._plan = plan
        self._scenario = scenario
        self._environ = {name: value for name, value in environ.items() if not name.startswith(NOT_OURS)}
        self._children = children
        self._thread = LoopThread()

    def close(self) -> None:
        """Let go of the thread that serves."""
        self._thread.close()

    def run(self, reading: Reading, number: int, timeout_s: float | None) -> Run:
        """Run the command once. `number` is its place among the runs."""
        met = Met()
        clock = Clock.real()
        start_ms = clock.now_ms()
        try:
            relay = self._relay(reading, met)
        except ValueError as error:
            return Run(reading, Verdict.NOT_RUN, f"the scenario cannot start so: {error}")
        try:
            with self._output(reading, number) as file:
                with self._address(relay) as url:
                    ended = self._children.run(self._command(url), self._env(reading, url), file, timeout_s)
                tail = _tail(file)
        except OSError as error:
            of = "" if error.filename in (None, self._plan.command[0]) else f"{error.filename}: "
            return Run(reading, Verdict.NOT_RUN, f"cannot be run: {of}{error.strerror or error}")
        watched = None if self._plan.own_relayers else met
        path = self._path(reading, number)
        return self._told(reading, ended, watched, tail)._replace(ms=clock.now_ms() - start_ms, output=path)

    def _relay(self, reading: Reading, met: Met) -> Relay | None:
        plan = self._plan
        if plan.own_relayers:
            return None
        return WatchedRelay(
            met,
            self._scenario,
            choices={**plan.settings, **dict(reading)},
            limits_on=None if plan.limits is None else plan.limits == "spec",
            clock=ClockWish.of_text(plan.clock),
        )

    @contextmanager
    def _address(self, relay: Relay | None) -> Iterator[str | None]:
        """A port of the run's own: what an earlier run has left behind cannot reach it."""
        if relay is None:
            yield None
            return
        with serve(relay, thread=self._thread) as serving:
            yield serving.url

    def _command(self, url: str | None) -> tuple[str, ...]:
        command = self._plan.command
        return command if url is None else tuple(part.replace("{url}", url) for part in command)

    def _env(self, reading: Reading, url: str | None) -> dict[str, str]:
        told = setting(self._plan.settings, reading)
        env = {**self._environ, **({"MOCKRELAY_SET": told} if told else {})}
        return env if url is None else env | dict.fromkeys(("MOCKRELAY_URL", *self._plan.env_names), url)

    @contextmanager
    def _output(self, reading: Reading, number: int) -> Iterator[IO[bytes]]:
        path = self._path(reading, number)
        with tempfile.TemporaryFile() if path is None else path.open("w+b") as file:
            yield file

    def _path(self, reading: Reading, number: int) -> Path | None:
        folder = self._plan.output
        name = _NOT_IN_FILES.sub("_", named(reading).replace(" + ", "+"))
        return None if folder is None else folder / f"{number:04}-{name}.log"

    def _told(self, reading: Reading, ended: Ended, met: Met | None, tail: tuple[str, ...]) -> Run:
        """What an end says of a reading."""
        keys, calls = (None, 0) if met is None else (met.keys, met.calls)
        run = Run(reading, Verdict.SURVIVED, "", ended.exit_code, 0, tail, keys, calls)
        if ended.stopped:
            return run._replace(verdict=Verdict.NOT_RUN, detail="stopped")
        if ended.timed_out:
            return run._replace(verdict=Verdict.TIMED_OUT, detail=run.last_line)
        if ended.exit_code != 0:
            parts = (exit_text(ended.exit_code), run.failing or run.last_line)
            return run._replace(verdict=Verdict.FAILED, detail=": ".join(part for part in parts if part))
        if met is None:
            return run
        for key, option in reading:
            if ((key, option),) in self.at_start:
                continue
            if key not in met.keys:
                return run._replace(verdict=Verdict.NOT_MET, detail=f"{key} was not met")
            if (key, option) not in met.held:
                return run._replace(verdict=Verdict.OVERRULED, detail=f"the command itself sets {key}")
        return run


def exit_text(code: int | None) -> str:
    """How a command ended: `exit code 3`, `ended by SIGKILL`."""
    if code is not None and code < 0:
        try:
            return f"ended by {signal.Signals(-code).name}"
        except ValueError:
            return f"ended by signal {-code}"
    return f"exit code {code}"


def _tail(file: IO[bytes]) -> tuple[str, ...]:
    """The last lines of an output that are not empty, without what a terminal would not show."""
    file.seek(0, 2)
    file.seek(max(file.tell() - TAIL_BYTES, 0))
    text = _UNPRINTABLE.sub("\ufffd", _COLOURS.sub("", file.read().decode("utf-8", "replace")))
    return tuple(line.rstrip() for line in text.splitlines() if line.strip())[-TAIL_LINES:]
