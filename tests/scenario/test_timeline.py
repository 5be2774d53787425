"""`timeline`: what each verb does when its moment has come, what cannot be done then, and what is refused at once."""

from __future__ import annotations

from typing import Any

import pytest

from mockrelay.relay import Relay
from mockrelay.scenario import load_text
from tests.scenario.texts import HEAD, marked, refusal, relay_of
from tests.support.bodies import ECDSA_SIGNATURE, W, bodies_of
from tests.support.client import account, advance, digest, done, get, post
from tests.support.worlds import START_MS, START_S

E18 = 10**18
FUNDS = 20_000_000 * E18
RESTING = (
    "orders:\n"
    "  - {account: alice, market: LRC-ETH, side: SELL, size: '100000000000000000000', price: '0.0005', clientOrderId: a1}\n"
)
"""Alice sells 100 LRC for 0.05 ETH."""


def after(text: str, span: str = "60s", **more: Any) -> Relay:
    relay = relay_of(text, **more)
    advance(relay, span)
    return relay


def at_60s(do: str, before: str = "") -> Relay:
    """The world a minute after the start, when this is done."""
    return after(f"{before}timeline:\n  - {{at: 60s, do: {{{do}}}}}\n")


def findings(relay: Relay) -> list[str]:
    return [found["detail"] for found in done(relay, "GET", "state")["findings"] if found["rule"] == "timeline"]


def orders(relay: Relay) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = done(relay, "GET", "state")["orders"]
    return listed


def free(relay: Relay, name: str, token: str = "LRC") -> int:
    (found,) = [one for one in done(relay, "GET", "state")["accounts"] if one["name"] == name]
    return int(found["balances"][token]["free"])


def withdraw(relay: Relay) -> None:
    """Alice withdraws 1 LRC for a fee of 0.1."""
    body = bodies_of(relay).withdrawal()
    assert post(relay, "/api/v3/user/withdrawals", body, signature=ECDSA_SIGNATURE).status == 200


def test_nothing_happens_before_its_moment() -> None:
    relay = relay_of(f"{RESTING}timeline: [{{at: 60s, do: {{cancel: {{clientOrderId: a1}}}}}}]\n")
    advance(relay, "59999ms")
    assert orders(relay)[0]["status"] == "processing"
    advance(relay, "1ms")
    assert orders(relay)[0]["status"] == "cancelled"
    assert findings(relay) == []


def test_moments_count_from_the_start_of_the_world_wherever_entries_stand() -> None:
    relay = relay_of(
        "timeline:\n"
        "  - {at: 2m, do: {deposit: {account: bob, token: LRC, amount: '2'}}}\n"
        "  - {at: 1m, do: {deposit: {account: alice, token: LRC, amount: '1'}}}\n"
        "  - {at: 0s, do: {deposit: {account: carol, token: LRC, amount: '3'}}}\n"
    )
    assert [free(relay, name) - FUNDS for name in ("alice", "bob", "carol")] == [0, 0, 3]
    advance(relay, "1m")
    assert [free(relay, name) - FUNDS for name in ("alice", "bob", "carol")] == [1, 0, 3]
    advance(relay, "1m")
    assert [free(relay, name) - FUNDS for name in ("alice", "bob", "carol")] == [1, 2, 3]


def test_entries_of_one_moment_happen_in_the_order_given() -> None:
    relay = at_60s(
        "deposit: {account: alice, token: LRC, amount: '1'}}}\n  - {at: 60s, do: {seal: {}}}\n  - {at: 60s, do: {seal: {}",
    )
    assert [block["blockSize"] for block in done(relay, "GET", "state")["blocks"]] == [0, 1]


def test_an_order_may_trade_at_once_and_has_its_own_moment() -> None:
    order = "order: {account: bob, market: LRC-ETH, side: BUY, size: '150000000000000000000', price: '0.0005'}"
    relay = after(f"{RESTING}timeline: [{{at: 60s, do: {{{order}}}}}]\n", "5m")
    sold, bought = orders(relay)
    assert (sold["status"], sold["filledSize"]) == ("processed", str(100 * E18))
    assert (bought["status"], bought["filledSize"]) == ("processing", str(100 * E18))
    assert (bought["createdAt"], bought["validSince"]) == (START_MS + 60_000, START_S + 60)
    candles = get(relay, "/api/v2/candlestick", market="LRC-ETH", interval="1min").data
    assert [candle[0] for candle in candles] == [str(START_MS + 60_000)]
    # The taker pays 20 bips of 100 LRC.
    assert free(relay, "bob") == FUNDS + 100 * E18 - E18 // 5


def test_a_scripted_order_takes_the_next_order_id_of_its_account() -> None:
    order = "order: {account: alice, market: LRC-ETH, side: SELL, size: '1000000000000000000', price: '0.0006'}"
    relay = at_60s(order, RESTING)
    assert get(relay, "/api/v2/orderId", accountId=10001, tokenSId=1).data == "2"


def test_fill_of_an_order_by_its_client_order_id_at_a_price_of_its_own() -> None:
    relay = at_60s("fill: {clientOrderId: a1, account: alice, size: '40000000000000000000', price: '0.0006'}", RESTING)
    (order,) = orders(relay)
    assert (order["filledSize"], order["filledVolume"]) == (str(40 * E18), str(24 * E18 // 1000))


def test_an_order_by_its_hash_also_of_the_house() -> None:
    house = RESTING.replace("alice", "house")
    hash_ = orders(relay_of(house))[0]["hash"]
    assert orders(at_60s(f"cancel: {{hash: '{hash_}'}}", house))[0]["status"] == "cancelled"
    assert orders(at_60s("cancel: {clientOrderId: a1, account: house}", house))[0]["status"] == "cancelled"


def test_the_oldest_order_of_an_account_that_a_verb_is_for() -> None:
    relay = relay_of(
        "timeline:\n  - {at: 1m, do: {cancel: {account: alice}}}\n  - {at: 2m, do: {cancel: {account: 10001}}}\n"
    )
    for order_id in range(3):
        assert post(relay, "/api/v3/order", W.order(order_id)).code == 0
    advance(relay, "1m")
    assert [order["status"] for order in orders(relay)] == ["cancelled", "processing", "processing"]
    advance(relay, "1m")
    assert [order["status"] for order in orders(relay)] == ["cancelled", "cancelled", "processing"]


def test_an_order_may_sell_all_that_is_there() -> None:
    relay = at_60s(f"order: {{account: bob, market: LRC-ETH, side: SELL, size: '{FUNDS}', price: '1'}}")
    assert findings(relay) == []
    assert free(relay, "bob") == 0


@pytest.mark.parametrize(("to", "money"), [("processed", FUNDS - E18 - E18 // 10), ("failed", FUNDS)])
def test_the_oldest_open_request_of_a_kind(to: str, money: int) -> None:
    relay = relay_of(f"timeline: [{{at: 5s, do: {{advance: {{kind: withdrawal, account: alice, to: {to}}}}}}}]\n")
    withdraw(relay)
    advance(relay, "5s")
    assert done(relay, "GET", "state")["requests"][0]["status"] == to
    assert free(relay, "alice") == money


def test_layer1_keeps_what_is_not_given() -> None:
    relay = at_60s("layer1: {state: error, balances: {alice: {ETH: '5'}}}")
    layer1 = done(relay, "GET", "state")["layer1"]
    owner = account(relay, "alice")["owner"].lower()
    assert (layer1["state"], layer1["gasPrice"], layer1["balances"][owner]) == ("error", str(20 * 10**9), "5")


def test_a_contract_is_deployed_by_somebody() -> None:
    relay = at_60s("deploy: {account: carol}")
    query = {"nftFactory": "0xfac702ee00000000000000000000000000000001", "nftOwner": account(relay, "carol")["owner"]}
    path = "/api/v3/nft/info/computeTokenAddress"
    address = get(relay, path, **query, nftBaseUri="").json["tokenAddress"]
    assert post(relay, "/api/v3/delegator/getCode", {"address": address}).json["result"] != "0x"
    same = at_60s(f"deploy: {{address: '{address}', outcome: deployed}}")
    assert post(same, "/api/v3/delegator/getCode", {"address": address}).json["result"] != "0x"


def test_choices_hold_for_the_very_next_call() -> None:
    relay = relay_of("timeline: [{at: 60s, do: {choices: {http.error_status: '400', http.unknown_fields: refuse}}}]\n")
    wrong: dict[str, Any] = {"market": "LRC-ETH", "level": 0, "odd": 1}
    assert get(relay, "/api/v2/depth", **wrong).status == 200
    relay.clock.advance(60_000)
    assert get(relay, "/api/v2/depth", **wrong).status == 400


def test_a_fault_is_armed_for_the_very_next_call() -> None:
    relay = relay_of("timeline: [{at: 60s, do: {fault: {on: get_depth, code: 102014}}}]\n")
    relay.clock.advance(60_000)
    codes = [get(relay, "/api/v2/depth", market="LRC-ETH", level=0).code for _ in range(2)]
    assert codes == [102014, 0]


def test_a_call_meets_the_world_as_the_entries_before_it_left_it() -> None:
    relay = relay_of("timeline: [{at: 60s, do: {freeze: {account: alice, frozen: true}}}]\n")
    relay.clock.advance(60_000)
    assert post(relay, "/api/v3/order", W.order()).code == 102027


BIG = "'90000000000000000000000000'"
IMPOSSIBLE = [
    ("cancel: {clientOrderId: zz}", "cancel at 1m: there is no order with the clientOrderId 'zz'"),
    ("cancel: {account: bob}", "cancel at 1m: account 10002 has no such order"),
    (f"cancel: {{hash: '0x{0:064x}'}}", f"cancel at 1m: there is no order 0x{0:064x}; meant"),
    ("release: {clientOrderId: a1, as: active}", "release at 1m: the order is processing and not held; meant"),
    (f"fill: {{clientOrderId: a1, size: {BIG}}}", "fill at 1m: 90000000000000000000000000 cannot be filled, "),
    ("fill: {clientOrderId: a1, size: '1', price: '0.000000001'}", "fill at 1m: '0.000000001' is not a price; meant"),
    (
        f"order: {{account: bob, market: LRC-ETH, side: SELL, size: {BIG}, price: '1'}}",
        f"order at 1m: the order sells 9{'0' * 25} wei of LRC, {FUNDS} are free",
    ),
    ("finalize: {upTo: 9}", "finalize at 1m: there is no block 9 yet; meant"),
    ("advance: {kind: transfer, account: bob, to: failed}", "advance at 1m: account 10002 has no open request of the"),
    (f"advance: {{hash: '0x{0:064x}', to: failed}}", f"advance at 1m: there is no request 0x{0:064x}; meant"),
    ("deploy: {account: carol, outcome: failed}", "deploy at 1m: nobody is deploying 0x"),
]


@pytest.mark.parametrize(("do", "why"), IMPOSSIBLE)
def test_what_cannot_be_done_is_a_finding_and_changes_nothing(do: str, why: str) -> None:
    relay, idle = at_60s(do, RESTING), at_60s("seal: {}", RESTING)
    (found,) = findings(relay)
    assert found.startswith(why)
    assert digest(relay) == digest(idle)


def test_a_frozen_account_places_no_order() -> None:
    frozen = "accounts: [{name: bob, frozen: true}]\n"
    order = "order: {account: bob, market: LRC-ETH, side: SELL, size: '1', volume: '1'}"
    relay = at_60s(order, frozen)
    assert findings(relay) == ["order at 1m: account 10002 is frozen and cannot submit orders"]
    assert orders(relay) == []


def test_two_accounts_with_one_client_order_id_need_the_account() -> None:
    both = RESTING + RESTING.replace("orders:\n", "").replace("alice", "bob")
    assert findings(at_60s("cancel: {clientOrderId: a1}", both)) == [
        "cancel at 1m: 2 accounts have an order with the clientOrderId 'a1'; meant one of them, by account"
    ]
    of_bob = at_60s("cancel: {clientOrderId: a1, account: bob}", both)
    assert [order["status"] for order in orders(of_bob)] == ["processing", "cancelled"]


@pytest.mark.parametrize(
    ("do", "message"),
    [
        ("{^cancl: {}}", "found the unknown verb 'cancl'; meant 'cancel'"),
        ("^{}", "found nothing to do; meant one verb, such as {cancel: {...}}"),
        ("^{seal: {}, finalize: {}}", "found 'seal' and 'finalize'; meant one verb, such as"),
        ("{seal: ^}", "found nothing; meant a map"),
        ("{seal: {^cuont: 1}}", "found the unknown key 'cuont'; meant 'count'"),
        ("{seal: {count: ^0}}", "found the number 0; meant a whole number from 1 to"),
        ("{cancel: ^{}}", "found no order; meant one of hash, clientOrderId, account"),
        ("{cancel: {hash: ^abc}}", "found 'abc'; meant a hash, 0x and 64 hex digits in quotes"),
        (
            "{cancel: {hash: '0x0000000000000000000000000000000000000000000000000000000000000001', ^account: bob}}",
            "found 'account' beside 'hash'; meant",
        ),
        ("{cancel: {account: ^bpb}}", "found 'bpb'; meant 'bob'"),
        ("{fill: {account: bob, size: ^'0'}}", "found a zero amount; meant an amount above zero"),
        ("{fill: {account: bob, size: '1', price: ^x}}", "found 'x'; meant a price above zero"),
        ("{release: {account: bob, as: ^actve}}", "found 'actve'; meant one of active, failed"),
        ("{deposit: {account: alice, token: ^LRX, amount: '1'}}", "found 'LRX'; meant 'LRC'"),
        ("{deposit: {account: alice, token: ^7, amount: '1'}}", "found the number 7; meant one of 0 (ETH)"),
        ("{deposit: {account: ^5, token: 1, amount: '1'}}", "found the number 5; meant one of 10001 (alice)"),
        ("{deposit: {account: alice, token: LRC, amount: ^1}}", "found the number 1; meant an amount in"),
        ("{freeze: ^{account: alice}}", "found no 'frozen'; meant frozen, which is required here"),
        ("{freeze: {account: alice, frozen: ^yes}}", "found 'yes'; meant true or false"),
        ("{keys: ^{account: alice}}", "found no change; meant one of publicKeyX"),
        (
            "{advance: {kind: ^withdrawl, account: bob, to: failed}}",
            "found 'withdrawl'; meant one of transfer, withdrawal, account_update, nft_mint, ",
        ),
        ("{advance: ^{kind: transfer, to: failed}}", "found no 'account'; meant account, which is required"),
        ("{advance: {kind: transfer, account: bob, to: ^done}}", "found 'done'; meant"),
        ("{fees: {requestType: ^8, token: LRC, fee: '1'}}", "found the number 8; meant"),
        ("{fees: ^{requestType: 9, token: LRC}}", "found none of them; meant one of fee, factor"),
        ("{fees: {requestType: 9, token: LRC, factor: ^'-1'}}", "found '-1'; meant a factor up to"),
        ("{layer1: ^{}}", "found no change; meant one of state"),
        ("{layer1: {state: ^dwon}}", "found 'dwon'; meant one of up, down, error"),
        ("{layer1: {balances: {^alcie: {ETH: '1'}}}}", "found the unknown name 'alcie'; meant 'alice'"),
        ("{deploy: ^{}}", "found none of them; meant one of address, account"),
        ("{choices: {^order.dsut: keep}}", "found the unknown key 'order.dsut'; meant 'order.dust'"),
        ("{choices: {order.dust: ^kep}}", "found 'kep'; meant one of finish, keep"),
        ("{fault: {on: ^get_dpth, code: 1}}", "found 'get_dpth'; meant 'get_depth'"),
        (
            "{order: {account: bob, market: ^LRC-ETX, side: BUY, size: '1', volume: '1'}}",
            "found 'LRC-ETX'; meant 'LRC-ETH'",
        ),
    ],
)
def test_what_no_moment_could_do_is_refused_at_once(do: str, message: str) -> None:
    text, place = marked(f"{HEAD}timeline:\n  - {{at: 60s, do: {do}}}\n")
    assert refusal(text).startswith(f"w.yaml:{place}: {message}")


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("^{do: {seal: {}}}", "found no 'at'; meant at, which is required here"),
        ("{at: ^60, do: {seal: {}}}", "found the number 60; meant a duration such as 15s"),
        ("^{at: 60s}", "found no 'do'; meant do, which is required here"),
        ("{at: 60s, ^doo: {}}", "found the unknown key 'doo'; meant 'do'"),
    ],
)
def test_an_entry_has_a_moment_and_a_verb(entry: str, message: str) -> None:
    text, place = marked(f"{HEAD}timeline:\n  - {entry}\n")
    assert refusal(text).startswith(f"w.yaml:{place}: {message}")


def test_a_reset_begins_the_timeline_again() -> None:
    relay = at_60s("deposit: {account: alice, token: LRC, amount: '1'}")
    later = digest(relay)
    done(relay, "POST", "reset", {})
    assert free(relay, "alice") == FUNDS
    advance(relay, "60s")
    assert digest(relay) == later


def test_a_list_of_ones_own_takes_the_place_of_the_other_scenarios() -> None:
    text = "format: 1\nextends: drifting_fees\ntimeline: []\n"
    assert load_text(text).config.timeline == ()
