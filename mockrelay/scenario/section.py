"""What the builders of all sections share: paths of errors, look-up of names, repeated values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from mockrelay.core.errors import InvalidInput, Path
from mockrelay.core.units import duration_ms
from mockrelay.suggest import nearest, shown
from mockrelay.wire.violations import RepeatedValue

Values = Mapping[str, Any]
"""A map of a scenario as plain values, valid by its schema."""
T = TypeVar("T")
Built = TypeVar("Built")

SCHEMA = "mockrelay:scenario.json"


@contextmanager
def at(*steps: str | int) -> Iterator[None]:
    """Prefixes the paths of errors raised inside with `steps`."""
    try:
        yield
    except InvalidInput as error:
        raise error.under(*steps) from None


def each(items: Iterable[T], build: Callable[[T], Built]) -> list[Built]:
    """Builds each item; the path of an error starts with the item's index."""
    built: list[Built] = []
    try:
        built.extend(map(build, items))
    except InvalidInput as error:
        raise error.under(len(built)) from None
    return built


def duration_in_ms(text: str) -> int:
    """A duration in milliseconds."""
    found = duration_ms(text)
    assert found is not None
    return found


def look_up(by_name: Mapping[str, Built], values: Values, key: str) -> Built:
    """What the name in the field `key` stands for; InvalidInput with the nearest name where it is unknown."""
    name = values[key]
    if name not in by_name:
        raise InvalidInput((key,), shown(name), nearest(name, by_name))
    return by_name[name]


def check_unique(what: str, values: Iterable[tuple[Path, object]]) -> None:
    """RepeatedValue where two of the paths have the same value."""
    first: dict[object, Path] = {}
    for path, value in values:
        if value in first:
            raise RepeatedValue(path, first[value], f"the {what} {value} again", f"each {what} once")
        first[value] = path
