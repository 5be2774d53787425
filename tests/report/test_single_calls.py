"""What single calls show, each under its rule."""

from __future__ import annotations

import pytest

from tests.report.bench import Bench
from tests.support.calls import Request, bid, call, order, valid_request
from tests.support.client import done, post

TOKENS = "/api/v2/exchange/tokens"


class TestForms:
    """What single calls show."""

    def test_the_nearest_field_is_named(self, bench: Bench) -> None:
        call(bench.relay, order(1, clientOrderID="x", zzzz=1))
        call(bench.relay, Request("get_ticker", {"market": "LRC-ETH", "markt": "LRC-ETH"}))
        assert [finding["detail"] for finding in bench.findings("unknown-field")] == [
            "clientOrderID: the endpoint has no such field; 'clientOrderId' is near it",
            "zzzz: the endpoint has no such field",
            "markt: the endpoint has no such field; 'market' is near it",
        ]

    def test_the_first_flaw_of_each_rule_is_told(self, bench: Bench) -> None:
        call(bench.relay, order("1", amountS=5, amountB=6, label=-1).without("buy"))  # type: ignore[arg-type]
        assert sorted(bench.rules()) == ["number-for-string", "shape", "string-for-number"]

    def test_what_lenient_numbers_let_pass_is_told_too(self) -> None:
        bench = Bench({"http.numbers": "lenient"})
        answer = call(bench.relay, order("1", amountS=10**20))  # type: ignore[arg-type]
        assert answer.code == 0
        assert sorted(bench.rules()) == ["number-for-string", "string-for-number"]

    def test_a_word_in_a_query_is_no_number_in_quotes(self, bench: Bench) -> None:
        call(bench.relay, valid_request("get_orders").but(limit="ten"))
        assert bench.rules() == ["shape"]

    @pytest.mark.parametrize(("start", "blamed"), [(10**8 - 1, 0), (10**8, 1), (10**11 - 1, 1), (10**11, 0)])
    def test_what_looks_like_seconds(self, bench: Bench, start: int, blamed: int) -> None:
        call(bench.relay, valid_request("get_candlestick").but(start=start))
        assert (
            bench.findings("seconds-for-milliseconds")
            == [
                {
                    "rule": "seconds-for-milliseconds",
                    "detail": f"get_candlestick: start: {start} looks like seconds, milliseconds are meant",
                    "level": "error",
                    "fails": True,
                    "fix": "Multiply by 1000: `start` and `end` are in milliseconds (Conventions 4).",
                    "request": "r1",
                    "source": "call",
                }
            ]
            * blamed
        )

    @pytest.mark.parametrize(
        ("request_", "field"),
        [
            (order(1, amountS=str(10**15 - 1)), "amountS"),
            (order(1, amountS="1"), "amountS"),
            (bid(1, lrc=10**15 - 1), "amountB"),
            (valid_request("submit_withdrawal").but(token={"tokenId": 1, "volume": "5"}), "token.volume"),
        ],
    )
    def test_an_amount_below_precision_is_named(self, request_: Request, field: str) -> None:
        """LRC with three decimals of its eighteen: less than 10^15 counts as zero. Below the minimum as well."""
        bench = Bench(edit=("{symbol: LRC, ", "{symbol: LRC, precision: 3, "))
        call(bench.relay, request_)
        (finding,) = bench.findings("amount-below-precision")
        assert finding["detail"].startswith(f"{field}: ")
        assert finding["detail"].endswith(" counts as zero: LRC has a precision of 3 decimals")

    def test_a_storage_id_is_taken_by_one_request(self, bench: Bench) -> None:
        given = valid_request("submit_withdrawal")
        for volume in ("1000", "1000", "2000"):
            call(bench.relay, given.but(token={"tokenId": 1, "volume": volume}))
        (finding,) = bench.findings("reused-id")
        assert finding["request"] == "r3"

    def test_orders_and_requests_may_share_their_ids(self) -> None:
        bench = Bench({"storage_id.space": "shared"})
        given = valid_request("submit_withdrawal").but(storageId=3)
        call(bench.relay, order(3))
        call(bench.relay, given)
        call(bench.relay, given.but(storageId=5))
        call(bench.relay, order(5, amountS="1000"))
        assert [finding["request"] for finding in bench.findings("reused-id")] == ["r2", "r4"]

    def test_an_order_that_is_refused_for_its_repeated_client_id_is_found_too(self) -> None:
        bench = Bench({"order.repeated_client_id": "refuse"})
        call(bench.relay, order(1, clientOrderId="a"))
        assert call(bench.relay, order(2, clientOrderId="a")).code == 102120
        assert bench.rules() == ["reused-client-order-id"]

    def test_a_wrong_method_is_foreign_too(self, bench: Bench) -> None:
        post(bench.relay, TOKENS, {})
        assert bench.rules() == ["foreign-path"]

    def test_the_value_of_a_secret_field_is_left_out(self, bench: Bench) -> None:
        call(bench.relay, order(1, signatureRx=123456789))
        call(bench.relay, order(2, signatureRx='se"cret'))
        result = [finding["detail"] for finding in done(bench.relay, "GET", "findings")]
        assert result[0] == (
            "submit_order: signatureRx: (masked) is an integer, not a string: "
            "a part of a signature, a whole number in digits is meant"
        )
        assert not any("123456789" in each or "cret" in each for each in result)

    def test_in_a_world_of_1970_a_small_number_is_a_moment_like_any_other(self) -> None:
        bench = Bench(start_ms=10**10)
        call(bench.relay, valid_request("get_candlestick").but(start=10**9))
        assert bench.rules() == []
