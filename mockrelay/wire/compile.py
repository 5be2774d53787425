"""Schemas as Python functions: each becomes the flat source of a `check(value) -> bool`, made at its first use.

Only the keywords below are understood; any other one, and any place where its meaning would depend on a type that is
not declared, is an AssertionError, so that a schema cannot promise what is not checked. What `jsonschema` is told to
mean by `integer` and `pattern` (see `explain`) is what holds here: a boolean or `1.0` is never an integer, and `$` is
the very end. Of unions and conditions these forms alone are understood:

- `anyOf` of branches that have a type each, no two the same one but for `tag`s: objects of one required key;
- `anyOf` and `oneOf` of objects: `{"required": [NAME]}` each, that some, or just one, of these keys are there;
- `if` of `required`, of `not` around that, and of `properties` with a `const` or an `enum`; `then`, and no `else`;
- `not` of `{}`, which nothing fits, and of a `const`, an `enum` or a `pattern`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from functools import cache, partial
from typing import Any

from mockrelay.wire.schemas import (
    ALL_REQUIRED,
    VARIANTS,
    Option,
    Place,
    Schema,
    chosen,
    follow,
    is_of_api,
    place,
    type_of,
)

Check = Callable[[Any], bool]

ANNOTATIONS = frozenset(
    {
        *("$schema", "$id", "$defs", "title", "description", "default", "examples"),
        *("x-code", "x-unit", "x-names", "x-meant", "x-found"),
        *(VARIANTS, ALL_REQUIRED),
    }
)
DIGITS = "^[0-9]+$"
WHOLE_NUMBER = "^(0|[1-9][0-9]*)$"
NOT_BLANK_OR_ZERO = "[^0 \\t\\r\\n]"

_TYPE_TESTS = {
    "string": "isinstance({0}, str)",
    "integer": "{0}.__class__ is int",
    "number": "({0}.__class__ is int or {0}.__class__ is float)",
    "boolean": "{0}.__class__ is bool",
    "object": "{0}.__class__ is dict",
    "array": "{0}.__class__ is list",
}
_TYPE_OF_KEYWORD = {
    "minimum": ("integer", "number"),
    "maximum": ("integer", "number"),
    "minLength": ("string",),
    "maxLength": ("string",),
    "pattern": ("string",),
    "enum": ("string", "integer"),
    "const": ("string", "integer", "boolean"),
    "properties": ("object",),
    "required": ("object",),
    "additionalProperties": ("object",),
    "propertyNames": ("object",),
    "minProperties": ("object",),
    "maxProperties": ("object",),
    "oneOf": ("object",),
    "if": ("object",),
    "items": ("array",),
    "prefixItems": ("array",),
    "minItems": ("array",),
    "maxItems": ("array",),
    "uniqueItems": ("array",),
}
_LIMITS = {
    "minimum": "{0} >= {1}",
    "maximum": "{0} <= {1}",
    "minLength": "len({0}) >= {1}",
    "maxLength": "len({0}) <= {1}",
    "minItems": "len({0}) >= {1}",
    "maxItems": "len({0}) <= {1}",
    "minProperties": "len({0}) >= {1}",
    "maxProperties": "len({0}) <= {1}",
}
_OWN_FUNCTIONS = ("object", "array", None)
"""Of these types (None: a union) what is referred to becomes a function of its own, compiled at its first use, but for the
schemas of the relayer's own API: others are large, and many values have nothing of most of them.
"""
_OTHERS = frozenset({"$ref", "type", "allOf", "anyOf", "not", "then"})
# The patterns of every amount and signature, as what a string can do faster than a regular expression. Of bytes it is
# found out five times as fast whether they are digits as of characters, which have digits of other scripts among them.
_FAST_PATTERNS = {
    DIGITS: "({0}.isascii() and {0}.encode().isdigit())",
    WHOLE_NUMBER: "({0}.isascii() and {0}.encode().isdigit() and ({0}[0] != '0' or len({0}) == 1))",
    NOT_BLANK_OR_ZERO: "{0}.strip('0 \\t\\r\\n')",
}


@cache
def checker(schema_id: str, options: tuple[Option, ...] = ()) -> Check:
    """The compiled check of the schema at an id, while `options` hold. It raises for no value that JSON can carry."""
    return compiled(follow(schema_id, "", options), schema_id, options)


def compiled(here: Place, name: str, options: tuple[Option, ...] = ()) -> Check:
    """The check of a schema, made anew at each call; tracebacks show `name`."""
    writer = _Writer(options)
    writer.schema(here, "value", 2, None)
    lines = [
        "def check(value):",
        "    try:",
        *writer.lines,
        "    except KeyError:",  # of a required field
        "        return False",
        "    return True",
    ]
    names = dict(writer.names)
    exec(compile("\n".join(lines), f"<{name}>", "exec"), names)  # noqa: S102  # our own schemas' source
    check: Check = names["check"]
    return check


@cache
def python_pattern(pattern: str) -> re.Pattern[str]:
    """An ECMA pattern of our subset as Python's: `$` is the very end, where Python lets a line feed follow.

    Classes whose members differ between the two, and the dot, are outside the subset: AssertionError.
    """
    out: list[str] = []
    in_class = False
    characters = iter(pattern)
    for character in characters:
        translated = character
        if character == "\\":
            escaped = next(characters)
            assert not escaped.isalnum() or escaped in "trn", f"pattern {pattern}: \\{escaped} is outside our subset"
            translated += escaped
        elif in_class:
            in_class = character != "]"
        elif character == "[":
            in_class = True
        elif character == "$":
            translated = r"\Z"
        else:
            assert character != ".", f"pattern {pattern}: the dot is outside our subset"
        out.append(translated)
    return re.compile("".join(out))


def _check_at(ref: str, options: tuple[Option, ...], value: Any) -> bool:
    return checker(ref, options)(value)


def by_type_of(branches: Sequence[Place], options: Collection[Option] = ()) -> dict[str, list[Place]]:
    """The branches of a union by the type of value that they speak of."""
    found: dict[str, list[Place]] = {}
    for branch in branches:
        kind = type_of(branch, options)
        assert kind is not None, f"{branch.file_id}: a branch of anyOf without a type"
        found.setdefault(kind, []).append(branch)
    assert not {"integer", "number"} <= found.keys(), "integer and number are one type to a union"
    return found


def tag_of(here: Place, options: Collection[Option] = ()) -> str | None:
    """The key by which a union tells an object from its other ones: the only one that it has, and must have."""
    if "$ref" in here.schema:
        return tag_of(follow(here.schema["$ref"], here.file_id, options), options)
    properties = here.schema.get("properties", {})
    is_tagged = len(properties) == 1 and here.schema.get("required") == [*properties]
    return next(iter(properties)) if is_tagged and here.schema.get("additionalProperties") is False else None


class _Writer:
    """Collects the lines of one check and the constants that they name."""

    def __init__(self, options: tuple[Option, ...]) -> None:
        self.options = options
        self.lines: list[str] = []
        self.names: dict[str, Any] = {}
        self._variables = 0
        self._open: list[str] = []

    def schema(self, here: Place, value: str, depth: int, kind: str | None) -> str | None:
        """Lines that return False unless the variable `value`, known to be of type `kind`, fits. The type known then."""
        schema, file_id = here
        self._refuse_unknown(schema, file_id)
        if "$ref" in schema:
            ref = chosen(schema["$ref"], file_id, self.options)
            is_own = not is_of_api(file_id) and type_of(place(ref), self.options) in _OWN_FUNCTIONS
            kind = self._function(ref, value, depth) if is_own else self._inline(ref, value, depth, kind)
        if "type" in schema and schema["type"] != kind:
            kind = schema["type"]
            self._demand(depth, _TYPE_TESTS[kind].format(value))
        for keyword in schema:
            if keyword in _TYPE_OF_KEYWORD:
                assert kind in _TYPE_OF_KEYWORD[keyword], f"{file_id}: {keyword} without a type that it applies to"
        self._scalar(schema, value, depth)
        if "not" in schema:
            assert "pattern" not in schema["not"] or kind == "string", f"{file_id}: not of a pattern, but of no string"
            self._demand(depth, f"not ({self._test(schema['not'], value)})")
        if kind == "object":
            self._object(here, value, depth)
        elif kind == "array":
            self._array(here, value, depth)
        if "anyOf" in schema and kind != "object":
            assert kind is None, f"{file_id}: anyOf of types beside a type"
            self._union([Place(branch, file_id) for branch in schema["anyOf"]], value, depth)
        for part in schema.get("allOf", ()):
            self.schema(Place(part, file_id), value, depth, kind)
        return kind

    def _inline(self, ref: str, value: str, depth: int, kind: str | None) -> str | None:
        assert ref not in self._open, f"{ref} leads back to itself"
        self._open.append(ref)
        kind = self.schema(place(ref), value, depth, kind)
        self._open.pop()
        return kind

    def _function(self, ref: str, value: str, depth: int) -> str | None:
        """A call of what the reference leads to as a function of its own, compiled at its first use."""
        self._demand(depth, f"{self._name(partial(_check_at, ref, self.options))}({value})")
        return type_of(place(ref), self.options)

    def _union(self, branches: list[Place], value: str, depth: int) -> None:
        """Lines that let the branch of the value's type, or of its one key, decide."""
        by_type = by_type_of(branches, self.options)
        for index, (kind, of_type) in enumerate(by_type.items()):
            self._line(depth, f"{'elif' if index else 'if'} {_TYPE_TESTS[kind].format(value)}:")
            self._line(depth + 1, "pass")
            if len(of_type) == 1:
                self.schema(of_type[0], value, depth + 1, kind)
                continue
            for branch in of_type:
                tag = tag_of(branch, self.options)
                assert tag is not None, f"{branch.file_id}: two branches of the type {kind} that no key tells apart"
                self._line(depth + 1, f"{'if' if branch is of_type[0] else 'elif'} {tag!r} in {value}:")
                self.schema(branch, value, depth + 2, kind)
            self._line(depth + 1, "else: return False")
        self._line(depth, "else: return False")

    def _test(self, schema: Schema, value: str) -> str:
        """An expression: whether a value of a type that is known fits a schema of a few keywords, as of `if` and `not`."""
        tests = []
        for keyword, meant in schema.items():
            match keyword:
                case "const":
                    tests.append(f"{value} == {meant!r}")
                case "enum":
                    tests.append(f"{value} in {self._name(frozenset(meant))}")
                case "pattern":
                    tests.append(f"{self._name(python_pattern(meant).search)}({value})")
                case "required":
                    tests += [f"{name!r} in {value}" for name in meant]
                case "not":
                    tests.append(f"not ({self._test(meant, value)})")
                case "properties":
                    # What is not there fits. Values are compared by their `repr`, so that `true` is not 1.
                    for name, inner in meant.items():
                        words = inner["enum"] if "enum" in inner else [inner["const"]]
                        known = self._name(frozenset(map(repr, words)))
                        tests.append(f"({name!r} not in {value} or repr({value}[{name!r}]) in {known})")
                case _:
                    assert keyword in ANNOTATIONS, f"the keyword {keyword} is not compiled in a condition"
        return " and ".join(tests) or "True"

    def _scalar(self, schema: Schema, value: str, depth: int) -> None:
        for keyword, test in _LIMITS.items():
            if keyword in schema:
                self._demand(depth, test.format(value, schema[keyword]))
        if "const" in schema:
            self._demand(depth, f"{value} == {schema['const']!r}")
        if "enum" in schema:
            self._demand(depth, f"{value} in {self._name(frozenset(schema['enum']))}")
        if "pattern" in schema:
            pattern = schema["pattern"]
            fast = _FAST_PATTERNS.get(pattern)
            search = "" if fast else self._name(python_pattern(pattern).search)
            self._demand(depth, fast.format(value) if fast else f"{search}({value})")

    def _object(self, here: Place, value: str, depth: int) -> None:
        schema, file_id = here
        properties = schema.get("properties", {})
        if schema.get("additionalProperties") is False:
            self._demand(depth, f"{self._name(frozenset(properties))}.issuperset({value})")
        self._keys(here, value, depth)
        required = schema.get("required", ())
        for name in required:
            if name not in properties:
                self._line(depth, f"{value}[{name!r}]")
        for name, inner in properties.items():
            variable = self._variable()
            if name not in required:
                self._line(depth, f"if {name!r} in {value}:")
            inner_depth = depth + (name not in required)
            self._line(inner_depth, f"{variable} = {value}[{name!r}]")
            self.schema(Place(inner, file_id), variable, inner_depth, None)
        if "additionalProperties" in schema and schema["additionalProperties"] is not False:
            self._others(here, value, depth)
        if "if" in schema:
            self._line(depth, f"if {self._test(schema['if'], value)}:")
            self._line(depth + 1, "pass")
            self.schema(Place(schema["then"], file_id), value, depth + 1, "object")

    def _keys(self, here: Place, value: str, depth: int) -> None:
        """What is said of an object's keys beside their values: how they look, and which must be there."""
        schema, file_id = here
        if "propertyNames" in schema:
            variable = self._variable()
            self._line(depth, f"for {variable} in {value}:")
            self._line(depth + 1, "pass")
            self.schema(Place(schema["propertyNames"], file_id), variable, depth + 1, "string")
        for keyword, test in (("anyOf", "{} >= 1"), ("oneOf", "{} == 1")):
            if keyword in schema:
                names = [name for branch in schema[keyword] for name in branch.get("required", ())]
                only = all(len(branch) == len(branch.get("required", ())) == 1 for branch in schema[keyword])
                assert only, f"{file_id}: {keyword} of an object may only require a key each"
                self._demand(depth, test.format(f"len({self._name(frozenset(names))}.intersection({value}))"))

    def _others(self, here: Place, value: str, depth: int) -> None:
        """The values of all keys that are not in `properties`."""
        schema, file_id = here
        key, variable = self._variable(), self._variable()
        self._line(depth, f"for {key}, {variable} in {value}.items():")
        if "properties" in schema:
            self._line(depth + 1, f"if {key} in {self._name(frozenset(schema['properties']))}: continue")
        self._line(depth + 1, "pass")
        self.schema(Place(schema["additionalProperties"], file_id), variable, depth + 1, None)

    def _array(self, here: Place, value: str, depth: int) -> None:
        schema, file_id = here
        first: list[Schema] = schema.get("prefixItems", [])
        if first:
            fixed = schema.get("minItems") == schema.get("maxItems") == len(first) and "items" not in schema
            assert fixed, f"{file_id}: prefixItems only where the length is theirs"
        for index, inner in enumerate(first):
            variable = self._variable()
            self._line(depth, f"{variable} = {value}[{index}]")
            self.schema(Place(inner, file_id), variable, depth, None)
        if schema.get("uniqueItems"):
            self._demand(depth, f"len(set(map(repr, {value}))) == len({value})")
        if "items" in schema:
            variable = self._variable()
            self._line(depth, f"for {variable} in {value}:")
            self._line(depth + 1, "pass")
            self.schema(Place(schema["items"], file_id), variable, depth + 1, None)

    def _refuse_unknown(self, schema: Schema, file_id: str) -> None:
        for keyword in schema:
            known = keyword in ANNOTATIONS or keyword in _TYPE_OF_KEYWORD or keyword in _OTHERS
            assert known, f"{file_id}: the keyword {keyword} is not compiled"
        kind = schema.get("type")
        assert kind is None or (isinstance(kind, str) and kind in _TYPE_TESTS), (
            f"{file_id}: type {kind} is not compiled"
        )
        assert ("if" in schema) == ("then" in schema), f"{file_id}: if and then come together"

    def _demand(self, depth: int, test: str) -> None:
        self._line(depth, f"if not ({test}): return False")

    def _line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def _variable(self) -> str:
        self._variables += 1
        return f"v{self._variables}"

    def _name(self, constant: Any) -> str:
        name = f"c{len(self.names)}"
        self.names[name] = constant
        return name
