"""A relay behind a socket answers the same bytes as one that is called directly, whatever its clients do."""

from __future__ import annotations

import json
from http.client import HTTPConnection
from typing import Any, ClassVar
from urllib.parse import urlencode, urlsplit

from mockrelay.client.call import ApiAnswer, ApiCall
from mockrelay.testing import RelayerHandle, RelayMachine
from mockrelay.testing.calling import answer_of as read
from mockrelay.web import serve
from mockrelay.wire.http import Response
from tests.properties.effort import effort
from tests.properties.machines.market_answers import rates, tokens
from tests.properties.machines.market_rules import SCENARIO, MarketRules
from tests.support.answer import Answer
from tests.support.client import account
from tests.support.worlds import relay_from

OF_THE_TRANSPORT = frozenset({"date", "server", "content-length", "connection", "keep-alive"})
PATIENCE_S = 30


class TwinMachine(MarketRules):
    """The rules of trading, each call made to two relays: in lockstep, one of them through a socket."""

    def __init__(self) -> None:
        super().__init__()
        self.twin = relay_from(SCENARIO)
        # Both have answered the same number of requests when the rules begin.
        assert (tokens(self.twin), rates(self.twin)) == (tokens(relay_from(SCENARIO)), self.market.rates)
        self.server = serve(self.twin)
        self.connection = HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE_S)

    def api(self, method: str, path: str, body: Any = None, *, key: str = "alice", **query: Any) -> Answer:
        direct = super().api(method, path, body, key=key, **query)
        target = path + ("?" + urlencode({name: str(value) for name, value in query.items()}) if query else "")
        headers = {"X-API-KEY": str(account(self.twin, key)["apiKey"])}
        return same(direct, self.through_the_socket(method, target, body, headers))

    def control(self, method: str, path: str, body: Any = None) -> Answer:
        direct = super().control(method, path, body)
        return same(direct, self.through_the_socket(method, f"/__mockrelay/{path}", body, {}))

    def through_the_socket(self, method: str, target: str, body: Any, headers: dict[str, str]) -> Answer:
        """The same call over the twin's connection, which is kept alive."""
        raw = None if body is None else json.dumps(body).encode()
        typed = {} if raw is None else {"Content-Type": "application/json"}
        self.connection.request(method, target, raw, headers | typed)
        response = self.connection.getresponse()
        return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())

    def teardown(self) -> None:
        """Close the connection and the server."""
        self.connection.close()
        self.server.stop()


def same(direct: Answer, served: Answer) -> Answer:
    """Both answers are one: status, headers but the transport's own, and body."""
    headers = {name: value for name, value in served.headers.items() if name not in OF_THE_TRANSPORT}
    assert (served.status, headers, served.body) == (direct.status, direct.headers, direct.body)
    return direct


TestTwins = TwinMachine.TestCase
TestTwins.settings = effort(max_examples=12, steps=20)


class FlowTwins(RelayMachine):
    """The same for all flows: orders, transfers, withdrawals, key updates, NFTs from mint to layer 1, what is looked at
    and what is refused. After each step both relays are in the same state.
    """

    serve = staticmethod(serve)

    def __init__(self) -> None:
        super().__init__()
        self.url = self.relayer.url
        # By its address alone, so that what is done by hand goes through the socket too.
        self.relayer = RelayerHandle.at(self.url)
        self.connection = HTTPConnection(urlsplit(self.url).netloc, timeout=PATIENCE_S)

    def call(self, call: ApiCall) -> ApiAnswer:
        response = self.model.handle(call.raw_request(self.url), self.model.now_ms())
        data = None if call.method == "GET" else call.payload
        self.connection.request(call.method, call.target, data, call.headers)
        served = self.connection.getresponse()
        headers = {name.lower(): value for name, value in served.getheaders()}
        same(_answer(response), Answer(served.status, headers, served.read()))
        return read(response)

    def teardown(self) -> None:
        """Close the connection and the server."""
        self.connection.close()
        super().teardown()


class SignedFlowTwins(FlowTwins):
    """Where signatures are verified, by the address that both are called at."""

    choices: ClassVar[dict[str, str]] = {"signature.scheme": "protocol", "hash.scheme": "protocol"}


def _answer(response: Response) -> Answer:
    assert not response.drop
    return Answer(response.status, {name.lower(): value for name, value in response.headers}, response.body)


TestFlowTwins = FlowTwins.TestCase
TestFlowTwins.settings = effort(max_examples=12, steps=30)
TestSignedFlowTwins = SignedFlowTwins.TestCase
TestSignedFlowTwins.settings = effort(max_examples=5, steps=30)
