"""The access check of the control API: clients on this machine, except pages of a browser, or clients with the token.

Without a token the server listens on loopback only, so the danger left is a web page that the user happens to have
open: its requests carry a foreign `Origin`, or a foreign `Host` once its name has been rebound to 127.0.0.1.
"""

from __future__ import annotations

import hmac
import ipaddress
import re

from mockrelay.suggest import in_quotes
from mockrelay.web.http1 import control_error
from mockrelay.wire.http import RawRequest, Response

# A name or an address, and at most a port behind it. Nothing else may hide there: readers differ in what they make of
# `localhost:80@elsewhere` or `[::1]elsewhere`.
_HOST = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d*)?", re.ASCII)


def is_loopback(host: str) -> bool:
    """Whether a name or address (without port) can only mean this machine."""
    name = host.strip("[]").lower().removesuffix(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def refusal(raw: RawRequest, token: str | None, authority: str = "") -> Response | None:
    """What to answer to a control request in place of what it asks for; None: let it in.

    `authority` is the host that the target itself named, where it did: then both must mean this machine.
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
    for host in [*named, authority] if authority else named:
        if not _is_local(host):
            return control_error(
                403,
                f"the control API is not served to the foreign host {in_quotes(host)}",
                "header Host",
                "localhost or a loopback address, or a server started with --token",
            )
    origin = raw.headers.get("origin")
    if origin is not None and (not raw.host or origin != f"{raw.scheme}://{raw.host}"):
        return control_error(
            403,
            f"the control API is not served to pages of the foreign origin {in_quotes(origin)}",
            "header Origin",
            f"no Origin, or {raw.scheme}://{raw.host}, or a server started with --token",
        )
    return None


def _is_local(host: str) -> bool:
    """Whether a host with or without a port is written as it should be and can only mean this machine."""
    written = _HOST.fullmatch(host)
    return written is not None and is_loopback(written[1])
