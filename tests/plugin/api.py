"""A client of a few lines, copied beside the tests that pytester runs."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any


def call(base: str, method: str, target: str, headers: dict[str, str] | None = None, body: object = None) -> Any:
    """The JSON value that a call is answered with, whatever the status."""
    data = None if body is None else json.dumps(body).encode()
    sent = {"Content-Type": "application/json", **(headers or {})}
    request = urllib.request.Request(base + target, data, sent, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refused:
        with refused:
            return json.load(refused)


def orders(relayer: Any) -> Any:
    """Alice's orders."""
    return call(relayer.url, "GET", "/api/v2/orders?accountId=10001", relayer.account("alice").headers)


def sale(relayer: Any, order_id: int = 0) -> dict[str, Any]:
    """An order that sells 100 LRC for 0.05 ETH."""
    now_s = relayer.clock.now_s
    fields = {"exchangeId": 2, "accountId": 10001, "orderId": order_id, "tokenSId": 1, "tokenBId": 0}
    amounts = {"amountS": "100000000000000000000", "amountB": "50000000000000000", "buy": "false"}
    times = {"validSince": now_s, "validUntil": now_s + 60 * 86_400, "maxFeeBips": 63, "label": 211}
    return {**fields, **amounts, **times, "signatureRx": "1", "signatureRy": "2", "signatureS": "3"}


def sell(relayer: Any, order_id: int = 0) -> Any:
    """Submit such an order."""
    return call(relayer.url, "POST", "/api/v3/order", relayer.account("alice").headers, sale(relayer, order_id))
