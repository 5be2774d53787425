"""Large values are written and read in pieces, and the text and the value are the same as in one piece."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mockrelay.wire.json_text import PIECE, READ_AT_ONCE, compact_json, json_value

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


def test_a_long_text_is_read_as_a_short_one_is() -> None:
    long = b'[{"a": {"b": [1, 2.5, null, "x"]}}]' + b" " * READ_AT_ONCE
    assert json_value(long) == json_value(long.strip()) == [{"a": {"b": [1, 2.5, None, "x"]}}]
    for text in (b"{" + b" " * READ_AT_ONCE, b"[" * READ_AT_ONCE * 2):
        with pytest.raises((ValueError, RecursionError)):
            json_value(text)
