"""A run of the check: makes calls, holds every answer to the spec, and collects findings and observed choices."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple

from mockrelay.check import answer_checks, rules
from mockrelay.check.answer import Answer
from mockrelay.check.answer_checks import Observation
from mockrelay.check.checks import FORM, FORM_CHECKS, Check
from mockrelay.check.observed_choices import ObservedChoices
from mockrelay.check.own_world import OwnWorld
from mockrelay.check.throttle import Throttle
from mockrelay.client.call import ApiCall
from mockrelay.client.facts import Facts, Missing, Party
from mockrelay.client.http import Exchange, HttpRequest
from mockrelay.client.wrong_calls import Codes
from mockrelay.report.report_finding import ReportFinding
from mockrelay.spec.choices import BY_KEY
from mockrelay.spec.codes import SUCCESS, Code
from mockrelay.spec.lint_rules import Rule

REJECTED_ORDER = "SUBMIT_ORDER_FAIL"
NEEDS_MOCKRELAY = "it needs a mockrelay, whose state can be changed"
_MEANINGS = {int(code): code.meaning for code in Code}
_HOW_TO_GIVE = {
    "the API key": "not known: --api-key is needed",
    "the owner": "not known: --owner is needed",
    "the account's id": "not known: --account-id is needed",
    "a market": "not known: --market is needed",
    "a second account": NEEDS_MOCKRELAY,
    "a third account": NEEDS_MOCKRELAY,
}


class Lost(Exception):
    """The answer that the rest of a case rests on did not come."""


class Skipped(Exception):
    """A part of the run cannot be played; the text says why."""


class CheckFinding(NamedTuple):
    """A finding and the check that made it."""

    check: Check
    finding: ReportFinding


class Run:
    """The state of a run. Findings are those of one endpoint only, where one is given."""

    def __init__(
        self,
        exchange: Exchange,
        throttle: Throttle,
        facts: Facts,
        own_world: OwnWorld | None,
        checks: Iterable[Check],
        progress: Callable[[int], None],
        only: str | None = None,
    ) -> None:
        """`progress` is called with the number of calls after each."""
        self._exchange = exchange
        self._progress = progress
        self._checks = {(check.endpoint, check.id): check for check in (*FORM_CHECKS, *checks)}
        self.throttle = throttle
        self.facts: Facts = facts
        facts.nonce_of = self._nonce_of
        self.own_world: OwnWorld | None = own_world
        """The world on a mockrelay; None: the relayer is not a mockrelay."""
        self.verifies = own_world is not None and own_world.verifies
        """Whether signatures are known to be verified."""
        self.nonce = 0
        """The nonce of alice's next request, as far as it is known."""
        self.taker_bips = 0
        """The taker's fee rate of alice's account, as far as it is known."""
        self.choices = ObservedChoices()
        self.findings: list[CheckFinding] = []
        self.counts: dict[tuple[str, str], int] = {}
        """How often each check was made, by endpoint and id."""
        self.skipped: dict[tuple[str, str], str] = {}
        """Why checks were not made, by endpoint and id; an empty id stands for all of an endpoint."""
        self.calls = 0
        self.first: Answer | None = None
        """The first answer; None: no call was made yet."""
        self.is_of_a_relayer = False
        """Whether any answer was one that a relayer gives."""
        self.only = only

    @property
    def world(self) -> OwnWorld:
        """The world on a mockrelay, for cases that are played on a mockrelay only."""
        assert self.own_world is not None
        return self.own_world

    def _nonce_of(self, who: Party) -> int:
        """The nonce of an account's next request, as far as it is known."""
        if self.own_world is None:
            return self.nonce
        return int(self.own_world.control("GET", f"accounts/{who.account_id}")["accountNonce"])

    def skip(self, endpoint: str, reason: Exception | str, check_id: str = "") -> None:
        """Note that a check of an endpoint, or all of them, cannot be made, and why."""
        text = _HOW_TO_GIVE.get(reason.what, str(reason)) if isinstance(reason, Missing) else str(reason)
        self.skipped[endpoint, check_id] = text

    def call(self, call: ApiCall, also: Collection[int] = (), request: HttpRequest | None = None) -> Answer:
        """Make a call once the rate limit allows it, and check what holds of any answer. `also` are codes that may come
        beside those of the endpoint; `request` is sent in place of the call's own. Raises Lost where the answer cannot
        be read.
        """
        self.throttle.wait(call.endpoint)
        return self.call_now(call, also, request)

    def call_now(self, call: ApiCall, also: Collection[int] = (), request: HttpRequest | None = None) -> Answer:
        """The same without waiting."""
        answer = self.send(call, request)
        self._count(call.endpoint, FORM)
        if answer.is_limited:
            self._note(FORM, rules.LIMIT, f"refused for its rate: {answer}", answer)
            raise Lost
        is_whole = self._judge(answer, answer_checks.transport(answer))
        if answer.response.problem is not None or answer.json_problem is not None:
            raise Lost
        code = answer.code
        if code is None:
            self._judge(answer, answer_checks.no_outcome(answer))
            raise Lost
        observations = answer_checks.success(answer) if code == SUCCESS else answer_checks.refusal(answer, also)
        answer.is_sound = self._judge(answer, observations) and is_whole
        # A payload that stands alone shows no outcome, but a right one is no accident.
        self.is_of_a_relayer = self.is_of_a_relayer or (code == SUCCESS and answer.is_sound)
        return answer

    def send(self, call: ApiCall, request: HttpRequest | None = None) -> Answer:
        """Make a call without checking its answer."""
        self.calls += 1
        sent = request or call.request
        answer = Answer(call, sent, self._exchange(sent))
        self.first = self.first or answer
        self.is_of_a_relayer = self.is_of_a_relayer or answer.is_of_a_relayer
        self._progress(self.calls)
        return answer

    def expect_accepted(self, check_id: str, call: ApiCall) -> Answer:
        """Make a call that must be accepted. Raises Lost where it is not, where the answer carries nothing, or where it does
        not fit its schema.
        """
        answer = self.call(call)
        self._count(call.endpoint, check_id)
        if answer.code != SUCCESS:
            self._note(check_id, rules.REFUSED, f"refused, not accepted; found {answer}", answer)
            raise Lost
        if not answer.is_sound or answer.payload is None:
            raise Lost
        return answer

    def expect_refused(
        self, check_id: str, call: ApiCall, codes: Codes, what: str = "", request: HttpRequest | None = None
    ) -> None:
        """Make a call that must be refused with one of these codes. `what` is wrong with it, where the check is of more than
        one thing.
        """
        options = {codes: None} if isinstance(codes, int) else codes
        answer = self.call(call, options, request)
        self._count(call.endpoint, check_id)
        of_what = f"{what}: " if what else ""
        meant = " or ".join(f'{code} "{_MEANINGS[code]}"' for code in options)
        code = answer.code
        if code == SUCCESS and is_rejected_order(answer):
            self.observe("order.rejected_answer", {"data"}, answer)
        elif code == SUCCESS:
            self._note(check_id, rules.TAKEN, f"{of_what}accepted, not refused with {meant}; found {answer}", answer)
        elif code is None or code not in options:
            reason = f"{of_what}refused with {code}, not with {meant}; found {answer}"
            self._note(check_id, rules.WRONG_CODE, reason, answer)
        elif (option := options[code]) is not None:
            self.observe(option[0], {option[1]}, answer)

    def expect_option(
        self,
        check_id: str,
        call: ApiCall,
        key: str,
        options: Mapping[int, str | frozenset[str]],
        request: HttpRequest | None = None,
    ) -> Answer:
        """Make a call whose outcome shows the option of a choice: by each code that may come (0: accepted) the option or
        the options that it shows, empty where it shows none.
        """
        answer = self.call(call, options, request)
        self._count(call.endpoint, check_id)
        code = answer.code
        if code == SUCCESS and is_rejected_order(answer):
            # The reason for which it was rejected is not shown.
            self.observe("order.rejected_answer", {"data"}, answer)
        elif code is None or code not in options:
            meant = " or ".join("accepted" if due == SUCCESS else str(due) for due in options)
            kind = rules.TAKEN if code == SUCCESS else rules.WRONG_CODE
            self._note(check_id, kind, f"answered with {code}, where {meant} is due; found {answer}", answer)
        elif option := options[code]:
            self.observe(key, {option} if isinstance(option, str) else option, answer)
        return answer

    def expect(self, check_id: str, answer: Answer, holds: bool, found: str, rule: Rule = rules.VALUE) -> None:
        """Hold an answer to a check; `found` says what is so instead."""
        self._count(answer.call.endpoint, check_id)
        if not holds:
            self._note(check_id, rule, found, answer)

    def observe(self, key: str, options: Collection[str], answer: Answer) -> None:
        """Note that an answer comes only under these options of a choice."""
        problem = self.choices.narrow(key, options, answer.call_text)
        if problem is not None:
            self._note(FORM, rules.CHANGED, problem, answer)
        certain = [option for option in BY_KEY[key].deviations if self.choices.is_certainly(key, option)]
        is_new = not any(one.finding.rule is rules.DEVIATION and key in one.finding.detail for one in self.findings)
        if certain and is_new:
            self._note(FORM, rules.DEVIATION, f"{key} is `{certain[0]}` here; found {answer}", answer)

    def _judge(self, answer: Answer, observations: Iterable[Observation]) -> bool:
        """Note what was observed of an answer; whether its payload can be read as the schema says."""
        is_sound = True
        for rule, reason, options in observations:
            for key, allowed in options.items():
                self.observe(key, allowed, answer)
            if rule is not None:
                self._note(FORM, rule, reason, answer)
                is_sound = is_sound and rule not in (rules.SHAPE, rules.ENVELOPE)
        return is_sound

    def _count(self, endpoint: str, check_id: str) -> None:
        self.counts[endpoint, check_id] = self.counts.get((endpoint, check_id), 0) + 1

    def _note(self, check_id: str, rule: Rule, reason: str, answer: Answer) -> None:
        if self.only not in (None, answer.call.endpoint):
            return
        check = self._checks[answer.call.endpoint, check_id]
        sent = answer.sent_body
        detail = f"{check.endpoint} {check}: {reason}" + (f"; sent {sent}" if sent else "")
        self.findings.append(
            CheckFinding(check, ReportFinding(rule, detail, answer.request_id, asked=answer.call_text))
        )


class CheckCase(NamedTuple):
    """A part of the run: calls that belong together, and the checks that they serve."""

    name: str
    play: Callable[[Run], None]
    checks: tuple[Check, ...]
    writes: bool
    """Whether it submits anything, or needs a world of its own."""
    on_others: bool = False
    """Whether a case that writes may be played to a relayer that is not a mockrelay: it sends wrong submissions only."""
    endpoints: tuple[str, ...] = ()
    """The endpoints that it calls; empty: those of its checks."""

    def is_about(self, endpoint: str) -> bool:
        """Whether it calls an endpoint."""
        return endpoint in (self.endpoints or {check.endpoint for check in self.checks})


def is_rejected_order(answer: Answer) -> bool:
    """Whether an order's answer says in its data alone that it was rejected."""
    payload = answer.payload
    is_order = answer.call.endpoint == "submit_order"
    return is_order and isinstance(payload, dict) and payload.get("status") == REJECTED_ORDER
