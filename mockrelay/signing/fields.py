"""Reads the fields of a signed message from a request's body, each as a number.

A body is a decoded JSON object. Numbers may be JSON integers or digit strings, as clients send them. A field that cannot be
read raises `Unreadable`: the body has no hash then, so no signature of it can be right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mockrelay.signing.hashes import keccak256
from mockrelay.signing.parameters import SNARK_FIELD as P

Body = Mapping[str, Any]
_DECIMAL = re.compile(r"[0-9]{1,78}")
_HEX = re.compile(r"0x[0-9a-fA-F]{1,64}")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")
_BYTES = re.compile(r"(0x)?((?:[0-9a-fA-F]{2})*)")
_FLAGS = {"true": 1, "false": 0}


class Unreadable(ValueError):
    """A field that a signed message needs is absent, or is not what it should be."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.name = name
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a signed message: its name, and the function that reads its number from a body."""

    name: str
    read: Callable[[Body], int]
    """Raises `Unreadable`."""


def find(body: Body, *paths: str) -> Any:
    """The value at the first of these dotted paths that the body has; None if it has none of them."""
    for path in paths:
        value: Any = body
        for key in path.split("."):
            value = value.get(key) if isinstance(value, Mapping) else None
        if value is not None:
            return value
    return None


def number(*paths: str, default: int | None = None) -> Field:
    """A whole number from 0 to P - 1, as a JSON integer or in up to 78 decimal digits."""
    return _field(paths, to_number, default)


def address(*paths: str, default: int | None = None) -> Field:
    """A layer-1 address, 0x and 40 hex digits of any case, as a number of 160 bits."""
    return _field(paths, to_address, default)


def flag(*paths: str, default: int | None = None) -> Field:
    """A JSON boolean, the text `true` or `false`, or 0 or 1; as 1 for true."""
    return _field(paths, to_flag, default)


def element(*paths: str) -> Field:
    """A field element in hex (0x and at most 64 digits) or as a number: a coordinate of a key, an NFT's data."""
    return _field(paths, to_element, None)


def constant(name: str, value: int = 0) -> Field:
    """A constant in the message, independent of the body."""
    return Field(name, lambda body: value)


def to_number(name: str, value: Any) -> int:
    """See `number`."""
    if isinstance(value, str) and _DECIMAL.fullmatch(value):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise Unreadable(name, "not a whole number in decimal digits")
    return _below_field(name, value)


def to_address(name: str, value: Any) -> int:
    """See `address`."""
    if not isinstance(value, str) or not _ADDRESS.fullmatch(value):
        raise Unreadable(name, "not an address: 0x and 40 hex digits")
    return int(value, 16)


def to_flag(name: str, value: Any) -> int:
    """See `flag`."""
    if isinstance(value, str) and value in _FLAGS:
        return _FLAGS[value]
    if isinstance(value, int) and value in (0, 1):
        return int(value)
    raise Unreadable(name, "neither true nor false")


def to_element(name: str, value: Any) -> int:
    """See `element`."""
    if isinstance(value, str) and _HEX.fullmatch(value):
        return _below_field(name, int(value, 16))
    return to_number(name, value)


def to_bytes(name: str, value: Any) -> bytes:
    """Bytes in hex, with or without 0x; empty for None and an empty text."""
    found = _BYTES.fullmatch(value or "") if value is None or isinstance(value, str) else None
    if found is None:
        raise Unreadable(name, "not bytes in hex, two digits each")
    return bytes.fromhex(found[2])


def withdrawal_data_hash(body: Body) -> int:
    """The hash, of 160 bits, of the layer-1 part of a withdrawal: minGas, `to` and extraData.

    The first 20 bytes of the keccak of minGas in 32 bytes, the address in 20, and extraData. A body of the NFT form
    has no minGas or extraData, which count as 0 and empty; its toAddress is `to`.
    """
    gas = to_number("minGas", value) if (value := find(body, "minGas")) is not None else 0
    to = to_address("to", find(body, "to", "toAddress"))
    packed = gas.to_bytes(32, "big") + to.to_bytes(20, "big") + to_bytes("extraData", find(body, "extraData"))
    return int.from_bytes(keccak256(packed)[:20], "big")


def _field(paths: tuple[str, ...], read: Callable[[str, Any], int], default: int | None) -> Field:
    name = paths[0]

    def from_body(body: Body) -> int:
        value = find(body, *paths)
        if value is not None:
            return read(name, value)
        if default is None:
            raise Unreadable(name, "absent")
        return default

    return Field(name, from_body)


def _below_field(name: str, value: int) -> int:
    if not 0 <= value < P:
        raise Unreadable(name, "not from 0 to the field's prime, exclusive")
    return value
