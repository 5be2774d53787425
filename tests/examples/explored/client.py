"""A small honest client: it places an order, withdraws, mints and has a contract deployed, once each, and says how it
went.

It can be given one bug of those that clients have. What it says is `done`, `refused`, or `unsettled` where it does not
know yet.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from enum import Enum, auto
from typing import Any, NamedTuple

TRIES = 8
POLLS = 20
POLL_S = 5
DAY_S = 86_400
MAYBE_LATER = {100000, 102014}
"""Codes that say nothing against the request itself."""
EXISTS = 102007


class Bug(Enum):
    """What clients get wrong."""

    UNKNOWN_IS_FAILED = auto()
    SIGNS_ANEW = auto()
    STATUS_ONLY = auto()
    CODE_ONLY = auto()
    SECONDS_FOR_MS = auto()
    FIRST_0X = auto()
    IGNORES_429 = auto()
    RETRIES_WITHOUT_LOOKING = auto()
    NO_LEADING_ZERO = auto()
    LOSES_DIGITS = auto()
    MINTS_ANEW = auto()
    ONE_LETTER_CASE = auto()


class Answer(NamedTuple):
    """What came back: an HTTP status and, where the body is JSON, its value."""

    status: int
    value: Any


Send = Callable[[str, str, Mapping[str, str], bytes], Answer]
"""(method, path and query, headers, body) -> the answer; ConnectionError where none came."""


class Client:
    """One account's client. `wait` lets seconds go by."""

    def __init__(self, send: Send, account: Mapping[str, Any], wait: Callable[[int], None], bug: Bug | None) -> None:
        self.send = send
        self.account = account
        self.wait = wait
        self.bug = bug

    def place(self, order: Mapping[str, Any]) -> str:
        """Have an order placed, once."""
        now_s = self._now_s()
        body = {**order, "orderId": self._order_id(order["tokenSId"]), "validSince": now_s}
        body |= {"validUntil": now_s + 60 * DAY_S, "clientOrderId": f"mine-{body['orderId']}"}
        may_be_there = False
        for _ in range(TRIES):
            outcome, data = self._submit("/api/v3/order", body)
            if outcome == "lost":
                may_be_there = True
                if self.bug is Bug.RETRIES_WITHOUT_LOOKING:
                    body["orderId"] = self._order_id(order["tokenSId"])
                    body["clientOrderId"] = f"mine-{body['orderId']}"
                if self.bug is Bug.SIGNS_ANEW:
                    body["validUntil"] += 1
                continue
            if outcome == "done" and isinstance(data, dict):
                return self._told(data.get("status"))
            if outcome == EXISTS:
                return "done"
            if isinstance(outcome, str):
                return outcome
            if outcome not in MAYBE_LATER:
                # A refusal speaks of this try. An earlier one may have got through without an answer.
                honest = self.bug is not Bug.SIGNS_ANEW
                return "done" if may_be_there and honest and self._is_listed(body["clientOrderId"]) else "refused"
            self.wait(1)
        return "unsettled"

    def withdraw(self, body: Mapping[str, Any]) -> str:
        """Have money withdrawn, once: the same request again only asks how far it is."""
        for _ in range(TRIES):
            outcome, _ = self._submit("/api/v3/user/withdrawals", body, {"X-API-SIG": "0x" + "01" * 65})
            if outcome in ("done", "refused"):
                return str(outcome)
            if outcome != "lost" and outcome not in MAYBE_LATER:
                return "refused"
            self.wait(1)
        return "unsettled"

    def mint(self, body: Mapping[str, Any], nft_id: int) -> str:
        """Have an NFT minted, once."""
        text = f"0x{nft_id:x}" if self.bug is Bug.NO_LEADING_ZERO else f"0x{nft_id:064x}"
        for _ in range(TRIES):
            outcome, _ = self._submit("/api/v3/nft/mint", {**body, "nftId": text})
            if outcome == "done":
                return "done"
            if outcome != "lost" and outcome not in MAYBE_LATER:
                return "refused"
            if self.bug is Bug.MINTS_ANEW:
                body = {**body, "storageId": body["storageId"] + 1}
            self.wait(1)
        return "unsettled"

    def sold(self) -> int:
        """What the account has sold in the trades that wait for a block."""
        told = self._look("GET", "/api/v3/block/getPendingRequests")
        waiting = told if isinstance(told, list) else [told]
        trades = [tx for tx in waiting if self._is_trade(tx["txType"])]
        legs = [tx[name] for tx in trades for name in ("orderA", "orderB")]
        own = [leg["fillS"] for leg in legs if leg["accountID"] == self.account["accountId"]]
        return sum(int(float(wei)) if self.bug is Bug.LOSES_DIGITS else int(wei) for wei in own)

    def _is_trade(self, kind: str) -> bool:
        return kind == "SpotTrade" if self.bug is Bug.ONE_LETTER_CASE else kind.lower() == "spottrade"

    def has_code(self, contract: str) -> bool:
        """Whether a contract that was sent for deployment is there, after a good while at most."""
        for _ in range(POLLS):
            value = self._look("POST", "/api/v3/delegator/getCode", {"address": contract})
            if value["result"] != "0x":
                return True
            if self.bug is Bug.FIRST_0X:
                return False
            self.wait(POLL_S)
        return False

    def _told(self, status: str | None) -> str:
        if status == "UNKNOWN":
            return "refused" if self.bug is Bug.UNKNOWN_IS_FAILED else "unsettled"
        return "refused" if status == "SUBMIT_ORDER_FAIL" else "done"

    def _now_s(self) -> int:
        stamp: int = self._look("GET", "/api/v2/depth?market=LRC-ETH&level=0")["data"]["timestamp"]
        return stamp if self.bug is Bug.SECONDS_FOR_MS else stamp // 1000

    def _order_id(self, token_id: int) -> int:
        path = f"/api/v2/orderId?accountId={self.account['accountId']}&tokenSId={token_id}"
        return int(self._look("GET", path)["data"])

    def _is_listed(self, client_id: str) -> bool:
        data = self._look("GET", f"/api/v2/orders?accountId={self.account['accountId']}")["data"]
        return any(row["clientOrderId"] == client_id for row in data.get("orders", ()))

    def _look(self, method: str, path: str, body: Any = None) -> Any:
        """What a call that changes nothing tells, asked again for as long as it tells nothing."""
        for _ in range(TRIES):
            answer = self._ask(method, path, body)
            if answer is not None and answer.status == 200 and _code(answer.value) == 0:
                return answer.value
            self.wait(1)
        raise TimeoutError(path)

    def _submit(self, path: str, body: Any, headers: Mapping[str, str] | None = None) -> tuple[str | int, Any]:
        """`done` and the answer's data, a code, or `lost` where nobody knows whether it was carried out."""
        answer = self._ask("POST", path, body, headers)
        if answer is not None and answer.status == 429:
            if self.bug is Bug.IGNORES_429:
                return "done", None
            self.wait(1)
            return "lost", None
        if answer is not None and self.bug is Bug.STATUS_ONLY:
            return "done" if answer.status == 200 else "refused", answer.value and answer.value.get("data")
        if answer is None or answer.value is None:
            return "lost", None
        if self.bug is Bug.CODE_ONLY:
            code = answer.value.get("resultInfo", {}).get("code", 0)
        else:
            if answer.status >= 500:
                return "lost", None
            code = _code(answer.value) or (0 if answer.status == 200 else 100000)
        return code or "done", answer.value.get("data")

    def _ask(self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None) -> Answer | None:
        sent = {"X-API-KEY": self.account["apiKey"], "Content-Type": "application/json", **(headers or {})}
        try:
            return self.send(method, path, sent, b"" if body is None else json.dumps(body).encode())
        except ConnectionError:
            return None


def _code(value: Any) -> int:
    """The code of an answer in either of the forms that refusals have; 0 for one that carries none."""
    if not isinstance(value, dict):
        return 100000 if value is None else 0
    told = value.get("resultInfo", value)
    return int(told.get("code", 0)) if set(told) <= {"code", "message"} else 0
