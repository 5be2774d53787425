"""What all sections need while they are built of values that fit the schema: places in errors, names and repetitions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from mockrelay.core.errors import InvalidInput, Path
from mockrelay.core.units import duration_ms
from mockrelay.suggest import nearest, shown
from mockrelay.wire.violations import RepeatedValue

Values = Mapping[str, Any]
"""A map of a scenario as plain values that fit its schema."""
T = TypeVar("T")
Built = TypeVar("Built")

SCHEMA = "mockrelay:scenario.json"


@contextmanager
def at(*steps: str | int) -> Iterator[None]:
    """Errors from within are of what stands at `steps`."""
    try:
        yield
    except InvalidInput as error:
        raise error.under(*steps) from None


def each(items: Iterable[T], build: Callable[[T], Built]) -> list[Built]:
    """What is built of each item; errors are of that item."""
    built: list[Built] = []
    try:
        built.extend(map(build, items))
    except InvalidInput as error:
        raise error.under(len(built)) from None
    return built


def duration_of(text: str) -> int:
    """A duration in milliseconds."""
    found = duration_ms(text)
    assert found is not None
    return found


def named(known: Mapping[str, Built], values: Values, key: str) -> Built:
    """What the name at `key` stands for."""
    name = values[key]
    if name not in known:
        raise InvalidInput((key,), shown(name), nearest(name, known))
    return known[name]


def once(what: str, placed: Iterable[tuple[Path, object]]) -> None:
    """RepeatedValue where a value stands at two of the paths."""
    first: dict[object, Path] = {}
    for path, value in placed:
        if value in first:
            raise RepeatedValue(path, first[value], f"the {what} {value} again", f"each {what} once")
        first[value] = path
