"""The relay as a whole: limits of numbers, faults beside the limiter, ids that collide, time that is set back."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import pytest

from mockrelay.core.context import Decide
from mockrelay.core.errors import CallbackFailed
from mockrelay.relay import Relay
from mockrelay.wire.http import RawRequest
from tests.support.bodies import ECDSA_SIGNATURE, NFT_FEE, W, bodies_of
from tests.support.client import advance, control, digest, done, get, post
from tests.support.worlds import START_MS, START_S, relay_from


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("reset", {"clock": "-1000"}),
        ("reset", {"clock": "nan"}),
        ("reset", {"clock": "inf"}),
        ("clock", {"advance": "999999999999999d"}),
        ("clock", {"rate": 10**400}),
        ("clock", {"rate": 1e300}),
        ("fees", {"requestType": 9, "token": "LRC", "factor": "1e-20000000"}),
        ("fees", {"requestType": 9, "token": "LRC", "factor": "1e20000000"}),
        ("fees", {"requestType": 9, "token": "LRC", "fee": "9" * 78}),
        ("orders/{hash}/fill", {"size": "1", "price": "1" * 5000}),
        ("orders/{hash}/fill", {"size": "1", "price": "1" * 4000}),
        ("reset", {"scenarioText": "format: 1\nextends: default\naccounts:\n" + "- a\n" * 150_000}),
        ("reset", {"scenarioText": "format: 1\nextends: default\n#" + '"' * 1_000_000}),
        ("sign", {"account": "alice", "endpoint": "submit_order", "body": W.order(clientOrderId="x" * 2**20)}),
    ],
)
def test_numbers_beyond_all_measure_are_misuse_and_change_nothing(
    relay: Relay, path: str, body: dict[str, Any]
) -> None:
    hash_ = post(relay, "/api/v3/order", W.order()).data["orderHash"]
    before, now_ms = digest(relay), relay.now_ms()
    answer = control(relay, "POST", path.format(hash=hash_), body)
    assert answer.status in (400, 409)
    assert set(answer.json) == {"error", "field", "meant"}
    assert answer.json["field"].partition(".")[0] in (*body, "body")
    assert (digest(relay), relay.now_ms()) == (before, now_ms)
    assert control(relay, "GET", "clock").status == 200


def test_a_decider_that_changes_its_mind_is_asked_once_a_call() -> None:
    words = itertools.cycle(("camel", "lower"))

    def decide(key: str, context: Mapping[str, Any]) -> Any:
        return next(words) if key == "tx_type.case" else None

    relay = Relay.from_scenario("default", limits="off", clock="frozen", decide=decide)
    for token in ("LRC", "ETH"):
        done(relay, "POST", "accounts/10001/deposit", {"token": token, "amount": "1"})
    answers = [[tx["txType"] for tx in get(relay, "/api/v3/block/getPendingRequests").json] for _ in range(2)]
    assert sorted(answers) == [["Deposit", "Deposit"], ["deposit", "deposit"]]


def _fails(key: str, context: Mapping[str, Any]) -> Any:
    raise LookupError("no idea")


@pytest.mark.parametrize(
    ("decide", "reason"),
    [
        (_fails, "LookupError: no idea"),
        (
            lambda key, _: "grey" if key == "pending.shape" else None,
            "decide('pending.shape') gave 'grey'; one of list, object",
        ),
    ],
)
def test_a_decider_that_raises_or_gives_no_option_is_said_to_fail(decide: Decide, reason: str) -> None:
    relay = Relay.from_scenario("default", limits="off", clock="frozen", decide=decide)
    with pytest.raises(CallbackFailed) as caught:
        get(relay, "/api/v3/block/getPendingRequests")
    assert (caught.value.name, str(caught.value)) == ("decide", f"the relayer's own `decide` failed: {reason}")


def test_a_code_afterwards_leaves_room_for_what_else_befalls_the_answer(relay: Relay) -> None:
    for does in ({"code": 123, "at": "after"}, {"delay": "3s"}, {"drop": True}):
        done(relay, "POST", "faults", {"on": "get_tokens", **does})
    answer = get(relay, "/api/v2/exchange/tokens")
    assert (answer.code, answer.drop, answer.not_before_ms) == (123, True, relay.now_ms() + 3000)


def test_a_call_beyond_its_limit_uses_up_no_fault_of_the_answer() -> None:
    relay = relay_from(limits="spec")
    done(relay, "POST", "faults", {"on": "get_tokens", "drop": True, "nth": 4})
    assert [get(relay, "/api/v2/exchange/tokens").status for _ in range(4)] == [200, 200, 200, 429]
    advance(relay, "1s")
    assert get(relay, "/api/v2/exchange/tokens").drop


def test_a_ban_holds_on_calls_that_have_no_limit_of_their_own() -> None:
    relay = relay_from(choices={"rate.escalate": "60s"}, limits="spec")
    statuses = [get(relay, "/api/v2/exchange/tokens").status for _ in range(13)]
    assert statuses == [200] * 3 + [429] * 10
    assert get(relay, "/api/v3/getAvailableBroker").status == 429
    advance(relay, "60s")
    assert get(relay, "/api/v3/getAvailableBroker").status == 200


def test_the_next_order_id_is_one_that_is_taken_where_ids_are_shared() -> None:
    relay = relay_from(choices={"storage_id.space": "shared"})
    assert (
        post(relay, "/api/v3/user/withdrawals", bodies_of(relay).withdrawal(0), signature=ECDSA_SIGNATURE).status == 200
    )
    assert get(relay, "/api/v2/orderId", accountId=10001, tokenSId=1).data == "1"
    assert post(relay, "/api/v3/order", W.order(0)).code == 102004
    assert post(relay, "/api/v3/order", W.order(1)).code == 0


def test_the_same_transfer_is_never_taken_twice_even_with_its_nonce_set_back(relay: Relay) -> None:
    nonce = done(relay, "GET", "state")["accounts"][0]["accountNonce"]
    assert post(relay, "/api/v2/transfer", W.transfer(nonce), signature=ECDSA_SIGNATURE).code == 0
    done(relay, "POST", "accounts/10001/keys", {"accountNonce": nonce})
    before = digest(relay)
    assert post(relay, "/api/v2/transfer", W.transfer(nonce), signature=ECDSA_SIGNATURE).code == 102021
    assert digest(relay) == before


def test_a_cancellation_that_waits_for_a_hand_ends_when_it_is_asked_again(relay: Relay) -> None:
    text = "format: 1\nname: slow\nextends: default\nlimits: off\nlifecycles: {cancel: {cancelling: {after: hand}}}\n"
    done(relay, "POST", "reset", {"scenarioText": text})
    hash_ = post(relay, "/api/v3/order", W.order()).data["orderHash"]
    assert done(relay, "POST", f"orders/{hash_}/cancel", {})["status"] == "cancelling"
    assert done(relay, "POST", f"orders/{hash_}/cancel", {})["status"] == "cancelled"
    assert control(relay, "POST", f"orders/{hash_}/cancel", {}).status == 409
    balance = done(relay, "GET", "state")["accounts"][0]["balances"]["LRC"]
    assert balance["frozen"] == "0"


@pytest.mark.parametrize("point", ["before", "instead"])
def test_a_delay_in_the_endpoints_place_answers_late_and_applies_nothing(relay: Relay, point: str) -> None:
    done(relay, "POST", "faults", {"on": "submit_order", "delay": "3s", "at": point})
    before = digest(relay)
    answer = post(relay, "/api/v3/order", W.order())
    assert (answer.code, answer.not_before_ms) == (100000, relay.now_ms() + 3000)
    assert digest(relay) == before


def test_a_storage_id_stays_taken_whatever_scope_it_is_read_with_later(relay: Relay) -> None:
    assert (
        post(relay, "/api/v3/user/withdrawals", bodies_of(relay).withdrawal(5), signature=ECDSA_SIGNATURE).status == 200
    )
    in_eth = bodies_of(relay).withdrawal(5) | {"token": {"tokenId": 0, "volume": "1"}}
    done(relay, "PUT", "choices", {"storage_id.scope": "per_account"})
    assert post(relay, "/api/v3/user/withdrawals", in_eth, signature=ECDSA_SIGNATURE).code == 102021
    done(relay, "PUT", "choices", {"storage_id.scope": "per_token"})
    assert post(relay, "/api/v3/user/withdrawals", in_eth, signature=ECDSA_SIGNATURE).status == 200


@pytest.mark.parametrize("order_first", [True, False])
def test_ids_that_all_share_collide_whoever_came_first(*, order_first: bool) -> None:
    """An order that sells LRC and a withdrawal of ETH, under one id of the account."""
    relay = relay_from(choices={"storage_id.space": "shared", "storage_id.scope": "per_account"})
    in_eth = bodies_of(relay).withdrawal(5) | {"token": {"tokenId": 0, "volume": "1"}}
    if order_first:
        assert post(relay, "/api/v3/order", W.order(5)).code == 0
        assert post(relay, "/api/v3/user/withdrawals", in_eth, signature=ECDSA_SIGNATURE).code == 102021
    else:
        assert post(relay, "/api/v3/user/withdrawals", in_eth, signature=ECDSA_SIGNATURE).status == 200
        assert post(relay, "/api/v3/order", W.order(5)).code == 102004


def test_an_nft_withdrawal_needs_no_account_to_go_to(relay: Relay) -> None:
    """Under `lenient`: it goes to an address. What refuses it is that there is no such NFT."""
    body = {
        "exchange": done(relay, "GET", "state")["exchange"]["exchangeAddress"],
        "fromAccountId": 10003,
        "token": {"nftData": "0x" + "1" * 64, "amount": "1"},
        "maxFee": NFT_FEE,
        "storageId": 0,
        "validUntil": START_S + 86_400,
        "toAddress": "0x" + "2" * 40,
    }
    answer = post(relay, "/api/v3/nft/withdrawal", body, key="carol")
    assert answer.code == 100001
    assert "token.nftData" in answer.message


def test_money_that_only_the_house_paid_out_can_leave_for_layer_1(relay: Relay) -> None:
    """Alice has LRC alone; the house buys it with ETH that nobody ever put in, and she withdraws the ETH."""
    text = """
format: 1
extends: default
accounts:
  - {name: alice, accountId: 10001, balances: {ETH: "0", USDT: "0", DAI: "0"}}
  - {name: bob, balances: {ETH: "0"}}
  - {name: carol, balances: {ETH: "0"}}
"""
    done(relay, "POST", "reset", {"scenarioText": text})
    hash_ = post(relay, "/api/v3/order", W.order()).data["orderHash"]
    done(relay, "POST", f"orders/{hash_}/fill", {"size": "100000000000000000000"})
    body = bodies_of(relay).withdrawal(0) | {"token": {"tokenId": 0, "volume": "40000000000000000"}}
    assert post(relay, "/api/v3/user/withdrawals", body, signature=ECDSA_SIGNATURE).status == 200
    advance(relay, "1m")
    state = done(relay, "GET", "state")
    assert state["requests"][0]["status"] == "processed"
    assert state["putIn"]["ETH"] == "-40000000000000000"


def test_a_moment_read_before_the_relay_was_put_back_does_not_carry_the_new_world_ahead(relay: Relay) -> None:
    """A server reads the clock, then asks the relay; in between another thread may reset it."""
    advance(relay, "400d")
    late_ms, generation = relay.now_ms(), relay.clock.generation
    done(relay, "POST", "reset", {})
    path = "/api/v2/exchange/tokens"
    raw = RawRequest("GET", path, path, (), {"host": "localhost"}, b"", "http", "localhost", "127.0.0.1")
    relay.handle(raw, late_ms, generation)
    assert done(relay, "GET", "state")["now_ms"] == START_MS
    relay.handle(raw, late_ms)
    assert relay.world.now_ms == late_ms  # without a generation the moment is taken as it is
