"""Order ids: which is next, and which may be used, one at a time and by many at once."""

from __future__ import annotations

from mockrelay.relay import Relay
from mockrelay.web import serve
from tests.support.bodies import E18, ETH, LRC
from tests.support.calls import Request, at_once, call, order, place
from tests.support.client import advance, digest, done
from tests.support.views import money, order_record, orders


def next_id(relay: Relay, name: str = "alice", token: int = LRC) -> int:
    """The next id, which comes as a string although the order takes an integer."""
    account_id = {"alice": 10001, "bob": 10002}[name]
    data = call(relay, Request("get_order_id", {"accountId": account_id, "tokenSId": token}, name)).data
    assert isinstance(data, str)
    return int(data)


def test_get_order_id_reserves_nothing_and_counts_for_each_account_and_sold_token(relay: Relay) -> None:
    for name, token in (("alice", LRC), ("alice", LRC), ("alice", ETH), ("bob", LRC)):
        assert next_id(relay, name, token) == 0
    place(relay, order(0))
    assert next_id(relay) == 1
    assert next_id(relay, "alice", ETH) == next_id(relay, "bob", LRC) == 0
    # The same id is free for another sold token.
    place(relay, order(0, tokenSId=0, tokenBId=3, amountS="1000", amountB="1000"))


def test_submit_order_with_a_used_id_is_102004_and_again_102007(relay: Relay) -> None:
    """Also when the order that used it has ended; nothing is frozen."""
    hash_ = place(relay, order(7))
    for _ in range(2):
        before = digest(relay)
        assert call(relay, order(7, label=212)).code == 102004
        assert call(relay, order(7)).code == 102007
        assert digest(relay) == before
        if order_record(relay, hash_)["status"] == "processing":
            done(relay, "POST", f"orders/{hash_}/cancel", {})
            advance(relay, "1ms")


def test_an_id_ahead_is_taken_and_the_next_one_follows_it(relay: Relay) -> None:
    """And an unused one below is taken too, without moving the next one back."""
    place(relay, order(50))
    assert next_id(relay) == 51
    place(relay, order(3))
    assert next_id(relay) == 51
    place(relay, order(2**32 - 1))
    assert next_id(relay) == 0
    for wrong in (2**32, -1):
        assert call(relay, order(wrong)).code == 102004


def test_of_twenty_orders_at_once_with_one_id_one_is_taken(relay: Relay) -> None:
    with serve(relay) as server:
        answers = at_once(server.url, [order(0, amountS=str(E18), label=label) for label in range(20)])
    assert sorted(answer.code for answer in answers) == [0] + [102004] * 19
    assert len(orders(relay)) == 1
    assert money(relay, "alice") == (9999 * E18, E18, 0)
    assert next_id(relay) == 1


def test_the_same_order_twenty_times_at_once_is_one_order(relay: Relay) -> None:
    with serve(relay) as server:
        answers = at_once(server.url, [order(0, amountS=str(E18))] * 20)
    assert sorted(answer.code for answer in answers) == [0] + [102007] * 19
    assert money(relay, "alice") == (9999 * E18, E18, 0)


def test_asking_for_an_id_can_reserve_it_by_choice(relay: Relay) -> None:
    """Then two that ask at once never get the same one; an id that was handed out may be used whenever."""
    done(relay, "PUT", "choices", {"order_id.get": "reserve"})
    assert [next_id(relay) for _ in range(3)] == [0, 1, 2]
    for number in (2, 0, 1):
        place(relay, order(number))
    assert next_id(relay) == 3
