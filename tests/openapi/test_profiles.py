"""The relayer's document in the profile live: complete, valid, and right about the requests of both forms of a path."""

from __future__ import annotations

from typing import Any

import pytest

from mockrelay.openapi import relayer_document
from mockrelay.spec.endpoint import LIVE, Endpoint
from mockrelay.spec.endpoints import ALL_ENDPOINTS
from tests.openapi.reading import Shown, answer_errors, errors, given, operations, request_errors

DOCUMENT = relayer_document(LIVE)
OPERATIONS = {(one.method, one.path): one for one in operations(DOCUMENT)}
REPLACED = {row.name for row in ALL_ENDPOINTS if row.profile == LIVE and row.form and not row.recognized_by}
"""Rows of the specification that the profile answers otherwise."""
ROWS = [row for row in ALL_ENDPOINTS if row.profile == LIVE and not row.upgrades]
PARTS = {"token": {"tokenId": 1, "volume": "1"}, "nft": {"tokenId": 9, "nftData": "0x" + "1" * 64, "amount": "1"}}
ADDRESS = "0x" + "1" * 40
GEN2 = {
    "exchangeId": 1,
    "orderId": 0,
    "accountId": 10001,
    "tokenSId": 1,
    "tokenBId": 0,
    "amountS": "5",
    "amountB": "6",
    "allOrNone": "false",
    "buy": "true",
    "validSince": 1,
    "validUntil": 2,
    "maxFeeBips": 63,
    "label": 211,
    "signatureRx": "1",
    "signatureRy": "2",
    "signatureS": "3",
}
GEN3 = {
    "exchange": ADDRESS,
    "accountId": 10001,
    "storageId": 0,
    "validUntil": 2,
    "maxFeeBips": 63,
    "sellToken": PARTS["token"],
    "buyToken": PARTS["token"],
    "fillAmountBOrS": False,
    "eddsaSignature": "0x" + "1b" * 96,
}
MOVE = {
    "exchange": ADDRESS,
    "fromAccountId": 10001,
    "fromAddress": ADDRESS,
    "toAccountId": 0,
    "toAddress": ADDRESS,
    "token": PARTS["nft"],
    "maxFee": {"tokenId": 1, "amount": "1"},
    "storageId": 1,
    "validUntil": 2,
}
WITHDRAWAL = {
    "exchange": ADDRESS,
    "accountId": 10001,
    "owner": ADDRESS,
    "to": ADDRESS,
    "minGas": 0,
    "extraData": "",
    "token": PARTS["nft"],
    "maxFee": {"tokenId": 1, "amount": "1"},
    "storageId": 1,
    "validUntil": 2,
}
ORDER, LEAVE = "/api/v3/order", "/api/v3/nft/withdrawal"


def test_it_has_the_rows_of_the_profile_and_those_of_the_specification() -> None:
    assert OPERATIONS.keys() == {(row.method, row.path) for row in ALL_ENDPOINTS if not row.upgrades}
    assert len({one.id for one in OPERATIONS.values()}) == len(OPERATIONS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_a_row_has_its_name_limit_codes_and_header(row: Endpoint) -> None:
    raw = OPERATIONS[row.method, row.path].raw
    assert raw["operationId"] == row.name
    assert raw["x-rate-limit"] == {"perSecond": row.per_second}
    codes = raw["x-forms"][row.form]["codes"] if row.recognized_by else [one["code"] for one in raw["x-codes"]]
    assert codes == [int(code) for code, _ in row.codes]
    headers = {one["name"]: one["required"] for one in raw["parameters"] if one["in"] == "header"}
    is_signed = (
        bool(row.signature) or row.name == "withdraw_nft"
    )  # of which one form is signed in the header or the body
    assert headers == ({"X-API-SIG": not (row.body_signatures or row.name == "withdraw_nft")} if is_signed else {})
    assert (raw["security"] == []) == (row.public or row.key == "not listed")
    assert ("requestBody" in raw) == (row.method == "POST")


@pytest.mark.parametrize(
    "row", [*ROWS, *(row for row in ALL_ENDPOINTS if row.profile != LIVE and row.id not in REPLACED)]
)
def test_a_row_shows_a_right_call_that_the_document_takes_and_its_answer(row: Endpoint) -> None:
    operation = OPERATIONS[row.method, row.path]
    name = f"accepted_{row.form}" if row.recognized_by else "accepted"
    answer = operation.raw["responses"]["200"]["content"]["application/json"]["examples"][name]
    assert answer_errors(DOCUMENT, operation, "200", answer["value"]) == []
    example = Shown(name, operation, *given(operation, name), "200", answer["value"], answer["x-mockrelay"])
    assert request_errors(DOCUMENT, example) == []
    assert example.made["account"] in ("alice", "carol")


@pytest.mark.parametrize(("path", "bodies"), [(ORDER, (GEN2, GEN3)), (LEAVE, (MOVE, WITHDRAWAL))])
def test_a_path_with_two_forms_takes_either_body_and_no_other(path: str, bodies: tuple[dict[str, Any], ...]) -> None:
    raw = OPERATIONS["POST", path].raw
    schema = raw["requestBody"]["content"]["application/json"]["schema"]
    assert len(schema["oneOf"]) == 2
    for body in bodies:
        assert errors(DOCUMENT, schema, body) == []
        for field in ("validUntil", "accountId" if path == ORDER else "token"):
            assert errors(DOCUMENT, schema, {name: value for name, value in body.items() if name != field})
    assert errors(DOCUMENT, schema, {})


def test_the_forms_of_a_path_are_listed_with_the_fields_that_show_them() -> None:
    forms = {path: OPERATIONS["POST", path].raw["x-forms"] for path in (ORDER, LEAVE)}
    fields = {path: {form: one["fields"] for form, one in of_path.items()} for path, of_path in forms.items()}
    assert fields == {ORDER: {"gen3": ["sellToken", "storageId"]}, LEAVE: {"real": ["accountId", "to"]}}
    codes = forms[ORDER]["gen3"]["codes"]
    assert codes[:8] == [104001, 104002, 102003, 104003, 102010, 104004, 104005, 102001]


def test_an_order_is_answered_by_its_form_and_with_an_error_in_either() -> None:
    """The third generation bare and refused with 400, the second in an envelope."""
    order = OPERATIONS["POST", ORDER]
    bare = {"hash": "0x" + "1" * 64, "clientOrderId": "", "status": "processing", "isIdempotent": False}
    refused = {"resultInfo": {"code": 102120, "message": "no"}}
    assert answer_errors(DOCUMENT, order, "200", bare) == []
    assert answer_errors(DOCUMENT, order, "200", refused) == []
    assert answer_errors(DOCUMENT, order, "400", refused) == []
    assert answer_errors(DOCUMENT, order, "200", bare | {"status": "NEW_ACTIVED"})


def test_it_shows_the_options_of_the_profile() -> None:
    """An order id is a number under live (`order_id.json`), a string under the specification."""
    answer = {"resultInfo": {"code": 0, "message": "SUCCESS"}, "data": 0}
    order_id = OPERATIONS["GET", "/api/v2/orderId"]
    assert answer_errors(DOCUMENT, order_id, "200", answer) == []
    assert answer_errors(relayer_document(), order_id, "200", answer | {"data": "0"}) == []
    assert answer_errors(DOCUMENT, order_id, "200", answer | {"data": "0"})
