"""Orders of both generations in one book: the views of the market are what the same orders of one generation add up to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.properties.effort import effort
from tests.properties.machines.market_answers import NAMES
from tests.properties.machines.market_rules import SCENARIO
from tests.properties.machines.test_market import MarketMachine
from tests.properties.models.order_records import Order
from tests.support.answer import Answer
from tests.support.bodies import EDDSA_SIGNATURE


class MixedMachine(MarketMachine):
    """As the machine of the market; every other order that is valid from now on is of the third generation."""

    scenario = SCENARIO.with_name("market_live.yaml")

    def __init__(self) -> None:
        super().__init__()
        self.exchange = self.relay.world.config.exchange.exchange_address
        self.forms: dict[str, bool] = {}
        """By body, whether it was sent in the third generation's form: the same one again is."""

    def submit_body(self, body: Mapping[str, Any]) -> Answer:
        """The answer of either form, in the specification's words."""
        is_new = (body["orderId"] + body["accountId"]) % 2 == 0 and body["validSince"] == self.market.now_ms // 1000
        if not self.forms.setdefault(json.dumps(body), is_new):
            return super().submit_body(body)
        answer = self.api("POST", "/api/v3/order", self.in_third_generation(body), key=NAMES[body["accountId"]])
        if answer.status == 400:
            assert set(answer.json) == {"resultInfo"}
            failed = [order for order in self.market.orders if order.failed and order.body == body]
            data = {"data": _receipt(failed[0].hash, "SUBMIT_ORDER_FAIL", again=False)} if failed else {}
            return answer._replace(status=200, body=json.dumps({**answer.json, **data}).encode())
        new = answer.json
        assert new["status"] == "processing"
        shown = self.api("GET", "/api/v3/order", key=NAMES[body["accountId"]], orderHash=new["hash"]).json
        is_held = any(order["hash"] == new["hash"] and order["held"] for order in self.done("GET", "state")["orders"])
        assert is_held <= (shown["status"] == "waiting")
        receipt = _receipt(new["hash"], "UNKNOWN" if is_held else "NEW_ACTIVED", again=new["isIdempotent"])
        envelope = {"resultInfo": {"code": 0, "message": "SUCCESS"}, "data": receipt}
        return answer._replace(body=json.dumps(envelope).encode())

    def in_third_generation(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The same order in the other form."""
        return {
            "exchange": self.exchange,
            "accountId": body["accountId"],
            "storageId": body["orderId"],
            "sellToken": {"tokenId": body["tokenSId"], "volume": body["amountS"]},
            "buyToken": {"tokenId": body["tokenBId"], "volume": body["amountB"]},
            "validUntil": body["validUntil"],
            "maxFeeBips": body["maxFeeBips"],
            "fillAmountBOrS": body["buy"] == "true",
            "orderType": body["orderType"],
            "eddsaSignature": EDDSA_SIGNATURE,
        }

    def record(self, order: Order) -> dict[str, Any]:
        """The record as live relayers show it."""
        return {**super().record(order), "orderType": order.body["orderType"]}


def _receipt(hash_: str, status: str, *, again: bool) -> dict[str, Any]:
    return {"orderHash": hash_, "status": status, "isIdempotent": again}


TestMixed = MixedMachine.TestCase
TestMixed.settings = effort(max_examples=15, steps=30)
