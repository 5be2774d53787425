"""Rate limits, met on purpose: only in a world whose clock stands still."""

from __future__ import annotations

from mockrelay.check import rules
from mockrelay.check.answer import Answer
from mockrelay.check.calls import api_call
from mockrelay.check.checks import of_all_endpoints
from mockrelay.check.refusals import harmless_call
from mockrelay.check.run import CheckCase, Lost, Run
from mockrelay.client.call import ApiCall
from mockrelay.client.facts import Missing
from mockrelay.spec.endpoints import BY_NAME, ENDPOINTS

LIMIT = "rate"
_CHECKS = tuple(
    each
    for each in of_all_endpoints(LIMIT, "As many calls a second pass as are listed", "Limits")
    if BY_NAME[each.endpoint].per_second
)
_LISTED = {row.name: row.per_second for row in ENDPOINTS if row.per_second}
_SECOND_MS = 1000
_REFUSALS_BEFORE_BAN = 10
_UNLISTED_MAX = 5


def _limits(run: Run) -> None:
    met = False
    for endpoint, per_second in _LISTED.items():
        if run.only in (None, endpoint):
            try:
                met = _meet(run, harmless_call(run, endpoint), per_second) or met
            except (Lost, Missing):
                continue
    if met:
        _scope(run)
        _window(run)
        _unlisted(run)
        _ban(run)


def _fresh(run: Run) -> None:
    """Move to the beginning of a second in which no call counts any more."""
    run.world.advance(2 * _SECOND_MS + -run.world.now_ms % _SECOND_MS)


def _meet(run: Run, call: ApiCall, per_second: int) -> bool:
    """Make as many calls as a second allows, and one more; whether that one was refused."""
    _fresh(run)
    first = run.call_now(call, _ANY)
    for n in range(1, per_second):
        answer = run.send(call)
        passes = not _differs(answer, first)
        run.expect(LIMIT, answer, passes, f"call {n + 1} of {per_second} in a second: {answer}", rules.LIMIT)
    last = run.send(call)
    if not _differs(last, first):
        return False
    body = last.response.body
    is_html = "html" in last.response.headers.get("content-type", "")
    run.observe("rate.status", {str(last.response.status)}, last)
    run.observe("rate.body", {"empty" if not body else "html" if is_html else "result_info"}, last)
    run.observe("rate.retry_after", {last.response.headers.get("retry-after", "none")}, last)
    return True


_ANY = range(100_000, 109_000)
"""The code of a harmless call that is refused does not matter."""


def _differs(answer: Answer, first: Answer) -> bool:
    """Whether a call was answered in another way than the same one before it."""
    return (answer.response.status, answer.code) != (first.response.status, first.code)


def _gas(run: Run) -> ApiCall:
    return api_call(run, "get_gas_price")


def _exhaust(run: Run, call: ApiCall) -> Answer:
    """Make as many calls as a second allows; the answer to the first."""
    first = run.call_now(call)
    for _ in range(1, _LISTED[call.endpoint]):
        run.send(call)
    return first


def _scope(run: Run) -> None:
    """Whether the calls of one account count for another."""
    _fresh(run)
    first = _exhaust(run, _gas(run))
    other = run.send(_gas(run)._replace(key=run.facts.bob.api_key))
    run.observe("rate.scope", {"address", "global"} if _differs(other, first) else {"api_key"}, other)


def _window(run: Run) -> None:
    """Use up all calls shortly before the end of a second; which are allowed again shortly after depends on the window."""
    _fresh(run)
    run.world.advance(_SECOND_MS - 100)
    first = _exhaust(run, _gas(run))
    run.world.advance(200)
    one, two = run.send(_gas(run)), run.send(_gas(run))
    window = "sliding" if _differs(one, first) else "bucket" if _differs(two, first) else "second"
    run.observe("rate.window", {window}, two)


def _unlisted(run: Run) -> None:
    _fresh(run)
    call = api_call(run, "get_broker")
    first = run.call_now(call)
    answers = [run.send(call) for _ in range(_UNLISTED_MAX)]
    run.observe("rate.unlisted", {"5" if _differs(answers[-1], first) else "none"}, answers[-1])


def _ban(run: Run) -> None:
    """Whether many refusals in a row lead to a longer ban."""
    _fresh(run)
    first = _exhaust(run, _gas(run))
    for _ in range(_REFUSALS_BEFORE_BAN):
        run.send(_gas(run))
    _fresh(run)
    later = run.send(_gas(run))
    run.observe("rate.escalate", {"60s" if _differs(later, first) else "none"}, later)


LIMITS = CheckCase("limits", _limits, _CHECKS, writes=True)
