"""Edges of the fields of an order, and the codes of what is beside them; all other codes see conformance/wrong_fields.py."""

from __future__ import annotations

from typing import Any

import pytest

from tests.wire.requests import order

RIGHT: list[tuple[str, list[Any]]] = [
    ("maxFeeBips", [1, 63]),
    ("label", [0, 65535]),
    ("validSince", [0]),
    ("validUntil", [2**32 - 1, -5]),  # -5 is in the past: 102008, which the core says
    ("allOrNone", [...]),
    ("orderId", [0, 2**32 - 1]),
    *((field, [...]) for field in ("clientOrderId", "channelId", "orderType")),
    *((field, ["9" * 78, "007"]) for field in ("signatureRx", "signatureRy", "signatureS")),
]
BEYOND: list[tuple[str, int, list[Any]]] = [
    ("orderId", 102004, [-1, 2**32]),
    ("validSince", 102120, [2**32, 2**63]),
    *((field, 104005, ["9" * 79, "5\n", "0x12"]) for field in ("signatureRx", "signatureRy", "signatureS")),
]


@pytest.mark.parametrize(("field", "values"), RIGHT, ids=[f"submit_order {field}" for field, _ in RIGHT])
def test_the_edges_of_a_field_are_right(field: str, values: list[Any]) -> None:
    assert [value for value in values if order(**{field: value}).violations] == []


@pytest.mark.parametrize(
    ("field", "code", "values"), BEYOND, ids=[f"submit_order {field} {code}" for field, code, _ in BEYOND]
)
def test_a_value_beyond_an_edge_has_the_code_of_its_field(field: str, code: int, values: list[Any]) -> None:
    for value in values:
        (violation,) = order(**{field: value}).violations
        assert (violation.field, violation.code) == (field, code), value
