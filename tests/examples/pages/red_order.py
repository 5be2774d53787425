"""A test that fails, since its client sends `validUntil` in milliseconds."""

import json
import urllib.request

from mockrelay.testing import Account, RelayerHandle


def sell_lrc(url: str, account: Account, now_ms: int) -> int:
    """The client under test: it sells 100 LRC for 0.05 ETH, and gives the code of the answer."""
    order = {"exchangeId": 2, "accountId": account.id, "orderId": 0, "tokenSId": 1, "tokenBId": 0, "buy": "false"}
    order |= {"amountS": "100000000000000000000", "amountB": "50000000000000000", "maxFeeBips": 63, "label": 211}
    order |= {"signatureRx": "1", "signatureRy": "2", "signatureS": "3"}
    order |= {"validSince": now_ms // 1000, "validUntil": now_ms + 5_184_000_000}
    headers = {**account.headers, "Content-Type": "application/json"}
    call = urllib.request.Request(f"{url}/api/v3/order", json.dumps(order).encode(), headers)
    with urllib.request.urlopen(call) as answer:
        return int(json.load(answer)["resultInfo"]["code"])


def test_an_order_is_placed(relayer: RelayerHandle) -> None:
    alice = relayer.account("alice")
    assert sell_lrc(relayer.url, alice, relayer.clock.now_ms) == 0
