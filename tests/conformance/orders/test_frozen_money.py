"""Money is frozen for an order once and is free again the moment that the order ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from mockrelay.relay import Relay
from mockrelay.web import serve
from tests.support.bodies import E18
from tests.support.calls import Request, at_once, call, order, place, valid_request
from tests.support.client import digest, done
from tests.support.views import money
from tests.support.worlds import world_like


@pytest.fixture
def poor(tmp_path: Path) -> Relay:
    """Alice has 100 LRC."""
    return world_like(tmp_path, f'accounts: [{{name: alice, balances: {{ETH: "0", LRC: "{100 * E18}", USDT: "0"}}}}]')


def lrc(relay: Relay) -> tuple[int, int]:
    """Alice's whole LRC, free and frozen."""
    free, frozen, _ = money(relay, "alice")
    assert free % E18 == frozen % E18 == 0
    return free // E18, frozen // E18


def sale(number: int, whole: int) -> Request:
    """An order that sells so many LRC at 0.0005."""
    return order(number, amountS=str(whole * E18), amountB=str(whole * 5 * 10**14))


def test_money_is_free_again_right_after_a_cancel(poor: Relay) -> None:
    """60 of 100 are for sale, 20 are sold, the rest is cancelled: 80 can be sold, and not a wei more."""
    first = place(poor, sale(0, 60))
    assert lrc(poor) == (40, 60)
    assert call(poor, sale(1, 60)).code == 102011
    assert lrc(poor) == (40, 60)
    done(poor, "POST", f"orders/{first}/fill", {"size": str(20 * E18)})
    assert lrc(poor) == (40, 40)
    done(poor, "POST", f"orders/{first}/cancel", {})
    assert call(poor, order(1, amountS=str(80 * E18 + 1))).code == 102011
    place(poor, sale(1, 80))
    assert lrc(poor) == (0, 80)


def test_a_failed_freeze_leaves_nothing_behind_102014(poor: Relay) -> None:
    """Once; the same body again, with the same order id, is taken."""
    done(poor, "POST", "faults", {"on": "submit_order", "code": 102014})
    before = digest(poor)
    assert call(poor, sale(0, 60)).code == 102014
    assert digest(poor) == before
    assert call(poor, valid_request("get_order_id")).data == "0"
    place(poor, sale(0, 60))
    assert lrc(poor) == (40, 60)


def test_many_orders_at_once_freeze_no_more_than_there_is(poor: Relay) -> None:
    """Twenty-five times 7 LRC: fourteen fit into 100."""
    with serve(poor) as server:
        answers = at_once(server.url, [sale(number, 7) for number in range(25)])
    assert sorted(answer.code for answer in answers) == [0] * 14 + [102011] * 11
    assert lrc(poor) == (2, 98)
