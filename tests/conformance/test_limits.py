"""Rate limits on the relay's own clock: the last allowed call, the first refused, the first of the next second."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.conformance.checks import refused
from tests.conformance.transcript import ROWS, Row
from tests.support.answer import Answer
from tests.support.calls import call, order, valid_request
from tests.support.client import advance, digest
from tests.support.views import orders
from tests.support.worlds import world

LIMITED = [row for row in ROWS if row.limit is not None]
UNLIMITED = [row for row in ROWS if row.limit is None]


def refused_by_limiter(answer: Answer) -> None:
    """429 in the API's own shape, with 100000 and a second's patience asked for."""
    refused(answer, 429, {100000})
    assert answer.headers["retry-after"] == "1"


def test_21_limits() -> None:
    """The spec lists 21 limits; eight endpoints have none."""
    assert (len(LIMITED), len(UNLIMITED)) == (21, 8)


@pytest.mark.parametrize("row", LIMITED, ids=[f"{row.name}-{row.limit}" for row in LIMITED])
def test_last_allowed_first_refused_and_next_second(row: Row) -> None:
    """Exactly the limit passes in one clock second; the next second starts anew, not a millisecond earlier."""
    relay, request = world(limits="spec"), valid_request(row.name)
    assert row.limit is not None
    for _ in range(row.limit):
        assert call(relay, request).status != 429
    before = digest(relay)
    refused_by_limiter(call(relay, request))
    assert digest(relay) == before
    advance(relay, "999ms")
    refused_by_limiter(call(relay, request))
    advance(relay, "1ms")
    for _ in range(row.limit):
        assert call(relay, request).status != 429
    refused_by_limiter(call(relay, request))


@pytest.mark.parametrize("row", LIMITED, ids=[row.name for row in LIMITED])
def test_other_caller_and_other_endpoint_are_untouched(row: Row) -> None:
    """A limit counts for one endpoint and one account's key; without a key for one peer."""
    relay, request = world(limits="spec"), valid_request(row.name)
    for _ in range(row.limit or 0):
        call(relay, request)
    if row.key == "none":
        assert call(relay, request, remote="10.0.0.9").status != 429
    else:
        assert call(relay, request._replace(key="bob")).status != 429
        assert call(relay, request._replace(key=None)).status != 429
        assert call(relay, request, remote="10.0.0.9").status == 429
    for other in ROWS:
        if other.name != row.name:
            assert call(relay, valid_request(other.name)).status != 429
    refused_by_limiter(call(relay, request))


@pytest.mark.parametrize("row", UNLIMITED, ids=[row.name for row in UNLIMITED])
def test_endpoint_without_a_limit_is_never_limited(row: Row) -> None:
    """Two hundred calls in one second."""
    relay, request = world(limits="spec"), valid_request(row.name)
    assert all(call(relay, request).status != 429 for _ in range(200))


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_limiter_can_be_off(row: Row) -> None:
    """One setting, and no call is too many."""
    relay, request = world(limits="off"), valid_request(row.name)
    assert all(call(relay, request).status != 429 for _ in range(20))


def test_refused_calls_count() -> None:
    """A call that is refused for its shape or its key has still been a call."""
    relay = world(limits="spec")
    for _ in range(3):
        assert call(relay, valid_request("get_depth").but(level="x")).status == 200
    refused_by_limiter(call(relay, valid_request("get_depth")))
    for _ in range(3):
        assert call(relay, valid_request("get_account")._replace(key=None)).code == 104001
    refused_by_limiter(call(relay, valid_request("get_account")._replace(key="nobody")))


def test_refusals_by_the_limiter_do_not_count() -> None:
    """Twenty calls too many do not spoil the next second."""
    relay = world(limits="spec")
    for _ in range(20):
        call(relay, valid_request("get_depth"))
    advance(relay, "1s")
    assert [call(relay, valid_request("get_depth")).status for _ in range(4)] == [200, 200, 200, 429]


def test_window_is_the_clock_second() -> None:
    """Three calls at the end of one second and three at the start of the next are all allowed."""
    relay = world(limits="spec")
    advance(relay, "999ms")
    assert [call(relay, valid_request("get_depth")).status for _ in range(3)] == [200] * 3
    advance(relay, "1ms")
    assert [call(relay, valid_request("get_depth")).status for _ in range(4)] == [200, 200, 200, 429]


def test_orders_beyond_the_limit_leave_nothing_behind() -> None:
    """Of forty orders sent at once from eight threads exactly three are taken."""
    relay = world(limits="spec")
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda order_id: call(relay, order(order_id)), range(40)))
    assert sorted(answer.status for answer in answers) == [200] * 3 + [429] * 37
    assert len(orders(relay)) == 3
