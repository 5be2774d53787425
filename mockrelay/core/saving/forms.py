"""How records become JSON and are read back: one form for each type that the fields of a world's records name.

What is read is only ever looked up in tables made of our own classes, never executed.
"""

from __future__ import annotations

import collections.abc
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from mockrelay.core.due import Due
from mockrelay.core.faults import Fault
from mockrelay.core.limiter import Run
from mockrelay.core.records import (
    Account,
    Balance,
    Block,
    Deposit,
    Key,
    KeyChange,
    Nft,
    Order,
    PendingTx,
    Request,
    SealedTx,
    SpotTrade,
    Told,
    Trade,
    TradeLeg,
)
from mockrelay.core.saving.plain import (
    SIMPLE,
    Form,
    Signed,
    WrongStateError,
    a_map,
    at_step,
    fields_of,
    plain_map,
    plain_written,
)
from mockrelay.core.saving.texts import TEXTS
from mockrelay.core.wording import any_of, nearest, shown
from mockrelay.core.world import DueRequest, Finding
from mockrelay.spec.request_kinds import TxType

_LEGS = ("orderA", "orderB")

RECORDS = frozenset(
    {
        Account,
        Balance,
        Block,
        Deposit,
        Due,
        DueRequest,
        Fault,
        Finding,
        Key,
        KeyChange,
        Nft,
        Order,
        PendingTx,
        Request,
        Run,
        SealedTx,
        SpotTrade,
        Told,
        Trade,
        TradeLeg,
    }
)
"""The records that a saved world may hold; a type that names another has no form."""


@cache
def form_of(type_: Any) -> Form:
    """The form of a type; TypeError where it has none, which is a fault of ours."""
    if type_ in SIMPLE:
        return SIMPLE[type_]
    if isinstance(type_, type) and issubclass(type_, Enum):
        return _word(type_)
    if type_ in RECORDS:
        return _record(type_)
    origin, parts = get_origin(type_), get_args(type_)
    if origin in (Union, UnionType):
        return _optional(parts) if NoneType in parts else _one_of(parts)
    if origin is tuple:
        return _listed(form_of(parts[0]), tuple) if parts[-1] is Ellipsis else _row(parts)
    if origin is list:
        return _listed(form_of(parts[0]), list)
    if origin is set:
        return _set(form_of(parts[0]))
    if origin is dict:
        return mapped(parts[0], form_of(parts[1]))
    if origin is collections.abc.Mapping and parts == (str, Any):
        return Form(plain_written, plain_map)
    raise TypeError(f"{type_} has no saved form")


def mapped(key_type: Any, value: Form) -> Form:
    """A dict: a map where its keys are texts, else a list of [key, value]."""
    key = form_of(key_type)
    pairs = _listed(Form(lambda pair: [key.write(pair[0]), value.write(pair[1])], _row_reader((key, value))), list)
    # `tuple[str, str]` is no class, though Python 3.11 lets it pass for one.
    if isinstance(key_type, type) and issubclass(key_type, str):
        return Form(
            lambda held: {key.write(name): value.write(one) for name, one in held.items()},
            lambda found: {
                key.read(name): at_step(f"[{name!r}]", value.read, one) for name, one in a_map(found).items()
            },
        )

    def read(found: Any) -> dict[Any, Any]:
        rows = pairs.read(found)
        made = dict(rows)
        if len(made) != len(rows):
            raise WrongStateError("", "a key twice", "each key once")
        return made

    return Form(lambda held: pairs.write(held.items()), read)


def keyed(record: type, field: str) -> Form:
    """A dict of records by one of their fields: the list of the records."""
    records = form_of(list[record])  # type: ignore[valid-type]  # a type made at run time

    def read(found: Any) -> dict[Any, Any]:
        made: dict[Any, Any] = {}
        for index, one in enumerate(records.read(found)):
            key = getattr(one, field)
            if key in made:
                raise WrongStateError(f"[{index}].{field}", f"{key!s:.80} again", f"each {field} once")
            made[key] = one
        return made

    return Form(lambda held: records.write(held.values()), read)


def _word(enum: type[Enum]) -> Form:
    members: dict[Any, Enum] = {member.value: member for member in enum}
    kind = type(next(iter(members)))

    def read(found: Any) -> Enum:
        if type(found) is not kind:
            raise WrongStateError("", shown(found), any_of(members))
        if found not in members:
            raise WrongStateError("", shown(found), nearest(str(found), [str(word) for word in members]))
        return members[found]

    return Form(lambda member: member.value, read)


def _record(record: Any) -> Form:
    hints = get_type_hints(record)
    forms = {name: _OF_FIELD.get((record, name)) or form_of(hints[name]) for name in record._fields}
    writers = [(name, form.write) for name, form in forms.items()]
    readers = [(name, form.read) for name, form in forms.items()]

    def write(held: Any) -> dict[str, Any]:
        return {name: write_field(value) for (name, write_field), value in zip(writers, held, strict=True)}

    def read(found: Any) -> Any:
        given, made, name = fields_of(found, forms), [], ""
        try:
            for name, read_field in readers:
                made.append(read_field(given[name]))
        except WrongStateError as error:
            raise error.under(f".{name}") from None
        return record._make(made)

    return Form(write, read)


def _optional(parts: tuple[Any, ...]) -> Form:
    inner = form_of(Union[tuple(part for part in parts if part is not NoneType)])  # noqa: UP007  # made at run time
    return Form(
        lambda held: None if held is None else inner.write(held),
        lambda found: None if found is None else inner.read(found),
    )


def _one_of(parts: tuple[Any, ...]) -> Form:
    """A text, or one of several records: a map of its type's name alone."""
    forms = {part.__name__: form_of(part) for part in parts if part is not str}

    def write(held: Any) -> Any:
        return held if isinstance(held, str) else {type(held).__name__: forms[type(held).__name__].write(held)}

    def read(found: Any) -> Any:
        if type(found) is str and str in parts:
            return found
        name = next(iter(found), None) if type(found) is dict and len(found) == 1 else None
        if name not in forms:
            raise WrongStateError("", shown(found), f"a map of {any_of(forms)}" + ", or a text" * (str in parts))
        return at_step(f".{name}", forms[name].read, found[name])

    return Form(write, read)


def _listed(item: Form, made: type[list[Any] | tuple[Any, ...]]) -> Form:
    def read(found: Any) -> Any:
        if type(found) is not list:
            raise WrongStateError("", shown(found), "a list")
        items: list[Any] = []
        try:
            items.extend(map(item.read, found))
        except WrongStateError as error:
            raise error.under(f"[{len(items)}]") from None
        return made(items)

    return Form(lambda held: [item.write(one) for one in held], read)


def _row_reader(forms: tuple[Form, ...]) -> Callable[[Any], tuple[Any, ...]]:
    def read(found: Any) -> tuple[Any, ...]:
        if type(found) is not list or len(found) != len(forms):
            raise WrongStateError("", shown(found), f"a list of {len(forms)}")
        return tuple(at_step(f"[{index}]", form.read, found[index]) for index, form in enumerate(forms))

    return read


def _row(parts: tuple[Any, ...]) -> Form:
    forms = tuple(form_of(part) for part in parts)
    return Form(lambda held: [form.write(one) for form, one in zip(forms, held, strict=True)], _row_reader(forms))


def _set(item: Form) -> Form:
    listed = _listed(item, list)

    def read(found: Any) -> set[Any]:
        items = listed.read(found)
        made = set(items)
        if len(made) != len(items):
            raise WrongStateError("", "the same thing twice", "each once")
        return made

    return Form(lambda held: listed.write(sorted(held)), read)


def _told_fields(found: Any) -> dict[str, Any]:
    """The fields of a transaction of the past; its type is a word of ours, and its legs are as its views need them."""
    fields = plain_map(found)
    fields["txType"] = at_step("['txType']", form_of(TxType).read, fields.get("txType"))
    for name in _LEGS:
        if name in fields and not (isinstance(fields[name], dict) and type(fields[name].get("fillS")) is int):
            raise WrongStateError(f"[{name!r}]", shown(fields[name]), "a map with fillS, a whole number")
    return fields


_OF_FIELD: Mapping[tuple[Any, str], Form] = {
    **TEXTS,
    # The house may owe.
    (Balance, "free_wei"): form_of(Signed),
    (Told, "fields"): Form(plain_written, _told_fields),
}
"""Fields whose type does not tell all."""
