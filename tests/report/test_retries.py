"""Submissions whose outcome is open, sent again: where exactly blame begins, and what is forgotten."""

from __future__ import annotations

from typing import Any

import pytest

from mockrelay.report.retries import STORED_MAX as OPEN_MAX
from tests.report.bench import Bench
from tests.support.calls import Request, call, order, valid_request
from tests.support.client import done
from tests.support.worlds import DAY_S, START_S

BLIND, CHANGED = "post-retried-without-looking", "changed-retry-without-looking"
LOST = {"drop": True}
UNKNOWN = {"hold": "UNKNOWN"}
ORDER = valid_request("submit_order")
ANOTHER_ORDER = ORDER.but(orderId=ORDER.fields["orderId"] + 1)
TRANSFER = valid_request("submit_transfer")
POLLED = ("submit_withdrawal", "update_account", "mint_nft")
LOOKS = {
    "submit_transfer": ("get_account", "get_pending_requests"),
    "submit_withdrawal": ("get_block",),
    "mint_nft": ("get_nft_data",),
}


def opened(endpoint: str, fault: dict[str, Any]) -> Bench:
    """A bench where the next answer of an endpoint leaves its outcome open."""
    bench = Bench()
    bench.fault(on=endpoint, **fault)
    call(bench.relay, valid_request(endpoint))
    return bench


@pytest.mark.parametrize(
    "fault", [LOST, {**LOST, "at": "before"}, {"status": 503}, {"body": "truncated"}, {"delay": "60s"}]
)
def test_an_answer_that_cannot_be_read_leaves_the_outcome_open(fault: dict[str, Any]) -> None:
    bench = opened("submit_order", fault)
    call(bench.relay, ORDER)
    (finding,) = bench.findings(BLIND)
    assert finding["request"] == "r2"
    assert "the same as r1" in finding["detail"]
    assert "get_orders" in finding["detail"]


@pytest.mark.parametrize(
    ("endpoint", "fault", "calls", "rules"),
    [
        *(
            pytest.param("submit_order", fault, [ORDER], [], id=f"an answer that says no does not: {fault}")
            for fault in ({"code": 102014}, {"status": 400}, {"status": 200})
        ),
        # The very same one again tells whether it is still held (spec, `isIdempotent`).
        pytest.param("submit_order", UNKNOWN, [ORDER] * 3, [], id="UNKNOWN may be asked after"),
        pytest.param("submit_order", UNKNOWN, [ANOTHER_ORDER], [CHANGED], id="UNKNOWN is not failed"),
        pytest.param("submit_order", UNKNOWN, [ORDER, ANOTHER_ORDER], [], id="held, as it was answered"),
        # Signing the same again may give other numbers.
        pytest.param(
            "submit_order",
            UNKNOWN,
            [ORDER.but(signatureRx="4", signatureRy="5", signatureS="6")],
            [],
            id="another signature makes no other order",
        ),
        *(
            pytest.param(endpoint, LOST, [valid_request(endpoint)] * 3, [], id=f"{endpoint} is polled by sending it again")
            for endpoint in POLLED
        ),
        pytest.param("submit_transfer", LOST, [TRANSFER], [BLIND], id="submit_transfer is not polled"),
        pytest.param(
            "submit_order",
            LOST,
            [Request("get_orders", {"accountId": 10002}, "bob"), ORDER],
            [BLIND],
            id="another account's look shows nothing",
        ),
        pytest.param("submit_order", LOST, [valid_request("get_order_id"), ORDER], [BLIND], id="get_order_id is no look"),
        pytest.param("submit_order", LOST, [order(7, amountS="1000")], [], id="an order that has nothing to do with it"),
        pytest.param("submit_order", LOST, [ORDER] * 3, [BLIND], id="each open submission is blamed once"),
    ],
)  # fmt: skip
def test_what_is_sent_again(endpoint: str, fault: dict[str, Any], calls: list[Request], rules: list[str]) -> None:
    bench = opened(endpoint, fault)
    for each in calls:
        call(bench.relay, each)
    assert bench.rules() == rules


def test_a_changed_order_after_unknown_is_told_with_what_changed() -> None:
    bench = opened("submit_order", UNKNOWN)
    call(bench.relay, ANOTHER_ORDER)
    (finding,) = bench.findings(CHANGED)
    assert "r1, which was answered UNKNOWN" in finding["detail"]
    assert "with another orderId" in finding["detail"]


@pytest.mark.parametrize(
    "changed",
    [
        *(valid_request(endpoint).but(validUntil=START_S + 2 * DAY_S) for endpoint in POLLED),
        # Under the next nonce it may pay twice.
        TRANSFER.but(nonce=TRANSFER.fields["nonce"] + 1),
    ],
    ids=lambda request: request.name,
)
def test_another_end_or_nonce_makes_it_another_request(changed: Request) -> None:
    bench = opened(changed.name, LOST)
    call(bench.relay, changed)
    assert CHANGED in bench.rules()


@pytest.mark.parametrize(("endpoint", "look"), [(name, look) for name, looks in LOOKS.items() for look in looks])
def test_what_was_read_in_between_is_right(endpoint: str, look: str) -> None:
    bench = opened(endpoint, LOST)
    call(bench.relay, valid_request(look))
    call(bench.relay, valid_request(endpoint))
    assert not {BLIND, CHANGED} & set(bench.rules())


def test_an_answer_that_came_after_all_is_no_longer_open() -> None:
    bench = opened("submit_order", {"delay": "60s"})
    bench.wait(60_000)
    call(bench.relay, ORDER)
    assert bench.rules() == []


def test_an_answer_that_its_client_did_not_wait_for_is_lost() -> None:
    bench = opened("submit_order", {"delay": "60s"})
    bench.relay.leave("r1")
    bench.wait(60_000)
    call(bench.relay, ORDER)
    (finding,) = bench.findings(BLIND)
    assert "the same as r1, whose answer was lost" in finding["detail"]


def test_a_look_whose_own_answer_is_lost_shows_nothing() -> None:
    bench = opened("submit_order", LOST)
    bench.fault(on="get_orders", drop=True)
    call(bench.relay, valid_request("get_orders"))
    call(bench.relay, ORDER)
    assert bench.rules() == [BLIND]


def test_only_the_newest_open_ones_are_stored(bench: Bench) -> None:
    bench.fault(on="submit_order", drop=True, times=OPEN_MAX + 1)
    for number in range(OPEN_MAX + 1):
        call(bench.relay, order(number, amountS=str(1000 + number)))
    call(bench.relay, order(0, amountS="1000"))
    assert bench.rules() == []
    call(bench.relay, order(1, amountS="1001"))
    assert bench.rules() == [BLIND]


@pytest.mark.parametrize("back", ["reset", "snapshots/s/restore"])
def test_a_reset_and_a_restored_snapshot_forget_the_calls_to_the_world_before(bench: Bench, back: str) -> None:
    done(bench.relay, "POST", "snapshots", {"name": "s"})
    bench.fault(on="submit_order", drop=True)
    call(bench.relay, ORDER)
    done(bench.relay, "POST", back, {})
    call(bench.relay, ORDER)
    assert bench.rules() == []


@pytest.mark.parametrize(
    ("fault", "rules"),
    [
        ({"drop": True}, []),
        ({"body": "html"}, []),
        ({"delay": "60s"}, []),
        ({"code": 102021}, []),
        (None, ["end-not-read"]),
    ],
)
def test_an_end_is_met_with_the_refusal_that_says_so(fault: dict[str, Any] | None, rules: list[str]) -> None:
    """A code by a fault says nothing of the request."""
    bench = opened("submit_withdrawal", {"outcome": "failed"})
    bench.wait(10_000)
    if fault is not None:
        bench.fault(on="submit_withdrawal", **fault)
    call(bench.relay, valid_request("submit_withdrawal"))
    assert bench.rules() == rules
