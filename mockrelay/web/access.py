"""The address that clients call, and the access check of the control API: clients on this machine, except pages of a
browser, or clients with the token.

Without a token the server listens on loopback only, so the danger left is a web page that the user happens to have
open: its requests carry a foreign `Origin`, or a foreign `Host` once its name has been rebound to 127.0.0.1.
"""

from __future__ import annotations

import hmac
import ipaddress
import re
from dataclasses import replace
from typing import NamedTuple, Self
from urllib.parse import urlsplit

from mockrelay.suggest import cut, in_quotes
from mockrelay.web.http1 import control_error
from mockrelay.wire.http import RawRequest, Response

# A name or an address, and at most a port behind it. Nothing else may hide there: readers differ in what they make of
# `localhost:80@elsewhere` or `[::1]elsewhere`.
_HOST = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{0,5})?", re.ASCII)
_SCHEMES = ("http", "https")


class Address(NamedTuple):
    """Scheme and host of an address, with a port if it has one."""

    scheme: str
    host: str

    @classmethod
    def of_url(cls, url: str) -> Self:
        """The address of `https://HOST` or `https://HOST:PORT`. Raises ValueError for anything else."""
        try:
            parts = urlsplit(url)
        except ValueError:
            parts = urlsplit("")
        is_bare = url.isprintable() and parts.path in ("", "/") and not parts.query and not parts.fragment
        if parts.scheme not in _SCHEMES or not _HOST.fullmatch(parts.netloc) or not is_bare:
            raise ValueError(
                f"{url!r} is not such an address; meant: http://HOST[:PORT] or https://HOST[:PORT], without a path"
            )
        return cls(parts.scheme, parts.netloc)

    def __str__(self) -> str:
        return f"{self.scheme}://{self.host}"


class Outside(NamedTuple):
    """How the addresses that clients call are known."""

    public: Address | None = None
    """The address that all clients call; None: the one that each request has."""
    trusts_proxy: bool = False
    """Whether `X-Forwarded-Proto` and `X-Forwarded-Host` say what the client called."""

    def forwarded(self, raw: RawRequest) -> Address | None:
        """What a trusted proxy says of a request; None: nothing that can be read."""
        if not self.trusts_proxy:
            return None
        scheme, host = (_first(raw, f"x-forwarded-{name}") for name in ("proto", "host"))
        host = host if _HOST.fullmatch(host) else ""
        scheme = scheme.lower() if scheme.lower() in _SCHEMES else ""
        return Address(scheme or raw.scheme, host or raw.host) if scheme or host else None

    def address(self, raw: RawRequest) -> Address | None:
        """The address that the client called, where it is not the request's own."""
        return self.public or self.forwarded(raw)

    def seen(self, raw: RawRequest) -> RawRequest:
        """The request with the address that the client called, which is the one that it signed."""
        address = self.address(raw)
        return raw if address is None else replace(raw, scheme=address.scheme, host=address.host)


def _first(raw: RawRequest, name: str) -> str:
    """The first of a header's values: that of the proxy next to the client."""
    return raw.headers.get(name, "").partition(",")[0].strip()


ITSELF = Outside()
"""Of a server that clients call at its own address."""


def is_loopback(host: str) -> bool:
    """Whether a name or address (without port) can only mean this machine."""
    name = host.strip("[]").lower().removesuffix(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def refusal(
    raw: RawRequest, token: str | None, authority: str = "", outside: Outside = ITSELF, *, is_page_allowed: bool = False
) -> Response | None:
    """What to answer to a control request in place of what it asks for; None: let it in.

    `authority` is the host that the target itself named, where it did, and a trusted proxy may name another: then all must
    mean this machine. A page of an address that clients call is of the server's own origin; `is_page_allowed`: its origin
    is one of `--control-cors`.
    """
    if token is not None:
        given = raw.headers.get("authorization", "")
        if hmac.compare_digest(given.encode(), f"Bearer {token}".encode()):
            return None
        return control_error(
            401,
            "the control API of this server asks for its token",
            "header Authorization",
            "Bearer and the token that the server was started with",
            ("WWW-Authenticate", "Bearer"),
        )
    # A request without Host is HTTP/1.0 and comes from no browser.
    named = [raw.host] if "host" in raw.headers else []
    forwarded = outside.forwarded(raw)
    for host in (*named, *([authority] if authority else ()), *([forwarded.host] if forwarded else ())):
        if not _is_local(host):
            return control_error(
                403,
                f"the control API is not served to the foreign host {in_quotes(host)}",
                "header Host",
                "localhost or a loopback address, or a server started with --token TOKEN, which asks for that in place of it",
            )
    origin = raw.headers.get("origin")
    own = [f"{raw.scheme}://{raw.host}"] if raw.host else []
    own += [str(address) for address in (outside.public, forwarded) if address is not None]
    if origin is not None and origin not in own and not is_page_allowed:
        return control_error(
            403,
            f"the control API is not served to pages of the foreign origin {in_quotes(origin)}",
            "header Origin",
            f"no Origin, or {raw.scheme}://{raw.host}, or a server started with --control-cors {cut(origin) or 'ORIGIN'}",
        )
    return None


def _is_local(host: str) -> bool:
    """Whether a host with or without a port is written as it should be and can only mean this machine."""
    written = _HOST.fullmatch(host)
    return written is not None and is_loopback(written[1])
