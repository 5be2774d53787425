"""What the relayers of a run have met of the spec, told at its end: over all tests, workers and, if asked for, runs.

Made only where a run asks for it. A worker of pytest-xdist hands what it has to the process that started it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from mockrelay.pytest_plugin.making import Made
    from mockrelay.report.coverage import Coverage
    from mockrelay.report.thresholds import Threshold
    from mockrelay.testing import RelayerHandle

NAME = "mockrelay-coverage"
TERM, TERM_MISSING = "term", "term-missing"
_ON_TERMINAL = (TERM, TERM_MISSING)
_FILES = {".json": "json", ".xml": "junit", ".txt": "text-missing"}
"""The endings of files, and the form in which they are written."""
_OUTPUT = "mockrelay_coverage"


class Asked(NamedTuple):
    """What a run asks for."""

    told: tuple[str, ...]
    """`term`, `term-missing`, or files."""
    append: bool
    floors: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.told or self.floors or self.append)


def asked(config: pytest.Config) -> Asked:
    """What the command line says or else the ini file. Raises ValueError."""
    told = config.getoption("mockrelay_coverage") or config.getini("mockrelay_coverage")
    floors = (
        config.getoption("mockrelay_coverage_fail_under")
        or config.getini("mockrelay_coverage_fail_under")
        or config.getini("mockrelay_fail_under")
    )
    try:
        by_ini = bool(config.getini("mockrelay_coverage_append"))
    except (ValueError, pytest.UsageError) as error:
        raise ValueError(f"the ini file: mockrelay_coverage_append: {error}; meant: true or false") from None
    # What the ini file says of it is for the runs that write such a file.
    append = config.getoption("mockrelay_coverage_append") or (by_ini and any(map(_is_appendable, told)))
    return Asked(tuple(told), bool(append), tuple(floors))


class CoveragePlugin:
    """Gathers what the relayers of a run have met, and tells it at the end."""

    def __init__(self, config: pytest.Config, wanted: Asked) -> None:
        """Raises ValueError where what is wanted cannot be."""
        self._folder = config.invocation_params.dir
        self._worker_output: dict[str, Any] | None = getattr(config, "workeroutput", None)
        self._is_off = bool(config.getoption("collectonly"))
        self._told = wanted.told
        for each in wanted.told:
            if each not in _ON_TERMINAL and Path(each).suffix not in _FILES:
                raise ValueError(
                    f"--mockrelay-coverage={each}: meant: {TERM}, {TERM_MISSING}, or a file whose name ends in "
                    f"{', '.join(_FILES)} (a path of tests stands before the option, or behind --mockrelay-coverage={TERM})"
                )
        self._floors = _floors(wanted.floors)
        self._coverage: Coverage | None = None
        """None: no relayer was used."""
        self._notes: list[str] = []
        """What a reader of the figures must know."""
        self._missed: list[str] = []
        if wanted.append and self._worker_output is None:
            self._read_earlier()

    def joined(self, made: Made) -> Made:
        """The same relayer; what it has met is taken when it is let go."""

        def close() -> None:
            self._take(made.relayer)
            made.close()

        return made._replace(close=close)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Take what a worker of pytest-xdist has gathered."""
        output = getattr(node, "workeroutput", {}).get(_OUTPUT)
        if output is None:
            self._notes.append(f"the worker {node.gateway.id} ended early: what its tests met is not counted")
            return
        self._notes += output["notes"]
        if output["coverage"] is not None:
            self._add(_of_view(output["coverage"]))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Once the last relayer is let go: hand over, or write and judge."""
        if self._worker_output is not None:
            view = None if self._coverage is None else _view(self._coverage)
            self._worker_output[_OUTPUT] = {"coverage": view, "notes": self._notes}
        elif not self._is_off:
            self._write()
            self._judge()
            if self._missed and session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Tell what was asked for, and which floors were missed."""
        if self._is_off:
            return
        ways = [each for each in dict.fromkeys(self._told) if each in _ON_TERMINAL]
        if ways or self._missed or self._notes:
            terminalreporter.section("mockrelay: what the spec has, and what was met of it")
        if ways and self._coverage is None:
            terminalreporter.write_line("no relayer was used")
        elif ways:
            terminalreporter.write(self._formatted("text-missing" if TERM_MISSING in ways else "text"))
        for note in dict.fromkeys(self._notes):
            terminalreporter.write_line(note, yellow=True)
        for sentence in self._missed:
            terminalreporter.write_line(f"ERROR: {sentence}", red=True, bold=True)

    def _take(self, relayer: RelayerHandle) -> None:
        from mockrelay.testing import ControlError  # noqa: PLC0415 - see `_floors`
        from mockrelay.testing.calling import relay_of  # noqa: PLC0415 - see `_floors`

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
        files = [self._folder / each for each in self._told if _is_appendable(each)]
        if not files:
            raise ValueError("--mockrelay-coverage-append: to what? meant: --mockrelay-coverage=FILE.json with it")
        for file in files:
            try:
                if file.exists():
                    self._add(_of_text(file.read_text(encoding="utf-8")))
            except (OSError, ValueError) as error:
                raise ValueError(f"--mockrelay-coverage-append: {file}: {error}") from None

    def _write(self) -> None:
        for each in dict.fromkeys(self._told):
            if each in _ON_TERMINAL:
                continue
            path = self._folder / each
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(self._formatted(_FILES[path.suffix]), encoding="utf-8")
            except OSError as error:
                self._missed.append(f"--mockrelay-coverage={each}: {error.strerror or error}")

    def _formatted(self, form: str) -> str:
        from mockrelay.report.coverage_text import format_coverage  # noqa: PLC0415 - see `_floors`

        return format_coverage(self._all(), form, self._floors)

    def _judge(self) -> None:
        if self._floors:
            from mockrelay.report.thresholds import shortfalls  # noqa: PLC0415 - see `_floors`

            unused = "" if self._coverage is not None else "; no relayer was used"
            self._missed += [
                f"mockrelay fail-under: {sentence}{unused}" for _, sentence in shortfalls(self._all(), self._floors)
            ]


def _is_appendable(told: str) -> bool:
    """Whether what is written can be read again."""
    return Path(told).suffix == ".json"


def _floors(texts: tuple[str, ...]) -> list[Threshold]:
    """The floors that are asked for. Raises ValueError."""
    if not texts:
        return []
    # Only runs that ask for something, or that have used a relayer, pay for these imports.
    from mockrelay.report.thresholds import parse_threshold  # noqa: PLC0415

    try:
        return [parse_threshold(text) for text in texts]
    except ValueError as error:
        raise ValueError(f"--mockrelay-coverage-fail-under: {error}") from None


def _new() -> Coverage:
    from mockrelay.report.coverage import Coverage  # noqa: PLC0415 - see `_floors`

    return Coverage()


def _view(coverage: Coverage) -> dict[str, Any]:
    from mockrelay.report.coverage_views import coverage_view  # noqa: PLC0415 - see `_floors`

    return coverage_view(coverage)


def _of_view(value: Any) -> Coverage:
    from mockrelay.report.coverage_views import coverage_from_view  # noqa: PLC0415 - see `_floors`

    return coverage_from_view(value)


def _of_text(text: str) -> Coverage:
    from mockrelay.report.coverage_views import parse_coverage  # noqa: PLC0415 - see `_floors`

    return parse_coverage(text)
