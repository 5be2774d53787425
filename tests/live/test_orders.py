"""Orders of the third and of the second generation in one book (E16, E23 to E27; F8 to F13, F15, F17)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from mockrelay.core.saving import restore_world, save_world
from mockrelay.relay import Relay
from tests.live.test_rows import PRESENCE, ask, order_v3
from tests.support.answer import Answer
from tests.support.bodies import E18, EDDSA_SIGNATURE, bodies_of
from tests.support.client import digest, done, get, post, send
from tests.support.worlds import relay_from

ORDER_V3, ORDER_V2 = "/api/v3/order", "/api/v2/order"
BOB = 10002
OTHER = "0x" + "2" * 40


@pytest.fixture
def relay() -> Relay:
    return relay_from("live_v3", choices=PRESENCE)


def submit(relay: Relay, fields: Mapping[str, Any], key: str | None = "alice") -> Answer:
    """An order of the third generation, without its fields that are None."""
    return post(relay, ORDER_V3, {name: value for name, value in fields.items() if value is not None}, key=key)


def bid_v3(relay: Relay, storage_id: int = 0, **changed: Any) -> dict[str, Any]:
    """Bob buys 100 LRC for 0.05 ETH."""
    sold, bought = {"tokenId": 0, "volume": str(E18 // 20)}, {"tokenId": 1, "volume": str(100 * E18)}
    return order_v3(
        relay,
        storage_id,
        **{"accountId": BOB, "sellToken": sold, "buyToken": bought, "fillAmountBOrS": True, **changed},
    )


@pytest.mark.parametrize(
    ("storage_id", "changed", "says"),
    [
        (2, {"sellToken": {"tokenId": 99, "volume": "1"}}, "sellToken.tokenId: there is no token 99"),
        (2, {"buyToken": {"tokenId": 99, "volume": "1"}}, "buyToken.tokenId: there is no token 99"),
        (2, {"buyToken": {"tokenId": 1, "volume": "1"}}, "sellToken.tokenId, buyToken.tokenId: no market"),
        (0, {"maxFeeBips": 62}, "storageId: 0 is taken by another order that sells LRC"),
        (2, {"sellToken": {"tokenId": 1, "volume": "1"}}, "sellToken.volume: 1 is below the LRC minimum"),
        (2, {"buyToken": {"tokenId": 0, "volume": "0"}}, "buyToken.volume: 0 counts as zero"),
    ],
)
def test_a_refused_order_is_told_the_names_of_its_own_fields_e23(
    relay: Relay, storage_id: int, changed: dict[str, Any], says: str
) -> None:
    submit(relay, order_v3(relay, 0))
    answer = submit(relay, order_v3(relay, storage_id, **changed))
    assert answer.json["resultInfo"]["message"].partition(": ")[2].startswith(says)


def test_a_right_order_is_answered_bare_e23(relay: Relay) -> None:
    answer = submit(relay, order_v3(relay, 0, clientOrderId="mine-1"))
    assert answer.status == 200
    assert {**answer.json, "hash": len(answer.json["hash"])} == {
        "hash": 66,
        "clientOrderId": "mine-1",
        "status": "processing",
        "isIdempotent": False,
    }
    (call,) = done(relay, "GET", "requests")["requests"]
    assert (call["endpoint"], call["form"]) == ("submit_order", "gen3")


@pytest.mark.parametrize("since", ["x", None, [1], 1_900_000_000])
def test_a_field_of_another_form_has_no_effect_e23(relay: Relay, since: object) -> None:
    """As any field that the form does not have."""
    other = relay_from("live_v3", choices=PRESENCE)
    plain = submit(other, order_v3(other, 0))
    fields = {**order_v3(relay, 0), "validSince": since, "orderId": 9, "buy": "x", "amountS": [1], "label": 7}
    answer = post(relay, ORDER_V3, fields, key="alice")
    assert (answer.status, answer.json) == (200, plain.json)
    assert digest(relay) == digest(other)


@pytest.mark.parametrize("side", ["sellToken", "buyToken"])
@pytest.mark.parametrize("beside", [{"tokenId": 0, "volume": "1"}, {"tokenId": 32768, "amount": "1"}, {"volume": "1"}])
def test_an_order_of_an_nft_is_refused_by_its_field_e23(relay: Relay, side: str, beside: dict[str, Any]) -> None:
    """Whatever else it says of the token; orders of NFTs are not in the profile."""
    for data in ("0x" + "5" * 64, "77", 77, None):
        before = digest(relay)
        answer = submit(relay, order_v3(relay, 0, **{side: {**beside, "nftData": data}}))
        assert (answer.status, answer.refusal_code, f"{side}.nftData" in answer.message) == (400, 102120, True)
        assert digest(relay) == before


def test_an_empty_nft_data_is_none_e23() -> None:
    """Taken and verified as the order without it."""
    relay = relay_from("live_v3")
    plain = order_v3(relay, 0)
    signed = done(relay, "POST", "sign", {"account": "alice", "endpoint": "submit_order", "body": plain})["body"]
    signed["buyToken"] |= {"nftData": ""}
    assert submit(relay, signed).json["status"] == "processing"


@pytest.mark.parametrize(
    ("first", "second", "code"),
    [
        ({}, {}, 102007),
        ({}, {"validUntil": 1_800_000_000}, 102004),
        ({"clientOrderId": "a"}, {"clientOrderId": "b"}, 102007),
    ],
    ids=["102007 the same again", "102004 another with its id", "102007 with another id of the client's"],
)
def test_an_order_again_e23(relay: Relay, first: dict[str, Any], second: dict[str, Any], code: int) -> None:
    """What is not signed makes no other order. Ids of orders and requests of a token are one set (S2)."""
    assert submit(relay, order_v3(relay, 0, **first)).status == 200
    before = digest(relay)
    assert submit(relay, order_v3(relay, 0, **second)).refusal_code == code
    assert digest(relay) == before


def test_the_next_order_id_is_above_those_of_requests_f6_s2(relay: Relay) -> None:
    """A withdrawal with id 901 and no order; another token has ids of its own."""
    assert (
        post(relay, "/api/v3/user/withdrawals", bodies_of(relay).withdrawal(901), signature="0x" + "01" * 65).code == 0
    )
    assert get(relay, "/api/v2/orderId", accountId=10001, tokenSId=1).data == 902
    assert get(relay, "/api/v2/orderId", accountId=10001, tokenSId=0).data == 0


def test_orders_of_both_generations_and_requests_share_their_ids_s2(relay: Relay) -> None:
    bodies = bodies_of(relay)
    assert post(relay, "/api/v3/user/withdrawals", bodies.withdrawal(3), signature="0x" + "01" * 65).code == 0
    assert post(relay, ORDER_V3, bodies.order(5)).code == 0
    for taken in (3, 5):
        assert submit(relay, order_v3(relay, taken)).refusal_code == 102004
    assert submit(relay, order_v3(relay, 8)).status == 200
    assert ask(relay, "get_storage_id").json == {"orderId": 10, "offchainId": 7}
    assert get(relay, "/api/v2/orderId", accountId=10001, tokenSId=1).data == 9


@pytest.mark.parametrize("maker", ["gen2", "v2", "gen3"])
def test_generations_meet_in_one_book_s1(relay: Relay, maker: str) -> None:
    """Alice sells 100 LRC at 0.0005 in either form, bob's order of the third generation takes them: fees are 0.1 % of
    0.05 ETH for the maker and 0.2 % of 100 LRC for the taker. Nothing is lost or made.
    """
    bodies = bodies_of(relay)
    if maker == "gen3":
        assert submit(relay, order_v3(relay, 0)).status == 200
    else:
        assert post(relay, ORDER_V3 if maker == "gen2" else ORDER_V2, bodies.order(0)).code == 0
    assert submit(relay, bid_v3(relay), "bob").status == 200
    (sale,) = ask(relay, "get_orders_v3").json["orders"]
    assert (sale["status"], sale["side"], sale["price"]) == ("processed", "SELL", "0.0005")
    assert sale["volumes"] == {
        "baseAmount": str(100 * E18),
        "quoteAmount": str(E18 // 20),
        "baseFilled": str(100 * E18),
        "quoteFilled": str(E18 // 20),
        "fee": str(E18 // 20_000),
    }
    rows = get(relay, "/api/v3/trade", market="LRC-ETH", key=None).json
    now = str(relay.now_ms())
    assert rows == {
        "totalNum": 1,
        "trades": [[now, "1", "BUY", str(100 * E18), "0.00050000", "LRC-ETH", str(E18 // 5)]],
    }
    own = ask(relay, "get_user_trades_v3").json
    assert own["trades"] == [[now, "1", "SELL", str(100 * E18), "0.00050000", "LRC-ETH", str(E18 // 20_000)]]
    for query in ({"orderHash": sale["hash"]}, {"orderHash": str(int(sale["hash"], 16))}, {"market": "LRC-ETH"}):
        assert get(relay, "/api/v2/user/trades", accountId=10001, **query).data == own
    assert get(relay, "/api/v2/user/trades", accountId=10001, fromId=1).data == {"totalNum": 0, "trades": []}


@pytest.mark.parametrize(
    ("path", "shown"), [(ORDER_V3, "hex"), (ORDER_V2, "decimal")], ids=["gen2 C7 hex", "v2 C7 decimal"]
)
def test_the_hash_of_an_order_is_shown_as_it_was_answered_c7(relay: Relay, path: str, shown: str) -> None:
    answer = post(relay, path, bodies_of(relay).order(0)).data
    hash_ = answer if shown == "decimal" else answer["orderHash"]
    assert hash_.isdigit() == (shown == "decimal")
    (row,) = get(relay, "/api/v2/orders", accountId=10001).data["orders"]
    assert (row["hash"], row["orderType"]) == (hash_, "LIMIT_ORDER")
    number = int(hash_, 0)
    for text in (str(number), f"0x{number:064x}", f"0x{number:064X}"):
        assert get(relay, "/api/v2/order", accountId=10001, orderHash=text).data == row
        assert get(relay, "/api/v3/order", accountId=10001, orderHash=text).json["hash"] == f"0x{number:064x}"


@pytest.mark.parametrize("path", ["/api/v3/order", "/api/v2/order"])
@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"accountId": 10001}, 107002),
        ({"accountId": 10001, "orderHash": "0x" + "1" * 64}, 107003),
        ({"accountId": BOB, "orderHash": "1"}, 104003),
    ],
    ids=["107002", "107003", "104003"],
)
def test_an_order_that_cannot_be_shown_e24_f10(relay: Relay, path: str, query: dict[str, Any], code: int) -> None:
    assert get(relay, path, **query).refusal_code == code


def test_another_accounts_order_is_not_shown_e24(relay: Relay) -> None:
    hash_ = submit(relay, order_v3(relay, 0)).json["hash"]
    assert get(relay, ORDER_V3, key="bob", accountId=BOB, orderHash=hash_).refusal_code == 107003
    assert get(relay, ORDER_V3, key="bob", orderHash=hash_).refusal_code == 107003
    assert get(relay, ORDER_V3, orderHash=hash_).json["storageInfo"] == {
        "accountId": 10001,
        "tokenId": 1,
        "storageId": 0,
    }


def test_a_page_of_orders_by_its_filters_e25(relay: Relay) -> None:
    kinds: list[dict[str, Any]] = [
        {"tradeChannel": "ORDER_BOOK", "orderType": "MAKER_ONLY"},
        {"orderType": "AMM"},
        {"tradeChannel": "ORDER_BOOK"},
    ]
    for number, kind in enumerate(kinds):
        assert submit(relay, order_v3(relay, 2 * number, clientOrderId=str(number), **kind)).status == 200

    def ids(**query: Any) -> tuple[int, list[str]]:
        page = get(relay, "/api/v3/orders", accountId=10001, **query).json
        return page["totalNum"], [order["clientOrderId"] for order in page["orders"]]

    assert ids() == (3, ["2", "1", "0"])
    assert ids(limit=1, offset=1) == (3, ["1"])
    assert ids(tradeChannels="ORDER_BOOK,AMM_POOL") == (2, ["2", "0"])
    assert ids(tradeChannels="ORDER_BOOK", limit=1, offset=1) == (2, ["0"])
    assert ids(orderTypes="LIMIT_ORDER") == (2, ["2", "1"])
    assert ids(side="buy") == (0, [])
    assert ids(status="processing,cancelled", market="LRC-ETH", start=0, end=0) == (3, ["2", "1", "0"])
    assert get(relay, "/api/v3/orders").refusal_code == 107001


def cancel(relay: Relay, path: str, key: str = "alice", **query: Any) -> Answer:
    """A signed DELETE."""
    pairs = [(name, str(value)) for name, value in query.items()]
    return send(relay, "DELETE", path, query=pairs, key=key, signature=EDDSA_SIGNATURE)


def test_an_order_is_cancelled_by_hash_by_the_clients_id_or_with_all_e26(relay: Relay) -> None:
    hashes = [
        submit(relay, order_v3(relay, 2 * number, clientOrderId=f"c{number}")).json["hash"] for number in range(4)
    ]
    first = cancel(relay, ORDER_V3, accountId=10001, orderHash=hashes[0]).json
    assert first == {"hash": hashes[0], "clientOrderId": "c0", "status": "cancelled", "isIdempotent": False}
    assert cancel(relay, ORDER_V3, accountId=10001, clientOrderId="c1").json["hash"] == hashes[1]
    before = digest(relay)
    for again in ({"orderHash": hashes[0]}, {"clientOrderId": "c1"}, {"orderHash": "1"}, {"clientOrderId": "x"}):
        answer = cancel(relay, ORDER_V3, accountId=10001, **again)
        assert (answer.status, answer.refusal_code) == (400, 102117)
    assert cancel(relay, ORDER_V3, accountId=BOB).refusal_code == 104003
    assert digest(relay) == before
    assert cancel(relay, ORDER_V3, accountId=10001).json["hash"] == hashes[2]
    assert cancel(relay, "/api/v2/orders", accountId=10001).refusal_code == 102117
    (row,) = ask(relay, "get_balances_v3", [("accountId", "10001"), ("tokens", "1")]).json
    assert (row["total"], row["locked"]) == (str(20_000_000 * E18), "0")


def test_a_cancellation_that_takes_time_says_so_e26(tmp_path: Path) -> None:
    slow = tmp_path / "slow.yaml"
    slow.write_text("format: 1\nextends: live_v3\nlifecycles: {cancel: {cancelling: {after: 5s}}}\n")
    relay = relay_from(slow, choices=PRESENCE)
    submit(relay, order_v3(relay, 0))
    assert cancel(relay, ORDER_V3, accountId=10001).json["status"] == "cancelling"
    assert cancel(relay, ORDER_V3, accountId=10001).refusal_code == 102117


@pytest.mark.parametrize("generation", ["v3 E27", "v2 F13"])
def test_several_orders_are_cancelled_each_by_itself(relay: Relay, generation: str) -> None:
    hashes = [submit(relay, order_v3(relay, 2 * number, clientOrderId=f"c{number}")).json["hash"] for number in (0, 1)]
    path = f"/api/{generation[:2]}/orders"

    def answers(last: str, **query: Any) -> Any:
        answer = cancel(relay, f"{path}/{last}", accountId=10001, **query)
        return answer.json if generation.startswith("v3") else answer.data

    gone = {"code": 102117, "message": "No orders to cancel"}
    assert answers("byHash", orderHash=f"1,{hashes[0]},{hashes[0]}") == [
        {"id": "1", "result": False, "error": gone},
        {"id": hashes[0], "result": True},
        {"id": hashes[0], "result": False, "error": gone},
    ]
    assert answers("byClientOrderId", clientOrderId="c1,c0") == [
        {"id": "c1", "result": True},
        {"id": "c0", "result": False, "error": gone},
    ]
    eleven = cancel(relay, f"{path}/byHash", accountId=10001, orderHash=",".join("1" * 11))
    assert eleven.refusal_code == 100001


def test_the_parameters_of_a_cancellation_may_be_in_a_form_alone_l4(relay: Relay) -> None:
    submit(relay, order_v3(relay, 0))
    form = urlencode({"accountId": 10001}).encode()
    headers = {"content-type": "application/x-www-form-urlencoded"}
    answer = send(relay, "DELETE", "/api/v2/orders", body=form, headers=headers, signature=EDDSA_SIGNATURE)
    assert answer.data is True


def test_a_batch_accepts_each_order_by_itself_f9(relay: Relay) -> None:
    """The second is too small, the third has the first one's id; the fourth is an order like the first."""
    bodies = bodies_of(relay)
    orders = [
        bodies.order(0),
        bodies.order(1, amountS="1"),
        bodies.order(0, label=1),
        bodies.order(3, maxFeeBips=64),
        bodies.order(4),
    ]
    answer = post(relay, "/api/v2/batchOrders", {"orders": orders})
    assert (answer.status, answer.code) == (200, 104209)
    assert [row.get("error", {}).get("code", 0) for row in answer.json["data"]] == [0, 102012, 102004, 102006, 0]
    shown = [row["hash"] for row in get(relay, "/api/v2/orders", accountId=10001).data["orders"]]
    assert shown == [answer.json["data"][index]["hash"] for index in (4, 0)]
    whole = post(relay, "/api/v2/batchOrders", {"orders": [bodies.order(7), bodies.order(8)]})
    assert (whole.code, [set(row) for row in whole.data]) == (0, [{"hash"}, {"hash"}])


def test_an_order_of_the_second_generation_can_be_held_f8(relay: Relay) -> None:
    """It is answered with its hash and shown as waiting, until it is released."""
    done(relay, "POST", "faults", {"on": "submit_order_v2", "hold": "UNKNOWN"})
    hash_ = post(relay, ORDER_V2, bodies_of(relay).order(0)).data
    assert get(relay, ORDER_V2, accountId=10001, orderHash=hash_).data["status"] == "waiting"
    done(relay, "POST", f"orders/0x{int(hash_):064x}/release", {"as": "active"})
    assert get(relay, ORDER_V2, accountId=10001, orderHash=hash_).data["status"] == "processing"


def test_a_list_is_filtered_by_states_in_any_letter_case_e25_f11(relay: Relay) -> None:
    submit(relay, order_v3(relay, 0))
    for path in ("/api/v3/orders", "/api/v2/orders"):
        found = get(relay, path, accountId=10001, status="PROCESSING,Processed").json
        assert found.get("data", found)["totalNum"] == 1
        assert get(relay, path, accountId=10001, status="processing,FOO").code == 100001 or "v2" in path


def test_a_refusal_of_the_second_generation_has_no_data_f8(relay: Relay) -> None:
    """Not that of an order either which was held and then failed."""
    done(relay, "POST", "faults", {"on": "submit_order_v2", "hold": "UNKNOWN"})
    body = bodies_of(relay).order(0)
    hash_ = post(relay, ORDER_V2, body).data
    done(relay, "POST", f"orders/0x{int(hash_):064x}/release", {"as": "failed"})
    again = post(relay, ORDER_V2, body)
    assert (again.refusal_code, set(again.json)) == (102027, {"resultInfo"})


def test_orders_of_a_batch_are_read_as_loosely_as_others_f9_l7(relay: Relay) -> None:
    """Ids as text, amounts as numbers, booleans as themselves, inside the list too: two orders that trade alike."""
    loose = {"accountId": "10001", "tokenSId": "1", "amountS": 100 * E18, "buy": False, "label": "211"}
    order = bodies_of(relay).order(7) | loose
    whole = post(relay, "/api/v2/batchOrders", {"orders": [order, bodies_of(relay).order(8)]})
    assert (whole.code, len(whole.data)) == (0, 2)
    assert [each["size"] for each in get(relay, "/api/v2/orders", accountId=10001).data["orders"]] == [
        str(100 * E18)
    ] * 2


@pytest.mark.parametrize("count", [0, 11])
def test_a_batch_has_one_to_ten_orders_f9(relay: Relay, count: int) -> None:
    before = digest(relay)
    orders = [bodies_of(relay).order(number) for number in range(count)]
    assert post(relay, "/api/v2/batchOrders", {"orders": orders}).refusal_code == 102120
    assert digest(relay) == before


def test_a_maker_only_order_that_would_trade_and_a_taker_only_one_that_rests_e23(relay: Relay) -> None:
    submit(relay, order_v3(relay, 0))
    assert submit(relay, bid_v3(relay, orderType="MAKER_ONLY"), "bob").refusal_code == 102120
    low = {"sellToken": {"tokenId": 0, "volume": str(E18 // 100)}, "orderType": "TAKER_ONLY"}
    answer = submit(relay, bid_v3(relay, 2, **low), "bob").json
    assert answer["status"] == "processing"
    assert get(relay, ORDER_V3, key="bob", orderHash=answer["hash"]).json["status"] == "cancelled"


def test_an_order_that_is_held_says_processing_and_is_idempotent_e23(relay: Relay) -> None:
    done(relay, "POST", "faults", {"on": "submit_order", "hold": "UNKNOWN"})
    first, second = (submit(relay, order_v3(relay, 0)).json for _ in range(2))
    assert (first["status"], first["isIdempotent"]) == ("processing", False)
    assert second == {**first, "isIdempotent": True}
    assert get(relay, ORDER_V3, orderHash=first["hash"]).json["status"] == "waiting"


def test_a_form_of_the_seed_is_answered_as_ever_c1_c2(relay: Relay) -> None:
    answer = post(relay, ORDER_V3, bodies_of(relay).order(0))
    assert set(answer.data) == {"orderHash", "status", "isIdempotent"}
    refused = post(relay, ORDER_V3, bodies_of(relay).order(0, exchangeId=9))
    assert (refused.status, refused.code) == (200, 102001)


@pytest.mark.parametrize("content", ["application/json", "application/x-www-form-urlencoded"])
def test_every_loose_form_of_an_order_is_the_same_order_l5_l7_l8(relay: Relay, content: str) -> None:
    """Numbers as text or as numbers, beyond 2^53 too, booleans as text; nested fields by dotted names in a form."""
    loose = order_v3(relay, 0, storageId="0", validUntil="1800000000", fillAmountBOrS="false", allOrNone="false")
    loose["sellToken"] = {"tokenId": "1", "volume": 100 * E18}
    body = json.dumps(loose).encode()
    if content != "application/json":
        flat = {
            name if inner is None else f"{name}.{inner}": value if inner is None else value[inner]
            for name, value in loose.items()
            for inner in (value if isinstance(value, dict) else (None,))
        }
        body = urlencode(flat).encode()
    sent = send(relay, "POST", ORDER_V3, body=body, headers={"content-type": content})
    tight = submit(relay_from("live_v3", choices=PRESENCE), order_v3(relay, 0, validUntil=1_800_000_000))
    assert (sent.status, sent.json["hash"]) == (200, tight.json["hash"])


@pytest.mark.parametrize("family", ["python", "javascript"])
@pytest.mark.parametrize("form", ["gen3", "gen2", "v2"])
def test_an_order_is_signed_for_a_test_as_a_client_would_e23_f8(form: str, family: str) -> None:
    """The signature counts, and that of another order does not; a signature in the header is not read."""
    relay = relay_from("live_v3")
    bodies = bodies_of(relay)
    endpoint = "submit_order_v2" if form == "v2" else "submit_order"
    body, other = (order_v3(relay, n) if form == "gen3" else bodies.order(n) for n in (0, 2))
    ask_for = {"account": "alice", "endpoint": endpoint, "body": body, "family": family}
    signed = done(relay, "POST", "sign", ask_for)["body"]
    names = ("eddsaSignature", "signatureRx", "signatureRy", "signatureS")
    forged = {**other, **{name: signed[name] for name in names if name in signed}}
    path = ORDER_V2 if form == "v2" else ORDER_V3
    before = digest(relay)
    assert post(relay, path, forged).refusal_code == 104005
    assert digest(relay) == before
    assert post(relay, path, signed, signature="0x" + "02" * 96).code == 0


def test_orders_and_trades_survive_saving_s1_s6(relay: Relay) -> None:
    submit(relay, order_v3(relay, 0, tradeChannel="AMM_POOL"))
    post(relay, ORDER_V2, bodies_of(relay).order(2))
    submit(relay, bid_v3(relay), "bob")
    reads: list[tuple[str, dict[str, Any]]] = [
        ("/api/v3/orders", {"accountId": 10001}),
        ("/api/v2/orders", {"accountId": 10001}),
        ("/api/v3/user/trades", {"accountId": 10001}),
    ]
    before = [get(relay, path, **query).json for path, query in reads]
    other = relay_from("live_v3", choices=PRESENCE)
    other.world = restore_world(json.loads(json.dumps(save_world(relay.world))), relay.world.config)
    assert [get(other, path, **query).json for path, query in reads] == before
    assert digest(other) == digest(relay)
