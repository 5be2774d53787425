"""One run of a command: against a fresh relayer on a port of its own, with the options of one variation, and with the
choices observed that it consults.
"""

from __future__ import annotations

import re
import signal
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import IO, Any, NamedTuple

from mockrelay.cli.sweep.by_test import MAIN_WORLD, VARIABLE, TestsMet, list_tests, tests_met
from mockrelay.cli.sweep.children import Children, Ended
from mockrelay.cli.sweep.failures import FailedTest, failed_in_files, failed_tests, failures_text, stamps
from mockrelay.cli.sweep.variations import BASE, Only, Variation, set_text, title
from mockrelay.clock import Clock, ClockConfig
from mockrelay.core.context import COMMAND, Context
from mockrelay.core.saving import save_world
from mockrelay.relay import Relay
from mockrelay.relay.start import Start
from mockrelay.scenario import Scenario
from mockrelay.spec.choices import BY_KEY
from mockrelay.web.server import LoopThread, serve
from mockrelay.wire.http import RawRequest, Response

OUTPUT_BYTES, TAIL_LINES = 1 << 20, 20
LINE_MAX = 120
PAIR = 2
"""The number of options in a pair."""
NOT_OURS = ("MOCKRELAY_SWEEP_", "MOCKRELAY_TOKEN", "MOCKRELAY_SET", "MOCKRELAY_URL")
"""Variables of our environment that the command does not get from it."""

_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)")
"""Sequences that change colours, the cursor or a window's title."""
_UNPRINTABLE = re.compile("[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f]")
"""Control characters, except those that end a line."""
_START_MS = 1_000_000_000_000
"""Worlds that are compared start at this time, which may be any."""
_SIGNATURE_FIELD = re.compile(r'"[^"]*[sS]ignature[^"]*"\s*:\s*"([^"]*)"')
_SIGNATURE_DIGITS_MIN, _DISTINCT_DIGITS_MIN = 50, 8
_NOT_IN_FILES = re.compile(r"[^A-Za-z0-9._=+-]+")


class Verdict(StrEnum):
    """The result of a run."""

    SURVIVED = "survived"
    FAILED = "failed"
    TIMED_OUT = "timed out"
    NOT_MET = "not met"
    """The choice was never consulted, so the option could not matter."""
    OVERRULED = "overruled"
    """The command itself sets the choice to something else."""
    NOT_RUN = "not run"


class Plan(NamedTuple):
    """The command of a sweep, and the options of `mockrelay sweep`."""

    command: tuple[str, ...]
    choices: Mapping[str, str]
    """Options that hold in all runs, except where a variation is about the same choice."""
    limits: str | None = None
    clock: str = "real"
    env_names: tuple[str, ...] = ()
    """Variables that get the relayer's address, beside MOCKRELAY_URL."""
    own_relayers: bool = False
    """The command makes its relayers itself and gets no address."""
    only: tuple[Only, ...] = ()
    deviations: bool = True
    pairs: bool = False
    every: bool = False
    """Run options of choices too that the command does not consult."""
    jobs: int = 1
    timeout_s: float | None = None
    fail_fast: bool = False
    output_dir: Path | None = None
    """The folder for the output of each run."""
    junit: tuple[str, ...] = ()
    """Globs of the JUnit files that the command writes."""


class Run(NamedTuple):
    """A run and its result."""

    variation: Variation
    verdict: Verdict
    detail: str = ""
    """The exit code with the tests that failed and what was wrong, or else the last line of the output; or why it was not run."""
    exit_code: int | None = None
    ms: int = 0
    tail: tuple[str, ...] = ()
    """The last lines of the output."""
    consulted: frozenset[str] | None = None
    """The keys of the choices that were consulted; None: not observed."""
    calls: int = 0
    signs: bool = False
    """Whether the command signs its calls, as far as it was observed."""
    output: Path | None = None
    """The file with the output."""
    failures: tuple[FailedTest, ...] = ()
    """The tests that failed, as far as the runner is known."""
    tests: int | None = None
    """The number of tests that it was left to; None: it ran the whole command."""

    @property
    def failed(self) -> bool:
        """Whether the command failed or took too long."""
        return self.verdict in (Verdict.FAILED, Verdict.TIMED_OUT)

    @property
    def last_line(self) -> str:
        """The last line of the output that is not empty."""
        return self.tail[-1].strip()[:LINE_MAX] if self.tail else ""


class ConsultedChoices:
    """The choices that were consulted, with the options that the world had, and the number of calls."""

    def __init__(self) -> None:
        self.options: set[tuple[str, str]] = set()
        """Pairs of key and option."""
        self.by_world: dict[str, set[str]] = {}
        """The keys by the world that consulted them."""
        self.calls = 0
        self.signs = False
        """Whether a call had a signature that may be real, not a placeholder."""
        self.relay: ObservedRelay | None = None
        """The relay that is working. A server's relays work one after the other, all in its one thread."""

    @property
    def keys(self) -> frozenset[str]:
        """The keys of the choices that were consulted, by calls or by events that were due."""
        return frozenset(key for key, _ in self.options)

    def decide(self, key: str, context: Mapping[str, Any]) -> None:
        """Note a decision and leave it to the relay."""
        if self.relay is not None and key in BY_KEY:
            self.options.add((key, self.relay.world.choices[key]))
            self.by_world.setdefault(self.relay.world_name, set()).add(key)


class ObservedRelay(Relay):
    """A relay that notes which choices it and its worlds consult."""

    def __init__(self, consulted: ConsultedChoices, scenario: Scenario, **options: Any) -> None:
        """`options`: those of `Relay`, except `decide`."""
        self._consulted = consulted
        self.world_name = MAIN_WORLD
        super().__init__(scenario, **{**options, "decide": consulted.decide})

    def handle(self, raw: RawRequest, now_ms: int, generation: int | None = None) -> Response:
        """The relay's answer."""
        self._consulted.calls += 1
        self._consulted.signs = self._consulted.signs or has_signature(raw)
        self._consulted.relay = self
        return super().handle(raw, now_ms, generation)

    @contextmanager
    def locked_context(self, source: str = COMMAND) -> Iterator[Context]:
        """The relay's world."""
        self._consulted.relay = self
        with super().locked_context(source) as ctx:
            yield ctx

    def spawn(self, name: str = MAIN_WORLD, start: Start | None = None) -> Relay:
        """A relay that notes into the same place under the name of its world."""
        relay = super().spawn(name, start)
        assert isinstance(relay, ObservedRelay)
        relay.world_name = name
        return relay

    def from_start(self, start: Start) -> Relay:
        """A relay that notes into the same place."""
        return ObservedRelay(self._consulted, **start._asdict())


def has_signature(raw: RawRequest) -> bool:
    """Whether a request has a signature that may be a real one: a number of over 200 bits whose digits vary."""
    texts = [raw.headers.get("x-api-sig", "")]
    if b"ignature" in raw.body:
        texts += _SIGNATURE_FIELD.findall(raw.body.decode("utf-8", "replace"))
    for text in texts:
        digits = text.lower().removeprefix("0x")
        if len(digits) > _SIGNATURE_DIGITS_MIN and len(set(digits)) >= _DISTINCT_DIGITS_MIN:
            return True
    return False


class Runner:
    """Runs a command with the options of a variation. Several threads may run it at once."""

    def __init__(self, plan: Plan, scenario: Scenario, environ: Mapping[str, str], children: Children) -> None:
        self.at_start: frozenset[Variation] = frozenset()
        """Variations that change the world at its start; they count as consulted by every command."""
        self._plan = plan
        self._scenario = scenario
        self._environ = {name: value for name, value in environ.items() if not name.startswith(NOT_OURS)}
        self._children = children
        self._thread = LoopThread()
        self._folder = tempfile.TemporaryDirectory(prefix="mockrelay-sweep-", ignore_cleanup_errors=True)
        self._tests: TestsMet | None = None
        """What the tests of a pytest suite have met in the run with the defaults."""

    def close(self) -> None:
        """End the thread that serves."""
        self._thread.close()
        self._folder.cleanup()

    def run(self, variation: Variation, number: int, timeout_s: float | None) -> Run:
        """Run the command once. `number` is the number of the run, for the name of its file."""
        consulted = ConsultedChoices()
        clock = Clock.real()
        start_ms = clock.now_ms()
        try:
            relay = self._relay(variation, consulted)
        except ValueError as error:
            return Run(variation, Verdict.NOT_RUN, f"the scenario cannot start with it: {error}")
        try:
            with self._output(variation, number) as file:
                before = stamps(self._plan.junit)
                tests, folder = self._tests_of(variation), Path(self._folder.name, str(number))
                with self._address(relay) as url:
                    env = self._env(variation, url) | self._exchange(variation, tests, folder)
                    ended = self._children.run(self._command(url), env, file, timeout_s)
                text = _text(file)
            failures = failed_in_files(self._plan.junit, before) or failed_tests(text)
        except OSError as error:
            file_name = "" if error.filename in (None, self._plan.command[0]) else f"{error.filename}: "
            return Run(variation, Verdict.NOT_RUN, f"cannot be run: {file_name}{error.strerror or error}")
        observed = None if self._plan.own_relayers else consulted
        path = self._path(variation, number)
        run = self._result(
            Run(variation, Verdict.SURVIVED, "", ended.exit_code, 0, _tail(text), failures=failures), ended, observed
        )
        if variation == BASE and observed is not None:
            self._tests = tests_met(folder, consulted.by_world)
        return run._replace(ms=clock.now_ms() - start_ms, output=path, tests=None if tests is None else len(tests))

    def _tests_of(self, variation: Variation) -> frozenset[str] | None:
        """The tests that a run is left to: those that have met a choice of its variation; None: all."""
        is_of_all = self._tests is None or self._plan.every or any((part,) in self.at_start for part in variation)
        return None if is_of_all or self._tests is None else self._tests.meeting([key for key, _ in variation])

    def _exchange(self, variation: Variation, tests: frozenset[str] | None, folder: Path) -> dict[str, str]:
        """The variable for the pytest plugin, where it is to note worlds or to leave tests out."""
        if tests:
            list_tests(folder, tests)
        elif variation == BASE and not self._plan.own_relayers:
            folder.mkdir()
        else:
            return {}
        return {VARIABLE: str(folder)}

    def _relay(self, variation: Variation, consulted: ConsultedChoices) -> Relay | None:
        plan = self._plan
        if plan.own_relayers:
            return None
        return ObservedRelay(
            consulted,
            self._scenario,
            choices={**plan.choices, **dict(variation)},
            limits_on=None if plan.limits is None else plan.limits == "spec",
            clock=ClockConfig.of_text(plan.clock),
        )

    @contextmanager
    def _address(self, relay: Relay | None) -> Iterator[str | None]:
        """The address of a relay on a port of its own, which processes of an earlier run do not know."""
        if relay is None:
            yield None
            return
        with serve(relay, thread=self._thread) as serving:
            yield serving.url

    def _command(self, url: str | None) -> tuple[str, ...]:
        command = self._plan.command
        return command if url is None else tuple(part.replace("{url}", url) for part in command)

    def _env(self, variation: Variation, url: str | None) -> dict[str, str]:
        options = set_text(self._plan.choices, variation)
        env = {**self._environ, **({"MOCKRELAY_SET": options} if options else {})}
        return env if url is None else env | dict.fromkeys(("MOCKRELAY_URL", *self._plan.env_names), url)

    @contextmanager
    def _output(self, variation: Variation, number: int) -> Iterator[IO[bytes]]:
        path = self._path(variation, number)
        with tempfile.TemporaryFile() if path is None else path.open("w+b") as file:
            yield file

    def _path(self, variation: Variation, number: int) -> Path | None:
        folder = self._plan.output_dir
        name = _NOT_IN_FILES.sub("_", title(variation).replace(" + ", "+"))
        return None if folder is None else folder / f"{number:04}-{name}.log"

    def _result(self, run: Run, ended: Ended, consulted: ConsultedChoices | None) -> Run:
        """A run with its verdict; `consulted`: None where it was not observed."""
        if consulted is not None:
            run = run._replace(consulted=consulted.keys, calls=consulted.calls, signs=consulted.signs)
        if ended.stopped:
            return run._replace(verdict=Verdict.NOT_RUN, detail="stopped")
        if ended.timed_out:
            return run._replace(verdict=Verdict.TIMED_OUT, detail=run.last_line)
        if ended.exit_code != 0:
            parts = (exit_text(ended.exit_code), failures_text(run.failures, LINE_MAX) or run.last_line)
            return run._replace(verdict=Verdict.FAILED, detail=": ".join(part for part in parts if part))
        if consulted is None:
            return run
        # Of a run of many options it says for each pair whether it has met that: see `covering`.
        for key, option in run.variation if len(run.variation) <= PAIR else ():
            if ((key, option),) in self.at_start:
                continue
            if key not in consulted.keys:
                return run._replace(verdict=Verdict.NOT_MET, detail=f"{key} was not consulted")
            if (key, option) not in consulted.options:
                return run._replace(verdict=Verdict.OVERRULED, detail=f"the command itself sets {key}")
        return run


def exit_text(code: int | None) -> str:
    """An exit code in words: `exit code 3`, `ended by SIGKILL`."""
    if code is not None and code < 0:
        try:
            return f"ended by {signal.Signals(-code).name}"
        except ValueError:
            return f"ended by signal {-code}"
    return f"exit code {code}"


def _text(file: IO[bytes]) -> str:
    """The end of an output."""
    file.seek(0, 2)
    file.seek(max(file.tell() - OUTPUT_BYTES, 0))
    return without_colours(file.read().decode("utf-8", "replace"))


def without_colours(text: str) -> str:
    """A text without sequences for terminals and control characters."""
    return _UNPRINTABLE.sub("\ufffd", _COLOURS.sub("", text))


def _tail(text: str) -> tuple[str, ...]:
    """The last lines that are not empty."""
    return tuple(line.rstrip() for line in text.splitlines() if line.strip())[-TAIL_LINES:]


def variations_of_the_start(
    scenario: Scenario, choices: Mapping[str, str], singles: Iterable[Variation]
) -> frozenset[Variation]:
    """The variations with which a scenario's world starts differently, for instance with other hashes, or cannot start."""
    start = _start(scenario, choices)
    return frozenset(single for single in singles if _start(scenario, {**choices, **dict(single)}) != start)


def _start(scenario: Scenario, choices: Mapping[str, str]) -> Any:
    """The saved world without its choices; None where it cannot start."""
    try:
        world = save_world(scenario.world(scenario.start_ms or _START_MS, choices))["world"]
    except ValueError:
        return None
    return {name: value for name, value in world.items() if name != "choices"}
