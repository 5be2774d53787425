"""The pytest plugin: `def test_x(relayer)`.

Fixtures `relayer`, `relayer_url`, `relayer_time`, `make_relayer` and `make_session_relayer`; the marker `relayer`; options
`--mockrelay-…` and ini settings `mockrelay_…`. A run that uses none of the fixtures imports this file, the settings and the coverage
plugin only.
"""

from __future__ import annotations

import inspect
import os
from argparse import SUPPRESS
from collections.abc import Callable, Generator, Iterator
from contextlib import nullcontext
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from mockrelay.pytest_plugin.clock_start import START, ClockStart
from mockrelay.pytest_plugin.coverage import NAME, CoveragePlugin, coverage_options
from mockrelay.pytest_plugin.exploring import OPTION as EXPLORED
from mockrelay.pytest_plugin.exploring import (
    explore_options,
    explored_item,
    search_before_run,
    settings_of,
    skip_elsewhere,
)
from mockrelay.pytest_plugin.findings import NAME as FINDINGS
from mockrelay.pytest_plugin.findings import FindingsPlugin
from mockrelay.pytest_plugin.project import check_project, project_setting
from mockrelay.pytest_plugin.session import SWEEP, MakeRelayer, Session, reopened
from mockrelay.pytest_plugin.settings import check_run, moment_ms

if TYPE_CHECKING:
    from mockrelay.pytest_plugin.backends import ManagedRelayer
    from mockrelay.testing import RelayerHandle

__all__ = ["MakeRelayer", "UseRelayerTime"]

T = TypeVar("T")

UseRelayerTime = Callable[..., None]
"""The fixture `relayer_time`: it takes modules, and raises ValueError for one that has neither `time` nor `asyncio`."""

_RELAYERS = pytest.StashKey[list["ManagedRelayer"]]()
_ENDED = pytest.StashKey[list["RelayerHandle"]]()
"""The relayers of a test that have ended, for the report of a teardown that fails."""
_PASSED = pytest.StashKey[bool]()
_ITEM = pytest.StashKey[pytest.Item]()
"""In the configuration: the test that is running. There is one at a time, as pytest's own state of its setup requires."""


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """The options, each also a setting of the ini file, and the fixture `relayer`."""
    # Already here, so that it is behind no plugin of the project, whose fixtures of this name replace it.
    pluginmanager.register(OwnRelayer(), "mockrelay-relayer")
    group = parser.getgroup("mockrelay", "mockrelay, a relayer for tests")

    def add(name: str, text: str, *, ini: str = "string", **option: Any) -> None:
        group.addoption(f"--mockrelay-{name}", default=None, help=text, **option)
        parser.addini(f"mockrelay_{name.replace('-', '_')}", text, type=ini, default=None if ini == "string" else [])  # type: ignore[arg-type]

    add("scenario", "the relayers' scenario: a packaged one, or a YAML file", metavar="NAME|FILE")
    add(
        "profile",
        "what the relayers serve: the specification alone, or with what published clients need",
        metavar="spec|live",
    )
    add(
        "set",
        "an option of a choice, for all relayers",
        ini="linelist",
        action="append",
        metavar="KEY=OPTION",
        dest="mockrelay_choices",
    )
    add("start", "the moment at which all frozen clocks start, for instance to repeat a run", metavar="MOMENT")
    add("clock", "the relayers' clock: frozen, real, a rate or a moment", metavar="CLOCK")
    add("limits", "the relayers' rate limits: spec or off", metavar="spec|off")
    add(
        "allow",
        "kinds of problem, and rules of findings, that fail no test",
        ini="args",
        action="append",
        metavar="KIND",
    )
    add(
        "record-failures",
        "write a record of each relayer of a failed test to this folder, for `mockrelay ui`",
        metavar="DIR",
    )
    explored = "run each test under `explore` once, in a scenario that explore wrote"
    group.addoption(EXPLORED, default=None, help=explored, metavar="FILE")
    coverage = "report what the run has covered of the spec: term, term-missing, or a .json, .xml or .txt file"
    metavar = "term|term-missing|FILE"
    add("coverage", coverage, ini="args", action="append", nargs="?", const="term", metavar=metavar)
    under = "fail the run where less of the spec is covered, of everything or of one kind"
    add("coverage-fail-under", under, ini="args", action="append", metavar="PERCENT|KIND=PERCENT")
    # The old names, for one release.
    old = {"action": "append", "dest": "mockrelay_coverage_fail_under", "help": SUPPRESS}
    group.addoption("--mockrelay-fail-under", default=None, **old)
    parser.addini("mockrelay_fail_under", "the old name of mockrelay_coverage_fail_under", type="args", default=[])
    append = "add to the coverage of earlier runs in the file of --mockrelay-coverage=FILE.json"
    group.addoption("--mockrelay-coverage-append", action="store_const", const=True, help=append)
    parser.addini("mockrelay_coverage_append", append, type="bool", default=False)
    group.addoption("--mockrelay-strict", action="store_const", const=True, help="findings fail tests too")
    parser.addini("mockrelay_strict", "findings fail tests too", type="bool", default=False)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker and the coverage plugin, check the settings, and fix the moment at which frozen clocks start."""
    config.addinivalue_line(
        "markers",
        "relayer(scenario=, choices={}, clock=, limits='spec'|'off'|{}, strict=True, allow=): the settings "
        "of the test's relayers, and the kinds of problem that do not fail it (unknown_path, inner_failure, unfired_fault, "
        "callback_failed, record_failed, finding, all, or the name of a rule of findings)",
    )
    try:
        check_project(config)
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None
    config.stash[START] = ClockStart(_fixed_start_ms(config))
    config.pluginmanager.register(FindingsPlugin(config), FINDINGS)
    try:
        check_run(config)
        if options := coverage_options(config):
            config.pluginmanager.register(CoveragePlugin(config, options), NAME)
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None


def _fixed_start_ms(config: pytest.Config) -> int | None:
    text, where = config.getoption("mockrelay_start") or config.getini("mockrelay_start"), "--mockrelay-start"
    try:
        in_project = project_setting(config, "start")
        if not text and in_project is not None:
            text, where = in_project
        return moment_ms(str(text)) if text else None
    except ValueError as error:
        raise pytest.UsageError(f"{where}: {error}") from None


def pytest_report_header(config: pytest.Config) -> str:
    """The line of pytest's header that says under what the run runs."""
    url = os.environ.get("MOCKRELAY_URL")
    where = f"; in worlds of {url} (MOCKRELAY_URL)" if url else ""
    choices = os.environ.get("MOCKRELAY_SET")
    under = f"; under {choices} (MOCKRELAY_SET)" if choices else ""
    fixed_ms = config.stash[START].fixed_ms
    start = "each test's clock starts at its own second" if fixed_ms is None else f"clocks start at {_text(fixed_ms)}"
    return f"mockrelay: {start} (--mockrelay-start){where}{under}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Under a sweep: leave out the tests that its option cannot matter to. A process that would have none left runs all."""
    if (folder := os.environ.get(SWEEP)) is None:
        return
    from mockrelay.cli.sweep.by_test import tests_to_run  # noqa: PLC0415 - only a sweep needs it

    tests = tests_to_run(folder)
    kept = [] if tests is None else [item for item in items if item.nodeid in tests]
    if kept:
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> None:
    """Before a test under `explore` is run: search for the simplest relayer that it fails with."""
    options = explore_options(item)
    if options is not None:
        # Once for all runs of its search, so that a failure repeats.
        item.config.stash[START].begin_test()
        search_before_run(item, options)


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    """Skip a test under `explore` where its relayers are not in this process, and end a setup that does not end."""
    skip_elsewhere(item)
    # A test may be run several times.
    item.stash[_PASSED], item.stash[_ENDED] = False, []
    item.config.stash[_ITEM] = item
    explored = explored_item(item)
    if explored is None:
        item.config.stash[START].begin_test()
    with nullcontext() if explored is None else explored.set_up():
        return (yield)


def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run an async test under `explore` in a loop of its own, unless another plugin does."""
    test = pyfuncitem.obj
    if explore_options(pyfuncitem) is None or not inspect.iscoroutinefunction(test):
        return None
    import asyncio  # noqa: PLC0415 - see the top

    names = pyfuncitem._fixtureinfo.argnames  # noqa: SLF001 - as pytest itself does it
    asyncio.run(test(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test that passed where its relayers have problems that it does not allow."""
    session = Session.existing(item.config)
    if session is not None:
        session.note_problems()
    explored = explored_item(item)
    relayers = item.stash.setdefault(_RELAYERS, [])
    with nullcontext() if explored is None else explored.called():
        result = yield
    # Looked up again: the test itself may have been the first to use a relayer.
    session = Session.existing(item.config)
    if session is not None and (sentences := session.unexpected(relayers)):
        from mockrelay.testing.problems import failure_message  # noqa: PLC0415 - see the top

        pytest.fail(failure_message(sentences), pytrace=False)
    if explored is not None:
        explored.check_passed(relayers)
    item.stash[_PASSED] = True
    return result


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test under `explore` whose teardown has failed in the search and passes now."""
    result = yield
    explored = explored_item(item)
    if explored is not None:
        explored.check_torn_down()
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add a section about its relayers to the report of a test that failed."""
    explored = explored_item(item)
    if explored is not None and not explored.is_reported:
        return (yield)
    if explored is not None and call.excinfo is not None:
        explored.explain(call.excinfo.value)
    report = yield
    if explored is not None and call.when == "call":
        report.duration += explored.search_ms / 1000
    session = Session.existing(item.config)
    ended = item.stash.get(_ENDED, [])
    if report.failed and session is not None:
        from mockrelay.pytest_plugin.failure_report import sections  # noqa: PLC0415 - see the top

        start_ms = item.config.stash[START].ms
        own = f"--mockrelay-start={_text(start_ms)}" if explored is None else explored.command
        relayers = [
            (each, own) for each in (*(each.relayer for each in item.stash.setdefault(_RELAYERS, [])), *reopened(ended))
        ]
        relayers += [(each.relayer, _start_option(each.relayer, start_ms)) for each in session.shared]
        report.sections += sections(relayers)
        if session.records is not None and (
            files := session.records.write(item.nodeid, (each for each, _ in relayers))
        ):
            from mockrelay.pytest_plugin.records import section  # noqa: PLC0415 - as above

            report.sections.append(section(files))
    if call.when == "teardown":
        ended.clear()
    return report


class OwnRelayer:
    """The fixture `relayer`. As a method it has the configuration without `request`, which pytest makes three times a test: that takes
    more than half as long as all else of a relayer.
    """

    _config: pytest.Config

    def pytest_configure(self, config: pytest.Config) -> None:
        """Take the configuration."""
        self._config = config

    @pytest.fixture
    def relayer(self) -> Iterator[RelayerHandle]:
        """A relayer of the test's own, in the state of its scenario; its port is opened when `relayer.url` is first read."""
        item = self._config.stash[_ITEM]
        relayers = item.stash.setdefault(_RELAYERS, [])
        session = _or_fail(lambda: Session.of(self._config))
        explored = explored_item(item)
        managed = _or_fail(lambda: session.make(settings_of(session, item)) if explored is None else explored.make())
        session.note_world(managed, item.nodeid)
        relayers.append(managed)
        yield managed.relayer
        if explored is not None:
            explored.end(managed.relayer)
        relayers.remove(managed)
        # A test that passed had no problems at its end, so these come from the calls of other fixtures since.
        sentences = managed.relayer.unexpected() if item.stash.get(_PASSED, False) else []
        item.stash[_ENDED].append(managed.relayer)
        managed.close()
        if sentences:
            from mockrelay.testing.problems import failure_message  # noqa: PLC0415 - see the top

            pytest.fail(failure_message(sentences), pytrace=False)


@pytest.fixture
def relayer_url(relayer: RelayerHandle) -> str:
    """The address of the test's relayer, without a slash at the end."""
    return relayer.url


@pytest.fixture
def relayer_time(relayer: RelayerHandle) -> Iterator[UseRelayerTime]:
    """Puts the clock of the test's relayer in the place of `time` and `asyncio` in modules of the client, until the test ends:
    `relayer_time(bot.polling)`.
    """
    from mockrelay.testing.client_time import on_clock  # noqa: PLC0415 - see the top

    with pytest.MonkeyPatch.context() as patch:

        def use_relayer_time(*modules: ModuleType) -> None:
            named = [(module, on_clock(relayer.clock, module)) for module in modules]
            for module, names in named:
                for name, value in names.items():
                    patch.setattr(module, name, value)

        yield use_relayer_time


@pytest.fixture
def make_relayer(request: pytest.FixtureRequest) -> Iterator[MakeRelayer]:
    """Makes relayers: `make_relayer(scenario="…", choices={…})`, as often as the test likes. They end with the test."""
    item: pytest.Item = request.node
    relayers = item.stash.setdefault(_RELAYERS, [])
    session = _or_fail(lambda: Session.of(request.config))
    base = _or_fail(lambda: session.base.of(item))
    make = MakeRelayer(session, base, session.base.folders(item), relayers, item.nodeid)
    yield make
    item.stash[_ENDED] += make.close()


@pytest.fixture(scope="session")
def make_session_relayer(request: pytest.FixtureRequest) -> Iterator[MakeRelayer]:
    """Makes relayers that last for the session, for fixtures of a wider scope and for property tests:
    `with shared.fresh(): …` gives each example a world of its own.
    """
    session = _or_fail(lambda: Session.of(request.config))
    make = MakeRelayer(session, session.base.settings, session.base.roots, session.shared)
    yield make
    # A fault of a shared relayer may fire in any test, so it is unfired only after the last one.
    unfired = [] if request.session.testsfailed else make.unfired()
    make.close()
    if unfired:
        pytest.fail("\n".join(unfired), pytrace=False)


def _or_fail(make: Callable[[], T]) -> T:
    """The result of `make`. A ValueError, which names a wrong setting or scenario, fails the test without a traceback."""
    try:
        return make()
    except ValueError as error:
        message = str(error)
    pytest.fail(f"mockrelay: {message}", pytrace=False)


def _start_option(shared: RelayerHandle, start_ms: int) -> str:
    """The option that repeats the run of a relayer of the session, which has not always started with the test."""
    from mockrelay.testing.calling import relay_of  # noqa: PLC0415 - see the top

    relay = relay_of(shared)
    return f"--mockrelay-start={_text(start_ms if relay is None else relay.world.start_ms)}"


def _text(at_ms: int) -> str:
    from mockrelay.core.units import moment_text  # noqa: PLC0415 - see the top

    return moment_text(at_ms)
