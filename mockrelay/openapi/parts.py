"""The parts that both documents share: head, responses, summaries and names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from mockrelay._version import __version__

OPENAPI = "3.1.0"
JSON_TYPE = "application/json"
SERVERS: tuple[Mapping[str, Any], ...] = tuple(
    MappingProxyType(
        {
            "url": "http://{host}:{port}" + path,
            "description": what,
            "variables": {"host": {"default": "127.0.0.1"}, "port": {"default": "4627"}, **variables},
        }
    )
    for path, what, variables in (
        ("", "`mockrelay serve`", {}),
        (
            "/w/{world}",
            "A world of its own on the same server, made on first use (409: there are as many as may be)",
            {"world": {"default": "one"}},
        ),
    )
)

_SECTION = re.compile(r" ?\((?:spec[^)]*|[EF][0-9]+(?:, [EF][0-9]+)*)\)")
"""Where a docstring names what it follows: a section of the specification, or numbers of calls of the profile live."""


def head(title: str, description: str) -> dict[str, Any]:
    """The head of a document: version, title, servers."""
    return {
        "openapi": OPENAPI,
        "info": {"title": title, "version": __version__, "description": description},
        "servers": [dict(server) for server in SERVERS],
    }


def summary_of(function: Callable[..., Any]) -> str:
    """The first paragraph of a function's docstring; its name where docstrings are stripped (`-OO`)."""
    text = function.__doc__ or function.__name__.replace("_", " ")
    first = " ".join(text.split("\n\n")[0].split())
    return _SECTION.sub("", first).rstrip(".")


def response(
    description: str,
    schema: Mapping[str, Any] | None,
    *,
    examples: Mapping[str, Any] | None = None,
    headers: Mapping[str, Any] | None = None,
    media_type: str = JSON_TYPE,
) -> dict[str, Any]:
    """A response with a body of one media type."""
    content = dict({"schema": dict(schema)} if schema is not None else {}) | (
        {"examples": dict(examples)} if examples else {}
    )
    found: dict[str, Any] = {"description": description, "content": {media_type: content}}
    return found | ({"headers": dict(headers)} if headers else {})


def unique(name: str, taken: Mapping[str, Any]) -> str:
    """The name, with a number appended where it is taken."""
    number = 1
    candidate = name
    while candidate in taken:
        number += 1
        candidate = f"{name}_{number}"
    return candidate
