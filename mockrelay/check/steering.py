"""A world of its own on a mockrelay: its clock, its accounts, its signatures. The user's own state is never touched."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from mockrelay.client.http import Exchange, HttpRequest, HttpResponse, parse_address

CONTROL_ROOT = "/__mockrelay/"
WORLDS_ROOT = "/w/"
_SECOND_MS = 1000


class Unreachable(Exception):
    """Nothing answers at an address, or the check cannot be made there; the text is a sentence."""


class Steering:
    """The control API of a mockrelay's world."""

    def __init__(self, exchange: Exchange, base: str, token: str | None) -> None:
        """`exchange` reaches the root of the server, `base` is its address as a client has it."""
        self._exchange = exchange
        self._headers = {"Content-Type": "application/json"}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"
        self.base = base
        self.world = ""
        self._said = ""
        self.now_ms = 0
        """The time of the world, which stands still but for `advance`."""

    def in_world(self, sent: HttpRequest) -> HttpResponse:
        """An exchange with the API of the world."""
        return self._exchange(sent._replace(target=self._prefix + sent.target))

    @property
    def url(self) -> str:
        """The base address of the world."""
        return self.base + self._prefix

    @property
    def _prefix(self) -> str:
        return f"{WORLDS_ROOT}{self.world}" if self.world else ""

    def health(self) -> Mapping[str, Any] | None:
        """What a mockrelay says of itself; None: it is none. Raises Unreachable where nothing answers, or where it is
        one that does not let us in.
        """
        got = self._exchange(HttpRequest("GET", f"{CONTROL_ROOT}health", self._headers))
        if got.status == 0:
            raise Unreachable(f"{self.base} does not answer: {got.problem}")
        value = _value(got)
        is_guarded = got.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN) and isinstance(value, dict)
        if is_guarded and {"error", "field", "meant"} <= set(value):
            raise Unreachable(f"{self.base} answers {got.status}: give its token with --token or MOCKRELAY_TOKEN")
        is_ours = got.status == HTTPStatus.OK and isinstance(value, dict) and {"version", "scenario"} <= set(value)
        return value if is_ours else None

    def enter(self) -> None:
        """Make a fresh world, in which time stands still at the beginning of a second. Raises Unreachable where none can
        be made.
        """
        health = self.health()
        assert health is not None
        listed = self._ask("GET", "worlds")
        taken = {world["name"] for world in listed} if isinstance(listed, list) else set()
        stem = f"check-{health['now_ms']}"
        self.world = next(name for n in range(len(taken) + 1) if (name := f"{stem}-{n}") not in taken)
        self.now_ms = int(self.do("POST", "clock", {"rate": 0})["now_ms"])
        self.advance(-self.now_ms % _SECOND_MS)

    def leave(self) -> None:
        """Remove the world, and what it has met: the wrong calls in it were made on purpose, and by no client."""
        name, self.world = self.world, ""
        if name:
            self._exchange(HttpRequest("DELETE", f"{CONTROL_ROOT}worlds/{name}", self._headers, b'{"report": false}'))

    def do(self, method: str, path: str, body: Any = None) -> Any:
        """A control call that must be carried out. Raises Unreachable where it is not."""
        value = self._ask(method, path, body)
        if value is None:
            raise Unreachable(f"{self.url}{CONTROL_ROOT}{path} did not do as it was asked: {self._said}")
        return value

    def advance(self, ms: int) -> None:
        """Let time go by."""
        if ms > 0:
            self.now_ms = int(self.do("POST", "clock", {"advance": f"{ms}ms"})["now_ms"])

    def sign(self, account_id: int, endpoint: str, body: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """A body and its headers, signed as the client of an account would; None where that cannot be done."""
        wish = {"account": account_id, "endpoint": endpoint, "body": body, "url": self.url}
        value = self._ask("POST", "sign", wish)
        return value if isinstance(value, dict) else None

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        payload = b"" if body is None else json.dumps(body).encode()
        got = self._exchange(HttpRequest(method, f"{self._prefix}{CONTROL_ROOT}{path}", self._headers, payload))
        self._said = got.problem or got.body[:300].decode("utf-8", "replace")
        return _value(got) if got.status == HTTPStatus.OK else None


def root_of(url: str) -> str:
    """The address of a server, made of that of a world on it. Raises InvalidAddress."""
    parts = parse_address(url)
    path = parts.path.rpartition(WORLDS_ROOT.rstrip("/"))[0] if WORLDS_ROOT in parts.path + "/" else parts.path
    return f"{parts.scheme}://{parts.netloc}{path.rstrip('/')}"


def _value(got: HttpResponse) -> Any:
    try:
        return json.loads(got.body)
    except (ValueError, RecursionError):
        return None
