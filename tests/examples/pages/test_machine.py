"""A client beside a state machine."""

import requests
from hypothesis import settings
from hypothesis.stateful import invariant

from mockrelay.testing import ApiAnswer, ApiCall, RelayMachine
from mockrelay.web import serve


class MyClient(RelayMachine):
    serve = staticmethod(serve)  # without it `self.relayer.url` raises: then your client needs no socket

    def client(self, call: ApiCall) -> requests.Response:
        """Your client makes the call, by `call.endpoint` and `call.fields` or as the request that is there already."""
        url = self.relayer.url + call.target
        return requests.request(call.method, url, headers=call.headers, data=call.payload, timeout=10)

    def compare(self, call: ApiCall, right: ApiAnswer, said: requests.Response) -> None:
        """What `client` gave, beside the right answer: `status`, `code`, `value` (the JSON), `is_accepted`, `payload`."""
        assert (said.status_code, said.json()) == (right.status, right.value)

    @invariant()
    def no_order_is_lost(self) -> None:
        """An invariant of your own, checked after each step: `self.relayer` is the client's relayer, `self.world` the right one."""
        assert len(self.relayer.orders) == len(self.world.orders.by_hash)


TestMyClient = MyClient.TestCase
TestMyClient.settings = settings(max_examples=5, stateful_step_count=20)
