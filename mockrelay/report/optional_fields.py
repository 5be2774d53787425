"""The optional fields of requests and the values of their enumerations, by the request schemas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from mockrelay.spec.vocab import OrderFilter
from mockrelay.wire.schemas import SCHEME, keyword, place_of, properties_of

_COMMA_LISTS = {f"{SCHEME}objects/OrderFilter.json": tuple(OrderFilter)}
"""Fields that hold several values with commas between them."""
_ABSENT = object()


class TrackedFields(NamedTuple):
    """The fields of an endpoint's requests that coverage counts."""

    optional: Mapping[str, Any]
    """Optional fields, with the value that a request has that leaves the field out."""
    enums: Mapping[str, Mapping[Any, str]]
    """Fields with an enumeration: each of its values with its item's name, `side=BUY`."""

    @property
    def names(self) -> list[str]:
        """The names of all items."""
        return [*self.optional, *(name for values in self.enums.values() for name in values.values())]


class SentFields:
    """The tracked fields that were sent to an endpoint. A field is no longer looked at once nothing of it is missing."""

    __slots__ = ("_enums", "_optional", "names")

    def __init__(self, endpoint: str) -> None:
        tracked = tracked_fields(endpoint)
        self._optional = dict(tracked.optional)
        """The optional fields that no call has sent yet."""
        self._enums = tuple((name, dict(values)) for name, values in tracked.enums.items())
        """The fields with an enumeration, with those of its values that no call has sent yet."""
        self.names: set[str] = set()
        """The names of the items that were sent."""

    def record(self, args: Mapping[str, Any], query: Sequence[tuple[str, str]]) -> None:
        """Add the fields of a request: `args` holds the defaults of those that were not sent too, `query` does not."""
        if not args.keys().isdisjoint(self._optional):
            for name in args.keys() & self._optional.keys():
                if args[name] != self._optional[name] or any(name == sent for sent, _ in query):
                    self.names.add(name)
                    del self._optional[name]
        for name, values in self._enums:
            value = args.get(name)
            # By class: True would equal 1, and a list or a map is not hashable.
            if value.__class__ is str or value.__class__ is int:
                if value in values:
                    self._add(values, (value,))
                elif value.__class__ is str and "," in value:
                    self._add(values, value.split(","))

    def _add(self, missing: dict[Any, str], sent: Iterable[Any]) -> None:
        """Move the values that were sent from the missing ones of a field to `names`."""
        self.names.update(missing.pop(value) for value in sent if value in missing)
        self._enums = tuple(field for field in self._enums if field[1])


@cache
def tracked_fields(endpoint: str) -> TrackedFields:
    """The tracked fields of requests to an endpoint."""
    root = place_of(f"{SCHEME}requests/{endpoint}.json")
    required = keyword(root, "required") or ()
    optional: dict[str, Any] = {}
    enums: dict[str, Mapping[Any, str]] = {}
    for name, field in properties_of(root).items():
        values = _COMMA_LISTS.get(field.schema.get("$ref", ""), keyword(field, "enum") or ())
        if len(values) > 1:
            enums[name] = {value: f"{name}={value}" for value in values}
        elif name not in required:
            default = keyword(field, "default")
            optional[name] = _ABSENT if default is None else default
    return TrackedFields(optional, enums)
