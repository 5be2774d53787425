"""Scenarios as texts: laid over the default one, loaded into a relay, or refused."""

from __future__ import annotations

from typing import Any

import pytest

from mockrelay.clock import Clock
from mockrelay.relay import Relay
from mockrelay.scenario import ScenarioError, load_text
from tests.support.worlds import START_MS

HEAD = "format: 1\nextends: default\n"


def relay_of(text: str, start_ms: int = START_MS, **options: Any) -> Relay:
    """A relay of a scenario laid over the default one, without limits, its clock frozen at the start."""
    return Relay(load_text(HEAD + text, "w.yaml"), limits_on=False, clock=Clock.frozen(start_ms), **options)


def refusal(text: str) -> str:
    """What is said of a wrong scenario."""
    with pytest.raises(ScenarioError) as caught:
        load_text(text, "w.yaml")
    return str(caught.value)


def marked(text: str) -> tuple[str, str]:
    """A text without the mark ^, and the line and column that the mark stands at."""
    before, mark, after = text.partition("^")
    assert mark
    return before + after, f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"
