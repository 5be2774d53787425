"""Which parts of the spec a client has used so far. Every call updates it, so it consists of plain sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from mockrelay.core.context import Trace
from mockrelay.report.optional_fields import SentFields
from mockrelay.spec.choices import CHOICES
from mockrelay.spec.codes import SUCCESS
from mockrelay.spec.endpoint import SPEC, Step
from mockrelay.spec.endpoints import ALL_ENDPOINTS, BY_ID, ENDPOINTS

UNLISTED_CODES_MAX = 1000
"""The number of codes outside the endpoint table that are stored: a fault may answer any integer."""

_OPTIONS = frozenset((choice.key, option) for choice in CHOICES for option in choice.options)
PROFILE_ONLY = frozenset(row.id for row in ALL_ENDPOINTS if row.profile != SPEC)
"""The ids of rows that the spec does not have."""
_ANSWERS = frozenset(
    (row.name, code) for row in ENDPOINTS for code in (None, SUCCESS, *(int(judged.code) for judged in row.codes))
)


class Coverage:
    """The parts of the spec that were used. The tables of the spec bound its size, whatever is called."""

    __slots__ = (
        "_options_of",
        "answers",
        "fields",
        "options",
        "profile_answers",
        "rate_limits",
        "transitions",
        "unlisted_codes",
    )

    def __init__(self) -> None:
        self.answers: set[tuple[str, int | None]] = set()
        """Endpoints with the codes that they answered: 0 is a success, None an answer without a code."""
        self.profile_answers: set[tuple[str, int | None]] = set()
        """The same of rows that only a profile has, by their ids: they are not part of the spec."""
        self.unlisted_codes: set[tuple[str, int]] = set()
        """The same for codes that the row of the endpoint does not have, such as scripted ones."""
        self.options: set[tuple[str, str]] = set()
        """Choices that were consulted, with the option that applied."""
        self.transitions: set[tuple[str, str | None, str]] = set()
        """What changed its state (order, kind of request, block), from which state (None: it was created) to which."""
        self.fields: dict[str, SentFields] = {}
        """By endpoint: optional fields that were sent, and values of enumerations (`side=BUY`)."""
        self.rate_limits: set[str] = set()
        """Endpoints that refused a call by their rate limit."""
        self._options_of: dict[str | None, dict[str, str]] = {}
        """By row, None for commands, the choices of its last call and their options: the next one most often has the same."""

    def record_call(self, trace: Trace, query: Sequence[tuple[str, str]], code: int | None) -> None:
        """Add a call that was answered with `code`. `query` holds the parameters as they were sent."""
        endpoint, args = trace.endpoint, trace.args
        self.record_answer(trace, code)
        self.record_command(trace)
        if args and endpoint is not None and trace.row not in PROFILE_ONLY:
            (self.fields.get(endpoint) or self.fields_of(endpoint)).record(args, query)

    def record_answer(self, trace: Trace, code: int | None) -> None:
        """Add the code that a call was answered with."""
        endpoint = trace.endpoint
        if trace.row is not None and trace.row in PROFILE_ONLY:
            if (trace.row, code) not in self.profile_answers:
                self.add_profile_answer(trace.row, code)
            return
        if (endpoint, code) not in self.answers:
            self.add_answer(endpoint, code)
        if code and endpoint is not None and trace.step is Step.RATE_LIMIT:
            self.rate_limits.add(endpoint)

    def record_command(self, trace: Trace) -> None:
        """Add the choices that were consulted and the states that changed."""
        if trace.earlier or trace.options != self._options_of.get(trace.row):
            self._options_of[trace.row] = dict(trace.options)
            # The trace also has decisions about the order of simultaneous events, which are not choices.
            self.options.update(_OPTIONS.intersection(trace.choices))
        for subject, _, before, after in trace.moves:
            self.transitions.add((subject, before, after))

    def merge(self, other: Self) -> None:
        """Add everything that another coverage has."""
        self.answers |= other.answers
        self.profile_answers |= other.profile_answers
        self.options |= other.options
        self.transitions |= other.transitions
        self.rate_limits |= other.rate_limits
        for endpoint, sent in other.fields.items():
            self.fields_of(endpoint).names.update(sent.names)
        for answer in other.unlisted_codes:
            self.add_answer(*answer)

    def add_profile_answer(self, row: str, code: int | None) -> None:
        """Add a code that a row of a profile answered; one that it does not list counts as an answer without one."""
        listed = code is None or code == SUCCESS or code in BY_ID[row].listed_codes
        self.profile_answers.add((row, code if listed else None))

    def add_answer(self, endpoint: str | None, code: int | None) -> None:
        """Add a code that an endpoint answered."""
        if endpoint is None:
            return
        self.answers.add((endpoint, code if (endpoint, code) in _ANSWERS else None))
        if code is not None and (endpoint, code) not in _ANSWERS and len(self.unlisted_codes) < UNLISTED_CODES_MAX:
            self.unlisted_codes.add((endpoint, code))

    def fields_of(self, endpoint: str) -> SentFields:
        """The fields that were sent to an endpoint, which the caller may add to."""
        return self.fields.setdefault(endpoint, SentFields(endpoint))
