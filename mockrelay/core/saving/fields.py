"""Codecs of records and states: one for each type that occurs in a field of a world.

Reading only looks names up in tables of our own classes; nothing of a saved state is executed.
"""

from __future__ import annotations

import collections.abc
from collections import deque
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_type_hints

from mockrelay.core.errors import InvalidInput
from mockrelay.core.fault_json import FAULT_FIELDS, format_fault, parse_fault
from mockrelay.core.faults import Fault
from mockrelay.core.layer1 import Layer1
from mockrelay.core.ledger import Ledger
from mockrelay.core.models import Balance, PastTx
from mockrelay.core.saving.codec import (
    SIMPLE,
    Codec,
    InvalidSavedState,
    Signed,
    fields_of,
    map_of,
    plain_map,
    plain_written,
    read_at,
)
from mockrelay.core.saving.rebuild import REBUILDERS, Values
from mockrelay.core.saving.texts import CODE, TEXT_CODECS
from mockrelay.core.state import UNORDERED, FieldKind, KeyedBy, State, is_record, is_state, plain_type
from mockrelay.core.world import World
from mockrelay.spec.request_kinds import TxType
from mockrelay.suggest import any_of, in_quotes, nearest, shown

_LEGS = ("orderA", "orderB")


@cache
def codec_of(type_: Any) -> Codec:
    """The codec of a type; TypeError if there is none, which is a defect of mockrelay."""
    if type_ in SIMPLE:
        return SIMPLE[type_]
    if isinstance(type_, type) and issubclass(type_, Enum):
        return _enum_codec(type_)
    if type_ is Fault:
        return Codec(_write_fault, _read_fault)
    if is_record(type_):
        return _record_codec(type_)
    origin, parts, extra = plain_type(type_)
    if isinstance(extra, KeyedBy):
        return _keyed_codec(parts[1], extra.field)
    if is_state(origin):
        return _state_codec(origin)
    if origin in (Union, UnionType):
        return _optional_codec(parts) if NoneType in parts else _union_codec(parts)
    if origin is tuple:
        return (
            _list_codec(codec_of(parts[0]), tuple)
            if parts[-1] is Ellipsis
            else _tuple_codec(tuple(map(codec_of, parts)))
        )
    if origin in (list, deque):
        return _sorted_list_codec(codec_of(parts[0])) if extra is UNORDERED else _list_codec(codec_of(parts[0]), list)
    if origin is set:
        return _set_codec(codec_of(parts[0]))
    if origin is dict:
        return _dict_codec(parts[0], codec_of(parts[1]), is_used=_is_used(parts[1]))
    if origin is collections.abc.Mapping and parts == (str, Any):
        return Codec(plain_written, plain_map)
    raise TypeError(f"{type_} has no saved form")


def write_fields(instance: State) -> dict[str, Any]:
    """The saved fields of an instance as JSON."""
    return {
        name.lstrip("_"): codec.write(getattr(instance, name)) for name, codec in _field_codecs(type(instance)).items()
    }


def read_fields(cls: type[State], json_value: Any) -> Values:
    """Read the saved fields of a class; InvalidSavedState if one is missing or wrong."""
    codecs = _field_codecs(cls)
    saved = fields_of(json_value, [name.lstrip("_") for name in codecs])
    return {
        name: read_at(f".{name.lstrip('_')}", codec.read, saved[name.lstrip("_")]) for name, codec in codecs.items()
    }


@cache
def _field_codecs(cls: Any) -> Mapping[str, Codec]:
    saved = [field for field in cls.FIELDS if field.spec.kind is FieldKind.SAVED]
    return {field.name: _FIELD_CODECS.get((cls, field.name)) or codec_of(field.type) for field in saved}


def _state_codec(cls: type[State]) -> Codec:
    make: Callable[[Values], Any] = REBUILDERS.get(cls, lambda values: cls(**values))
    return Codec(write_fields, lambda json_value: make(read_fields(cls, json_value)))


def _is_used(type_: Any) -> Callable[[Any], bool]:
    return (lambda one: not one.is_empty) if is_state(type_) else (lambda _: True)


def _sorted_list_codec(item: Codec) -> Codec:
    listed = _list_codec(item, list)
    return Codec(lambda value: listed.write(sorted(value)), listed.read)


def _dict_codec(key_type: Any, item: Codec, is_used: Callable[[Any], bool] = lambda _: True) -> Codec:
    """A dict: a map if its keys are texts, otherwise a list of [key, value]."""
    key = codec_of(key_type)
    # In Python 3.11 `tuple[str, str]` passes `isinstance(…, type)` but is not a class.
    if isinstance(key_type, type) and issubclass(key_type, str):
        return Codec(
            lambda value: {key.write(name): item.write(one) for name, one in value.items() if is_used(one)},
            lambda json_value: {
                key.read(name): read_at(f"[{in_quotes(name)}]", item.read, one)
                for name, one in map_of(json_value).items()
            },
        )
    pairs = _list_codec(_tuple_codec((key, item)), list)

    def read(json_value: Any) -> dict[Any, Any]:
        rows = pairs.read(json_value)
        by_key = dict(rows)
        if len(by_key) != len(rows):
            raise InvalidSavedState("", "a key twice", "each key once")
        return by_key

    return Codec(lambda value: pairs.write(value.items()), read)


def _keyed_codec(record: type, field: str) -> Codec:
    """A dict of records by one of their fields: a list of the records."""
    records = codec_of(list[record])  # type: ignore[valid-type]  # a type made at run time

    def read(json_value: Any) -> dict[Any, Any]:
        by_key: dict[Any, Any] = {}
        for index, one in enumerate(records.read(json_value)):
            key = getattr(one, field)
            if key in by_key:
                raise InvalidSavedState(f"[{index}].{field}", f"{key!s:.80} again", f"each {field} once")
            by_key[key] = one
        return by_key

    return Codec(lambda value: records.write(value.values()), read)


def _enum_codec(enum: type[Enum]) -> Codec:
    members: dict[Any, Enum] = {member.value: member for member in enum}
    kind = type(next(iter(members)))

    def read(json_value: Any) -> Enum:
        if type(json_value) is not kind:
            raise InvalidSavedState("", shown(json_value), any_of(members))
        if json_value not in members:
            raise InvalidSavedState("", shown(json_value), nearest(str(json_value), [str(word) for word in members]))
        return members[json_value]

    return Codec(lambda member: member.value, read)


def _record_codec(record: Any) -> Codec:
    hints = get_type_hints(record)
    codecs = {name: _FIELD_CODECS.get((record, name)) or codec_of(hints[name]) for name in record._fields}
    readers = [(name, f".{name}", codec.read) for name, codec in codecs.items()]

    def write(value: Any) -> dict[str, Any]:
        return {name: codec.write(part) for (name, codec), part in zip(codecs.items(), value, strict=True)}

    def read(json_value: Any) -> Any:
        saved = fields_of(json_value, codecs)
        return record._make([read_at(step, read_field, saved[name]) for name, step, read_field in readers])

    return Codec(write, read)


def _optional_codec(parts: tuple[Any, ...]) -> Codec:
    inner = codec_of(Union[tuple(part for part in parts if part is not NoneType)])  # noqa: UP007  # made at run time
    return Codec(
        lambda value: None if value is None else inner.write(value),
        lambda json_value: None if json_value is None else inner.read(json_value),
    )


def _union_codec(parts: tuple[Any, ...]) -> Codec:
    """A text, or one of several records: a map with the record type's name as its only key."""
    codecs = {part.__name__: codec_of(part) for part in parts if part is not str}

    def write(value: Any) -> Any:
        return value if isinstance(value, str) else {type(value).__name__: codecs[type(value).__name__].write(value)}

    def read(json_value: Any) -> Any:
        if type(json_value) is str and str in parts:
            return json_value
        name = next(iter(json_value), None) if type(json_value) is dict and len(json_value) == 1 else None
        if name not in codecs:
            raise InvalidSavedState(
                "", shown(json_value), f"a map of {any_of(codecs)}" + ", or a text" * (str in parts)
            )
        return read_at(f".{name}", codecs[name].read, json_value[name])

    return Codec(write, read)


def _list_codec(item: Codec, type_: type[list[Any] | tuple[Any, ...]]) -> Codec:
    def read(json_value: Any) -> Any:
        if type(json_value) is not list:
            raise InvalidSavedState("", shown(json_value), "a list")
        items: list[Any] = []
        try:
            items.extend(map(item.read, json_value))
        except InvalidSavedState as error:
            raise error.under(f"[{len(items)}]") from None
        return type_(items)

    return Codec(lambda value: [item.write(one) for one in value], read)


def _tuple_codec(items: tuple[Codec, ...]) -> Codec:
    def read(json_value: Any) -> tuple[Any, ...]:
        if type(json_value) is not list or len(json_value) != len(items):
            raise InvalidSavedState("", shown(json_value), f"a list of {len(items)}")
        return tuple(read_at(f"[{index}]", item.read, json_value[index]) for index, item in enumerate(items))

    return Codec(lambda value: [item.write(one) for item, one in zip(items, value, strict=True)], read)


def _set_codec(item: Codec) -> Codec:
    listed = _list_codec(item, list)

    def read(json_value: Any) -> set[Any]:
        items = listed.read(json_value)
        values = set(items)
        if len(values) != len(items):
            raise InvalidSavedState("", "the same thing twice", "each once")
        return values

    return Codec(lambda value: listed.write(sorted(value)), read)


def _read_past_fields(json_value: Any) -> dict[str, Any]:
    """The fields of a `PastTx`: the type is a `TxType`, and `fillS` of the orders an integer, as the block's view needs it."""
    fields = plain_map(json_value)
    fields["txType"] = read_at("['txType']", codec_of(TxType).read, fields.get("txType"))
    for name in _LEGS:
        if name in fields and not (isinstance(fields[name], dict) and type(fields[name].get("fillS")) is int):
            raise InvalidSavedState(f"[{in_quotes(name)}]", shown(fields[name]), "a map with fillS, a whole number")
    return fields


_FAULT_COUNTERS = {"id": str, "from_scenario": bool, "met": int, "fired": int}
"""The fields of a saved fault beside those of `format_fault`."""


def _write_fault(fault: Fault) -> dict[str, Any]:
    counters = {name: codec_of(type_).write(getattr(fault, name)) for name, type_ in _FAULT_COUNTERS.items()}
    return {**counters, **format_fault(fault), "when": plain_written(fault.match.when)}


def _read_fault(json_value: Any) -> Fault:
    saved = map_of(json_value)
    if "when" in saved:
        saved = saved | {"when": read_at(".when", plain_map, saved["when"])}
    try:
        fault = parse_fault({name: saved[name] for name in FAULT_FIELDS if name in saved})
    except InvalidInput as invalid:
        raise InvalidSavedState(f".{invalid.field}", invalid.found, invalid.expected) from None
    fields_of(saved, (*_FAULT_COUNTERS, *format_fault(fault)))
    counters = {name: read_at(f".{name}", codec_of(type_).read, saved[name]) for name, type_ in _FAULT_COUNTERS.items()}
    return fault._replace(**counters)


_FIELD_CODECS: Mapping[tuple[Any, str], Codec] = {
    **TEXT_CODECS,
    # The house's balance may be negative.
    (Balance, "free_wei"): codec_of(Signed),
    # Negative if the house paid an amount that was never deposited.
    (Ledger, "deposited_wei"): codec_of(dict[int, Signed]),
    # A token id of -1 stands for any.
    (World, "storage_ids"): codec_of(set[tuple[int, Signed, int]]),
    (Layer1, "code"): _dict_codec(str, CODE),
    (PastTx, "fields"): Codec(plain_written, _read_past_fields),
}
"""(class, field) -> codec, where the type alone does not determine it."""
