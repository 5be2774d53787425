"""A client that keeps a book by pushes, and what its tests do to it."""

import json
import urllib.request
from contextlib import ExitStack
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from mockrelay.testing import RelayerHandle

BOOK = {"topic": "orderbook", "market": "LRC-ETH", "level": 0}


class Keeper(ExitStack):
    """The client under test: it reads the book again where versions have a gap, and connects again where it must."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.url = url
        self.connect()

    def connect(self) -> None:
        self.socket = self.enter_context(connect(self.url.replace("http", "ws", 1) + "/v2/ws"))
        self.socket.send(json.dumps({"op": "sub", "topics": [BOOK]}))
        while self.socket.recv(timeout=10) == "ping":  # what comes before the answer
            self.socket.send("pong")
        self.load()

    def load(self) -> None:
        depth = whole_book(self.url)
        self.version = depth["version"]
        self.sides = {side: {row[0]: row for row in depth[side]} for side in ("bids", "asks")}

    def step(self) -> None:
        try:
            text = self.socket.recv(timeout=10)
            if text == "ping":
                self.socket.send("pong")
            else:
                self.take(json.loads(text))
        except ConnectionClosed:
            self.connect()

    def take(self, push: Any) -> None:
        if push.get("endVersion", 0) <= self.version:
            return
        if push["startVersion"] != self.version:
            self.load()
            return
        self.version = push["endVersion"]
        for side, rows in self.sides.items():
            for row in push["data"][side]:
                rows[row[0]] = row
                if row[1] == "0":
                    del rows[row[0]]


def whole_book(url: str) -> Any:
    with urllib.request.urlopen(f"{url}/api/v3/depth?market=LRC-ETH&level=0&limit=50") as answer:
        return json.load(answer)


@pytest.mark.relayer(scenario="busy_market", profile="live")
def test_its_book_is_right_again(relayer: RelayerHandle) -> None:
    first, second, third, fourth = [order for order in relayer.orders if order.status == "processing"][:4]
    with Keeper(relayer.url) as keeper:
        relayer.fault("ws_push", when={"topic": "orderbook"}, push="lose")
        first.cancel()
        second.cancel()  # the change before it was lost
        relayer.ws.drop("reset")
        third.cancel()  # nobody is connected
        while keeper.version < whole_book(relayer.url)["version"]:
            keeper.step()
        fourth.cancel()
        while keeper.version < whole_book(relayer.url)["version"]:
            keeper.step()
        relayer.ws.assert_resubscribed("orderbook", market="LRC-ETH")
        assert [list(rows.values()) for rows in keeper.sides.values()] == rows_of(relayer.url)


def rows_of(url: str) -> list[list[list[str]]]:
    return [whole_book(url)[side] for side in ("bids", "asks")]
