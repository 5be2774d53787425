"""The same bytes are answered the same, whoever serves and whichever parser aiohttp has."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest

from tests.support.processes import ROOT, environment
from tests.web.cases import CASES, PYTHON_PARSER, WAYS, Answers, answers

Found = Mapping[tuple[str, str], Answers]
"""By parser and way."""


@pytest.fixture(scope="module")
def found() -> Found:
    here = {("as installed", way): answers(way) for way in WAYS}
    done = subprocess.run(
        [sys.executable, "-m", "tests.web.cases"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment({"AIOHTTP_NO_EXTENSIONS": "1"}),
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return here | {("Python", way): by_case for way, by_case in json.loads(done.stdout).items()}


def statuses(answered: list[Any]) -> tuple[int, ...]:
    return tuple(status for status, *_ in answered)


def alike(answered: list[Any]) -> str:
    """Answers without their numbers, and without what parsers call a mistake."""
    texts = [[status, headers, body] if status != 400 else [400, sorted(headers)] for status, headers, body in answered]
    return re.sub(r'"s\d+"', '"s"', json.dumps(texts))


@pytest.mark.parametrize("name", CASES)
def test_each_is_answered_the_same(found: Found, name: str) -> None:
    for (parser, way), by_case in found.items():
        expected = CASES[name].statuses
        if parser == "Python" and name in PYTHON_PARSER:
            expected = PYTHON_PARSER[name][0]
        assert statuses(by_case[name]) == expected, (parser, way)
        assert by_case[name] == found[parser, "serve"][name]
        if name not in PYTHON_PARSER:
            assert alike(by_case[name]) == alike(found["as installed", way][name])


def test_a_trailer_is_no_header_of_what_comes_behind(found: Found) -> None:
    """Of the next request, whose headers a fake relay sends back."""
    for by_case in found.values():
        behind = json.loads(by_case["chunks and a trailer"][1][2])
        assert behind["headers"] == {"host": "localhost", "connection": "close"}


def test_there_are_enough_of_them() -> None:
    assert len(CASES) >= 125
    assert set(PYTHON_PARSER) <= set(CASES)
