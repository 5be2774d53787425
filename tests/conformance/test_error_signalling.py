"""Row 11 of the trouble list: one error shape everywhere, whatever went wrong."""

from __future__ import annotations

import json

import pytest

from tests.conformance.checks import refused, refused_call
from tests.conformance.transcript import BY_NAME, ROWS, Row
from tests.support.bodies import E18
from tests.support.calls import call, order, valid_request
from tests.support.client import digest, post, send
from tests.support.worlds import world

POOR = order(amountS=str(10_000 * E18 + 1))
POSTS = [row for row in ROWS if row.method == "POST"]


class TestErrorSignalling:
    """Row 11: one error shape everywhere; only the HTTP status differs between the modes."""

    @pytest.mark.parametrize(("mode", "statuses"), [("split", (200, 400)), ("200", (200, 200)), ("400", (400, 400))])
    def test_status_follows_the_mode_and_nothing_else_does(self, mode: str, statuses: tuple[int, int]) -> None:
        """The same failing order and the same failing bare call under each mode."""
        relay, usual = world({"http.error_status": mode}), world()
        for request, status in ((POOR, statuses[0]), (valid_request("get_order_fee").but(market="x"), statuses[1])):
            answer, plain = call(relay, request), call(usual, request)
            assert (answer.status, answer.body) == (status, plain.body)
            refused(answer, status, {plain.code})

    def test_bare_withdrawal_with_a_wrong_exchange_is_102001(self) -> None:
        """Exchange `"2"` is no exchange of ours, whatever its form; the answer has resultInfo although it is bare."""
        relay = world()
        answer = call(relay, valid_request("submit_withdrawal").but(exchange="2"))
        refused_call(answer, "submit_withdrawal", {102001}, "exchange")

    @pytest.mark.parametrize(
        "path", ["/", "/api", "/api/v2/nothing", "/api/v3/order/", "/API/v3/order", "/api/v4/order"]
    )
    @pytest.mark.parametrize("method", ["GET", "POST"])
    def test_unknown_path_is_404_in_the_same_shape(self, method: str, path: str) -> None:
        """100000, and the message names the path."""
        refused(send(world(), method, path), 404, {100000}, path)

    @pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
    def test_wrong_method_is_405_in_the_same_shape(self, row: Row) -> None:
        """The other method, and DELETE, PUT, PATCH on every path; the message names the method."""
        relay = world()
        other = "GET" if row.method == "POST" else "POST"
        for method in (other, "PUT", "DELETE", "PATCH"):
            refused(send(relay, method, row.path), 405, {100000}, method)

    @pytest.mark.parametrize("row", POSTS, ids=[row.name for row in POSTS])
    def test_body_beyond_a_mebibyte_is_413_in_the_same_shape(self, row: Row) -> None:
        """Two megabytes are too much for every endpoint; the world stays."""
        relay = world()
        before = digest(relay)
        body = b'{"memo": "' + b"x" * 2_000_000 + b'"}'
        answer = send(relay, "POST", row.path, body=body, signature="x")
        refused(answer, 413, {100000})
        assert digest(relay) == before

    def test_body_of_just_a_mebibyte_is_read(self) -> None:
        """1 MiB is not over 1 MiB: a valid order padded with blanks to that size is taken."""
        body = json.dumps(order().fields).encode()
        answer = post(world(), BY_NAME["submit_order"].path, body + b" " * (2**20 - len(body)))
        assert answer.code == 0
