"""A call of the API as a plain value, the request that it makes, and an answer taken apart."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from mockrelay.client.http import HttpRequest
from mockrelay.spec.endpoints import BY_ID
from mockrelay.wire.http import DRAWN_HEADER, RawRequest

BASE = "http://127.0.0.1:4627"
"""The address that calls to a relay without a socket name as the relayer's."""


class ApiCall(NamedTuple):
    """A call to an endpoint: its name and fields, an API key and a signature.

    What an HTTP client needs follows from them: `method`, `target` (or `path` and `query`), `headers` and `payload`.
    """

    endpoint: str
    """Its name, such as `submit_order`; of a call in another form the id of that form's row, such as `submit_order_gen3`."""
    fields: Mapping[str, Any]
    """Fields of the JSON body of a POST, of the query of any other method."""
    key: str | None = None
    """The header `X-API-KEY`; None: not sent."""
    signature: str | None = None
    """The header `X-API-SIG`; None: not sent."""
    body: bytes | None = None
    """What is sent in place of the fields; None: the fields."""
    is_drawn: bool = False
    """Whether a strategy has made it: what it does wrong is then no client's mistake, so it brings no findings."""

    def but(self, **changes: Any) -> ApiCall:
        """The same call with other fields."""
        return self._replace(fields={**self.fields, **changes})

    def without(self, *names: str) -> ApiCall:
        """The same call with fields left out."""
        return self._replace(fields={name: value for name, value in self.fields.items() if name not in names})

    @property
    def method(self) -> str:
        """GET, POST or DELETE."""
        return BY_ID[self.endpoint].method

    @property
    def path(self) -> str:
        """The path without the query, such as `/api/v3/order`."""
        return BY_ID[self.endpoint].path

    @property
    def target(self) -> str:
        """Path and query, encoded: what follows the relayer's URL."""
        pairs = urlencode(self.query, errors="surrogatepass")
        return self.path + (f"?{pairs}" if pairs else "")

    @property
    def query(self) -> tuple[tuple[str, str], ...]:
        """The query's pairs; none for a POST."""
        return () if self.method == "POST" else tuple((name, _text(value)) for name, value in self.fields.items())

    @property
    def payload(self) -> bytes:
        """The body's bytes, JSON without blanks as clients sign it; none but for a POST."""
        if self.body is not None:
            return self.body
        return json.dumps(self.fields, separators=(",", ":")).encode() if self.method == "POST" else b""

    @property
    def headers(self) -> dict[str, str]:
        """Headers by lower-case name."""
        headers = {"x-api-key": self.key, "x-api-sig": self.signature}
        headers["content-type"] = "application/json" if self.method == "POST" else None
        headers[DRAWN_HEADER] = "1" if self.is_drawn else None
        return {name: value for name, value in headers.items() if value is not None}

    @property
    def request(self) -> HttpRequest:
        """The HTTP request of the call."""
        return HttpRequest(self.method, self.target, {"accept": "application/json", **self.headers}, self.payload)

    def raw_request(self, base: str = BASE) -> RawRequest:
        """The call as a relay takes it without a socket; `base` is the relayer's address, as the caller names it."""
        address = urlsplit(base)
        return RawRequest(
            method=self.method,
            path=self.path,
            raw_target=address.path + self.target,
            query=self.query,
            headers={"host": address.netloc} | self.headers,
            body=self.payload,
            scheme=address.scheme,
            host=address.netloc,
            remote="127.0.0.1",
        )


class ApiAnswer(NamedTuple):
    """The answer to a call: `status`, `code`, `value` and `body`; `is_accepted` and `payload` are read from them."""

    status: int
    """The HTTP status; 0 where the connection was closed without an answer."""
    code: int | None
    """`resultInfo.code`, 0 for a bare answer without one; None where the body is not JSON, or its code not a number."""
    value: Any
    """The body's JSON value; None where it has none."""
    body: bytes
    """The body's bytes."""

    @property
    def is_accepted(self) -> bool:
        """Whether the answer is that of an accepted call."""
        return self.status == 200 and self.code == 0

    @property
    def payload(self) -> Any:
        """What an accepted call carries: `data` of an envelope, all of a bare answer."""
        return self.value.get("data") if isinstance(self.value, dict) and "resultInfo" in self.value else self.value


NO_ANSWER = ApiAnswer(0, None, None, b"")
"""The connection was closed without an answer."""


def parse_answer(status: int, body: bytes) -> ApiAnswer:
    """An answer, taken apart."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return ApiAnswer(status, None, None, body)
    outcome = outcome_of(value)
    code = 0 if outcome is None else outcome.get("code")
    return ApiAnswer(status, code if type(code) is int else None, value, body)


def outcome_of(value: Any) -> Mapping[str, Any] | None:
    """`{code, message}` of an envelope, or of an error in the bare form; None for any other value, such as a payload."""
    if not isinstance(value, dict):
        return None
    if "resultInfo" in value:
        inner = value["resultInfo"]
        return inner if isinstance(inner, dict) else {}
    # The form of the choice `http.bare_error_body`. No payload looks like it.
    return value if set(value) == {"code", "message"} else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
