"""The shipped scenarios of accounts and orders that are not taken as they usually are."""

from __future__ import annotations

from tests.scenario.shipped_client import Client
from tests.support.bodies import E18
from tests.support.client import account

FUNDS = 20_000_000 * E18


def test_frozen_account_may_not_order_while_its_old_order_trades() -> None:
    client = Client("frozen_account")
    assert client.order("SELL", 10, E18 // 100).code == 102027
    assert client.order("BUY", 100, 5 * E18 // 100, "bob").code == 0
    (before,) = client.orders()
    assert (before["clientOrderId"], before["status"]) == ("before", "processed")
    client.control("accounts/10001/freeze", {"frozen": False})
    assert client.order("SELL", 10, E18 // 100, order_id=1).code == 0


def test_held_orders_are_settled_a_minute_and_two_minutes_later() -> None:
    client = Client("held_orders")
    first, again, second = (client.order("SELL", 10, E18, order_id=order_id) for order_id in (0, 0, 1))
    assert [answer.data["status"] for answer in (first, again, second)] == ["UNKNOWN"] * 3
    assert [answer.data["isIdempotent"] for answer in (first, again, second)] == [False, True, False]
    assert client.money("alice") == (FUNDS - 20 * E18, 20 * E18, 0)
    client.advance("1m")
    assert client.order("SELL", 10, E18, order_id=0).code == 102007
    assert client.orders(status="processing")[0]["hash"] == first.data["orderHash"]
    client.advance("1m")
    assert client.order("SELL", 10, E18, order_id=1).code == 102027
    assert client.orders(status="failed")[0]["hash"] == second.data["orderHash"]
    assert client.money("alice") == (FUNDS - 10 * E18, 10 * E18, 0)
    assert client.order("SELL", 10, E18, order_id=2).data["status"] == "NEW_ACTIVED"
    assert client.findings() == []


def test_held_orders_that_nobody_submitted_cannot_be_settled() -> None:
    client = Client("held_orders")
    client.advance("2m")
    assert client.findings() == [
        "release at 1m: account 10001 has no such order",
        "release at 2m: account 10001 has no such order",
    ]


def test_lagging_balances_take_the_third_try_of_the_same_order() -> None:
    client = Client("lagging_balances")
    answers = [client.order("SELL", 10, E18, order_id=5) for _ in range(3)]
    assert [answer.code for answer in answers] == [102014, 102014, 0]
    assert client.money("alice") == (FUNDS - 10 * E18, 10 * E18, 0)
    assert client.order("SELL", 10, E18, "bob").code == 0


def test_lost_answers_leave_the_order_and_the_rest_done() -> None:
    client = Client("lost_answers")
    lost = client.order("SELL", 10, E18), client.transfer(E18, 0), client.withdraw(E18), client.mint(E18)
    assert [answer.drop for answer in lost] == [True] * 4
    assert len(client.orders()) == 1
    assert client.order("SELL", 10, E18).code == 102007
    # The transfer was done, so that its nonce is used; the withdrawal is open, so that the same one is the same request.
    assert client.transfer(E18, 0).code == 102021
    assert client.withdraw(E18).json["isIdempotent"] is True
    client.advance("1s")
    # 10 LRC are frozen; 1 and a fee of 0.05 have gone to bob, 1 and a fee of 0.1 are on the way to layer 1.
    gone = E18 + E18 // 20
    leaving = E18 + E18 // 10
    assert client.money("alice") == (FUNDS - 10 * E18 - gone - leaving, 10 * E18, leaving)
    assert client.money("bob") == (FUNDS + E18, 0, 0)


def test_rotated_key_ends_the_old_api_key_after_a_minute() -> None:
    client = Client("rotated_key")
    old = account(client.relay, "alice")
    query = {"accountId": 10001, "tokenSId": 1}
    client.advance("59s")
    assert client.get("v2/orderId", old["apiKey"], **query).code == 0
    client.advance("1s")
    assert client.get("v2/orderId", old["apiKey"], **query).code == 104002
    assert client.get("v2/orderId", "alices-new-api-key", **query).code == 0
    answer = client.get("v2/account", "alices-new-api-key", owner=old["owner"]).data
    assert answer["publicKeyX"] == f"0x{0xA11:064x}"
    assert answer["publicKeyY"] == f"0x{0xCE5:064x}"


def test_late_deposit_makes_an_empty_account_able_to_order() -> None:
    client = Client("late_deposit")
    assert client.order("SELL", 10, E18, "dave").code == 102011
    client.advance("1m")
    assert client.money("dave") == (1000 * E18, 0, 0)
    (waiting,) = client.get("v3/block/getPendingRequests").json
    assert (waiting["txType"], waiting["accountId"], waiting["token"]["amount"]) == ("Deposit", 10004, str(1000 * E18))
    assert client.order("SELL", 10, E18, "dave").code == 0
