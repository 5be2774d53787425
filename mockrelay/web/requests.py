"""What aiohttp's parser has made of a request, taken further apart: target, query and headers."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote, unquote_plus

from multidict import CIMultiDictProxy

API_ROOT = "/api/"
CONTROL_ROOT = "/__mockrelay"
WORLDS_ROOT = "/w/"


class Target(NamedTuple):
    """What a request's target asks for. `path` and everything after it is judged on the decoded path, so that no
    spelling of it goes another way.
    """

    sent: str
    """Path and query as received."""
    path: str
    """Decoded, without the query and without the world."""
    query: tuple[tuple[str, str], ...]
    authority: str
    """The host of a target in absolute form (`http://host/path`, as sent to a proxy); else empty."""
    world: str | None
    """The NAME of `/w/NAME/`, whatever it is; None: the main relayer is meant."""
    in_api: bool
    in_control: bool
    special: bool
    """Whether anything but the main relayer's API may be meant."""


@lru_cache(maxsize=512)
def target_of(sent: str) -> Target:
    """Take a request's target apart. Clients ask for the same ones again and again, so what was worked out is kept."""
    target = _readable(sent)
    authority = ""
    if not target.startswith("/"):
        authority, target = _origin_form(target)
    path, _, query = target.partition("?")
    if "%" in path:
        path = unquote(path)
    world = None
    if path.startswith(WORLDS_ROOT):
        world, _, rest = path[len(WORLDS_ROOT) :].partition("/")
        path = "/" + rest
    in_control = path == CONTROL_ROOT or path.startswith(CONTROL_ROOT + "/")
    special = world is not None or in_control
    return Target(target, path, parse_query(query), authority, world, path.startswith(API_ROOT), in_control, special)


def parse_query(query: str) -> tuple[tuple[str, str], ...]:
    """The pairs of a query string, decoded as a form is: `+` is a space, bytes that are not UTF-8 become U+FFFD.

    A name without `=` has the empty value; nothing between two `&` is no pair.
    """
    pairs = [piece.partition("=")[::2] for piece in query.split("&") if piece]
    if "%" in query or "+" in query:
        return tuple((unquote_plus(name), unquote_plus(value)) for name, value in pairs)
    return tuple(pairs)


def headers_of(sent: CIMultiDictProxy[str]) -> dict[str, str]:
    """Header values by lower-case name, as text that can be echoed; of a repeated header the first."""
    headers = {name.lower(): value for name, value in sent.items()}
    if len(headers) != len(sent):
        headers = {name: sent[name] for name in headers}
    if not "".join(headers.values()).isascii():
        headers = {name: _readable(value) for name, value in headers.items()}
    return headers


def _readable(text: str) -> str:
    """Text that can be echoed: aiohttp hands bytes that are not UTF-8 over as lone surrogates."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _origin_form(target: str) -> tuple[str, str]:
    """`host` and `/path?query` of a target in absolute form; of any other form nothing and the target as it is."""
    _, separator, rest = target.partition("://")
    if not separator:
        return "", target
    authority_ends = min((at for at in (rest.find("/"), rest.find("?")) if at >= 0), default=len(rest))
    path = rest[authority_ends:]
    return rest[:authority_ends], path if path.startswith("/") else "/" + path
