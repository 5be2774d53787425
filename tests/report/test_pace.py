"""Pauses after a refusal by the rate limit, and polls: where exactly blame begins."""

from __future__ import annotations

from typing import Any

import pytest

from mockrelay.report.pacing import STORED_MAX as POLLS_MAX
from tests.report.bench import Bench
from tests.support.calls import CONTRACT_A, call, minted, valid_request
from tests.support.client import advance, done, get, send

TOKENS = "/api/v2/exchange/tokens"


class TestPauses:
    """After a refusal by the rate limit."""

    def test_calls_on_their_way_are_no_fault(self) -> None:
        bench = Bench(limits="spec")
        for _ in range(20):
            get(bench.relay, TOKENS)
            bench.wait(10)
        assert bench.rules() == []

    def test_whoever_keeps_on_is_blamed(self) -> None:
        bench = Bench(limits="spec")
        for _ in range(40):
            get(bench.relay, TOKENS)
            bench.wait(10)
        # From the fourth, at 30 ms, all are refused; those until 280 ms may have been on their way.
        assert bench.rules() == ["no-pause-after-rate-limit"] * 11
        assert bench.findings("no-pause-after-rate-limit")[0]["detail"] == (
            "get_tokens: refused again 10 ms after r29 was; Retry-After said 1 s"
        )

    def test_whoever_has_read_two_refusals_is_blamed_for_the_third(self) -> None:
        """On one connection no call is on its way; three in a second are let through, so the third refusal is r6."""
        bench = Bench(limits="spec")
        for _ in range(8):
            send(bench.relay, "GET", TOKENS, connection=50_001)
            bench.wait(10)
        found = bench.findings("no-pause-after-rate-limit")
        assert [finding["request"] for finding in found] == ["r6", "r7", "r8"]
        assert found[0]["detail"] == "get_tokens: refused again 10 ms after r5 was; Retry-After said 1 s"

    @pytest.mark.parametrize("fault", [{"drop": True}, {"delay": "1h"}], ids=["lost", "held"])
    def test_a_refusal_that_its_client_has_not_met_is_none(self, bench: Bench, fault: dict[str, Any]) -> None:
        bench.fault(on="get_tokens", status=429, times=40)
        bench.fault(on="get_tokens", times=40, **fault)
        for _ in range(40):
            get(bench.relay, TOKENS)
            bench.wait(10)
        assert bench.rules() == []

    def test_a_burst_over_many_connections_is_no_fault(self) -> None:
        """Each had two calls handed to it at once, whatever the others were answered."""
        bench = Bench(limits="spec")
        for number in range(20):
            send(bench.relay, "GET", TOKENS, connection=50_001 + number % 10)
        assert bench.rules() == []

    def test_a_pause_begins_the_count_on_a_connection_anew(self) -> None:
        """Half of a second after each second refusal."""
        bench = Bench({"rate.window": "sliding"}, limits="spec")
        bench.fault(on="get_tokens", status=429, times=6)
        for pause_ms in (0, 0, 500, 0, 500, 0):
            bench.wait(pause_ms)
            send(bench.relay, "GET", TOKENS, connection=50_001)
        assert bench.rules() == []

    def test_half_of_what_retry_after_says_is_a_pause(self) -> None:
        """Each of several calls at once is told to wait from its own refusal on."""
        bench = Bench({"rate.window": "sliding"}, limits="spec")
        for pause_ms in (0, 0, 0, 0, 500, 500, 499, 1):
            bench.wait(pause_ms)
            get(bench.relay, TOKENS)
        assert bench.rules() == []

    def test_without_retry_after_the_limit_says_how_long(self) -> None:
        """Three a second: 333 ms to each."""
        bench = Bench({"rate.retry_after": "none", "rate.window": "sliding"}, limits="spec")
        for pause_ms in (0, 0, 0, 0, 333, 332):
            bench.wait(pause_ms)
            get(bench.relay, TOKENS)
        assert [finding["request"] for finding in bench.findings("no-pause-after-rate-limit")] == ["r6"]

    def test_a_scripted_429_is_a_refusal_like_any_other(self, bench: Bench) -> None:
        bench.fault(on="get_tokens", status=429, times=3)
        for _ in range(3):
            get(bench.relay, TOKENS)
            bench.wait(300)
        assert bench.rules() == ["no-pause-after-rate-limit"] * 2

    def test_other_callers_and_other_endpoints_are_others(self) -> None:
        bench = Bench(limits="spec")
        for _ in range(4):
            get(bench.relay, TOKENS)
        bench.wait(300)
        for _ in range(4):
            get(bench.relay, TOKENS, key="bob")
            get(bench.relay, "/api/v2/exchange/info")
        assert bench.rules() == []

    def test_nothing_is_said_while_time_stands_still(self) -> None:
        bench = Bench(limits="spec", rate=0)
        for _ in range(10):
            get(bench.relay, TOKENS)
        advance(bench.relay, "300ms")
        get(bench.relay, TOKENS)
        assert bench.rules() == []


class TestPolling:
    """GetCode before and after a deployment."""

    def test_the_first_poll_after_the_deployment_is_no_second_one(self, bench: Bench) -> None:
        minted(bench.relay)
        for name in ("get_code", "deploy_nft_contract", "get_code"):
            call(bench.relay, valid_request(name))
        assert bench.rules() == []

    @pytest.mark.parametrize(("ms", "blamed"), [(13_999, 1), (14_000, 0)])
    def test_a_second_less_than_suggested_is_near_enough(self, bench: Bench, ms: int, blamed: int) -> None:
        call(bench.relay, valid_request("get_code"))
        bench.wait(ms)
        call(bench.relay, valid_request("get_code"))
        assert bench.rules() == ["polling-too-fast"] * blamed

    def test_once_there_is_code_nobody_waits_for_it(self, bench: Bench) -> None:
        done(bench.relay, "POST", f"nft/{CONTRACT_A}/deploy", {"outcome": "deployed"})
        for _ in range(3):
            call(bench.relay, valid_request("get_code"))
        assert bench.rules() == []

    def test_two_contracts_are_polled_apart(self, bench: Bench) -> None:
        call(bench.relay, valid_request("get_code"))
        call(bench.relay, valid_request("get_code").but(address="0x" + "0c" * 20))
        assert bench.rules() == []

    def test_letter_case_makes_no_other_contract(self, bench: Bench) -> None:
        call(bench.relay, valid_request("get_code"))
        call(bench.relay, valid_request("get_code").but(address="0x" + CONTRACT_A[2:].upper()))
        assert bench.rules() == ["polling-too-fast"]

    def test_nothing_is_said_while_time_stands_still(self) -> None:
        bench = Bench(rate=0)
        for _ in range(3):
            call(bench.relay, valid_request("get_code"))
        assert bench.rules() == []

    def test_only_so_many_contracts_are_kept(self, bench: Bench) -> None:
        for number in range(POLLS_MAX + 1):
            call(bench.relay, valid_request("get_code").but(address=f"0x{number:040x}"))
        call(bench.relay, valid_request("get_code").but(address=f"0x{0:040x}"))
        assert bench.rules() == []
        call(bench.relay, valid_request("get_code").but(address=f"0x{POLLS_MAX:040x}"))
        assert bench.rules() == ["polling-too-fast"]
