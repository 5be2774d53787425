from __future__ import annotations

from typing import Any

import pytest

from mockrelay.wire.compile import _Writer, checker, python_pattern
from mockrelay.wire.schemas import Place


def write(schema: dict[str, Any]) -> None:
    _Writer(()).schema(Place(schema, "mockrelay:test.json"), "value", 1, None)


@pytest.mark.parametrize(
    ("schema", "complaint"),
    [
        ({"type": "string", "format": "date"}, "test.json: the keyword format is not compiled"),
        ({"type": ["string", "null"]}, "type .* is not compiled"),
        ({"type": "null"}, "type null is not compiled"),
        ({"pattern": "^a$"}, "pattern without a type"),
        ({"type": "string", "minimum": 1}, "minimum without a type"),
        ({"type": "boolean", "enum": [True]}, "enum without a type"),
        ({"type": "array", "prefixItems": [{"type": "string"}]}, "prefixItems only where the length is theirs"),
        ({"type": "object", "properties": {"a": {"uniqueItems": True}}}, "uniqueItems without a type"),
        ({"type": "object", "patternProperties": {}}, "patternProperties is not compiled"),
        ({"anyOf": [{"type": "string"}, {"minLength": 1}]}, "a branch of anyOf without a type"),
        ({"anyOf": [{"type": "integer"}, {"type": "number"}]}, "one type to a union"),
        ({"anyOf": [{"type": "string"}, {"type": "string", "const": "a"}]}, "no key tells apart"),
        ({"anyOf": [{"type": "object"}, {"type": "object", "required": ["a"]}]}, "no key tells apart"),
        ({"type": "string", "anyOf": [{"type": "string"}]}, "anyOf of types beside a type"),
        ({"type": "object", "oneOf": [{"required": ["a", "b"]}]}, "may only require a key each"),
        ({"type": "object", "anyOf": [{"type": "object"}]}, "may only require a key each"),
        ({"type": "object", "if": {"required": ["a"]}}, "if and then come together"),
        ({"type": "object", "if": {"maxProperties": 1}, "then": {}}, "maxProperties is not compiled in a condition"),
        ({"type": "integer", "not": {"pattern": "a"}}, "not of a pattern, but of no string"),
    ],
)
def test_what_would_not_be_checked_does_not_compile(schema: dict[str, Any], complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint):
        write(schema)


def test_the_end_of_a_pattern_is_the_very_end() -> None:
    assert python_pattern("^a$").search("a")
    assert not python_pattern("^a$").search("a\n")
    assert python_pattern("^[$]\\$$").search("$$")


@pytest.mark.parametrize("pattern", ["^\\d+$", "\\bword", "a.c", "^\\w$", "\\S"])
def test_a_pattern_that_means_something_else_in_python_is_refused(pattern: str) -> None:
    with pytest.raises(AssertionError, match="outside our subset"):
        python_pattern(pattern)


@pytest.mark.parametrize("text", ["0", "7", "10", "1000000000000000000001", str(2**256 - 1)])
def test_an_amount_is_a_whole_number_of_at_most_256_bits(text: str) -> None:
    assert checker("mockrelay:objects/DigitString.json")(text)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "1e21",
        "1_000",
        "+5",
        "-1",
        " 7 ",
        "1.0",
        "07",
        "00",
        "\uff17",
        "\u00b2",
        "7\n",
        "9" * 79,
        7,
        7.0,
        True,
        None,
    ],
)
def test_nothing_else_is_an_amount(value: object) -> None:
    assert not checker("mockrelay:objects/DigitString.json")(value)


@pytest.mark.parametrize(
    ("nft_id", "fits"),
    [
        ("0x" + "0" + "1" * 63, True),
        ("0x" + "1" * 63, False),
        ("0x" + "1" * 65, False),
        ("0x" + "AB" * 32, True),
        ("1" * 64, False),
        ("0x" + "f" * 64, True),
        ("0X" + "f" * 64, False),
        ("0x" + "f" * 64 + "\n", False),
    ],
)
def test_an_nft_id_has_exactly_64_digits_in_either_case(nft_id: str, fits: bool) -> None:
    assert checker("mockrelay:objects/NftId.json")(nft_id) is fits


@pytest.mark.parametrize("value", [True, False, 1.0, "1", None, [1]])
def test_a_boolean_or_a_number_with_a_point_is_no_integer(value: object) -> None:
    assert not checker("mockrelay:objects/Count.json")(value)


def test_integers_of_answers_stay_within_what_every_reader_holds_but_for_fill_s() -> None:
    assert checker("mockrelay:objects/Count.json")(2**53 - 1)
    assert not checker("mockrelay:objects/Count.json")(2**53)
    assert checker("mockrelay:objects/FillS.json")(2**256)
    assert not checker("mockrelay:objects/FillS.json")("5")
    assert checker("mockrelay:objects/FillS.json", (("block.fill_s", "string"),))("5")
    assert not checker("mockrelay:objects/FillS.json", (("block.fill_s", "string"),))(5)


def test_a_check_is_compiled_once() -> None:
    assert checker("mockrelay:objects/Depth.json") is checker("mockrelay:objects/Depth.json")
