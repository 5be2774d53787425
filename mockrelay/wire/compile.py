"""Schemas as Python functions: each becomes the flat source of a `check(value) -> bool`, compiled at its first use.

Only the keywords below are supported. Any other one is an AssertionError, and so is a keyword without the type that it
depends on, so that a schema cannot promise what is not checked. `integer` and `pattern` mean the same as to the reference
(see `explain`): a boolean or `1.0` is never an integer, and `$` is the very end. Beside `"x-unit": "bytes"` a `maxLength`
counts the bytes of UTF-8. Of unions and conditions only these forms are supported:

- `anyOf` of branches with a type each, all different, except that several may be objects of one required key, the tag;
- `anyOf` and `oneOf` of an object, each branch `{"required": [NAME]}`: at least one, or exactly one, of these keys;
- `if` of `required`, of `not` around that, and of `properties` with a `const` or an `enum`; `then`, and no `else`;
- `not` of `{}` (nothing fits), of a `const`, of an `enum` and of a `pattern`.
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
    follow,
    is_of_api,
    place_of,
    resolve_ref,
    type_of,
)

Check = Callable[[Any], bool]

ANNOTATIONS = frozenset(
    {
        *("$schema", "$id", "$defs", "title", "description", "default", "examples"),
        *("x-code", "x-unit", "x-names", "x-meant", "x-found", "x-shown"),
        *(VARIANTS, ALL_REQUIRED),
    }
)
DIGITS = "^[0-9]+$"
WHOLE_NUMBER = "^(0|[1-9][0-9]*)$"
NOT_BLANK = "[^ \\t\\r\\n]"
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
_BYTES_MAX = "len({0}.encode('utf-8', 'surrogatepass')) <= {1}"
_OWN_FUNCTIONS = ("object", "array", None)
"""A schema of one of these types (None: a union) becomes a function of its own where a `$ref` leads to it, compiled at its
first use, since most values have few of the many parts that a scenario may have. The schemas of the relayer's own API are
written into the function that refers to them.
"""
_OTHERS = frozenset({"$ref", "type", "allOf", "anyOf", "not", "then"})
# The patterns of amounts and signatures by methods of str and bytes, which are faster than a regular expression.
# `bytes.isdigit` takes a fifth of the time of `str.isdigit`, which knows the digits of all scripts.
_FAST_PATTERNS = {
    DIGITS: "{0}.encode().isdigit()",
    WHOLE_NUMBER: "({0}.encode().isdigit() and ({0}[0] != '0' or len({0}) == 1))",
    NOT_BLANK: "{0}.strip(' \\t\\r\\n')",
    NOT_BLANK_OR_ZERO: "{0}.strip('0 \\t\\r\\n')",
}


@cache
def checker(schema_id: str, options: tuple[Option, ...] = ()) -> Check:
    """The compiled check of the schema at an id, while `options` hold. It raises for no value that JSON can carry."""
    return compile_check(follow(schema_id, "", options), schema_id, options)


def compile_check(place: Place, name: str, options: tuple[Option, ...] = ()) -> Check:
    """Compile the check of a schema, anew at each call; tracebacks show `name`."""
    writer = _Writer(options)
    writer.schema(place, "value", 2, None)
    lines = [
        "def check(value):",
        "    try:",
        *writer.lines,
        "    except (KeyError, UnicodeEncodeError):",  # of a required field; of half a surrogate pair where digits are due
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


def length(text: str, schema: Schema) -> int:
    """The length of a text as the `maxLength` of its schema counts it."""
    return len(text.encode("utf-8", "surrogatepass")) if schema.get("x-unit") == "bytes" else len(text)


def _check_at(ref: str, options: tuple[Option, ...], value: Any) -> bool:
    return checker(ref, options)(value)


def by_type_of(branches: Sequence[Place], options: Collection[Option] = ()) -> dict[str, list[Place]]:
    """The branches of a union by their type."""
    found: dict[str, list[Place]] = {}
    for branch in branches:
        kind = type_of(branch, options)
        assert kind is not None, f"{branch.file_id}: a branch of anyOf without a type"
        found.setdefault(kind, []).append(branch)
    assert not {"integer", "number"} <= found.keys(), "integer and number are one type to a union"
    return found


def tag_of(place: Place, options: Collection[Option] = ()) -> str | None:
    """The tag of a union's branch: the only key that its objects may and must have. None where it is not such a branch."""
    if "$ref" in place.schema:
        return tag_of(follow(place.schema["$ref"], place.file_id, options), options)
    properties = place.schema.get("properties", {})
    is_tagged = len(properties) == 1 and place.schema.get("required") == [*properties]
    return next(iter(properties)) if is_tagged and place.schema.get("additionalProperties") is False else None


class _Writer:
    """Collects the lines of one check and the constants that they name."""

    def __init__(self, options: tuple[Option, ...]) -> None:
        self.options = options
        self.lines: list[str] = []
        self.names: dict[str, Any] = {}
        self._variables = 0
        self._open: list[str] = []

    def schema(self, place: Place, value: str, depth: int, kind: str | None) -> str | None:
        """Lines that return False unless the variable `value` fits, whose type is `kind` (None: not checked yet). Returns
        the type after them.
        """
        schema, file_id = place
        self._refuse_unknown(schema, file_id)
        if "$ref" in schema:
            ref = resolve_ref(schema["$ref"], file_id, self.options)
            is_own = not is_of_api(file_id) and type_of(place_of(ref), self.options) in _OWN_FUNCTIONS
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
            self._object(place, value, depth)
        elif kind == "array":
            self._array(place, value, depth)
        if "anyOf" in schema and kind != "object":
            assert kind is None, f"{file_id}: anyOf of types beside a type"
            self._union([Place(branch, file_id) for branch in schema["anyOf"]], value, depth)
        for part in schema.get("allOf", ()):
            self.schema(Place(part, file_id), value, depth, kind)
        return kind

    def _inline(self, ref: str, value: str, depth: int, kind: str | None) -> str | None:
        assert ref not in self._open, f"{ref} leads back to itself"
        self._open.append(ref)
        kind = self.schema(place_of(ref), value, depth, kind)
        self._open.pop()
        return kind

    def _function(self, ref: str, value: str, depth: int) -> str | None:
        """A call of the referred schema as a function of its own, compiled at its first use."""
        self._demand(depth, f"{self._name(partial(_check_at, ref, self.options))}({value})")
        return type_of(place_of(ref), self.options)

    def _union(self, branches: list[Place], value: str, depth: int) -> None:
        """Lines that check the branch of the value's type or tag."""
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
        """An expression: whether a value, whose type is checked already, fits the small schema of an `if` or a `not`."""
        tests = []
        for keyword, argument in schema.items():
            match keyword:
                case "const":
                    tests.append(f"{value} == {argument!r}")
                case "enum":
                    tests.append(f"{value} in {self._name(frozenset(argument))}")
                case "pattern":
                    tests.append(f"{self._name(python_pattern(argument).search)}({value})")
                case "required":
                    tests += [f"{name!r} in {value}" for name in argument]
                case "not":
                    tests.append(f"not ({self._test(argument, value)})")
                case "properties":
                    # A missing property fits. Values are compared by their `repr`, so that `true` is not 1.
                    for name, inner in argument.items():
                        words = inner["enum"] if "enum" in inner else [inner["const"]]
                        texts = self._name(frozenset(map(repr, words)))
                        tests.append(f"({name!r} not in {value} or repr({value}[{name!r}]) in {texts})")
                case _:
                    assert keyword in ANNOTATIONS, f"the keyword {keyword} is not compiled in a condition"
        return " and ".join(tests) or "True"

    def _scalar(self, schema: Schema, value: str, depth: int) -> None:
        for keyword, test in _LIMITS.items():
            if keyword in schema:
                is_in_bytes = keyword == "maxLength" and schema.get("x-unit") == "bytes"
                self._demand(depth, (_BYTES_MAX if is_in_bytes else test).format(value, schema[keyword]))
        if "const" in schema:
            self._demand(depth, f"{value} == {schema['const']!r}")
        if "enum" in schema:
            self._demand(depth, f"{value} in {self._name(frozenset(schema['enum']))}")
        if "pattern" in schema:
            pattern = schema["pattern"]
            fast = _FAST_PATTERNS.get(pattern)
            search = "" if fast else self._name(python_pattern(pattern).search)
            self._demand(depth, fast.format(value) if fast else f"{search}({value})")

    def _object(self, place: Place, value: str, depth: int) -> None:
        schema, file_id = place
        properties = schema.get("properties", {})
        if schema.get("additionalProperties") is False:
            self._demand(depth, f"{self._name(frozenset(properties))}.issuperset({value})")
        self._keys(place, value, depth)
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
            self._others(place, value, depth)
        if "if" in schema:
            self._line(depth, f"if {self._test(schema['if'], value)}:")
            self._line(depth + 1, "pass")
            self.schema(Place(schema["then"], file_id), value, depth + 1, "object")

    def _keys(self, place: Place, value: str, depth: int) -> None:
        """Lines for the keys of an object: their form, and the unions of required keys."""
        schema, file_id = place
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

    def _others(self, place: Place, value: str, depth: int) -> None:
        """Lines for the values of all keys that are not in `properties`."""
        schema, file_id = place
        key, variable = self._variable(), self._variable()
        self._line(depth, f"for {key}, {variable} in {value}.items():")
        if "properties" in schema:
            self._line(depth + 1, f"if {key} in {self._name(frozenset(schema['properties']))}: continue")
        self._line(depth + 1, "pass")
        self.schema(Place(schema["additionalProperties"], file_id), variable, depth + 1, None)

    def _array(self, place: Place, value: str, depth: int) -> None:
        schema, file_id = place
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
            is_supported = keyword in ANNOTATIONS or keyword in _TYPE_OF_KEYWORD or keyword in _OTHERS
            assert is_supported, f"{file_id}: the keyword {keyword} is not compiled"
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
