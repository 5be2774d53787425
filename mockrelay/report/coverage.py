"""What has been seen of the spec so far. Taken in with each call, so this is sets and nothing else."""

from __future__ import annotations

from typing import Any, Self

from mockrelay.core.context import Trace
from mockrelay.core.gate import STEPS
from mockrelay.report.optional_fields import Sent
from mockrelay.spec.choices import CHOICES
from mockrelay.spec.codes import SUCCESS
from mockrelay.spec.endpoints import ENDPOINTS

OTHERS_MAX = 1000
"""How many codes beside those of the tables are kept: a fault may answer any integer."""

FORMS = ("text", "text-missing", "json", "junit")
"""The forms in which coverage is told: short, with how to reach what is missing, as its view, as JUnit's XML."""

_LIMIT = STEPS.index("rate limit")
_OPTIONS = frozenset((choice.key, option) for choice in CHOICES for option in choice.options)
_ANSWERS = frozenset(
    (row.name, code) for row in ENDPOINTS for code in (None, SUCCESS, *(int(judged.code) for judged in row.codes))
)


class Coverage:
    """What of the spec was met. Its size is bounded by the tables, whatever is seen."""

    __slots__ = ("answers", "limited", "moves", "options", "others", "sent")

    def __init__(self) -> None:
        self.answers: set[tuple[str, int | None]] = set()
        """Endpoints with the codes that they answered: 0 is a success, None an answer without a code."""
        self.others: set[tuple[str, int]] = set()
        """The same of codes that no row of the endpoint table has: scripted ones."""
        self.options: set[tuple[str, str]] = set()
        """Choices that were consulted, with the option that held."""
        self.moves: set[tuple[str, str | None, str]] = set()
        """What moved, from which state (None: it was new) to which."""
        self.sent: dict[str, Sent] = {}
        """By endpoint: fields that may be left out and were sent, and words of closed lists (`side=BUY`)."""
        self.limited: set[str] = set()
        """Endpoints that refused a call by their rate limit."""

    def see(self, trace: Trace) -> None:
        """Take in a call and its answer."""
        endpoint, code, args = trace.endpoint, trace.code, trace.args
        if (endpoint, code) not in self.answers:
            self.add_answer(endpoint, code)
        self.see_command(trace)
        if endpoint is not None:
            if args:
                (self.sent.get(endpoint) or self.sent_to(endpoint)).see(args)
            if code and trace.stage == _LIMIT:
                self.limited.add(endpoint)

    def see_command(self, trace: Trace) -> None:
        """Take in the choices that were consulted and the states that moved."""
        if not self.options.issuperset(trace.choices):
            # The order of events due together is decided too, and is no choice.
            self.options.update(_OPTIONS.intersection(trace.choices))
        for what, _, was, to in trace.moves:
            self.moves.add((what, was, to))

    def merge(self, other: Self) -> None:
        """Take in what another has seen."""
        self.answers |= other.answers
        self.options |= other.options
        self.moves |= other.moves
        self.limited |= other.limited
        for endpoint, sent in other.sent.items():
            self.sent_to(endpoint).names.update(sent.names)
        for answer in other.others:
            self.add_answer(*answer)

    def add_answer(self, endpoint: str | None, code: int | None) -> None:
        """Take in that an endpoint answered a code."""
        if endpoint is None:
            return
        self.answers.add((endpoint, code if (endpoint, code) in _ANSWERS else None))
        if code is not None and (endpoint, code) not in _ANSWERS and len(self.others) < OTHERS_MAX:
            self.others.add((endpoint, code))

    def sent_to(self, endpoint: str) -> Sent:
        """What was sent to an endpoint; to be added to."""
        return self.sent.setdefault(endpoint, Sent(endpoint))

    def view(self) -> dict[str, Any]:
        """As a JSON value: by kind what was met and what is missing, with how to reach it."""
        from mockrelay.report.coverage_views import view_of  # noqa: PLC0415 - most runs never look

        return view_of(self)

    def told(self, form: str) -> str:
        """In one of `FORMS`."""
        from mockrelay.report.coverage_text import told_of  # noqa: PLC0415 - see `view`

        return told_of(self, form)

    @classmethod
    def of_view(cls, value: Any) -> Self:
        """What a `view` tells. Raises ValueError for what is none."""
        from mockrelay.report.coverage_views import read_view  # noqa: PLC0415 - see `view`

        coverage = cls()
        read_view(coverage, value)
        return coverage

    @classmethod
    def of_text(cls, text: str) -> Self:
        """What a file tells that has a `view` in it. Raises ValueError for what is none."""
        from mockrelay.report.coverage_views import value_of  # noqa: PLC0415 - see `view`

        return cls.of_view(value_of(text))
