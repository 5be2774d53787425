"""Node's own WebSocket follows an order from submission to fill."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from mockrelay.web import serve
from tests.live.test_sockets import ACCOUNT, BOOK, KEY_A, ORDER, WEI, buy, relay_of, sell
from tests.support.client import done
from tests.support.processes import environment
from tests.tools.conftest import run_tool, tool

pytestmark = pytest.mark.tools

FOLLOW = Path(__file__).with_name("follow.mjs")
OPTION = "--experimental-websocket"
"""Node 22 has it without the option, and takes the option too."""


@contextmanager
def following(url: str, message: str) -> Iterator[subprocess.Popen[str]]:
    """The client, ended at the end."""
    node = tool("node")
    if run_tool([node, OPTION, "-e", "process.exit(typeof WebSocket === 'function' ? 0 : 1)"]).returncode != 0:
        pytest.skip("this Node has no WebSocket")
    command = [node, OPTION, str(FOLLOW), url, message]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment()) as process:
        try:
            yield process
        finally:
            process.kill()


def test_an_order_is_followed_from_submission_to_fill() -> None:
    relay = relay_of()
    message = json.dumps({"op": "sub", "sequence": 1, "apiKey": KEY_A, "topics": [ORDER, ACCOUNT, BOOK]})
    with serve(relay) as server, following(server.url.replace("http", "ws") + "/v2/ws", message) as node:
        assert node.stdout is not None

        def read(count: int) -> list[Any]:
            return [json.loads(node.stdout.readline()) for _ in range(count)]  # type: ignore[union-attr]

        (answer,) = read(1)
        assert (answer["sequence"], answer["result"]) == (1, {"status": "OK"})
        sell(relay, 0, 100)
        account, order, book = read(3)
        assert account["data"]["amountLocked"] == str(100 * WEI)
        assert (order["data"]["status"], order["data"]["filledSize"]) == ("processing", "0")
        assert [row[:2] for row in book["data"]["asks"]] == [["0.0005", str(100 * WEI)]]
        buy(relay, 0, 100)
        *balances, order = read(3)
        assert [push["data"]["tokenId"] for push in balances] == [0, 1]
        assert (order["data"]["status"], order["data"]["filledSize"]) == ("processed", str(100 * WEI))
        # The push of the book, which was on its way when the client left, may still come.
        *_, end = [json.loads(line) for line in node.stdout]
        assert end == {"code": 1000, "wasClean": True}
    (session,) = done(relay, "GET", "ws")
    assert (session["closed_by"], session["pongs"]) == ("client", 1)


def test_a_broken_connection_and_a_refused_handshake_are_seen() -> None:
    relay = relay_of()
    message = json.dumps({"op": "sub", "topics": [BOOK]})
    with serve(relay) as server:
        with following(server.url.replace("http", "ws") + "/v2/ws", message) as node:
            assert node.stdout is not None
            assert json.loads(node.stdout.readline())["result"] == {"status": "OK"}
            done(relay, "POST", "ws/drop", {"how": "reset"})
            *_, end = [json.loads(line) for line in node.stdout]
            assert end == {"code": 1006, "wasClean": False}
        with following(server.url.replace("http", "ws") + "/v3/ws", message) as node:
            assert node.stdout is not None
            first, *_ = [json.loads(line) for line in node.stdout]
            assert "error" in first, "Node 20 says no more, Node 22 that it was closed"
