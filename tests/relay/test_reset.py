"""After a reset nothing is left, and the same script has the same ids and hashes again.

What a test leaves to the next, also by a late client: `tests/plugin/test_isolation.py`. A thousand examples, each with a
reset: `tests/plugin/test_hypothesis.py`. Namespaces: `tests/web/test_hosted_apart.py`. How long a reset takes:
`python -m tests.benchmarks`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from mockrelay.web import serve
from tests.flows.client import Client, sale
from tests.relay.changes import CHANGES, script, seen
from tests.support.client import control, done, get, post
from tests.support.worlds import W, relay_from

REQUEST_ID = "x-mockrelay-request-id"


@pytest.mark.parametrize("limited", ["spec", "off"])
def test_the_same_script_after_each_reset_has_the_same_answers(limited: str) -> None:
    """Whatever was left behind before it."""
    relay = relay_from(W, limits=limited, choices={"rate.escalate": "60s"})
    before, once = seen(relay), script(relay)
    for name, leave in CHANGES.items():
        done(relay, "POST", "reset", {})
        assert seen(relay) == before
        leave(relay)
        done(relay, "POST", "reset", {})
        assert seen(relay) == before, name
        assert script(relay) == once, name


def test_a_hundred_resets_of_the_default_scenario_lead_to_the_same_world() -> None:
    relay = relay_from()
    digests, hashes = set(), set()
    for _ in range(100):
        hashes.add(post(relay, "/api/v3/order", sale()).data["orderHash"])
        done(relay, "POST", "reset", {})
        digests.add(done(relay, "GET", "state")["digest_all"])
    assert (len(digests), len(hashes)) == (1, 1)


def test_request_ids_alone_go_on() -> None:
    """So that an id which a test has kept never means another call."""
    relay = relay_from()
    ids = []
    for _ in range(20):
        ids += [get(relay, "/api/v3/getAvailableBroker").headers[REQUEST_ID]]
        done(relay, "POST", "reset", {})
    assert len(set(ids)) == 20
    assert control(relay, "GET", f"why/{ids[0]}").status == 404


def test_a_reset_between_the_calls_of_busy_clients_is_whole() -> None:
    """Every order has the id 0 or is told that it is used: no call sees half of a reset. The server runs on."""
    relay = relay_from(W)
    codes: list[int] = []
    over = threading.Event()

    def client(port: int) -> None:
        own = Client(port)
        while not over.is_set():
            codes.append(own.submit(sale()).code)
            assert own.get("v2/orders", accountId=10001).data["totalNum"] in (0, 1)
        own.close()

    wrong: list[BaseException] = []
    with serve(relay) as server:
        threads = [threading.Thread(target=noting(wrong, client), args=(server.port,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        steering = Client(server.port)
        for _ in range(50):
            steering.done("reset", {})
        steering.close()
        over.set()
        for thread in threads:
            thread.join()
    assert wrong == []
    assert set(codes) <= {0, 102007}
    done(relay, "POST", "reset", {})
    assert done(relay, "GET", "state")["digest_all"] == done(relay_from(W), "GET", "state")["digest_all"]


def noting(wrong: list[BaseException], work: Callable[[int], None]) -> Callable[[int], None]:
    """The same work, whose error is noted, for a thread."""

    def guarded(port: int) -> None:
        try:
            work(port)
        except BaseException as error:  # noqa: BLE001  # a thread's error is told by the test
            wrong.append(error)

    return guarded
