"""Traps of YAML: each is refused with its place, what was found and what was meant, by either of PyYAML's parsers."""

from __future__ import annotations

import gc
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from mockrelay.scenario import ScenarioError, load_text, loader
from mockrelay.scenario.yaml import Node, parse, plain_value
from tests.scenario.texts import HEAD

PARSERS = [pytest.param(yaml.SafeLoader, id="python")]
if hasattr(yaml, "CSafeLoader"):
    PARSERS.append(pytest.param(yaml.CSafeLoader, id="c"))

both_parsers = pytest.mark.parametrize("parser", PARSERS)

UNQUOTED = [
    ("0x1f", "a number in base 16"),
    ("0xbbbbca6a901c926f240b89eacb641d8aec7aeafd", "a number in base 16"),
    ("0b101", "a number in base 2"),
    ("010", "a number in base 8"),
    ("0o17", "a number in base 8"),
    ("1e18", "a number with an exponent"),
    ("2.5E+3", "a number with an exponent"),
    ("1.25e1", "a number with an exponent"),
    ("1e-3", "a number with an exponent"),
    ("1.5", "a number with a fraction"),
    (".5", "a number with a fraction"),
    (".inf", "no number at all"),
    (".NaN", "no number at all"),
    ("12:30", "a number in base 60"),
    ("1:30:00", "a number in base 60"),
    ("2026-01-01", "a date"),
    ("2026-01-01T00:00:00Z", "a date"),
    ("2026-01-01 00:00:00", "a date"),
    ("1_000", "a number in an odd spelling"),
    ("+5", "a number in an odd spelling"),
    ("9007199254740992", "a number that not every reader holds exactly"),
]

LONG = "x" * 70_000
"""More than a parser reads at once."""
MEANT = {"1e18": "1000000000000000000", "2.5E+3": "2500", "2026-01-01": "2026-01-01T00:00:00Z"}
"""What else than the word itself is meant."""


def refusal(text: str, parser: Any) -> str:
    with pytest.raises(ScenarioError) as caught:
        parse(text, "w.yaml", parser)
    return str(caught.value)


@both_parsers
@pytest.mark.parametrize(("word", "what"), UNQUOTED)
def test_a_word_that_yaml_takes_for_something_else_must_stand_in_quotes(word: str, what: str, parser: Any) -> None:
    """Amounts with an exponent are meant as digits, and days as moments."""
    message = f'found {word} without quotes, which YAML takes for {what}; meant "{MEANT.get(word, word)}"'
    assert refusal(f"a: 1\nb:\n  - {word}\n", parser) == f"w.yaml:3:5: {message}"
    assert refusal(f"b: {{{word}: 1}}\n".replace("::", ":"), parser).startswith("w.yaml:1:5: found ")


@both_parsers
@pytest.mark.parametrize(("word", "_"), UNQUOTED)
def test_in_quotes_any_word_is_read_as_it_is_written(word: str, _: str, parser: Any) -> None:
    assert parse(f"'{word}'", "w.yaml", parser).value == word
    assert parse(f'"{word}"', "w.yaml", parser).value == word


@both_parsers
@pytest.mark.parametrize(
    ("written", "value"),
    [
        *[
            (word, word)
            for word in ("on", "off", "yes", "no", "On", "NO", "y", "n", "True", "15s", "250ms", "1inch", "LRC-ETH")
        ],
        ("true", True),
        ("false", False),
        ("0", 0),
        ("-7", -7),
        ("9007199254740991", 2**53 - 1),
        ("", None),
        ("~", None),
        ("null", None),
        ("'true'", "true"),
        ("''", ""),
        ('"\\u00e9"', "\u00e9"),
    ],
)
def test_other_words_are_what_they_look_like(written: str, value: object, parser: Any) -> None:
    found = parse(f"- {written}\n", "w.yaml", parser).value
    assert isinstance(found, list)
    assert found[0].value == value
    assert type(found[0].value) is type(value)


@both_parsers
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: {c: 1,\n  c: 2}\n", "w.yaml:3:3: found the key 'c' again (first in line 2); meant each key once"),
        ("a: 1\n'a': 2\n", "w.yaml:2:1: found the key 'a' again (first in line 1); meant each key once"),
        ("1: a\n", "w.yaml:1:1: found the number 1 as a key; meant a name, in quotes if need be"),
        ("? [a]\n: b\n", "w.yaml:1:3: found a list as a key; meant a name, in quotes if need be"),
        ("true: a\n", "w.yaml:1:1: found true as a key; meant a name, in quotes if need be"),
        ("a: &x [1]\n", "w.yaml:1:4: found &x; meant the value itself: a scenario has no anchors"),
        ("a:\n- *x\n", "w.yaml:2:3: found *x; meant the value itself: a scenario has no anchors"),
        ("a: !secret b\n", "w.yaml:1:4: found the tag !secret; meant the value without a tag"),
        ("a: !!str 5\n", "w.yaml:1:4: found the tag tag:yaml.org,2002:str; meant the value without a tag"),
        ("\u00e9: ! '5'\n", "w.yaml:1:4: found the tag !; meant the value without a tag"),
        ("! a: 5\n", "w.yaml:1:1: found the tag !; meant the value without a tag"),
        ("a: ! [1]\n", "w.yaml:1:4: found the tag !; meant the value without a tag"),
        ("a: 1\n---\nb: 1\n", "w.yaml:2:1: found a second document; meant one scenario a file"),
        (
            "a: !!python/object/apply:os.system [x]\n",
            "w.yaml:1:4: found the tag tag:yaml.org,2002:python/object/apply:os.system; meant the value without a tag",
        ),
        ("# a\n", "w.yaml:1:1: found nothing; meant a scenario, which starts with `format: 1`"),
        ("", "w.yaml:1:1: found nothing; meant a scenario, which starts with `format: 1`"),
        ("a: b\nc: \x07\n", "w.yaml:2:4: found a character that YAML does not allow; meant printable text"),
        ("a: " + "[" * 40, "w.yaml:1:35: found values nested more than 32 deep; meant a scenario"),
    ],
)
def test_other_traps(text: str, message: str, parser: Any) -> None:
    assert refusal(text, parser) == message
    assert refusal(f"{text}\n# {LONG}", parser) == message, "the same where the text is read in pieces"


@both_parsers
def test_a_text_of_several_pieces_is_read_as_a_whole(parser: Any) -> None:
    text = f"# {LONG}\na: '{LONG}'\n\u00e9: [{LONG}, 5]  # {LONG}\nb: |\n  {LONG}\n"
    assert plain_value(parse(text, "w.yaml", parser)) == {"a": LONG, "\u00e9": [LONG, 5], "b": f"{LONG}\n"}
    assert refusal(f"{text}b: 1\n", parser).startswith("w.yaml:6:1: found the key 'b' again (first in line 4); ")
    assert refusal(f"{text}c: \ud800\n", parser).startswith("w.yaml:6:4: found ")


@both_parsers
def test_a_text_may_have_a_bounded_number_of_values_which_lists_and_maps_are_too(parser: Any) -> None:
    text = "a: 1\nb:\n  - [x]\n"
    assert plain_value(parse(text, "w.yaml", parser, values_max=5)) == {"a": 1, "b": [["x"]]}
    with pytest.raises(ScenarioError) as caught:
        parse(text, "w.yaml", parser, values_max=4)
    meant = "fewer, or a file that the server is started with"
    assert str(caught.value) == f"w.yaml:3:6: found more than 4 values; meant {meant}"


@both_parsers
def test_of_a_long_word_the_start_says_whether_it_is_a_number(parser: Any) -> None:
    assert refusal(f"a: {'1' * 100_000}\n", parser).startswith("w.yaml:1:4: found " + "1" * 60 + " without quotes, ")
    word = "1" * 900 + "x" * 70_000
    assert plain_value(parse(f"a: {word}\n", "w.yaml", parser)) == {"a": word}


@both_parsers
@pytest.mark.parametrize("text", ["a: !{} b\n", "a: &{} b\n", "a: *{}\n", "a: !{}!b c\n", "a: {}\n{}: 1\n{}: 1\n"])
def test_an_error_repeats_at_most_200_characters(text: str, parser: Any) -> None:
    assert "x" * 201 not in refusal(text.replace("{}", "x" * 500), parser)


@pytest.mark.parametrize("text", ["name: marked", "unknown: marked"], ids=["right", "wrong"])
def test_no_node_of_a_read_scenario_is_left_when_the_collector_is_on_again(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would walk through them all, and nobody could do anything meanwhile."""
    left: list[list[Node]] = []

    def enable() -> None:
        left.append([each for each in gc.get_objects() if type(each) is Node and each.value == "marked"])

    monkeypatch.setattr(loader, "gc", SimpleNamespace(isenabled=lambda: True, disable=gc.disable, enable=enable))
    try:
        with suppress(ScenarioError):
            load_text(f"{HEAD}{text}\n")
    finally:
        gc.enable()
    assert left == [[]]


@both_parsers
def test_an_alias_bomb_is_refused_at_its_first_anchor(parser: Any) -> None:
    layers = "".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]\n" for n in range(1, 10))
    assert refusal("l0: &l0 [x]\n" + layers, parser).startswith("w.yaml:1:5: found &l0; ")


@both_parsers
def test_broken_yaml_is_refused_at_its_place(parser: Any) -> None:
    assert refusal("a: [1\nb: 2\n", parser).startswith("w.yaml:2:2: found broken YAML: ")
    assert refusal("a: \ud800\n", parser).startswith("w.yaml:1:4: found ")


@both_parsers
def test_a_tab_is_no_indentation(parser: Any) -> None:
    message = "w.yaml:2:1: found a tab; meant blanks: YAML takes nothing else at the start of a line"
    assert refusal("a:\n\t- b\n", parser) == message


@both_parsers
def test_half_a_surrogate_pair_is_no_text(parser: Any) -> None:
    assert refusal('a: "\\ud83d\\ude00"\n', parser).startswith("w.yaml:1:")


@both_parsers
def test_an_exclamation_mark_elsewhere_is_no_tag(parser: Any) -> None:
    text = "\ufeffa: '!'  # !\nb: c!\nd: \"\U0001f600!\"\ne: [x!]\nf:"
    assert plain_value(parse(text, "w.yaml", parser)) == {
        "a": "!",
        "b": "c!",
        "d": "\U0001f600!",
        "e": ["x!"],
        "f": None,
    }


@both_parsers
def test_values_and_keys_know_their_places(parser: Any) -> None:
    document = parse("a: 1\nb:\n  - c: 'x'\n", "w.yaml", parser)
    assert isinstance(document.value, dict)
    listed = document.value["b"]
    assert (listed.key_line, listed.key_column, listed.line, listed.column) == (2, 1, 3, 3)
    assert isinstance(listed.value, list)
    assert isinstance(listed.value[0].value, dict)
    inner = listed.value[0].value["c"]
    assert (inner.key_line, inner.key_column, inner.line, inner.column) == (3, 5, 3, 8)
