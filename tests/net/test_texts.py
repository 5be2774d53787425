"""Errors say what they said, at the place where they said it. What is wanted otherwise is listed: see `texts`."""

from __future__ import annotations

from pathlib import Path

from tests.net.texts import commands, differences, scenarios, validated

_SHOWN = 15


def _told(found: list[str]) -> str:
    return "\n".join([f"{len(found)} lines, the first (all: python -m tests.net texts):", *found[:_SHOWN]])


def test_a_wrong_scenario_is_refused_with_the_same_words_at_the_same_place(tmp_path: Path) -> None:
    cases = list(scenarios())
    found = differences([said for _, said in cases], validated([files for files, _ in cases], tmp_path))
    assert not found, _told(found)


def test_a_wrong_command_is_refused_with_the_same_words_about_the_same_field() -> None:
    found = differences(*commands())
    assert not found, _told(found)
