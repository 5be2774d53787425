"""Which endpoints ask for an API key, under which options of the choices."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mockrelay.spec.codes import Code
from mockrelay.spec.endpoint import Endpoint, KeyHeader
from mockrelay.spec.endpoints import ALL_ENDPOINTS


def _asked_under(row: Endpoint) -> tuple[str, frozenset[str]] | None:
    if row.key is KeyHeader.NOT_SHOWN:
        return "auth.key_on_silent", frozenset({"refuse"})
    options = {"refuse"} if row.public else {"refuse", "ignore_all"}
    if Code.AUTH_KEY_EMPTY not in row.listed_codes:
        return "auth.key_on_unlisted", frozenset(options)
    return ("auth.key_on_unlisted", frozenset(options | {"ignore"})) if row.public else None


KEY_ASKED_UNDER: Mapping[str, tuple[str, frozenset[str]] | None] = MappingProxyType(
    {row.id: _asked_under(row) for row in ALL_ENDPOINTS if row.key is not KeyHeader.NOT_LISTED}
)
"""By the id of a row the choice that decides whether it asks for an API key, and the options under which it does; None: it always
does. Rows that never do are absent.
"""
