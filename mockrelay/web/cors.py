"""The headers that let a page of another origin use the API in a browser (CORS, as in the Fetch standard).

Only answers of `/api/` have them, never those of the control API.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from mockrelay.relay import REQUEST_ID_HEADER
from mockrelay.suggest import in_quotes
from mockrelay.web.http1 import api_error
from mockrelay.wire.http import Response

ANY = ("*",)
"""Every origin may use the API."""
MAX_AGE_S = 600
"""How long a browser may keep the answer to a preflight."""
METHODS = "DELETE, GET, POST"
"""Those of all profiles: a call that a relayer's own profile does not have is refused all the same."""
HEADERS = ("Content-Type", "X-API-KEY", "X-API-SIG")
"""The request headers that are allowed also where a preflight does not ask for them."""
EXPOSED = f"{REQUEST_ID_HEADER}, Retry-After"
"""What a page may read beside the body and the few headers that are always readable."""

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?|null")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VARY = ("Vary", "Origin")


class Cors:
    """Who may use the API from a page: every origin (`ANY`), or those listed."""

    __slots__ = ("_allowed", "_any")

    def __init__(self, origins: Collection[str] = ANY) -> None:
        """`origins` as browsers send them: `http://localhost:3000`, or `null` for a page out of a file.

        Raises ValueError for text that is not an origin.
        """
        self._any = "*" in origins
        self._allowed = frozenset(_checked(origin) for origin in origins if origin != "*")

    def preflight(self, headers: Mapping[str, str]) -> Response | None:
        """The answer to an OPTIONS request that asks what a page may do; None: the request is not a preflight."""
        origin, method = headers.get("origin"), headers.get("access-control-request-method")
        if origin is None or method is None:
            return None
        if not self._any and origin not in self._allowed:
            return api_error(403, f"pages of the origin {in_quotes(origin)} may not use this server (option --cors)")
        allowed = (
            ("Access-Control-Allow-Methods", METHODS),
            ("Access-Control-Allow-Headers", _headers(headers.get("access-control-request-headers", ""))),
            ("Access-Control-Max-Age", str(MAX_AGE_S)),
        )
        return Response(204, allowed, b"")

    def marked(self, response: Response, origin: str) -> Response:
        """An answer with the headers that let a page of the request's origin read it."""
        if self._any:
            allow = (("Access-Control-Allow-Origin", "*"), ("Access-Control-Expose-Headers", EXPOSED), _VARY)
        elif origin in self._allowed:
            allow = (("Access-Control-Allow-Origin", origin), ("Access-Control-Expose-Headers", EXPOSED), _VARY)
        else:
            # Nothing depends on the origin where none is allowed.
            return response._replace(headers=(*response.headers, _VARY)) if self._allowed else response
        return response._replace(headers=(*response.headers, *allow))


def _checked(origin: str) -> str:
    text = origin.lower()
    if not _ORIGIN.fullmatch(text):
        raise ValueError(
            f"{in_quotes(origin)} is not an origin; meant: SCHEME://HOST or SCHEME://HOST:PORT, with nothing after it"
        )
    return text


def _headers(asked: str) -> str:
    """The headers to allow: those asked for, as far as they can be names of headers, and those of the API."""
    names = {name.lower(): name for name in map(str.strip, asked.split(",")) if _TOKEN.fullmatch(name)}
    for name in HEADERS:
        names.setdefault(name.lower(), name)
    return ", ".join(names.values())
