"""`Answer`: one answer of the API or of the control API, whatever carried it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple


class Answer(NamedTuple):
    """Status, headers and body, with short ways to what the body holds."""

    status: int
    headers: Mapping[str, str]
    """By lower-case name."""
    body: bytes
    drop: bool = False
    """The connection is closed without an answer."""
    not_before_ms: int | None = None
    """The relayer's time before which the answer is not sent."""

    @property
    def json(self) -> Any:
        """The body, parsed."""
        return parse_json(self.body)

    @property
    def code(self) -> int:
        """`resultInfo.code`; 0 for a bare answer that carries none."""
        parsed = self.json
        if isinstance(parsed, dict) and "resultInfo" in parsed:
            code = parsed["resultInfo"]["code"]
            assert type(code) is int, f"code is {code!r}"
            return code
        return 0

    @property
    def refusal_code(self) -> int:
        """`resultInfo.code` of a refusal, which must be JSON and hold nothing else."""
        assert self.headers["content-type"].startswith("application/json")
        assert list(self.json) == ["resultInfo"]
        assert isinstance(self.message, str)
        return self.code

    @property
    def message(self) -> str:
        """`resultInfo.message`."""
        message = self.json["resultInfo"]["message"]
        assert isinstance(message, str)
        return message

    @property
    def data(self) -> Any:
        """What stands in `data`, or None."""
        return self.json.get("data")


def parse_json(body: bytes) -> Any:
    """The value of a JSON text. NaN, Infinity and bytes that are not UTF-8 are errors of the product: ValueError."""
    return json.loads(body.decode("utf-8"), parse_constant=_refuse_constant)


def _refuse_constant(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")
