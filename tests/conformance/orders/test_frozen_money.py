"""Money is frozen for an order once and is free again the moment that the order ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.flows import client as client_module
from tests.flows.client import ALICE, E18, Client, at_once, sale, served
from tests.support.worlds import START_S

POOR = Path(client_module.__file__).with_name("poor.yaml")


@pytest.fixture
def poor() -> Iterator[Client]:
    """Alice has 100 LRC."""
    with served(scenario=POOR) as client:
        yield client


def lrc(client: Client) -> tuple[int, int]:
    """Alice's whole LRC, free and frozen."""
    free, frozen = client.money(ALICE, "LRC")
    assert free % E18 == frozen % E18 == 0
    return free // E18, frozen // E18


def sold(number: int, whole: int) -> dict[str, Any]:
    """An order that sells so many LRC at 0.0005."""
    return sale(number, lrc=whole * E18, eth=whole * 5 * 10**14)


def test_money_is_free_again_right_after_a_cancel(poor: Client) -> None:
    first = poor.accepted(sold(0, 60))
    assert lrc(poor) == (40, 60)
    assert poor.submit(sold(1, 60)).code == 102011
    assert lrc(poor) == (40, 60)
    poor.done(f"orders/{first}/fill", {"size": str(20 * E18)})
    assert lrc(poor) == (40, 40)
    poor.done(f"orders/{first}/cancel", {})
    poor.accepted(sold(1, 80))
    assert lrc(poor) == (0, 80)


@pytest.mark.parametrize("end", ["cancel", "expire", "fail"])
def test_whichever_way_an_order_ends_its_money_can_be_used_at_once(poor: Client, end: str) -> None:
    if end == "fail":
        poor.done("faults", {"on": "submit_order", "hold": "UNKNOWN"})
    hash_ = poor.submit(sold(0, 100) | {"validUntil": START_S + 10}).data["orderHash"]
    assert lrc(poor) == (0, 100)
    assert poor.submit(sold(1, 1)).code == 102011
    deeds: dict[str, Callable[[], Any]] = {
        "cancel": lambda: poor.done(f"orders/{hash_}/cancel", {}),
        "expire": lambda: poor.advance("10s"),
        "fail": lambda: poor.done(f"orders/{hash_}/release", {"as": "failed"}),
    }
    deeds[end]()
    poor.accepted(sold(1, 100))
    assert lrc(poor) == (0, 100)


def test_a_failed_freeze_leaves_nothing_behind(poor: Client) -> None:
    """102014 once; the same body again, with the same order id, is taken."""
    poor.done("faults", {"on": "submit_order", "code": 102014})
    before = poor.digest()
    assert poor.submit(sold(0, 60)).code == 102014
    assert poor.digest() == before
    assert poor.next_id() == 0
    poor.accepted(sold(0, 60))
    assert lrc(poor) == (40, 60)


def test_two_orders_at_once_cannot_freeze_the_same_money(poor: Client) -> None:
    answers = at_once(poor, [sold(0, 60), sold(1, 60)])
    assert sorted(answer.code for answer in answers) == [0, 102011]
    assert lrc(poor) == (40, 60)


def test_many_orders_at_once_freeze_no_more_than_there_is(poor: Client) -> None:
    """Twenty-five times 7 LRC: fourteen fit into 100."""
    answers = at_once(poor, [sold(number, 7) for number in range(25)])
    assert sorted(answer.code for answer in answers) == [0] * 14 + [102011] * 11
    assert lrc(poor) == (2, 98)
