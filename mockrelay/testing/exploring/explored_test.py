"""One test under `explore`: what is drawn for it, and the relayer of each of its runs."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, NamedTuple
from unittest import SkipTest

from hypothesis import settings as hypothesis_settings

from mockrelay.core.units import moment_text
from mockrelay.relay import Relay
from mockrelay.testing.exploring.decisions_met import DecisionsMet
from mockrelay.testing.exploring.deviations import Plan
from mockrelay.testing.exploring.plan_scenario import BaseScenario
from mockrelay.testing.exploring.plan_strategy import PlanLimits
from mockrelay.testing.exploring.run_guard import EndlessClient, GuardedRelay, RunGuard
from mockrelay.testing.relayer import RelayerHandle
from mockrelay.testing.requests import brief

CALLS_SHOWN = 10
"""The number of calls of a run that a report of two runs shows."""
_NOT_IN_FILES = re.compile(r"[^\w.]+")
_NOT_IN_NAMES = re.compile(r"[^\w./:]")
"""What is in the id of a test beside the names of folders, files, classes and functions."""
_NAME_MAX = 100

Phase = Literal["setup", "call", "teardown"]


class ExploreOptions(NamedTuple):
    """The arguments of `explore`."""

    relayer: Mapping[str, Any]
    """Settings of the relayer: `scenario`, `choices`, `limits`."""
    limits: PlanLimits
    settings: hypothesis_settings | None
    beside: Path
    """The folder of the test."""
    folder: Path
    """Where scenarios are written."""
    probe: bool
    calls_max: int
    run_timeout_s: float


class Run(NamedTuple):
    """A run of the test under a plan, and its result."""

    plan: Plan
    error: BaseException | None
    phase: Phase | None
    """The phase that raised the error; None: there is no error."""
    calls: tuple[str, ...]
    """The last calls, a line each."""

    @property
    def result(self) -> str:
        """The error, for people; empty where it passed."""
        return "" if self.error is None else f", with {type(self.error).__name__}: {self.error}"

    @property
    def lines(self) -> list[str]:
        """Its calls, for people."""
        return [f"  {line}" for line in self.calls or ("no calls",)]


class FlakyTest(AssertionError):
    """A failure did not repeat in a run under the same plan."""

    __module__ = "builtins"  # so that reports begin with its bare name


class ExploredTest:
    """One test under `explore`: the decisions that its runs met, and the plan of the present run.

    `test_id` is the test's id, as pytest has it. `relayer` has the scenario, options and clock that the test's runs start from;
    `choices` and `rate_limits` are set in all of them.
    """

    def __init__(
        self,
        name: str,
        test_id: str,
        options: ExploreOptions,
        relayer: RelayerHandle,
        choices: Mapping[str, str],
        *,
        rate_limits: str,
    ) -> None:
        self.name = name
        self._file_name = _file_name(test_id)
        self._rate_limits = rate_limits
        self.options = options
        self.limits = options.limits._replace(keep=(*options.limits.keep, *choices))
        self.met = DecisionsMet()
        self.guard = RunGuard(options.calls_max, options.run_timeout_s)
        source = options.relayer.get("scenario")
        self.base = BaseScenario(relayer.relay.scenario, choices, source if isinstance(source, Path) else None)
        self.options_at_start: Mapping[str, str] = dict(relayer.relay.world.choices)
        """The option of each choice where nothing is drawn."""
        self.plan = Plan()
        self.start = moment_text(relayer.clock.now_ms)
        """The moment at which the clock of every run starts."""
        self._calls: tuple[str, ...] = ()

    @property
    def file(self) -> Path:
        """The file that the scenario of a failure is written to."""
        folder = self.options.folder if self.base.file is None else self.base.file.parent
        return folder / self._file_name

    def write(self) -> None:
        """Write the scenario of the present plan into its file."""
        self.base.write(self.plan, self.file)

    def notes(self) -> list[str]:
        """The sentence about a failure under the present plan, and where its scenario was written."""
        path = Path(os.path.relpath(self.file, self.options.beside)).as_posix()
        marker = f"@pytest.mark.relayer(scenario={path!r}, limits={self._rate_limits!r})"
        return [
            f"{self.name} {self.base.sentence(self.plan)}",
            f"written to {self.file}; {marker} runs the test under it",
        ]

    @property
    def make_relay(self) -> Callable[..., Relay]:
        """Makes a relay, by the arguments of `Relay`, whose calls are counted."""
        return partial(GuardedRelay, guard=self.guard)

    def begin(self, relayer: RelayerHandle) -> None:
        """Start a run, in the thread that runs the test: the relayer starts anew under the plan."""
        relayer.reset(scenario_text=self.base.text(self.plan), clock={"rate": 0, "start": self.start})
        self.met.begin()

    def end(self, relayer: RelayerHandle) -> None:
        """End a run: note what it met."""
        requests = relayer.requests
        self._calls = tuple(brief(entry) for entry in requests[-CALLS_SHOWN:])
        self.met.end(relayer, requests)

    def result(self, error: BaseException | None, phase: Phase | None) -> Run:
        """The result of the run that has ended. `phase`: the last one."""
        return Run(self.plan, error, None if error is None else phase, self._calls)

    def nothing_explored(self, *, has_others: bool) -> str | None:
        """Why the last run explored nothing, or not all; None: it did. `has_others`: whether calls went to other relayers."""
        calls = self.guard.calls
        if calls and not has_others:
            return None
        found = "made no call to the explored relayer" if not calls else "called a relayer too that is not explored"
        elsewhere = " (its calls went to another relayer)" if has_others and not calls else ""
        return (
            f"explore: the test {found}{elsewhere}; meant: a client that calls the `relayer` that the test, or a fixture "
            "that takes `relayer`, is given"
        )


def _file_name(test_id: str) -> str:
    """A name for the scenario of a test that no other test has."""
    name = _NOT_IN_FILES.sub("-", test_id).strip("-")
    if len(name) <= _NAME_MAX and not _NOT_IN_NAMES.search(test_id):
        return f"{name}.yaml"
    return f"{name[:_NAME_MAX]}-{sha256(test_id.encode()).hexdigest()[:8]}.yaml"


def no_failures() -> tuple[type[BaseException], ...]:
    """The exceptions of a test that has not failed, but is skipped or expected to fail."""
    pytest = sys.modules.get("pytest")
    return (SkipTest,) if pytest is None else (SkipTest, pytest.skip.Exception, pytest.xfail.Exception)


def failures() -> tuple[type[BaseException], ...]:
    """The exceptions that count as a failure: that of `pytest.fail` is not a subclass of Exception."""
    pytest = sys.modules.get("pytest")
    return (Exception, EndlessClient) if pytest is None else (Exception, EndlessClient, pytest.fail.Exception)


RunTest = Callable[[Plan], Run]
"""Runs a test once under a plan."""
