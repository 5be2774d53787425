"""The JSON Schema by which editors complete and check scenario files: `schemas/scenario.json` in one document with all
that it refers to.
"""

from __future__ import annotations

import json
from typing import Any

from mockrelay.scenario.section import SCHEMA
from mockrelay.spec.request_kinds import TxType
from mockrelay.wire.schemas import document, referenced_files

_WIDTH = 120


def editor_schema_text() -> str:
    """The schema as a file holds it."""
    return _pretty(editor_schema(), "") + "\n"


def editor_schema() -> dict[str, Any]:
    """The schema in one document: what it refers to in other files stands under its `$defs`, by the name of the file."""
    whole: dict[str, Any] = _without_words(document(SCHEMA))
    waiting = [*referenced_files(document(SCHEMA))]
    while waiting:
        file_id = waiting.pop(0)
        if _name(file_id) not in whole["$defs"]:
            schema = document(file_id)
            waiting += referenced_files(schema)
            whole["$defs"][_name(file_id)] = _without_words(
                {k: v for k, v in schema.items() if k[0] != "$" or k == "$ref"}
            )
    # Real answers show the words in lower case too.
    whole["$defs"]["TxType"]["enum"] = [*TxType, *(word.lower() for word in TxType)]
    for name in ("choices", "Choices"):  # of a scenario, and of a command
        whole["$defs"][name]["properties"] = {
            key: _with_numbers(choice) for key, choice in whole["$defs"][name]["properties"].items()
        }
    return whole


def _with_numbers(choice: dict[str, Any]) -> dict[str, Any]:
    """The schema of a choice that also takes a number whose text is an option."""
    numbers = [int(option) for option in choice["enum"] if option.isdecimal()]
    return {**choice, "type": ["string", "integer"], "enum": [*choice["enum"], *numbers]} if numbers else choice


def _name(file_id: str) -> str:
    """What a file is called under `$defs`: an object by its own name, a command with what it is before it."""
    name = file_id.rpartition("/")[2].removesuffix(".json")
    return f"command_{name}" if "/commands/" in file_id else name


def _local(ref: str) -> str:
    """A reference as one to the document's own `$defs`."""
    file_id, _, pointer = ref.partition("#")
    return f"#/$defs/{_name(file_id)}{pointer}" if file_id else ref


def _without_words(schema: Any) -> Any:
    """A schema without our own keywords, its `$ref`s to other files as ones to its own `$defs`."""
    if isinstance(schema, list):
        return [_without_words(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _local(inner) if key == "$ref" else _without_words(inner)
        for key, inner in schema.items()
        if not key.startswith("x-")
    }


def _pretty(value: Any, indent: str) -> str:
    """JSON with whatever fits into a line on one."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or len(indent) + len(line) <= _WIDTH:
        return line
    inner = indent + "  "
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {_pretty(item, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(inner + part for part in parts) + f"\n{indent}}}"
    return "[\n" + ",\n".join(inner + _pretty(item, inner) for item in value) + f"\n{indent}]"
