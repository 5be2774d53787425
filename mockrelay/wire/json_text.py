"""Large values as JSON text, and back, in pieces: what is written or read in one call lets no other thread run meanwhile."""

from __future__ import annotations

import json
from typing import Any

PIECE = 1_000
"""How many members of a list or an object are written at once."""
READ_AT_ONCE = 64 << 10
"""The length up to which a text is read at once."""
_COMPACT = json.JSONEncoder(separators=(",", ":"))


def compact_json(value: Any) -> str:
    """A value as JSON without blanks, the same text as that of Python's own encoder."""
    if isinstance(value, dict) and any(map(_is_large, value.values())):
        return f"{{{','.join(f'{_COMPACT.encode(str(name))}:{compact_json(own)}' for name, own in value.items())}}}"
    if not isinstance(value, dict | list) or len(value) <= PIECE:
        return _COMPACT.encode(value)
    members = list(value.items() if isinstance(value, dict) else value)
    pieces = (members[at : at + PIECE] for at in range(0, len(members), PIECE))
    is_object = isinstance(value, dict)
    inner = ",".join(_COMPACT.encode(dict(piece) if is_object else piece)[1:-1] for piece in pieces)
    return f"{{{inner}}}" if is_object else f"[{inner}]"


def _is_large(value: Any) -> bool:
    """Whether a value is long, or has a long member that `compact_json` would find."""
    if isinstance(value, dict):
        return len(value) > PIECE or any(map(_is_large, value.values()))
    return isinstance(value, list | tuple) and len(value) > PIECE


def json_value(text: bytes) -> Any:
    """The value of a JSON text. Raises ValueError and RecursionError as Python's own reader does."""
    return json.loads(text) if len(text) <= READ_AT_ONCE else json.loads(text, object_pairs_hook=_object)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object. A function of Python: between any two of its calls other threads may run."""
    return dict(pairs)
