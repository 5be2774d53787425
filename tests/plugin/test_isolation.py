"""Nothing of a test is seen by the next one."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import Run

LEFT_BEHIND = """
import socket
import threading

import pytest
from api import call, orders, sale, sell

seen = {}
late = threading.Event()


def script(relayer):
    return [sell(relayer, number)["data"]["orderHash"] for number in range(3)], [e.id for e in relayer.requests]


@pytest.mark.relayer(limits="spec")
def test_one_leaves_everything_behind(relayer):
    seen["script"] = script(relayer)
    seen["port"] = relayer.url.rpartition(":")[2]
    seen["digest"] = relayer.state().digest_all
    relayer.fault("get_depth", code=108000)
    relayer.set_fee(9, "LRC", fee="7")
    relayer.clock.advance("3d")
    relayer.clock.rate = 60
    relayer.choices({"http.error_status": "400"})
    relayer.account("alice").deposit("LRC", 5).freeze()
    relayer.layer1("down")
    relayer.snapshot("mine")
    url, headers, body = relayer.url, relayer.account("alice").headers, sale(relayer, 9)

    def send_late():
        late.wait()
        try:
            call(url, "POST", "/api/v3/order", headers, body)
        except OSError as error:
            seen["late"] = error

    seen["thread"] = threading.Thread(target=send_late)
    seen["thread"].start()
    relayer.allow("unfired_fault")


@pytest.mark.relayer(limits="spec")
def test_two_sees_nothing_of_it(relayer):
    assert relayer.url.rpartition(":")[2] != seen["port"]
    late.set()
    seen["thread"].join()
    assert isinstance(seen["late"], OSError)
    assert relayer.requests.total == 0 and relayer.orders == [] and relayer.faults == []
    assert relayer.clock.rate == 0
    assert relayer.state().choices["http.error_status"] == "split"
    assert relayer.account("alice").balances["LRC"].free == 20_000_000 * 10**18
    assert not relayer.account("alice").is_frozen
    assert relayer.state().layer1.state == "up"
    assert relayer.control("GET", "snapshots") == []
    assert script(relayer) == seen["script"], "ids and hashes are not the same again, or the limiter still counts"
    assert relayer.state().digest_all == seen["digest"]


def test_an_old_handle_reaches_nothing(relayer):
    seen["old"] = relayer, relayer.clock, relayer.account("alice")


def test_an_old_handle_says_so(relayer):
    old, clock, alice = seen["old"]
    for use in (lambda: old.url, lambda: clock.now_ms, lambda: alice.balances, lambda: old.reset()):
        with pytest.raises(RuntimeError, match="has ended with the test"):
            use()
"""


def test_nothing_left_behind_is_seen(run: Run) -> None:
    """Orders, fault, fee, clock, choices, limiter, journal, snapshots, and a client that sends once more, later."""
    run(LEFT_BEHIND, "--mockrelay-start=2030-01-01T00:00:00Z").assert_outcomes(passed=4)


def test_a_relayer_that_is_asked_for_late_is_that_of_its_own_test(run: Run) -> None:
    """By its settings, where the test itself asks for it, and where another run of pytest has ended in this process since."""
    result = run(
        """
import pytest


@pytest.mark.relayer(limits="spec")
def test_asks_itself(request, pytester):
    pytester.makepyfile("def test_inner(relayer): assert not relayer.relay.world.limits_on")
    pytester.inline_run("-p", "mockrelay.pytest_plugin").assertoutcome(passed=1)
    assert request.getfixturevalue("relayer").relay.world.limits_on


def test_after_it(request):
    assert not request.getfixturevalue("relayer").relay.world.limits_on
""",
        plugins=["pytester"],
    )
    result.assert_outcomes(passed=2)


def test_a_project_s_own_fixture_is_in_the_place_of_relayer_and_may_use_it(pytester: pytest.Pytester, run: Run) -> None:
    """In a plugin that its `conftest.py` names, where the order of the plugins decides."""
    source = "import pytest\n\n@pytest.fixture\ndef relayer(relayer):\n    return 'own', relayer.clock.rate\n"
    pytester.makepyfile(own_fixtures=source)
    pytester.makeconftest("pytest_plugins = ['own_fixtures']")
    run("def test_it(relayer): assert relayer == ('own', 0)").assert_outcomes(passed=1)


def test_connections_are_closed_with_their_test(run: Run) -> None:
    """A kept connection of a test that is over is at its end; the port takes no new one."""
    result = run(
        """
        import socket
        import pytest

        kept = {}

        def test_one(relayer):
            port = int(relayer.url.rpartition(":")[2])
            kept["socket"] = socket.create_connection(("127.0.0.1", port))
            kept["socket"].sendall(b"GET /api/v3/getAvailableBroker HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
            assert kept["socket"].recv(12) == b"HTTP/1.1 200"
            kept["port"] = port

        def test_two():
            with kept["socket"]:
                while kept["socket"].recv(4096):
                    pass
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection(("127.0.0.1", kept["port"]))
        """
    )
    result.assert_outcomes(passed=2)


def test_a_test_ends_whatever_its_connections_wait_for(run: Run) -> None:
    """Idle ones, a request that is half sent, and an answer that waits for a clock that stands still."""
    result = run(
        """
        import http.client
        import socket
        import threading

        seen = {}

        def test_one(relayer):
            address = "127.0.0.1", int(relayer.url.rpartition(":")[2])
            seen["sockets"] = [socket.create_connection(address) for _ in range(6)]
            for idle in seen["sockets"][1:]:
                idle.sendall(b"GET /api/v3/getAvailableBroker HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
                assert idle.recv(12) == b"HTTP/1.1 200"
            seen["sockets"][0].sendall(b"POST /api/v3/order HTTP/1.1\\r\\nContent-Length: 9\\r\\n\\r\\n{")
            fault = relayer.fault("get_gas_price", delay="60s")
            connection = http.client.HTTPConnection(*address)
            connection.request("GET", "/api/v2/recommendedGasPrice", headers=relayer.account("alice").headers)
            while not fault.fired:
                pass
            seen["connection"] = connection

        def test_two():
            with seen["connection"].getresponse() as answer:
                assert answer.status == 200
            seen["connection"].close()
            for each in seen["sockets"]:
                with each:
                    while each.recv(4096):
                        pass
        """
    )
    result.assert_outcomes(passed=2)


def test_a_run_is_repeated_by_its_start(run: Run) -> None:
    """The header gives the start; given again, the same script has the same hashes and times."""
    source = """
        from api import sell

        def test_it(relayer):
            print("told", relayer.clock.now_ms, sell(relayer)["data"]["orderHash"])
    """
    first = run(source, "-s", "--mockrelay-start=2030-01-01T00:00:00Z")
    again = run(source, "-s", "--mockrelay-start=2030-01-01T00:00:00Z")
    told = [[line for line in result.outlines if "told" in line] for result in (first, again)]
    assert told[0] == told[1]
    assert "told 1893456000000 0x" in told[0][0]
    first.stdout.fnmatch_lines(["mockrelay: clocks start at 2030-01-01T00:00:00Z (--mockrelay-start)"])
