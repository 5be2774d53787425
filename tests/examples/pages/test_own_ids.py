"""A client that chooses ids and times, beside a state machine."""

from typing import Any

import requests
from hypothesis import settings

from mockrelay.testing import ApiCall, RelayMachine
from mockrelay.web import serve


class MyBot(RelayMachine):
    serve = staticmethod(serve)
    client_fields = {"submit_order": ["orderId", "clientOrderId", "validSince", "validUntil"]}

    def client(self, call: ApiCall) -> Any:
        """Your bot places the order that `call.fields` describes; all other calls are made as they are."""
        if call.endpoint != "submit_order":
            return super().client(call)
        order, headers = dict(call.fields), {"X-API-KEY": call.key}
        of_token = {name: order[name] for name in ("accountId", "tokenSId")}
        with requests.Session() as http:
            next_id = http.get(f"{self.relayer.url}/api/v2/orderId", params=of_token, headers=headers, timeout=10)
            order |= {"orderId": int(next_id.json()["data"]), "signatureRx": "1", "signatureRy": "2", "signatureS": "3"}
            now_s = self.relayer.clock.now_s
            order |= {"validSince": now_s, "validUntil": now_s + 60 * 86_400}
            return http.post(self.relayer.url + call.path, json=order, headers=headers, timeout=10)


TestMyBot = MyBot.TestCase
TestMyBot.settings = settings(max_examples=5, stateful_step_count=20)
