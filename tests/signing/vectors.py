"""The published vectors, and the keys that they use."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from mockrelay.signing.curve import Point

_FOLDER = Path(__file__).parent.parent / "vectors"

EXCHANGE = "0x9f1d2c3b4a5968778695a4b3c2d1e0f1a2b3c4d5"
CHAIN_ID = 1337
LAYER1_KEY = int("11" * 32, 16)
OWNER = "0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A"
PRIVATE = 0x016929B8601C45D888A5288B66577D0C3CC6B4D820B5BA8593C51A8E77B4D1CA
KEY = Point(
    3843657936374961755075735234062372866496535909956049216540575154841791223656,
    20551905546865664237164026994538610493388060726044966087024186168236791307941,
)


@cache
def load(name: str) -> Any:
    """The content of a file of vectors."""
    return json.loads((_FOLDER / f"{name}.json").read_text("utf-8"))


def number(text: str) -> int:
    """A number as vectors write it, in decimal digits or in hex."""
    return int(text, 16 if text.startswith("0x") else 10)
