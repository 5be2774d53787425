"""Commands, their JSON form, and their references to objects of a world.

A command changes a relayer other than by a client's call. It is one frozen record, whether it comes from the control API, a
timeline, a Python test or a recording. The fields of its JSON form are described by its schema,
`schemas/control/commands/NAME.json`, which `wire.commands.parse` checks before the command is built.
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
"""An account by its id, its name in the scenario or its owner's address."""
TokenRef = str | int
"""A token by its symbol or by its id."""

AMOUNT_MAX = 2**256 - 1
_ID_DIGITS_MAX = 20

ContextT = TypeVar("ContextT")


class Target(StrEnum):
    """The kinds of objects that a field of a command can refer to."""

    ACCOUNT = "account"
    TRADER = "trader"
    """An account or the house."""
    OWNER = "owner"
    """An owner of something on layer 1: an account's name, or any address."""
    TOKEN = "token"  # noqa: S105 - a token of the exchange, not a secret


class Reference(NamedTuple):
    """A reference in a command's JSON form. A scenario checks those of its timeline before the world exists."""

    target: Target
    value: str | int
    path: Path
    at_key: bool = False
    """Whether it is a key of the command's JSON form and not a value."""


class JsonField(NamedTuple):
    """How an attribute of a command is represented in its JSON form."""

    name: str
    read: Callable[[Any], Any]
    """Converts a JSON value that fits the schema; may raise InvalidInput."""
    write: Callable[[Any], Any]
    """The inverse of `read`."""
    target: Target | None
    """What the value refers to."""
    key_targets: tuple[Target, ...]
    """For a map: what its keys refer to, then the keys of its inner maps."""


def _same(value: Any) -> Any:
    return value


def json_field(
    name: str,
    read: Callable[[Any], Any] = _same,
    write: Callable[[Any], Any] = _same,
    target: Target | None = None,
    key_targets: tuple[Target, ...] = (),
) -> dict[str, JsonField]:
    """The `metadata` of a dataclass field that is in the JSON form under this name."""
    return {"json": JsonField(name, read, write, target, key_targets)}


def wei_of(text: str) -> int:
    """Parse an amount in the smallest unit; InvalidInput above 2^256 - 1."""
    amount_wei = int(text)
    if amount_wei > AMOUNT_MAX:
        raise InvalidInput((), shown(text), "an amount in the smallest unit, at most 2^256 - 1")
    return amount_wei


@cache
def _json_fields(command: type[Command[Any]]) -> tuple[tuple[str, JsonField], ...]:
    """(attribute, its JSON field) of a command class, in order."""
    return tuple((own.name, own.metadata["json"]) for own in attributes_of(command) if "json" in own.metadata)  # type: ignore[arg-type]


def _key_references(value: Any, targets: tuple[Target, ...], path: Path) -> Iterator[Reference]:
    if targets and isinstance(value, dict):
        for key, inner in value.items():
            yield Reference(targets[0], key, (*path, key), at_key=True)
            yield from _key_references(inner, targets[1:], (*path, key))


class Command(ABC, Generic[ContextT]):
    """Base of the commands. Subclasses are frozen dataclasses; an attribute that is None is a field left out."""

    name: ClassVar[str]
    """Its name in timelines and recordings, and that of its schema."""

    @classmethod
    def build(cls, fields: Mapping[str, Any]) -> Self:
        """The command of a JSON form that fits its schema. InvalidInput for errors that a schema cannot describe."""
        values = {}
        for attribute, own in _json_fields(cls):
            if own.name in fields:
                try:
                    values[attribute] = own.read(fields[own.name])
                except InvalidInput as error:
                    raise error.under(own.name) from None
        return cls(**values)

    def fields(self) -> dict[str, Any]:
        """Its JSON form, the inverse of `build`."""
        values = ((own, getattr(self, attribute)) for attribute, own in _json_fields(type(self)))
        return {own.name: own.write(value) for own, value in values if value is not None}

    @classmethod
    def references(cls, fields: Mapping[str, Any]) -> Iterator[Reference]:
        """The references in a JSON form, which may be invalid."""
        for _, own in _json_fields(cls):
            value = fields.get(own.name)
            if own.target is not None and isinstance(value, str | int) and not isinstance(value, bool):
                yield Reference(own.target, value, (own.name,))
            yield from _key_references(value, own.key_targets, (own.name,))

    @abstractmethod
    def apply(self, ctx: ContextT) -> Any:
        """Carry it out; returns the JSON value of its answer. Raises CommandRefused, with nothing changed, if the state
        forbids it.
        """


class CommandRow(NamedTuple):
    """A kind of command, and how its JSON form is built and checked."""

    name: str
    build: Callable[[Mapping[str, Any]], Command[Any]]
    """From a JSON form that fits the command's schema; may raise InvalidInput."""
    judged: frozenset[str] | None = frozenset()
    """The fields that `build` checks in place of the schema, for better error texts; None: all fields, also which are
    required.
    """
    references: Callable[[Mapping[str, Any]], Iterator[Reference]] = lambda _: iter(())
    """The references in a JSON form, which may be invalid."""

    @property
    def schema_id(self) -> str:
        """The id of the schema of its JSON form."""
        return f"mockrelay:control/commands/{self.name}.json"


Rows = Mapping[str, CommandRow]
"""Command rows by name."""


def rows_of(*commands: type[Command[Any]]) -> dict[str, CommandRow]:
    """The rows of these commands, by name."""
    return {
        command.name: CommandRow(command.name, command.build, references=command.references) for command in commands
    }


def account_ref(word: str) -> AccountRef:
    """An account reference from untyped text: digits are an id."""
    is_id = word.isascii() and word.isdigit() and len(word) <= _ID_DIGITS_MAX
    return int(word) if is_id else word
