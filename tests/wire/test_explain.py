from __future__ import annotations

import pytest

from mockrelay.core.call import NumberLiteral
from mockrelay.wire.explain import explain, short_json
from tests.wire.requests import ORDER, UPDATE, order

ORDERS = "mockrelay:requests/submit_order.json"


def details(schema_id: str, value: object) -> list[str]:
    return [violation.detail for violation in explain(schema_id, value)]


@pytest.mark.parametrize(
    ("field", "value", "detail"),
    [
        ("amountS", "1e21", 'amountS: "1e21" is not a whole number in digits'),
        ("amountS", 5, "amountS: 5 is an integer, not a string: a whole number in digits is meant"),
        ("amountS", "9" * 79, "amountS: 79 characters are more than 78"),
        ("exchangeId", True, "exchangeId: true is a boolean, not an integer"),
        ("exchangeId", [1], "exchangeId: it is a list, not an integer"),
        ("buy", "no", 'buy: "no" is none of "true", "false"'),
        ("allOrNone", "true", 'allOrNone: "true" is not "false"'),
        ("maxFeeBips", 64, "maxFeeBips: 64 is above 63"),
        ("label", -1, "label: -1 is below 0"),
        (
            "validUntil",
            1900000000000,
            "validUntil: 1900000000000 is above 4294967295: seconds are meant, this looks like milliseconds",
        ),
        ("validUntil", 2**63, "validUntil: 9223372036854775808 is above 4294967295: seconds are meant"),
        ("clientOrderId", None, "clientOrderId: it is null, not a string"),
    ],
)
def test_a_detail_says_what_was_found_and_what_was_meant(field: str, value: object, detail: str) -> None:
    assert details(ORDERS, {**ORDER, field: value}) == [detail]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("é" * 60, []),
        ("é" * 60 + "a", ["clientOrderId: 121 bytes are more than 120"]),
        ("\ud800" * 41, ["clientOrderId: 123 bytes are more than 120"]),
    ],
    ids=ascii,
)
def test_a_limit_in_bytes_counts_those_of_utf_8(text: str, found: list[str]) -> None:
    schema_id = "mockrelay:requests/submit_order_gen3.json"
    violations = [detail for detail in details(schema_id, {"clientOrderId": text}) if "missing" not in detail]
    assert violations == found


def test_a_number_with_a_point_is_shown_as_it_was_written() -> None:
    found = details(ORDERS, {**ORDER, "exchangeId": NumberLiteral("1.0")})
    assert found == ["exchangeId: 1.0 is a number with a point or an exponent, not an integer"]


def test_violations_come_in_the_order_of_the_schemas_fields() -> None:
    violations = order(signatureS=..., exchangeId=..., buy="x", amountS="x", label=...).violations
    assert [violation.field for violation in violations] == ["exchangeId", "amountS", "buy", "label", "signatureS"]


def test_a_violation_of_an_inner_object_has_its_path() -> None:
    body = {**UPDATE, "maxFee": {"tokenId": "1"}, "publicKey": {"x": "0x1", "y": "q"}}
    violations = explain("mockrelay:requests/update_account.json", body)
    assert [(violation.field, violation.rule) for violation in violations] == [
        ("publicKey.y", "pattern"),
        ("maxFee.tokenId", "type"),
        ("maxFee.volume", "required"),
    ]


def test_a_violation_of_a_list_has_its_index() -> None:
    depth = {"version": 1, "timestamp": 1, "bids": [["1", "1", "1", "1"], ["1", "1.5", "1", "1"]], "asks": [["1"]]}
    assert [violation.field for violation in explain("mockrelay:objects/Depth.json", depth)] == [
        "bids[1][1]",
        "asks[0]",
    ]


def test_of_a_list_that_is_too_long_only_as_many_items_are_explained_as_it_may_have() -> None:
    """A batch has at most ten orders; to explain thousands would hold up others."""
    found = details("mockrelay:requests/submit_orders_v2.json", {"orders": [{}] * 4_000})
    assert found[0] == "orders: 4000 items are more than 10"
    assert {detail.partition(".")[0] for detail in found[1:]} == {f"orders[{number}]" for number in range(10)}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a\nb", r'"a\nb"'),
        ("\ud800", r'"\ud800"'),
        ("\uff17", r'"\uff17"'),
        ("x" * 5000, '"' + "x" * 40 + '..."'),
        (10**4000, "1" + "0" * 39 + "..."),
        (NumberLiteral("1e400"), "1e400"),
        (None, "null"),
        (False, "false"),
    ],
)
def test_a_value_is_quoted_short_and_in_ascii(value: object, text: str) -> None:
    assert short_json(value) == text
