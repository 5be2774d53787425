"""`scenario_text`: plain values as a scenario, in quotes exactly where readers of YAML would differ."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from mockrelay.scenario import ScenarioError, flat, flat_text, load, load_text, scenario_text
from mockrelay.scenario.yaml import parse, plain_value
from tests.scenario.texts import HEAD


@pytest.mark.parametrize(
    "word",
    [
        *("on", "off", "yes", "no", "y", "N", "true", "False", "null", "NULL", "~", ""),
        *("0", "-7", "010", "0x1f", "0b1", "0o7", "1e18", "1.5", ".5", "12:30", "1_000", "+5", "2026-01-01", ".inf"),
        *("a b", "a: b", "#a", "- a", "?", "=", "<<", "[a", "{a", "&a", "*a", "!a", "%a", "@a", "`a", "'", '"', "a\\"),
        *(" a", "a ", "a\nb", "\t", "\r", "\x00", "\x7f", "\x85", "\xa0", "\u2028", "\ufeff", "\uffff", "---", "..."),
    ],
)
def test_what_some_reader_takes_for_something_else_stands_in_quotes(word: str) -> None:
    text = scenario_text({"a": word, "b": [word], word: "c"})
    assert text.startswith('a: "')
    assert plain_value(parse(text, "w.yaml")) == yaml.safe_load(text) == {"a": word, "b": [word], word: "c"}


@pytest.mark.parametrize("word", ["LRC-ETH", "15s", "250ms", "http.error_status", "_", "1inch", "x0", "split", "e5"])
def test_other_words_stand_as_they_are(word: str) -> None:
    assert scenario_text({"a": word}) == f"a: {word}\n"
    assert yaml.safe_load(f"a: {word}") == {"a": word}


def test_maps_and_lists_are_written_as_people_write_them() -> None:
    values = {
        "format": 1,
        "choices": {"http.error_status": "400"},
        "faults": [{"name": "lag once", "on": "submit_order", "when": {"accountId": 10001}, "code": 102014}],
        "accounts": [{"name": "alice", "frozen": True, "tags": None}],
        "timeline": [],
        "layer1": {"balances": {"alice": {}}},
    }
    assert scenario_text(values) == (
        "format: 1\n"
        'choices: {http.error_status: "400"}\n'
        "faults:\n"
        '  - {name: "lag once", "on": submit_order, when: {accountId: 10001}, code: 102014}\n'
        "accounts: [{name: alice, frozen: true, tags: null}]\n"
        "timeline: []\n"
        "layer1:\n"
        "  balances: {alice: {}}\n"
    )


def test_what_is_too_wide_for_a_line_takes_several() -> None:
    text = scenario_text({"a": [["b" * 60, "c" * 60], {"d": "e" * 60, "f": "g" * 60}]})
    assert text == f"a:\n  - - {'b' * 60}\n    - {'c' * 60}\n  - d: {'e' * 60}\n    f: {'g' * 60}\n"


def test_a_long_key_is_read_again() -> None:
    values = {"a" * 2000: {"b" * 2000: [{"\n" * 600: 1}]}}
    assert plain_value(parse(scenario_text(values), "w.yaml")) == values


def test_no_values_at_all_are_an_empty_map() -> None:
    assert scenario_text({}) == "{}\n"


@pytest.mark.parametrize("value", [1.5, 2**53, -(2**53), "\ud800", b"a", object()])
def test_what_no_scenario_can_hold_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="a scenario cannot hold"):
        scenario_text({"a": [value]})


@pytest.mark.parametrize("value", [2**53 - 1, -(2**53) + 1])
def test_whole_numbers_go_as_far_as_every_reader_holds_them(value: int) -> None:
    assert plain_value(parse(scenario_text({"a": value}), "w.yaml")) == {"a": value}


def test_a_failing_case_can_be_written_down() -> None:
    text = scenario_text(
        {
            "format": 1,
            "extends": "default",
            "choices": {"http.error_status": "400", "pending.shape": "object"},
            "faults": [{"on": "submit_order", "drop": True, "at": "after"}],
            "decisions": [{"key": "due.order", "nth": 2, "value": 1}],
        }
    )
    scenario = load_text(text)
    assert scenario.choices == {"http.error_status": "400", "pending.shape": "object"}
    assert len(scenario.faults) == 1


# ---- The whole of a scenario.


def test_the_whole_names_itself_and_extends_nothing() -> None:
    whole = flat_text(HEAD + "choices: {pending.shape: object}\n", "wallet")
    assert list(whole)[:2] == ["format", "name"]
    assert (whole["format"], whole["name"], whole["choices"]) == (1, "wallet", {"pending.shape": "object"})
    assert whole["tokens"] == flat("default")["tokens"]
    assert "extends" not in whole


def test_the_whole_of_a_file_holds_all_that_it_extends(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(HEAD + "name: base\naccounts: [{name: bob, frozen: true}]\n", encoding="utf-8")
    child = tmp_path / "child.yaml"
    child.write_text("format: 1\nextends: base.yaml\naccounts: [{name: dave, accountId: 4}]\n", encoding="utf-8")
    whole = flat(child)
    assert [account["name"] for account in whole["accounts"]] == ["alice", "bob", "carol", "dave"]
    assert whole["accounts"][1]["frozen"] is True
    assert load_text(scenario_text(whole)) == load(child)


def test_only_a_right_scenario_has_a_whole() -> None:
    with pytest.raises(ScenarioError, match="acounts"):
        flat_text(HEAD + "acounts: []\n")
