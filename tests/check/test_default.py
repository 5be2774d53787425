"""The default scenario keeps to the spec: the whole check, over a socket, finds nothing and leaves nothing behind."""

from __future__ import annotations

from typing import Any

import pytest

from mockrelay.check import CannotCheck, Options, Outcome, check_relayer, root_of
from mockrelay.check.checking import CASES
from mockrelay.client.http import HttpClient
from mockrelay.clock import Clock
from mockrelay.relay import Relay
from mockrelay.web import Serving, serve
from mockrelay.web.dispatch import Dispatcher
from mockrelay.web.hosted import WorldLimits
from mockrelay.web.server import bind
from tests.check.in_process import BASE, InProcess, quiet
from tests.conformance.transcript import ROWS
from tests.support.client import done
from tests.support.worlds import START_MS, relay_from

TIMEOUT_MS = 30_000
WHOLE = Options()


def over_socket(relay: Relay, options: Options = WHOLE, *, path: str = "", token: str | None = None) -> Outcome:
    with serve(relay, token=token) as server:
        base = root_of(server.url + path)
        http = HttpClient(base, TIMEOUT_MS)
        try:
            return check_relayer(http, base, options, quiet)
        finally:
            http.close()


@pytest.mark.parametrize("clock", [Clock.frozen(START_MS), Clock.running(1, START_MS)], ids=["frozen", "running"])
def test_nothing_is_found_and_every_check_is_made(clock: Clock) -> None:
    """On a frozen clock and on a running one: in its own world the check moves time by hand."""
    outcome = over_socket(Relay.from_scenario("default", clock=clock, limits="spec"))
    assert outcome.report_findings == ()
    assert outcome.is_mockrelay
    assert [case for case in outcome.cases if case.skipped or case.failure] == []
    assert {case.group for case in outcome.cases} == {row.name for row in ROWS}


def test_the_users_own_state_is_as_before_and_the_world_is_gone() -> None:
    relay = relay_from(limits="spec")
    before = done(relay, "GET", "state")
    server = InProcess(relay)
    check_relayer(server, BASE, Options(), quiet)
    assert done(relay, "GET", "state") == before
    assert done(relay, "GET", "requests")["total"] == 0
    assert server.worlds == {}


def test_a_world_that_is_there_is_left_alone() -> None:
    server = InProcess(relay_from())
    taken = f"check-{START_MS}-0"
    server.worlds[taken] = world = server.relay.spawn(taken)
    check_relayer(server, BASE, Options(only="get_tokens"), quiet)
    assert server.worlds == {taken: world}
    assert done(world, "GET", "requests")["total"] == 0


def test_of_a_world_the_server_is_checked() -> None:
    outcome = over_socket(relay_from(), Options(only="get_broker"), path="/w/mine")
    assert outcome.report_findings == ()
    assert root_of("http://host:1/w/mine") == "http://host:1"
    assert root_of("http://host:1/behind/w/mine/") == "http://host:1/behind"
    assert root_of("http://host:1") == "http://host:1"


def test_with_its_token_a_guarded_server_is_checked() -> None:
    assert over_socket(relay_from(), Options(token="open", only="get_broker"), token="open").report_findings == ()


def test_where_no_further_world_may_be_made_it_says_so() -> None:
    front = Dispatcher(relay_from(), world_limits=WorldLimits(0))
    with Serving(front, bind("127.0.0.1", 0, None)) as server:
        http = HttpClient(server.url, TIMEOUT_MS)
        with pytest.raises(CannotCheck, match="as many as may be"):
            check_relayer(http, server.url, Options(), quiet)
        http.close()


def test_outside_the_act_that_meets_them_the_limits_are_kept() -> None:
    """No path is called more often than its limit in any second of the relayer's, up to the last case."""
    server = InProcess(relay_from(limits="spec"))
    check_relayer(server, BASE, Options(), quiet, tuple(case for case in CASES if case.name != "limits"))
    for row in ROWS:
        times = [at_ms for path, at_ms in server.at_ms if path == row.path]
        limit = row.limit or 5
        assert [
            after - before for before, after in zip(times, times[limit:], strict=False) if after - before < 1000
        ] == []


def test_an_act_says_of_all_its_checks_whom_it_calls() -> None:
    for case in CASES:
        assert all(case.is_about(row.endpoint) for row in case.checks), case.name


def test_no_check_is_in_two_acts_and_each_says_where_the_spec_says_so() -> None:
    rows = [row for case in CASES for row in case.checks]
    ids = [(row.endpoint, row.id) for row in rows]
    assert len(set(ids)) == len(ids)
    assert all(row.section and row.holds for row in rows)


def test_one_endpoint_alone_can_be_checked() -> None:
    relay: Any = relay_from(limits="spec")
    outcome = check_relayer(InProcess(relay), BASE, Options(only="withdraw_nft"), quiet)
    assert outcome.report_findings == ()
    assert {case.group for case in outcome.cases} == {"withdraw_nft"}
    assert [case for case in outcome.cases if case.skipped] == []
