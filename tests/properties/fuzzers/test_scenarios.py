"""Properties of scenarios: written down and read again they are the same, and nothing but a right one gets through."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from mockrelay.core.world import digest_all
from mockrelay.scenario import Scenario, ScenarioError, flat, flat_text, load, load_text, scenario_text, shipped
from mockrelay.scenario.editor import editor_schema
from mockrelay.scenario.yaml import LOADER, parse, plain_value
from tests.properties.effort import effort
from tests.properties.fuzzers.scenario_documents import Document, documents, names, plain_values
from tests.support.worlds import START_MS

PARSERS = [LOADER, yaml.SafeLoader]


@cache
def editors() -> Draft202012Validator:
    """What an editor checks with."""
    return Draft202012Validator(editor_schema())


def same_world(first: Scenario, second: Scenario) -> bool:
    worlds = [scenario.world(START_MS) for scenario in (first, second)]
    return first == second and digest_all(worlds[0]) == digest_all(worlds[1])


@effort(max_examples=60)
@given(documents)
def test_any_scenario_written_down_and_read_again_is_the_same_world(document: Document) -> None:
    first = load_text(scenario_text(document))
    whole = flat_text(scenario_text(document))
    text = scenario_text(whole)
    assert same_world(first, load_text(text))
    assert flat_text(text) == whole
    assert list(whole)[:2] == ["format", "name"]
    assert "extends" not in whole


@effort(max_examples=25)
@given(documents)
def test_the_schema_for_editors_takes_whatever_the_loader_takes(document: Document) -> None:
    for values in (document, flat_text(scenario_text(document))):
        assert [error.message for error in editors().iter_errors(values)] == []


@pytest.mark.parametrize("name", shipped())
def test_a_shipped_scenario_written_down_is_the_same_world(name: str) -> None:
    whole = flat(name)
    text = scenario_text(whole)
    assert same_world(load(name), load_text(text))
    assert flat_text(text) == whole == yaml.safe_load(text)
    assert list(editors().iter_errors(whole)) == []


@effort(max_examples=100)
@given(st.dictionaries(names | st.text(), plain_values, max_size=4))
def test_whatever_is_written_down_every_reader_of_yaml_reads_as_it_was(values: dict[str, Any]) -> None:
    text = scenario_text(values)
    for parser in PARSERS:
        assert plain_value(parse(text, "w.yaml", parser)) == values
        assert yaml.load(text, parser) == values
    assert scenario_text(plain_value(parse(text, "w.yaml"))) == text


# ---- Only ScenarioError comes out.


def takes(text: str) -> bool:
    """Whether the text is a scenario; if so, a world starts from it."""
    try:
        scenario = load_text(text)
    except ScenarioError:
        return False
    scenario.world(START_MS)
    return True


@effort(max_examples=60)
@given(st.text() | st.text(alphabet="format: 1extnds[]{}\"'\n -&*!|>%@`,?\t#\ud800\x00"))
def test_any_text_is_a_scenario_or_refused(text: str) -> None:
    takes(text)
    takes(f"format: 1\nextends: default\n{text}")


@effort(max_examples=60)
@given(st.binary() | st.text().map(lambda text: f"format: 1\nextends: {text}".encode("utf-16-le", "surrogatepass")))
def test_any_bytes_are_a_scenario_or_refused(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_bytes(raw)
    with pytest.raises(ScenarioError):
        load(path)


@st.composite
def documents_with_one_change(draw: st.DrawFn) -> Document:
    """A right scenario in which one value or key is something else."""
    document: Document = draw(documents | st.sampled_from(shipped()).map(flat))
    value: Any = document
    while True:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        key = draw(st.sampled_from(keys))
        inner = value[key]
        if not isinstance(inner, (dict, list)) or not inner or draw(st.integers(0, 3)) == 0:
            break
        value = inner
    match draw(st.sampled_from(["value", "gone", "more"])):
        case "value":
            value[key] = draw(plain_values | _odd_values)
        case "gone":
            del value[key]
        case _ if isinstance(value, dict):
            value[draw(names)] = draw(plain_values)
        case _:
            value.append(draw(plain_values | st.just(inner)))
    return document


_odd_values: st.SearchStrategy[Any] = st.sampled_from(
    ["0", "1", "house", "alice", "none", "off", "hand", "failed", "0s", "999999999999999d", "9" * 78, "1" * 5000]
) | st.sampled_from([0, -1, 2**32 - 1, 2**32, 2**53 - 1, True, [], {}, ""])


@effort(max_examples=100)
@given(documents_with_one_change())
def test_a_scenario_with_one_thing_wrong_is_refused_or_still_right(document: Document) -> None:
    takes(scenario_text(document))
