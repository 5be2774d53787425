"""The OpenAPI documents as text."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import yaml

from mockrelay.openapi import control_document, relayer_document

_DOCUMENTS: Mapping[str, Callable[[], dict[str, Any]]] = {"relayer": relayer_document, "control": control_document}


class _Plain(yaml.SafeDumper):
    """Writes every value where it stands. What occurs twice would else be an anchor, which not every reader knows."""

    def ignore_aliases(self, data: Any) -> bool:
        """Always."""
        return True

    def represent_str(self, data: str) -> yaml.ScalarNode:
        """Texts of several lines as they are read."""
        style = "|" if "\n" in data else None
        return self.represent_scalar("tag:yaml.org,2002:str", data, style=style)


_Plain.add_representer(str, _Plain.represent_str)


def text_of(which: str, *, as_yaml: bool) -> str:
    """The document of the API `relayer` or `control`, in JSON or in YAML."""
    text = json.dumps(_DOCUMENTS[which](), indent=2)
    return yaml.dump(json.loads(text), Dumper=_Plain, sort_keys=False, width=120) if as_yaml else text
