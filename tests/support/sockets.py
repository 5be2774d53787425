"""A client of a relayer's WebSockets, without a socket."""

from __future__ import annotations

import json
from typing import Any

from mockrelay.relay import Relay
from mockrelay.relay.sessions import Out, SocketEvent
from mockrelay.wire.http import SOCKET_HEADERS
from tests.support.answer import Answer
from tests.support.client import get, send


class Socket:
    """One WebSocket: what its client sends, and what came since it last looked."""

    def __init__(self, relay: Relay, path: str = "/v2/ws", *, silent: bool = False) -> None:
        """`silent`: the first `ping` is passed over."""
        self.relay = relay
        query = [("wsApiKey", get(relay, "/v3/ws/key", key=None).json["key"])] if path == "/v3/ws" else []
        answer = opened(relay, path, query)
        assert answer.status == 101, answer
        self.id: str = answer.json["session"]
        self.outs: list[Out] = []
        relay.connect_socket(self.id, self.outs.append)
        if silent:
            self.texts()

    def send(self, message: Any) -> None:
        """Send a text, or a message as JSON."""
        text = message if isinstance(message, str) else json.dumps(message)
        self.relay.socket_event(self.id, SocketEvent.MESSAGE, self.relay.now_ms(), text)

    def close(self) -> None:
        """End the connection."""
        self.relay.socket_event(self.id, SocketEvent.CLOSED, self.relay.now_ms())

    def subscribe(self, *topics: dict[str, Any], op: str = "sub", **beside: Any) -> Any:
        """Ask for topics; the result of the answer. Pushes that come at once are left to be read."""
        self.texts()
        self.send({"op": op, "topics": list(topics), **beside})
        return json.loads(self.outs.pop(0).text or "")["result"]

    def texts(self) -> list[str]:
        """The texts that came since the last look, the end of the connection as `(ending)`."""
        texts = [out.text if out.text is not None else f"({out.ending})" for out in self.outs]
        self.outs.clear()
        return texts

    def pushes(self) -> list[Any]:
        """The messages that came since the last look, without the heartbeat."""
        return [json.loads(text) for text in self.texts() if text != "ping"]


def opened(relay: Relay, path: str, query: list[tuple[str, str]], **headers: str) -> Answer:
    """The answer to a handshake, with other headers in place of the right ones."""
    return send(relay, "GET", path, query=query, key=None, headers={**SOCKET_HEADERS, **headers})
