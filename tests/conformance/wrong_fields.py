"""Every wrong form of a request, made from the transcript: a field left out, of a wrong JSON type, out of range.

A wrong field says which codes may answer it. One code where the design lays it down; more only where it leaves the field's own
code and the endpoint's shape code both open.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tests.conformance.checks import shape_code
from tests.conformance.fields import INPUT_OBJECTS, REQUESTS, Field
from tests.conformance.transcript import BY_NAME, REQUESTS_OF_FUNDS
from tests.support.calls import FIELD, Request
from tests.support.worlds import START_MS

LEFT_OUT: Any = object()


class WrongField(NamedTuple):
    """A field that a request may have wrong, and its value."""

    name: str
    path: tuple[str, ...]
    kind: str
    """`absent`, `type`, `value`."""
    value: Any
    codes: frozenset[int]

    @property
    def id(self) -> str:
        """A readable test id."""
        shown = "" if self.value is LEFT_OUT else f"={self.value!r}"
        shown = shown.encode("ascii", "backslashreplace").decode()
        return f"{self.name}-{'.'.join(self.path)}-{self.kind}{shown if len(shown) < 40 else shown[:36] + '...'}"

    def put_into(self, request: Request) -> Request:
        """The request with this one wrong field."""
        return request._replace(fields=_replaced(request.fields, self.path, self.value))


def _replaced(fields: Mapping[str, Any], path: tuple[str, ...], value: Any) -> dict[str, Any]:
    inner = value if len(path) == 1 else _replaced(fields.get(path[0], {}), path[1:], value)
    changed = {**fields, path[0]: inner}
    if inner is LEFT_OUT:
        del changed[path[0]]
    return changed


_NO_DIGITS = (
    *("", "-1", "+5", "1.0", "1e21", "1_000", "1,000", " 7 ", "5 ", "5\n", "0x10", "NaN", "Infinity"),
    *("²", "٣", "\uff11", "9" * 5000),
)
_NO_INTEGER = ("x", "", "null", "true", "1.0", "1e3", "+1", " 1", "²", "\uff11", "[]", "0x1")
_BAD: dict[str, tuple[Any, ...]] = {
    "digits": _NO_DIGITS,
    "address": ("", "x", "0x12", "0x" + "a" * 41, "0x" + "g" * 40),
    "hex": ("", "xyz", "0xzz"),
    "market": (),
    "level": (-1, 3, 99, 10**30),
    "count": (-1,),
    "moment": (),
    "block": ("foo", "-1", "1.0", "²"),
    "nft_id": ("0x" + "0" * 63, "0x" + "0" * 65, "0" * 64, "0x" + "g" * 64, ""),
    "signature": ("", " ", "0", "abc", "-1", "1.0", "²", str(FIELD), str(FIELD + 1), "9" * 5000),
    "empty": ("x",),
    "free": (),
    "until": (-1, 0, START_MS, 2**32, 2**63, 10**30),
    "id": (-1, 2**53, 2**63, 10**30),
    "gas": (-1,),
    "bips": (-1, 2**53, 10**30),
}


def bad_values(field: Field) -> tuple[Any, ...]:
    """Values of the right JSON type that the spec's form does not allow."""
    if field.form.startswith("range:"):
        low, high = (int(part) for part in field.form.split(":")[1:])
        return (low - 1, high + 1, 2**63, -(2**63) - 1, 10**30)
    if field.form.startswith("word"):
        first = field.form.partition(":")[2].split("|")[0]
        if field.type == "integer":
            return (0, 8, 12, 14, -1)
        return ("foo", first.swapcase(), f"{first} ", *((f"{first},foo", ",") if field.form[4] == "s" else ("",)))
    return _BAD[field.form]


def wrong_types(field: Field, good: Any) -> tuple[Any, ...]:
    """Every JSON type that is not the field's, in a body."""
    if field.type == "integer":
        number = good if type(good) is int else 1
        return (None, True, float(number), number + 0.5, str(number), "x", [], [number], {})
    if field.type == "string":
        return (None, True, 5, 1.0, [], ["1"], {})
    if field.type == "boolean":
        return (None, 0, 1, 1.0, "true", [], {})
    return (None, True, 1, 1.0, "x", [])


_OWN_LATE = {
    ("submit_order", "maxFeeBips"): 102006,
    **{("submit_order", field): 102120 for field in ("label", "allOrNone", "validSince", "validUntil")},
}
_OWN: dict[str, int] = {
    **dict.fromkeys(("exchange", "exchangeId"), 102001),
    **dict.fromkeys(("sender", "accountId", "owner"), 102022),
    **dict.fromkeys(("receiver", "to"), 102023),
    **dict.fromkeys(("tokenF", "maxFee"), 102024),
    **dict.fromkeys(("nonce", "storageId"), 102021),
}
"""The code that a field of a transfer, withdrawal or update has for its value; its form may have the shape code."""


def _codes_of_funds(name: str, field: str, kind: str, value: Any) -> frozenset[int]:
    if field.startswith("signature") and kind == "value":
        return frozenset({104004 if value.strip() in ("", "0") else 104005})
    if field.startswith("signature") and kind == "absent":
        return frozenset({104004, shape_code(name)})
    if field in ("eddsaSignature", "ecdsaSignature", "hashApproved"):
        return frozenset({104004, 104005, shape_code(name)})
    return frozenset({shape_code(name), _OWN.get(field, shape_code(name))})


def _codes(name: str, path: tuple[str, ...], kind: str, value: Any) -> frozenset[int]:
    field, shape = path[0], shape_code(name)
    if name in REQUESTS_OF_FUNDS:
        return _codes_of_funds(name, field, kind, value)
    if (name, field) == ("get_nft_data", "minter"):
        return frozenset({104003, shape})
    if (name, field, kind) == ("submit_order", "validUntil", "value") and value < 0:
        return frozenset({102008, 102120})
    if (name, field) in _OWN_LATE:
        return frozenset({_OWN_LATE[name, field]})
    if field.startswith("signature"):
        if kind == "value":
            return frozenset({104004 if value.strip() in ("", "0") else 104005})
        return frozenset({102010 if kind == "absent" else shape})
    if (name, field, kind) == ("get_orders", "accountId", "absent"):
        return frozenset({107001})
    if (name, field, value) == ("get_orders", "accountId", ""):
        return frozenset({107001, shape})
    if (name, field) == ("get_depth", "level") and kind != "absent":
        return frozenset({108001} if kind == "value" else {108001, shape})
    return frozenset({shape})


def _of(name: str, field: Field, before: tuple[str, ...], good: Any) -> Iterator[WrongField]:
    path = (*before, field.name)
    in_query = BY_NAME[name].method == "GET"
    if field.required:
        yield WrongField(name, path, "absent", LEFT_OUT, _codes(name, path, "absent", None))
    if field.type == "any":
        return
    types = wrong_types(field, good) if not in_query else _NO_INTEGER if field.type == "integer" else ()
    for value in types:
        yield WrongField(name, path, "type", value, _codes(name, path, "type", value))
    if field.type in INPUT_OBJECTS:
        for inner in INPUT_OBJECTS[field.type]:
            yield from _of(name, inner, path, (good or {}).get(inner.name))
    else:
        for value in bad_values(field):
            yield WrongField(name, path, "value", value, _codes(name, path, "value", value))


def wrong_fields_of(request: Request) -> Iterator[WrongField]:
    """Every wrong field of the request's endpoint; the request is whole but for optional fields."""
    for field in REQUESTS[request.name]:
        yield from _of(request.name, field, (), request.fields.get(field.name))
