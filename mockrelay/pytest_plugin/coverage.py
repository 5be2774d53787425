"""The report of what a run has covered of the spec, over all tests and workers and, with `append`, over earlier runs.

A worker of pytest-xdist sends its coverage to the process that started it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from mockrelay.pytest_plugin.project import project_setting, project_texts

if TYPE_CHECKING:
    from mockrelay.pytest_plugin.backends import ManagedRelayer
    from mockrelay.report.coverage import Coverage
    from mockrelay.report.thresholds import Threshold
    from mockrelay.testing import RelayerHandle

NAME = "mockrelay-coverage"
TERM, TERM_MISSING = "term", "term-missing"
_ON_TERMINAL = (TERM, TERM_MISSING)
_FILES = {".json": "json", ".xml": "junit", ".txt": "text-missing"}
"""The format of a file by its ending."""
_OUTPUT = "mockrelay_coverage"


class CoverageOptions(NamedTuple):
    """The coverage options of a run. False: it reports no coverage."""

    targets: tuple[str, ...]
    """`term`, `term-missing`, or files."""
    append: bool
    thresholds: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.targets or self.thresholds or self.append)


def coverage_options(config: pytest.Config) -> CoverageOptions:
    """The options of the command line or else of the ini file. Raises ValueError."""
    targets = (
        config.getoption("mockrelay_coverage")
        or config.getini("mockrelay_coverage")
        or project_texts(config, "coverage")
    )
    thresholds = (
        config.getoption("mockrelay_coverage_fail_under")
        or config.getini("mockrelay_coverage_fail_under")
        or config.getini("mockrelay_fail_under")
        or project_texts(config, "coverage-fail-under")
    )
    try:
        in_ini = bool(config.getini("mockrelay_coverage_append"))
    except (ValueError, pytest.UsageError) as error:
        raise ValueError(f"the ini file: mockrelay_coverage_append: {error}; meant: true or false") from None
    in_project = project_setting(config, "coverage-append")
    if in_project is not None and not isinstance(in_project.value, bool):
        raise ValueError(f"{in_project.where}: {in_project.value!r} is neither true nor false")
    in_ini = in_ini or (in_project is not None and in_project.value)
    # In the ini file it is for those runs that write such a file.
    append = config.getoption("mockrelay_coverage_append") or (in_ini and any(map(_is_appendable, targets)))
    return CoverageOptions(tuple(targets), bool(append), tuple(thresholds))


class CoveragePlugin:
    """Adds up the coverage of a run's relayers and reports it at the end."""

    def __init__(self, config: pytest.Config, options: CoverageOptions) -> None:
        """Raises ValueError for wrong options."""
        self._folder = config.invocation_params.dir
        self._worker_output: dict[str, Any] | None = getattr(config, "workeroutput", None)
        self._is_off = bool(config.getoption("collectonly"))
        self._targets = options.targets
        for each in options.targets:
            if each not in _ON_TERMINAL and Path(each).suffix not in _FILES:
                raise ValueError(
                    f"--mockrelay-coverage={each}: meant: {TERM}, {TERM_MISSING}, or a file whose name ends in "
                    f"{', '.join(_FILES)} (a path of tests stands before the option, or behind --mockrelay-coverage={TERM})"
                )
        self._thresholds = _thresholds(options.thresholds)
        self._coverage: Coverage | None = None
        """None: no relayer was used."""
        self._notes: list[str] = []
        """Sentences about coverage that is not counted."""
        self._failures: list[str] = []
        if options.append and self._worker_output is None:
            self._read_earlier()

    def with_coverage(self, managed: ManagedRelayer) -> ManagedRelayer:
        """The same relayer; its coverage is added when it ends."""

        def close() -> None:
            self._take(managed.relayer)
            managed.close()

        return managed._replace(close=close)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Add the coverage of a worker of pytest-xdist."""
        output = getattr(node, "workeroutput", {}).get(_OUTPUT)
        if output is None:
            self._notes.append(f"the worker {node.gateway.id} ended early: what its tests met is not counted")
            return
        self._notes += output["notes"]
        if output["coverage"] is not None:
            self._add(_of_view(output["coverage"]))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """After the end of the last relayer: send the coverage to the controller, or write it and compare it."""
        if self._worker_output is not None:
            view = None if self._coverage is None else _view(self._coverage)
            self._worker_output[_OUTPUT] = {"coverage": view, "notes": self._notes}
        elif not self._is_off:
            self._write()
            self._compare()
            if self._failures and session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the report, what is not counted, and the thresholds that are not reached."""
        if self._is_off:
            return
        ways = [each for each in dict.fromkeys(self._targets) if each in _ON_TERMINAL]
        if ways or self._failures or self._notes:
            terminalreporter.section("mockrelay: what the spec has, and what was met of it")
        if ways and self._coverage is None:
            terminalreporter.write_line("no relayer was used")
        elif ways:
            terminalreporter.write(self._formatted("text-missing" if TERM_MISSING in ways else "text"))
        for note in dict.fromkeys(self._notes):
            terminalreporter.write_line(note, yellow=True)
        for sentence in self._failures:
            terminalreporter.write_line(f"ERROR: {sentence}", red=True, bold=True)

    def _take(self, relayer: RelayerHandle) -> None:
        from mockrelay.testing import ControlError  # noqa: PLC0415 - see `_thresholds`
        from mockrelay.testing.calling import relay_of  # noqa: PLC0415 - see `_thresholds`

        relay = relay_of(relayer)
        try:
            coverage = _of_view(relayer.control("GET", "coverage")) if relay is None else relay.coverage()
        except (ControlError, RuntimeError, ValueError) as error:
            self._notes.append(f"what a relayer met is not counted: {error}")
            return
        self._add(coverage)

    def _add(self, coverage: Coverage) -> None:
        self._coverage = self._all()
        self._coverage.merge(coverage)

    def _all(self) -> Coverage:
        return _new() if self._coverage is None else self._coverage

    def _read_earlier(self) -> None:
        files = [self._folder / each for each in self._targets if _is_appendable(each)]
        if not files:
            raise ValueError("--mockrelay-coverage-append: to what? meant: --mockrelay-coverage=FILE.json with it")
        for file in files:
            try:
                if file.exists():
                    self._add(_of_text(file.read_text(encoding="utf-8")))
            except (OSError, ValueError) as error:
                raise ValueError(f"--mockrelay-coverage-append: {file}: {error}") from None

    def _write(self) -> None:
        for each in dict.fromkeys(self._targets):
            if each in _ON_TERMINAL:
                continue
            path = self._folder / each
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(self._formatted(_FILES[path.suffix]), encoding="utf-8")
            except OSError as error:
                self._failures.append(f"--mockrelay-coverage={each}: {error.strerror or error}")

    def _formatted(self, form: str) -> str:
        from mockrelay.report.coverage_text import format_coverage  # noqa: PLC0415 - see `_thresholds`

        return format_coverage(self._all(), form, self._thresholds)

    def _compare(self) -> None:
        if self._thresholds:
            from mockrelay.report.thresholds import shortfalls  # noqa: PLC0415 - see `_thresholds`

            unused = "" if self._coverage is not None else "; no relayer was used"
            self._failures += [
                f"mockrelay fail-under: {sentence}{unused}" for _, sentence in shortfalls(self._all(), self._thresholds)
            ]


def _is_appendable(target: str) -> bool:
    """Whether a target is a file that later runs can add to."""
    return Path(target).suffix == ".json"


def _thresholds(texts: tuple[str, ...]) -> list[Threshold]:
    """The thresholds of `--mockrelay-coverage-fail-under`. Raises ValueError."""
    if not texts:
        return []
    # Imported only by runs that report coverage and have used a relayer, or that have thresholds.
    from mockrelay.report.thresholds import parse_threshold  # noqa: PLC0415

    try:
        return [parse_threshold(text) for text in texts]
    except ValueError as error:
        raise ValueError(f"--mockrelay-coverage-fail-under: {error}") from None


def _new() -> Coverage:
    from mockrelay.report.coverage import Coverage  # noqa: PLC0415 - see `_thresholds`

    return Coverage()


def _view(coverage: Coverage) -> dict[str, Any]:
    from mockrelay.report.coverage_views import coverage_view  # noqa: PLC0415 - see `_thresholds`

    return coverage_view(coverage)


def _of_view(value: Any) -> Coverage:
    from mockrelay.report.coverage_views import coverage_from_view  # noqa: PLC0415 - see `_thresholds`

    return coverage_from_view(value)


def _of_text(text: str) -> Coverage:
    from mockrelay.report.coverage_views import parse_coverage  # noqa: PLC0415 - see `_thresholds`

    return parse_coverage(text)
