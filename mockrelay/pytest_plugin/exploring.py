"""Tests under `explore`: before such a test is run and reported, it is searched for the simplest relayer that fails it.

A run of the search is a whole run of the test, with its fixtures, which nothing reports. The run that is reported is the
plain one or, where the test fails, one under the plan that was found: so its report shows that run and no other.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from mockrelay.pytest_plugin.session import Session
from mockrelay.pytest_plugin.settings import Settings, merged

if TYPE_CHECKING:
    from mockrelay.pytest_plugin.backends import ManagedRelayer
    from mockrelay.testing import RelayerHandle
    from mockrelay.testing.exploring.deviations import Plan
    from mockrelay.testing.exploring.exploration import Failure
    from mockrelay.testing.exploring.explored_test import ExploredTest, ExploreOptions, Phase, Run

OPTION = "--mockrelay-explored"
_EXPLORED = pytest.StashKey["ExploredItem"]()
_REMOTE = (
    "explore draws the decisions of a relayer in the test's process, and the relayers of this run are worlds of "
    "MOCKRELAY_URL"
)


def explore_options(item: pytest.Item) -> ExploreOptions | None:
    """The options of a test under `explore`; None: it is not."""
    # A test can be under `explore` only where that is imported; to import it takes Hypothesis, which others need not have.
    decorator: Any = sys.modules.get("mockrelay.testing.exploring.decorator")
    return None if decorator is None else getattr(getattr(item, "obj", None), decorator.OPTIONS, None)


def explored_item(item: pytest.Item) -> ExploredItem | None:
    """The exploration of a test that is running; None: it has none."""
    return item.stash.get(_EXPLORED, None)


def search_before_run(item: pytest.Item, options: ExploreOptions) -> None:
    """Search for the simplest relayer that fails a test; then the test is to be run and reported as any other."""
    if os.environ.get("MOCKRELAY_URL") or item.config.getoption("setuponly", False):
        return
    try:
        explored = ExploredItem(item, options)
    except ValueError:
        return  # the fixture `relayer` fails for it
    item.stash[_EXPLORED] = explored
    if item.config.getoption(OPTION) is None:
        explored.search()


def settings_of(session: Session, item: pytest.Item) -> Settings:
    """The settings of a test's relayers. Raises ValueError."""
    settings = session.base.of(item)
    options = explore_options(item)
    if options is None:
        return settings
    settings = merged(settings, options.relayer, session.base.folders(item), "@explore")
    if settings.rate:
        raise ValueError(
            f"@explore: clock: found a rate of {settings.rate:g}; meant: the clock of an explored relayer stands still and the "
            "test moves it, so @pytest.mark.relayer(clock='frozen') or a moment"
        )
    file = item.config.getoption(OPTION)
    if file is not None:
        # The file has all options of the run that it was written for.
        settings = merged(settings, {"scenario": file}, session.base.roots, OPTION)._replace(choices={})
    return settings


def skip_elsewhere(item: pytest.Item) -> None:
    """Skip a test under `explore` where its relayers are not in this process."""
    if os.environ.get("MOCKRELAY_URL") and explore_options(item) is not None:
        pytest.skip(_REMOTE)


class ExploredItem:
    """The exploration of one test."""

    def __init__(self, item: pytest.Item, options: ExploreOptions) -> None:
        """Raises ValueError for a wrong setting."""
        from mockrelay.testing.exploring.explored_test import (  # noqa: PLC0415 - it needs Hypothesis
            ExploredTest,
            no_failures,
        )

        self._item = item
        self._no_failures = no_failures()
        self._session = Session.of(item.config)
        self._settings = settings_of(self._session, item)
        sample = self._session.backend.make(self._settings)
        self._test: ExploredTest = ExploredTest(
            item.name,
            item.nodeid,
            options,
            sample.relayer,
            self._settings.choices,
            rate_limits="spec" if sample.relayer.relay.world.limits_on else "off",
        )
        sample.close()
        self._test.guard.error = _endless_client()
        self._relayer: RelayerHandle | None = None
        self._failure: Failure | None = None
        self._repeated: Run | None = None
        """A run of the search under the plan of the reported one."""
        self.is_reported = item.config.getoption(OPTION) is not None
        """Whether the present run is reported."""
        self._is_explained = False
        """Whether there is nothing to add to an error of the present run."""
        self._is_searched = False
        self._shared_calls: dict[int, int] = {}
        self.search_ms = 0
        """How long the search took."""

    def make(self) -> ManagedRelayer:
        """The relayer of the present run. Raises ValueError."""
        managed = self._session.make(self._settings, decide=self._test.met.decide, make_relay=self._test.make_relay)
        self._relayer = managed.relayer
        self._test.begin(managed.relayer)
        return managed

    def end(self, relayer: RelayerHandle) -> None:
        """Note what a run met, before its relayer ends."""
        self._test.end(relayer)

    def search(self) -> None:
        """Search for the simplest failure; the run that follows is the one to report."""
        from mockrelay.clock import Clock  # noqa: PLC0415 - see above
        from mockrelay.testing.exploring.deviations import Plan  # noqa: PLC0415 - see above
        from mockrelay.testing.exploring.exploration import Exploration  # noqa: PLC0415 - see above

        clock = Clock.real()
        began_ms = clock.now_ms()
        with self._session.findings.paused():
            exploration = Exploration(self._test, self._run)
            self._failure = exploration.search()
        self._repeated = exploration.plain_run() if self._failure is None else self._failure.repeated
        self.is_reported, self._is_searched, self._test.plan = True, True, Plan()
        if self._failure is not None:
            self._test.plan = self._failure.run.plan
            if not self._failure.is_flaky:
                self._test.write()
        self.search_ms = clock.now_ms() - began_ms

    def set_up(self) -> AbstractContextManager[None]:
        """The setup of a test, which is ended where it does not end."""
        self._test.guard.begin()
        return self._test.guard.watch()

    def called(self) -> AbstractContextManager[None]:
        """The call of a test, which is ended where it does not end."""
        self._shared_calls = {id(each): each.relayer.requests.total for each in self._session.shared}
        return self._test.guard.watch()

    def check_passed(self, own: Sequence[ManagedRelayer]) -> None:
        """Fail a test that has passed and is to be reported if it explored nothing, or failed before. `own`: the relayers
        that were made for the test.
        """
        if not self.is_reported:
            return
        self._is_explained = True
        others = [each for each in own if each.relayer is not self._relayer and each.relayer.requests.total]
        others += [
            each for each in self._session.shared if each.relayer.requests.total > self._shared_calls.get(id(each), 0)
        ]
        # What fails in its teardown may call there alone.
        is_over = self._failure is None or self._failure.run.phase != "teardown"
        if is_over and (problem := self._test.nothing_explored(has_others=bool(others))):
            pytest.fail(problem, pytrace=False)
        if is_over and self._failure is not None:
            assert self._relayer is not None  # it was called
            self._test.end(self._relayer)
            self._raise_flaky(self._failure)
        self._is_explained = False

    def check_torn_down(self) -> None:
        """Fail a test whose teardown has passed and is to be reported if that failed before."""
        if self.is_reported and self._failure is not None and not self._is_explained:
            self._is_explained = True
            self._raise_flaky(self._failure)

    def _raise_flaky(self, failure: Failure) -> NoReturn:
        raise failure.flaky(self._test.base.sentence(self._test.plan), self._test.result(None, None))

    def explain(self, error: BaseException) -> None:
        """Add to the error of the reported run what was found."""
        if self._is_explained or not self._is_searched or isinstance(error, self._no_failures):
            return
        self._is_explained = True
        notes = self._test.notes()
        if self._failure is None or self._failure.is_flaky:
            assert self._repeated is not None
            notes = [f"flaky: another run under the same plan passed ({self._test.base.sentence(self._test.plan)})"]
            notes += ["the run that passed", *self._repeated.lines]
        if isinstance(error, pytest.fail.Exception) and not error.pytrace:
            error.msg = "\n".join([error.msg or "", *notes])
        else:
            for note in notes:
                error.add_note(note)

    @property
    def command(self) -> str:
        """The command that makes the reported run again."""
        config: Any = self._item.config
        start = f"--mockrelay-start={self._test.start}"
        test = config.cwd_relative_nodeid(self._item.nodeid)
        file = config.getoption(OPTION) or os.path.relpath(self._test.file, config.invocation_params.dir)
        has_file = config.getoption(OPTION) or (self._failure is not None and not self._failure.is_flaky)
        words = (f"{OPTION}={file}", start) if has_file else (start,)
        return shlex.join(("pytest", str(test), *words, *_options_beside_the_file(config)))

    def _run(self, plan: Plan) -> Run:
        """A run that is not reported."""
        # As pytest's runner and pytest-rerunfailures do it.
        item: Any = self._item
        self._test.plan = plan
        if not item._request:  # noqa: SLF001
            item._initrequest()  # noqa: SLF001
        phase: Phase = "setup"
        error = self._phase(phase)
        if error is None:
            phase = "call"
            error = self._phase(phase)
        # The parent in the place of the next test: fixtures of a wider scope stay.
        torn_down_error = self._phase("teardown", nextitem=item.parent)
        if error is None or isinstance(error, self._no_failures):
            phase, error = "teardown", torn_down_error
        item._request, item.funcargs = False, None  # noqa: SLF001
        item._report_sections.clear()  # noqa: SLF001
        return self._test.result(None if isinstance(error, self._no_failures) else error, phase)

    def _phase(self, when: Phase, **arguments: Any) -> BaseException | None:
        hook = getattr(self._item.ihook, f"pytest_runtest_{when}")
        ends_all = (pytest.exit.Exception, KeyboardInterrupt)
        call = pytest.CallInfo.from_call(lambda: hook(item=self._item, **arguments), when, ends_all)
        # Fixtures may rely on it, those of pytest too.
        self._item.ihook.pytest_runtest_makereport(item=self._item, call=call)
        return None if call.excinfo is None else call.excinfo.value


def _options_beside_the_file(config: Any) -> Iterator[str]:
    """The options of the command line that a test's result depends on and that a scenario does not have."""
    if limits := config.getoption("mockrelay_limits"):
        yield f"--mockrelay-limits={limits}"
    if config.getoption("mockrelay_strict"):
        yield "--mockrelay-strict"
    for kind in config.getoption("mockrelay_allow") or ():
        yield f"--mockrelay-allow={kind}"


def _endless_client() -> type[BaseException]:
    """EndlessClient, as pytest handles it in fixtures too: it knows outcomes of its own beside Exception."""
    from mockrelay.testing.exploring.run_guard import EndlessClient  # noqa: PLC0415 - see above

    return type("EndlessClient", (EndlessClient, pytest.fail.Exception), {"__module__": "builtins"})
