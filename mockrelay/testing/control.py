"""The one way from a handle to its relayer: control calls, carried in this process or over HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from mockrelay.control import handle_control
from mockrelay.replay import load_into

if TYPE_CHECKING:
    from mockrelay.relay import Relay

NO_QUERY: Mapping[str, object] = {}
WAIT_S_MAX = 30.0
"""How long a server may take for one control call."""
_OK_MAX = 299
_NO_TOKEN = 401


def hides(raised: Any) -> bool:
    """For `__tracebackhide__`, which pytest asks of each frame: what was refused is shown where the test asked for it."""
    return isinstance(raised.value, ControlError | AssertionError)


__tracebackhide__ = hides


class Control(Protocol):
    """Carries a control call to a relayer; `path` is what follows `/__mockrelay/`."""

    def __call__(self, method: str, path: str, body: object = None, query: Mapping[str, object] = NO_QUERY) -> Any:
        """The JSON value of the answer (text where it is no JSON). A text as `body` goes as it is, all else as JSON.

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


def in_process(relay: Relay) -> Control:
    """Calls to a relay of this process: no socket and no loop, so they work in any thread and inside any loop."""

    def control(method: str, path: str, body: object = None, query: Mapping[str, object] = NO_QUERY) -> Any:
        pairs = tuple((name, str(value)) for name, value in query.items())
        response = handle_control(relay, method, path, pairs, _encoded(body), load_into)
        return _value(response.status, dict(response.headers)["Content-Type"], response.body)

    return control


def over_http(url: str, token: str | None = None) -> Control:
    """Calls to the relayer, or the world of a server, whose address is `url`. Raises ValueError where it is none."""
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"{url!r} is no address of a server; meant: http://HOST:PORT")
    # Only those who talk to another process pay for the import.
    from urllib.error import HTTPError, URLError  # noqa: PLC0415
    from urllib.parse import quote, urlencode  # noqa: PLC0415
    from urllib.request import ProxyHandler, Request, build_opener  # noqa: PLC0415

    # A proxy of the machine's settings has no business between a test and its server.
    opener = build_opener(ProxyHandler({}))
    headers = {"Content-Type": "application/json"} | ({} if token is None else {"Authorization": f"Bearer {token}"})

    def control(method: str, path: str, body: object = None, query: Mapping[str, object] = NO_QUERY) -> Any:
        target = f"{url}/__mockrelay/{quote(path)}" + (f"?{urlencode(query)}" if query else "")
        request = Request(target, _encoded(body) or None, headers, method=method)  # noqa: S310 - the user's own URL
        try:
            with opener.open(request, timeout=WAIT_S_MAX) as answer:
                return _value(answer.status, answer.headers["Content-Type"], answer.read())
        except HTTPError as refused:
            with refused:
                status, kind, told = refused.code, refused.headers["Content-Type"], refused.read()
            if status == _NO_TOKEN:
                raise ControlError(
                    status,
                    f"the server at {url} asks for its token",
                    "token",
                    "what it was started with, in MOCKRELAY_TOKEN or as Relayer.at(url, token)",
                ) from None
            return _value(status, kind, told)
        except (URLError, ConnectionError, TimeoutError) as error:
            reason = getattr(error, "reason", error)
            raise ControlError(
                0, f"the server at {url} does not answer: {reason}", "url", "a `mockrelay serve` that is up"
            ) from None

    return control


class Line:
    """The control of one handle and of all that it gives out, until it is cut."""

    __slots__ = ("_control",)

    def __init__(self, control: Control) -> None:
        self._control: Control | None = control

    def __call__(self, method: str, path: str, body: object = None, query: Mapping[str, object] = NO_QUERY) -> Any:
        """Carry the call on. Raises RuntimeError once the line is cut."""
        if self._control is None:
            raise RuntimeError("this relayer has ended with the test that it was made for")
        return self._control(method, path, body, query)

    @property
    def is_cut(self) -> bool:
        """Whether nothing is carried any more."""
        return self._control is None

    def cut(self) -> None:
        """Carry nothing from here on."""
        self._control = None


def seen(look: Callable[[], str]) -> str:
    """What a look at the relayer adds to a repr; nothing where it can no longer be asked: a repr does not raise."""
    try:
        return f" {look()}"
    except (ControlError, RuntimeError):
        return ""


def word(value: object, what: str) -> str:
    """A value as one word of a path. Raises ControlError for one that would be another path."""
    text = str(value)
    if not text or "/" in text:
        raise ControlError(404, f"{text!r} names no {what}", what, f"the name or id of one {what}")
    return text


def _encoded(body: object) -> bytes:
    if body is None:
        return b""
    return body.encode() if isinstance(body, str) else json.dumps(body).encode()


def _value(status: int, content_type: str | None, body: bytes) -> Any:
    text = body.decode("utf-8", "replace")
    value: Any = text
    if content_type is not None and content_type.partition(";")[0].strip() == "application/json":
        value = json.loads(text)
    if status <= _OK_MAX:
        return value
    if isinstance(value, dict) and "error" in value:
        raise ControlError(status, str(value["error"]), value.get("field"), value.get("meant"))
    raise ControlError(status, f"the server answered {status}: {text[:200]}")
