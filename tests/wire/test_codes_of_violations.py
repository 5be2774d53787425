"""Which violations have a code of their own, transcribed from the order of judgement; all others have the shape code."""

from __future__ import annotations

from typing import Any

import pytest

from tests.wire.requests import get, order, post

JSON_OF_NO_FIELD: list[Any] = [None, True, 1.5, [], {}]


def codes(violations: Any) -> set[int | None]:
    return {None if violation.code is None else int(violation.code) for violation in violations}


@pytest.mark.parametrize("value", [..., 0, 64, -1, "x", "63", 6.3, True, None, [], {}])
def test_a_wrong_max_fee_bips_is_102006_whatever_is_wrong_with_it(value: Any) -> None:
    violations = order(maxFeeBips=value).violations
    assert [violation.field for violation in violations] == ["maxFeeBips"]
    assert codes(violations) == {102006}


@pytest.mark.parametrize("value", [1, 63])
def test_max_fee_bips_from_1_to_63_is_right(value: int) -> None:
    assert order(maxFeeBips=value).violations == ()


@pytest.mark.parametrize("field", ["label", "validSince", "validUntil"])
@pytest.mark.parametrize("value", [..., "7", 7.0, True, None, 2**32, 2**63])
def test_a_wrong_label_or_validity_is_102120(field: str, value: Any) -> None:
    violations = order(**{field: value}).violations
    assert {violation.field for violation in violations} == {field}
    assert codes(violations) == {102120}


def test_the_edges_of_label_and_validity() -> None:
    assert order(label=0, validSince=0, validUntil=2**32 - 1).violations == ()
    assert order(label=65535).violations == ()
    assert codes(order(label=65536).violations) == codes(order(label=-1).violations) == {102120}
    assert codes(order(validUntil=2**32).violations) == {102120}
    assert order(validUntil=-5).violations == (), "in the past: 102008, which the core says"


@pytest.mark.parametrize("value", ["true", "", "no", False, None, 0])
def test_all_or_none_may_only_be_false_as_text(value: Any) -> None:
    assert codes(order(allOrNone=value).violations) == {102120}
    assert order(allOrNone=...).violations == ()


@pytest.mark.parametrize(
    ("value", "code"), [(-1, 102004), (2**32, 102004), (..., None), ("5", None), (True, None), (5.0, None)]
)
def test_an_order_id_out_of_range_is_102004_and_anything_else_the_shape_code(value: Any, code: int | None) -> None:
    assert codes(order(orderId=value).violations) == {code}
    assert order(orderId=0).violations == order(orderId=2**32 - 1).violations == ()


@pytest.mark.parametrize("part", ["signatureRx", "signatureRy", "signatureS"])
@pytest.mark.parametrize(
    ("value", "first_code"),
    [
        (..., 102010),
        ("", 104004),
        (" ", 104004),
        ("0", 104004),
        ("000", 104004),
        ("12x", 104005),
        ("0x12", 104005),
        ("-5", 104005),
        (" 5", 104005),
        ("5\n", 104005),
        ("\uff15", 104005),
        ("9" * 79, 104005),
        (5, None),
        (None, None),
    ],
)
def test_a_part_of_an_orders_signature(part: str, value: Any, first_code: int | None) -> None:
    violations = order(**{part: value}).violations
    assert {violation.field for violation in violations} == {part}
    assert min(codes(violations), key=lambda code: code or 0) == first_code
    assert order(**{part: "9" * 78}).violations == order(**{part: "007"}).violations == ()


@pytest.mark.parametrize("field", ["exchangeId", "accountId", "tokenSId", "tokenBId", "amountS", "amountB", "buy"])
def test_every_other_violation_of_an_order_has_the_shape_code(field: str) -> None:
    for value in (..., *JSON_OF_NO_FIELD):
        violations = order(**{field: value}).violations
        assert [(violation.field, violation.code) for violation in violations] == [(field, None)]


@pytest.mark.parametrize("field", ["clientOrderId", "channelId", "orderType"])
def test_an_optional_field_of_an_order_may_be_absent_but_not_of_another_type(field: str) -> None:
    assert order(**{field: ...}).violations == ()
    for value in (*JSON_OF_NO_FIELD, 7):
        assert [(violation.field, violation.code) for violation in order(**{field: value}).violations] == [
            (field, None)
        ]


def test_an_order_list_without_an_account_is_107001_and_a_malformed_account_is_not() -> None:
    assert codes(get("/api/v2/orders").call.violations) == {107001}
    assert codes(get("/api/v2/orders", accountId="x").call.violations) == {None}
    assert get("/api/v2/orders", accountId="10001").call.args == {"accountId": 10001}


def test_a_transfers_signature_parts_are_104004_and_104005() -> None:
    integers = dict.fromkeys(["exchangeId", "sender", "receiver", "token", "tokenF", "nonce", "label"], 1)
    transfer = {**integers, "amount": "1", "amountF": "1", "signatureRx": "", "signatureRy": "x"}
    violations = post("/api/v2/transfer", transfer).call.violations
    first = {violation.field: violation.code for violation in reversed(violations)}
    assert first == {"signatureRx": 104004, "signatureRy": 104005, "signatureS": 104004}
