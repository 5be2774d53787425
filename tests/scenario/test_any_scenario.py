"""Scenarios that are nearly right: each is loaded or refused with a place and what was meant, and what is loaded answers."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockrelay._files import data_root
from mockrelay.clock import Clock
from mockrelay.control import handle_control
from mockrelay.relay import Relay
from mockrelay.scenario import ScenarioError, load_text, text_of
from mockrelay.scenario.loader import shipped
from tests.conformance.transcript import ROWS
from tests.properties.effort import effort
from tests.support.answer_shapes import is_misuse
from tests.support.calls import call, valid_request
from tests.support.client import control

SHIPPED = [data_root().joinpath("scenarios", f"{name}.yaml").read_text(encoding="utf-8") for name in shipped()]
SCALAR = re.compile(r'(?<=[:,\[{] )("[^"\n]*"|[\w.-]+)(?=[,\]}\n])')
SCALARS = (
    *("0", "-1", "9007199254740991", "9007199254740992", "4294967295", '"0"', '"1"', f'"{"9" * 78}"', f'"{"9" * 77}"'),
    *('""', "~", "true", "[]", "{}", "[[]]", "{a: 1}", '"\\ud800"', '"\\0"', '"x"', "hand", "0s", "1ms", "off", "on"),
    *("999999999999999d", "{blocks: 4294967295}", "{polls: 4294967295}", "LRC-ETH", "ETH", "alice", "failed", "&a"),
    "*a",
    *(f'"0x{"0" * 40}"', f'"0x{"f" * 64}"', '"9999-12-31T23:59:59Z"', '"1970-01-01T00:00:00Z"'),
    '"0001-01-01T00:00:00Z"',
)
FRAGMENTS = (
    *("\n", "  ", "- ", ": ", "{", "}", "[", "]", '"', "'", "0x", "1e5", "!!x", "|", "> ", "%YAML 1.1\n", "---\n"),
    "...\n",
    *("# ", "?", "\t", "\ud800", "\0", "\u2028", "\u00e9", "\ufeff", "-1", "<<: ", "format: 1\n", "extends: default\n"),
)
LOOKS = ("GET", "state"), ("GET", "requests"), ("GET", "dump"), ("GET", "problems"), ("POST", "reset")


@st.composite
def malformed_texts(draw: st.DrawFn) -> str:
    """A shipped scenario with a few changes, most of them to single values."""
    text = draw(st.sampled_from(SHIPPED))
    for _ in range(draw(st.integers(1, 3))):
        scalars = list(SCALAR.finditer(text))
        is_value = draw(st.integers(0, 2)) > 0
        if scalars and is_value:
            found = scalars[draw(st.integers(0, len(scalars) - 1))]
            text = text[: found.start()] + draw(st.sampled_from(SCALARS)) + text[found.end() :]
        else:
            at = draw(st.integers(0, len(text)))
            text = text[:at] + draw(st.sampled_from(FRAGMENTS)) + text[at + draw(st.integers(0, 5)) :]
    return text


@pytest.mark.slow
@effort(max_examples=80)
@given(text=malformed_texts(), nth=st.integers(0, 3))
def test_any_scenario_is_loaded_or_refused_and_what_is_loaded_answers(text: str, nth: int) -> None:
    try:
        scenario = load_text(text)
    except ScenarioError:
        return
    whole = text_of(scenario)
    assert text_of(load_text(whole, scenario.name)) == whole
    if nth == 0:
        _answers(Relay(scenario, clock=Clock.frozen(), limits_on=False))


def _answers(relay: Relay) -> None:
    """All endpoints answer, also a day and a hundred years later, and everything can be looked at and brought back."""
    for span in ("1d", "36500d"):
        for row in ROWS:
            call(relay, valid_request(row.name))
        assert control(relay, "POST", "blocks/seal", {"count": 2**32 - 1}).status == 200
        control(relay, "POST", "clock", {"advance": span})
    for method, path in LOOKS:
        assert not is_misuse(handle_control(relay, method, path, (), b""))


@effort(max_examples=60)
@given(text=st.text(max_size=80) | st.sampled_from(SHIPPED).flatmap(lambda text: st.just(text[: len(text) // 2])))
def test_any_text_through_the_control_api_is_refused_in_shape_and_the_world_stays(text: str) -> None:
    relay = RELAY
    before = handle_control(relay, "GET", "state", (), b"").body
    answer = control(relay, "POST", "reset", {"scenarioText": text})
    if answer.status != 200:
        assert set(answer.json) == {"error", "field", "meant"}
        assert handle_control(relay, "GET", "state", (), b"").body == before


RELAY = Relay.from_scenario("default", clock=Clock.frozen())
