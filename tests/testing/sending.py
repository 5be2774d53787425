"""A signed request, sent over HTTP as it is."""

from __future__ import annotations

from mockrelay.testing import Signed
from tests.support.answer import Answer
from tests.support.client import ask


def posted(signed: Signed) -> Answer:
    """What the server at its URL answers."""
    return ask(signed.url, signed.method, signed.content, signed.headers)
