"""Masks keys and signatures in whatever is shown: journal, reports and logs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from mockrelay.wire.json_body import finite_number, no_constant

MASK = "(masked)"
_SECRET_HEADERS = frozenset({"xapikey", "xapisig", "apikey", "apisig", "authorization", "cookie", "proxyauthorization"})
_SECRET_WORDS = (
    *("api key", "ws api key", "key seed", "eddsa key", "layer1 key", "private key"),
    *("signature rx", "signature ry", "signature s", "eddsa signature", "ecdsa signature"),
)
"""Names of fields, at any depth and however their words are joined: `apiKey`, `api_key`, `API-KEY`."""
_SECRET_FIELDS = frozenset({"xapikey", "xapisig", *(words.replace(" ", "") for words in _SECRET_WORDS)})
_NAMES = "|".join(words.replace(" ", "[-_]?") for words in sorted(_SECRET_WORDS))
_JOINTS = str.maketrans("", "", "-_")
VALUE_MIN = 8
"""The number of characters from which on a secret is masked by its value too; a shorter one may be any word."""
SENTENCE_MIN = 20
"""The same for one with blanks: a seed is a sentence, and a wrong signature may be a few words."""
TEXT_MAX = 4000
"""The number of characters that are shown of a body that is not JSON."""

_IN_TEXT = re.compile(rf"""((?:{_NAMES})["']?\s*[:=]\s*)("[^"]*"?|'[^']*'?|[^\s,;&}}]*)""", re.IGNORECASE)

_IN_QUERY = re.compile(rf"([?&](?:{_NAMES})=)[^&#]*", re.IGNORECASE)


_VALUE = re.compile(
    rf"""\b((?:{_NAMES}): )("(?:[^"\\]|\\.)*"|-?[0-9][^\s,;]*|true|false|null)""",
    re.IGNORECASE,
)


def is_secret_field(name: str) -> bool:
    """Whether the values of a field are secret."""
    return name.lower().translate(_JOINTS) in _SECRET_FIELDS


def is_secret_header(name: str) -> bool:
    """The same of a header."""
    return name.lower().translate(_JOINTS) in _SECRET_HEADERS


def masked_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers, with the values of secret ones masked."""
    return {name: MASK if is_secret_header(name) else value for name, value in headers.items()}


def masked_target(target: str) -> str:
    """A request's target, with the values of secret parameters masked."""
    return _IN_QUERY.sub(rf"\g<1>{MASK}", target) if "=" in target else target


def masked_values(sentence: str) -> str:
    """A sentence about a field, such as `signatureS: 5 is an integer`, with the value masked where it is secret."""
    return _VALUE.sub(rf"\g<1>{MASK}", sentence)


def masked(value: Any) -> Any:
    """A JSON value with the values of secret fields masked."""
    if isinstance(value, dict):
        return {name: MASK if is_secret_field(name) else masked(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [masked(inner) for inner in value]
    return value


def masked_body(body: bytes) -> Any:
    """A body as it is shown: the JSON value or, where it is not JSON, its text; None where it is empty."""
    if not body:
        return None
    try:
        return masked(json.loads(body, parse_constant=no_constant, parse_float=finite_number))
    except (ValueError, RecursionError):
        text = body.decode("utf-8", "replace")
        # Cut first: looking for secrets in the whole of a long body takes too long.
        shown = _IN_TEXT.sub(rf"\g<1>{MASK}", text[:TEXT_MAX])
        return shown if len(text) <= TEXT_MAX else f"{shown}... ({len(body)} bytes in all)"
