"""Readers of single values: a node in, a checked value out, or ScenarioError with what was meant."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from enum import StrEnum
from functools import cache
from typing import TypeVar

from mockrelay.core.units import duration_ms, moment_ms
from mockrelay.core.wording import nearest, number_meant
from mockrelay.scenario.nodes import Node

T = TypeVar("T")
Word = TypeVar("Word", bound=StrEnum)
Reader = Callable[[Node], T]

COUNT_MAX = 2**32 - 1
AMOUNT = re.compile(r"0|[1-9][0-9]{0,77}")
ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")
COORDINATE = re.compile(r"(?:0x[0-9a-fA-F]{1,64}|[0-9]{1,78})?")
HASH = re.compile(r"0x[0-9a-fA-F]{64}")
PRIVATE_KEY = re.compile(r"0x[0-9a-fA-F]{1,64}")
HEADER_TEXT = re.compile(r"[!-~]{1,200}")


class Fields:
    """The fields of a map, read by name. A field that is not in `known` is refused at once."""

    __slots__ = ("_entries", "_known", "node")

    def __init__(self, node: Node, known: Collection[str]) -> None:
        self.node = node
        self._entries = found = entries(node)
        self._known = known
        for key in found:
            if key not in known:
                raise found[key].key_error(f"the unknown key {key!r}", nearest(key, known))

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def node_of(self, key: str) -> Node:
        """The field as it stands; ScenarioError where it is left out."""
        assert key in self._known
        found = self._entries.get(key)
        if found is None:
            raise self.node.error(f"no {key!r}", f"{key}, which is required here")
        return found

    def need(self, key: str, read: Reader[T]) -> T:
        """A field that must be there."""
        return read(self._entries.get(key) or self.node_of(key))

    def get(self, key: str, read: Reader[T], default: T) -> T:
        """A field that may be left out."""
        assert key in self._known
        found = self._entries.get(key)
        return default if found is None else read(found)

    def only_one(self, *keys: str) -> str:
        """Which of these fields is there; one must be, and no more."""
        given = [key for key in keys if key in self._entries]
        if len(given) != 1:
            raise self.node.error(" and ".join(map(repr, given)) or "none of them", f"one of {', '.join(keys)}")
        return given[0]


def entries(node: Node) -> dict[str, Node]:
    """A map's entries."""
    if not isinstance(node.value, dict):
        raise node.error(node.shown, "a map")
    return node.value


def items(node: Node) -> list[Node]:
    """A list's items."""
    if not isinstance(node.value, list):
        raise node.error(node.shown, "a list")
    return node.value


def each(read: Reader[T]) -> Reader[tuple[T, ...]]:
    """A list of what `read` reads."""
    return lambda node: tuple(read(item) for item in items(node))


def by_name(node: Node, known: Collection[str], read: Reader[T]) -> Iterator[tuple[str, T]]:
    """A map from known names to what `read` reads."""
    for key, value in entries(node).items():
        if key not in known:
            raise value.key_error(f"the unknown name {key!r}", nearest(key, known))
        yield key, read(value)


def text(node: Node) -> str:
    """A text that is not empty."""
    if not isinstance(node.value, str):
        raise node.error(node.shown, "a text" if isinstance(node.value, (list, dict)) else "a text, in quotes")
    if not node.value:
        raise node.error("an empty text", "a text")
    return node.value


def boolean(node: Node) -> bool:
    """`true` or `false`."""
    if not isinstance(node.value, bool):
        raise node.error(node.shown, "true or false")
    return node.value


def whole(least: int = 0, most: int = COUNT_MAX) -> Reader[int]:
    """A whole number without quotes, within bounds."""

    def read(node: Node) -> int:
        value = node.value
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise node.error(node.shown, number_meant(value, f"a whole number from {least} to {most}"))
        return value

    return read


@cache
def word(words: type[Word]) -> Reader[Word]:
    """A word of a closed list."""
    by_value = {word.value: word for word in words}
    name = name_in(by_value)
    return lambda node: by_value[name(node)]


def name_in(known: Collection[str]) -> Reader[str]:
    """A name that exists."""

    def read(node: Node) -> str:
        name = text(node)
        if name not in known:
            raise node.error(node.shown, nearest(name, known))
        return name

    return read


def fixed(pattern: re.Pattern[str], meant: str) -> Reader[str]:
    """A text of a given form."""

    def read(node: Node) -> str:
        if not isinstance(node.value, str) or not pattern.fullmatch(node.value):
            raise node.error(node.shown, meant)
        return node.value

    return read


address = fixed(ADDRESS, "an address, 0x and 40 hex digits in quotes")
hash_text = fixed(HASH, "a hash, 0x and 64 hex digits in quotes")
coordinate = fixed(COORDINATE, "a coordinate, 0x and up to 64 hex digits in quotes")
header_text = fixed(HEADER_TEXT, "up to 200 printable characters without a blank")
_amount = fixed(AMOUNT, 'an amount in the smallest unit, digits in quotes such as "1000"')


def private_key(order: int) -> Reader[str]:
    """A private key: 0x and hex digits in quotes, above zero and below the order of its curve."""
    read_hex = fixed(PRIVATE_KEY, "a private key, 0x and up to 64 hex digits in quotes")

    def read(node: Node) -> str:
        if not 0 < int(read_hex(node), 16) < order:
            raise node.error("a private key out of range", f"one above 0 and below {order:#x}")
        return read_hex(node)

    return read


def seed_text(node: Node) -> str:
    """A seed: a text, or a whole number, which is the same as its digits."""
    if isinstance(node.value, int) and not isinstance(node.value, bool):
        return str(node.value)
    return text(node)


def amount_wei(node: Node) -> int:
    """Money, in the smallest unit, as digits in quotes."""
    return int(_amount(node))


def amount_above_zero_wei(node: Node) -> int:
    """Money that must be some."""
    wei = amount_wei(node)
    if not wei:
        raise node.error("a zero amount", "an amount above zero")
    return wei


def duration(node: Node) -> int:
    """`15s` in milliseconds."""
    found = duration_ms(node.value) if isinstance(node.value, str) else None
    if found is None:
        raise node.error(node.shown, "a duration such as 15s (units ms, s, m, h, d)")
    return found


def moment(node: Node) -> int:
    """`"2026-01-01T00:00:00Z"` in milliseconds since 1970."""
    found = moment_ms(node.value) if isinstance(node.value, str) else None
    if found is None or found < 0:
        raise node.error(node.shown, 'a moment from 1970 on, such as "2026-01-01T00:00:00Z"')
    return found


def once(things: Iterable[tuple[Node, object]], what: str) -> None:
    """ScenarioError where one value stands at two nodes."""
    seen: dict[object, Node] = {}
    for node, value in things:
        if value in seen:
            raise node.error(f"the {what} {value} again (first at {seen[value].place})", f"each {what} once")
        seen[value] = node
