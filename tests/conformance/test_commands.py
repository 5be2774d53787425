"""A command is one and the same however it is asked for: by the control API, by a timeline, by the handle, from a record.

Each case is done in worlds that are alike, at the same moment, and leaves the same state; or it is refused for the same
reason, and leaves the world as it was.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pytest

from mockrelay.clock import Clock
from mockrelay.control import ROUTES
from mockrelay.control.routes import Route
from mockrelay.relay import Relay
from mockrelay.relay.commands import COMMANDS
from mockrelay.replay import resume
from mockrelay.scenario import ScenarioError, load_text
from mockrelay.testing import RelayerHandle
from mockrelay.wire.commands import WORLD_COMMANDS
from tests.support.answer import Answer
from tests.support.bodies import E18, ECDSA_SIGNATURE, bodies_of
from tests.support.calls import LRC_ADDRESS
from tests.support.client import account, advance, control, digest, done, post
from tests.support.worlds import START_MS

HEAD = """\
format: 1
name: commanded
extends: default
blocks: {seal: hand}
lifecycles: {withdrawal: {received: {after: hand}, processing: {after: hand}}}
orders:
  - {account: alice, market: LRC-ETH, side: SELL, size: '100000000000000000000', price: '0.0005', clientOrderId: a1}
  - {account: house, market: LRC-ETH, side: SELL, size: '100000000000000000000', price: '0.0006', clientOrderId: h1}
"""
HASH_1 = "0x" + "1" * 64
CONTRACT = "0x" + "0c" * 20
OWNER = "0x" + "d4" * 20
ALICE = "0x7561cdab80fb3921dd7a7265273d143f77ca1325"
"""The owner of the default scenario's account alice."""
SPAN = "1m"


def busy_relay(timeline: str = "") -> Relay:
    """An order in the book, a held one, a withdrawal, a block that is not final, a deposit that waits, a fault."""
    relay = Relay(load_text(f"{HEAD}{timeline}", "w.yaml"), limits_on=False, clock=Clock.frozen(START_MS))
    bodies = bodies_of(relay)
    done(relay, "POST", "faults", {"on": "submit_order", "hold": "UNKNOWN"})
    post(relay, "/api/v3/order", bodies.order(1, clientOrderId="held"))
    done(relay, "POST", "accounts/carol/deposit", {"token": "ETH", "amount": "9"})
    done(relay, "POST", "blocks/seal", {})
    done(relay, "POST", "accounts/carol/deposit", {"token": "ETH", "amount": "1"})
    withdrawal = bodies.withdrawal(to=OWNER)
    assert post(relay, "/api/v3/user/withdrawals", withdrawal, signature=ECDSA_SIGNATURE).status == 200
    done(relay, "POST", "faults", {"on": "get_depth", "code": 108000})
    return relay


def _hash(name: str) -> str:
    """The hash of an order by its clientOrderId, or of the withdrawal, which is the same in each of these worlds."""
    state = done(busy_relay(), "GET", "state")
    hashes = {order["clientOrderId"]: order["hash"] for order in state["orders"]}
    return str(hashes.get(name) or state["requests"][0]["hash"])


RESTING, HELD, REQUEST = (_hash(name) for name in ("a1", "held", "withdrawal"))


class Case(NamedTuple):
    """A command that can be carried out in such a world."""

    name: str
    fields: Mapping[str, Any]
    by_handle: Callable[[RelayerHandle], object] | None
    """None: the handle has no word for it."""


DONE = (
    Case("cancel", {"hash": RESTING}, lambda r: r.order(RESTING).cancel()),
    Case("cancel", {"hash": HELD.upper().replace("X", "x")}, lambda r: r.order(HELD).cancel()),
    Case("fill", {"hash": RESTING, "size": "7"}, lambda r: r.order(RESTING).fill(7)),
    Case(
        "fill", {"hash": RESTING, "size": str(E18), "price": "0.0006"}, lambda r: r.order(RESTING).fill(E18, "0.0006")
    ),
    Case("release", {"hash": HELD, "as": "active"}, lambda r: r.order(HELD).release()),
    Case("release", {"hash": HELD, "as": "failed"}, lambda r: r.order(HELD).release("failed")),
    Case(
        "deposit", {"account": "alice", "token": "LRC", "amount": "5"}, lambda r: r.account("alice").deposit("LRC", 5)
    ),
    Case("deposit", {"account": 10002, "token": 1, "amount": "5"}, lambda r: r.account(10002).deposit(1, "5")),
    Case(
        "deposit",
        {"account": ALICE.upper().replace("X", "x"), "token": 0, "amount": str(2**256 - 1)},
        lambda r: r.account(ALICE).deposit("ETH", 2**256 - 1),
    ),
    Case(
        "balance",
        {"account": "alice", "token": "LRC", "amount": "0"},
        lambda r: r.account("alice").set_balance("LRC", 0),
    ),
    Case(
        "balance",
        {"account": "bob", "token": 0, "amount": str(10**30)},
        lambda r: r.account("bob").set_balance("ETH", 10**30),
    ),
    Case("freeze", {"account": "bob", "frozen": True}, lambda r: r.account("bob").freeze()),
    Case(
        "keys",
        {"account": "bob", "publicKeyX": "0x0a", "publicKeyY": "0xB", "accountNonce": 2**32 - 1, "apiKey": "k!"},
        lambda r: r.account("bob").keys(public_key_x="0x0a", public_key_y="0xB", account_nonce=2**32 - 1, api_key="k!"),
    ),
    Case("keys", {"account": 10001, "keySeed": "another"}, lambda r: r.account("alice").keys(key_seed="another")),
    Case("seal", {}, lambda r: r.seal_blocks(1)),
    Case("seal", {"count": 3}, lambda r: r.seal_blocks(3)),
    Case("finalize", {}, lambda r: r.finalize_blocks()),
    Case("finalize", {"upTo": 1}, lambda r: r.finalize_blocks(1)),
    Case("advance", {"hash": REQUEST, "to": "processing"}, lambda r: r.submission(REQUEST).advance("processing")),
    Case("advance", {"hash": REQUEST, "to": "failed"}, lambda r: r.submission(REQUEST).advance("failed")),
    Case("fees", {"requestType": 9, "token": "LRC", "fee": "7"}, lambda r: r.set_fee(9, "LRC", fee=7)),
    Case(
        "fees",
        {"requestType": "withdrawal", "token": 1, "factor": "1.3"},
        lambda r: r.set_fee("withdrawal", 1, factor=1.3),
    ),
    Case("fees", {"requestType": "9", "token": 3, "factor": 2}, lambda r: r.set_fee(9, "USDT", factor=2)),
    Case(
        "layer1",
        {"state": "error", "gasPrice": "3", "balances": {"alice": {"ETH": "5"}}},
        lambda r: r.layer1("error", gas_price=3, balances={"alice": {"ETH": 5}}),
    ),
    Case(
        "layer1",
        {"allowances": {OWNER: {"LRC": "5"}}, "nonces": {OWNER: 7}, "approvedHashes": {OWNER: [HASH_1]}},
        lambda r: r.layer1(allowances={OWNER: {"LRC": 5}}, nonces={OWNER: 7}, approved_hashes={OWNER: [HASH_1]}),
    ),
    Case("deploy", {"address": CONTRACT}, lambda r: r.deploy(CONTRACT)),
    Case("choices", {"order.dust": "keep"}, lambda r: r.choices({"order.dust": "keep"})),
    Case(
        "fault",
        {"on": "get_ticker", "delay": "30s", "nth": 2, "when": {"market": "LRC-ETH"}},
        lambda r: r.fault("get_ticker", delay="30s", nth=2, when={"market": "LRC-ETH"}),
    ),
    Case("remove_fault", {"id": "f2"}, lambda r: r.faults[1].remove()),
    Case("clear_faults", {}, None),
)

# Those on a whole relay are no part of a timeline.
DONE_TO_A_RELAY = (
    Case("clock", {"advance": "90s"}, lambda r: r.clock.advance("90s")),
    Case("clock", {"set": "2026-01-01T01:00:00Z"}, lambda r: r.clock.set("2026-01-01T01:00:00Z")),
    Case("clock", {"rate": 0}, lambda r: setattr(r.clock, "rate", 0)),
    Case(
        "reset",
        {"scenario": "thin_book", "choices": {"order.dust": "keep"}, "limits": "spec", "clock": "frozen"},
        lambda r: r.reset(scenario="thin_book", choices={"order.dust": "keep"}, limits="spec", clock="frozen"),
    ),
    Case("reset", {}, lambda r: r.reset()),
    Case(
        "reset",
        {"limits": {"get_depth": 1, "get_ticker": "none"}},
        lambda r: r.reset(limits={"get_depth": 1, "get_ticker": None}),
    ),
    Case("save_snapshot", {"name": "s"}, lambda r: r.snapshot("s")),
    Case("restore_snapshot", {"name": "first"}, lambda r: r.restore("first")),
    Case("delete_snapshot", {"name": "first"}, lambda r: r.snapshot("first").delete()),
    Case("forget_requests", {}, lambda r: r.forget_requests()),
    Case("hold_ws", {}, lambda r: r.ws.hold()),
    Case("release_ws", {}, lambda r: r.control("POST", "ws/release", {})),
    Case("drop_ws", {"how": "clean"}, lambda r: r.ws.drop()),
)


class Wrong(NamedTuple):
    """A command that is refused: the field to blame, what was found there, and what was meant."""

    name: str
    fields: Mapping[str, Any]
    field: str
    found: str
    meant: str


AMOUNT = 'an amount in the smallest unit, digits in quotes such as "1000"'
FACTOR = 'a factor up to 1000000000, such as "1.3"'
TO_ALICE = {"account": "alice", "token": "LRC"}
OF_LRC = {"requestType": 9, "token": "LRC"}
WRONG = (
    Wrong(
        "keys",
        {"account": "bob", "publicKeyX": "12345"},
        "publicKeyX",
        "'12345'",
        "a coordinate, 0x and up to 64 hex digits in quotes",
    ),
    Wrong(
        "keys", {"account": "bob", "apiKey": "a b"}, "apiKey", "'a b'", "up to 200 printable characters without a blank"
    ),
    Wrong("fees", {**OF_LRC, "factor": "1e3"}, "factor", "'1e3'", FACTOR),
    Wrong("deposit", {**TO_ALICE, "amount": "01"}, "amount", "'01'", AMOUNT),
    Wrong("balance", {**TO_ALICE, "amount": "-1"}, "amount", "'-1'", AMOUNT),
    Wrong(
        "keys",
        {"account": "bob", "accountNonce": 2**40},
        "accountNonce",
        f"the number {2**40}",
        "a whole number from 0 to 4294967295",
    ),
    Wrong("layer1", {}, "body", "no change", "one of state, gasPrice, balances, allowances, nonces, approvedHashes"),
    Wrong(
        "deposit",
        {**TO_ALICE, "amount": "9" * 78},
        "amount",
        f"'{'9' * 60}'...",
        "an amount in the smallest unit, at most 2^256 - 1",
    ),
    Wrong(
        "keys", {"account": "bob"}, "body", "no change", "one of publicKeyX, publicKeyY, keySeed, accountNonce, apiKey"
    ),
    Wrong("keys", {"account": "bob", "keySeed": ""}, "keySeed", "an empty text", "a text"),
    Wrong("fees", {**OF_LRC, "factor": "+2"}, "factor", "'+2'", FACTOR),
    Wrong("fees", {**OF_LRC, "factor": "0.1234567890123456789"}, "factor", "'0.1234567890123456789'", FACTOR),
    Wrong("fees", {**OF_LRC, "fee": str(2**96)}, "fee", f"'{2**96}'", f"at most {2**96 - 1}"),
    Wrong("fees", OF_LRC, "body", "none of them", "one of fee, factor"),
    Wrong("seal", {"count": 2**53 - 1}, "count", f"the number {2**53 - 1}", "a whole number from 1 to 4294967295"),
    Wrong("layer1", {"gasPrice": "01"}, "gasPrice", "'01'", AMOUNT),
    Wrong("layer1", {"balances": {"alice": {"LRC": 5}}}, "balances.alice.LRC", "the number 5", AMOUNT),
    Wrong("fill", {"hash": RESTING, "size": "0"}, "size", "a zero amount", "an amount above zero"),
    Wrong(
        "fill", {"hash": RESTING, "size": "1", "price": "1e-3"}, "price", "'1e-3'", 'a price above zero, such as "0.5"'
    ),
    Wrong("cancel", {"hash": "0x12"}, "hash", "'0x12'", "a hash, 0x and 64 hex digits in quotes"),
    Wrong("release", {"hash": HELD, "as": "done"}, "as", "'done'", "one of active, failed"),
    Wrong("deploy", {"address": "0x12"}, "address", "'0x12'", "an address, 0x and 40 hex digits in quotes"),
    Wrong("freeze", {"account": "bob", "frozen": "true"}, "frozen", "'true'", "true or false"),
    Wrong("choices", {"order.dust": "kep"}, "order.dust", "'kep'", "one of finish, keep"),
    Wrong(
        "fault", {"on": "get_depth", "code": 1, "nth": 0}, "nth", "the number 0", "a whole number from 1 to 4294967295"
    ),
    Wrong(
        "fault",
        {"on": "get_depth", "delay": "1.5ms"},
        "delay",
        "'1.5ms'",
        "a duration such as 15s (units ms, s, m, h, d)",
    ),
)
"""No state could allow these."""


class Refused(NamedTuple):
    """A command that the state forbids: the status and the text of the refusal."""

    name: str
    fields: Mapping[str, Any]
    status: int
    error: str
    at_load: bool = False
    """Whether a scenario is refused for it, since it knows which accounts and tokens there will be."""


REFUSED = (
    Refused("cancel", {"hash": HASH_1}, 404, f"there is no order {HASH_1}"),
    Refused(
        "fill", {"hash": RESTING, "size": str(101 * E18)}, 409, f"{101 * E18} cannot be filled, {100 * E18} are left"
    ),
    Refused("fill", {"hash": RESTING, "size": "1", "price": "0.000000001"}, 400, "'0.000000001' is not a price"),
    Refused("fill", {"hash": HELD, "size": "1"}, 409, "the order is waiting"),
    Refused("release", {"hash": RESTING, "as": "active"}, 409, "the order is processing and not held"),
    Refused("deposit", {"account": "alcie", "token": "LRC", "amount": "1"}, 404, "there is no account 'alcie'", True),
    Refused("balance", {"account": "alcie", "token": "LRC", "amount": "1"}, 404, "there is no account 'alcie'", True),
    Refused("freeze", {"account": 5, "frozen": True}, 404, "there is no account '5'", True),
    Refused(
        "deposit", {**TO_ALICE, "token": LRC_ADDRESS, "amount": "1"}, 404, f"there is no token '{LRC_ADDRESS}'", True
    ),
    Refused("fees", {**OF_LRC, "token": LRC_ADDRESS, "fee": "1"}, 404, f"there is no token '{LRC_ADDRESS}'", True),
    Refused("fees", {**OF_LRC, "token": "1", "fee": "1"}, 404, "there is no token '1'", True),
    Refused("fees", {**OF_LRC, "token": 7, "fee": "1"}, 404, "there is no token 7", True),
    Refused("layer1", {"balances": {"alcie": {"ETH": "1"}}}, 400, "'alcie' is not an owner", True),
    Refused("layer1", {"balances": {"alice": {"1": "1"}}}, 404, "there is no token '1'", True),
    Refused("layer1", {"balances": {"alice": {}, ALICE: {}}}, 400, f"the owner '{ALICE}' again", True),
    Refused(
        "keys",
        {"account": "bob", "apiKey": account(busy_relay(), "alice")["apiKey"]},
        409,
        "account 10001 has this key",
    ),
    Refused("finalize", {"upTo": 9}, 409, "there is no block 9 yet"),
    Refused("advance", {"hash": HASH_1, "to": "failed"}, 404, f"there is no request {HASH_1}"),
    Refused("deploy", {"address": CONTRACT, "outcome": "failed"}, 409, f"nobody is deploying {CONTRACT}"),
    Refused("remove_fault", {"id": "f9"}, 404, "there is no fault 'f9'"),
)


def of(case: Any) -> str:
    return f"{case.name} {dict(case.fields)}"[:90]


def route_of(name: str) -> Route:
    (route,) = (route for route in ROUTES if route.action == name)
    return route


def by_http(relay: Relay, name: str, fields: Mapping[str, Any]) -> Answer:
    """The command's control call, with the fields of its path there and the others in the body."""
    route = route_of(name)
    path = route.template.format(**fields)
    return control(relay, route.method, path, {key: value for key, value in fields.items() if key not in route.in_path})


def timeline(name: str, fields: Mapping[str, Any]) -> str:
    """A timeline that carries the command out after SPAN. What JSON is, YAML is too."""
    return f"timeline:\n  - {{at: {SPAN}, do: {{{name}: {json.dumps(fields)}}}}}\n"


def state(relay: Relay) -> Any:
    """All views, but for digests, which count how many events there were."""
    whole = done(relay, "GET", "state")
    views = [done(relay, "GET", path) for path in ("clock", "snapshots", "faults")]
    journal = done(relay, "GET", "requests")["requests"]
    return {**whole, "digest": "", "digest_all": ""}, views, [entry["id"] for entry in journal]


def carried_out(case: Case) -> Relay:
    """The world a span after its start, in which the command has been carried out by a control call."""
    relay = busy_relay()
    done(relay, "POST", "snapshots", {"name": "first"})
    advance(relay, SPAN)
    answer = by_http(relay, case.name, case.fields)
    assert answer.status == 200, answer.body
    return relay


def test_every_command_has_a_case() -> None:
    assert {case.name for case in DONE} == set(WORLD_COMMANDS)
    assert {case.name for case in (*DONE, *DONE_TO_A_RELAY)} == set(COMMANDS)
    assert {route.action for route in ROUTES if isinstance(route.action, str)} == set(COMMANDS)


@pytest.mark.parametrize("case", DONE, ids=of)
def test_a_timeline_does_what_the_control_call_does(case: Case) -> None:
    relay = busy_relay(timeline(case.name, case.fields))
    done(relay, "POST", "snapshots", {"name": "first"})
    idle = state(relay)
    advance(relay, SPAN)
    assert state(relay) == state(carried_out(case))
    assert state(relay) != idle


@pytest.mark.parametrize("case", [*DONE, *DONE_TO_A_RELAY], ids=of)
def test_the_handle_does_what_the_control_call_does(case: Case) -> None:
    if case.by_handle is None:
        return
    relay = busy_relay()
    done(relay, "POST", "snapshots", {"name": "first"})
    advance(relay, SPAN)
    case.by_handle(RelayerHandle.of(relay))
    assert state(relay) == state(carried_out(case))


@pytest.mark.parametrize("case", [*DONE, *DONE_TO_A_RELAY], ids=of)
def test_a_record_does_it_again(case: Case) -> None:
    relay = busy_relay()
    lines: list[str] = []
    relay.record_to(lines.append)
    done(relay, "POST", "snapshots", {"name": "first"})
    advance(relay, SPAN)
    by_http(relay, case.name, case.fields)
    again, _ = resume("".join(lines).encode())
    # What is in the journal is in no record.
    assert state(again)[:2] == state(relay)[:2]
    assert digest(again) == digest(relay)


@pytest.mark.parametrize("case", WRONG, ids=of)
def test_a_wrong_form_is_refused_in_the_same_words(case: Wrong) -> None:
    relay = busy_relay()
    before = done(relay, "GET", "state")
    answer = by_http(relay, case.name, case.fields)
    assert answer.status == (404 if case.field == "hash" else 400)
    where = "" if case.field == "body" else f"{case.field}: "
    assert answer.json == {"error": f"{where}found {case.found}", "field": case.field, "meant": case.meant}
    assert done(relay, "GET", "state") == before
    with pytest.raises(ScenarioError) as refused:
        busy_relay(timeline(case.name, case.fields))
    assert (refused.value.found, refused.value.meant, refused.value.line) == (case.found, case.meant, 10)


@pytest.mark.parametrize("case", REFUSED, ids=of)
def test_what_the_state_forbids_is_refused_for_the_same_reason(case: Refused) -> None:
    relay = busy_relay()
    before = done(relay, "GET", "state")
    answer = by_http(relay, case.name, case.fields)
    assert (answer.status, answer.json["error"]) == (case.status, case.error)
    assert done(relay, "GET", "state") == before
    if case.at_load:
        with pytest.raises(ScenarioError) as refused:
            busy_relay(timeline(case.name, case.fields))
        assert refused.value.line == 10
        return
    later = busy_relay(timeline(case.name, case.fields))
    advance(later, SPAN)
    (finding,) = done(later, "GET", "state")["findings"]
    meant = "" if answer.json["meant"] is None else f"; meant {answer.json['meant']}"
    assert finding["detail"] == f"{case.name} at {SPAN}: {case.error}{meant}"
    idle = busy_relay()
    advance(idle, SPAN)
    assert {**done(later, "GET", "state"), "findings": [], "digest": "", "digest_all": ""} == {
        **done(idle, "GET", "state"),
        "digest": "",
        "digest_all": "",
    }
