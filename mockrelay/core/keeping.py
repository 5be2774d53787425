"""Answers that are kept while what they were made of stays the same. They are no state: a copy of a world has none."""

from __future__ import annotations

from typing import TypeVar

from mockrelay.core.call import Encodable

VIEWS_KEPT = 64
"""How many answers of a kind are kept: whoever asks for ever other ones fills no memory."""

Key = TypeVar("Key")


def keep(views: dict[Key, Encodable], key: Key, view: Encodable) -> None:
    """Keep an answer; the oldest one makes room for it."""
    if len(views) >= VIEWS_KEPT:
        del views[next(iter(views))]
    views[key] = view
