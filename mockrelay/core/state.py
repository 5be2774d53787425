"""What a class whose instances change is made of: one list of fields, which is the body of the class.

A row `name: type = saved_field(…)` says all about a field: its type tells how it is copied, compared and saved, and the row
how it starts and whether it is saved at all. A subclass of `State` gets its slots, constructor, `clone` and `facts` from its
rows; `core.saving` takes from them what is saved. A type that cannot be copied is refused when the class is made.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from enum import Enum
from inspect import get_annotations
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    NamedTuple,
    Self,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
)

from sortedcontainers import SortedList

_CONTAINERS = (list, set, deque, SortedList)


class Kept(Enum):
    """What becomes of a field where its instance is copied or saved."""

    SAVED = 1
    """It is copied and saved."""
    DERIVED = 2
    """It is copied; it follows from what is saved, so a restored instance has it made anew."""
    CACHE = 3
    """A copy starts without it, and so does a restored instance."""
    GIVEN = 4
    """It never changes: copies share it, and whoever restores an instance gives it."""


class By(NamedTuple):
    """Beside a dict of records: the field that is its key. It is a list of records, in an order that counts."""

    field: str


ANY_ORDER = "in any order"
"""Beside a list: only what is in it counts, and not where."""


class Row(NamedTuple):
    """What a class body says of a field."""

    kept: Kept
    in_digest: bool
    """Whether it counts where the state is compared without what only callers leave behind."""
    factory: Callable[[], Any] | None = None
    """Makes its value at the start."""
    of: Callable[[Any], Any] | None = None
    """Makes its value at the start, of what the instance starts from. With neither, the constructor must be given it."""


class Field(NamedTuple):
    """A field of a class."""

    name: str
    type: Any
    row: Row


def saved_field(
    *,
    factory: Callable[[], Any] | None = None,
    of: Callable[[Any], Any] | None = None,
    in_digest: bool = True,
) -> Any:
    """A field that is copied and saved."""
    return Row(Kept.SAVED, in_digest, factory, of)


def derived_field(*, factory: Callable[[], Any], in_digest: bool = False) -> Any:
    """A field that follows from those that are saved, kept since it is looked up often."""
    return Row(Kept.DERIVED, in_digest, factory)


def cache_field(*, factory: Callable[[], Any]) -> Any:
    """A field that can be worked out again at any time."""
    return Row(Kept.CACHE, in_digest=False, factory=factory)


def given_field(*, of: Callable[[Any], Any]) -> Any:
    """A field that never changes and is not part of the state."""
    return Row(Kept.GIVEN, in_digest=False, of=of)


@dataclass_transform(eq_default=False, field_specifiers=(saved_field, derived_field, cache_field, given_field))
class StateType(type):
    """Makes a class of its rows. Raises TypeError where a field's type cannot be copied or compared."""

    FIELDS: tuple[Field, ...]

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> StateType:
        """The class, its rows taken out of the body."""
        rows = {attribute: row for attribute, row in body.items() if isinstance(row, Row)}
        rest = {attribute: value for attribute, value in body.items() if attribute not in rows}
        made = super().__new__(cls, name, bases, {**rest, "__slots__": tuple(rows)})
        hints = get_annotations(made, eval_str=True)
        made.FIELDS = tuple(Field(attribute, hints[attribute], row) for attribute, row in rows.items())
        if rows:
            # Written out field by field, as a namedtuple's constructor is: loops over them would take half as long again.
            names = {"new": object.__new__, "cls": made, **{f"start_{key}": row.factory for key, row in rows.items()}}
            exec("\n".join(_source(made.FIELDS)), names)  # noqa: S102 - nothing in it is from outside
            for method in ("__init__", "clone", "facts"):
                setattr(made, method, names[method])
        return made


class State(metaclass=StateType):
    """Base of the classes that are made of rows."""

    def clone(self) -> Self:
        """An independent copy; what never changes is shared."""
        raise NotImplementedError

    def facts(self, *, whole: bool = True) -> tuple[Any, ...]:
        """All that tells two instances apart, each field in its order, as values whose `repr` is equal where they are;
        not `whole`: without the fields that only callers leave behind.
        """
        raise NotImplementedError

    @property
    def is_unused(self) -> bool:
        """Whether it is as good as none: then it is neither saved nor counted."""
        return False


def plain_type(type_: Any) -> tuple[Any, tuple[Any, ...], Any]:
    """What a type is made with, its parts, and what stands beside it: `dict`, `(int, str)` and None of `dict[int, str]`."""
    extra = None
    if get_origin(type_) is Annotated:
        type_, extra = get_args(type_)
    return get_origin(type_) or type_, get_args(type_), extra


def is_record(type_: Any) -> bool:
    """Whether a type is one of records, which never change."""
    return isinstance(type_, type) and issubclass(type_, tuple) and hasattr(type_, "_fields")


def is_state(type_: Any) -> bool:
    """Whether a type is one of states."""
    return isinstance(type_, StateType)


def _source(fields: tuple[Field, ...]) -> Iterator[str]:
    required = "".join(f", {field.name}" for field in fields if field.row.factory is None)
    optional = "".join(f", {field.name}=cls" for field in fields if field.row.factory is not None)
    yield f"def __init__(self{required}{', *' if optional else ''}{optional}):"
    for name, _, row in fields:
        yield f" self.{name} = {name if row.factory is None else f'start_{name}() if {name} is cls else {name}'}"
    yield "def clone(self):"
    yield " copy = new(cls)"
    for field in fields:
        yield f" copy.{field.name} = {_copied_field(field)}"
    yield " return copy"
    yield "def facts(self, *, whole=True):"
    yield f" return ({_facts(fields)}) if whole else ({_facts(field for field in fields if field.row.in_digest)})"


def _copied_field(field: Field) -> str:
    if field.row.kept is Kept.CACHE:
        return f"start_{field.name}()"
    value = f"self.{field.name}"
    return value if field.row.kept is Kept.GIVEN else _copied(field.type, value)


def _copied(type_: Any, value: str, depth: int = 0) -> str:
    """The source of a copy of a value of this type."""
    origin, parts, _ = plain_type(type_)
    if _never_changes(type_):
        return value
    if origin is dict:
        key, one = f"key{depth}", f"one{depth}"
        inner = _copied(parts[1], one, depth + 1)
        return f"{value}.copy()" if inner == one else f"{{{key}: {inner} for {key}, {one} in {value}.items()}}"
    if origin in _CONTAINERS and all(map(_never_changes, parts)):
        return f"{value}.copy()"
    if hasattr(origin, "clone"):
        return f"{value}.clone()"
    raise TypeError(f"there is no way to copy {type_}")


def _facts(fields: Iterator[Field] | tuple[Field, ...]) -> str:
    counted = [field for field in fields if field.row.kept is Kept.SAVED or field.row.in_digest]
    return "".join(f"{_fact(field.type, f'self.{field.name}')}, " for field in counted)


def _fact(type_: Any, value: str, depth: int = 0) -> str:
    """The source of what counts in a value of this type."""
    origin, parts, extra = plain_type(type_)
    if _never_changes(type_):
        return value
    if isinstance(extra, By):
        return f"[*{value}.values()]"
    if origin is dict:
        key, one = f"key{depth}", f"one{depth}"
        inner = _fact(parts[1], one, depth + 1)
        if inner == one:
            return f"sorted({value}.items())"
        used = f" if not {one}.is_unused" if is_state(parts[1]) else ""
        return f"sorted(({key}, {inner}) for {key}, {one} in {value}.items(){used})"
    if origin in _CONTAINERS:
        return f"sorted({value})" if origin is set or extra is ANY_ORDER else f"[*{value}]"
    if hasattr(origin, "facts"):
        return f"{value}.facts()"
    raise TypeError(f"there is no way to compare {type_}")


def _never_changes(type_: Any) -> bool:
    origin, parts, _ = plain_type(type_)
    if origin in (Union, UnionType, tuple):
        return all(part is Ellipsis or _never_changes(part) for part in parts)
    if not isinstance(origin, type):
        return False
    return origin in (int, str, bool, NoneType) or issubclass(origin, Enum) or is_record(origin)
