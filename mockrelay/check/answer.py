"""An answer of any relayer, taken apart as far as it can be, and texts of calls and answers for findings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from http import HTTPStatus
from typing import Any

from mockrelay.client.call import ApiCall, outcome_of
from mockrelay.client.http import HttpRequest, HttpResponse
from mockrelay.spec.endpoints import BY_NAME

SHOWN_CHARACTERS = 300
"""The number of characters of a call or an answer that a finding quotes."""
REQUEST_ID_HEADER = "x-mockrelay-request-id"
_SECRET = ("signatureRx", "signatureRy", "signatureS", "eddsaSignature", "ecdsaSignature", "keySeed")


class Answer:
    """The answer to a call."""

    def __init__(self, call: ApiCall, request: HttpRequest, response: HttpResponse) -> None:
        self.call = call
        self.request = request
        """The call's own request, or one that was sent in its place."""
        self.response = response
        self.row = BY_NAME[call.endpoint]
        self.value: Any = None
        """The JSON value of the body; None where it has none."""
        self.is_sound = False
        """Whether it has the form of an accepted or of a refused call."""
        self.json_problem: str | None = None
        """Why the body is not JSON; None: it is."""
        try:
            self.value = json.loads(response.body.decode(), object_pairs_hook=_unique, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            self.json_problem = f"{error}" if response.body else "it is empty"

    @property
    def request_id(self) -> str | None:
        """The id that a mockrelay gives the call."""
        return self.response.headers.get(REQUEST_ID_HEADER)

    @cached_property
    def outcome(self) -> Mapping[str, Any] | None:
        """`{code, message}` of an envelope or of a bare endpoint's error; None where the answer has none."""
        is_bare = isinstance(self.value, dict) and "resultInfo" not in self.value
        return None if is_bare and self.row.enveloped else outcome_of(self.value)

    @property
    def code(self) -> int | None:
        """The outcome's code; 0 for a bare payload; None where the answer shows neither."""
        if self.outcome is not None:
            code = self.outcome.get("code")
            return code if type(code) is int else None
        return None if self.row.enveloped or self.json_problem else 0

    @property
    def is_limited(self) -> bool:
        """Whether the call was refused for its rate, in a way that cannot be mistaken."""
        return self.response.status == HTTPStatus.TOO_MANY_REQUESTS or "retry-after" in self.response.headers

    @property
    def is_of_a_relayer(self) -> bool:
        """Whether the answer's outcome alone shows that a relayer gave it, be it a wrong one. Where the path does not exist
        the address may be wrong.
        """
        is_lost = self.response.status in (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED)
        return not is_lost and self.outcome is not None and self.code is not None

    @property
    def payload(self) -> Any:
        """What an accepted call carries: `data` of an envelope, all of a bare answer."""
        return self.value.get("data") if self.row.enveloped and isinstance(self.value, dict) else self.value

    @property
    def call_text(self) -> str:
        """The call as a finding names it, without its keys and signatures."""
        return cut(f"{self.request.method} {self.request.target}")

    @property
    def sent_body(self) -> str:
        """The call's body as a finding quotes it, without its signatures; empty where there is none."""
        if self.call.method == "GET" or self.request.method != self.call.method:
            return ""
        body = self.call.body
        return cut(json.dumps(_masked(self.call.fields)) if body is None else body.decode("utf-8", "replace"))

    def __str__(self) -> str:
        """The answer as a finding quotes it."""
        if self.response.status == 0:
            return self.response.problem or "no answer"
        return cut(f"{self.response.status} {self.response.body.decode('utf-8', 'replace')}".rstrip())


def cut(text: str) -> str:
    """A text, short enough for a finding."""
    return text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "..."


def _masked(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: "..." if name in _SECRET else _masked(value) if isinstance(value, dict) else value
        for name, value in fields.items()
    }


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name is given more than once in an object")
    return found


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is not a JSON number")
