"""The first violation of a schema by a value, as an `InvalidInput`.

    check("mockrelay:control/commands/deposit.json", fields)    # None, or InvalidInput
    check("mockrelay:scenario.json#/properties/limits", value)
    check(Place(schema, "mockrelay:scenario.json"), value)       # `$ref`s are read as of that file

A value that fits costs one run of the compiled check (see `compile`, which also lists the keywords and the forms of unions
and conditions that schemas may have). Only where it does not fit is the schema walked, to find where and why:

| keyword | path | found | expected |
|---|---|---|---|
| `additionalProperties: false` | to the key, `at_key` | the unknown key 'x' | the nearest known key, or all of them |
| `required` | to the missing key | no 'x' | x, which is required here |
| `oneOf` of keys | to the object | 'x' and 'y'; none of them | one of x, y, z |
| `anyOf` of keys | to the object | none of them | one of x, y, z |
| `minProperties`, `maxProperties` | to the object | an empty map; 'x' and 'y' | one of the known keys |
| `propertyNames` | to the key, `at_key` | the key | as its schema says |
| `not: {}` of a key, in a `then` | to the key, `at_key` | 'x' beside 'y', the key of its `if` | its `x-meant` |
| `uniqueItems` | to the second item | the item again (`RepeatedValue`, which has the first one's path) | each item once |
| `type`, `enum`, `pattern`, limits, ... | to the value | the value as `suggest.shown` words it | its meaning |
| `anyOf` of types | to the value | the value; of a map without the right key: a map of 'x' and 'y' | the union's meaning |

The meaning of a value is its `x-meant`. Without one it is derived: from `enum` and `const` (all words if they are few and
none is the right one in the wrong case, else the nearest), from `type: integer` with its limits, from `boolean`, `object`,
`array` and a string of any text.

`x-meant` is a text, for whatever is wrong with the value itself, or an object of texts by keyword:
`{"minLength": "a text", "required": "the section {}"}`. `x-found`, an object of texts by keyword, takes the place of what
was found. In both `{}` stands for the wrong key or value. Both override those of the schema that a `$ref` beside them refers
to. The `x-meant` of a union is for all its branches; inside a branch that is an object or a list, that of the branch holds.

`x-shown` has those words of an `enum` that errors name, where that is not all of them.

At one value the order is: what a `$ref` leads to, type, the value itself, unknown keys, the number of keys, missing keys,
`allOf`, the values of the keys in the order of `properties`, items in their order, then `if`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mockrelay.core.errors import InvalidInput, Path
from mockrelay.suggest import LISTED_MAX, any_of, in_quotes, nearest, number_meant, shown
from mockrelay.wire.compile import Check, by_type_of, checker, compile_check, length, python_pattern, tag_of
from mockrelay.wire.schemas import Option, Place, Schema, follow, type_of

Chain = tuple[Schema, ...]
"""The schemas that describe a value, by `$ref`, the outermost first: its `x-meant` and `x-found` are the first that one has."""

_CLASSES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
}
_MEANT_BY_TYPE = {"boolean": "true or false", "object": "a map", "array": "a list", "number": "a number"}
_OF_WHAT_IT_HOLDS = frozenset(
    {"additionalProperties", "required", "minProperties", "maxProperties", "anyOf", "oneOf", "uniqueItems"}
)
"""Keywords about what a value holds. An `x-meant` that is a text is not for them: it says what the value itself is."""

_checks: dict[int, tuple[Schema, Check]] = {}
"""Compiled checks of places without an id, by the `id` of the schema, which the entry holds so that no other gets that `id`."""


class RepeatedValue(InvalidInput):
    """A value that stands twice and may stand once: `first` is the path of the first one, from where `path` starts."""

    def __init__(self, path: Sequence[str | int], first: Sequence[str | int], found: str, expected: str) -> None:
        super().__init__(path, found, expected)
        self.first: Path = tuple(first)

    def under(self, *steps: str | int) -> RepeatedValue:
        """The same of an input that has this one at `steps`."""
        return RepeatedValue((*steps, *self.path), (*steps, *self.first), self.found, self.expected)


def check(schema: str | Place, value: Any, options: tuple[Option, ...] = ()) -> None:
    """Nothing where the value fits the schema (an id, with or without a pointer, or a place) while `options` hold;
    InvalidInput, with a path from `value` on, where it does not.
    """
    if not _compiled(schema, options)(value):
        place = follow(schema, "", options) if isinstance(schema, str) else schema
        raise first_violation(place, value, options)


def misfit(schema_id: str, value: Any) -> InvalidInput:
    """The error for a value of the right form that does not exist, such as a 13th month."""
    return InvalidInput((), shown(value), _Walk(()).expected(follow(schema_id, ""), (), "pattern", value))


def first_violation(place: Place, value: Any, options: tuple[Option, ...] = ()) -> InvalidInput:
    """The first violation of a value that does not fit."""
    found = next(_Walk(options).violations(place, value), None)
    assert found is not None, f"{place.file_id}: no violation found in {shown(value)}"
    return found


def violations(schema_id: str, value: Any) -> Iterator[InvalidInput]:
    """The violations of a value, the first one first; a later one may follow from one before it."""
    if not _compiled(schema_id, ())(value):
        yield from _Walk(()).violations(follow(schema_id, ""), value)


def _compiled(schema: str | Place, options: tuple[Option, ...]) -> Check:
    if isinstance(schema, str):
        return checker(schema, options)
    if options:
        return compile_check(schema, schema.file_id, options)
    entry = _checks.get(id(schema.schema))
    if entry is None:
        entry = _checks[id(schema.schema)] = schema.schema, compile_check(schema, schema.file_id)
    return entry[1]


class _Walk:
    """A walk through a schema and a value, while options hold. Only the first violation of each method counts: the next ones
    may come from a value of the wrong type.
    """

    def __init__(self, options: tuple[Option, ...]) -> None:
        self.options = options

    def violations(
        self, place: Place, value: Any, path: Path = (), outer: Chain = (), beside: str | None = None
    ) -> Iterator[InvalidInput]:
        """Violations of a value. `outer`: the schemas that refer to this one; `beside`: the key that forbids the value."""
        schema, file_id = place
        chain = (*outer, schema)
        if "$ref" in schema:
            yield from self.violations(self._follow(place), value, path, chain, beside)
        keyword = _broken(schema, value)
        if keyword == "not" and not schema["not"]:
            key = in_quotes(str(path[-1]))
            found = _text(chain, "x-found", "not", key) or f"{key} beside {beside!r}"
            yield InvalidInput(path, found, self.expected(place, outer, "not"), at_key=True)
        elif keyword is not None:
            yield InvalidInput(path, _found(chain, keyword, value), self.expected(place, outer, keyword, value))
        elif isinstance(value, dict):
            yield from self._of_keys(place, value, path, chain)
        if "anyOf" in schema and not _keys_of(schema["anyOf"]):
            yield from self._of_union(place, value, path, outer)
        for part in schema.get("allOf", ()):
            yield from self.violations(Place(part, file_id), value, path, chain)
        if isinstance(value, dict):
            yield from self._of_values(place, value, path, beside)
        elif isinstance(value, list):
            yield from self._of_list(place, value, path, chain)
        if "if" in schema and isinstance(value, dict) and _holds(schema["if"], value):
            cause = next(iter(schema["if"].get("required", ())), None)
            yield from self.violations(Place(schema["then"], file_id), value, path, (), cause)

    def _of_keys(self, place: Place, value: dict[str, Any], path: Path, chain: Chain) -> Iterator[InvalidInput]:
        schema, file_id = place
        properties = schema.get("properties", {})
        others = schema.get("additionalProperties", True)
        for key in value:
            if others is False and key not in properties:
                yield _unknown_key(chain, key, (*path, key), properties)
            if "propertyNames" in schema:
                for wrong in self.violations(Place(schema["propertyNames"], file_id), key):
                    yield InvalidInput((*path, key), wrong.found, wrong.expected, at_key=True)
        yield from _of_number(schema, value, path, chain)

    def _of_values(self, place: Place, value: dict[str, Any], path: Path, beside: str | None) -> Iterator[InvalidInput]:
        schema, file_id = place
        properties = schema.get("properties", {})
        others = schema.get("additionalProperties", True)
        for key, inner in properties.items():
            if key in value:
                yield from self.violations(Place(inner, file_id), value[key], (*path, key), (), beside)
        if isinstance(others, Mapping):
            for key, inner in value.items():
                if key not in properties:
                    yield from self.violations(Place(others, file_id), inner, (*path, key))

    def _of_list(self, place: Place, value: list[Any], path: Path, chain: Chain) -> Iterator[InvalidInput]:
        schema, file_id = place
        first = schema.get("prefixItems", ())
        for index, item in enumerate(value):
            inner = first[index] if index < len(first) else schema.get("items")
            if inner is not None and not self._fits_item(Place(inner, file_id), item):
                yield from self.violations(Place(inner, file_id), item, (*path, index))
        if schema.get("uniqueItems"):
            first_at: dict[str, int] = {}
            for index, item in enumerate(value):
                before = first_at.setdefault(repr(item), index)
                if before != index:
                    found = _text(chain, "x-found", "uniqueItems", str(item)) or f"{shown(item)} again"
                    expected = _text(chain, "x-meant", "uniqueItems", str(item)) or "each item once"
                    yield RepeatedValue((*path, index), (*path, before), found, expected)

    def _fits_item(self, place: Place, item: Any) -> bool:
        """Whether an object in a list needs no walk: the list has one schema for all, whose check is compiled once."""
        return isinstance(item, dict) and not self.options and _compiled(place, ())(item)

    def _of_union(self, place: Place, value: Any, path: Path, outer: Chain) -> Iterator[InvalidInput]:
        by_type = by_type_of([Place(branch, place.file_id) for branch in place.schema["anyOf"]], self.options)
        branches = next((found for kind, found in by_type.items() if _is_of_type(value, kind)), [])
        tags = [tag_of(branch, self.options) for branch in branches]
        if isinstance(value, dict) and branches and all(tags):
            branches = [branch for branch, tag in zip(branches, tags, strict=True) if [*value] == [tag]]
        if branches and isinstance(value, dict | list):
            yield from self.violations(branches[0], value, path)
        elif not branches or any(self.violations(branches[0], value, path)):
            found = _found((*outer, place.schema), "type", value)
            if any(tags):
                found = f"a map of {' and '.join(map(repr, value)) or 'nothing'}"
            yield InvalidInput(path, found, self.expected(place, outer, "type", value))

    def expected(self, place: Place, outer: Chain, keyword: str, value: Any = None) -> str:
        """What was meant where a value breaks a keyword: the outermost `x-meant`, or else derived."""
        text = _text((*outer, place.schema), "x-meant", keyword, shown(value))
        expected = text if text is not None else self._derived(place, keyword, value)
        return number_meant(value, expected) if self._takes_number(place, value) else expected

    def _derived(self, place: Place, keyword: str, value: Any) -> str:
        schema = place.schema
        kind = schema.get("type")
        if "enum" in schema or "const" in schema:
            return _one_of(schema.get("x-shown", schema["enum"]) if "enum" in schema else [schema["const"]], value)
        if kind == "integer":
            return _whole_number(schema)
        if kind == "string" and "pattern" in schema and "title" in schema:
            return str(schema["title"])
        if keyword == "maxLength":
            return f"at most {schema[keyword]} {schema.get('x-unit', 'characters')}"
        if kind == "string":
            return "a text" if isinstance(value, str | list | dict) else "a text, in quotes"
        if kind is not None:
            return _MEANT_BY_TYPE[kind]
        if "$ref" in schema:
            return self.expected(self._follow(place), (), keyword, value)
        return " or ".join(
            self.expected(Place(branch, place.file_id), (), keyword) for branch in schema.get("anyOf", ())
        )

    def _takes_number(self, place: Place, value: Any) -> bool:
        """Whether the value is digits in quotes, and right without the quotes."""
        if not isinstance(value, str) or not (value.isascii() and value.isdigit()) or len(value) > len(str(2**53)):
            return False
        branches = [Place(branch, place.file_id) for branch in place.schema.get("anyOf", ())]
        return place.schema.get("type") == "integer" or any(
            type_of(branch, self.options) == "integer" and not any(self.violations(branch, int(value)))
            for branch in branches
        )

    def _follow(self, place: Place) -> Place:
        return follow(place.schema["$ref"], place.file_id, self.options)


def _is_of_type(value: Any, kind: str) -> bool:
    return isinstance(value, _CLASSES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _broken(schema: Schema, value: Any) -> str | None:
    """The first keyword that the value itself breaks; not its keys and items."""
    if "type" in schema and not _is_of_type(value, schema["type"]):
        return "type"
    for keyword, argument in schema.items():
        match keyword:
            case "const":
                fits = value == argument
            case "enum":
                fits = value in argument
            case "pattern":
                fits = python_pattern(argument).search(value) is not None
            case "minimum":
                fits = value >= argument
            case "maximum":
                fits = value <= argument
            case "minLength" | "minItems":
                fits = len(value) >= argument
            case "maxLength":
                fits = length(value, schema) <= argument
            case "maxItems":
                fits = len(value) <= argument
            case "not":
                fits = not _holds(argument, value)
            case _:
                continue
        if not fits:
            return keyword
    return None


def _holds(schema: Schema, value: Any) -> bool:
    """Whether a value fits one of the small schemas of `if` and `not`."""
    for keyword, argument in schema.items():
        match keyword:
            case "const":
                holds = repr(value) == repr(argument)
            case "enum":
                holds = repr(value) in map(repr, argument)
            case "pattern":
                holds = python_pattern(argument).search(value) is not None
            case "required":
                holds = all(name in value for name in argument)
            case "not":
                holds = not _holds(argument, value)
            case "properties":
                holds = all(name not in value or _holds(inner, value[name]) for name, inner in argument.items())
            case _:
                continue
        if not holds:
            return False
    return True


def _unknown_key(chain: Chain, key: str, path: Path, properties: Schema) -> InvalidInput:
    found = _text(chain, "x-found", "additionalProperties", in_quotes(key)) or f"the unknown key {in_quotes(key)}"
    names = [name for name, inner in properties.items() if inner.get("not") != {}]
    expected = nearest(key, names)
    if expected == any_of(names):
        expected = _text(chain, "x-meant", "additionalProperties", key) or expected
    return InvalidInput(path, found, expected, at_key=True)


def _of_number(schema: Schema, value: Mapping[str, Any], path: Path, chain: Chain) -> Iterator[InvalidInput]:
    """Too few or too many keys, and missing keys."""

    def wrong(keyword: str, path: Path, found: str, expected: str, key: str = "") -> InvalidInput:
        found = _text(chain, "x-found", keyword, in_quotes(key)) or found
        return InvalidInput(path, found, _text(chain, "x-meant", keyword, key) or expected)

    keys, names = " and ".join(map(repr, value)), any_of(schema.get("properties", ()))
    if len(value) < schema.get("minProperties", 0):
        yield wrong("minProperties", path, keys or "an empty map", names)
    if len(value) > schema.get("maxProperties", len(value)):
        yield wrong("maxProperties", path, keys, names)
    for key in schema.get("required", ()):
        if key not in value:
            yield wrong("required", (*path, key), f"no {key!r}", f"{key}, which is required here", key)
    for keyword in ("anyOf", "oneOf"):
        options = _keys_of(schema.get(keyword, ()))
        there = [key for key in options if key in value]
        if options and (not there or (keyword == "oneOf" and len(there) > 1)):
            found = " and ".join(map(repr, there))
            expected = f"one of {', '.join(options)}"
            yield InvalidInput(path, found, expected) if found else wrong(keyword, path, "none of them", expected)


def _keys_of(branches: Sequence[Schema]) -> list[str]:
    """The keys of a union of `required`s; none where the union is of anything else."""
    return [name for branch in branches if branch.keys() == {"required"} for name in branch["required"]]


def _found(chain: Chain, keyword: str, value: Any) -> str:
    text = _text(chain, "x-found", keyword, shown(value))
    if text is None and keyword in ("minLength", "minItems") and not value:
        return "an empty text" if keyword == "minLength" else "an empty list"
    if text is None and keyword in ("minItems", "maxItems"):
        return f"a list of {len(value)}"
    return shown(value) if text is None else text


def _text(chain: Chain, name: str, keyword: str, wrong: str) -> str | None:
    """The outermost `x-meant` or `x-found` for a keyword, with `wrong`, the key or value, filled in."""
    for schema in chain:
        text = schema.get(name)
        if isinstance(text, Mapping):
            text = text.get(keyword)
        elif keyword in _OF_WHAT_IT_HOLDS:
            text = None
        if text is not None:
            return str(text).replace("{}", wrong)
    return None


def _one_of(words: Sequence[Any], value: Any) -> str:
    """One of a closed list: all words of a short list, since the nearest in spelling may not be the one that was meant."""
    written = [_as_written(word) for word in words]
    in_upper = {word.upper() for word in words if isinstance(word, str)}
    is_case = isinstance(value, str) and value.upper() in in_upper
    if isinstance(value, str) and (is_case or len(words) > LISTED_MAX):
        return nearest(value, [word for word in words if isinstance(word, str)])
    return any_of(written)


def _as_written(word: Any) -> str:
    """A word as it is written: in quotes where it would be something else without."""
    if not isinstance(word, str):
        return "true" if word is True else "false" if word is False else str(word)
    try:
        json.loads(word)
    except ValueError:
        return word
    return f'"{word}"'


def _whole_number(schema: Schema) -> str:
    least, most = schema.get("minimum"), schema.get("maximum")
    if most is not None:
        return f"a whole number from {least} to {most}" if least is not None else f"a whole number up to {most}"
    return "a whole number" if least is None else f"a whole number from {least} on"
