"""What the recorder plays with: a seeded random, the steps taken so far, and what the live server said of its world."""

from __future__ import annotations

import json
import random
from typing import Any
from urllib.parse import urlencode

from tests.net.traffic import CONTROL, START, Session, Step
from tests.net.wire import HOST, Reply, value_of

JSON_HEADERS = {"Content-Type": "application/json"}
SIGNATURE = {"signatureRx": "1", "signatureRy": "2", "signatureS": "3"}
WRONG_VALUES: tuple[Any, ...] = (
    *(None, True, -1, 0, 1.5, 2**60, 10**30, "", " ", "x", "0", "-1", "01", "1e3", "0x", "0x12", [], {}, [1], {"a": 1}),
    *(
        "a" * 300,
        "\u00e9\u20ac",
        "1" * 90,
        70_000,
        99,
        "house",
        "10001",
        10_001,
        "LRC-ETH",
        "processed",
        1_767_225_600_000,
    ),
)


class Player:
    """A relayer of the server (the main one or a world) and what may be said to it."""

    def __init__(self, session: Session, seed: str, world: str = "", *, signed: bool = False) -> None:
        self.session = session
        self.rng = random.Random(seed)
        self.base = f"/w/{world}" if world else ""
        self.signed = signed
        self.steps: list[Step] = []
        self.answers: list[dict[str, Any]] = []
        self.offset = 0
        self.state: dict[str, Any] = {}
        self.orders: list[str] = []
        self.requests: list[str] = []
        self.contracts: list[str] = []
        self.nfts: list[tuple[dict[str, Any], str, str, str]] = []
        """Owner, contract, id, nftData."""
        self.sent: list[Step] = []
        self.dumps: list[int] = []
        self.held: list[int] = []
        self.request_ids: list[str] = []
        self.has_delays = False
        self.storage = 0
        self.tokens: dict[str, dict[str, Any]] = {}

    def take(self, step: Step) -> Reply | None:
        """Carry out a step and write it down."""
        answer, reply = self.session.take(step)
        self.steps.append(step)
        self.answers.append(answer)
        if reply is not None and (request_id := reply.headers.get("x-mockrelay-request-id")):
            self.request_ids.append(request_id)
        return reply

    def control(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """A control call: the JSON of its answer."""
        target = f"{self.base}{CONTROL}{path}" + (f"?{urlencode(query)}" if query else "")
        text = "" if body is None else body if isinstance(body, str) else json.dumps(body)
        reply = self.take(Step(method, target, JSON_HEADERS if text else {}, text))
        return None if reply is None else value_of(reply)

    def look(self) -> None:
        """Read the world, so that later calls know its accounts, orders and clock."""
        self.state = self.control("GET", "state")
        self.has_delays = any("delay" in json.dumps(fault) for fault in self.control("GET", "faults"))
        self.tokens = {token["symbol"]: token for token in self.state["tokens"]}

    def reset(self, **fields: Any) -> None:
        """Back to the start, at a moment that is the same on every day."""
        self.control("POST", "reset", {"clock": {"rate": 0, "start": START}, **fields})
        self.orders, self.requests, self.contracts, self.nfts = [], [], [], []
        self.look()

    @property
    def now_ms(self) -> int:
        """The relayer's clock as it was last seen."""
        now: int = self.state["now_ms"]
        return now

    @property
    def now_s(self) -> int:
        """The same in seconds."""
        return self.now_ms // 1000

    def account(self) -> dict[str, Any]:
        """Any account, alice more often than others."""
        accounts: list[dict[str, Any]] = self.state["accounts"]
        return accounts[0] if self.rng.random() < 0.4 else self.rng.choice(accounts)

    def pick(self, *words: Any) -> Any:
        """One of these."""
        return self.rng.choice(words)

    def one_in(self, n: int) -> bool:
        """True once in so many times."""
        return self.rng.randrange(n) == 0

    def headers(self, account: dict[str, Any], *, signature: bool = False) -> dict[str, str]:
        """The headers of an API call by an account."""
        headers = {"X-API-KEY": account["apiKey"]}
        if signature:
            headers["X-API-SIG"] = self.pick("0x" + "1" * 130, "0x" + "2" * 132, "0x" + "3" * 192, "4,5,6")
        return headers

    def get(self, path: str, account: dict[str, Any], query: dict[str, Any]) -> Any:
        """An API call by GET, now and then with something wrong about it."""
        query = dict(query)
        if self.one_in(9):
            self.spoil(query, ("zzz", "limit", "accountId"))
        pairs = [(name, _plain(value)) for name, value in query.items()]
        if pairs and self.one_in(25):
            pairs.append((pairs[0][0], self.pick(pairs[0][1], "7")))
        headers = self._worse(self.headers(account))
        target = f"{self.base}{path}" + (f"?{urlencode(pairs)}" if pairs else "")
        return self.call(Step("GET", target, headers, ""))

    def post(
        self, endpoint: str, path: str, account: dict[str, Any], body: dict[str, Any], *, signature: bool = False
    ) -> Any:
        """An API call by POST, signed where the world verifies signatures, now and then with something wrong about it."""
        body = dict(body)
        if self.one_in(7):
            self.spoil(body, ("extra", "memo", "clientOrderId"))
        if (self.signed and not self.one_in(12)) or self.one_in(14):
            signed = self._sign(endpoint, account, body)
            if signed is not None:
                text, headers = signed["text"], dict(signed["headers"])
                if self.one_in(10):
                    text = text.replace(*self.pick(("1", "2"), ("0", "00"), (",", ", "), ("false", "true")), 1)
                elif self.one_in(12):
                    headers["X-API-SIG"] = self.pick("0x" + "1" * 130, "1,2,3", "", "no signature")
                return self.call(Step("POST", f"{self.base}{path}", self._worse(headers), text))
        headers = {**JSON_HEADERS, **self.headers(account, signature=signature)}
        text = json.dumps(body)
        if self.one_in(40):
            text = self.pick(
                text[:-1],
                "[]",
                "null",
                "",
                "{",
                '{"a":1,"a":2}',
                text.replace("{", '{"accountId":NaN,', 1),
                '"\\ud800"',
            )
        return self.call(Step("POST", f"{self.base}{path}", self._worse(headers), text))

    def call(self, step: Step) -> Any:
        """An API call: the JSON of its answer; None where it is held or was lost."""
        self.sent.append(step)
        if self.has_delays:
            number = self.offset + len(self.steps)
            self.take(step._replace(held=True))
            if self.answers[-1]["held"]:
                self.held.append(number)
            else:
                self.take(Step("", "", {}, "", read=number))
            return None
        reply = self.take(step)
        return None if reply is None or not reply.status else value_of(reply)

    def _sign(self, endpoint: str, account: dict[str, Any], body: dict[str, Any]) -> dict[str, Any] | None:
        wish: dict[str, Any] = {"account": self.pick(account["accountId"], account["name"]), "endpoint": endpoint}
        wish |= {"body": body, "url": f"http://{HOST}{self.base}"}
        if self.one_in(4):
            wish["family"] = self.pick("python", "javascript")
        if self.one_in(4):
            wish["scheme"] = self.pick("both", "eddsa", "ecdsa")
        if self.one_in(6):
            wish["form"] = self.pick("typed", "personal", "bare", "memo", "no_memo")
        told = self.control("POST", "sign", wish)
        return told if "text" in told else None

    def spoil(self, fields: dict[str, Any], more: tuple[str, ...]) -> None:
        """Leave a field out, give it another value, or add one."""
        names = list(fields)
        kind = self.rng.randrange(4)
        if not names or kind == 0:
            fields[self.rng.choice(more)] = self.rng.choice(WRONG_VALUES)
            return
        name = self.rng.choice(names)
        if isinstance(fields[name], dict) and self.one_in(2):
            fields[name] = dict(fields[name])
            self.spoil(fields[name], more)
        elif kind == 1:
            del fields[name]
        else:
            fields[name] = self.rng.choice(WRONG_VALUES)

    def _worse(self, headers: dict[str, str]) -> dict[str, str]:
        if not self.one_in(18):
            return headers
        headers = dict(headers)
        match self.rng.randrange(6):
            case 0:
                headers.pop("X-API-KEY", None)
            case 1:
                headers["X-API-KEY"] = self.pick("", "nobody", "0" * 64)
            case 2:
                headers["X-API-KEY"] = self.account()["apiKey"]
            case 3:
                headers["Content-Type"] = self.pick("text/plain", "application/json; charset=utf-8", "application/xml")
            case 4:
                headers.pop("X-API-SIG", None)
            case _:
                headers["Origin"] = self.pick("http://a.page", "null")
        return headers


def _plain(value: Any) -> Any:
    return value if isinstance(value, str) else json.dumps(value)
