"""Two ways for the example client to reach a relayer: without a socket, and over HTTP."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import parse_qsl
from urllib.request import Request, urlopen

from mockrelay.testing import RelayerHandle
from mockrelay.wire.http import RawRequest
from tests.examples.explored.client import Answer, Send


def directly(relayer: RelayerHandle) -> Send:
    """Into the relay of this process."""

    def send(method: str, target: str, headers: Mapping[str, str], body: bytes) -> Answer:
        path, _, query = target.partition("?")
        sent = {name.lower(): value for name, value in headers.items()}
        pairs = tuple(parse_qsl(query))
        raw = RawRequest(method, path, target, pairs, sent, body, "http", "localhost", "127.0.0.1")
        response = relayer.relay.handle(raw, relayer.relay.now_ms())
        if response.drop:
            raise ConnectionError("closed without an answer")
        return Answer(response.status, _value(response.body))

    return send


def over_http(relayer: RelayerHandle) -> Send:
    """To the relayer's URL."""

    def send(method: str, target: str, headers: Mapping[str, str], body: bytes) -> Answer:
        request = Request(relayer.url + target, data=body or None, headers=dict(headers), method=method)
        try:
            with urlopen(request, timeout=10) as answer:
                return Answer(answer.status, _value(answer.read()))
        except HTTPError as refused:
            with refused:
                return Answer(refused.code, _value(refused.read()))
        except URLError as error:
            raise ConnectionError(str(error.reason)) from None

    return send


def _value(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None
