"""`faults`: what each kind takes, where it may act, and how the rest is refused."""

from __future__ import annotations

import pytest

from mockrelay.core.errors import InvalidInput
from mockrelay.core.fault_json import format_fault, parse_fault, read_value
from mockrelay.core.faults import Fault, Match, ScriptedEffect
from mockrelay.scenario import ScenarioError, load_text
from mockrelay.scenario.yaml import parse, plain_value
from mockrelay.spec.endpoints import ENDPOINTS
from mockrelay.spec.fault_effects import EFFECTS, FIELDS, Point
from mockrelay.spec.sockets import SOCKET_EVENTS
from mockrelay.testing import FaultOptions
from mockrelay.wire.fault_schema import fault_combinations, fault_schema, whole_fault
from mockrelay.wire.schemas import Place
from mockrelay.wire.violations import check
from tests.scenario.texts import HEAD, refusal
from tests.support.client import control
from tests.support.worlds import relay_from

NAMES = [row.name for row in ENDPOINTS]
ANY_POINT = {"before", "instead", "after"}
VALUES = {
    "code": "102014",
    "status": "503",
    "body": "html",
    "delay": "30s",
    "drop": "true",
    "hold": "UNKNOWN",
    "outcome": "failed",
    "layer1": "down",
    "rate_limit": "true",
    "disconnect": "reset",
    "push": "lose",
    "refuse": "104115",
}
"""A right value for each kind."""
POINTS = {
    "code": ANY_POINT,
    "status": ANY_POINT,
    "body": ANY_POINT,
    "drop": ANY_POINT,
    "delay": ANY_POINT,
    "rate_limit": {"before", "instead"},
}
"""The points that a kind may name; the others act inside the action and name none."""
ONLY_ON = {
    "hold": {"submit_order"},
    "outcome": {
        "update_account",
        "submit_transfer",
        "submit_withdrawal",
        "mint_nft",
        "transfer_nft",
        "withdraw_nft",
        "deploy_nft_contract",
    },
    "layer1": {"send_eth_tx", "get_token_balances", "get_allowances", "get_eth_balance", "get_gas_price"},
    "disconnect": {"ws_message", "ws_push"},
    "push": {"ws_push"},
    "refuse": {"ws_message"},
}
KINDS_MEANT = "code, status, body, delay, drop, hold, outcome, layer1, rate_limit, disconnect, push, refuse"


def faults_of(text: str) -> list[Fault]:
    profile = "profile: live\n" if "on: ws_" in text else ""
    return list(load_text(HEAD + profile + text, "w.yaml").world(0).faults)


def is_taken(fault: str) -> bool:
    try:
        faults_of(f"faults: [{{{fault}}}]")
    except ScenarioError:
        return False
    return True


def test_each_effect_is_tried_here() -> None:
    assert set(VALUES) == set(EFFECTS)


def test_they_are_armed_in_order() -> None:
    lag, odd = faults_of(
        "faults:\n"
        "  - {name: lag, on: submit_order, when: {accountId: 10001, buy: 'false'}, times: 2, nth: 3, code: 102014}\n"
        "  - {on: get_depth, code: 5, message: odd, at: after}\n"
    )
    assert (lag.id, lag.name) == ("f1", "lag")
    assert lag.match == Match("submit_order", {"accountId": 10001, "buy": "false"}, nth=3, times=2)
    assert (lag.effect, lag.at) == (ScriptedEffect("code", 102014), Point.INSTEAD)
    assert odd.match == Match("get_depth", {}, nth=1, times=1)
    assert (odd.effect, odd.at) == (ScriptedEffect("code", 5, {"message": "odd"}), Point.AFTER)


def test_every_kind_keeps_its_value_and_acts_where_its_kind_does() -> None:
    status, body, delay, drop, hold, outcome, node = faults_of(
        "faults:\n"
        "  - {on: get_depth, status: 599}\n"
        "  - {on: get_depth, body: truncated, at: before}\n"
        "  - {on: get_depth, delay: 90s}\n"
        "  - {on: submit_order, drop: true}\n"
        "  - {on: submit_order, hold: WAIT_FREEZE_BALANCE}\n"
        "  - {on: mint_nft, outcome: failed}\n"
        "  - {on: get_gas_price, layer1: error}\n"
    )
    assert (status.effect, status.at) == (ScriptedEffect("status", 599), Point.AFTER)
    assert (body.effect, body.at) == (ScriptedEffect("body", "truncated"), Point.BEFORE)
    assert (delay.effect, delay.at) == (ScriptedEffect("delay", 90_000), Point.AFTER)
    assert (drop.effect, drop.at) == (ScriptedEffect("drop", value=True), Point.AFTER)
    assert (hold.effect, hold.at) == (ScriptedEffect("hold", "WAIT_FREEZE_BALANCE"), None)
    assert (outcome.effect, outcome.at) == (ScriptedEffect("outcome", "failed"), None)
    assert (node.effect, node.at) == (ScriptedEffect("layer1", "error"), None)


@pytest.mark.parametrize("kind", VALUES)
def test_a_kind_is_for_its_endpoints_alone(kind: str) -> None:
    taken = {name for name in (*NAMES, *SOCKET_EVENTS) if is_taken(f"on: {name}, {kind}: {VALUES[kind]}")}
    assert taken == ONLY_ON.get(kind, set(NAMES))


@pytest.mark.parametrize("kind", VALUES)
def test_a_kind_acts_at_its_points_alone(kind: str) -> None:
    on = min(ONLY_ON.get(kind, {"get_depth"}))
    taken = {at for at in ANY_POINT if is_taken(f"on: {on}, {kind}: {VALUES[kind]}, at: {at}")}
    assert taken == POINTS.get(kind, set())


REFUSED: tuple[tuple[str, str], ...] = (
    ("on: submit_oder, code: 1", "3:15: found 'submit_oder'; meant 'submit_order'"),
    ("code: 1", "3:10: found no 'on'; meant on, which is required here"),
    ("on: 5, hold: UNKNOWN", "3:15: found the number 5; meant submit_order"),
    ("on: submit_order", f"3:10: found a fault that does nothing; meant one of {KINDS_MEANT}"),
    ("on: submit_order, code: 1, hold: UNKNOWN", "3:38: found 'hold' beside 'code'; meant one of them: a fault does one thing"),
    ("on: submit_order, hold: unknown", "3:35: found 'unknown'; meant 'UNKNOWN'"),
    ("on: get_depth, hold: UNKNOWN", "3:15: found 'get_depth', where 'hold' has nothing to act on; meant submit_order"),
    ("on: get_depth, outcome: failed", "3:15: found 'get_depth', where 'outcome' has nothing to act on; meant one of update_account, submit_transfer, submit_withdrawal, mint_nft, transfer_nft, withdraw_nft, deploy_nft_contract"),
    ("on: submit_order, hold: UNKNOWN, at: after", "3:44: found 'at' beside 'hold'; meant no at: it acts inside the action"),
    ("on: submit_order, hold: UNKNOWN, message: x", "3:44: found 'message' beside 'hold'; meant it beside 'code' only"),
    ("on: submit_order, code: 1, at: later", "3:42: found 'later'; meant one of instead, before, after"),
    ("on: submit_order, code: 1, times: 0", "3:45: found the number 0; meant a whole number from 1 to 4294967295"),
    ("on: submit_order, code: 1, nth: '2'", "3:43: found '2'; meant a whole number from 1 to 4294967295, without quotes"),
    (
        "on: submit_order, code: 1, when: {acountId: 5}",
        "3:45: found the unknown field 'acountId'; meant 'accountId'",
    ),
    (
        "on: get_tokens, code: 1, when: {market: LRC-ETH}",
        "3:43: found the unknown field 'market'; meant no field: it takes none",
    ),
    ("on: submit_order, code: 1, when: [a]", "3:44: found a list; meant a map"),
    ("on: submit_order, code: 1, message: 7", "3:47: found the number 7; meant a text, in quotes"),
    ("on: submit_order, code: 1, name: ''", "3:44: found an empty text; meant a text"),
    ("on: submit_order, code: 0", "3:35: found the number 0; meant a whole number from 1 to 9007199254740991"),
    ("on: submit_order, code: true", "3:35: found true; meant a whole number from 1 to 9007199254740991"),
    ("on: submit_order, status: 99", "3:37: found the number 99; meant a whole number from 200 to 599"),
    ("on: submit_order, status: 100", "3:37: found the number 100; meant a whole number from 200 to 599"),
    ("on: submit_order, status: 199", "3:37: found the number 199; meant a whole number from 200 to 599"),
    ("on: submit_order, status: 600", "3:37: found the number 600; meant a whole number from 200 to 599"),
    (f"on: submit_order, code: 1, message: {'m' * 1001}", f"3:47: found '{'m' * 60}'...; meant at most 1000 characters"),
    (f"on: submit_order, code: 1, name: {'n' * 201}", f"3:44: found '{'n' * 60}'...; meant at most 200 characters"),
    (
        "on: get_depth, layer1: down",
        "3:15: found 'get_depth', where 'layer1' has nothing to act on; meant one of send_eth_tx, get_token_balances, get_allowances, get_eth_balance, get_gas_price",
    ),
    ("on: submit_order, body: htm", "3:35: found 'htm'; meant one of malformed, truncated, html, empty"),
    ("on: submit_order, delay: 5", "3:36: found the number 5; meant a duration such as 15s (units ms, s, m, h, d)"),
    ("on: submit_order, drop: false", "3:35: found false; meant true"),
    ("on: mint_nft, outcome: processed", "3:34: found 'processed'; meant failed"),
    ("on: get_gas_price, layer1: up", "3:38: found 'up'; meant one of down, error"),
    ("on: submit_order, dely: 5s", "3:29: found the unknown key 'dely'; meant 'delay'"),
    ("name: a, on: submit_order, code: 1}, {name: a, on: get_depth, code: 1", "3:55: found the name a again (first at w.yaml:3:17); meant each name once"),
)  # fmt: skip
OTHER_WORDS = {
    "on: 5, hold: UNKNOWN": "the number 5",
    "on: submit_order, code: 1, at: later": "'later'",
    "on: submit_order, code: 1, when: {acountId: 5}": None,
    "on: get_tokens, code: 1, when: {market: LRC-ETH}": None,
}
"""What a schema finds where it lists other words, or nothing: it does not know the fields of endpoints."""


@pytest.mark.parametrize(("fault", "message"), REFUSED)
def test_what_is_refused(fault: str, message: str) -> None:
    assert refusal(f"{HEAD}faults: [{{{fault}}}]") == f"w.yaml:{message}"


@pytest.mark.parametrize(("fault", "message"), REFUSED[:-1])
def test_the_schema_finds_the_same(fault: str, message: str) -> None:
    schema = fault_schema(lambda name: {"$ref": f"mockrelay:control/objects/{name}.json"})
    place = Place(schema | fault_combinations() | whole_fault(), "mockrelay:control/requests/post_faults.json")
    value = plain_value(parse(f"{{{fault}}}", "w.yaml"))
    if fault not in OTHER_WORDS:
        with pytest.raises(InvalidInput) as caught:
            check(place, value)
        assert f"found {caught.value.found}; meant {caught.value.expected}" == message.split(": ", 1)[1]
    elif OTHER_WORDS[fault] is not None:
        with pytest.raises(InvalidInput, match=f"found {OTHER_WORDS[fault]};"):
            check(place, value)


def test_a_field_of_when_is_compared_as_a_whole_also_where_it_is_a_map() -> None:
    (fault,) = faults_of("faults: [{on: submit_withdrawal, code: 1, when: {token: {tokenId: 1, volume: '5'}}}]")
    assert fault.match.when == {"token": {"tokenId": 1, "volume": "5"}}


def test_the_control_api_knows_the_fields_too() -> None:
    relay = relay_from("default")
    refused = control(relay, "POST", "faults", {"on": "get_tokens", "hold": "open"})
    assert refused.json["error"].startswith("on: found 'get_tokens', where 'hold' has nothing to act on")
    refused = control(relay, "POST", "faults", {"on": "get_depth", "code": 1, "when": {"markt": "LRC-ETH"}})
    assert refused.status == 400
    assert refused.json == {
        "error": "when.markt: found the unknown field 'markt'",
        "field": "when.markt",
        "meant": "'market'",
    }
    assert control(relay, "POST", "faults", {"on": "get_depth", "code": 1, "when": {"level": 0}}).status == 200


@pytest.mark.parametrize(
    "fault",
    [
        *(f"on: {min(ONLY_ON.get(kind, NAMES))}, {kind}: {value}" for kind, value in VALUES.items()),
        "name: a, on: get_depth, code: 5, message: '', at: before, when: {level: 0}, nth: 3, times: 7",
        "on: get_depth, delay: 0s",
        "on: get_depth, delay: 999999999999999h",
    ],
)
def test_what_is_written_of_a_fault_asks_for_the_same(fault: str) -> None:
    (armed,) = faults_of(f"faults: [{{{fault}}}]")
    assert parse_fault(format_fault(armed)) == armed._replace(id="", from_scenario=False)


def test_a_delay_is_written_in_milliseconds() -> None:
    (armed,) = faults_of("faults: [{on: get_depth, delay: 90s}]")
    assert format_fault(armed)["delay"] == "90000ms"


TEXTS = {"type": "object", "additionalProperties": {"type": "string"}}


def test_the_value_of_an_effect_may_be_a_map() -> None:
    assert read_value(TEXTS, {"a": "b"}, ("header",)) == {"a": "b"}
    with pytest.raises(InvalidInput, match=r"header\.a: found the number 5; meant a text, in quotes"):
        read_value(TEXTS, {"a": 5}, ("header",))


@pytest.mark.parametrize("field", FIELDS)
def test_the_schema_of_a_field_has_only_keywords_that_are_checked(field: str) -> None:
    checked = {"$ref", "const", "enum", "type", "minimum", "maximum", "minLength", "maxLength", "additionalProperties"}
    assert FIELDS[field].keys() <= checked | {"x-meant", "description", "examples", "default"}


def test_the_handle_takes_all_fields() -> None:
    assert {"on", *FaultOptions.__annotations__} == set(FIELDS)
