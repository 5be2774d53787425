"""What must not pass in silence fails the test that it happened in, in the call phase, and says what was meant."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import Run

UNKNOWN = "call(relayer.url, 'GET', '/api/v2/oders?accountId=10001')"
UNFIRED = "relayer.fault('submit_order', code=102014)"
FINDING = "call(relayer.url, 'GET', '/api/v2/ticker?market=LRC-ETH&more=1', relayer.account('alice').headers)"


def source(body: str, marker: str = "", fixture: str = "relayer") -> str:
    """A test file with one test."""
    mark = f"@pytest.mark.relayer({marker})\n" if marker else ""
    return f"import pytest\nfrom api import call\n\n{mark}def test_it({fixture}):\n    {body}\n"


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        (UNKNOWN, ["*unknown_path [[]r1]: GET /api/v2/oders?accountId=10001 *meant: '/api/v2/orders'"]),
        (UNFIRED, ["*unfired_fault: *on submit_order never fired*; meant: a call of submit_order, or no fault"]),
        ("call(relayer.url, 'PUT', '/api/v3/order')", ["*unknown_path [[]r1]: PUT /api/v3/order *"]),
    ],
)
def test_it_fails_the_test_with_request_reason_and_what_was_meant(run: Run, body: str, lines: list[str]) -> None:
    result = run(source(body))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(lines)
    run(source(f"relayer = make_relayer(); {body}", fixture="make_relayer")).assert_outcomes(failed=1)


@pytest.mark.parametrize(("body", "kind"), [(UNKNOWN, "unknown_path"), (UNFIRED, "unfired_fault")])
def test_it_may_pass_where_the_test_says_so(run: Run, body: str, kind: str) -> None:
    """By the marker, by the option, for all kinds at once, and from inside the test."""
    for marker in (f"allow={kind!r}", f"allow=['finding', {kind!r}]", "allow='all'"):
        run(source(body, marker)).assert_outcomes(passed=1)
    run(source(body), f"--mockrelay-allow={kind}").assert_outcomes(passed=1)
    run(source(f"relayer.allow({kind!r}); {body}")).assert_outcomes(passed=1)
    other = "unfired_fault" if kind == "unknown_path" else "unknown_path"
    run(source(body, f"allow={other!r}")).assert_outcomes(failed=1)


def test_a_finding_fails_the_test_under_strict_alone(run: Run) -> None:
    """Also a shape refusal is one; `allow="finding"` lets them pass again."""
    run(source(FINDING)).assert_outcomes(passed=1)
    result = run(source(FINDING, "strict=True"))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*unknown-field [[]r1]: *more*; fix: Leave it out*"])
    run(source(FINDING), "--mockrelay-strict").assert_outcomes(failed=1)
    for allowed in ("finding", "unknown-field"):
        run(source(FINDING, f"strict=True, allow={allowed!r}")).assert_outcomes(passed=1)
    refused = "call(relayer.url, 'GET', '/api/v2/ticker', relayer.account('alice').headers)"
    run(source(refused)).assert_outcomes(passed=1)
    run(source(refused, "strict=True")).assert_outcomes(failed=1)


def _retried(again: str) -> str:
    """The body of a test in which an order is sent again, as it was or changed, before its outcome is read."""
    return (
        "from api import sale; order = sale(relayer); alice = relayer.account('alice').headers; "
        "relayer.fault('submit_order', status=503, at='after'); "
        f"[call(relayer.url, 'POST', '/api/v3/order', alice, each) for each in (order, {again})]"
    )


MISTAKES = {
    "milliseconds-for-seconds": "from api import sale; call(relayer.url, 'POST', '/api/v3/order', "
    "relayer.account('alice').headers, sale(relayer) | {'validUntil': relayer.clock.now_ms + 10**10})",
    "seconds-for-milliseconds": "call(relayer.url, 'GET', '/api/v2/orders?accountId=10001&start=1767225600', "
    "relayer.account('alice').headers)",
    "foreign-path": UNKNOWN,
    "post-retried-without-looking": _retried("order"),
    "changed-retry-without-looking": _retried("order | {'validUntil': order['validUntil'] + 1}"),
}


@pytest.mark.parametrize("rule", MISTAKES)
def test_a_mistake_beyond_doubt_fails_the_test_unless_its_rule_is_allowed(run: Run, rule: str) -> None:
    """Without `strict`; the first words of the failure are the rule, or the kind of problem that it is."""
    result = run(source(MISTAKES[rule]))
    result.assert_outcomes(failed=1)
    first = "unknown_path" if rule == "foreign-path" else rule
    result.stdout.fnmatch_lines(
        [f"{first} [[]r[12]]: *", f"*allow=[[]'{first}']*", f"FAILED *::test_it - Failed: {first} *"]
    )
    run(source(MISTAKES[rule], f"allow=[{rule!r}]")).assert_outcomes(passed=1)
    run(source(MISTAKES[rule]), f"--mockrelay-allow={rule}").assert_outcomes(passed=1)
    run(source(f"relayer.allow({rule!r}); {MISTAKES[rule]}")).assert_outcomes(passed=1)


@pytest.mark.parametrize(
    "back", ["snapshot.restore()", "relayer.restore('s')", "relayer.load(dump)", "relayer.reset()"]
)
def test_a_state_that_comes_back_takes_no_finding_along(run: Run, back: str) -> None:
    """Of the test's own relayer and of one of the session; once each, also where the state that comes back has it."""
    rule = "seconds-for-milliseconds"
    body = f"""
    {{0}}
    snapshot, dump = relayer.snapshot('s'), relayer.dump()
    {{1}}
    {MISTAKES[rule]}
    {FINDING}
    {back}
    """
    first = "relayer = make_session_relayer()" if back == "snapshot.restore()" else ""
    fixture = "make_session_relayer" if first else "relayer"
    result = run(source(body.format(first, ""), fixture=fixture))
    result.assert_outcomes(failed=1)
    assert sum(line.startswith(f"{rule} [r1]: ") for line in result.outlines) == 1
    result.stdout.fnmatch_lines(["findings: 2:", f"  {rule} [[]r1]: *", "  unknown-field [[]r2]: *"])
    run(source(body.format(first, "") + f"relayer.allow({rule!r})", fixture=fixture)).assert_outcomes(passed=1)
    again = run(source(body.format(first, MISTAKES[rule] + "; relayer.snapshot('s').take()"), fixture=fixture))
    assert sum(line.startswith(f"{rule} [r") for line in again.outlines) == 2


def test_a_green_run_counts_its_findings_by_rule(run: Run) -> None:
    """In one line, over resets and relayers; a run without findings says nothing."""
    line = "mockrelay: 3 findings about the client (--mockrelay-strict fails): unknown-field 3"
    body = f"{FINDING}; relayer.reset(); {FINDING}; relayer = make_relayer(); {FINDING}"
    result = run(source(body, fixture="relayer, make_relayer"))
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([line])
    run(source("call(relayer.url, 'GET', '/api/v3/getAvailableBroker')")).stdout.no_fnmatch_line(
        "mockrelay: *about the client*"
    )


def test_a_fault_that_fired_too_seldom_is_no_better_than_one_that_never_did(run: Run) -> None:
    body = "from api import sell; fault = relayer.fault('submit_order', code=102014, times=2); sell(relayer)"
    result = run(source(body))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["unfired_fault: the fault f1 on submit_order fired 1 of 2: 1 call of it came, 1 fits; *"]
    )
    run(source(f"{body}; fault.remove()")).assert_outcomes(passed=1)
    run(source(f"{body}; sell(relayer)")).assert_outcomes(passed=1)
    inside = (
        "from api import sell\n    with relayer.fault('submit_order', code=102014, times=2):\n        sell(relayer)"
    )
    run(source(inside)).assert_outcomes(passed=1)


def test_a_test_that_failed_keeps_its_own_failure(run: Run) -> None:
    result = run(source(f"{UNKNOWN}; {UNFIRED}; assert 1 == 2, 'its own'"))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E*AssertionError: its own*"])
    result.stdout.no_fnmatch_line("*no assertion asked for it*")


def test_a_fault_that_was_removed_need_not_have_fired(run: Run) -> None:
    run(source(f"{UNFIRED}.remove()")).assert_outcomes(passed=1)


def test_a_fault_that_fired_is_no_problem(run: Run) -> None:
    body = "from api import sell; fault = relayer.fault('submit_order', code=102014); sell(relayer)"
    run(source(f"{body}; assert fault.fired == 1")).assert_outcomes(passed=1)


def test_methods_of_unittest_are_tests_too(run: Run) -> None:
    result = run(
        """
        import unittest
        import pytest
        from api import call

        class TestIt(unittest.TestCase):
            @pytest.fixture(autouse=True)
            def _relayer(self, relayer):
                self.relayer = relayer

            def test_own(self):
                call(self.relayer.url, "GET", "/nowhere")
                self.assertEqual(1, 2, "its own")

            def test_silent(self):
                call(self.relayer.url, "GET", "/nowhere")
        """
    )
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*its own*", "*no assertion asked for it*"])


def test_a_finding_of_a_session_relayer_fails_its_own_test_however_many_came_before(run: Run) -> None:
    """Of each rule the first few are shown."""
    late = "call(shared.url, 'GET', '/api/v2/orders?accountId=10001&start=1767225600', shared.account('alice').headers)"
    source = f"""
        import pytest
        from api import call

        @pytest.fixture(scope="session")
        def shared(make_session_relayer):
            return make_session_relayer()

        def test_one(shared):
            for _ in range(5):
                {late}

        def test_two(shared):
            {late}

        def test_three(shared): pass
    """
    result = run(source)
    result.assert_outcomes(passed=1, failed=2)
    first = [line for line in result.outlines if line.startswith("seconds-for-milliseconds")]
    assert [line.partition(":")[0] for line in first] == [
        *(f"seconds-for-milliseconds [r{number}]" for number in (1, 2, 3)),
        "seconds-for-milliseconds",
        "seconds-for-milliseconds [r6]",
    ]
    assert first[3] == "seconds-for-milliseconds: and 2 more"


def test_what_a_session_relayer_is_told_at_its_end_is_its_faults_alone(run: Run) -> None:
    """What else there was has failed the test that it happened in, or was allowed there."""
    source = """
        import pytest
        from api import call

        @pytest.fixture(scope="session")
        def shared(make_session_relayer):
            relayer = make_session_relayer()
            call(relayer.url, 'GET', '/api/v2/orders?accountId=10001&start=1767225600', relayer.account('alice').headers)
            return relayer

        def test_one(shared): pass
    """
    run(source).assert_outcomes(passed=1)


def test_a_relayer_of_the_session_fails_the_test_in_which_it_happened(run: Run) -> None:
    """And a fault of it that never fired is told when it ends."""
    source = """
        import pytest
        from api import call

        @pytest.fixture(scope="session")
        def shared(make_session_relayer):
            return make_session_relayer()

        def test_one(shared): pass
        def test_two(shared): call(shared.url, "GET", "/nowhere")
        def test_three(shared): call(shared.url, "GET", "/api/v3/getAvailableBroker")
        def test_four(shared): {}
    """
    result = run(source.format("pass"))
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["FAILED test_it.py::test_two*"])
    result = run(source.replace("/nowhere", "/api/v3/getAvailableBroker").format("shared.fault('get_code', code=7)"))
    result.assert_outcomes(passed=4, errors=1)
    result.stdout.fnmatch_lines(["*unfired_fault: *on get_code never fired*"])


def test_the_report_of_a_red_test_tells_what_its_relayer_knows(run: Run) -> None:
    """The last calls, why the last refused one was refused, the choices that were met, the clock and the start."""
    result = run(
        """
        from api import call, orders, sale

        def test_it(relayer, make_relayer):
            other = make_relayer(limits="spec")
            call(relayer.url, "POST", "/api/v3/order", relayer.account("alice").headers, sale(relayer) | {"more": 1})
            for _ in range(12):
                orders(relayer)
            call(relayer.url, "GET", "/api/v2/orders?accountId=10002", relayer.account("alice").headers)
            relayer.clock.advance("15s")
            relayer.assert_called("submit_order", body={"orderId": 1, "accountId": 10001})
        """,
        "--mockrelay-start=2030-01-01T00:00:00Z",
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "E*AssertionError: submit_order was called 0 times with orderId = 1, accountId = 10001; at least once expected",
            "E*r1 POST /api/v3/order -> 200 code 0",
            "E*orderId: wanted 1, found 0",
            "*- mockrelay -*",
            "clock: 2030-01-01T00:00:15Z, rate 0",
            "scenario: default, seed 1; this run again: --mockrelay-start=2030-01-01T00:00:00Z",
            "calls: 14, the last 10:",
            "  r5 GET /api/v2/orders?accountId=10001 (get_orders) -> 200 code 0",
            "  r14 GET /api/v2/orders?accountId=10002 (get_orders) -> 200 code 104003",
            "why r14 was answered so:",
            "  refused at the step 'rules' with 104003 *",
            "findings: 1:",
            "  unknown-field [[]r1]: *more*; fix: Leave it out, *",
            "choices that were met and matter:",
            "  http.error_status=split",
        ]
    )
    result.stdout.no_fnmatch_line("*signature.scheme*")
    result.stdout.no_fnmatch_line("*r4 GET*")


def test_the_report_of_a_red_test_tells_of_those_that_were_called(run: Run) -> None:
    """The first few of them by number; where none was called, of the first."""
    called = "[call(each.url, 'GET', '/api/v3/getAvailableBroker') for each in relayers[1::2]]"
    result = run(source(f"relayers = [make_relayer() for _ in range(20)]; {called}; assert 0", fixture="make_relayer"))
    shown = [line for line in result.outlines if "- mockrelay" in line]
    assert [line.strip("- ") for line in shown] == [f"mockrelay, relayer {number}" for number in (2, 4, 6, 8, 10)]
    result = run(source("relayers = [make_relayer() for _ in range(20)]; assert 0", fixture="make_relayer"))
    result.stdout.fnmatch_lines(["*- mockrelay -*", "calls: 0"])


def test_a_relayer_that_cannot_be_asked_leaves_a_red_test_its_own_failure(run: Run) -> None:
    source = """
    def test_red(relayer, monkeypatch):
        relayer.control
        monkeypatch.setattr("mockrelay.testing.control.handle_control", None)
        assert 1 == 2
    """
    result = run(source)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*assert 1 == 2", "the relayer cannot be asked: TypeError: *"])


def test_the_report_of_a_green_test_tells_nothing(run: Run) -> None:
    run(source("relayer.account('alice')"), "-rA").stdout.no_fnmatch_line("*- mockrelay -*")


def test_an_exception_inside_the_relayer_fails_the_test(run: Run) -> None:
    """Here a verifier of the user's own: it is theirs, with its traceback; the client has seen an answer in the API's shape."""
    body = (
        "from api import sell; relayer = make_relayer(verifier=lambda account, request: 1 // 0); "
        "assert sell(relayer)['resultInfo']['code'] == 100000"
    )
    result = run(source(body, fixture="make_relayer"))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "callback_failed [[]r1]: POST /api/v3/order: the relayer's own `verifier` failed: ZeroDivisionError: *",
            "Traceback (most recent call last):",
            "*test_it.py*, line 5, in <lambda>*",
            "*r1 POST /api/v3/order (submit_order) -> 500 code 100000",
        ]
    )
    run(source(body, "allow='callback_failed'", fixture="make_relayer")).assert_outcomes(passed=1)


@pytest.mark.parametrize("fixture", ["relayer", "make_relayer"])
@pytest.mark.parametrize("where", ["setup", "teardown"])
def test_the_report_of_a_fixture_that_fails_tells_what_its_relayer_knows(run: Run, fixture: str, where: str) -> None:
    """Also where the relayer has ended by then: a fixture ends before those that it uses."""
    relayer = "relayer = make_relayer()" if fixture == "make_relayer" else "pass"
    result = run(
        f"""
        import pytest
        from api import orders

        @pytest.fixture
        def bot({fixture}):
            {relayer}
            {"yield" if where == "teardown" else "pass"}
            orders(relayer)
            assert False, "its own"

        def test_it(bot):
            pass

        def test_after_it(relayer):
            assert False
        """
    )
    report, _, after = result.stdout.str().partition("test_after_it _")
    assert "its own" in report
    assert "r1 GET /api/v2/orders?accountId=10001 (get_orders) -> 200 code 0" in report
    assert "calls: 0" in after
    assert "get_orders" not in after


def test_what_another_fixture_calls_at_its_end_is_heard_too(run: Run) -> None:
    fixture = f"@pytest.fixture\ndef late(relayer):\n    yield\n    {UNKNOWN}\n\n\n"
    text = f"import pytest\nfrom api import call\n\n\n{fixture}def test_it(late):\n    pass\n"
    result = run(text)
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*unknown_path [[]r1]: GET /api/v2/oders?accountId=10001 *"])
    result.stdout.fnmatch_lines(
        ["*- mockrelay -*", "calls: 1, the last 1:", "  r1 GET /api/v2/oders?* -> 404 code 100000"]
    )
    run(text.replace("    pass\n", "    assert False\n")).assert_outcomes(failed=1)
