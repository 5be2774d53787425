"""Relayers that are no mockrelay: read within their limits, and garbage is told, not stumbled over."""

from __future__ import annotations

import pytest

from mockrelay.check import Account, CannotCheck, Options, Outcome, check_relayer, rules
from mockrelay.check.checking import CASES, READ_ONLY
from mockrelay.client.http import HttpRequest, HttpResponse
from mockrelay.spec.lint_rules import Rule
from tests.check.in_process import BASE, InProcess, quiet, without_waiting
from tests.support.client import account
from tests.support.worlds import relay_from

ALICE = Account(10001, str(account(relay_from(), "alice")["owner"]), str(account(relay_from(), "alice")["apiKey"]))
ANYBODY = Options()


@pytest.fixture(autouse=True)
def waited_ms(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    return without_waiting(monkeypatch)


def found_of(
    body: bytes, *, status: int = 200, media_type: str = "application/json", options: Options = ANYBODY
) -> Outcome:
    """What is found in a relayer that always answers the same."""
    headers = {"content-type": media_type, "content-length": str(len(body))}
    return check_relayer(lambda sent: HttpResponse(status, headers, body), BASE, options, quiet)


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        (b"", rules.NOT_JSON),
        (b"<html>", rules.NOT_JSON),
        (b"\xff\xfe", rules.NOT_JSON),
        (b'{"a":NaN}', rules.NOT_JSON),
        (b'{"a":1,"a":1}', rules.NOT_JSON),
        (b"[" * 100_000, rules.NOT_JSON),
        (b"null", rules.ENVELOPE),
        (b"[]", rules.ENVELOPE),
        (b"7", rules.ENVELOPE),
        (b'"ok"', rules.ENVELOPE),
        (b"{}", rules.ENVELOPE),
        (b'{"resultInfo":7}', rules.SHAPE),
        (b'{"resultInfo":{"code":"0"}}', rules.SHAPE),
        (b'{"resultInfo":{"code":0,"message":"SUCCESS"},"data":{"tokenId":"\\ud800"}}', rules.SHAPE),
        (b'{"resultInfo":{"code":true,"message":""},"data":null}', rules.SHAPE),
        (b'{"resultInfo":{"code":31,"message":"no"}}', rules.UNLISTED_CODE),
        (b'{"code":0,"message":"SUCCESS"}', rules.ENVELOPE),
    ],
)
def test_garbage_is_told_as_what_it_is(body: bytes, rule: Rule) -> None:
    outcome = found_of(body, options=Options(ALICE))
    assert not outcome.is_mockrelay
    assert rule in {finding.rule for finding in outcome.report_findings}
    assert len(outcome.endpoints()) > 10


def test_another_media_type_and_another_status_are_told() -> None:
    body = b'{"resultInfo":{"code":104001,"message":"Empty ApiKey"}}'
    result = {finding.rule for finding in found_of(body, status=503, media_type="text/html").report_findings}
    assert {rules.CONTENT_TYPE, rules.STATUS} <= result


class Foreign:
    """The same server, which does not say that it is a mockrelay."""

    def __init__(self, server: InProcess) -> None:
        self.server = server
        self.called: set[tuple[str, str]] = set()
        """Methods and paths."""

    def __call__(self, sent: HttpRequest) -> HttpResponse:
        if sent.target.startswith("/__mockrelay/"):
            return HttpResponse(404, {"content-type": "application/json"}, b"{}")
        self.called.add((sent.method, sent.target.partition("?")[0]))
        return self.server(sent)


def test_a_right_relayer_is_read_and_nothing_is_found() -> None:
    """With an account it is asked for its orders too; nothing is posted but the look-up of a contract's code."""
    server = InProcess(relay_from(limits="off"))
    foreign = Foreign(server)
    outcome = check_relayer(foreign, BASE, Options(ALICE), quiet)
    assert outcome.report_findings == ()
    posted = {path for method, path in foreign.called if method != "GET"}
    assert posted == {"/api/v3/delegator/getCode", "/api/v3/delegator/getCode/no-such-path"}
    assert server.relay.world.orders.by_hash == {}
    skipped = {case.group for case in outcome.cases if case.skipped == READ_ONLY}
    assert {"submit_order", "submit_transfer", "mint_nft", "deploy_nft_contract"} <= skipped
    checked = {case.group for case in outcome.cases if case.skipped is None}
    assert {"get_tokens", "get_depth", "get_orders", "get_account", "get_block"} <= checked


def test_without_an_account_what_needs_none_is_still_checked() -> None:
    outcome = check_relayer(Foreign(InProcess(relay_from(limits="off"))), BASE, Options(), quiet)
    assert outcome.report_findings == ()
    by_group = {case.group: case for case in outcome.cases if case.skipped is None}
    assert {"get_tokens", "get_orders", "get_broker", "get_code"} <= set(by_group)
    assert any(case.skipped and "--api-key is needed" in case.skipped for case in outcome.cases)


def test_everything_sends_wrong_submissions_alone() -> None:
    relay = relay_from(limits="off", choices={"signature.scheme": "protocol"})
    outcome = check_relayer(Foreign(InProcess(relay)), BASE, Options(ALICE, everything=True), quiet)
    assert outcome.report_findings == ()
    assert relay.world.orders.by_hash == {}
    assert relay.world.requests == {}
    checked = {case.group for case in outcome.cases if case.skipped is None}
    assert {"submit_order", "submit_transfer", "submit_withdrawal", "update_account"} <= checked


def test_everything_needs_an_account() -> None:
    with pytest.raises(CannotCheck, match="--account-id, --owner and --api-key"):
        check_relayer(Foreign(InProcess(relay_from())), BASE, Options(everything=True), quiet)


def test_calls_keep_to_the_limits_of_the_spec(waited_ms: list[int]) -> None:
    """A relayer that enforces them sees none of them broken, whose clock goes with the one that is waited for."""
    server = InProcess(relay_from(limits="spec"))
    foreign = Foreign(server)
    result = 0

    def exchange(sent: HttpRequest) -> HttpResponse:
        nonlocal result
        server.relay.advance(sum(waited_ms[result:]))
        result = len(waited_ms)
        return foreign(sent)

    assert check_relayer(exchange, BASE, Options(ALICE), quiet).report_findings == ()
    assert waited_ms != []


def test_a_refusal_by_rate_within_the_limits_is_told() -> None:
    body = b'{"resultInfo":{"code":100000,"message":"Unknown error: too fast"}}'
    assert {finding.rule for finding in found_of(body, status=429).report_findings} >= {rules.LIMIT}


def test_a_relayer_that_does_not_answer_is_no_finding() -> None:
    with pytest.raises(CannotCheck, match="does not answer: the connection is refused"):
        check_relayer(lambda sent: HttpResponse(0, {}, b"", "the connection is refused"), BASE, Options(), quiet)


def test_cases_for_other_relayers_need_no_world() -> None:
    """Those that write submit wrong things alone."""
    assert {case.name for case in CASES if case.on_others} == {
        "API keys of submissions",
        "fields of submissions",
        "wrong submissions",
    }
