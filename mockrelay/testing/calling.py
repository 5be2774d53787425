"""Single calls of the API as plain values, and what was answered: for tests that draw calls instead of writing them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.error import HTTPError
from urllib.parse import urlencode, urlsplit
from urllib.request import Request, urlopen

from mockrelay.spec.endpoints import BY_NAME, SignatureHeader
from mockrelay.testing.relayer import Relayer
from mockrelay.wire.messages import RawRequest, Response

if TYPE_CHECKING:
    from mockrelay.relay import Relay

BASE = "http://127.0.0.1:4627"
"""Where a relay that has no socket is, as its callers see it."""
_JSON = "application/json"
_WAIT_S_MAX = 30.0


class ApiCall(NamedTuple):
    """A call to an endpoint.

    It is drawn as `endpoint` and `fields`, with `key` and `signature` (`body` only where the body is no JSON object). What
    an HTTP client needs is made of them: `method`, `target` (or `path` and `query`), `headers` and `payload`.
    """

    endpoint: str
    """Its name, such as `submit_order`."""
    fields: Mapping[str, Any]
    """Fields of the query (GET) or of the JSON body (POST)."""
    key: str | None = None
    """The header `X-API-KEY`; None: not sent."""
    signature: str | None = None
    """The header `X-API-SIG`; None: not sent."""
    body: bytes | None = None
    """What is sent in place of the fields; None: the fields."""

    def but(self, **changes: Any) -> ApiCall:
        """The same with other fields."""
        return self._replace(fields={**self.fields, **changes})

    def without(self, *names: str) -> ApiCall:
        """The same with fields left out."""
        return self._replace(fields={name: value for name, value in self.fields.items() if name not in names})

    @property
    def method(self) -> str:
        """GET or POST."""
        return BY_NAME[self.endpoint].method

    @property
    def path(self) -> str:
        """The path without the query, such as `/api/v3/order`."""
        return BY_NAME[self.endpoint].path

    @property
    def target(self) -> str:
        """Path and query, encoded: what follows the relayer's URL."""
        pairs = urlencode(self.query, errors="surrogatepass")
        return self.path + (f"?{pairs}" if pairs else "")

    @property
    def query(self) -> tuple[tuple[str, str], ...]:
        """The query's pairs; none for a POST."""
        return tuple((name, _text(value)) for name, value in self.fields.items()) if self.method == "GET" else ()

    @property
    def payload(self) -> bytes:
        """The body's bytes, JSON without blanks as clients sign it; none for a GET."""
        if self.body is not None:
            return self.body
        return b"" if self.method == "GET" else json.dumps(self.fields, separators=(",", ":")).encode()

    @property
    def headers(self) -> dict[str, str]:
        """Headers by lower-case name."""
        headers = {"x-api-key": self.key, "x-api-sig": self.signature}
        headers["content-type"] = None if self.method == "GET" else _JSON
        return {name: value for name, value in headers.items() if value is not None}


class ApiAnswer(NamedTuple):
    """What was answered to a call: `status`, `code`, `value` and `body`; `is_accepted` and `payload` are read from them."""

    status: int
    """The HTTP status; 0 where the connection was closed without an answer."""
    code: int | None
    """`resultInfo.code`, 0 for a bare answer that carries none; None where the body is no JSON."""
    value: Any
    """The body's JSON value; None where it is none."""
    body: bytes
    """The body as it came."""

    @property
    def is_accepted(self) -> bool:
        """Whether the answer is that of an accepted call."""
        return self.status == 200 and self.code == 0

    @property
    def payload(self) -> Any:
        """What an accepted call carries: `data` of an envelope, all of a bare answer."""
        return self.value.get("data") if _has_result(self.value) else self.value


def send(relayer: Relay | Relayer, call: ApiCall, *, base: str | None = None) -> ApiAnswer:
    """Make a call: without a socket where the relayer runs in this process, else over HTTP. `base` is the address that
    the caller has for it, its own unless told otherwise.
    """
    relay = relay_of(relayer)
    if relay is None:
        assert isinstance(relayer, Relayer)
        return send_over_http(relayer.url, call)
    # A port is opened where somebody asks for the address, which matters to what signs it only.
    signs_address = BY_NAME[call.endpoint].signature is SignatureHeader.EDDSA
    raw = raw_request(call, base or (base_of(relayer) if signs_address else BASE))
    return answer_of(relay.handle(raw, relay.now_ms()))


def raw_request(call: ApiCall, base: str = BASE) -> RawRequest:
    """A call as a relay without a socket takes it, made to an address of it."""
    where = urlsplit(base)
    return RawRequest(
        method=call.method,
        path=call.path,
        raw_target=where.path + call.target,
        query=call.query,
        headers={"host": where.netloc} | call.headers,
        body=call.payload,
        scheme=where.scheme,
        host=where.netloc,
        remote="127.0.0.1",
    )


def base_of(relayer: Relay | Relayer) -> str:
    """The address that calls of a relayer are made to."""
    return (relayer.address if isinstance(relayer, Relayer) else "") or BASE


def relay_of(relayer: Relay | Relayer) -> Relay | None:
    """The relay of a handle, where it runs in this process; a relay is its own."""
    if not isinstance(relayer, Relayer):
        return relayer
    try:
        return relayer.relay
    except RuntimeError:
        return None


def send_over_http(url: str, call: ApiCall) -> ApiAnswer:
    """Make a call to a server at an address."""
    data = None if call.method == "GET" else call.payload
    request = Request(url + call.target, data=data, headers=call.headers, method=call.method)  # noqa: S310
    try:
        with urlopen(request, timeout=_WAIT_S_MAX) as answer:  # noqa: S310
            return _read(answer.status, answer.read())
    except HTTPError as refused:
        with refused:
            return _read(refused.code, refused.read())
    except ConnectionError:
        return ApiAnswer(0, None, None, b"")


def answer_of(response: Response) -> ApiAnswer:
    """A relay's response, read."""
    return ApiAnswer(0, None, None, b"") if response.drop else _read(response.status, response.body)


def _read(status: int, body: bytes) -> ApiAnswer:
    try:
        value = json.loads(body)
    except ValueError:
        return ApiAnswer(status, None, None, body)
    return ApiAnswer(status, _code(value), value, body)


def _code(value: Any) -> int:
    if _has_result(value):
        return int(value["resultInfo"]["code"])
    # The other form that the choice `http.bare_error_body` has; no payload looks like it.
    if isinstance(value, dict) and set(value) == {"code", "message"}:
        return int(value["code"])
    return 0


def _has_result(value: Any) -> bool:
    return isinstance(value, dict) and "resultInfo" in value


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
