"""The headers that let a page of another origin use the API in a browser (CORS, as in the Fetch standard), or, if its
origin is listed for that, the control API.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

from mockrelay.relay import REQUEST_ID_HEADER
from mockrelay.suggest import cut, in_quotes
from mockrelay.web.http1 import api_error
from mockrelay.wire.http import Response

ANY = ("*",)
"""Every origin may use the API."""
MAX_AGE_S = 600
"""How long a browser may keep the answer to a preflight."""


class Allowed(NamedTuple):
    """What pages may do with one of the two APIs."""

    methods: str
    headers: tuple[str, ...]
    """The request headers that are allowed also where a preflight does not ask for them."""
    exposed: str
    """What a page may read beside the body and the few headers that are always readable."""
    option: str
    """The option of `serve` that lists the origins."""


# The methods of all profiles: a call that a relayer's own profile does not have is refused all the same.
API = Allowed(
    "DELETE, GET, POST", ("Content-Type", "X-API-KEY", "X-API-SIG"), f"{REQUEST_ID_HEADER}, Retry-After", "--cors"
)
CONTROL = Allowed(
    "DELETE, GET, HEAD, POST, PUT",
    ("Authorization", "Content-Type", "Last-Event-ID"),
    "Allow, WWW-Authenticate",
    "--control-cors",
)

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?|null")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VARY = ("Vary", "Origin")
_CREDENTIALS = ("Access-Control-Allow-Credentials", "true")
_PRIVATE_NETWORK = ("Access-Control-Allow-Private-Network", "true")


class Cors:
    """Who may use an API from a page: every origin (`ANY`), or those listed."""

    __slots__ = ("_allowed", "_any", "_may")

    def __init__(self, origins: Collection[str] = ANY, may: Allowed = API) -> None:
        """`origins` as browsers send them: `http://localhost:3000`, or `null` for a page out of a file.

        Raises ValueError for text that is not an origin.
        """
        self._may = may
        self._any = "*" in origins
        self._allowed = frozenset(_checked(origin) for origin in origins if origin != "*")

    def allows(self, origin: str | None) -> bool:
        """Whether pages of an origin may use it."""
        return origin is not None and (self._any or origin in self._allowed)

    def socket_refusal(self, origin: str | None) -> Response | None:
        """The answer to a page that opens a WebSocket and may not use the API; None: it may, or it is no page. No browser asks
        before, nor keeps the page from what comes.
        """
        return None if origin is None or self.allows(origin) else self._refusal(origin)

    def _refusal(self, origin: str) -> Response:
        pages = f"pages of the origin {in_quotes(origin)}"
        return api_error(403, f"{pages} may not use this server; `serve {self._may.option} {cut(origin)}` lets them")

    def preflight(self, headers: Mapping[str, str]) -> Response | None:
        """The answer to an OPTIONS request that asks what a page may do; None: the request is not a preflight. A page of the
        internet asks too whether it may call this machine, or one of its network (Private Network Access).
        """
        origin, method = headers.get("origin"), headers.get("access-control-request-method")
        if origin is None or method is None:
            return None
        if not self.allows(origin):
            return self._refusal(origin)
        asked = headers.get("access-control-request-headers", "")
        allowed = (
            ("Access-Control-Allow-Methods", self._may.methods),
            ("Access-Control-Allow-Headers", _headers(asked, self._may.headers)),
            ("Access-Control-Max-Age", str(MAX_AGE_S)),
        )
        is_private = headers.get("access-control-request-private-network", "").lower() == "true"
        return Response(204, (*allowed, _PRIVATE_NETWORK) if is_private else allowed, b"")

    def marked(self, response: Response, origin: str) -> Response:
        """An answer with the headers that let a page of the request's origin read it."""
        exposed = ("Access-Control-Expose-Headers", self._may.exposed)
        allow: tuple[tuple[str, str], ...]
        if self._any:
            allow = (("Access-Control-Allow-Origin", "*"), exposed, _VARY)
        elif origin in self._allowed:
            # Only an origin that is named may be sent credentials for.
            allow = (("Access-Control-Allow-Origin", origin), _CREDENTIALS, exposed, _VARY)
        else:
            # Nothing depends on the origin where none is allowed.
            return response.with_headers(_VARY) if self._allowed else response
        return response.with_headers(*allow)


def _checked(origin: str) -> str:
    text = origin.lower()
    if not _ORIGIN.fullmatch(text):
        raise ValueError(
            f"{in_quotes(origin)} is not an origin; meant: SCHEME://HOST or SCHEME://HOST:PORT, with nothing after it"
        )
    return text


def _headers(asked: str, always: tuple[str, ...]) -> str:
    """The headers to allow: those asked for, as far as they can be names of headers, and those that always are."""
    names = {name.lower(): name for name in map(str.strip, asked.split(",")) if _TOKEN.fullmatch(name)}
    for name in always:
        names.setdefault(name.lower(), name)
    return ", ".join(names.values())


def control_cors(origins: Collection[str]) -> Cors:
    """The origins whose pages may use the control API. Raises ValueError for `*` and `null`: every page on the web could
    be one of them.
    """
    for origin in origins:
        if origin.lower() in (*ANY, "null"):
            raise ValueError(f"{in_quotes(origin)} would let every page in; meant: SCHEME://HOST or SCHEME://HOST:PORT")
    return Cors(origins, CONTROL)
