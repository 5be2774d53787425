"""What comes into the core and what goes out of it: calls with their violations, replies and refusals."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple, TypeVar

from mockrelay.spec.codes import Code
from mockrelay.spec.endpoints import Endpoint
from mockrelay.spec.lint_rules import SHAPE, Rule


class NumberLiteral:
    """A JSON number with a point or an exponent, kept as it was written: no field takes one, so none is read."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def json_equal(one: Any, other: Any) -> bool:
    """Whether two decoded values are the same: in JSON `true` is not 1, nor 1 the same as 1.0. The letter case of hex digits
    means nothing: an address is the same with its checksum and without.
    """
    if isinstance(other, NumberLiteral):
        return type(one) is float and float(other.text) == one
    if isinstance(one, str) and isinstance(other, str) and one[:2] == other[:2] == "0x":
        return one.lower() == other.lower()
    return type(one) is type(other) and bool(one == other)


class Violation(NamedTuple):
    """Something about a request's form that its schema does not allow."""

    field: str
    """Where: a field's path (`maxFee.tokenId`), or `body`, `path`, `method`, `header Content-Type`."""
    rule: str
    """The schema keyword that was broken, or a word of ours for what no schema sees (`json`, `repeated`)."""
    code: Code | None
    """The code that the schema gives to this violation; None: the endpoint's shape code."""
    detail: str
    """A sentence for people: what was found and what was meant."""
    finding: Rule = SHAPE
    """Under what it is noted about the client."""
    choice: str | None = None
    """The choice that must say `refuse` for it to count; under any other option it is a finding or nothing. None: it
    counts always.
    """


class Call(NamedTuple):
    """A decoded request to a known endpoint."""

    endpoint: Endpoint
    args: Mapping[str, Any]
    """Fields of the query or the body by name, in the spec's types. A wrong field is absent or of a wrong form: a
    rule may read a field only after the violations of that field have been judged."""
    violations: tuple[Violation, ...]
    api_key: str | None
    signature: str | None
    """The header `X-API-SIG` as sent."""
    peer: str
    """The address that the request came from."""


class SentRequest(NamedTuple):
    """A request as it was sent, which is what signatures are made of."""

    method: str
    url: str
    """Scheme, host and path as received, without the query."""
    query: str
    """The text after the question mark, still encoded."""
    body: str
    fields: Mapping[str, Any]
    """The body's JSON, its values as they were written; empty where it holds no object."""


class Encodable:
    """A payload that stays the same over many replies, with a place to keep its encoded bytes."""

    __slots__ = ("encoded", "payload")

    def __init__(self, payload: Any) -> None:
        self.payload = payload
        self.encoded: bytes | None = None


VIEWS_MAX = 64
"""How many payloads of a kind a world keeps: a client that asks for ever other ones fills no memory."""

KeyT = TypeVar("KeyT")


def cache_view(views: dict[KeyT, Encodable], key: KeyT, view: Encodable) -> None:
    """Keep a payload by all that it follows from; the oldest one makes room for it."""
    if len(views) >= VIEWS_MAX:
        del views[next(iter(views))]
    views[key] = view


class Refused(Exception):
    """A coded no. Nothing has been changed by the call that raises it."""

    def __init__(self, code: Code, detail: str, data: Any = None) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail
        self.data = data
        """What stands beside the code in the answer, if anything."""


class RateRefused(Refused):
    """A no by the rate limiter, which has a status, a body and headers of its own."""


class DeferredErrors:
    """The violations of a call's form that have a code of their own. Each is refused where its code stands in the row's order,
    as if the rule were one of the core's.
    """

    __slots__ = ("_violations",)

    def __init__(self, call: Call, skipped: Collection[str] = ()) -> None:
        self._violations: tuple[Violation, ...] = call.violations
        if skipped and call.violations:
            self._violations = tuple(one for one in call.violations if one.field not in skipped)

    def refuse(self, code: Code) -> None:
        """Raise Refused where a violation has this code, which is the next one in the row."""
        for violation in self._violations:
            if violation.code is code:
                raise Refused(code, violation.detail)

    def has(self, field: str) -> bool:
        """Whether a field will be refused later, so that no rule may read it yet."""
        return any(violation.field == field for violation in self._violations)

    def assert_refused(self) -> None:
        """Call this after the row's last code: a violation that is left has a code that the row does not list, which is a
        defect of mockrelay.
        """
        assert not self._violations, f"no rule refused {self._violations}"
