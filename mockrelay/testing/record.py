"""Answers of the control API, readable as dicts and by attribute."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from mockrelay.suggest import nearest

_CAPITAL = re.compile(r"(?<=[a-z0-9])[A-Z]")


class Record(dict[str, Any]):
    """A JSON object whose fields are attributes too, in snake case: `entry["accountId"]` is `entry.account_id`. Their own
    spelling (`entry.accountId`) works for this release only.
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        by_attribute = {_snake_case(field): field for field in self}
        if name in by_attribute:
            return self[by_attribute[name]]
        raise AttributeError(f"there is no field {name!r}; meant: {nearest(name, by_attribute)}")


def _snake_case(field: str) -> str:
    return _CAPITAL.sub(lambda capital: f"_{capital[0].lower()}", field)


def recorded(value: Any) -> Any:
    """A JSON value with every object in it as a Record."""
    if isinstance(value, Mapping):
        return Record({name: recorded(part) for name, part in value.items()})
    if isinstance(value, list):
        return [recorded(part) for part in value]
    return value
