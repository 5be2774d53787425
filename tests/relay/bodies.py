"""Right bodies for the default world, told once for the tests of this room."""

from __future__ import annotations

from typing import Any

from mockrelay.relay import Relay
from tests.support.client import account, done
from tests.support.worlds import START_S

SIGNATURE = "0x" + "1" * 130
SIGNED = {"label": 211, "signatureRx": "1", "signatureRy": "2", "signatureS": "3"}
LRC_FEE = "100000000000000000"
E18 = 10**18


def order(order_id: int = 0, **changes: Any) -> dict[str, Any]:
    """Alice sells 100 LRC for 0.05 ETH."""
    terms = {"validSince": START_S, "validUntil": START_S + 60 * 86_400, "maxFeeBips": 63, "buy": "false"}
    legs = {"tokenSId": 1, "tokenBId": 0, "amountS": str(100 * E18), "amountB": "50000000000000000"}
    return {"exchangeId": 2, "orderId": order_id, "accountId": 10001, **legs, **terms, **SIGNED, **changes}


def transfer(nonce: int) -> dict[str, Any]:
    """Alice gives bob a wei of LRC."""
    legs = {"sender": 10001, "receiver": 10002, "token": 1, "amount": "1", "tokenF": 1, "amountF": LRC_FEE}
    return {"exchangeId": 2, **legs, "nonce": nonce, **SIGNED}


def withdrawal(relay: Relay, storage_id: int) -> dict[str, Any]:
    """Alice takes a wei of LRC out."""
    owner = account(relay, "alice")["owner"]
    exchange = done(relay, "GET", "state")["exchange"]["exchangeAddress"]
    legs = {"token": {"tokenId": 1, "volume": "1"}, "maxFee": {"tokenId": 1, "volume": LRC_FEE}, "to": owner}
    return {
        "exchange": exchange,
        "accountId": 10001,
        "owner": owner,
        "storageId": storage_id,
        "minGas": 0,
        "validUntil": START_S + 86_400,
        **legs,
    }
