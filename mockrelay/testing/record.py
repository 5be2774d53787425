"""Answers of the control API, readable as dicts and by attribute."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockrelay.suggest import nearest


class Record(dict[str, Any]):
    """A JSON object whose fields are attributes too: `entry["endpoint"]` is `entry.endpoint`."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no field {name!r}; meant: {nearest(name, self)}") from None


def recorded(value: Any) -> Any:
    """A JSON value with every object in it as a Record."""
    if isinstance(value, Mapping):
        return Record({name: recorded(part) for name, part in value.items()})
    if isinstance(value, list):
        return [recorded(part) for part in value]
    return value
