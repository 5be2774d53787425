"""After a reset nothing is left, and the same script has the same ids and hashes again.

What a test leaves to the next, also by a late client: `tests/plugin/test_isolation.py`. A thousand examples, each with a
reset: `tests/plugin/test_hypothesis.py`. Namespaces: `tests/web/test_hosted_apart.py`. How long a reset takes:
`python -m tests.benchmarks`.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from mockrelay.web import serve
from tests.relay.changes import CHANGES, everything, script
from tests.support.bodies import W
from tests.support.client import done, get, post, state
from tests.support.connection import connected
from tests.support.worlds import world


@pytest.mark.parametrize("limited", ["spec", "off"])
def test_the_same_script_after_each_reset_has_the_same_answers(limited: str) -> None:
    """Whatever was left behind before it."""
    relay = world(limits=limited, choices={"rate.escalate": "60s"})
    before, once = everything(relay), script(relay)
    for name, leave in CHANGES.items():
        done(relay, "POST", "reset", {})
        assert everything(relay) == before
        leave(relay)
        done(relay, "POST", "reset", {})
        assert everything(relay) == before, name
        assert script(relay) == once, name


def test_a_reset_between_the_calls_of_busy_clients_is_whole() -> None:
    """Every order has the id 0 or a code that says it is used: no call sees half of a reset. The server runs on."""
    relay = world()
    codes: list[int] = []
    over = threading.Event()

    def client(url: str) -> None:
        with connected(url) as wire:
            while not over.is_set():
                codes.append(post(wire, "/api/v3/order", W.order(), key="key-a").code)
                assert get(wire, "/api/v2/orders", key="key-a", accountId=10001).data["totalNum"] in (0, 1)

    with serve(relay) as server, ThreadPoolExecutor(4) as pool:
        busy = pool.map(client, [server.url] * 4)
        try:
            with connected(server.url) as wire:
                for _ in range(50):
                    done(wire, "POST", "reset", {})
        finally:
            over.set()
        assert list(busy) == [None] * 4
    assert set(codes) <= {0, 102007}
    done(relay, "POST", "reset", {})
    assert state(relay)["digest_all"] == state(world())["digest_all"]
