"""Large values are written and read in pieces, and the text and the value are the same as in one piece."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mockrelay.wire.json_text import (
    FREED_AT_ONCE,
    PIECE,
    READ_AT_ONCE,
    JsonReader,
    NoJsonError,
    compact_json,
    free,
)

VALUES: dict[str, Any] = {
    "nothing": {},
    "an empty list": [],
    "a text": 'ä"\\\n',
    "just one piece": list(range(PIECE)),
    "one more than a piece": list(range(PIECE + 1)),
    "two pieces": [[number] for number in range(2 * PIECE)],
    "a long object": {f'"{number}ä': None for number in range(PIECE + 1)},
    "a long object with numbers as names": dict.fromkeys(range(PIECE + 1), 1.5),
    "a long list inside": {"a": 1, "ä": {"b": list(range(PIECE + 1)), "c": ()}, "d": []},
    "a long tuple inside": {"a": tuple(range(PIECE + 1))},
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_the_text_is_that_of_pythons_encoder(value: Any) -> None:
    assert compact_json(value) == json.dumps(value, separators=(",", ":"))


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
@pytest.mark.parametrize("blank", ["", " ", "\n\t "])
def test_a_long_text_is_read_as_pythons_reader_does(value: Any, blank: str) -> None:
    filler = ["x" * READ_AT_ONCE]
    text = json.dumps([{}, value, {"a": filler, "b": value}, [[]], filler], indent=blank or None)
    assert JsonReader().value(blank + text + blank) == json.loads(text)


X = "x" * READ_AT_ONCE
NO_JSON = {
    "nothing": ("", 1),
    "blanks": ("  ", 3),
    "a word": ("nul", 1),
    "two values": ("[] []", 4),
    "no value in a short list": ("[1, ]", 5),
    "no comma": (f'["{X}" 1]', READ_AT_ONCE + 5),
    "another end": (f'["{X}"}}', READ_AT_ONCE + 4),
    "no end of a list": (f'["{X}"', READ_AT_ONCE + 4),
    "no end of an object": (f'{{"a":"{X}"', READ_AT_ONCE + 8),
    "a text without an end": (f'["{X}', 2),
    "a comma at the end of an object": (f'{{"a":"{X}",}}', READ_AT_ONCE + 9),
    "no colon": (f'{{"{X}",', READ_AT_ONCE + 4),
    "a number as a name": ("{1:2}", 2),
    "a number of too many digits": (f"[{'9' * 4301}]", 2),
    "an error far inside": (f'[{{"a":[["{X}",{{"b":tru}}]]}}]', READ_AT_ONCE + 17),
}


@pytest.mark.parametrize(("text", "column"), NO_JSON.values(), ids=NO_JSON)
def test_what_is_not_json_is_refused_with_its_column(text: str, column: int) -> None:
    with pytest.raises(NoJsonError) as raised:
        JsonReader().value(text)
    assert raised.value.column == column


def test_a_text_of_brackets_is_refused() -> None:
    for mark in ("[", '{"a":'):
        with pytest.raises((NoJsonError, RecursionError)):
            JsonReader().value(mark * 100_000)


def test_a_refused_text_can_be_freed_to_its_last_member() -> None:
    reader = JsonReader()
    with pytest.raises(NoJsonError):
        reader.value(f'[{"[]," * 3 * FREED_AT_ONCE}{{"a":"{X}","b":[{"{}," * READ_AT_ONCE}')
    assert [len(container) for container in reader.large] == [0, 3 * FREED_AT_ONCE, 1, READ_AT_ONCE]
    free(reader.large)
    assert not any(reader.large)
