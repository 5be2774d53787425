"""The whole check of the relayer at an address: its cases in order, and the outcome."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

from mockrelay.check.checks import FORM_CHECKS, Check
from mockrelay.check.limits import LIMITS
from mockrelay.check.market import FEES, MARKET
from mockrelay.check.nfts import MINTS, NFTS
from mockrelay.check.observed_choices import ObservedChoice
from mockrelay.check.orders import ORDERS
from mockrelay.check.own_world import CannotCheck, OwnWorld
from mockrelay.check.passing_time import PASSING_TIME
from mockrelay.check.reads import READS
from mockrelay.check.refusals import WRONG_DEPLOYMENTS, WRONG_READS, WRONG_SUBMISSIONS
from mockrelay.check.requests import ACCOUNT_UPDATES, TRANSFERS, WITHDRAWALS
from mockrelay.check.run import NEEDS_MOCKRELAY, CheckCase, CheckFinding, Lost, Run, Skipped
from mockrelay.check.throttle import Throttle
from mockrelay.check.trading import TRADING
from mockrelay.client.facts import Facts, Missing, Party
from mockrelay.client.http import Exchange
from mockrelay.report.formats.junit import Case
from mockrelay.report.report_finding import ReportFinding
from mockrelay.suggest import nearest

CASES: tuple[CheckCase, ...] = (
    *READS,
    FEES,
    *TRADING,
    *MARKET,
    *ORDERS,
    *TRANSFERS,
    WITHDRAWALS,
    MINTS,
    WRONG_DEPLOYMENTS,
    *NFTS,
    *WRONG_READS,
    *WRONG_SUBMISSIONS,
    PASSING_TIME,
    ACCOUNT_UPDATES,
    LIMITS,
)
"""In the order in which they are played: some rest on what earlier ones have made."""
BASIC = frozenset(("exchange", "account", "fee rates", "NFT look-ups", "mints"))
"""Cases that are always played: they find out what the others need."""
READ_ONLY = "submissions are made on a mockrelay only, or under --everything"


class Account(NamedTuple):
    """The account in whose name a relayer is called that is not a mockrelay. Calls that need what is None are not made."""

    account_id: int | None = None
    owner: str | None = None
    api_key: str | None = None


class Options(NamedTuple):
    """What is to be checked, and how."""

    account: Account = Account()
    token: str | None = None
    """The token of a mockrelay's control API."""
    everything: bool = False
    """Whether a relayer that is not a mockrelay is sent submissions too: wrong ones only, without right signatures."""
    only: str | None = None
    """The one endpoint that is checked; None: all."""
    market: str | None = None
    """The market to look at; None: the first that is found."""


class Outcome(NamedTuple):
    """The result of a check."""

    is_mockrelay: bool
    findings: tuple[CheckFinding, ...]
    choices: tuple[ObservedChoice, ...]
    cases: tuple[Case, ...]
    calls: int
    checks: int
    """How often an answer was held to a check."""
    only: str | None = None
    """The one endpoint that was checked; None: all."""
    not_a_relayer: str = ""
    """The first call and its answer, where no call was answered as a relayer would; else empty."""

    @property
    def report_findings(self) -> tuple[ReportFinding, ...]:
        """The findings without their checks, in the order in which they were found."""
        return tuple(finding.finding for finding in self.findings)

    def endpoints(self) -> set[str]:
        """The endpoints with findings."""
        return {finding.check.endpoint for finding in self.findings}


Progress = Callable[[str, int, int, int], None]
"""(case, number of cases that are done, number of cases, number of calls)"""


def check_relayer(
    exchange: Exchange, base: str, options: Options, progress: Progress, cases: Sequence[CheckCase] = CASES
) -> Outcome:
    """Check the relayer at an address, which `exchange` reaches. Raises CannotCheck where nothing answers there, and where
    the options cannot be met.
    """
    own_world = OwnWorld(exchange, base, options.token)
    if options.only is not None:
        cases = [case for case in cases if case.name in BASIC or case.is_about(options.only)]
    if not own_world.is_mockrelay():
        if options.everything and None in options.account:
            raise CannotCheck(
                "--everything on a relayer that is not a mockrelay needs --account-id, --owner and --api-key"
            )
        throttle = Throttle.in_real_time()
        facts = Facts(Party(*options.account), None, None, throttle.now_ms)
        facts.markets = [options.market] if options.market else []
        return _play(exchange, throttle, facts, None, cases, options, progress)
    own_world.enter()
    try:
        facts = _facts_of(own_world, options.market)
        throttle = Throttle(lambda: own_world.now_ms, own_world.advance, 0)
        return _play(own_world.exchange, throttle, facts, own_world, cases, options, progress)
    finally:
        own_world.leave()


def _facts_of(own_world: OwnWorld, market: str | None) -> Facts:
    try:
        facts = Facts.of_state(own_world.state, lambda: own_world.now_ms)
    except Missing:
        raise CannotCheck(
            f"{own_world.base}: its scenario has not the three accounts with API keys that are needed"
        ) from None
    if market is not None:
        if market not in facts.markets:
            meant = nearest(market, facts.markets)
            raise CannotCheck(f"--market {market}: there is no such market; meant: {meant}")
        facts.markets.sort(key=lambda name: name != market)
    return facts


def _play(
    exchange: Exchange,
    throttle: Throttle,
    facts: Facts,
    own_world: OwnWorld | None,
    cases: Sequence[CheckCase],
    options: Options,
    progress: Progress,
) -> Outcome:
    checks = [check for case in cases for check in case.checks]
    done, name = 0, ""

    def show(calls: int) -> None:
        progress(name, done, len(cases), calls)

    run = Run(exchange, throttle, facts, own_world, checks, show, options.only)
    for done, case in enumerate(cases):  # noqa: B007  # the closure above reads it
        name = case.name
        reason: Exception | str = ""
        if case.writes and own_world is None and not (options.everything and case.on_others):
            reason = NEEDS_MOCKRELAY if options.everything else READ_ONLY
        else:
            show(run.calls)
            try:
                with suppress(Lost):
                    case.play(run)
            except (Missing, Skipped) as error:
                reason = error
        if reason:
            for check in case.checks:
                run.skip(check.endpoint, reason, check.id)
    done, name = len(cases), "done"
    show(run.calls)
    first = run.first
    return Outcome(
        is_mockrelay=own_world is not None,
        findings=tuple(run.findings),
        choices=tuple(run.choices.all()),
        cases=tuple(_report_cases(run, [*FORM_CHECKS, *checks])),
        calls=run.calls,
        checks=sum(run.counts.values()),
        only=options.only,
        not_a_relayer="" if run.is_of_a_relayer or first is None else f"{first.call_text}: {first}",
    )


def _report_cases(run: Run, checks: list[Check]) -> list[Case]:
    """Each check once: what failed, or why it was not made."""
    cases = []
    for check in dict.fromkeys(checks):
        if run.only not in (None, check.endpoint):
            continue
        failures = [f"{one.finding.asked}: {one.finding.detail}" for one in run.findings if one.check == check]
        reason = (
            run.skipped.get((check.endpoint, check.id))
            or run.skipped.get((check.endpoint, ""))
            or "an answer that it needs did not come"
        )
        is_made = bool(failures) or (check.endpoint, check.id) in run.counts
        cases.append(Case(check.endpoint, str(check), "\n".join(failures) or None, None if is_made else reason))
    return cases
