"""The core's input and output: decoded calls with their schema violations, cached payloads, refusals."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from mockrelay.spec.codes import Code
from mockrelay.spec.endpoint import Endpoint
from mockrelay.spec.lint_rules import SHAPE, Rule


class NumberLiteral:
    """A JSON number with a point or an exponent, as written. No field of the API takes one, so it is not converted."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def json_equal(one: Any, other: Any) -> bool:
    """Whether two decoded JSON values are equal: `true` differs from 1, and 1 from 1.0. The letter case of hex digits does
    not count, so an address equals its checksummed form.
    """
    if isinstance(other, NumberLiteral):
        return type(one) is float and float(other.text) == one
    if isinstance(one, str) and isinstance(other, str) and one[:2] == other[:2] == "0x":
        return one.lower() == other.lower()
    return type(one) is type(other) and bool(one == other)


class Violation(NamedTuple):
    """A part of a request that its schema does not allow."""

    field: str
    """Where: a field's path (`maxFee.tokenId`), or `body`, `path`, `method`, `header Content-Type`."""
    rule: str
    """The schema keyword that was broken, or a word of ours for what no schema sees (`json`, `repeated`)."""
    code: Code | None
    """The code that the schema gives to this violation; None: the endpoint's shape code."""
    detail: str
    """A sentence for people: what was found and what was meant."""
    finding: Rule = SHAPE
    """The rule of its finding."""
    choice: str | None = None
    """The choice whose option `refuse` makes it count; under other options it is a finding or nothing. None: it always
    counts.
    """


@dataclass(slots=True)
class Call:
    """A decoded request to a known endpoint."""

    endpoint: Endpoint
    args: Mapping[str, Any]
    """Fields of the query or the body by name, in the spec's types. A field with a violation is absent or malformed: a
    rule may read a field only after its violations have been refused."""
    violations: tuple[Violation, ...]
    api_key: str | None
    signature: str | None
    """The header `X-API-SIG` as sent."""
    peer: str
    """The address that the request came from."""


class SentRequest(NamedTuple):
    """A request as it was sent: the input of signature verification."""

    method: str
    url: str
    """Scheme, host and path as received, without the query."""
    query: str
    """The text after the question mark, still percent-encoded."""
    body: str
    fields: Mapping[str, Any]
    """The body's JSON object, its values as written; empty if the body is not an object."""


class Encodable:
    """A payload that is sent in many replies, and its encoded bytes once they have been made."""

    __slots__ = ("encoded", "payload")

    def __init__(self, payload: Any) -> None:
        self.payload = payload
        self.encoded: bytes | None = None


VIEWS_MAX = 64
"""The most payloads in one cache of a world, so that memory stays bounded whatever clients ask for."""

KeyT = TypeVar("KeyT")


def cache_view(views: dict[KeyT, Encodable], key: KeyT, view: Encodable) -> None:
    """Cache a payload under all that it depends on, in place of the oldest one if the cache is full."""
    if len(views) >= VIEWS_MAX:
        del views[next(iter(views))]
    views[key] = view


class Refused(Exception):
    """The call is refused with a code. The call that raises it has changed nothing."""

    def __init__(self, code: Code, detail: str, data: Any = None) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail
        self.data = data
        """The `data` of the answer, if any."""


class PartlyRefused(Refused):
    """Refused in part: `data` says what became of each part, and what was not refused is done."""


class RateRefused(Refused):
    """Refused by the rate limiter, whose answer has its own status, body and headers."""


class DeferredErrors:
    """The violations of a call that have a code of their own. Each is refused at the place of its code in the endpoint's row,
    among the rules of the core.
    """

    __slots__ = ("_violations",)

    def __init__(self, call: Call, skipped: Collection[str] = ()) -> None:
        self._violations: tuple[Violation, ...] = call.violations
        if skipped and call.violations:
            self._violations = tuple(one for one in call.violations if one.field not in skipped)

    def refuse(self, code: Code) -> None:
        """Raise Refused if a violation has this code, the next one in the row."""
        for violation in self._violations:
            if violation.code is code:
                raise Refused(code, violation.detail)

    def refuse_field(self, field: str) -> None:
        """Raise Refused if a field has a violation."""
        for violation in self._violations:
            if violation.field == field and violation.code is not None:
                raise Refused(violation.code, violation.detail)

    def has(self, field: str) -> bool:
        """Whether a field has a violation, so that no rule may read it."""
        return any(violation.field == field for violation in self._violations)

    def assert_refused(self) -> None:
        """To be called after the row's last code. A violation with a code that the row does not list is a defect of
        mockrelay.
        """
        assert not self._violations, f"no rule refused {self._violations}"
