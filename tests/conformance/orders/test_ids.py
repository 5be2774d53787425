"""Which order ids may be used, one at a time and by many at once."""

from __future__ import annotations

from tests.flows.client import ALICE, BOB, E18, ETH, LRC, Client, at_once, sale


def test_asking_for_the_next_id_reserves_nothing(client: Client) -> None:
    """Each account and sold token counts for itself; `data` is a string although the order takes an integer."""
    for who, token in ((ALICE, LRC), (ALICE, LRC), (ALICE, ETH), (BOB, LRC)):
        assert client.get("v2/orderId", account=who, accountId=who, tokenSId=token).data == "0"
    client.accepted(sale(client.next_id()))
    assert client.next_id() == 1
    assert client.next_id(ALICE, ETH) == client.next_id(BOB, LRC) == 0


def test_a_used_id_is_refused_and_freezes_nothing(client: Client) -> None:
    """Also when the order that used it has ended."""
    hash_ = client.accepted(sale(7))
    for _ in range(2):
        before = client.digest()
        assert client.submit(sale(7, label=212)).code == 102004
        assert client.submit(sale(7)).code == 102007
        assert client.digest() == before
        if client.record(hash_)["status"] == "processing":
            client.done(f"orders/{hash_}/cancel", {})
            client.advance("1ms")


def test_of_twenty_orders_with_one_id_exactly_one_is_taken(client: Client) -> None:
    answers = at_once(client, [sale(client.next_id(), lrc=E18, label=label) for label in range(20)])
    assert sorted(answer.code for answer in answers) == [0] + [102004] * 19
    assert len(client.orders()) == 1
    assert client.money(ALICE, "LRC") == (9999 * E18, E18)
    assert client.next_id() == 1


def test_the_same_order_twenty_times_at_once_is_one_order(client: Client) -> None:
    answers = at_once(client, [sale(lrc=E18)] * 20)
    assert sorted(answer.code for answer in answers) == [0] + [102007] * 19
    assert client.money(ALICE, "LRC") == (9999 * E18, E18)


def test_an_id_ahead_is_taken_and_the_next_one_follows_it(client: Client) -> None:
    """And an unused one below is taken too, without moving the next one back."""
    client.accepted(sale(client.next_id() + 50))
    assert client.next_id() == 51
    client.accepted(sale(3))
    assert client.next_id() == 51
    client.accepted(sale(2**32 - 1))
    assert client.next_id() == 0
    for wrong in (2**32, -1):
        assert client.submit(sale(wrong)).code == 102004
