"""The pytest plugin: `def test_x(relayer)`.

Fixtures `relayer`, `relayer_url`, `make_relayer` and `make_session_relayer`; the marker `relayer`; options
`--mockrelay-…` and ini settings `mockrelay_…`. A run that uses none of the fixtures pays for this file alone: all else
is imported by the first that does.
"""

from __future__ import annotations

import os
from argparse import SUPPRESS
from collections.abc import Callable, Generator, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from mockrelay.pytest_plugin.coverage import NAME, CoveragePlugin, asked
from mockrelay.pytest_plugin.session import START_MS, MakeRelayer, Session
from mockrelay.pytest_plugin.settings import check_run, moment_ms

if TYPE_CHECKING:
    from mockrelay.pytest_plugin.making import Made
    from mockrelay.testing import RelayerHandle

__all__ = ["MakeRelayer"]

T = TypeVar("T")

_MADE = pytest.StashKey[list["Made"]]()
_PASSED = pytest.StashKey[bool]()
_WORKER_START = "mockrelay_start_ms"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options, each also a setting of the ini file."""
    group = parser.getgroup("mockrelay", "mockrelay, a relayer for tests")

    def add(name: str, text: str, *, ini: str = "string", **option: Any) -> None:
        group.addoption(f"--mockrelay-{name}", default=None, help=text, **option)
        parser.addini(f"mockrelay_{name.replace('-', '_')}", text, type=ini, default=None if ini == "string" else [])  # type: ignore[arg-type]

    add("scenario", "the relayers' scenario: a shipped name or a file", metavar="NAME|FILE")
    add(
        "set",
        "an option of a choice, for all relayers",
        ini="linelist",
        action="append",
        metavar="KEY=OPTION",
        dest="mockrelay_choices",
    )
    add("start", "where frozen clocks start, for instance to repeat a run", metavar="MOMENT")
    add("clock", "the relayers' clock: frozen, real, a rate or a moment", metavar="CLOCK")
    add("limits", "the relayers' rate limits: spec or off", metavar="spec|off")
    add("allow", "kinds of problem that fail no test", ini="args", action="append", metavar="KIND")
    coverage = "at the end, what of the spec was met and what never: term, term-missing, or a .json, .xml or .txt file"
    metavar = "term|term-missing|FILE"
    add("coverage", coverage, ini="args", action="append", nargs="?", const="term", metavar=metavar)
    under = "fail where less of the spec was met, of all or of one kind"
    add("coverage-fail-under", under, ini="args", action="append", metavar="PERCENT|KIND=PERCENT")
    # The old names, for one release.
    old = {"action": "append", "dest": "mockrelay_coverage_fail_under", "help": SUPPRESS}
    group.addoption("--mockrelay-fail-under", default=None, **old)
    parser.addini("mockrelay_fail_under", "the old name of mockrelay_coverage_fail_under", type="args", default=[])
    append = "add to what the file of --mockrelay-coverage=FILE.json has from earlier runs"
    group.addoption("--mockrelay-coverage-append", action="store_const", const=True, help=append)
    parser.addini("mockrelay_coverage_append", append, type="bool", default=False)
    group.addoption("--mockrelay-strict", action="store_const", const=True, help="findings fail tests too")
    parser.addini("mockrelay_strict", "findings fail tests too", type="bool", default=False)


def pytest_configure(config: pytest.Config) -> None:
    """Fix the moment at which the frozen clocks of this run start."""
    config.addinivalue_line(
        "markers",
        "relayer(scenario=, choices={}, clock=, limits='spec'|'off', strict=True, allow=): how the test's relayers "
        "are made, and what may pass in silence (unknown_path, inner_failure, unfired_fault, record_failed, finding, all)",
    )
    config.stash[START_MS] = _start_ms(config)
    try:
        check_run(config)
        if wanted := asked(config):
            config.pluginmanager.register(CoveragePlugin(config, wanted), NAME)
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None


def _start_ms(config: pytest.Config) -> int:
    given = config.getoption("mockrelay_start") or config.getini("mockrelay_start")
    told: int | None = getattr(config, "workerinput", {}).get(_WORKER_START)
    if told is not None:
        return told
    if given:
        try:
            return moment_ms(given)
        except ValueError as error:
            raise pytest.UsageError(f"--mockrelay-start: {error}") from None
    from mockrelay.clock import Clock  # noqa: PLC0415 - see the top

    return Clock.real().now_ms() // 1000 * 1000


def pytest_report_header(config: pytest.Config) -> str:
    """The line that tells how to repeat the run."""
    url = os.environ.get("MOCKRELAY_URL")
    where = f"; in worlds of {url} (MOCKRELAY_URL)" if url else ""
    readings = os.environ.get("MOCKRELAY_SET")
    under = f"; under {readings} (MOCKRELAY_SET)" if readings else ""
    return f"mockrelay: clocks start at {_start_text(config)} (--mockrelay-start){where}{under}"


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Give a worker of pytest-xdist the start that all share."""
    node.workerinput[_WORKER_START] = node.config.stash[START_MS]


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test that passed where a relayer of its has something to say that nobody asked for."""
    session = Session.known(item.config)
    if session is not None:
        session.remember()
    result = yield
    # Asked again: the test itself may have been the first to need a relayer.
    session = Session.known(item.config)
    if session is not None and (sentences := session.unheard(item.stash.setdefault(_MADE, []))):
        from mockrelay.testing.problems import failure_message  # noqa: PLC0415 - see the top

        pytest.fail(failure_message(sentences), pytrace=False)
    item.stash[_PASSED] = True
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add to the report of a red test what its relayers know of it."""
    report = yield
    session = Session.known(item.config)
    if report.failed and call.when != "teardown" and session is not None:
        from mockrelay.pytest_plugin.telling import sections  # noqa: PLC0415 - see the top

        relayers = [made.relayer for made in (*item.stash.setdefault(_MADE, []), *session.shared)]
        report.sections += sections(relayers, _start_text(item.config))
    return report


@pytest.fixture
def relayer(request: pytest.FixtureRequest) -> Iterator[RelayerHandle]:
    """A relayer of the test's own, in the state of its scenario; its port is opened when `relayer.url` is asked for."""
    item: pytest.Item = request.node
    made_here = item.stash.setdefault(_MADE, [])
    session = _clearly(lambda: Session.of(request.config))
    made = _clearly(lambda: session.make(session.base.of(item)))
    made_here.append(made)
    yield made.relayer
    made_here.remove(made)
    # A test that passed had nothing unheard at its end, so this is what other fixtures called since.
    sentences = made.relayer.unexpected() if item.stash.get(_PASSED, False) else []
    made.close()
    if sentences:
        from mockrelay.testing.problems import failure_message  # noqa: PLC0415 - see the top

        pytest.fail(failure_message(sentences), pytrace=False)


@pytest.fixture
def relayer_url(relayer: RelayerHandle) -> str:
    """The address of the test's relayer, without a slash at the end."""
    return relayer.url


@pytest.fixture
def make_relayer(request: pytest.FixtureRequest) -> Iterator[MakeRelayer]:
    """Makes any number of relayers: `make_relayer(scenario="…", choices={…})`. They end with the test."""
    item: pytest.Item = request.node
    made_here = item.stash.setdefault(_MADE, [])
    session = _clearly(lambda: Session.of(request.config))
    base = _clearly(lambda: session.base.of(item))
    make = MakeRelayer(session, base, session.base.folders(item), made_here)
    yield make
    make.close()


@pytest.fixture(scope="session")
def make_session_relayer(request: pytest.FixtureRequest) -> Iterator[MakeRelayer]:
    """Makes relayers that last for the session, for fixtures of a wider scope and for property tests:
    `with shared.fresh(): …` gives each example a world of its own.
    """
    session = _clearly(lambda: Session.of(request.config))
    make = MakeRelayer(session, session.base.settings, session.base.roots, session.shared)
    yield make
    # Which test a fault of a shared relayer should have fired in, nobody knows before the last one.
    unfired = [] if request.session.testsfailed else make.unfired()
    make.close()
    if unfired:
        pytest.fail("\n".join(unfired), pytrace=False)


def _clearly(make: Callable[[], T]) -> T:
    """What `make` gives. A setting or a scenario that cannot be is told in its own words, without our inner workings."""
    try:
        return make()
    except ValueError as error:
        told = str(error)
    pytest.fail(f"mockrelay: {told}", pytrace=False)


def _start_text(config: pytest.Config) -> str:
    moment = datetime.fromtimestamp(config.stash[START_MS] / 1000, UTC)
    return moment.isoformat().replace("+00:00", "Z")
