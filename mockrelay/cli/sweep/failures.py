"""The tests that failed, with the first line of what was wrong, by the output of their runner or by JUnit files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from glob import glob
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

FAILURES_MAX = 100
"""The number of failed tests of a run that are kept."""
_TEXT_MAX = 200
_NAMES_MAX = 3
"""The number of failed tests that a sentence names."""


class FailedTest(NamedTuple):
    """A test that failed."""

    name: str
    message: str
    """The first line of what was wrong; empty where it is not known."""


Stamp = tuple[int, int]
"""The time at which a file was written, and its size."""
Lines = Sequence[str]
Reader = Callable[[Lines], Iterator[tuple[str, str]]]


def failed_tests(text: str) -> tuple[FailedTest, ...]:
    """The tests that failed by an output without colours; none where it is of a runner that is not known."""
    lines = [line.rstrip() for line in text.splitlines()]
    return _distinct(found for reader in _READERS for found in reader(lines))


def failed_in_files(globs: Sequence[str], before: Mapping[str, Stamp]) -> tuple[FailedTest, ...]:
    """The tests that failed by the JUnit files of these globs that have changed since."""
    changed = [path for path, stamp in stamps(globs).items() if before.get(path) != stamp]
    texts = (Path(path).read_text(encoding="utf-8", errors="replace") for path in changed)
    return tuple(found for text in texts for found in failed_in_junit(text))[:FAILURES_MAX]


def stamps(globs: Sequence[str]) -> dict[str, Stamp]:
    """The files of these globs, with what changes when one is written."""
    found = sorted({path for pattern in globs for path in glob(pattern, recursive=True)})  # noqa: PTH207 - a pattern may be absolute
    stats = ((path, Path(path).stat()) for path in found)
    return {path: (stat.st_mtime_ns, stat.st_size) for path, stat in stats}


def failed_in_junit(text: str) -> tuple[FailedTest, ...]:
    """The tests that failed by a JUnit file; none where it is not one."""
    try:
        root = ET.fromstring(text)  # noqa: S314 - a file of the user's own test run
    except ET.ParseError:
        return ()
    return _distinct(
        (_junit_name(case.attrib), part.get("message") or part.text or "")
        for case in root.iter("testcase")
        for part in case
        if part.tag in ("failure", "error")
    )


def _junit_name(attributes: Mapping[str, str]) -> str:
    group, name = attributes.get("classname", ""), attributes.get("name", "")
    # Some runners repeat the name as the class, or the class in the name.
    return name if not group or name.startswith(group) or group == "test" else f"{group} > {name}"


def failures_text(failures: Sequence[FailedTest], length_max: int) -> str:
    """The names of the first failed tests, and what was wrong with the first one; empty where there is none."""
    names = ", ".join(failed.name for failed in failures[:_NAMES_MAX])[:length_max]
    more = ", …" if len(failures) > _NAMES_MAX else ""
    message = f": {failures[0].message}"[:length_max] if failures and failures[0].message else ""
    return f"{names}{more}{message}"


def _distinct(found: Iterable[tuple[str, str]]) -> tuple[FailedTest, ...]:
    """One for each name, with the first message that there is."""
    by_name: dict[str, str] = {}
    for name, message in found:
        first = next((line.strip() for line in message.splitlines() if line.strip()), "")
        by_name[name[:_TEXT_MAX]] = by_name.get(name[:_TEXT_MAX]) or first[:_TEXT_MAX]
        if len(by_name) == FAILURES_MAX:
            break
    return tuple(FailedTest(name, message) for name, message in by_name.items())


def _next_text(lines: Lines, at: int) -> str:
    """The first line from `at` on that is not empty."""
    return next((line.strip() for line in lines[at:] if line.strip()), "")


def _following(pattern: str, message: Callable[[Lines, int], str] = _next_text) -> Reader:
    """Reads lines with a test's name, below which the message stands."""
    compiled = re.compile(pattern)

    def read(lines: Lines) -> Iterator[tuple[str, str]]:
        for at, line in enumerate(lines):
            if match := compiled.fullmatch(line):
                yield match[1], message(lines, at + 1)

    return read


_PYTEST = re.compile(r"(?:FAILED|ERROR) (\S+::.+?)(?: - (.*))?")


_PYTEST_HEAD = re.compile(r"_{3,} (?:ERROR at (?:setup|teardown) of )?(.+?) _{3,}")


def _pytest(lines: Lines) -> Iterator[tuple[str, str]]:
    """Pytest's summary. It cuts a message, or leaves it out, by the width of a terminal; the test's own part has the whole."""
    heads = {match[1]: at for at, line in enumerate(lines) if (match := _PYTEST_HEAD.fullmatch(line))}
    for match in filter(None, map(_PYTEST.fullmatch, lines)):
        start = heads.get(match[1].partition("::")[2].replace("::", "."), len(lines))
        part = takewhile(lambda line: not _PYTEST_HEAD.fullmatch(line), lines[start + 1 :])
        yield match[1], next((line[1:] for line in part if line.startswith("E  ")), match[2] or "")


def _unittest_message(lines: Lines, at: int) -> str:
    """The last line of a traceback that is not indented, before the rule or the blank line at its end."""
    until_blank = [*takewhile(lambda line: line and not line.startswith("====="), lines[at:])]
    return next((line for line in reversed(until_blank) if re.match(r"\w[\w.]*(:|$)", line)), "")


_TAP = re.compile(r"\s*not ok \d+ - (.+?)(?: # .*)?")
_TAP_ERROR = re.compile(r"\s*error: (?:'(.*)'|\"(.*)\"|\|-)")


def _tap(lines: Lines) -> Iterator[tuple[str, str]]:
    """node:test where it prints TAP. A suite fails with its tests, and is not one."""
    for at, line in enumerate(lines):
        if not (match := _TAP.fullmatch(line)):
            continue
        block = [*takewhile(lambda each: each.strip() != "...", lines[at + 1 : at + 40])]
        if any("failureType: 'subtestsFailed'" in each for each in block):
            continue
        message = ""
        for place, each in enumerate(block):
            if found := _TAP_ERROR.fullmatch(each):
                message = found[1] or found[2] or _next_text(block, place + 1)
                break
        yield match[1], message


_SPEC = re.compile(r"\s*✖ (.+?) \([\d.]+m?s\)")


def _spec(lines: Lines) -> Iterator[tuple[str, str]]:
    """node:test's list of failing tests, without the tree above it."""
    start = next((at for at, line in enumerate(lines) if line.strip() == "✖ failing tests:"), len(lines))
    for at in range(start, len(lines)):
        match = _SPEC.fullmatch(lines[at])
        if match and not re.match(r"'?\d+ subtests? failed", _next_text(lines, at + 1)):
            yield match[1], _next_text(lines, at + 1)


_MOCHA_TITLE = re.compile(r"\s+\d+\) (.*?)(:?)")


def _mocha(lines: Lines) -> Iterator[tuple[str, str]]:
    """Mocha's list of failures: a title may stand in several lines, one for each suite, and ends with a colon."""
    start = next((at for at, line in enumerate(lines) if re.fullmatch(r"\s+\d+ failing", line)), len(lines))
    at = start
    while at < len(lines):
        match = _MOCHA_TITLE.fullmatch(lines[at])
        at += 1
        if match is None:
            continue
        title, is_whole = [match[1]], bool(match[2])
        while not is_whole and at < len(lines) and lines[at].strip():
            part = lines[at].strip()
            title, is_whole = [*title, part.removesuffix(":")], part.endswith(":")
            at += 1
        if is_whole:
            yield " > ".join(title), _next_text(lines, at)


_GO = re.compile(r"\s*--- FAIL: (\S+) \(.*\)")
_GO_MESSAGE = re.compile(r"\s+\S+\.go:\d+: (.*)")


def _go(lines: Lines) -> Iterator[tuple[str, str]]:
    """Go's tests. What a test says stands below its line, or above it with `-v`; a test of subtests fails with them."""
    found = {match[1]: at for at, line in enumerate(lines) if (match := _GO.fullmatch(line))}
    for name, at in found.items():
        if any(other.startswith(f"{name}/") for other in found):
            continue
        below = takewhile(lambda line: line.startswith(" ") and not _GO.fullmatch(line), lines[at + 1 :])
        above = takewhile(lambda line: not line.lstrip().startswith("=== "), reversed(lines[:at]))
        # A log stands above the failure and looks like it, so it is the last line that counts.
        messages = (
            match[1] for part in (reversed([*below]), above) for line in part if (match := _GO_MESSAGE.fullmatch(line))
        )
        yield name, next(messages, "")


_CARGO = re.compile(r"test (\S+)(?: - .+)? \.\.\. FAILED")


def _cargo(lines: Lines) -> Iterator[tuple[str, str]]:
    """Cargo's tests: the message stands below `panicked at`, or in older versions in quotes in that line."""
    heads = {line: at for at, line in enumerate(lines) if line.startswith("---- ")}
    for match in filter(None, map(_CARGO.fullmatch, lines)):
        at = heads.get(f"---- {match[1]} stdout ----", len(lines))
        for place in range(at + 1, min(at + 20, len(lines))):
            if "panicked at" in lines[place]:
                quoted = re.search(r"panicked at '(.*)', \S+:\d+:\d+$", lines[place])
                yield match[1], quoted[1] if quoted else _next_text(lines, place + 1)
                break
        else:
            yield match[1], ""


_READERS: tuple[Reader, ...] = (
    _pytest,
    _following(r"(?:FAIL|ERROR): (\w+ \(.+\))", _unittest_message),
    _tap,
    _spec,
    _following(r"\s*FAIL\s+(\S+ > .+?)(?: \d+m?s)?"),  # Vitest
    _following(r"  ● (?!Console)(.+)"),  # Jest
    _following(r"\s+\d+\) ((?:\[.+?\] \u203a )?\S+:\d+:\d+ \u203a .+?)(?: ─+)?"),  # Playwright
    _mocha,
    _go,
    _cargo,
)
