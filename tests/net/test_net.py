"""Stored traffic and texts: what is sent is answered as it was. How a difference is dealt with: see `traffic` and `texts`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.net import texts
from tests.net.replaying import differences, replay
from tests.net.traffic import case_of, lines

_CASES = lines()
_SHOWN = 10


def _assert_none(found: list[str]) -> None:
    assert not found, "\n".join([f"{len(found)} differences, the first (all: see `tests.net`):", *found[:_SHOWN]])


@pytest.mark.slow
@pytest.mark.parametrize("name", _CASES)
def test_stored_traffic_is_answered_as_it_was(name: str) -> None:
    case = case_of(_CASES[name])
    _assert_none([str(difference) for difference in differences(case, replay(case))])


@pytest.mark.slow
def test_a_wrong_scenario_is_refused_with_the_same_words_at_the_same_place(tmp_path: Path) -> None:
    cases = list(texts.scenarios())
    said = texts.validated([files for files, _ in cases], tmp_path)
    _assert_none(texts.differences([said for _, said in cases], said))


@pytest.mark.slow
def test_a_wrong_command_is_refused_with_the_same_words_about_the_same_field() -> None:
    _assert_none(texts.differences(*texts.commands()))
