"""A served relayer and a raw client of it, HTTP over one open connection.

The client imports nothing of mockrelay and of its other tests, so that no change of either changes what is sent or seen.
"""

from __future__ import annotations

import http.client
import json
import select
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from mockrelay import Relay, serve

HOST = "localhost:4627"
"""The `Host` of every request, whatever the real port is: signatures cover it and the journal shows it."""
PATIENCE_S = 10.0
"""A deadline for what takes a moment: reached on a broken program only."""
_NOT_STORED = ("date", "server")


class Reply(NamedTuple):
    """What came back; status 0: the connection was closed without an answer; -1: none came in time."""

    status: int
    headers: dict[str, str]
    """By lower-case name."""
    body: bytes


@contextmanager
def served(*options: str) -> Iterator[int]:
    """A relayer with options of `mockrelay serve`, on a free port, which is given."""
    given = dict(zip(options[::2], options[1::2], strict=True))
    relay = Relay.from_scenario(_scenario(given.get("--scenario", "default")), clock=given["--clock"])
    with serve(relay) as server:
        yield server.port


def _scenario(name: str) -> str | Path:
    return Path(name) if name.endswith(".yaml") else name


class Client:
    """One open connection to a port, opened anew where it was closed, and one more for each answer that is waited for."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._open: http.client.HTTPConnection | None = None
        self._held: dict[int, http.client.HTTPConnection] = {}

    def send(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Reply:
        """Send a request and read its answer."""
        connection = self._open or self._connection()
        self._open = None
        self._request(connection, method, path, headers, body)
        reply, is_open = self._read(connection)
        if is_open:
            self._open = connection
        else:
            connection.close()
        return reply

    def send_only(self, name: int, method: str, path: str, headers: dict[str, str], body: bytes) -> None:
        """Send a request on a connection of its own, to be read later by `name`."""
        self._held[name] = self._connection()
        self._request(self._held[name], method, path, headers, body)

    def is_held(self, name: int) -> bool:
        """Whether nothing has come back yet."""
        return not select.select([self._held[name].sock], [], [], 0)[0]

    def read(self, name: int) -> Reply:
        """The answer to what was only sent."""
        connection = self._held.pop(name)
        try:
            return self._read(connection)[0]
        finally:
            connection.close()

    def close(self) -> None:
        """Close all connections."""
        for connection in (*self._held.values(), *filter(None, [self._open])):
            connection.close()

    def _connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE_S)

    @staticmethod
    def _request(
        connection: http.client.HTTPConnection, method: str, path: str, headers: dict[str, str], body: bytes
    ) -> None:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in {"Host": HOST, **headers}.items():
            connection.putheader(name, value)
        if body or method == "POST":
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body or None)

    @staticmethod
    def _read(connection: http.client.HTTPConnection) -> tuple[Reply, bool]:
        """The answer, and whether the connection can take a further request."""
        try:
            answer = connection.getresponse()
        except (http.client.BadStatusLine, ConnectionError):
            return Reply(0, {}, b""), False
        except TimeoutError:
            return Reply(-1, {}, b""), False
        headers = {name.lower(): value for name, value in answer.getheaders() if name.lower() not in _NOT_STORED}
        body = b""
        is_whole = False
        try:
            body = answer.read()
            is_whole = True
        except http.client.IncompleteRead as cut:
            body = cut.partial
        with suppress(OSError):
            answer.close()
        return Reply(answer.status, headers, body), is_whole and not answer.will_close


def value_of(reply: Reply) -> Any:
    """The body as JSON where it is JSON, else as text."""
    text = reply.body.decode("utf-8", "backslashreplace")
    try:
        return json.loads(text)
    except ValueError:
        return text
