from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator

from mockrelay.spec.choices import BY_KEY
from mockrelay.spec.endpoints import ENDPOINTS
from mockrelay.wire.schemas import (
    choices_of,
    document,
    file_ids,
    follow,
    keyword,
    place_of,
    properties_of,
    resolve_ref,
    variants_of,
)

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


@FILES
def test_a_variant_is_a_valid_schema_for_an_option_that_is_not_the_default(file_id: str) -> None:
    for (key, option), variant_id in variants_of(file_id).items():
        assert option in BY_KEY[key].options[1:]
        assert place_of(variant_id).file_id == file_id
        Draft202012Validator.check_schema(place_of(variant_id).schema)


@pytest.mark.parametrize(
    ("name", "added"),
    [
        ("objects/NftTokenAmount", {"tokenId"}),
        ("objects/CounterFactualNftInfo", {"nftBaseUri"}),
        ("objects/DeployTransfer", {"payerAddr", "memo", "ecdsaSignature", "eddsaSignature", "ecdsaHash", "eddsaHash"}),
        ("requests/compute_token_address", {"nftBaseUri"}),
        ("requests/deploy_nft_contract", {"nftData"}),
        ("requests/get_nft_fee", {"accountId", "tokenAddress"}),
        ("requests/mint_nft", {"minterAddress", "toAddress", "nftType", "creatorFeeBips", "forceToMint", "counterFactualNftInfo"}),
        ("requests/transfer_nft", {"fromAddress", "toAddress"}),
        ("requests/withdraw_nft", {"fromAddress", "toAccountId"}),
    ],
)  # fmt: skip
def test_strict_optional_fields_are_required_as_well(name: str, added: set[str]) -> None:
    file_id = f"mockrelay:{name}.json"
    strict = follow(file_id, "", [("nft.optional_fields", "strict")]).schema
    assert set(strict["required"]) - set(document(file_id)["required"]) == added
    assert strict["properties"] == document(file_id)["properties"]


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


def test_a_ref_leads_to_the_variant_of_the_option_that_holds() -> None:
    file_id, within = "mockrelay:objects/TxType.json", "mockrelay:objects/TransactionBlock.json"
    assert resolve_ref(file_id, within, [("tx_type.case", "camel")]) == file_id
    assert resolve_ref(file_id, within, [("tx_type.case", "lower")]) == f"{file_id}#/x-variants/tx_type.case=lower"
    assert follow(file_id, within, [("tx_type.case", "lower")]).schema["enum"][:2] == ["noop", "deposit"]


def test_a_pointer_leads_into_a_file() -> None:
    place = place_of("mockrelay:responses/get_depth.json#/properties/data")
    assert place.schema["$ref"] == "mockrelay:objects/Depth.json"
    assert place.file_id == "mockrelay:responses/get_depth.json"
    assert list(properties_of(place)) == ["version", "timestamp", "bids", "asks"]
    assert keyword(place, "type") == "object"


def test_an_id_that_no_file_has_is_a_key_error() -> None:
    with pytest.raises(KeyError, match="there is no schema"):
        document("mockrelay:objects/../pyproject.json")


@pytest.mark.parametrize("file_id", file_ids())
def test_every_field_says_what_it_means(file_id: str) -> None:
    fields = document(file_id).get("properties", {})
    assert [name for name, schema in fields.items() if not schema.get("description", "").endswith(".")] == []
