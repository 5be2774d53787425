"""A world on a mockrelay that only the check uses: its clock, its accounts, its signatures. The user's own state is never
touched.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from mockrelay.client.control import CONTROL_ROOT, ControlError, control_request, over
from mockrelay.client.http import Exchange, HttpRequest, HttpResponse, parse_address

WORLDS_ROOT = "/w/"
_SECOND_MS = 1000


class CannotCheck(Exception):
    """Nothing answers at an address, or the check cannot be made there; the text is a sentence."""


class OwnWorld:
    """The world, once `enter` has made it; before that the server itself."""

    def __init__(self, exchange: Exchange, base: str, token: str | None) -> None:
        """`exchange` reaches the root of the server, `base` is its address as a client has it."""
        self._exchange = exchange
        self._token = token
        self._name = ""
        self.base = base
        self.now_ms = 0
        """The time of the world, which stands still but for `advance`."""
        self.state: Mapping[str, Any] = {}
        """The answer to `GET state` at the start."""

    @property
    def _prefix(self) -> str:
        return f"{WORLDS_ROOT}{self._name}" if self._name else ""

    @property
    def url(self) -> str:
        """The base address of the world."""
        return self.base + self._prefix

    @property
    def verifies(self) -> bool:
        """Whether signatures are verified, so that right ones are needed."""
        return bool(self.state["choices"]["signature.scheme"] == "protocol")

    def exchange(self, request: HttpRequest) -> HttpResponse:
        """An exchange with the world."""
        return self._exchange(request._replace(target=self._prefix + request.target))

    def is_mockrelay(self) -> bool:
        """Whether the server is a mockrelay. Raises CannotCheck where nothing answers, or where it asks for a token."""
        response = self._exchange(control_request("GET", "health", token=self._token))
        if response.status == 0:
            raise CannotCheck(f"{self.base} does not answer: {response.problem}")
        try:
            value = json.loads(response.body)
        except (ValueError, RecursionError):
            return False
        names = set(value) if isinstance(value, dict) else set()
        is_refused = response.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
        if is_refused and {"error", "field", "meant"} <= names:
            raise CannotCheck(f"{self.base} answers {response.status}: give its token with --token or MOCKRELAY_TOKEN")
        if response.status == HTTPStatus.OK and value == {"status": "ok"} and self._asks_for_token():
            raise CannotCheck(f"{self.base} is guarded: give its token with --token or MOCKRELAY_TOKEN")
        return response.status == HTTPStatus.OK and {"version", "scenario"} <= names

    def _asks_for_token(self) -> bool:
        """Whether the server is a mockrelay with a token: its health says nothing else to others."""
        response = self._exchange(control_request("GET", "clock", token=self._token))
        return response.status == HTTPStatus.UNAUTHORIZED

    def enter(self) -> None:
        """Make a fresh world, in which time stands still at the beginning of a second. Raises CannotCheck where none can be
        made.
        """
        taken = {world["name"] for world in self.control("GET", "worlds")}
        stem = f"check-{self.control('GET', 'health')['now_ms']}"
        name = next(name for n in range(len(taken) + 1) if (name := f"{stem}-{n}") not in taken)
        self.control("POST", f"worlds/{name}")
        self._name = name
        self.now_ms = int(self.control("POST", "clock", {"rate": 0})["now_ms"])
        self.advance(-self.now_ms % _SECOND_MS)
        self.state = self.control("GET", "state")

    def leave(self) -> None:
        """Remove the world and what was found in it: its wrong calls were made on purpose."""
        name, self._name = self._name, ""
        if name:
            self._exchange(control_request("DELETE", f"worlds/{name}", {"report": False}, token=self._token))

    def control(self, method: str, path: str, body: Any = None) -> Any:
        """A control call. Raises CannotCheck where it is refused."""
        try:
            return self._control(method, path, body)
        except ControlError as error:
            raise CannotCheck(f"{self.url}{CONTROL_ROOT}{path} was refused: {error}") from None

    def advance(self, ms: int) -> None:
        """Move the time on."""
        if ms > 0:
            self.now_ms = int(self.control("POST", "clock", {"advance": f"{ms}ms"})["now_ms"])

    def sign(self, account_id: int, endpoint: str, body: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """`body` and `headers`, signed as the client of an account would; None where that cannot be done."""
        wish = {"account": account_id, "endpoint": endpoint, "body": body, "url": self.url}
        try:
            signed: Mapping[str, Any] = self._control("POST", "sign", wish)
        except ControlError:
            return None
        return signed

    def _control(self, method: str, path: str, body: Any) -> Any:
        return over(self.exchange, self.url, self._token)(method, path, body)


def root_of(url: str) -> str:
    """The address of a server, made of that of a world on it. Raises InvalidAddress."""
    parts = parse_address(url)
    path = parts.path.rpartition(WORLDS_ROOT.rstrip("/"))[0] if WORLDS_ROOT in parts.path + "/" else parts.path
    return f"{parts.scheme}://{parts.netloc}{path.rstrip('/')}"
