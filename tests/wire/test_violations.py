"""The first violation of a value: where, what was found, what was meant; and that three readers of a schema agree."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema.validators import extend

from mockrelay.core.errors import InvalidInput
from mockrelay.wire.schemas import Place, Schema
from mockrelay.wire.violations import RepeatedValue, check, first_violation
from tests.wire.generate import ODD

FILE = "mockrelay:test.json"
AMOUNT: Schema = {"type": "string", "pattern": "^(0|[1-9][0-9]*)$", "x-meant": "an amount, in quotes"}
SOME: Schema = {
    "allOf": [AMOUNT, {"not": {"const": "0"}, "x-found": {"not": "a zero amount"}, "x-meant": "an amount above zero"}]
}
COUNT: Schema = {"type": "integer", "minimum": 1, "maximum": 9}
TEXT: Schema = {"type": "string", "minLength": 1}
WORDS: Schema = {"type": "string", "enum": ["split", "400", "200"]}
MANY: Schema = {"type": "string", "enum": [f"word_{letter}" for letter in "abcdefghijklmn"]}
CLOSED: Schema = {
    "type": "object",
    "properties": {"side": {"type": "string", "enum": ["BUY", "SELL"]}, "size": AMOUNT, "note": TEXT},
    "required": ["side", "size"],
    "additionalProperties": False,
}
BY_NAME: Schema = {
    "type": "object",
    "propertyNames": {"type": "string", "pattern": "^[a-z]+$", "x-meant": "a small name"},
    "additionalProperties": AMOUNT,
    "maxProperties": 2,
}
WAIT: Schema = {
    "anyOf": [
        {"type": "string", "pattern": "^([0-9]+s|hand)$"},
        {"type": "object", "properties": {"blocks": COUNT}, "required": ["blocks"], "additionalProperties": False},
        {"type": "object", "properties": {"polls": COUNT}, "required": ["polls"], "additionalProperties": False},
    ],
    "x-meant": "15s or {blocks: n} or {polls: n} or hand",
}
LIMITS: Schema = {"anyOf": [{"type": "string", "const": "off"}, CLOSED], "x-meant": "off, or a map"}
LIMIT: Schema = {"anyOf": [{"type": "string", "const": "none"}, COUNT], "x-meant": "a number, or none"}
PRICED: Schema = {
    "type": "object",
    "properties": {"price": AMOUNT, "volume": AMOUNT},
    "oneOf": [{"required": ["price"]}, {"required": ["volume"]}],
}
NAMED: Schema = {
    "type": "object",
    "properties": {"hash": TEXT, "account": TEXT},
    "anyOf": [{"required": ["hash"]}, {"required": ["account"]}],
    "x-found": {"anyOf": "no order"},
    "allOf": [
        {"if": {"required": ["hash"]}, "then": {"properties": {"account": {"not": {}, "x-meant": "the hash alone"}}}}
    ],
}
CHOSEN: Schema = {
    "type": "object",
    "properties": {"key": TEXT, "value": {}},
    "allOf": [
        {
            "if": {"required": ["key"], "properties": {"key": {"const": "wait"}}},
            "then": {"required": ["value"], "properties": {"value": COUNT}},
        },
        {"if": {"not": {"required": ["key"]}}, "then": {"properties": {"value": TEXT}}},
    ],
}
LEVELS: Schema = {
    "type": "array",
    "items": COUNT,
    "minItems": 1,
    "uniqueItems": True,
    "x-found": {"minItems": "no level", "uniqueItems": "the level {} again"},
    "x-meant": {"minItems": "at least one", "uniqueItems": "each level once"},
}
VERBS: Schema = {
    "type": "object",
    "properties": {"seal": CLOSED, "wait": WAIT},
    "additionalProperties": False,
    "minProperties": 1,
    "maxProperties": 1,
    "x-found": {"additionalProperties": "the unknown verb {}", "minProperties": "nothing to do"},
    "x-meant": {"minProperties": "one verb", "maxProperties": "one verb"},
}
SCHEMAS = [AMOUNT, SOME, COUNT, WORDS, CLOSED, BY_NAME, WAIT, LIMITS, LIMIT, PRICED, NAMED, CHOSEN, LEVELS, VERBS]

RIGHT = {"side": "BUY", "size": "1"}
CASES: list[tuple[Schema, Any, str]] = [
    (AMOUNT, 5, ": found the number 5; meant an amount, in quotes"),
    (AMOUNT, "01", ": found '01'; meant an amount, in quotes"),
    (SOME, "01", ": found '01'; meant an amount, in quotes"),
    (SOME, "0", ": found a zero amount; meant an amount above zero"),
    ({**SOME, "x-meant": "money"}, "0", ": found a zero amount; meant money"),
    (COUNT, 10, ": found the number 10; meant a whole number from 1 to 9"),
    (COUNT, True, ": found true; meant a whole number from 1 to 9"),
    (COUNT, "5", ": found '5'; meant a whole number from 1 to 9, without quotes"),
    (COUNT, 1.0, ": found the number 1.0; meant a whole number from 1 to 9"),
    ({"type": "integer", "minimum": 3}, None, ": found nothing; meant a whole number from 3 on"),
    (TEXT, 5, ": found the number 5; meant a text, in quotes"),
    (TEXT, [], ": found a list; meant a text"),
    (TEXT, "", ": found an empty text; meant a text"),
    (WORDS, 400, ': found the number 400; meant one of split, "400", "200"'),
    (WORDS, "SPLIT", ": found 'SPLIT'; meant 'split'"),
    (WORDS, "spilt", ": found 'spilt'; meant one of split, \"400\", \"200\""),
    (MANY, "word_aa", ": found 'word_aa'; meant 'word_a'"),
    ({"type": "boolean", "const": True}, "yes", ": found 'yes'; meant true"),
    ({"type": "boolean"}, "yes", ": found 'yes'; meant true or false"),
    (CLOSED, [], ": found a list; meant a map"),
    (CLOSED, RIGHT | {"sise": "1"}, "sise at its key: found the unknown key 'sise'; meant 'size'"),
    (CLOSED, {"side": "BUY"}, "size: found no 'size'; meant size, which is required here"),
    (CLOSED, RIGHT | {"size": 1, "side": "buy"}, "side: found 'buy'; meant 'BUY'"),
    (BY_NAME, {"a": "1", "b": "x"}, "b: found 'x'; meant an amount, in quotes"),
    (BY_NAME, {"a": "1", "B": "1"}, "B at its key: found 'B'; meant a small name"),
    (BY_NAME, {"a": "1", "b": "1", "c": "1"}, ": found 'a' and 'b' and 'c'; meant nothing, since none are known here"),
    (WAIT, 15, ": found the number 15; meant 15s or {blocks: n} or {polls: n} or hand"),
    (WAIT, "15", ": found '15'; meant 15s or {blocks: n} or {polls: n} or hand"),
    (WAIT, {}, ": found a map of nothing; meant 15s or {blocks: n} or {polls: n} or hand"),
    (WAIT, {"polls": 1, "blocks": 1}, ": found a map of 'polls' and 'blocks'; meant 15s or {blocks: n} or {polls: n} or hand"),
    (WAIT, {"hand": 1}, ": found a map of 'hand'; meant 15s or {blocks: n} or {polls: n} or hand"),
    (WAIT, {"polls": 0}, "polls: found the number 0; meant a whole number from 1 to 9"),
    (LIMITS, "on", ": found 'on'; meant off, or a map"),
    (LIMITS, [], ": found a list; meant off, or a map"),
    (LIMITS, {"side": "BUY", "sise": "1"}, "sise at its key: found the unknown key 'sise'; meant 'size'"),
    (LIMIT, "many", ": found 'many'; meant a number, or none"),
    (LIMIT, "5", ": found '5'; meant a number, or none, without quotes"),
    (LIMIT, "50", ": found '50'; meant a number, or none"),
    (LIMIT, "\u00b2", ": found '\u00b2'; meant a number, or none"),
    ({"anyOf": [TEXT, COUNT]}, 0, ": found the number 0; meant a text, in quotes or a whole number from 1 to 9"),
    (PRICED, {}, ": found none of them; meant one of price, volume"),
    (PRICED, {"volume": "1", "price": "1"}, ": found 'price' and 'volume'; meant one of price, volume"),
    (PRICED, {"volume": 1}, "volume: found the number 1; meant an amount, in quotes"),
    (NAMED, {}, ": found no order; meant one of hash, account"),
    (NAMED, {"hash": "h", "account": "a"}, "account at its key: found 'account' beside 'hash'; meant the hash alone"),
    (CHOSEN, {"key": "wait", "value": 0}, "value: found the number 0; meant a whole number from 1 to 9"),
    (CHOSEN, {"key": "wait"}, "value: found no 'value'; meant value, which is required here"),
    (CHOSEN, {"value": 5}, "value: found the number 5; meant a text, in quotes"),
    (LEVELS, "1", ": found '1'; meant a list"),
    (LEVELS, [], ": found no level; meant at least one"),
    (LEVELS, [1, 0], "[1]: found the number 0; meant a whole number from 1 to 9"),
    (LEVELS, [1, 2, 1], "[2]: found the level 1 again; meant each level once"),
    (VERBS, {}, ": found nothing to do; meant one verb"),
    (VERBS, {"seal": RIGHT, "wait": "1s"}, ": found 'seal' and 'wait'; meant one verb"),
    (VERBS, {"sael": RIGHT}, "sael at its key: found the unknown verb 'sael'; meant 'seal'"),
    (VERBS, {"seal": RIGHT | {"note": ""}}, "seal.note: found an empty text; meant a text"),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "value", "message"), CASES)
def test_the_first_violation(schema: Schema, value: Any, message: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        check(Place(schema, FILE), value)
    wrong = refused.value
    mark = " at its key" if wrong.at_key else ""
    assert f"{wrong.field}{mark}: found {wrong.found}; meant {wrong.expected}" == message


def test_a_repeated_value_says_where_the_first_one_is() -> None:
    wrong = first_violation(Place({"type": "object", "properties": {"levels": LEVELS}}, FILE), {"levels": [2, 1, 2]})
    assert isinstance(wrong, RepeatedValue)
    assert (wrong.path, wrong.first) == (("levels", 2), ("levels", 0))
    assert (wrong.under("book", 1).path, wrong.under("book", 1).first) == (
        ("book", 1, "levels", 2),
        ("book", 1, "levels", 0),
    )


def test_what_stands_beside_a_ref_goes_before_what_it_points_at() -> None:
    inner = "mockrelay:objects/Address.json"
    with pytest.raises(InvalidInput, match=r"^found 5; meant the contract's address$"):
        check(Place({"$ref": inner, "x-found": {"type": "5"}, "x-meant": "the contract's address"}, FILE), 5)


def test_a_part_of_a_file_is_checked_by_its_pointer() -> None:
    check("mockrelay:requests/get_depth.json#/properties/level", 1)
    with pytest.raises(InvalidInput, match=r"^found 'x'; meant a whole number"):
        check("mockrelay:requests/get_depth.json#/properties/level", "x")


def _is_integer(_: object, value: object) -> bool:
    return type(value) is int


def _is_number(_: object, value: object) -> bool:
    return type(value) in (int, float)


STRICT = extend(
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine_many({"integer": _is_integer, "number": _is_number}),
)  # type: ignore[no-untyped-call]
MAP_KEYS = ("side", "size", "key", "value", "hash", "account", "blocks", "polls", "price", "volume", "seal")
PICK = Random(1)
MAPS = [
    {word: PICK.choice(["1", "BUY", 1, "wait", RIGHT]) for word in PICK.sample(MAP_KEYS, number % 4)}
    for number in range(150)
]
VALUES = [
    *(value for _, value, _ in CASES),
    *(RIGHT, "1", 5, "15s", {"blocks": 1}, {"a": "1"}, {"key": "wait", "value": 1}),
    # Ahead of a line feed at the end the reference's `$` matches.
    *(value for value in ODD if not str(value).endswith("\n")),
]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_check_and_walk_agree_with_the_reference(schema: Schema) -> None:
    judge = STRICT(dict(schema))
    for value in (*VALUES, *MAPS):
        try:
            check(Place(schema, FILE), value)
        except InvalidInput:
            assert not judge.is_valid(value), value
        else:
            assert judge.is_valid(value), value
