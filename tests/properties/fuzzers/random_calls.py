"""Mixed calls to an exchange, good and bad, drawn from a seed.

    python -m tests.properties.fuzzers.random_calls COUNT SEED...

makes so many of each seed to a fresh relay and writes every answer to standard output, byte for byte.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mockrelay.relay import Relay
from tests.support.answer import Answer
from tests.support.bodies import Bodies
from tests.support.client import account, control, send
from tests.support.worlds import DAY_S, relay_from

SCENARIO = Path(__file__).parent.parent / "machines" / "market.yaml"
NAMES = ("alice", "bob", "carol")
MARKETS = ("LRC-ETH", "LRC-USDT", "ETH-USDT")
TOKENS = (0, 1, 3)
REQUEST_ID = "x-mockrelay-request-id"
NUMBERED = re.compile(rb'(?<="request":)"r[0-9]+"|(?<="digest_all":)"[0-9a-f]{64}"')
LRC = "0xbbbbca6a901c926f240b89eacb641d8aec7aeafd"


class RandomCalls:
    """A seed, a relay, and the hashes of the orders that it has accepted."""

    def __init__(self, relay: Relay, seed: int) -> None:
        self.relay = relay
        self.draw = random.Random(seed)
        self.hashes: list[str] = ["0x" + "0" * 64]

    def play(self, count: int) -> list[Answer]:
        """So many calls, one after the other."""
        kinds: tuple[Callable[[], Answer], ...] = (
            *[self.order] * 4,
            *[self.query] * 3,
            *[self.command] * 2,
            self.wrong_form,
        )
        return [self.draw.choice(kinds)() for _ in range(count)]

    def order(self) -> Answer:
        """A new order, mostly a right one."""
        body = self.body()
        answer = self.call("POST", "/api/v3/order", self.draw.choice((body["key"], "alice")), body["fields"])
        if answer.status == 200 and answer.code == 0:
            self.hashes.append(answer.data["orderHash"])
        return answer

    def body(self) -> dict[str, Any]:
        """Whose order, and its fields."""
        draw = self.draw
        name = draw.choice(NAMES)
        sold, bought = draw.sample(TOKENS, 2)
        now_s = self.relay.now_ms() // 1000
        amount = draw.choice((draw.randrange(1, 60), draw.randrange(10**18, 10**19)))
        fields = Bodies("", {}, now_s).order(
            draw.randrange(400),
            accountId=account(self.relay, name)["accountId"],
            tokenSId=sold,
            tokenBId=bought,
            amountS=str(amount if sold != 3 else amount % 10**6),
            amountB=str(amount + draw.randrange(-1, 3) if bought != 3 else amount % 10**6),
            buy=draw.choice(("true", "false")),
            validSince=now_s + draw.choice((0, 0, 0, 90)),
            validUntil=now_s + draw.choice((60 * DAY_S, 60 * DAY_S, 100, 1)),
            maxFeeBips=draw.choice((63, 5)),
            label=draw.randrange(65536),
            signatureRx=str(draw.randrange(1, 10**70)),
            orderType=draw.choice(("LIMIT_ORDER", "LIMIT_ORDER", "TAKER_ONLY", "MAKER_ONLY")),
            clientOrderId=f"c{draw.randrange(50)}",
        )
        return {"key": name, "fields": fields}

    def query(self) -> Answer:
        """A query."""
        draw = self.draw
        name = draw.choice(NAMES)
        mine = account(self.relay, name)
        who, owner, market = mine["accountId"], mine["owner"], draw.choice(MARKETS)
        interval = draw.choice(("1min", "1hr", "1d", "1w"))
        queries: tuple[tuple[str, Mapping[str, Any]], ...] = (
            ("v2/exchange/tokens", {}),
            ("v2/exchange/info", {}),
            ("v2/tokenBalances", {"owner": owner, "token": LRC}),
            ("v2/allowances", {"owner": owner, "token": LRC}),
            ("v2/ethBalances", {"owner": owner}),
            ("v2/recommendedGasPrice", {}),
            ("v2/account", {"owner": owner}),
            ("v2/depth", {"market": market, "level": draw.randrange(3), "limit": draw.randrange(1, 9)}),
            ("v2/candlestick", {"market": market, "interval": interval}),
            ("v2/ticker", {"market": ",".join(MARKETS)}),
            ("v3/user/orderFee", {"accountId": who, "market": market, "tokenB": 0, "amountB": "7"}),
            ("v2/orderId", {"accountId": who, "tokenSId": draw.choice(TOKENS)}),
            ("v2/orders", {"accountId": who, "limit": 20, "offset": draw.randrange(5)}),
            ("v2/orders", {"accountId": who, "status": draw.choice(("processing", "failed,cancelled", "foo"))}),
            ("v3/block/getPendingRequests", {}),
            ("v3/block/getBlock", {}),
        )
        path, query = draw.choice(queries)
        return self.call("GET", f"/api/{path}", name, None, query)

    def wrong_form(self) -> Answer:
        """A request that is wrong in its form."""
        fields = self.body()["fields"]
        bodies: tuple[bytes, ...] = (
            b"{",
            b"\xff\xfe",
            b'{"a":1,"a":2}',
            json.dumps({**fields, "amountS": 1.5, "unknown": None, "more": [1]}).encode(),
            json.dumps({**fields, "label": True, "orderType": "x", "memo": "\ud800"}).encode(),
            json.dumps({"data": "0x" + self.draw.randbytes(3).hex()}).encode(),
        )
        path = self.draw.choice(("v3/order", "v2/sendEthTx", "v2/transfer", "v3/nowhere"))
        return send(self.relay, "POST", f"/api/{path}", body=self.draw.choice(bodies), key="alice")

    def command(self) -> Answer:
        """A control call; one about an order is about one of the newest."""
        draw = self.draw
        order = f"orders/{draw.choice(self.hashes[-6:])}"
        who = account(self.relay, draw.choice(NAMES))["accountId"]
        commands: tuple[tuple[str, str, Any], ...] = (
            ("POST", f"{order}/cancel", {}),
            ("POST", f"{order}/fill", {"size": str(draw.randrange(1, 9))}),
            ("POST", f"{order}/release", {"as": draw.choice(("active", "failed"))}),
            (
                "POST",
                f"accounts/{who}/deposit",
                {"token": draw.choice(TOKENS), "amount": str(draw.randrange(1, 10**18))},
            ),
            ("POST", f"accounts/{who}/freeze", {"frozen": draw.random() < 0.2}),
            ("POST", "clock", {"advance": draw.choice(("1ms", "1s", "90s", "1h", "1d"))}),
            ("PUT", "choices", {"rate.window": draw.choice(("second", "sliding", "bucket"))}),
            ("PUT", "choices", {"order.self_trade": draw.choice(("allow", "cancel_newest"))}),
            ("POST", "faults", {"on": "submit_order", "hold": draw.choice(("UNKNOWN", "WAIT_FREEZE_BALANCE"))}),
            ("POST", "faults", {"on": draw.choice(("get_depth", "submit_order")), "code": 102014}),
            ("POST", "layer1", {"state": draw.choice(("up", "up", "down", "error"))}),
            ("GET", "state", None),
        )
        return control(self.relay, *draw.choice(commands))

    def call(
        self, method: str, path: str, name: str, fields: Any = None, query: Mapping[str, Any] | None = None
    ) -> Answer:
        """A call of the API with an account's key."""
        body = b"" if fields is None else json.dumps(fields).encode()
        pairs = [(key, str(value)) for key, value in (query or {}).items()]
        return send(self.relay, method, path, body=body, query=pairs, key=name)


def market_relay(limits: str = "spec") -> Relay:
    """A fresh relay of the market scenario."""
    return relay_from(SCENARIO, limits=limits)


def lines_of(answers: list[Answer], *, request_ids: bool = True) -> list[bytes]:
    """A line for each answer: status, headers as they came, body; without the ids of requests where they may differ, and
    without `digest_all`, which has those of findings.
    """
    lines = []
    for answer in answers:
        headers, body = [*answer.headers.items()], answer.body
        if not request_ids:
            headers = [pair for pair in headers if pair[0] != REQUEST_ID]
            body = NUMBERED.sub(b'"-"', body)
        lines.append(b"%d %s %s" % (answer.status, repr(headers).encode(), body))
    return lines


if __name__ == "__main__":
    count, *seeds = map(int, sys.argv[1:])
    for seed in seeds:
        sys.stdout.buffer.write(b"\n".join(lines_of(RandomCalls(market_relay(), seed).play(count))))
