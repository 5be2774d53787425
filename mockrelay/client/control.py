"""Control calls of a mockrelay: requests to `/__mockrelay/`, and their answers as JSON values or errors."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote, urlencode

if TYPE_CHECKING:
    from mockrelay.client.http import Exchange, HttpRequest

CONTROL_ROOT = "/__mockrelay/"
NO_QUERY: Mapping[str, object] = {}
TIMEOUT_MS = 30_000
"""The longest time that a control call to a server may take."""
BODY_BYTES_MAX = 256 << 20
"""The longest answer to a control call that is read: a saved relayer, which `load` takes up to this length."""


def hides(raised: Any) -> bool:
    """For `__tracebackhide__`, which pytest asks of each frame: the error is shown at the line of the test."""
    return isinstance(raised.value, ControlError | AssertionError)


__tracebackhide__ = hides


class Control(Protocol):
    """Makes a control call to a relayer; `path` is what follows `/__mockrelay/`."""

    def __call__(self, method: str, path: str, body: object = None, query: Mapping[str, object] = NO_QUERY) -> Any:
        """The JSON value of the answer, or its text if it is not JSON. A text as `body` is sent as it is, all else as JSON.

        Raises ControlError where the call is refused.
        """


class ControlError(Exception):
    """A control call that was refused: what is wrong, in which field, and what was meant."""

    def __init__(self, status: int, error: str, field: str | None = None, meant: str | None = None) -> None:
        is_named = not field or error.startswith(f"{field}: ") or repr(field) in error
        where = "" if is_named else f" ({field})"
        super().__init__(f"{error}{where}; meant: {meant}" if meant else f"{error}{where}")
        self.status = status
        self.error = error
        self.field = field
        self.meant = meant


def over_http(url: str, token: str | None = None) -> Control:
    """Control calls to a server, or to one of its worlds, each over a connection of its own, so from any thread.

    Raises InvalidAddress.
    """
    # Only those who call another process pay for the import.
    from mockrelay.client.http import parse_address, send_once  # noqa: PLC0415

    parse_address(url)
    return over(lambda request: send_once(url, request, TIMEOUT_MS, BODY_BYTES_MAX), url, token)


def over(exchange: Exchange, url: str, token: str | None = None) -> Control:
    """Control calls by an exchange with a server; `url` is its address in the texts of errors."""

    def control(method: str, path: str, body: object = None, query: Mapping[str, object] = NO_QUERY) -> Any:
        response = exchange(control_request(method, path, body, query, token))
        if response.problem is not None:
            raise ControlError(
                0, f"the server at {url} does not answer: {response.problem}", "url", "a `mockrelay serve` that is up"
            )
        if response.status == HTTPStatus.UNAUTHORIZED:
            raise ControlError(
                response.status,
                f"the server at {url} asks for its token",
                "token",
                "what it was started with, in MOCKRELAY_TOKEN or as RelayerHandle.at(url, token)",
            )
        return control_value(response.status, response.headers.get("content-type"), response.body)

    return control


def control_request(
    method: str, path: str, body: object = None, query: Mapping[str, object] = NO_QUERY, token: str | None = None
) -> HttpRequest:
    """The HTTP request of a control call."""
    from mockrelay.client.http import HttpRequest  # noqa: PLC0415 - see `over_http`

    headers = {"content-type": "application/json"} | ({} if token is None else {"authorization": f"Bearer {token}"})
    target = CONTROL_ROOT + quote(path) + (f"?{urlencode(query)}" if query else "")
    return HttpRequest(method, target, headers, encode_body(body))


def encode_body(body: object) -> bytes:
    """The bytes of a control call's body: none for None, a text as it is, all else as JSON."""
    if body is None:
        return b""
    return body.encode() if isinstance(body, str) else json.dumps(body).encode()


def control_value(status: int, content_type: str | None, body: bytes) -> Any:
    """The JSON value of an answer, or its text if it is not JSON. Raises ControlError where it refuses the call."""
    text = body.decode("utf-8", "replace")
    value: Any = text
    if content_type is not None and content_type.partition(";")[0].strip() == "application/json":
        value = json.loads(text)
    if status < HTTPStatus.MULTIPLE_CHOICES:
        return value
    if isinstance(value, dict) and "error" in value:
        raise ControlError(status, str(value["error"]), value.get("field"), value.get("meant"))
    raise ControlError(status, f"the server answered {status}: {text[:200]}")
