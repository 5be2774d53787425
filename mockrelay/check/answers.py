"""Calls of the API as plain values, and answers taken apart: status, JSON, outcome, payload."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from http import HTTPStatus
from typing import Any
from typing import NamedTuple as Named
from urllib.parse import urlencode

from mockrelay.client.http import HttpRequest, HttpResponse
from mockrelay.spec.endpoints import BY_NAME, Endpoint

SHOWN_CHARACTERS = 300
"""How much of a call or of an answer a finding quotes."""
REQUEST_ID_HEADER = "x-mockrelay-request-id"


class Ask(Named):
    """A call to an endpoint."""

    endpoint: str
    fields: Mapping[str, Any]
    """Fields of the query (GET) or of the JSON body (POST)."""
    key: str | None = None
    """The header `X-API-KEY`; None: not sent."""
    signature: str | None = None
    """The header `X-API-SIG`; None: not sent."""
    body: bytes | None = None
    """What is sent in place of the fields; None: the fields."""
    query: tuple[tuple[str, str], ...] = ()
    """Pairs of the query beside the fields."""
    content_type: str = "application/json"
    method: str = ""
    """The method that is sent in place of the endpoint's."""
    suffix: str = ""
    """What is put behind the path."""

    @property
    def row(self) -> Endpoint:
        """The endpoint's row."""
        return BY_NAME[self.endpoint]

    def but(self, **changes: Any) -> Ask:
        """The same with other fields."""
        return self._replace(fields={**self.fields, **changes})

    def without(self, *names: str) -> Ask:
        """The same with fields left out."""
        return self._replace(fields={name: value for name, value in self.fields.items() if name not in names})

    @property
    def target(self) -> str:
        """Path and query."""
        given = tuple((name, _text(value)) for name, value in self.fields.items()) if self.row.method == "GET" else ()
        pairs = urlencode((*given, *self.query))
        return self.row.path + self.suffix + (f"?{pairs}" if pairs else "")

    @property
    def sent(self) -> HttpRequest:
        """The request."""
        headers = {"Accept": "application/json"}
        if self.key is not None:
            headers["X-API-KEY"] = self.key
        if self.signature is not None:
            headers["X-API-SIG"] = self.signature
        method = self.method or self.row.method
        if self.row.method == "GET":
            return HttpRequest(method, self.target, headers)
        headers["Content-Type"] = self.content_type
        body = json.dumps(self.fields, separators=(",", ":")).encode() if self.body is None else self.body
        return HttpRequest(method, self.target, headers, body)

    def __str__(self) -> str:
        """The call as a finding names it, without its keys and signatures."""
        return cut(f"{self.method or self.row.method} {self.target}")

    @property
    def told_body(self) -> str:
        """The body as a finding quotes it, without its signatures; empty where there is none."""
        if self.row.method == "GET" or self.method:
            return ""
        return cut(self.body.decode("utf-8", "replace") if self.body is not None else json.dumps(_masked(self.fields)))


class Answer:
    """An answer, read as far as it can be."""

    def __init__(self, ask: Ask, got: HttpResponse) -> None:
        self.ask = ask
        self.got = got
        self.value: Any = None
        """The JSON value of the body; None where it has none."""
        self.is_sound = False
        """Whether it was accepted or refused in the form that is due."""
        self.json_problem: str | None = None
        """Why the body is no JSON; None: it is."""
        try:
            self.value = json.loads(got.body.decode(), object_pairs_hook=_unique, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            self.json_problem = f"{error}" if got.body else "it is empty"

    @property
    def request_id(self) -> str | None:
        """The id that a mockrelay gives the call."""
        return self.got.headers.get(REQUEST_ID_HEADER)

    @cached_property
    def outcome(self) -> Mapping[str, Any] | None:
        """`{code, message}` of an envelope or of a bare endpoint's error; None where the answer has none."""
        value = self.value
        if not isinstance(value, dict):
            return None
        if "resultInfo" in value:
            inner = value["resultInfo"]
            return inner if isinstance(inner, dict) else {}
        return value if not self.ask.row.enveloped and set(value) == {"code", "message"} else None

    @property
    def code(self) -> int | None:
        """The outcome's code; 0 for a bare payload; None where there is no telling."""
        if self.outcome is not None:
            code = self.outcome.get("code")
            return code if type(code) is int else None
        return None if self.ask.row.enveloped or self.json_problem else 0

    @property
    def is_limited(self) -> bool:
        """Whether the call was refused for its rate, in a way that cannot be mistaken."""
        return self.got.status == HTTPStatus.TOO_MANY_REQUESTS or "retry-after" in self.got.headers

    @property
    def is_of_a_relayer(self) -> bool:
        """Whether the answer's outcome alone shows that a relayer gave it, be it a wrong one. Where there is no such path
        the address may be wrong.
        """
        is_lost = self.got.status in (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED)
        return not is_lost and self.outcome is not None and self.code is not None

    @property
    def payload(self) -> Any:
        """What an accepted call carries: `data` of an envelope, all of a bare answer."""
        return self.value.get("data") if self.ask.row.enveloped and isinstance(self.value, dict) else self.value

    def __str__(self) -> str:
        """The answer as a finding quotes it."""
        if self.got.status == 0:
            return self.got.problem or "no answer"
        return cut(f"{self.got.status} {self.got.body.decode('utf-8', 'replace')}".rstrip())


def cut(text: str) -> str:
    """A text as a finding can hold it."""
    return text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "..."


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


_SECRET = ("signatureRx", "signatureRy", "signatureS", "eddsaSignature", "ecdsaSignature", "keySeed")


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
    raise ValueError(f"{word} is no JSON number")
