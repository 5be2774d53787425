"""`RelayMachine`: it runs clean over the pure relay and over a socket, and finds clients that do otherwise."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, ClassVar

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from mockrelay.client.call import ApiAnswer, ApiCall
from mockrelay.testing.calling import send
from mockrelay.testing.invariants import check_money
from mockrelay.testing.machine import RelayMachine, send_to
from mockrelay.web import serve
from tests.support.worlds import relay_from

EASY = settings(max_examples=50, stateful_step_count=15, report_multiple_bugs=False, phases=[Phase.generate])

TestPure = RelayMachine.TestCase
TestPure.settings = settings(max_examples=25, stateful_step_count=30)


class OverSocket(RelayMachine):
    """The pure relay and the socket agree on every step, to the byte."""

    serve = staticmethod(serve)


class SecondOptions(RelayMachine):
    """The same under other readings."""

    choices: ClassVar[dict[str, str]] = {
        "storage_id.scope": "per_account",
        "storage_id.space": "shared",
        "transfer.credit": "on_block",
        "account.nonce_moves": "on_block",
        "account.key_active": "on_block",
        "fee.charged": "max_fee",
        "nft.visible": "on_block",
        "order.valid_since_future": "refuse",
    }


class Verifying(RelayMachine):
    """Signatures are verified: every call is signed by its account, with the key that it has by then."""

    choices: ClassVar[dict[str, str]] = {"signature.scheme": "protocol", "hash.scheme": "protocol"}


class VerifyingOverSocket(Verifying):
    """The same, by the address of the client's relayer."""

    serve = staticmethod(serve)


TestOverSocket = OverSocket.TestCase
TestOverSocket.settings = settings(max_examples=5, stateful_step_count=20)
TestSecondOptions = SecondOptions.TestCase
TestSecondOptions.settings = settings(max_examples=15, stateful_step_count=30)

TestVerifying = Verifying.TestCase
TestVerifying.settings = settings(max_examples=10, stateful_step_count=30)
TestVerifyingOverSocket = VerifyingOverSocket.TestCase
TestVerifyingOverSocket.settings = settings(max_examples=3, stateful_step_count=20)


class Twice(RelayMachine):
    """A client that sends a transfer again with the next nonce, to be safe."""

    def client(self, call: ApiCall) -> Any:
        said = send_to(self.relayer, call)
        if call.endpoint == "submit_transfer" and said.is_accepted:
            send(self.relayer, call.but(nonce=call.fields["nonce"] + 1, amount="1"))
        return said


class Misread(RelayMachine):
    """A client that takes every answer for a success."""

    def client(self, call: ApiCall) -> bool:
        send_to(self.relayer, call)
        return True

    def compare(self, call: ApiCall, right: ApiAnswer, said: Any) -> None:
        assert said == right.is_accepted, "it says that a refused call was accepted"


@pytest.mark.parametrize(("machine", "told"), [(Twice, "in another state"), (Misread, "that a refused call")])
def test_a_wrong_client_is_found(machine: type[RelayMachine], told: str) -> None:
    """By its state, or by what it says."""
    with pytest.raises(AssertionError, match=told):
        run_state_machine_as_test(machine, settings=EASY)


def test_an_unserved_relayer_has_no_url() -> None:
    """A client that asks for one is told what to set; calls without a socket go on."""

    class Unserved(RelayMachine):
        def client(self, call: ApiCall) -> Any:
            return send_to(self.relayer, call)

    machine = Unserved()
    try:
        key = machine.relayer.account("alice").api_key
        assert send_to(machine.relayer, ApiCall("get_tokens", {}, key)).is_accepted
        with pytest.raises(RuntimeError, match=r"set `serve = staticmethod\(mockrelay\.web\.serve\)`"):
            machine.relayer.url  # noqa: B018 - the look is what is tested
        assert machine.relayer.address == ""
    finally:
        machine.teardown()


def test_a_serve_that_cannot_serve_is_told() -> None:
    """Where the class is made if it cannot be called, else where it gives what cannot be opened."""
    with pytest.raises(TypeError, match=r"Wrong\.serve is True; meant: serve = staticmethod"):
        type("Wrong", (RelayMachine,), {"serve": True})
    machine = type("Closed", (RelayMachine,), {"serve": staticmethod(lambda relay: "up")})
    with pytest.raises(TypeError, match=r"Closed\.serve returned 'up', which is not a context manager"):
        machine()


def test_a_call_has_all_that_an_http_client_needs() -> None:
    """A GET by its query, a POST by its body."""
    read = ApiCall("get_order_id", {"accountId": 10001, "tokenSId": 1}, key="k")
    assert (read.method, read.path, read.payload) == ("GET", "/api/v2/orderId", b"")
    assert read.target == "/api/v2/orderId?accountId=10001&tokenSId=1"
    assert read.headers == {"x-api-key": "k"}
    sent = ApiCall("get_code", {"address": "0x0c"})
    assert (sent.method, sent.target, sent.payload) == ("POST", sent.path, b'{"address":"0x0c"}')
    assert sent.headers == {"content-type": "application/json"}


def test_money_that_appears_is_noticed() -> None:
    """The invariant is not satisfied by everything."""
    world = relay_from().world
    put_in = dict(world.ledger.deposited_wei)
    check_money(world, put_in)
    put_in[1] += 1
    with pytest.raises(AssertionError, match="token 1"):
        check_money(world, put_in)


@pytest.mark.parametrize(("own_ms", "deadline_ms"), [(None, None), (7, 7)], ids=["default", "own"])
def test_a_machine_has_no_deadline_but_its_own(
    monkeypatch: pytest.MonkeyPatch, own_ms: int | None, deadline_ms: int | None
) -> None:
    """An example is a whole run, which takes longer than the calls that Hypothesis's default is meant for."""

    class Machine(RelayMachine):
        pass

    runs: list[settings] = []
    monkeypatch.setattr(
        "mockrelay.testing.machine_case.run_state_machine_as_test", lambda _, settings: runs.append(settings)
    )
    Machine.TestCase.settings = settings(max_examples=1) if own_ms is None else settings(deadline=own_ms)
    Machine.TestCase("runTest").runTest()
    (found,) = runs
    assert found.deadline == (None if deadline_ms is None else timedelta(milliseconds=deadline_ms))
