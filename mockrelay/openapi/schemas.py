"""The packaged schemas as a document's components: each under one name, every `$ref` pointing inside the document.

Beside the schemas of the API there are those of the control API, `schemas/control/GROUP/NAME.json` with the id
`mockrelay:control/GROUP/NAME.json`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mockrelay._files import data_root
from mockrelay.spec.choices import DEFAULTS
from mockrelay.wire.schemas import ALL_REQUIRED, SCHEME, VARIANTS, follow

Schema = Mapping[str, Any]

CONTROL = "control/"
_LEFT_OUT = frozenset({"$schema", "$id", "title", "description", "default", VARIANTS, ALL_REQUIRED})
_MAPS = frozenset({"properties", "patternProperties", "x-events"})
"""Keywords whose value has schemas by name."""
_LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
"""Keywords whose value is a list of schemas."""
_SCHEMAS = frozenset({"items", "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else"})
"""Keywords whose value is a schema."""
_FIELDS = frozenset({"properties", "patternProperties", "additionalProperties", "allOf", "anyOf", "oneOf"})
"""Keywords that say which fields an object has. Generators take one without any of them for one that has no fields."""
_CHOICES = "Choices"
"""The component of choices, which come and go: a program that was compiled with those of another version should still run."""
_SUFFIXES = {"objects": "", "requests": "_request", "responses": "_answer", "commands": "_command"}


def control_ids() -> tuple[str, ...]:
    """The ids of all schema files of the control API."""
    folder = data_root().joinpath("schemas", "control")
    return tuple(
        sorted(
            f"{SCHEME}{CONTROL}{group}/{entry.name}"
            for group in _SUFFIXES
            for entry in folder.joinpath(group).iterdir()
            if entry.name.endswith(".json")
        )
    )


def component_name(file_id: str) -> str:
    """The name of a schema file's component: an object's own name; for others, with a suffix such as `_request`."""
    *_, group, name = file_id.removeprefix(SCHEME).split("/")
    return name.removesuffix(".json") + _SUFFIXES[group]


class Components:
    """Collects the schemas that a document refers to while it is built."""

    def __init__(self, options: Mapping[str, str] = DEFAULTS) -> None:
        """`options`: by choice the option that the document describes."""
        self.options = options
        self._by_name: dict[str, dict[str, Any]] = {}
        self._ids: dict[str, str] = {}

    def ref(self, file_id: str) -> dict[str, str]:
        """A reference to a schema file, which becomes a component, as do the files that it refers to."""
        name = component_name(file_id)
        if self._ids.setdefault(name, file_id) != file_id:
            raise ValueError(f"{file_id} and {self._ids[name]} would both be the component {name}")
        if name not in self._by_name:
            self._by_name[name] = {}
            schema = follow(file_id, "", tuple(self.options.items())).schema
            self._by_name[name] = self.inline(_free_map(schema) if name == _CHOICES else _with_all_fields(schema))
        return {"$ref": f"#/components/schemas/{name}"}

    def named(self, name: str, schema: Schema) -> dict[str, str]:
        """A reference to a schema without a file, which becomes a component with this name unless it is one already."""
        found = self.inline(schema)
        if found.keys() <= {"$ref", "description"}:
            return {"$ref": found["$ref"]}
        self._by_name[name] = found
        return {"$ref": f"#/components/schemas/{name}"}

    def inline(self, schema: Schema) -> dict[str, Any]:
        """A schema in the form that the document uses."""
        found: dict[str, Any] = {}
        for key, value in schema.items():
            if key == "$ref":
                found |= self.ref(value)
            elif key in _MAPS:
                found[key] = {name: self._inner(inner) for name, inner in value.items()}
            elif key in _LISTS:
                found[key] = [self._inner(inner) for inner in value]
            elif key not in _LEFT_OUT:
                found[key] = self._inner(value) if key in _SCHEMAS else value
        if text := _text(schema):
            found["description"] = text
        if found.get("type") == "object" and not _FIELDS & found.keys():
            found["additionalProperties"] = True
        if found.get("type") == "array":
            found.setdefault("items", {})
        return found

    def schemas(self) -> dict[str, Any]:
        """All components, by name."""
        return dict(sorted(self._by_name.items()))

    def _inner(self, schema: Any) -> Any:
        # A schema may also be true or false.
        return self.inline(schema) if isinstance(schema, Mapping) else schema


def _text(schema: Schema) -> str:
    """What the description of a schema says: its own, its title, and its default.

    Generators of clients make the name of a type of a title, so two of ours would clash; and of a field with a default one
    that must be sent.
    """
    parts = [str(schema[key]) for key in ("description", "title") if key in schema]
    parts += [f"Default: `{schema['default']}`."] if "default" in schema else []
    return "\n\n".join(part[:1].upper() + part[1:] for part in parts)


def _free_map(schema: Schema) -> Schema:
    """The schema of choices as that of any texts by name; the options stand beside it."""
    options = {key: inner["enum"] for key, inner in schema["properties"].items()}
    return {**schema, "properties": {}, "additionalProperties": {"type": "string"}, "x-options": options}


def _with_all_fields(schema: Schema) -> Schema:
    """The schema of an answer. One in an envelope always has `data`, by which it is told from a refusal."""
    names = schema.get("properties", {}).keys()
    return {**schema, "required": [*names]} if {"resultInfo", "data"} == names else schema


def refs_in(value: Any) -> Iterator[str]:
    """Every `$ref` in a document, at any depth."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key == "$ref" and isinstance(inner, str):
                yield inner
            yield from refs_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from refs_in(inner)
