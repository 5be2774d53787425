"""What a command is, and how it refers to what a world holds.

A command is something that is done to a relayer by hand: one frozen record, whoever asks for it (the control API, a
timeline, a test in Python, a record that is read back). Its schema, `schemas/control/commands/NAME.json`, says which
fields its JSON form has; `wire.commands.parse` checks against it before anything is built.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields as attributes_of
from enum import StrEnum
from functools import cache
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar

from mockrelay.core.errors import InvalidInput, Path
from mockrelay.suggest import shown

AccountRef = str | int
"""An account by its id, by its scenario's name or by its owner's address."""
TokenRef = str | int
"""A token by its symbol or by its id."""

AMOUNT_MAX = 2**256 - 1
_ID_DIGITS_MAX = 20

ContextT = TypeVar("ContextT")


class Target(StrEnum):
    """What a field of a command can refer to."""

    ACCOUNT = "account"
    TRADER = "trader"
    """An account or the house."""
    OWNER = "owner"
    """Whoever has something on layer 1: an account's name, or any address."""
    TOKEN = "token"  # noqa: S105 - a token of the exchange, not a secret


class Reference(NamedTuple):
    """Something that a command names, for those who know before it is carried out what the world will hold."""

    target: Target
    value: str | int
    path: Path
    at_key: bool = False
    """Whether it is a key of the command's JSON form and not a value."""


class JsonField(NamedTuple):
    """How an attribute of a command stands in its JSON form."""

    name: str
    read: Callable[[Any], Any]
    """The value of what stands there; its form has been checked. May raise InvalidInput."""
    write: Callable[[Any], Any]
    """The inverse of `read`."""
    target: Target | None
    """What its value refers to."""
    key_targets: tuple[Target, ...]
    """What the keys of the map that it is refer to, then those of the maps inside."""


def _same(value: Any) -> Any:
    return value


def json_field(
    name: str,
    read: Callable[[Any], Any] = _same,
    write: Callable[[Any], Any] = _same,
    target: Target | None = None,
    key_targets: tuple[Target, ...] = (),
) -> dict[str, JsonField]:
    """The `metadata` of a dataclass field that stands in the JSON form under a name."""
    return {"json": JsonField(name, read, write, target, key_targets)}


def wei_of(text: str) -> int:
    """An amount in the smallest unit, from its digits."""
    amount_wei = int(text)
    if amount_wei > AMOUNT_MAX:
        raise InvalidInput((), shown(text), "an amount in the smallest unit, at most 2^256 - 1")
    return amount_wei


@cache
def _json_fields(command: type[Command[Any]]) -> tuple[tuple[str, JsonField], ...]:
    """The attributes of a command that stand in its JSON form, in order."""
    return tuple((own.name, own.metadata["json"]) for own in attributes_of(command) if "json" in own.metadata)  # type: ignore[arg-type]


def _key_references(value: Any, targets: tuple[Target, ...], path: Path) -> Iterator[Reference]:
    if targets and isinstance(value, dict):
        for key, inner in value.items():
            yield Reference(targets[0], key, (*path, key), at_key=True)
            yield from _key_references(inner, targets[1:], (*path, key))


class Command(ABC, Generic[ContextT]):
    """Something done by hand. Subclasses are frozen dataclasses; an attribute that is None stands for a field left out."""

    name: ClassVar[str]
    """What it is called in timelines and records, and the name of its schema."""

    @classmethod
    def build(cls, fields: Mapping[str, Any]) -> Self:
        """The command of a JSON form that fits its schema. InvalidInput for what no schema can say."""
        values = {}
        for attribute, own in _json_fields(cls):
            if own.name in fields:
                try:
                    values[attribute] = own.read(fields[own.name])
                except InvalidInput as error:
                    raise error.under(own.name) from None
        return cls(**values)

    def fields(self) -> dict[str, Any]:
        """Its JSON form: `build` of it is the same command."""
        values = ((own, getattr(self, attribute)) for attribute, own in _json_fields(type(self)))
        return {own.name: own.write(value) for own, value in values if value is not None}

    @classmethod
    def references(cls, fields: Mapping[str, Any]) -> Iterator[Reference]:
        """What a JSON form, be it right or wrong, names of the world."""
        for _, own in _json_fields(cls):
            value = fields.get(own.name)
            if own.target is not None and isinstance(value, str | int) and not isinstance(value, bool):
                yield Reference(own.target, value, (own.name,))
            yield from _key_references(value, own.key_targets, (own.name,))

    @abstractmethod
    def apply(self, ctx: ContextT) -> Any:
        """Carry it out; the JSON value of its answer. CommandRefused, with nothing changed, where the state forbids it."""


class CommandRow(NamedTuple):
    """A command that can be asked for."""

    name: str
    build: Callable[[Mapping[str, Any]], Command[Any]]
    """From a JSON form that fits the command's schema; may raise InvalidInput."""
    judged: frozenset[str] | None = frozenset()
    """The fields whose values `build` judges by itself, since there is more to say of a wrong one than a schema could; None:
    all of them, and which there must be.
    """
    references: Callable[[Mapping[str, Any]], Iterator[Reference]] = lambda _: iter(())
    """What a JSON form, be it right or wrong, names of the world."""

    @property
    def schema_id(self) -> str:
        """The id of the schema of its JSON form, whose title says what it does."""
        return f"mockrelay:control/commands/{self.name}.json"


Rows = Mapping[str, CommandRow]
"""Commands that can be asked for, by name."""


def rows_of(*commands: type[Command[Any]]) -> dict[str, CommandRow]:
    """The rows of these commands."""
    return {
        command.name: CommandRow(command.name, command.build, references=command.references) for command in commands
    }


def account_ref(word: str) -> AccountRef:
    """The account that a word without a type names: of digits, it is an id."""
    is_id = word.isascii() and word.isdigit() and len(word) <= _ID_DIGITS_MAX
    return int(word) if is_id else word
