"""Which violations have a code of their own, transcribed from the order of judgement; all others have the shape code."""

from __future__ import annotations

from typing import Any

import pytest

from tests.wire.requests import get, order, post

NO_FIELD: list[Any] = [None, True, 1.5, [], {}]
"""JSON values that no field of an order has."""
NO_INTEGER: list[Any] = [..., "7", 7.0, True, None]
SHAPE = None
"""Stands for the shape code, which a violation without a code of its own has."""

WRONG: list[tuple[str, int | None, list[Any]]] = [
    ("maxFeeBips", 102006, [..., 0, 64, -1, "x", "63", 6.3, True, None, [], {}]),
    ("label", 102120, [*NO_INTEGER, -1, 65536, 2**32, 2**63]),
    ("validSince", 102120, [*NO_INTEGER, 2**32, 2**63]),
    ("validUntil", 102120, [*NO_INTEGER, 2**32, 2**63]),
    ("allOrNone", 102120, ["true", "", "no", False, None, 0]),
    ("orderId", 102004, [-1, 2**32]),
    ("orderId", SHAPE, [..., "5", True, 5.0, None]),
    *((field, SHAPE, [..., *NO_FIELD]) for field in ("exchangeId", "accountId", "tokenSId", "tokenBId")),
    *((field, SHAPE, [..., *NO_FIELD]) for field in ("amountS", "amountB", "buy")),
    *((field, SHAPE, [*NO_FIELD, 7]) for field in ("clientOrderId", "channelId", "orderType")),
]
RIGHT: list[tuple[str, list[Any]]] = [
    ("maxFeeBips", [1, 63]),
    ("label", [0, 65535]),
    ("validSince", [0]),
    ("validUntil", [2**32 - 1, -5]),  # -5 is in the past: 102008, which the core says
    ("allOrNone", [...]),
    ("orderId", [0, 2**32 - 1]),
    *((field, [...]) for field in ("clientOrderId", "channelId", "orderType")),
]
PARTS = ("signatureRx", "signatureRy", "signatureS")


def codes(violations: Any) -> set[int | None]:
    return {None if violation.code is None else int(violation.code) for violation in violations}


@pytest.mark.parametrize(
    ("field", "code", "values"), WRONG, ids=[f"submit_order {field} {code or 'shape code'}" for field, code, _ in WRONG]
)
def test_each_wrong_value_of_a_field_is_one_violation_with_the_code(field: str, code: int | None, values: Any) -> None:
    for value in values:
        violations = order(**{field: value}).violations
        assert {violation.field for violation in violations} == {field}, value
        assert codes(violations) == {code}, value


@pytest.mark.parametrize(("field", "values"), RIGHT, ids=[f"submit_order {field}" for field, _ in RIGHT])
def test_the_edges_of_a_field_are_right(field: str, values: Any) -> None:
    assert [value for value in values if order(**{field: value}).violations] == []


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize(
    ("code", "values"),
    [
        (102010, [...]),
        (104004, ["", " ", "0", "000"]),
        (104005, ["12x", "0x12", "-5", " 5", "5\n", "\uff15", "9" * 79]),
        (SHAPE, [5, None]),
    ],
    ids=["102010", "104004", "104005", "shape code"],
)
def test_a_part_of_a_submit_order_signature(part: str, code: int | None, values: list[Any]) -> None:
    """The first of its violations has the code."""
    for value in values:
        violations = order(**{part: value}).violations
        assert {violation.field for violation in violations} == {part}, value
        assert min(codes(violations), key=lambda found: found or 0) == code, value
    assert order(**{part: "9" * 78}).violations == order(**{part: "007"}).violations == ()


def test_get_orders_without_an_account_is_107001_and_a_malformed_account_is_not() -> None:
    assert codes(get("/api/v2/orders").call.violations) == {107001}
    assert codes(get("/api/v2/orders", accountId="x").call.violations) == {SHAPE}
    assert get("/api/v2/orders", accountId="10001").call.args == {"accountId": 10001}


def test_the_parts_of_a_submit_transfer_signature_are_104004_and_104005() -> None:
    integers = dict.fromkeys(["exchangeId", "sender", "receiver", "token", "tokenF", "nonce", "label"], 1)
    transfer = {**integers, "amount": "1", "amountF": "1", "signatureRx": "", "signatureRy": "x"}
    violations = post("/api/v2/transfer", transfer).call.violations
    first = {violation.field: violation.code for violation in reversed(violations)}
    assert first == {"signatureRx": 104004, "signatureRy": 104005, "signatureS": 104004}
