"""All violations of a value, each with its field, its code and a sentence, found by `jsonschema`.

The compiled check only says no, which is all that an accepted call needs. This module, and `jsonschema` with it, is
imported when a call has failed. It is also the reference of the compiled checks, which tests compare with it: `integer`,
`pattern` and `maxLength` mean the same to both.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend
from referencing import Registry, Resource, Specification
from referencing.jsonschema import DRAFT202012

from mockrelay.core.call import NumberLiteral, Violation
from mockrelay.spec import lint_rules
from mockrelay.spec.codes import Code
from mockrelay.wire.compile import length, python_pattern
from mockrelay.wire.schemas import (
    SCHEME,
    Option,
    Place,
    Schema,
    document,
    follow,
    keyword,
    properties_of,
    referenced_files,
    resolve_ref,
)

SHOWN = 40
"""How many characters of a value a sentence quotes."""

_ADDRESS = f"{SCHEME}objects/Address.json"
_KINDS = {
    bool: "a boolean",
    int: "an integer",
    str: "a string",
    list: "a list",
    dict: "an object",
    type(None): "null",
}
_MEANT = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "a list",
}


def explain(schema_id: str, value: Any, options: tuple[Option, ...] = ()) -> tuple[Violation, ...]:
    """Every violation of a value, in the order in which the schema lists its fields; empty where it fits.

    A field of the wrong type has no other violation.
    """
    errors = list(reference(schema_id, options).iter_errors(value))
    mistyped = {tuple(error.absolute_path) for error in errors if error.validator == "type"}
    errors = [error for error in errors if error.validator == "type" or tuple(error.absolute_path) not in mistyped]
    order = {name: index for index, name in enumerate(properties_of(follow(schema_id, "", options), options))}
    violations = [(error.absolute_path, _violation(schema_id, error, options)) for error in errors]
    violations.sort(key=lambda item: order.get(str(item[0][0]), len(order)) if item[0] else -1)
    return tuple(violation for _, violation in violations)


@cache
def reference(schema_id: str, options: tuple[Option, ...] = ()) -> Validator:
    """The validator of `jsonschema` for the schema at an id, while `options` hold."""
    types = Draft202012Validator.TYPE_CHECKER.redefine_many({"integer": _is_integer, "number": _is_number})
    rules = {"pattern": _pattern, "required": _required, "items": _items, "maxLength": _max_length}
    strict: type[Validator] = extend(Draft202012Validator, validators=rules, type_checker=types)  # type: ignore[no-untyped-call]
    start = resolve_ref(schema_id, "", options)
    return strict({"$ref": start}, registry=_registry(start, options))


def _registry(schema_id: str, options: tuple[Option, ...]) -> Registry[Any]:
    """All files that a schema refers to. They are read before the first check: a registry does not keep what it fetches
    during one.
    """
    draft: Specification[Any] = DRAFT202012
    found: dict[str, Resource[Any]] = {}
    waiting = [schema_id.partition("#")[0]]
    while waiting:
        file_id = waiting.pop()
        if file_id not in found:
            schema = _with_variants(document(file_id), file_id, options)
            found[file_id] = draft.create_resource(schema)
            waiting += referenced_files(schema)
    registry: Registry[Any] = Registry()
    return registry.with_resources(found.items()).crawl()


def short_json(value: Any) -> str:
    """A value as a sentence quotes it: short, ASCII, on one line."""
    if isinstance(value, dict | list):
        return _KINDS[type(value)]
    if isinstance(value, str):
        return json.dumps(value if len(value) <= SHOWN else value[:SHOWN] + "...")
    text = repr(value) if isinstance(value, NumberLiteral) else json.dumps(value, default=repr)
    return text if len(text) <= SHOWN else text[:SHOWN] + "..."


def _is_integer(_: object, value: object) -> bool:
    return type(value) is int


def _is_number(_: object, value: object) -> bool:
    return type(value) in (int, float)


def _pattern(_: object, pattern: str, value: object, __: object) -> Iterator[ValidationError]:
    if isinstance(value, str) and not python_pattern(pattern).search(value):
        yield ValidationError("pattern")


def _max_length(_: object, most: int, value: object, schema: Schema) -> Iterator[ValidationError]:
    if isinstance(value, str) and length(value, schema) > most:
        yield ValidationError("maxLength")


def _required(_: object, names: Iterable[str], value: object, __: object) -> Iterator[ValidationError]:
    """As the library's own, but the error is at the field that is missing."""
    if isinstance(value, dict):
        for name in names:
            if name not in value:
                yield ValidationError("required", path=(name,))


def _items(validator: Validator, items: object, value: object, schema: Schema) -> Iterator[ValidationError]:
    """As the library's own, but of a list that is too long only as many items as it may have: to explain thousands would
    hold up others.
    """
    if isinstance(value, list):
        value = value[: schema.get("maxItems", len(value))]
    yield from Draft202012Validator.VALIDATORS["items"](validator, items, value, schema)


def _with_variants(node: Any, file_id: str, options: tuple[Option, ...]) -> Any:
    """A schema file for the reference: `$ref`s name variants, and no `$schema` resets the validator to the plain draft."""
    if isinstance(node, dict):
        return {
            name: resolve_ref(inner, file_id, options) if name == "$ref" else _with_variants(inner, file_id, options)
            for name, inner in node.items()
            if name != "$schema"
        }
    if isinstance(node, list):
        return [_with_variants(inner, file_id, options) for inner in node]
    return node


def _violation(schema_id: str, error: ValidationError, options: tuple[Option, ...]) -> Violation:
    field = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path)
    rule = str(error.validator)
    code = _code(schema_id, error, rule, options)
    return Violation(field.removeprefix(".") or "body", rule, code, _sentence(field, error), _finding(error, rule))


def _finding(error: ValidationError, rule: str) -> lint_rules.Rule:
    """The rule under which the violation is a finding about the client."""
    value: Any = error.instance
    schema: Mapping[str, Any] = error.schema if isinstance(error.schema, Mapping) else {}
    if rule == "type":
        expected = str(error.validator_value)
        if expected == "string" and (type(value) in (int, float) or isinstance(value, NumberLiteral)):
            return lint_rules.NUMBER_FOR_STRING
        if expected in ("integer", "number") and isinstance(value, str):
            return lint_rules.STRING_FOR_NUMBER
    if rule == "maximum" and schema.get("x-unit") == "seconds" and _is_milliseconds(value):
        return lint_rules.MILLISECONDS_FOR_SECONDS
    if schema.get("$id") == _ADDRESS:
        return lint_rules.MALFORMED_ADDRESS
    return lint_rules.SHAPE


def _is_milliseconds(value: int) -> bool:
    """Whether a number that is too large for seconds is probably a moment in milliseconds."""
    return 10**11 <= value < 10**15


def _code(schema_id: str, error: ValidationError, rule: str, options: tuple[Option, ...]) -> Code | None:
    """The innermost `x-code` for the broken keyword, on the path from the root of the schema to it."""
    place = follow(schema_id, "", options)
    found: int | None = None
    for step in error.absolute_schema_path:
        while isinstance(step, str) and step not in place.schema:  # the path leaves out every `$ref`
            place = follow(place.schema["$ref"], place.file_id, options)
            found = _code_for(place.schema, rule) or found
        if step != rule:
            place = Place(_at(place.schema, step), place.file_id)
            found = _code_for(place.schema, rule) or found
    if rule == "required":
        missing = properties_of(place, options)[str(error.absolute_path[-1])]
        found = _code_for({"x-code": keyword(missing, "x-code", options)}, rule) or found
    return None if found is None else Code(found)


def _at(schema: Any, step: str | int) -> Any:
    return schema[step]


def _code_for(schema: Schema | list[Schema], rule: str) -> int | None:
    code = schema.get("x-code") if isinstance(schema, Mapping) else None
    return code.get(rule) if isinstance(code, Mapping) else code


def _sentence(path: str, error: ValidationError) -> str:
    """A sentence: what was found, and what was meant."""
    rule = str(error.validator)
    expected: Any = error.validator_value
    value: Any = error.instance
    schema: Mapping[str, Any] = error.schema if isinstance(error.schema, Mapping) else {}
    field, found, title = path.removeprefix(".") or "body", short_json(value), schema.get("title")
    if rule == "required":
        return f"{field} is missing"
    if rule == "type":
        kind = _KINDS.get(type(value), "a number with a point or an exponent")
        found = "it" if value is None or isinstance(value, dict | list) else found
        return f"{field}: {found} is {kind}, not {_MEANT[str(expected)]}" + (f": {title} is meant" if title else "")
    if rule in ("minimum", "maximum"):
        side = "below" if rule == "minimum" else "above"
        return f"{field}: {found} is {side} {expected}{_unit_hint(schema.get('x-unit'), value)}"
    if rule in ("enum", "const"):
        words = [expected] if rule == "const" else list(expected)
        return f"{field}: {found} is {'none of' if len(words) > 1 else 'not'} {', '.join(map(short_json, words))}"
    if rule == "minLength":
        return f"{field} is empty"
    if rule == "maxLength" and expected:
        return f"{field}: {length(value, schema)} {schema.get('x-unit', 'characters')} are more than {expected}"
    if rule in ("minItems", "maxItems"):
        return f"{field}: {len(value)} items are {'fewer' if rule == 'minItems' else 'more'} than {expected}"
    return f"{field}: {found} is not {title or 'what the schema allows'}"


def _unit_hint(unit: str | None, value: int) -> str:
    if unit == "seconds" and _is_milliseconds(value):
        return ": seconds are meant, this looks like milliseconds"
    return ": seconds are meant" if unit == "seconds" and value > 0 else ""
