"""Answers of the control API, readable as dicts and by attribute, with names in snake case."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from mockrelay.suggest import nearest

_CAMEL_CASE = re.compile(r"[a-z0-9]+(?:[A-Z][a-z0-9]+)*[A-Z]?(?:_ms)?")
"""A name of the control API; the symbol of a token such as stETH is none."""
_CAPITAL = re.compile(r"(?<=[a-z0-9])[A-Z]")
_BY_DATA = frozenset({"balances", "choices", "code", "counts", "fees", "headers", "problemCounts", "profiles", "putIn"})
"""The fields with maps whose keys are data, such as the symbols of tokens."""
_AS_SENT = frozenset({"answer", "body", "fields", "message", "subscribed", "subscriptions", "when"})
"""The fields that have the wire's own names: what was sent or answered, or is to be."""


class Record(dict[str, Any]):
    """A JSON object with its names in snake case, which are attributes too: `entry["account_id"]` is `entry.account_id`.
    The control API's spelling (`entry["accountId"]`) works for this release only; what is as sent has it for good.
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(
                f"there is no field {name!r}; meant: {nearest(name, [_snake_case(field) for field in self])}"
            ) from None

    def __missing__(self, name: str) -> Any:
        return self[self._other_spelling(name)]

    def __contains__(self, name: object) -> bool:
        try:
            return super().__contains__(name) or bool(self._other_spelling(name))
        except KeyError:
            return False

    def get(self, name: str, default: Any = None) -> Any:
        """The value of a field, or the default."""
        try:
            return self[name]
        except KeyError:
            return default

    def _other_spelling(self, name: object) -> str:
        """The field that has this name in the other spelling. Raises KeyError."""
        if isinstance(name, str):
            for field in self:
                if field != name and _snake_case(field) == _snake_case(name):
                    return field
        raise KeyError(name)


def _snake_case(field: str) -> str:
    return _CAPITAL.sub(lambda capital: f"_{capital[0].lower()}", field) if _CAMEL_CASE.fullmatch(field) else field


def recorded(value: Any, *, by_data: bool = False, as_sent: bool = False) -> Any:
    """A JSON value with every object in it as a Record. `by_data`: its keys are data; `as_sent`: it has the wire's names."""
    if isinstance(value, Mapping):
        return Record(
            {
                field if by_data or as_sent else _snake_case(field): recorded(
                    part, by_data=field in _BY_DATA, as_sent=as_sent or field in _AS_SENT
                )
                for field, part in value.items()
            }
        )
    if isinstance(value, list):
        return [recorded(part, by_data=by_data, as_sent=as_sent) for part in value]
    return value
