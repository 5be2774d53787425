"""A relay that is called without a socket."""

import json

from mockrelay import RawRequest, Relay

relay = Relay.from_scenario("default", clock="frozen", limits="off")
request = RawRequest(
    method="GET",
    path="/api/v2/depth",
    raw_target="/api/v2/depth?market=LRC-ETH&level=0",
    query=(("market", "LRC-ETH"), ("level", "0")),
    headers={"x-api-key": relay.accounts()[0]["apiKey"]},
    body=b"",
    scheme="http",
    host="localhost",
    remote="127.0.0.1",
)
answer = json.loads(relay.handle(request, relay.now_ms()).body)
assert answer["data"]["bids"] == []
