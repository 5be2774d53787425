"""Requests that reach no endpoint, and the answers that they get."""

from __future__ import annotations

import json
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from mockrelay.client.call import BASE
from mockrelay.openapi.playing import fresh_relay
from mockrelay.spec.endpoints import ENDPOINTS
from mockrelay.wire.decode import MAX_BODY
from mockrelay.wire.http import RawRequest


class UnroutedRequest(NamedTuple):
    """A request that reaches no endpoint."""

    method: str
    path: str
    body_bytes: int
    """The length of its body, which is all spaces."""
    status: int
    answer: Any

    def origin(self) -> dict[str, Any]:
        """The request, for the document."""
        return {"method": self.method, "path": self.path, "bodyBytes": self.body_bytes}


@cache
def unrouted_requests(profile: str) -> tuple[UnroutedRequest, ...]:
    """One of each kind to a relayer in a profile: an unknown path, a wrong method, a body that is too long."""
    posted = next(row for row in ENDPOINTS if row.method == "POST")
    relay = fresh_relay(profile)
    found = []
    for method, path, body_bytes in (
        ("GET", posted.path + "s", 0),
        ("PUT", posted.path, 0),
        (posted.method, posted.path, MAX_BODY + 1),
    ):
        request = RawRequest(method, path, path, (), {}, b" " * body_bytes, "http", urlsplit(BASE).netloc, "127.0.0.1")
        response = relay.handle(request, relay.now_ms())
        found.append(UnroutedRequest(method, path, body_bytes, response.status, json.loads(response.body)))
    return tuple(found)
