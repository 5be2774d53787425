"""From an address to what was found there."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from mockrelay.check.acts import ACTS, BASIC
from mockrelay.check.facts import Facts, Missing, Person, facts_of
from mockrelay.check.pace import Pace
from mockrelay.check.readings import Reading
from mockrelay.check.rows import FORM_ROWS, Act, Row
from mockrelay.check.run import Found, Lost, Run
from mockrelay.check.steering import Steering, Unreachable
from mockrelay.client.http import Exchange
from mockrelay.report.report_finding import Case, Remark

READ_ONLY = "submissions are made on a mockrelay only, or under --everything"


class Account(NamedTuple):
    """The account in whose name a relayer is asked that is no mockrelay. What is None is not asked for."""

    account_id: int | None = None
    owner: str | None = None
    api_key: str | None = None

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left open."""
        return None not in self


class Wish(NamedTuple):
    """What is to be checked, and how."""

    account: Account = Account()
    token: str | None = None
    """What a mockrelay's control API asks for."""
    everything: bool = False
    """Whether a relayer that is no mockrelay is sent submissions too: wrong ones alone, without right signatures."""
    only: str | None = None
    """The one endpoint that is checked; None: all."""
    market: str | None = None
    """The market to look at; None: the first that is found."""


class Outcome(NamedTuple):
    """What was found."""

    is_ours: bool
    """Whether it is a mockrelay."""
    found: tuple[Found, ...]
    readings: tuple[Reading, ...]
    cases: tuple[Case, ...]
    calls: int
    checks: int
    """How often something was held to what it should be."""
    only: str | None = None
    """The one endpoint that was checked; None: all."""
    stranger: str = ""
    """The first call and its answer, where no call was answered as a relayer would; else empty."""

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """What is wrong, in the order in which it was found."""
        return tuple(found.remark for found in self.found)

    def endpoints(self) -> set[str]:
        """The endpoints that something is wrong with."""
        return {found.row.endpoint for found in self.found}


Progress = Callable[[str, int, int, int], None]
"""Is told the act, how many are done, how many there are, and the number of calls."""


def check(exchange: Exchange, base: str, wish: Wish, progress: Progress, whole: tuple[Act, ...] = ACTS) -> Outcome:
    """Check the relayer at an address, which `exchange` reaches, by the acts of `whole`. Raises Unreachable where nothing
    answers there, and where a wish cannot be met.
    """
    steering = Steering(exchange, base, wish.token)
    is_ours = steering.health() is not None
    acts = [act for act in whole if wish.only is None or act.name in BASIC or act.is_about(wish.only)]
    if not is_ours:
        if wish.everything and not wish.account.is_whole:
            raise Unreachable(
                "--everything on a relayer that is no mockrelay needs --account-id, --owner and --api-key"
            )
        facts = Facts(Person(*wish.account))
        facts.markets = [wish.market] if wish.market else []
        return _played(exchange, Pace.of_wall(), facts, None, acts, wish, progress)
    steering.enter()
    try:
        facts = facts_of(steering)
        if wish.market is not None:
            facts.look_at(wish.market)
        pace = Pace(lambda: steering.now_ms, steering.advance, 0)
        return _played(steering.in_world, pace, facts, steering, acts, wish, progress)
    finally:
        steering.leave()


def _played(
    exchange: Exchange,
    pace: Pace,
    facts: Facts,
    steering: Steering | None,
    acts: list[Act],
    wish: Wish,
    progress: Progress,
) -> Outcome:
    rows = [row for act in acts for row in act.rows]
    done = 0
    name = ""

    def tell(calls: int) -> None:
        progress(name, done, len(acts), calls)

    run = Run(exchange, pace, facts, steering, rows, tell, wish.only)
    for done, act in enumerate(acts):  # noqa: B007  # the closure above reads it
        name = act.name
        may_write = not act.writes or steering is not None or (wish.everything and act.foreign)
        if not may_write:
            why = "it needs a relayer that can be steered" if wish.everything else READ_ONLY
            for row in act.rows:
                run.missing(row.endpoint, why, row.id)
            continue
        tell(run.calls)
        try:
            act.play(run)
        except Lost:
            continue
        except Missing as missing:
            for row in act.rows:
                run.missing(row.endpoint, str(missing), row.id)
    done, name = len(acts), "done"
    tell(run.calls)
    cases = tuple(_cases(run, [*FORM_ROWS, *rows]))
    checks = sum(run.reached.values())
    stranger = "" if run.is_of_a_relayer or run.first is None else f"{run.first.ask}: {run.first}"
    readings = tuple(run.readings.all())
    return Outcome(steering is not None, tuple(run.found), readings, cases, run.calls, checks, wish.only, stranger)


def _cases(run: Run, rows: list[Row]) -> list[Case]:
    """Each check once: what failed, or why it was not made."""
    cases = []
    for row in dict.fromkeys(rows):
        if run.only not in (None, row.endpoint):
            continue
        failures = [f"{one.remark.asked}: {one.remark.finding.detail}" for one in run.found if one.row == row]
        is_made = (row.endpoint, row.id) in run.reached
        why = (
            run.skipped.get((row.endpoint, row.id))
            or run.skipped.get((row.endpoint, ""))
            or "an answer that it needs did not come"
        )
        cases.append(Case(row.endpoint, row.told, "\n".join(failures) or None, None if is_made or failures else why))
    return cases
