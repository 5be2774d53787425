from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator

from mockrelay.spec.choices import BY_KEY
from mockrelay.spec.endpoints import ENDPOINTS
from mockrelay.wire.registry import choices_of, chosen, document, file_ids, keyword, place, properties_of

FILES = pytest.mark.parametrize("file_id", file_ids())


@FILES
def test_a_schema_file_is_valid_draft_2020_12_and_carries_its_own_id(file_id: str) -> None:
    schema = document(file_id)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == file_id
    Draft202012Validator.check_schema(schema)


def test_every_endpoint_has_a_schema_of_its_request_and_of_its_answer() -> None:
    for row in ENDPOINTS:
        assert f"mockrelay:requests/{row.name}.json" in file_ids()
        assert f"mockrelay:responses/{row.name}.json" in file_ids()


def test_a_variant_stands_for_a_file_under_an_option_that_is_no_default() -> None:
    for file_id in file_ids():
        stem, at, option = file_id.removesuffix(".json").partition("@")
        if at:
            key, _, value = option.partition("=")
            assert value in BY_KEY[key].options[1:]
            assert f"{stem}.json" in file_ids()


def test_a_choice_that_changes_an_inner_object_is_seen_from_outside() -> None:
    assert choices_of("mockrelay:responses/get_pending_requests.json") == {
        "pending.shape",
        "tx_type.case",
        "block.fill_s",
    }
    assert choices_of("mockrelay:responses/get_block.json") == {
        "tx_type.case",
        "block.fill_s",
        "block.status_words",
        "block.unknown_id",
    }
    assert choices_of("mockrelay:responses/get_ticker.json") == {"ticker.no_value"}
    assert choices_of("mockrelay:requests/get_orders.json") == {"orders.filter_cancelling"}
    assert choices_of("mockrelay:requests/submit_order.json") == frozenset()


def test_a_ref_leads_to_the_variant_of_the_option_that_holds_and_from_the_variant_to_its_file() -> None:
    file_id = "mockrelay:objects/TxType.json"
    lower = "mockrelay:objects/TxType@tx_type.case=lower.json"
    assert chosen(file_id, "mockrelay:objects/TransactionBlock.json", [("tx_type.case", "camel")]) == file_id
    assert chosen(file_id, "mockrelay:objects/TransactionBlock.json", [("tx_type.case", "lower")]) == lower
    assert chosen(file_id, lower, [("tx_type.case", "lower")]) == file_id


def test_a_pointer_leads_into_a_file() -> None:
    here = place("mockrelay:responses/get_depth.json#/properties/data")
    assert tuple(here) == ({"$ref": "mockrelay:objects/Depth.json"}, "mockrelay:responses/get_depth.json")
    assert list(properties_of(here)) == ["version", "timestamp", "bids", "asks"]
    assert keyword(here, "type") == "object"


def test_an_id_that_no_file_has_is_a_key_error() -> None:
    with pytest.raises(KeyError, match="there is no schema"):
        document("mockrelay:objects/../pyproject.json")
