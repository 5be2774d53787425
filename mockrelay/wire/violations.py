"""What does not fit a schema, in words: the first violation of a value as an `InvalidInput`.

    check("mockrelay:control/commands/deposit.json", fields)    # None, or InvalidInput
    check("mockrelay:scenario.json#/properties/limits", value)
    check(Place(schema, "mockrelay:scenario.json"), value)       # `$ref`s are read as of that file

A value that fits costs one run of the compiled check (see `compile`, which also lists the keywords and the forms of unions
and conditions that schemas may have). Only after a no is the schema walked, to say where and why:

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

The meaning of a value is its `x-meant`. Without one it is derived, where the schema says all that there is to say: from
`enum` and `const` (all words if they are few and none is the right one in the wrong case, else the nearest), from
`type: integer` with its limits, from `boolean`, `object`, `array` and a string of any text.

`x-meant` is a text, for whatever is wrong with the value itself, or an object of texts by keyword:
`{"minLength": "a text", "required": "the section {}"}`. `x-found`, an object of texts by keyword, takes the place of what
was found. In both `{}` stands for the key, or for the value, that is to blame. Beside a `$ref` both go before what is said
where it points. A union says what its branches mean together; inside a branch that is an object or a list, the branch
speaks for itself.

At one value the order is: what a `$ref` leads to, type, the value itself, unknown keys, the number of keys, missing keys,
`allOf`, the values of the keys in the order of `properties`, items in their order, then `if`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mockrelay.core.errors import InvalidInput, Path
from mockrelay.suggest import LISTED_MAX, any_of, nearest, number_meant, shown
from mockrelay.wire.compile import Check, by_type_of, checker, compiled, python_pattern, tag_of
from mockrelay.wire.schemas import Option, Place, Schema, follow, type_of

Options = tuple[Option, ...]
Said = tuple[Schema, ...]
"""The schemas that speak of a value by their `x-meant` and `x-found`, the outermost first."""

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
"""Keywords that an `x-meant` which is a text does not speak of: it says what the value is, not what it holds."""

_checks: dict[int, tuple[Schema, Check]] = {}
"""Compiled checks of places without an id, by the identity of the schema, which is kept so that it stays its own."""


class RepeatedValue(InvalidInput):
    """A value that may stand once and stands again: `first` is the path of the first one, from where `path` starts."""

    def __init__(self, path: Sequence[str | int], first: Sequence[str | int], found: str, expected: str) -> None:
        super().__init__(path, found, expected)
        self.first: Path = tuple(first)

    def under(self, *steps: str | int) -> RepeatedValue:
        """The same, seen from an input that has this one at `steps`."""
        return RepeatedValue((*steps, *self.path), (*steps, *self.first), self.found, self.expected)


def check(schema: str | Place, value: Any, options: Options = ()) -> None:
    """Nothing where the value fits the schema (an id, with or without a pointer, or a place) while `options` hold;
    InvalidInput, with a path from `value` on, where it does not.
    """
    if not _compiled(schema, options)(value):
        place = follow(schema, "", options) if isinstance(schema, str) else schema
        raise first_violation(place, value, options)


def misfit(schema_id: str, value: Any) -> InvalidInput:
    """What is said of a value of the right form that cannot be, such as a 13th month."""
    return InvalidInput((), shown(value), _Walk(()).meant(follow(schema_id, ""), (), "pattern", value))


def first_violation(place: Place, value: Any, options: Options = ()) -> InvalidInput:
    """The first violation of a value that does not fit."""
    found = next(_Walk(options).violations(place, value), None)
    assert found is not None, f"{place.file_id}: no word for what is wrong with {shown(value)}"
    return found


def _compiled(schema: str | Place, options: Options) -> Check:
    if isinstance(schema, str):
        return checker(schema, options)
    if options:
        return compiled(schema, schema.file_id, options)
    kept = _checks.get(id(schema.schema))
    if kept is None:
        kept = _checks[id(schema.schema)] = schema.schema, compiled(schema, schema.file_id)
    return kept[1]


class _Walk:
    """A schema walked beside a value, while options hold. Of each method the first violation is the one that counts; what
    comes after one may stand on a value of the wrong type.
    """

    def __init__(self, options: Options) -> None:
        self.options = options

    def violations(
        self, here: Place, value: Any, path: Path = (), outer: Said = (), beside: str | None = None
    ) -> Iterator[InvalidInput]:
        """Violations of a value; `outer` are the schemas that referred to this one, `beside` the key that forbids it."""
        schema, file_id = here
        said = (*outer, schema)
        if "$ref" in schema:
            yield from self.violations(self._follow(here), value, path, said, beside)
        keyword = _broken(schema, value)
        if keyword == "not" and not schema["not"]:
            key = repr(str(path[-1]))
            found = _text(said, "x-found", "not", key) or f"{key} beside {beside!r}"
            yield InvalidInput(path, found, self.meant(here, outer, "not"), at_key=True)
        elif keyword is not None:
            yield InvalidInput(path, _found(said, keyword, value), self.meant(here, outer, keyword, value))
        elif isinstance(value, dict):
            yield from self._of_keys(here, value, path, said)
        if "anyOf" in schema and not _keys_of(schema["anyOf"]):
            yield from self._of_union(here, value, path, outer)
        for part in schema.get("allOf", ()):
            yield from self.violations(Place(part, file_id), value, path, said)
        if isinstance(value, dict):
            yield from self._of_values(here, value, path, beside)
        elif isinstance(value, list):
            yield from self._of_list(here, value, path, said)
        if "if" in schema and isinstance(value, dict) and _holds(schema["if"], value):
            cause = next(iter(schema["if"].get("required", ())), None)
            yield from self.violations(Place(schema["then"], file_id), value, path, (), cause)

    def _of_keys(self, here: Place, value: dict[str, Any], path: Path, said: Said) -> Iterator[InvalidInput]:
        schema, file_id = here
        properties = schema.get("properties", {})
        others = schema.get("additionalProperties", True)
        for key in value:
            if others is False and key not in properties:
                yield _unknown_key(said, key, (*path, key), properties)
            if "propertyNames" in schema:
                for wrong in self.violations(Place(schema["propertyNames"], file_id), key):
                    yield InvalidInput((*path, key), wrong.found, wrong.expected, at_key=True)
        yield from _of_number(schema, value, path, said)

    def _of_values(self, here: Place, value: dict[str, Any], path: Path, beside: str | None) -> Iterator[InvalidInput]:
        schema, file_id = here
        properties = schema.get("properties", {})
        others = schema.get("additionalProperties", True)
        for key, inner in properties.items():
            if key in value:
                yield from self.violations(Place(inner, file_id), value[key], (*path, key), (), beside)
        if isinstance(others, Mapping):
            for key, inner in value.items():
                if key not in properties:
                    yield from self.violations(Place(others, file_id), inner, (*path, key))

    def _of_list(self, here: Place, value: list[Any], path: Path, said: Said) -> Iterator[InvalidInput]:
        schema, file_id = here
        first = schema.get("prefixItems", ())
        for index, item in enumerate(value):
            inner = first[index] if index < len(first) else schema.get("items")
            if inner is not None:
                yield from self.violations(Place(inner, file_id), item, (*path, index))
        if schema.get("uniqueItems"):
            seen: dict[str, int] = {}
            for index, item in enumerate(value):
                before = seen.setdefault(repr(item), index)
                if before != index:
                    found = _text(said, "x-found", "uniqueItems", str(item)) or f"{shown(item)} again"
                    meant = _text(said, "x-meant", "uniqueItems", str(item)) or "each item once"
                    yield RepeatedValue((*path, index), (*path, before), found, meant)

    def _of_union(self, here: Place, value: Any, path: Path, outer: Said) -> Iterator[InvalidInput]:
        by_type = by_type_of([Place(branch, here.file_id) for branch in here.schema["anyOf"]], self.options)
        branches = next((found for kind, found in by_type.items() if _is_of_type(value, kind)), [])
        tags = [tag_of(branch, self.options) for branch in branches]
        if isinstance(value, dict) and branches and all(tags):
            branches = [branch for branch, tag in zip(branches, tags, strict=True) if [*value] == [tag]]
        if branches and isinstance(value, dict | list):
            yield from self.violations(branches[0], value, path)
        elif not branches or any(self.violations(branches[0], value, path)):
            found = _found((*outer, here.schema), "type", value)
            if any(tags):
                found = f"a map of {' and '.join(map(repr, value)) or 'nothing'}"
            yield InvalidInput(path, found, self.meant(here, outer, "type", value))

    def meant(self, here: Place, outer: Said, keyword: str, value: Any = None) -> str:
        """What is meant of a value that breaks a keyword: as is said from the outside in, or else derived."""
        given = _text((*outer, here.schema), "x-meant", keyword, shown(value))
        meant = given if given is not None else self._derived(here, keyword, value)
        return number_meant(value, meant) if self._takes_number(here, value) else meant

    def _derived(self, here: Place, keyword: str, value: Any) -> str:
        schema = here.schema
        kind = schema.get("type")
        if "enum" in schema or "const" in schema:
            return _one_of(schema["enum"] if "enum" in schema else [schema["const"]], value)
        if kind == "integer":
            return _whole_number(schema)
        if kind == "string" and "pattern" in schema and "title" in schema:
            return str(schema["title"])
        if kind == "string":
            return "a text" if isinstance(value, str | list | dict) else "a text, in quotes"
        if kind is not None:
            return _MEANT_BY_TYPE[kind]
        if "$ref" in schema:
            return self.meant(self._follow(here), (), keyword, value)
        return " or ".join(self.meant(Place(branch, here.file_id), (), keyword) for branch in schema.get("anyOf", ()))

    def _takes_number(self, here: Place, value: Any) -> bool:
        """Whether somebody who wrote digits in quotes would have been understood without."""
        if not isinstance(value, str) or not value.isdigit() or len(value) > len(str(2**53)):
            return False
        branches = [Place(branch, here.file_id) for branch in here.schema.get("anyOf", ())]
        return here.schema.get("type") == "integer" or any(
            type_of(branch, self.options) == "integer" and not any(self.violations(branch, int(value)))
            for branch in branches
        )

    def _follow(self, here: Place) -> Place:
        return follow(here.schema["$ref"], here.file_id, self.options)


def _is_of_type(value: Any, kind: str) -> bool:
    return isinstance(value, _CLASSES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _broken(schema: Schema, value: Any) -> str | None:
    """The first keyword that the value itself breaks, whatever it holds."""
    if "type" in schema and not _is_of_type(value, schema["type"]):
        return "type"
    for keyword, meant in schema.items():
        match keyword:
            case "const":
                fits = value == meant
            case "enum":
                fits = value in meant
            case "pattern":
                fits = python_pattern(meant).search(value) is not None
            case "minimum":
                fits = value >= meant
            case "maximum":
                fits = value <= meant
            case "minLength" | "minItems":
                fits = len(value) >= meant
            case "maxLength" | "maxItems":
                fits = len(value) <= meant
            case "not":
                fits = not _holds(meant, value)
            case _:
                continue
        if not fits:
            return keyword
    return None


def _holds(schema: Schema, value: Any) -> bool:
    """Whether a value fits one of the small schemas of `if` and `not`."""
    for keyword, meant in schema.items():
        match keyword:
            case "const":
                holds = repr(value) == repr(meant)
            case "enum":
                holds = repr(value) in map(repr, meant)
            case "pattern":
                holds = python_pattern(meant).search(value) is not None
            case "required":
                holds = all(name in value for name in meant)
            case "not":
                holds = not _holds(meant, value)
            case "properties":
                holds = all(name not in value or _holds(inner, value[name]) for name, inner in meant.items())
            case _:
                continue
        if not holds:
            return False
    return True


def _unknown_key(said: Said, key: str, path: Path, properties: Schema) -> InvalidInput:
    found = _text(said, "x-found", "additionalProperties", repr(key)) or f"the unknown key {key!r}"
    known = [name for name, inner in properties.items() if inner.get("not") != {}]
    meant = nearest(key, known)
    if meant == any_of(known):
        meant = _text(said, "x-meant", "additionalProperties", key) or meant
    return InvalidInput(path, found, meant, at_key=True)


def _of_number(schema: Schema, value: Mapping[str, Any], path: Path, said: Said) -> Iterator[InvalidInput]:
    """Too few or too many keys, and those that are missing."""

    def wrong(keyword: str, path: Path, found: str, meant: str, key: str = "") -> InvalidInput:
        found = _text(said, "x-found", keyword, repr(key)) or found
        return InvalidInput(path, found, _text(said, "x-meant", keyword, key) or meant)

    given, known = " and ".join(map(repr, value)), any_of(schema.get("properties", ()))
    if len(value) < schema.get("minProperties", 0):
        yield wrong("minProperties", path, given or "an empty map", known)
    if len(value) > schema.get("maxProperties", len(value)):
        yield wrong("maxProperties", path, given, known)
    for key in schema.get("required", ()):
        if key not in value:
            yield wrong("required", (*path, key), f"no {key!r}", f"{key}, which is required here", key)
    for keyword in ("anyOf", "oneOf"):
        keys = _keys_of(schema.get(keyword, ()))
        there = [key for key in keys if key in value]
        if keys and (not there or (keyword == "oneOf" and len(there) > 1)):
            found = " and ".join(map(repr, there))
            meant = f"one of {', '.join(keys)}"
            yield InvalidInput(path, found, meant) if found else wrong(keyword, path, "none of them", meant)


def _keys_of(branches: Sequence[Schema]) -> list[str]:
    """The keys of a union of `required`s; none where the union is of anything else."""
    return [name for branch in branches if branch.keys() == {"required"} for name in branch["required"]]


def _found(said: Said, keyword: str, value: Any) -> str:
    given = _text(said, "x-found", keyword, shown(value))
    if given is None and keyword in ("minLength", "minItems") and not value:
        return "an empty text" if keyword == "minLength" else "an empty list"
    if given is None and keyword in ("minItems", "maxItems"):
        return f"a list of {len(value)}"
    return shown(value) if given is None else given


def _text(said: Said, name: str, keyword: str, blamed: str) -> str | None:
    """What `x-meant` or `x-found` says of a keyword, the outermost first."""
    for schema in said:
        given = schema.get(name)
        if isinstance(given, Mapping):
            given = given.get(keyword)
        elif keyword in _OF_WHAT_IT_HOLDS:
            given = None
        if given is not None:
            return str(given).replace("{}", blamed)
    return None


def _one_of(words: Sequence[Any], value: Any) -> str:
    """Words of a closed list. Of a few all are told, since the nearest in spelling need not be the one that was meant."""
    written = [_as_written(word) for word in words]
    in_upper = {word.upper() for word in words if isinstance(word, str)}
    is_case = isinstance(value, str) and value not in words and value.upper() in in_upper
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
