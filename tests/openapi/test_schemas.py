"""Schema files as components of a document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from mockrelay.journal import ProblemKind
from mockrelay.openapi.calls import control_calls, is_needed
from mockrelay.openapi.schemas import Components, component_name
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.spec.fault_effects import EFFECTS, Point, SpoiltBody
from mockrelay.spec.request_kinds import RequestKind
from mockrelay.spec.vocab import HeldAs, NodeState
from mockrelay.wire.schemas import document

DEPTH = "mockrelay:responses/get_depth.json"


def _object(name: str) -> Mapping[str, Any]:
    return document(f"mockrelay:control/objects/{name}.json")


def _command(name: str) -> Mapping[str, Any]:
    return document(f"mockrelay:control/commands/{name}.json")


def _answer(name: str) -> Mapping[str, Any]:
    return document(f"mockrelay:control/responses/{name}.json")


@pytest.mark.parametrize(
    ("file_id", "name"),
    [
        ("mockrelay:objects/Hash.json", "Hash"),
        ("mockrelay:requests/get_depth.json", "get_depth_request"),
        (DEPTH, "get_depth_answer"),
        ("mockrelay:control/objects/Error.json", "Error"),
        ("mockrelay:control/responses/post_verify.409.json", "post_verify.409_answer"),
    ],
)
def test_a_component_is_named_after_its_file(file_id: str, name: str) -> None:
    assert component_name(file_id) == name


def test_a_reference_brings_all_that_it_refers_to_and_nothing_else() -> None:
    components = Components()
    assert components.ref(DEPTH) == {"$ref": "#/components/schemas/get_depth_answer"}
    found = components.schemas()
    assert {"get_depth_answer", "Depth", "PriceLevel", "Success"} <= set(found)
    assert "TokenInfo" not in found
    assert "$id" not in found["Depth"]
    assert found["get_depth_answer"]["properties"]["data"]["$ref"] == "#/components/schemas/Depth"


def test_a_code_of_its_own_stays_with_a_field() -> None:
    components = Components()
    components.ref("mockrelay:requests/submit_order.json")
    assert components.schemas()["submit_order_request"]["properties"]["maxFeeBips"]["x-code"] == 102006


def test_two_files_cannot_be_one_component() -> None:
    components = Components()
    components.ref("mockrelay:requests/get_depth.json")
    with pytest.raises(ValueError, match="would both be the component get_depth_request"):
        components.ref("mockrelay:control/requests/get_depth.json")


def test_a_table_stands_where_a_file_asks_for_it() -> None:
    name = document("mockrelay:control/objects/EndpointName.json")
    assert name["enum"] == list(BY_NAME)
    assert "x-table" not in name


def test_a_body_is_required_where_an_empty_object_will_not_do() -> None:
    needed = {call.operation_id: is_needed(call.request) for call in control_calls() if call.takes_body}
    assert not needed["post_blocks_seal"]
    assert not needed["post_reset"]
    assert needed["post_clock"]
    assert needed["post_orders_hash_fill"]
    assert needed["post_load"]


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (_object("NodeState"), NodeState),
        (_object("HeldAs"), HeldAs),
        (_object("RequestState")["properties"]["kind"], RequestKind),
        (_command("fault")["properties"]["body"], SpoiltBody),
        (_command("fault")["properties"]["at"], Point),
        (_object("Problem")["properties"]["kind"], ProblemKind),
    ],
)
def test_a_word_list_is_the_programs_own(schema: Mapping[str, Any], words: Iterable[Any]) -> None:
    assert set(schema["enum"]) == set(words)


def test_a_fault_does_one_thing_of_those_that_there_are() -> None:
    alternatives = _command("fault")["oneOf"]
    assert [alternative["required"] for alternative in alternatives] == [[kind] for kind in EFFECTS]
