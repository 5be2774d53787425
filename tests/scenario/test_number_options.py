"""A number whose text is an option of a choice is taken for the option, wherever choices are given (in an editor:
`test_editor_schema.py`).
"""

from __future__ import annotations

import pytest

from mockrelay import Relay
from mockrelay.core.errors import InvalidInput
from mockrelay.scenario import load_text
from mockrelay.testing import RelayerHandle, explore

STATUS, CODE = "http.error_status", "nft.error_code"
TEXT = f"""
format: 1
extends: default
choices: {{{STATUS}: 400}}
timeline:
  - {{at: 1s, do: {{choices: {{{CODE}: 100000}}}}}}
"""


def test_in_a_scenario_and_its_timeline() -> None:
    relay = Relay(load_text(TEXT))
    assert (relay.world.choices[STATUS], relay.world.choices[CODE]) == ("400", "100001")
    relay.advance(1000)
    assert relay.world.choices[CODE] == "100000"


def test_in_python_and_over_http() -> None:
    relay = Relay.from_scenario("default", choices={STATUS: 400})  # type: ignore[dict-item]
    assert relay.world.choices[STATUS] == "400"
    handle = RelayerHandle.of(relay)
    handle.control("PUT", "choices", {STATUS: 200})
    assert relay.world.choices[STATUS] == "200"
    handle.reset(choices={STATUS: 400})
    assert relay.world.choices[STATUS] == "400"
    explore(choices={STATUS: 400})  # type: ignore[dict-item]


@pytest.mark.relayer(choices={STATUS: 400})
def test_in_a_marker(relayer: RelayerHandle) -> None:
    assert relayer.state().choices[STATUS] == "400"


@pytest.mark.parametrize("option", [300, True, 400.0])
def test_another_number_is_none(option: float) -> None:
    with pytest.raises((InvalidInput, ValueError), match=STATUS):
        Relay.from_scenario("default", choices={STATUS: option})  # type: ignore[dict-item]
