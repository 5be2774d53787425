"""Rate limits, met on purpose: only in a world whose clock stands still."""

from __future__ import annotations

from mockrelay.check import rules
from mockrelay.check.answers import Answer, Ask
from mockrelay.check.bodies import call
from mockrelay.check.facts import Missing
from mockrelay.check.refusals import harmless
from mockrelay.check.rows import Act, general
from mockrelay.check.run import Lost, Run
from mockrelay.spec.endpoints import BY_NAME, ENDPOINTS

LIMIT = "rate"
_ROWS = tuple(
    row
    for row in general(LIMIT, "As many calls a second pass as are listed", "Limits")
    if BY_NAME[row.endpoint].per_second
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
                met = _meet(run, harmless(run, endpoint), per_second) or met
            except (Lost, Missing):
                continue
    if met:
        _scope(run)
        _window(run)
        _unlisted(run)
        _ban(run)


def _fresh(run: Run) -> None:
    """Let everything that was counted be forgotten, up to the beginning of a second."""
    run.steered.advance(2 * _SECOND_MS + -run.steered.now_ms % _SECOND_MS)


def _meet(run: Run, ask: Ask, per_second: int) -> bool:
    """As many calls as may be in a second, and one more; whether that one was refused."""
    _fresh(run)
    first = run.ask_now(ask, _ANY)
    for n in range(1, per_second):
        answer = run.send(ask)
        passes = not _differs(answer, first)
        run.must(LIMIT, answer, passes, f"call {n + 1} of {per_second} in a second: {answer}", rules.LIMIT)
    last = run.send(ask)
    if not _differs(last, first):
        return False
    body = last.got.body
    is_html = "html" in last.got.headers.get("content-type", "")
    run.read("rate.status", {str(last.got.status)}, last)
    run.read("rate.body", {"empty" if not body else "html" if is_html else "result_info"}, last)
    run.read("rate.retry_after", {last.got.headers.get("retry-after", "none")}, last)
    return True


_ANY = range(100_000, 109_000)
"""Whatever a harmless call is refused with is of no concern here."""


def _differs(answer: Answer, first: Answer) -> bool:
    """Whether a call was answered in another way than the same one before it."""
    return (answer.got.status, answer.code) != (first.got.status, first.code)


def _gas(run: Run) -> Ask:
    return call(run, "get_gas_price")


def _exhaust(run: Run, ask: Ask) -> Answer:
    """Make as many calls as may be; the answer to the first."""
    first = run.ask_now(ask)
    for _ in range(1, _LISTED[ask.endpoint]):
        run.send(ask)
    return first


def _scope(run: Run) -> None:
    """Whether another account is refused for what this one has called."""
    assert run.facts.bob is not None
    _fresh(run)
    first = _exhaust(run, _gas(run))
    other = run.send(_gas(run)._replace(key=run.facts.bob.api_key))
    run.read("rate.scope", {"address", "global"} if _differs(other, first) else {"api_key"}, other)


def _window(run: Run) -> None:
    """Shortly before the end of a second all calls are used up; some of them may be free shortly after."""
    _fresh(run)
    run.steered.advance(_SECOND_MS - 100)
    first = _exhaust(run, _gas(run))
    run.steered.advance(200)
    one, two = run.send(_gas(run)), run.send(_gas(run))
    window = "sliding" if _differs(one, first) else "bucket" if _differs(two, first) else "second"
    run.read("rate.window", {window}, two)


def _unlisted(run: Run) -> None:
    _fresh(run)
    ask = call(run, "get_broker")
    first = run.ask_now(ask)
    answers = [run.send(ask) for _ in range(_UNLISTED_MAX)]
    run.read("rate.unlisted", {"5" if _differs(answers[-1], first) else "none"}, answers[-1])


def _ban(run: Run) -> None:
    """Whoever does not slow down may be kept out for longer."""
    _fresh(run)
    first = _exhaust(run, _gas(run))
    for _ in range(_REFUSALS_BEFORE_BAN):
        run.send(_gas(run))
    _fresh(run)
    later = run.send(_gas(run))
    run.read("rate.escalate", {"60s" if _differs(later, first) else "none"}, later)


LIMITS: tuple[Act, ...] = (Act("limits", _limits, _ROWS, writes=True),)
