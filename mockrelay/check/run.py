"""A run: asks, judges every answer, and keeps what was found and which readings were seen."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from mockrelay.check import judging, rules
from mockrelay.check.answers import Answer, Ask
from mockrelay.check.facts import Facts
from mockrelay.check.pace import Pace
from mockrelay.check.readings import Readings, deviations
from mockrelay.check.rows import FORM, FORM_ROWS, Row
from mockrelay.check.steering import Steering
from mockrelay.client.http import Exchange
from mockrelay.report.report_finding import Remark, Rule
from mockrelay.spec.codes import SUCCESS, Code
from mockrelay.wire.schemas import Option

REFUSED_ORDER = "SUBMIT_ORDER_FAIL"
_MEANINGS = {int(code): code.meaning for code in Code}
Codes = int | Mapping[int, Option | None]
"""The code that must come; or those that may, each with the option of a choice that it shows."""


class Lost(Exception):
    """An answer that the rest of an act rests on did not come."""


class Found(NamedTuple):
    """A remark and the check that made it."""

    row: Row
    remark: Remark


class Run:
    """The state of a run."""

    def __init__(
        self,
        exchange: Exchange,
        pace: Pace,
        facts: Facts,
        steering: Steering | None,
        rows: Collection[Row],
        tell: Callable[[int], None],
        only: str | None = None,
    ) -> None:
        """`tell` is told the number of calls after each; findings are of the endpoint `only`, where it is given."""
        self._exchange = exchange
        self._pace = pace
        self._tell = tell
        self._rows = {(row.endpoint, row.id): row for row in (*FORM_ROWS, *rows)}
        self.facts: Facts = facts
        self.world: Steering | None = steering
        self.readings = Readings()
        self.found: list[Found] = []
        self.reached: dict[tuple[str, str], int] = {}
        """How often each check was made."""
        self.skipped: dict[tuple[str, str], str] = {}
        """Why checks were not made; an empty id stands for all of an endpoint."""
        self.calls = 0
        self.first: Answer | None = None
        """The first answer; None: no call was made yet."""
        self.is_of_a_relayer = False
        """Whether any answer was one that a relayer gives."""
        self.only = only

    def now_ms(self) -> int:
        """The relayer's time; the wall's for one that cannot be steered."""
        return self._pace.now_ms()

    @property
    def steered(self) -> Steering:
        """The world, of a relayer that can be steered."""
        assert self.world is not None
        return self.world

    def missing(self, endpoint: str, why: str, row_id: str = "") -> None:
        """Some checks cannot be made, and why."""
        self.skipped[endpoint, row_id] = why

    def pause(self, endpoint: str) -> None:
        """Wait until an endpoint may be called again."""
        self._pace.before(endpoint)

    def ask(self, ask: Ask, also: Collection[int] = ()) -> Answer:
        """Make a call, and judge what holds of any answer to it. Raises Lost where nothing can be read of it."""
        self._pace.before(ask.endpoint)
        return self.ask_now(ask, also)

    def ask_now(self, ask: Ask, also: Collection[int] = ()) -> Answer:
        """The same without a pause."""
        answer = self.send(ask)
        self._reach(ask.endpoint, FORM)
        if answer.is_limited:
            self._note(FORM, rules.LIMIT, f"refused for its rate: {answer}", answer)
            raise Lost
        sound = self._judge(answer, judging.transport(answer))
        if answer.got.problem is not None or answer.json_problem is not None:
            raise Lost
        code = answer.code
        if code is None:
            self._judge(answer, judging.no_outcome(answer))
            raise Lost
        seen = judging.success(answer) if code == SUCCESS else judging.refusal(answer, also)
        answer.is_sound = self._judge(answer, seen) and sound
        # A payload that stands alone shows no outcome, but a right one is no accident.
        self.is_of_a_relayer = self.is_of_a_relayer or (code == SUCCESS and answer.is_sound)
        return answer

    def send(self, ask: Ask) -> Answer:
        """Make a call without a word about its answer."""
        self.calls += 1
        answer = Answer(ask, self._exchange(ask.sent))
        self.first = self.first or answer
        self.is_of_a_relayer = self.is_of_a_relayer or answer.is_of_a_relayer
        self._tell(self.calls)
        return answer

    def right(self, row_id: str, ask: Ask) -> Answer:
        """The answer to a call that must be accepted. Raises Lost where it is not, where it carries nothing, or where it
        does not fit its schema.
        """
        answer = self.ask(ask)
        self.accepted(row_id, answer)
        return answer

    def accepted(self, row_id: str, answer: Answer) -> None:
        """An answer that must be one of acceptance; Lost as above."""
        self._reach(answer.ask.endpoint, row_id)
        if answer.code != SUCCESS:
            self._note(row_id, rules.REFUSED, f"refused, not accepted; found {answer}", answer)
            raise Lost
        if not answer.is_sound or answer.payload is None:
            raise Lost

    def wrong(self, row_id: str, ask: Ask, codes: Codes, what: str = "") -> Answer:
        """A call that must be refused. `what` is wrong with it, where the check is of more than one thing."""
        known: dict[int, Option | None] = {codes: None} if isinstance(codes, int) else dict(codes)
        answer = self.ask(ask, known)
        self._reach(ask.endpoint, row_id)
        of_what = f"{what}: " if what else ""
        meant = " or ".join(f'{code} "{_MEANINGS[code]}"' for code in known)
        code = answer.code
        if code == SUCCESS and is_rejected_order(answer):
            self.read("order.rejected_answer", {"data"}, answer)
        elif code == SUCCESS:
            self._note(row_id, rules.TAKEN, f"{of_what}accepted, not refused with {meant}; found {answer}", answer)
        elif code is None or code not in known:
            reason = f"{of_what}refused with {code}, not with {meant}; found {answer}"
            self._note(row_id, rules.WRONG_CODE, reason, answer)
        elif (option := known[code]) is not None:
            self.read(option[0], {option[1]}, answer)
        return answer

    def told(self, row_id: str, ask: Ask, key: str, options: Mapping[int, str]) -> Answer:
        """A call whose outcome tells how the relayer reads a silence: the option of each code that may come, 0 where it
        is accepted. A code that tells nothing has an empty text.
        """
        answer = self.ask(ask, options)
        self._reach(ask.endpoint, row_id)
        code = answer.code
        if code == SUCCESS and is_rejected_order(answer):
            # What it was rejected for cannot be seen.
            self.read("order.rejected_answer", {"data"}, answer)
        elif code is None or code not in options:
            meant = " or ".join("accepted" if due == SUCCESS else str(due) for due in options)
            kind = rules.TAKEN if code == SUCCESS else rules.WRONG_CODE
            self._note(row_id, kind, f"answered with {code}, where {meant} is due; found {answer}", answer)
        elif option := options[code]:
            self.read(key, {option}, answer)
        return answer

    def must(self, row_id: str, answer: Answer, holds: bool, found: str, rule: Rule = rules.VALUE) -> None:
        """Something that must hold of an answer that was accepted; `found` says what is so instead."""
        self._reach(answer.ask.endpoint, row_id)
        if not holds:
            self._note(row_id, rule, found, answer)

    def read(self, key: str, options: Collection[str], answer: Answer) -> None:
        """An answer that comes only under these options of a choice."""
        problem = self.readings.narrow(key, options, str(answer.ask))
        if problem is not None:
            self._note(FORM, rules.CHANGED, problem, answer)
        certain = [option for option in deviations(key) if self.readings.is_certainly(key, option)]
        is_new = not any(
            found.remark.rule is rules.DEVIATION and key in found.remark.finding.detail for found in self.found
        )
        if certain and is_new:
            self._note(FORM, rules.DEVIATION, f"{key} is `{certain[0]}` here; found {answer}", answer)

    def _judge(self, answer: Answer, seen: Any) -> bool:
        """Note what is seen; whether no rule is broken that makes the answer useless."""
        is_sound = True
        for rule, reason, readings in seen:
            for key, options in readings:
                self.read(key, options, answer)
            if rule is not None:
                self._note(FORM, rule, reason, answer)
                is_sound = is_sound and rule not in (rules.SHAPE, rules.ENVELOPE)
        return is_sound

    def _reach(self, endpoint: str, row_id: str) -> None:
        self.reached[endpoint, row_id] = self.reached.get((endpoint, row_id), 0) + 1

    def _note(self, row_id: str, rule: Rule, reason: str, answer: Answer) -> None:
        if self.only not in (None, answer.ask.endpoint):
            return
        row = self._rows[answer.ask.endpoint, row_id]
        sent = answer.ask.told_body
        why = f"{row.endpoint} {row.told}: {reason}" + (f"; sent {sent}" if sent else "")
        self.found.append(Found(row, Remark.of_call(rule, answer.request_id, str(answer.ask), why)))


def is_rejected_order(answer: Answer) -> bool:
    """Whether an order's answer says in its data alone that it was rejected."""
    payload = answer.payload
    return (
        answer.ask.endpoint == "submit_order" and isinstance(payload, dict) and payload.get("status") == REFUSED_ORDER
    )
