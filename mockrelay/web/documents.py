"""The files that the server serves beside its relayers: the client for JavaScript, and both APIs as OpenAPI documents."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache

from mockrelay._files import javascript_client
from mockrelay.web.http1 import CONTROL_ROOT, Target, control_error
from mockrelay.wire.http import RawRequest, Response

_METHODS = ("GET", "HEAD")


def _module(profile: str) -> str:
    return javascript_client()["client.mjs"]


def _types(profile: str) -> str:
    return javascript_client()["client.d.mts"]


# A document is made of hundreds of calls: nobody should wait for that who does not ask for it.
def _control_document(profile: str) -> str:
    from mockrelay.openapi import control_document  # noqa: PLC0415

    return json.dumps(control_document(), indent=2) + "\n"


def _relayer_document(profile: str) -> str:
    from mockrelay.openapi import relayer_document  # noqa: PLC0415

    return json.dumps(relayer_document(profile), indent=2) + "\n"


_DOCUMENTS: Mapping[str, tuple[str, Callable[[str], str]]] = {
    f"{CONTROL_ROOT}/{name}": (f"{media_type}; charset=utf-8", make)
    for name, media_type, make in (
        ("client.mjs", "text/javascript", _module),
        ("client.d.mts", "text/plain", _types),
        ("openapi.json", "application/json", _control_document),
        ("relayer.openapi.json", "application/json", _relayer_document),
    )
}
"""By path: the media type, and what makes the text for a profile."""


def is_document(target: Target) -> bool:
    """Whether a target is one of the documents. The first answer may take a quarter of a second."""
    return target.path in _DOCUMENTS


def answer_document(raw: RawRequest, target: Target, profile: str) -> Response:
    """The answer to a request for a document; `profile` is the server's own."""
    if raw.method not in _METHODS:
        meant = ", ".join(_METHODS)
        return control_error(405, f"{raw.method} is not for {target.path}", "method", meant, ("Allow", meant))
    return _document(target.path, profile)


@cache
def _document(path: str, profile: str) -> Response:
    media_type, make = _DOCUMENTS[path]
    return Response(200, (("Content-Type", media_type),), make(profile).encode())
