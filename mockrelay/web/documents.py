"""The files that the server serves beside its relayers: the client for JavaScript, and both APIs as OpenAPI documents."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from mockrelay._files import javascript_client
from mockrelay.web.http1 import CONTROL_ROOT, Target, control_error
from mockrelay.wire.http import RawRequest, Response

_METHODS = ("GET", "HEAD")


def _openapi(api: str) -> str:
    # A document is made of hundreds of calls: nobody should wait for that who does not ask for it.
    from mockrelay import openapi  # noqa: PLC0415

    make: Callable[[], dict[str, Any]] = getattr(openapi, f"{api}_document")
    return json.dumps(make(), indent=2) + "\n"


def _client(name: str) -> str:
    return javascript_client()[name]


_DOCUMENTS: Mapping[str, tuple[str, Callable[[], str]]] = {
    f"{CONTROL_ROOT}/{name}": (f"{media_type}; charset=utf-8", make)
    for name, media_type, make in (
        ("client.mjs", "text/javascript", partial(_client, "client.mjs")),
        ("client.d.mts", "text/plain", partial(_client, "client.d.mts")),
        ("openapi.json", "application/json", partial(_openapi, "control")),
        ("relayer.openapi.json", "application/json", partial(_openapi, "relayer")),
    )
}
"""By path: the media type, and what makes the text."""


def is_document(target: Target) -> bool:
    """Whether a target is one of the documents. The first answer may take a quarter of a second."""
    return target.path in _DOCUMENTS


def answer_document(raw: RawRequest, target: Target) -> Response:
    """The answer to a request for a document."""
    if raw.method not in _METHODS:
        meant = ", ".join(_METHODS)
        return control_error(405, f"{raw.method} is not for {target.path}", "method", meant, ("Allow", meant))
    return _document(target.path)


@cache
def _document(path: str) -> Response:
    media_type, make = _DOCUMENTS[path]
    return Response(200, (("Content-Type", media_type),), make().encode())
