"""A signed request, sent over HTTP as it is."""

from __future__ import annotations

import urllib.error
import urllib.request

from mockrelay.testing import Signed
from tests.support.answer import Answer


def posted(signed: Signed) -> Answer:
    """What the server at its URL answers."""
    request = urllib.request.Request(signed.url, signed.content, signed.headers, method=signed.method)
    try:
        with urllib.request.urlopen(request) as answer:
            return Answer(answer.status, dict(answer.headers), answer.read())
    except urllib.error.HTTPError as refused:
        with refused:
            return Answer(refused.code, dict(refused.headers), refused.read())
