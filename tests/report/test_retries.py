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


def opened(endpoint: str, **fault: Any) -> Bench:
    """A bench where the next answer of an endpoint leaves its outcome open."""
    bench = Bench()
    bench.fault(on=endpoint, **(fault or {"drop": True}))
    call(bench.relay, valid_request(endpoint))
    return bench


class TestRetries:
    """Submissions whose outcome is open, sent again."""

    @pytest.mark.parametrize(
        "fault",
        [{"drop": True}, {"drop": True, "at": "before"}, {"status": 503}, {"body": "truncated"}, {"delay": "60s"}],
    )
    def test_an_answer_that_cannot_be_read_leaves_the_outcome_open(self, fault: dict[str, Any]) -> None:
        bench = opened("submit_order", **fault)
        call(bench.relay, valid_request("submit_order"))
        (finding,) = bench.findings(BLIND)
        assert finding["request"] == "r2"
        assert "the same as r1" in finding["detail"]
        assert "get_orders" in finding["detail"]

    @pytest.mark.parametrize("fault", [{"code": 102014}, {"status": 400}, {"status": 200}])
    def test_an_answer_that_says_no_does_not(self, fault: dict[str, Any]) -> None:
        bench = opened("submit_order", **fault)
        call(bench.relay, valid_request("submit_order"))
        assert bench.rules() == []

    def test_an_answer_that_came_after_all_is_no_longer_open(self) -> None:
        bench = opened("submit_order", delay="60s")
        bench.wait(60_000)
        call(bench.relay, valid_request("submit_order"))
        assert bench.rules() == []

    def test_an_order_answered_unknown_may_be_asked_after(self) -> None:
        """The very same one again tells whether it is still held (spec, `isIdempotent`)."""
        bench = opened("submit_order", hold="UNKNOWN")
        for _ in range(3):
            call(bench.relay, valid_request("submit_order"))
        assert bench.rules() == []

    def test_an_order_answered_unknown_is_not_failed(self) -> None:
        bench = opened("submit_order", hold="UNKNOWN")
        given = valid_request("submit_order")
        call(bench.relay, given.but(orderId=given.fields["orderId"] + 1))
        (finding,) = bench.findings(CHANGED)
        assert "r1, which was answered UNKNOWN" in finding["detail"]
        assert "with another orderId" in finding["detail"]

    def test_whoever_knows_that_it_is_held_may_go_on(self) -> None:
        bench = opened("submit_order", hold="UNKNOWN")
        given = valid_request("submit_order")
        call(bench.relay, given)
        call(bench.relay, given.but(orderId=given.fields["orderId"] + 1))
        assert bench.rules() == []

    @pytest.mark.parametrize("endpoint", ["submit_withdrawal", "update_account", "mint_nft"])
    def test_a_request_is_polled_by_sending_it_again(self, endpoint: str) -> None:
        bench = opened(endpoint)
        for _ in range(3):
            call(bench.relay, valid_request(endpoint))
        assert bench.rules() == []

    @pytest.mark.parametrize("endpoint", ["submit_withdrawal", "update_account", "mint_nft"])
    def test_another_end_makes_it_another_request(self, endpoint: str) -> None:
        bench = opened(endpoint)
        call(bench.relay, valid_request(endpoint).but(validUntil=START_S + 2 * DAY_S))
        assert CHANGED in bench.rules()

    @pytest.mark.parametrize(
        ("endpoint", "look"),
        [
            ("submit_transfer", "get_account"),
            ("submit_transfer", "get_pending_requests"),
            ("submit_withdrawal", "get_block"),
            ("mint_nft", "get_nft_data"),
        ],
    )
    def test_what_was_read_in_between_is_right(self, endpoint: str, look: str) -> None:
        bench = opened(endpoint)
        call(bench.relay, valid_request(look))
        call(bench.relay, valid_request(endpoint))
        assert BLIND not in bench.rules()
        assert CHANGED not in bench.rules()

    def test_a_transfer_is_not_polled(self) -> None:
        bench = opened("submit_transfer")
        call(bench.relay, valid_request("submit_transfer"))
        assert bench.rules() == [BLIND]

    def test_a_transfer_under_the_next_nonce_may_pay_twice(self) -> None:
        bench = opened("submit_transfer")
        given = valid_request("submit_transfer")
        call(bench.relay, given.but(nonce=given.fields["nonce"] + 1))
        assert CHANGED in bench.rules()

    def test_a_look_whose_own_answer_is_lost_shows_nothing(self) -> None:
        bench = opened("submit_order")
        bench.fault(on="get_orders", drop=True)
        call(bench.relay, valid_request("get_orders"))
        call(bench.relay, valid_request("submit_order"))
        assert bench.rules() == [BLIND]

    def test_another_account_s_look_shows_nothing(self) -> None:
        bench = opened("submit_order")
        call(bench.relay, Request("get_orders", {"accountId": 10002}, "bob"))
        call(bench.relay, valid_request("submit_order"))
        assert bench.rules() == [BLIND]

    def test_the_next_order_id_is_no_look_at_an_order(self) -> None:
        bench = opened("submit_order")
        call(bench.relay, valid_request("get_order_id"))
        call(bench.relay, valid_request("submit_order"))
        assert bench.rules() == [BLIND]

    def test_another_signature_makes_no_other_order(self) -> None:
        """Signing the same again may give other numbers."""
        bench = opened("submit_order", hold="UNKNOWN")
        call(bench.relay, valid_request("submit_order").but(signatureRx="4", signatureRy="5", signatureS="6"))
        assert bench.rules() == []

    def test_an_order_that_has_nothing_to_do_with_it_is_fine(self) -> None:
        bench = opened("submit_order")
        call(bench.relay, order(7, amountS="1000"))
        assert bench.rules() == []

    def test_each_open_submission_is_blamed_once(self) -> None:
        bench = opened("submit_order")
        for _ in range(3):
            call(bench.relay, valid_request("submit_order"))
        assert bench.rules() == [BLIND]

    def test_only_the_newest_open_ones_are_kept(self) -> None:
        bench = Bench()
        bench.fault(on="submit_order", drop=True, times=OPEN_MAX + 1)
        for number in range(OPEN_MAX + 1):
            call(bench.relay, order(number, amountS=str(1000 + number)))
        call(bench.relay, order(0, amountS="1000"))
        assert bench.rules() == []
        call(bench.relay, order(1, amountS="1001"))
        assert bench.rules() == [BLIND]

    def test_a_reset_forgets_the_calls_to_the_world_before(self) -> None:
        bench = opened("submit_order")
        done(bench.relay, "POST", "reset", {})
        call(bench.relay, valid_request("submit_order"))
        assert bench.rules() == []

    def test_so_does_a_restored_snapshot(self) -> None:
        bench = Bench()
        done(bench.relay, "POST", "snapshots", {"name": "s"})
        bench.fault(on="submit_order", drop=True)
        call(bench.relay, valid_request("submit_order"))
        done(bench.relay, "POST", "snapshots/s/restore")
        call(bench.relay, valid_request("submit_order"))
        assert bench.rules() == []
