"""The fields of a fault's effects in the client for JavaScript: of its module, and of the types that `tsc` makes of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mockrelay.spec.fault_effects import EFFECTS, Schema

_IN_MODULE = re.compile(
    r"(?P<before> \* @property \{string\} \[name\]\n)( \* @property .*\n)*?(?P<after> \* @property .* \[when\]\n)"
)
_IN_TYPES = re.compile(r"(?P<before>export type FaultFields = \{\n    name\?: .*\n)(    .*\n)*?(?P<after>    when\?: )")
_TYPES = {"integer": "number", "boolean": "boolean", "string": "string"}


def with_fault_types(text: str) -> str:
    """A file with those fields as they should be; one without such a place stays as it is."""
    of_module = "".join(f" * @property {{{kind}}} [{name}]\n" for name, kind in _fields())
    of_types = "".join(f"    {name}?: {kind} | undefined;\n" for name, kind in _fields())
    for place, lines in ((_IN_MODULE, of_module), (_IN_TYPES, of_types)):
        text = place.sub(rf"\g<before>{lines}\g<after>", text)
    return text


def _fields() -> Iterator[tuple[str, str]]:
    for row in EFFECTS.values():
        yield row.name, _type_of(row.value)
        yield from ((name, _type_of(schema)) for name, schema in row.beside.items())


def _type_of(schema: Schema) -> str:
    """A schema that is named stands for a text."""
    return "string" if "$ref" in schema else _TYPES[schema["type"]]
