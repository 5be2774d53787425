"""`RelayMachine`: it runs clean over the pure relay and over a socket, and finds clients that do otherwise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from itertools import count
from typing import Any, ClassVar

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import invariant, run_state_machine_as_test

from mockrelay.client.call import ApiAnswer, ApiCall
from mockrelay.testing.calling import send
from mockrelay.testing.invariants import check_money
from mockrelay.testing.machine import RelayMachine, send_to
from mockrelay.web import serve
from tests.support.worlds import relay_from

DAY_S = 86_400
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


class OwnFields(RelayMachine):
    """A client that chooses ids, times and signatures itself."""

    client_fields: ClassVar[dict[str, tuple[str, ...]]] = {
        "submit_order": ("orderId", "clientOrderId", "validSince", "validUntil"),
        "submit_withdrawal": ("storageId", "validUntil"),
        "update_account": ("nonce", "validUntil"),
        "deploy_nft_contract": ("storageId", "validUntil"),
    }
    choices: ClassVar[dict[str, str]] = {"order_id.get": "reserve"}

    def __init__(self) -> None:
        super().__init__()
        self._storage_ids = count(1000)

    def client(self, call: ApiCall) -> Any:
        if call.endpoint not in self.client_fields:
            return send_to(self.relayer, call)
        return self.send(self.with_own_fields(call))

    def send(self, call: ApiCall) -> ApiAnswer:
        return send_to(self.relayer, call)

    def with_own_fields(self, call: ApiCall) -> ApiCall:
        fields = dict(call.fields)
        assert not {"orderId", "storageId", "nonce", "validSince", "validUntil", "signatureS"} & fields.keys()
        now_s = self.relayer.clock.now_s
        if call.endpoint == "submit_order":
            own = {"accountId": fields["accountId"], "tokenSId": fields["tokenSId"]}
            next_id = send_to(self.relayer, ApiCall("get_order_id", own, call.key)).payload
            fields |= {"orderId": int(next_id), "validSince": now_s, "validUntil": now_s + 60 * DAY_S}
            return call.but(**fields, signatureRx="1", signatureRy="2", signatureS="3")
        if call.endpoint == "update_account":
            key = next(one.api_key for one in self.relayer.accounts if one.id == fields["accountId"])
            account = send_to(self.relayer, ApiCall("get_account", {"owner": fields["owner"]}, key)).payload
            chosen = {"nonce": account["accountNonce"], "validUntil": now_s + DAY_S}
            return call.but(**chosen)._replace(signature="0x" + "01" * 65)
        chosen = {"storageId": next(self._storage_ids), "validUntil": now_s + DAY_S}
        if call.endpoint == "submit_withdrawal":
            return call.but(**chosen)._replace(signature="0x" + "01" * 65)
        assert not {"storageId", "validUntil"} & fields["transfer"].keys()
        return call.but(transfer={**fields["transfer"], **chosen})._replace(signature="0x" + "01" * 96)


class OwnFieldsOverSocket(OwnFields):
    """The same over HTTP."""

    serve = staticmethod(serve)


class OwnSignatures(OwnFields):
    """Where signatures are verified: the client signs what it has chosen."""

    client_fields: ClassVar[dict[str, tuple[str, ...]]] = {
        "submit_order": ("orderId", "clientOrderId", "validSince", "validUntil")
    }
    choices: ClassVar[dict[str, str]] = Verifying.choices

    def send(self, call: ApiCall) -> ApiAnswer:
        account = next(one for one in self.relayer.accounts if one.id == call.fields["accountId"])
        return send_to(self.relayer, call._replace(fields=account.sign(call.endpoint, call.fields).body))


TestOwnFields = OwnFields.TestCase
TestOwnFields.settings = settings(max_examples=10, stateful_step_count=30)
TestOwnFieldsOverSocket = OwnFieldsOverSocket.TestCase
TestOwnFieldsOverSocket.settings = settings(max_examples=3, stateful_step_count=20)
TestOwnSignatures = OwnSignatures.TestCase
TestOwnSignatures.settings = settings(max_examples=5, stateful_step_count=20)


class OwnIdTwice(OwnFields):
    """Every order has the same id."""

    def with_own_fields(self, call: ApiCall) -> ApiCall:
        chosen = super().with_own_fields(call)
        return chosen.but(orderId=7) if call.endpoint == "submit_order" else chosen


class OwnTimeInMs(OwnFields):
    """It takes milliseconds for seconds."""

    def with_own_fields(self, call: ApiCall) -> ApiCall:
        chosen = super().with_own_fields(call)
        return chosen.but(validUntil=1000 * chosen.fields["validUntil"]) if "validUntil" in chosen.fields else chosen


class OwnOrderTwice(OwnFields):
    """It submits each order twice, under two ids."""

    def send(self, call: ApiCall) -> ApiAnswer:
        answer = super().send(call)
        if call.endpoint == "submit_order":
            super().send(call.but(orderId=call.fields["orderId"] + 500))
        return answer


class OwnAmount(OwnFields):
    """It rounds what it withdraws."""

    def send(self, call: ApiCall) -> ApiAnswer:
        if call.endpoint == "submit_withdrawal":
            call = call.but(token={**call.fields["token"], "volume": "1"})
        return super().send(call)


class Idle(OwnFields):
    """It does nothing."""

    def send(self, call: ApiCall) -> Any:
        return None


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


@pytest.mark.parametrize(
    ("machine", "told"),
    [
        (Twice, "in another state"),
        (Misread, "that a refused call"),
        (OwnIdTwice, "a valid call was refused: .*102004"),
        (OwnTimeInMs, "a valid call was refused: .*milliseconds"),
        (OwnOrderTwice, "in another state|get_orders.* is right"),
        (OwnAmount, "submit_withdrawal.* is right"),
        (Idle, "the client was asked for .* and did not call it"),
    ],
)
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


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"submit_ordr": ["orderId"]}, "client_fields: found 'submit_ordr'; meant: 'submit_order'"),
        ({"get_orders": ["limit"]}, "client_fields: found 'get_orders'; meant: "),
        ({"submit_order": ["orderID"]}, "client_fields: submit_order: found 'orderID'; meant: 'orderId'"),
        ({"submit_order": "orderId"}, "client_fields: submit_order: found 'orderId'; meant: a list of names"),
    ],
)
def test_fields_that_no_client_can_choose_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        type("Wrong", (RelayMachine,), {"client_fields": fields})


def test_fields_are_chosen_by_a_client_of_ones_own() -> None:
    class NoClient(RelayMachine):
        client_fields: ClassVar[dict[str, list[str]]] = {"submit_withdrawal": ["storageId"]}

    with pytest.raises(TypeError, match="NoClient has client_fields; meant: a `client` of its own"):
        run_state_machine_as_test(NoClient, settings=EASY)


def test_calls_that_no_rule_is_for_are_made() -> None:
    accepted: set[str] = set()

    class Recording(RelayMachine):
        def call(self, call: ApiCall) -> ApiAnswer:
            answer = super().call(call)
            if answer.is_accepted:
                accepted.add(call.endpoint)
            return answer

    run_state_machine_as_test(Recording, settings=EASY)
    assert "send_eth_tx" in accepted


@pytest.mark.slow
def test_reads_have_rows_and_orders_trade() -> None:
    """By design three reads in four are of a market or an account with rows, a rule fills part of what it has submitted, and an
    order in two meets another one's price where there is one. Hypothesis draws the simplest values more often than others, so
    the floors are half of the least that eight seeds gave: 35 reads of each kind, a quarter of them with rows, 24 orders,
    half as many trades, and a third of the orders filled in part.
    """
    counts: Counter[str] = Counter()

    class Counting(RelayMachine):
        def call(self, call: ApiCall) -> ApiAnswer:
            answer = super().call(call)
            if answer.is_accepted and call.endpoint in HAS_ROWS:
                counts[call.endpoint] += 1
                counts[f"{call.endpoint} with rows"] += HAS_ROWS[call.endpoint](answer.payload)
            return answer

        def teardown(self) -> None:
            orders = self.world.orders.by_hash.values()
            counts["orders"] += len(orders)
            counts["trades"] += sum(len(log.trades) for log in self.world.trade_logs.values())
            counts["filled in part"] += sum(0 < one.filled_base_wei < one.size_base_wei for one in orders)
            super().teardown()

    run_state_machine_as_test(
        Counting,
        settings=settings(
            max_examples=60, stateful_step_count=15, derandomize=True, deadline=None, phases=[Phase.generate]
        ),
    )
    for endpoint in HAS_ROWS:
        assert counts[endpoint] >= 17, counts
        assert counts[f"{endpoint} with rows"] >= counts[endpoint] / 8, counts
    assert counts["orders"] >= 12, counts
    assert counts["trades"] >= counts["orders"] / 4, counts
    assert counts["filled in part"] >= counts["orders"] / 6, counts


HAS_ROWS: dict[str, Callable[[Any], bool]] = {
    "get_orders": lambda payload: payload["orders"] != [],
    "get_ticker": lambda payload: any(int(row[8]) > 0 for row in payload),
    "get_candlestick": lambda payload: any(int(row[1]) > 0 for row in payload),
    "get_depth": lambda payload: bool(payload["bids"] or payload["asks"]),
}
"""Whether what a read returns has a row: an order, a market with trades, a candle with trades, a price."""


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


def test_the_scenario_of_a_machine_may_be_a_dict() -> None:
    seen: set[str] = set()

    class Machine(RelayMachine):
        scenario: ClassVar[Any] = {"extends": "default", "name": "mine", "choices": {"order.dust": "keep"}}

        @invariant()
        def is_that_of_the_dict(self) -> None:
            seen.add(f"{self.world.config.name} {self.world.choices['order.dust']}")

    run_state_machine_as_test(Machine, settings=settings(max_examples=2, stateful_step_count=3, database=None))
    assert seen == {"mine keep"}
