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
_LEFT_OUT = frozenset({"$schema", "$id", VARIANTS, ALL_REQUIRED})
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
            self._by_name[name] = self.inline(follow(file_id, "", tuple(self.options.items())).schema)
        return {"$ref": f"#/components/schemas/{name}"}

    def named(self, name: str, schema: Schema) -> dict[str, str]:
        """A reference to a schema without a file, which becomes a component with this name."""
        self._by_name[name] = self.inline(schema)
        return {"$ref": f"#/components/schemas/{name}"}

    def inline(self, schema: Schema) -> dict[str, Any]:
        """A schema in the form that the document uses."""
        return {key: self._inner(key, value) for key, value in schema.items() if key not in _LEFT_OUT}

    def schemas(self) -> dict[str, Any]:
        """All components, by name."""
        return dict(sorted(self._by_name.items()))

    def _inner(self, key: str, value: Any) -> Any:
        if key == "$ref":
            return self.ref(value)["$ref"]
        if isinstance(value, Mapping):
            # Below `properties` a key is the name of a field, which might be `$ref` or `properties`, too.
            return {name: self._inner("", inner) if key == "properties" else self._inner(name, inner)
                    for name, inner in value.items()}  # fmt: skip
        return [self._inner("", inner) for inner in value] if isinstance(value, list) else value


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
