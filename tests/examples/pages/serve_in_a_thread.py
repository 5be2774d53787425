"""A relay on a socket, without pytest."""

import json
import urllib.request

from mockrelay import Relay, serve
from mockrelay.testing import RelayerHandle

relay = Relay.from_scenario("default", clock="frozen", limits="off")
with serve(relay) as server:
    alice = RelayerHandle.of(relay, server.url).account("alice")
    call = urllib.request.Request(f"{server.url}/api/v2/orders?accountId={alice.id}", headers=alice.headers)
    with urllib.request.urlopen(call) as answer:
        assert json.load(answer)["data"] == {"totalNum": 0, "orders": []}
