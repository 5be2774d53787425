"""A Hypothesis state machine over a relayer, which checks the invariants of every world after each step.

Subclass it, override `client` so that your client makes the calls, and pytest runs `YourMachine.TestCase`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
)

from mockrelay.client.call import ApiAnswer, ApiCall
from mockrelay.clock import ClockConfig
from mockrelay.core.models import Order
from mockrelay.core.world import World, digest
from mockrelay.relay import Relay
from mockrelay.spec.vocab import OrderStatus
from mockrelay.testing.calling import base_of, send, send_over_http
from mockrelay.testing.client_fields import (
    CapturingRelay,
    ClientFields,
    Exchange,
    call_without,
    check_client_fields,
    follow,
)
from mockrelay.testing.invariants import check_money, check_order, check_progress, progress_of, withdrawn_wei
from mockrelay.testing.machine_case import TestCaseOf
from mockrelay.testing.machine_relays import Served, check_serve, open_port, scenario_of, try_control
from mockrelay.testing.relayer import RelayerHandle
from mockrelay.testing.strategies import step_calls as calls
from mockrelay.testing.strategies.draw import draw_near_valid, draw_valid
from mockrelay.testing.strategies.near_valid import NearValid
from mockrelay.testing.strategies.nft_submissions import deployable
from mockrelay.testing.strategies.world_view import WorldView, view_world

START_MS = 1_767_225_600_000
"""2026-01-01T00:00:00Z."""
_OPEN = (OrderStatus.WAITING, OrderStatus.PROCESSING)
_SPANS = ("1s", "15s", "40s", "10m", "1d", "40d")


class RelayMachine(RuleBasedStateMachine):
    """Makes the calls of all flows to a relayer in this process and checks invariants after every step.

    A subclass that overrides `client`, or that sets `serve`, has a second relayer in the same state, `self.relayer`. Its
    client makes each call there, and `compare` compares the client's result with the first relayer's answer; afterwards
    both must be in the same state, so a client that submits twice, or not at all, is found.

    What a subclass may set: `scenario` (a name, a file or a dict) and `choices`, as for `Relay.from_scenario`, and `serve`, which
    opens a port for the client's relayer so that `self.relayer.url` can be called: `serve = staticmethod(mockrelay.web.serve)`.
    Without it no call needs a socket, and `self.relayer.url` raises RuntimeError.

    `client_fields` names fields that the client chooses itself, such as ids and times. They are left out of the calls that
    `client` is asked for, and the first relayer gets the call with what the client has put into them.
    """

    scenario: ClassVar[str | Path | Mapping[str, Any]] = "default"
    """The scenario of every example."""
    choices: ClassVar[Mapping[str, str]] = {}
    """Options that differ from the scenario's own."""
    serve: ClassVar[Callable[..., AbstractContextManager[Served]] | None] = None
    """Serves a relay: called with one, returns a context manager whose value has a `url`. None: no socket."""

    client_fields: ClassVar[ClientFields] = {}
    """By endpoint, the names of the fields that the client chooses: `{"submit_order": ["orderId", "validSince"]}`."""

    TestCase = TestCaseOf()

    accounts = Bundle("accounts")
    orders = Bundle("orders")
    requests = Bundle("requests")
    nfts = Bundle("nfts")

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Raise TypeError for a `serve` that is not callable, ValueError for wrong `client_fields`."""
        super().__init_subclass__(**kwargs)
        check_serve(cls.__name__, cls.serve)
        check_client_fields(cls.client_fields)

    def __init__(self) -> None:
        super().__init__()
        self._resources = ExitStack()
        self.model = self._relay()
        """The relayer whose answers are the right ones."""
        self.relayer = RelayerHandle.of(self.model)
        """The client's relayer."""
        has_own_relayer = type(self).serve is not None or type(self).client is not RelayMachine.client
        self._exchanges: list[Exchange] = []
        """What the client did in the present step, where it chooses fields."""
        self._client_relay = self._relay(self._exchanges) if has_own_relayer else None
        if self._client_relay is not None:
            url = open_port(type(self).__name__, type(self).serve, self._client_relay, self._resources)
            self.relayer = RelayerHandle.of(self._client_relay, url)
        self._start_put_in = dict(self.world.ledger.deposited_wei)
        self._withdrawn_before = withdrawn_wei(self.world)
        self._deposited: dict[int, int] = {}
        self._progress = progress_of(self.world)

    def teardown(self) -> None:
        """Close the port."""
        self._resources.close()

    @property
    def world(self) -> World:
        """The state of the relayer whose answers are right; read only."""
        return self.model.world

    @property
    def view(self) -> WorldView:
        """A view of that state, once the events that are due have happened."""
        return view_world(self.model, base_of(self.relayer))

    def client(self, call: ApiCall) -> Any:
        """Make a call to `self.relayer`. Override it so that your client makes it; the result is passed to `compare`."""
        return send_to(self.relayer, call)

    def compare(self, call: ApiCall, right: ApiAnswer, result: Any) -> None:
        """Compare the client's result with the right answer. Override it for a client whose results are of its own types;
        the default requires equal answers and ignores results that are not answers.
        """
        if isinstance(result, ApiAnswer):
            assert result == right, f"{call}: {result}, and {right} is right"

    def call(self, call: ApiCall) -> ApiAnswer:
        """Make a call, by the client too; returns the right answer."""
        if call.endpoint in self.client_fields:
            return self._call_with_own_fields(call, self.client_fields[call.endpoint])
        right = send(self.model, call, base=base_of(self.relayer))
        if self._client_relay is not None:
            self.compare(call, right, self.client(call))
        return right

    def by_hand(self, method: str, path: str, body: Mapping[str, Any]) -> Any:
        """Make a control call to the relayers; None where the state forbids it (409)."""
        answer = try_control(RelayerHandle.of(self.model), method, path, body)
        if self._client_relay is not None:
            try_control(self.relayer, method, path, body)
        return answer

    def draw_call(self, data: st.DataObject, endpoint: str, account: int | None = None) -> ApiCall:
        """Draw a call that the relayer accepts now."""
        return data.draw(_calls(self.view, endpoint, account), label=endpoint)

    def accepted(self, data: st.DataObject, endpoint: str, account: int | None = None) -> Any:
        """Draw a call that must be accepted, make it, and return the payload of its answer."""
        answer = self.call(self.draw_call(data, endpoint, account))
        assert answer.is_accepted, f"a valid call was refused: {answer.body!r}"
        return answer.payload

    def _submitted(self, data: st.DataObject, endpoint: str, account: int) -> Any:
        """As `accepted`, by any of the calls that the world has for the same purpose."""
        return self.accepted(data, data.draw(st.sampled_from(calls.endpoints_of(self.view, endpoint))), account)

    @initialize(target=accounts)
    def begin(self) -> MultipleResults[int]:
        """The scenario's accounts."""
        view = self.view
        return multiple(*(account.account_id for account in view.accounts))

    @rule(target=orders, data=st.data(), account=accounts)
    def submit_order(self, data: st.DataObject, account: int) -> Any:
        """Submit an order."""
        return calls.order_hash_of(self._submitted(data, "submit_order", account))

    @rule(order=orders, data=st.data(), by_call=st.booleans())
    def cancel(self, order: str, data: st.DataObject, by_call: bool) -> None:
        """Cancel an order; by a call, where the world has one, an open order of the same account."""
        is_open = self.view.world.orders.by_hash[order].status in _OPEN
        if by_call and is_open and (names := calls.cancels(self.view)):
            account = self.world.orders.by_hash[order].account_id
            self.accepted(data, data.draw(st.sampled_from(names)), account)
            return
        assert (self.by_hand("POST", f"orders/{order}/cancel", {}) is not None) == is_open

    def _can_fill(self) -> bool:
        return any(order.status is OrderStatus.PROCESSING for order in self.view.world.orders.by_hash.values())

    @precondition(_can_fill)
    @rule(data=st.data(), percent=st.integers(1, 100))
    def fill(self, data: st.DataObject, percent: int) -> None:
        """Fill part of an open order, of the scenario or of the client."""
        listed = [one for one in self.world.orders.by_hash.values() if one.status is OrderStatus.PROCESSING]
        self._fill(data.draw(st.sampled_from(listed)), percent)

    @rule(target=requests, data=st.data(), account=accounts)
    def transfer(self, data: st.DataObject, account: int) -> Any:
        """Transfer to another account."""
        return calls.request_hash_of(self._submitted(data, "submit_transfer", account))

    @rule(target=requests, data=st.data(), account=accounts)
    def withdraw(self, data: st.DataObject, account: int) -> Any:
        """Withdraw to layer 1."""
        return self.accepted(data, "submit_withdrawal", account)["hash"]

    @rule(target=requests, data=st.data(), account=accounts)
    def update_account(self, data: st.DataObject, account: int) -> Any:
        """Change an account's key."""
        return self.accepted(data, "update_account", account)["hash"]

    @rule(target=nfts, data=st.data(), account=accounts)
    def mint(self, data: st.DataObject, account: int) -> Any:
        """Mint an NFT."""
        return self.accepted(data, "mint_nft", account)["raw_data"]["nftData"]

    def _can_move(self) -> bool:
        return any(True for _ in self.view.holdings())

    @precondition(_can_move)
    @rule(target=requests, data=st.data())
    def transfer_nft(self, data: st.DataObject) -> Any:
        """Transfer an NFT."""
        return self.accepted(data, "transfer_nft")["hash"]

    def _can_leave(self) -> bool:
        view = self.view
        return any(view.is_deployed(nft.token_address) for _, nft, _ in view.holdings())

    @precondition(_can_leave)
    @rule(target=requests, data=st.data())
    def withdraw_nft(self, data: st.DataObject) -> Any:
        """Withdraw an NFT to layer 1."""
        return self.accepted(data, "withdraw_nft")["hash"]

    def _can_deploy(self) -> bool:
        return deployable(self.view) != []

    @precondition(_can_deploy)
    @rule(target=requests, data=st.data())
    def deploy(self, data: st.DataObject) -> Any:
        """Deploy an NFT contract."""
        return self.accepted(data, "deploy_nft_contract")["hash"]

    @rule(data=st.data(), account=accounts)
    def call_another(self, data: st.DataObject, account: int) -> None:
        """Make a call that may change something and that no other rule is for."""
        self.accepted(data, data.draw(st.sampled_from(calls.others(self.view))), account)

    @rule(request=requests, to=st.sampled_from(["processing", "processed", "failed"]))
    def move_on(self, request: str, to: str) -> None:
        """Advance a request to its next state, or let it fail."""
        self.by_hand("POST", f"submissions/{request}/advance", {"to": to})

    @rule(data=st.data(), nft=nfts)
    def look(self, data: st.DataObject, nft: str) -> None:
        """Read something, once there are NFTs."""
        assert nft in self.world.nfts
        self.look_around(data)

    @rule(data=st.data())
    def look_around(self, data: st.DataObject) -> None:
        """Read something, which must not change the state."""
        before = digest(self.view.world)
        self.accepted(data, data.draw(st.sampled_from(calls.looks(self.view))))
        assert digest(self.world) == before

    @rule(target=orders, data=st.data(), account=accounts, percent=st.integers(1, 99))
    def trade(self, data: st.DataObject, account: int, percent: int) -> Any:
        """Submit an order, fill part of it, and read what that has left."""
        order_hash = calls.order_hash_of(self._submitted(data, "submit_order", account))
        self._fill(self.world.orders.by_hash[order_hash], percent)
        self.look_at_trades(data)
        return order_hash

    def _has_trades(self) -> bool:
        return any(not log.is_empty for log in self.view.world.trade_logs.values())

    @precondition(_has_trades)
    @rule(data=st.data())
    def look_at_market(self, data: st.DataObject) -> None:
        """Read what orders and trades have left by now."""
        self.look_at_trades(data)

    def look_at_trades(self, data: st.DataObject) -> None:
        """Read lists of orders, tickers, candles and books."""
        for endpoint in ("get_orders", "get_ticker", "get_candlestick", "get_depth"):
            self.accepted(data, endpoint)

    @rule(data=st.data())
    def err(self, data: st.DataObject) -> None:
        """Make a call that breaks one rule: it must be refused with that rule's code and change nothing. None of those whose
        fields the client chooses, since they are not wrong then.
        """
        endpoint = data.draw(st.sampled_from([*calls.REFUSABLE, *calls.others(self.view)]))
        called = data.draw(st.sampled_from(calls.endpoints_of(self.view, endpoint)))
        near: NearValid = data.draw(_broken(self.view, called), label="near valid")
        if not self.client_fields.keys().isdisjoint(one.endpoint for one in (*near.before, *near.spending, near.call)):
            return
        for first in near.before:
            assert self.call(first).is_accepted
        for first in near.spending:
            self.call(first)
        before = digest(self.view.world)
        assert self.call(near.call).code == near.code, near
        assert digest(self.world) == before

    @rule(account=accounts, token=st.integers(0, 3), amount=st.integers(1, 10**24))
    def deposit(self, account: int, token: int, amount: int) -> None:
        """Deposit to an account."""
        tokens = list(self.world.config.tokens.values())
        one = tokens[token % len(tokens)]
        self.by_hand("POST", f"accounts/{account}/deposit", {"token": one.symbol, "amount": str(amount)})
        self._deposited[one.token_id] = self._deposited.get(one.token_id, 0) + amount

    @rule(count=st.integers(1, 3))
    def seal(self, count: int) -> None:
        """Seal blocks."""
        self.by_hand("POST", "blocks/seal", {"count": count})

    @rule()
    def finalize(self) -> None:
        """Finalize all blocks."""
        self.by_hand("POST", "blocks/finalize", {})

    @rule(span=st.sampled_from(_SPANS))
    def wait(self, span: str) -> None:
        """Advance the clock."""
        self.by_hand("POST", "clock", {"advance": span})

    @invariant()
    def lawful(self) -> None:
        """Check the invariants that hold in every world."""
        world = self.world
        withdrawn = withdrawn_wei(world) - self._withdrawn_before
        put_in = {
            token_id: self._start_put_in.get(token_id, 0) + self._deposited.get(token_id, 0) - withdrawn[token_id]
            for token_id in world.config.tokens
        }
        check_money(world, put_in)
        for order in world.orders.by_hash.values():
            check_order(order)
        progress = progress_of(world)
        check_progress(self._progress, progress)
        self._progress = progress

    @invariant()
    def agree(self) -> None:
        """Check that the client's relayer has the right state."""
        if self._client_relay is not None:
            assert digest(view_world(self._client_relay).world) == digest(self.view.world), (
                "the client has left its relayer in another state"
            )

    def _fill(self, order: Order, percent: int) -> None:
        size_wei = max(order.remaining_base_wei * percent // 100, 1)
        self.by_hand("POST", f"orders/{order.hash}/fill", {"size": str(size_wei)})

    def _call_with_own_fields(self, call: ApiCall, names: Collection[str]) -> ApiAnswer:
        """As `call`, where the client chooses the named fields: it is called first."""
        if type(self).client is RelayMachine.client:
            raise TypeError(
                f"{type(self).__name__} has client_fields; meant: a `client` of its own, which chooses them"
            )
        self._exchanges.clear()
        result = self.client(call_without(call, names))
        right = follow(self.model, call, self._exchanges, names, base_of(self.relayer))
        self.compare(call, right, result)
        return right

    def _relay(self, exchanges: list[Exchange] | None = None) -> Relay:
        make = Relay if exchanges is None else partial(CapturingRelay, exchanges=exchanges)
        scenario = scenario_of(self.scenario)
        return make(scenario, choices=self.choices, limits_on=False, clock=ClockConfig(0, START_MS))


def send_to(relayer: RelayerHandle, call: ApiCall) -> ApiAnswer:
    """Make a call over HTTP where the relayer is served, else without a socket."""
    return send_over_http(relayer.address, call) if relayer.address else send(relayer, call)


@st.composite
def _calls(draw: st.DrawFn, view: WorldView, endpoint: str, account: int | None) -> ApiCall:
    return draw_valid(draw, view, endpoint, account)


@st.composite
def _broken(draw: st.DrawFn, view: WorldView, endpoint: str) -> NearValid:
    return draw_near_valid(draw, view, endpoint)


__all__ = ["RelayMachine", "send_to"]
