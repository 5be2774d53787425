"""Who may use the control API: whoever is on this machine and no page of a browser, or whoever has the token.

Without a token the server listens on loopback only, so the danger left is a web page that the user happens to have
open: its requests carry a foreign `Origin`, or a foreign `Host` once its name has been rebound to 127.0.0.1.
"""

from __future__ import annotations

import hmac
import ipaddress
import json

from mockrelay.wire.messages import RawRequest, Response

JSON_TYPE = ("Content-Type", "application/json")


def is_loopback(host: str) -> bool:
    """Whether a name or address (without port) can only mean this machine."""
    name = host.strip("[]").lower().rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def refusal(raw: RawRequest, token: str | None) -> Response | None:
    """What to answer to a control request in place of what it asks for; None: let it in."""
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
    if raw.host and not is_loopback(_name_of(raw.host)):
        return control_error(
            403,
            f"the control API is not served to the foreign host {raw.host!r}",
            "header Host",
            "localhost or a loopback address, or a server started with --token",
        )
    origin = raw.headers.get("origin")
    if origin is not None and origin != f"{raw.scheme}://{raw.host}":
        return control_error(
            403,
            f"the control API is not served to pages of the foreign origin {origin!r}",
            "header Origin",
            f"no Origin, or {raw.scheme}://{raw.host}, or a server started with --token",
        )
    return None


def control_error(status: int, error: str, field: str, meant: str, *headers: tuple[str, str]) -> Response:
    """An error in the control API's shape: what is wrong, where, and what was meant."""
    body = json.dumps({"error": error, "field": field, "meant": meant}).encode()
    return Response(status, (JSON_TYPE, *headers), body)


def _name_of(host: str) -> str:
    if host.startswith("["):
        return host.partition("]")[0]
    return host.partition(":")[0]
