"""The answers of control calls: a JSON value, or what is wrong with the call, in which field, and what was meant."""

from __future__ import annotations

import json
import re
from typing import Any

from mockrelay.core.errors import BAD, CommandRefused, InvalidInput
from mockrelay.suggest import cut
from mockrelay.wire.http import Response
from mockrelay.wire.json_text import compact_json

METHOD_WRONG = 405
"""The status of a refusal that means the methods there are."""
_SURROGATE = re.compile(r"\\ud[89a-f]")
_JSON = ("Content-Type", "application/json; charset=utf-8")


def answer(status: int, value: Any) -> Response:
    """A JSON value as an answer. Half a surrogate pair, from what a client has sent, is shown as U+FFFD: strict readers would
    refuse the whole answer.
    """
    return Response(status, (_JSON,), json_text(value).encode())


def json_text(value: Any) -> str:
    """A value as compact JSON, without halves of surrogate pairs."""
    text = compact_json(value)
    if _SURROGATE.search(text):
        plain = json.dumps(value, ensure_ascii=False).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        text = compact_json(json.loads(plain))
    return text


def refusal(refused: CommandRefused) -> Response:
    """The answer to a refused call: `{error, field, meant}` and what else the refusal has."""
    field = cut(refused.field or "") or None
    response = answer(refused.status, {"error": refused.error, "field": field, "meant": refused.meant, **refused.more})
    if refused.status != METHOD_WRONG:
        return response
    return response.with_headers(("Allow", refused.meant or ""))


def as_refused(wrong: InvalidInput, status: int = BAD) -> CommandRefused:
    """A wrong input as the refusal of the call that it came with."""
    error = f"{wrong.field}: found {wrong.found}" if wrong.path else f"found {wrong.found}"
    return CommandRefused(status, error, wrong.field or "body", wrong.expected)
