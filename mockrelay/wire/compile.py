"""Schemas as Python functions: each becomes the flat source of a `check(value) -> bool`, made at its first use.

Only the keywords below are understood; any other one, and any place where its meaning would depend on a type that is
not declared, is an AssertionError, so that a schema cannot promise what is not checked. What `jsonschema` is told to
mean by `integer` and `pattern` (see `explain`) is what holds here: a boolean or `1.0` is never an integer, and `$` is
the very end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import cache
from typing import Any

from mockrelay.wire.registry import Option, Place, Schema, follow

Check = Callable[[Any], bool]

ANNOTATIONS = frozenset({"$schema", "$id", "title", "description", "default", "x-code", "x-unit"})
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
    "minimum": ("integer",),
    "maximum": ("integer",),
    "minLength": ("string",),
    "maxLength": ("string",),
    "pattern": ("string",),
    "enum": ("string", "integer"),
    "const": ("string", "integer"),
    "properties": ("object",),
    "required": ("object",),
    "additionalProperties": ("object",),
    "items": ("array",),
    "prefixItems": ("array",),
    "minItems": ("array",),
    "maxItems": ("array",),
}
_LIMITS = {
    "minimum": "{0} >= {1}",
    "maximum": "{0} <= {1}",
    "minLength": "len({0}) >= {1}",
    "maxLength": "len({0}) <= {1}",
    "minItems": "len({0}) >= {1}",
    "maxItems": "len({0}) <= {1}",
}
# The patterns of every amount and signature, as what a string can do faster than a regular expression. Of bytes it is
# found out five times as fast whether they are digits as of characters, which have digits of other scripts among them.
_FAST_PATTERNS = {
    DIGITS: "({0}.isascii() and {0}.encode().isdigit())",
    WHOLE_NUMBER: "({0}.isascii() and {0}.encode().isdigit() and ({0}[0] != '0' or len({0}) == 1))",
    NOT_BLANK_OR_ZERO: "{0}.strip('0 \\t\\r\\n')",
}


class Real:
    """A JSON number with a point or an exponent, kept as it was written: no field takes one, so none is read."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


@cache
def checker(schema_id: str, options: tuple[Option, ...] = ()) -> Check:
    """The compiled check of the schema at an id, while `options` hold. It raises for no value that JSON can carry."""
    writer = _Writer(options)
    writer.schema(follow(schema_id, "", options), "value", 2, None)
    lines = [
        "def check(value):",
        "    try:",
        *writer.lines,
        "    except KeyError:",  # of a required field
        "        return False",
        "    return True",
    ]
    names = dict(writer.names)
    exec(compile("\n".join(lines), f"<{schema_id}>", "exec"), names)  # noqa: S102  # our own schemas' source
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


class _Writer:
    """Collects the lines of one check and the constants that they name."""

    def __init__(self, options: Collection[Option]) -> None:
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
            ref: str = schema["$ref"]
            target = follow(ref, file_id, self.options)
            assert target.file_id not in self._open, f"{file_id}: {ref} leads back to itself"
            self._open.append(target.file_id)
            kind = self.schema(target, value, depth, kind)
            self._open.pop()
        if "type" in schema and schema["type"] != kind:
            kind = schema["type"]
            self._demand(depth, _TYPE_TESTS[kind].format(value))
        for keyword in schema:
            if keyword in _TYPE_OF_KEYWORD:
                assert kind in _TYPE_OF_KEYWORD[keyword], f"{file_id}: {keyword} without a type that it applies to"
        self._scalar(schema, value, depth)
        if kind == "object":
            self._object(here, value, depth)
        elif kind == "array":
            self._array(here, value, depth)
        for part in schema.get("allOf", ()):
            self.schema(Place(part, file_id), value, depth, kind)
        return kind

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
        if "additionalProperties" in schema:
            assert schema["additionalProperties"] is False, f"{file_id}: additionalProperties may only be false"
            self._demand(depth, f"{self._name(frozenset(properties))}.issuperset({value})")
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
        if "items" in schema:
            variable = self._variable()
            self._line(depth, f"for {variable} in {value}:")
            self._line(depth + 1, "pass")
            self.schema(Place(schema["items"], file_id), variable, depth + 1, None)

    def _refuse_unknown(self, schema: Schema, file_id: str) -> None:
        for keyword in schema:
            known = keyword in ANNOTATIONS or keyword in _TYPE_OF_KEYWORD or keyword in {"$ref", "type", "allOf"}
            assert known, f"{file_id}: the keyword {keyword} is not compiled"
        kind = schema.get("type")
        assert kind is None or (isinstance(kind, str) and kind in _TYPE_TESTS), (
            f"{file_id}: type {kind} is not compiled"
        )

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
