"""Codecs of numbers, texts and arbitrary JSON values, and the error of a saved state.

The JSON of saved worlds is restricted to what every reader preserves: maps, lists, texts, booleans, null, and integers that
fit a double; a larger integer is a text of digits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple, NewType

from mockrelay.suggest import in_quotes, nearest, shown

Signed = NewType("Signed", int)
"""An integer that may be negative; an `int` may not."""

SAFE_MAX = 2**53 - 1
"""The largest integer that every JSON reader represents exactly."""
DIGITS_MAX = 4300
"""Python's default limit for the digits of an integer."""
DEPTH_MAX = 200
_DIGITS = re.compile("-?[1-9][0-9]{15,}", re.ASCII)


class InvalidSavedState(ValueError):
    """A saved state that cannot be restored: where in it, what was found there, and what was meant."""

    def __init__(self, where: str, json_value: str, meant: str) -> None:
        super().__init__(where, json_value, meant)
        self.where = where
        self.found = json_value
        self.meant = meant

    def __str__(self) -> str:
        return f"{self.where.lstrip('.') or 'the saved state'}: found {self.found}; meant {self.meant}"

    def under(self, step: str) -> InvalidSavedState:
        """The same error, with its place seen from one step further up."""
        self.where = step + self.where
        return self


class Codec(NamedTuple):
    """How a value is written as JSON and read back; `read` raises InvalidSavedState for other JSON."""

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


def map_of(json_value: Any) -> dict[Any, Any]:
    """The value, which must be a map."""
    if type(json_value) is not dict:
        raise InvalidSavedState("", shown(json_value), "a map")
    return json_value


def fields_of(json_value: Any, names: Collection[str]) -> dict[str, Any]:
    """The value, which must be a map of exactly these names."""
    saved = map_of(json_value)
    if len(saved) == len(names) and all(name in saved for name in names):
        return saved
    for name in saved:
        if name not in names:
            raise InvalidSavedState("", f"the unknown field {in_quotes(name, 80)}", nearest(str(name), names))
    missing = next(name for name in names if name not in saved)
    raise InvalidSavedState("", f"no {in_quotes(missing)}", f"{missing}, which is required here")


def read_at(step: str, read: Callable[[Any], Any], json_value: Any) -> Any:
    """Read a value that is at `step` of the enclosing one, which errors then name."""
    try:
        return read(json_value)
    except InvalidSavedState as error:
        raise error.under(step) from None


def _written_number(number: int) -> int | str:
    return number if -SAFE_MAX <= number <= SAFE_MAX else str(number)


def _number(least: int | None, meant: str) -> Codec:
    def read(json_value: Any) -> int:
        if type(json_value) is int and -SAFE_MAX <= json_value <= SAFE_MAX:
            number = json_value
        elif type(json_value) is str and len(json_value) <= DIGITS_MAX and _DIGITS.fullmatch(json_value):
            number = int(json_value)
            if -SAFE_MAX <= number <= SAFE_MAX:
                raise InvalidSavedState("", shown(json_value), f"{meant}; only one beyond {SAFE_MAX} is a text")
        else:
            raise InvalidSavedState("", shown(json_value), f"{meant}, as a text where it is beyond {SAFE_MAX}")
        if least is not None and number < least:
            raise InvalidSavedState("", f"{number!s:.80}", meant)
        return number

    return Codec(_written_number, read)


def _exactly(type_: type, meant: str) -> Codec:
    def read(json_value: Any) -> Any:
        if type(json_value) is not type_:
            raise InvalidSavedState("", shown(json_value), meant)
        return json_value

    return Codec(type_, read)


SIMPLE: Mapping[Any, Codec] = {
    int: _number(0, "a whole number not below zero"),
    Signed: _number(None, "a whole number"),
    str: _exactly(str, "a text"),
    bool: _exactly(bool, "true or false"),
}


def plain_written(value: Any, depth: int = 0) -> Any:
    """Write any JSON value. Maps, large integers and fractions are tagged to tell them apart."""
    if depth > DEPTH_MAX:
        raise InvalidSavedState("", f"a value nested deeper than {DEPTH_MAX} levels", "a shallower one")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        written = _written_number(value)
        return written if isinstance(written, int) else {"int": written}
    if isinstance(value, float):
        return {"float": repr(value)}
    if isinstance(value, Mapping):
        return {"map": {str(name): plain_written(one, depth + 1) for name, one in value.items()}}
    return [plain_written(one, depth + 1) for one in value]


def _plain(json_value: Any, depth: int = 0) -> Any:
    if depth > DEPTH_MAX:
        raise InvalidSavedState("", f"a value nested deeper than {DEPTH_MAX} levels", "a shallower one")
    if json_value is None or type(json_value) in (bool, str):
        return json_value
    if type(json_value) is list:
        return [read_at(f"[{index}]", lambda one: _plain(one, depth + 1), one) for index, one in enumerate(json_value)]
    if type(json_value) is int:
        return SIMPLE[Signed].read(json_value)
    tag, value = next(iter(json_value.items())) if type(json_value) is dict and len(json_value) == 1 else (None, None)
    if tag == "map":
        return plain_map(json_value, depth)
    if tag == "int" and type(value) is str:
        return SIMPLE[Signed].read(value)
    if tag == "float" and type(value) is str and len(value) <= DIGITS_MAX:
        return _fraction(value)
    raise InvalidSavedState(
        "", shown(json_value), "null, true, false, a text, a number, a list, or a map of int, float or map"
    )


def plain_map(json_value: Any, depth: int = 0) -> dict[str, Any]:
    """Read a map that was written by `plain_written`."""
    values = {}
    for name, one in map_of(fields_of(json_value, ("map",))["map"]).items():
        if type(name) is not str:
            raise InvalidSavedState("", f"the key {in_quotes(name, 80)}", "a text")
        values[name] = read_at(f"[{in_quotes(name)}]", lambda value: _plain(value, depth + 1), one)
    return values


def _fraction(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = None
    if number is None or repr(number) != text:
        raise InvalidSavedState("", shown(text), "a fraction as it is printed")
    return number


def require(holds: bool, where: str, json_value: object, meant: str) -> None:
    """Raise InvalidSavedState unless a condition holds."""
    if not holds:
        raise InvalidSavedState(where, f"{json_value!s:.80}", meant)


def require_all_in(where: str, names: Iterable[object], allowed: Collection[object], meant: str) -> None:
    """Raise InvalidSavedState for the first name that is not allowed."""
    for name in names:
        require(name in allowed, where, repr(name), meant)


def require_same_names(where: str, names: Collection[object], allowed: Collection[object]) -> None:
    """Raise InvalidSavedState unless both have the same names, in any order."""
    require_all_in(where, names, allowed, "a name that is known")
    require_all_in(where, allowed, names, "every name that is known")
