"""What no call can have is refused where it is asked for, so that a check for absence never passes because of what was asked."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import NoneType
from typing import Any

import pytest

from mockrelay.relay import Relay
from mockrelay.testing import ControlError, RelayerHandle
from tests.support.bodies import W, bodies_of
from tests.support.client import control, get, post
from tests.support.worlds import relay_from

ACCOUNTS = "one of 10001 (alice), 10002 (bob), 10003 (carol)"
TOKENS = "one of 0 (ETH), 1 (LRC), 3 (USDT), 5 (DAI)"
DIGITS, ADDRESS = "a whole number in digits", "an address of 0x and 40 hex digits"
OWNER = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
BIPS, SECONDS = "a whole number from 1 to 63", "a time in seconds, a whole number from 0 to 4294967295"

WRONG: list[tuple[str, dict[str, Any], str, str, str]] = [
    # A number where the field is a text, and the reverse.
    ("submit_order", {"accountId": "10001"}, "accountId", "'10001'", "10001, without quotes"),
    ("submit_order", {"amountS": 10**19}, "amountS", f"the number {10**19}", f'"{10**19}", in quotes'),
    ("submit_order", {"amountS": 1e18}, "amountS", "the number 1e+18", DIGITS),
    ("submit_order", {"orderId": 1.0}, "orderId", "the number 1.0", "a whole number from 0 to 4294967295"),
    ("submit_order", {"orderId": False}, "orderId", "false", "a whole number from 0 to 4294967295"),
    ("submit_order", {"buy": True}, "buy", "true", '"true", in quotes'),
    ("submit_order", {"clientOrderId": None}, "clientOrderId", "nothing", "a text, in quotes"),
    ("submit_order", {"accountId": [10001]}, "accountId", "a list", ACCOUNTS),
    ("submit_withdrawal", {"fastWithdrawalMode": "true"}, "fastWithdrawalMode", "'true'", "true, without quotes"),
    ("get_depth", {"level": "0"}, "level", "'0'", "0, without quotes"),
    ("get_nft_data", {"minter": 10001}, "minter", "the number 10001", '"10001", in quotes'),
    ("get_block", {"id": 7}, "id", "the number 7", '"7", in quotes'),
    ("mint_nft", {"hashApproved": 5}, "hashApproved", "the number 5", '"5", in quotes'),
    # A word outside a closed list.
    ("submit_order", {"orderType": "limit_order"}, "orderType", "'limit_order'", "'LIMIT_ORDER'"),
    ("submit_order", {"buy": "yes"}, "buy", "'yes'", 'one of "true", "false"'),
    ("get_orders", {"side": "sell"}, "side", "'sell'", "'SELL'"),
    ("get_nft_fee", {"requestType": 12}, "requestType", "the number 12", "one of 9, 10, 11, 13"),
    # A form that the field never has.
    ("submit_order", {"amountS": "1e18"}, "amountS", "'1e18'", DIGITS),
    ("submit_order", {"amountS": "007"}, "amountS", "'007'", DIGITS),
    ("submit_order", {"maxFeeBips": 64}, "maxFeeBips", "the number 64", BIPS),
    ("submit_order", {"validSince": 1767225600000}, "validSince", "the number 1767225600000", SECONDS),
    ("submit_withdrawal", {"to": "0x12"}, "to", "'0x12'", ADDRESS),
    ("get_candlestick", {"interval": ""}, "interval", "''", "one of 1min, 5min, 15min, 30min, 1hr, 2hr, 4hr, 12hr, 1d, 1w"),
    # An account, a token or a market that the world does not have.
    ("submit_order", {"accountId": "alice"}, "accountId", "'alice'", "10001, the id of alice"),
    ("submit_order", {"accountId": 10009}, "accountId", "10009, which is not the id of an account", ACCOUNTS),
    ("submit_transfer", {"receiver": 0}, "receiver", "0, which is not the id of an account", ACCOUNTS),
    ("get_nft_data", {"minter": "10009"}, "minter", "10009, which is not the id of an account", ACCOUNTS),
    ("submit_order", {"tokenSId": "LRC"}, "tokenSId", "'LRC'", "1, the id of LRC"),
    ("submit_order", {"tokenBId": 2}, "tokenBId", "2, which is not the id of a token", TOKENS),
    ("get_depth", {"market": "LRCETH"}, "market", "the unknown market 'LRCETH'", "'LRC-ETH'"),
    ("get_ticker", {"market": "LRC-ETH,LRC_USDT"}, "market", "the unknown market 'LRC_USDT'", "'LRC-USDT'"),
    # Inside an object.
    ("submit_withdrawal", {"maxFee": {"tokenId": "1"}}, "maxFee.tokenId", "'1'", "1, without quotes"),
    ("submit_withdrawal", {"maxFee": {"tokenId": 7}}, "maxFee.tokenId", "7, which is not the id of a token", TOKENS),
    ("submit_withdrawal", {"maxFee": "5"}, "maxFee", "'5'", "a token and a volume"),
    ("deploy_nft_contract", {"transfer": {"token": {"volume": 5}}}, "transfer.token.volume", "the number 5", '"5", in quotes'),
]  # fmt: skip
"""An endpoint, fields that no request of it has, the field to blame, what is found there and what is meant."""
NAMELESS: list[tuple[str, dict[str, Any], str, str]] = [
    ("get_depth", {"markt": "LRC-ETH"}, "markt", "'market'"),
    ("get_tokens", {"x": "1"}, "x", "no field: it takes none"),
    ("submit_withdrawal", {"maxFee": {"tokenID": 1}}, "maxFee.tokenID", "'tokenId'"),
]
"""An endpoint, fields of which it has one not, that field, and what is meant."""
RIGHT: list[tuple[str, dict[str, Any]]] = [
    ("submit_order", {"accountId": 10002, "tokenSId": 5, "amountS": "10000000000000000000", "buy": "true"}),
    ("submit_order", {"maxFeeBips": 63, "orderType": "MAKER_ONLY", "clientOrderId": "", "validSince": 0}),
    ("submit_withdrawal", {"maxFee": {"tokenId": 1}, "token": {}, "fastWithdrawalMode": False, "hashApproved": "0x1"}),
    ("mint_nft", {"minterId": 10003, "eddsaSignature": "0x1", "counterFactualNftInfo": {"nftBaseUri": ""}}),
    ("transfer_nft", {"token": {"tokenId": 40000}}),
    ("get_depth", {"market": "DAI-USDT", "level": 2}),
    ("get_ticker", {"market": "LRC-ETH,ETH-USDT"}),
    # What only another option of a choice allows.
    ("get_orders", {"status": "processing,cancelling"}),
]

Ask = Callable[[RelayerHandle, str, dict[str, Any]], Any]
ASKS: dict[str, Ask] = {
    "assert_not_called": lambda relayer, endpoint, fields: relayer.assert_not_called(endpoint, body=fields),
    "assert_not_called, in the query": lambda relayer, endpoint, fields: relayer.assert_not_called(
        endpoint, query=fields
    ),
    "assert_called": lambda relayer, endpoint, fields: relayer.assert_called(endpoint, body=fields),
    "times=0": lambda relayer, endpoint, fields: relayer.assert_called(endpoint, times=0, body=fields),
    "verify": lambda relayer, endpoint, fields: relayer.control(
        "POST", "verify", {"endpoint": endpoint, "atMost": 3, "query": fields}
    ),
}


@pytest.fixture
def relayer(relay: Relay) -> RelayerHandle:
    return RelayerHandle.of(relay)


@pytest.mark.parametrize("ask", ASKS.values(), ids=ASKS)
@pytest.mark.parametrize(("endpoint", "fields", "field", "found", "meant"), WRONG)
def test_a_value_that_no_call_can_have_is_refused(
    relayer: RelayerHandle, ask: Ask, endpoint: str, fields: dict[str, Any], field: str, found: str, meant: str
) -> None:
    with pytest.raises(ControlError) as refused:
        ask(relayer, endpoint, fields)
    part, _, blamed = (refused.value.field or "").partition(".")
    assert (refused.value.status, part in ("body", "query"), blamed) == (400, True, field)
    assert refused.value.error == f"{part}.{field}: found {found}"
    assert refused.value.meant == meant


@pytest.mark.parametrize("ask", ASKS.values(), ids=ASKS)
@pytest.mark.parametrize(("endpoint", "fields", "field", "meant"), NAMELESS)
def test_a_field_that_no_call_can_have_is_refused(
    relayer: RelayerHandle, ask: Ask, endpoint: str, fields: dict[str, Any], field: str, meant: str
) -> None:
    with pytest.raises(ControlError) as refused:
        ask(relayer, endpoint, fields)
    assert refused.value.error == f"{endpoint} has no field {field!r}"
    assert (refused.value.status, refused.value.meant) == (400, meant)


@pytest.mark.parametrize(("endpoint", "fields"), RIGHT)
def test_a_value_that_a_call_can_have_is_looked_for(
    relayer: RelayerHandle, endpoint: str, fields: dict[str, Any]
) -> None:
    relayer.assert_not_called(endpoint, body=fields)
    with pytest.raises(AssertionError, match=f"{endpoint} was called 0 times"):
        relayer.assert_called(endpoint, query=fields)


@pytest.mark.parametrize("numbers", ["strict", "lenient"])
def test_a_check_for_absence_sees_the_call_that_was_made(numbers: str) -> None:
    """Under lenient numbers, too, a field's value is what its type says: a client that sent the other one is found."""
    relay = relay_from(choices={"http.numbers": numbers})
    sent = W.order() if numbers == "strict" else W.order(accountId="10001", amountS=100 * 10**18)
    assert post(relay, "/api/v3/order", sent).code == 0
    relayer = RelayerHandle.of(relay)
    for body in ({"accountId": 10001}, {"amountS": "100000000000000000000"}):
        with pytest.raises(AssertionError, match="no call expected"):
            relayer.assert_not_called("submit_order", body=body)
    with pytest.raises(ControlError):
        relayer.assert_not_called("submit_order", body={"accountId": "10001"})


@pytest.mark.parametrize(
    "wrong",
    [
        {"amountS": 5},
        {"orderId": "0"},
        {"accountId": 99999},
        {"clientOrderId": None},
        {"maxFeeBips": 64},
        {"orderType": "market"},
        {"buy": {"a": [1]}},
        {"colour": "red"},
    ],
    ids=json.dumps,
)
def test_what_a_client_has_sent_all_the_same_may_be_asked_for(
    relay: Relay, relayer: RelayerHandle, wrong: dict[str, Any]
) -> None:
    post(relay, "/api/v3/order", W.order(**wrong))
    relayer.assert_called("submit_order", times=1, body=wrong)
    with pytest.raises(AssertionError, match="no call expected"):
        relayer.assert_not_called("submit_order", body=wrong)
    # Another wrong value of the same field has not been sent.
    (name,) = wrong
    if name != "colour":
        with pytest.raises(ControlError):
            relayer.assert_not_called("submit_order", body={name: ["x"]})


def test_a_number_with_a_point_that_a_client_has_sent_is_found(relay: Relay, relayer: RelayerHandle) -> None:
    post(relay, "/api/v3/order", json.dumps(W.order(orderId=7)).replace('"orderId": 7', '"orderId": 7.5').encode())
    relayer.assert_called("submit_order", times=1, body={"orderId": 7.5})
    with pytest.raises(AssertionError):
        relayer.assert_not_called("submit_order", body={"orderId": 7.5})
    with pytest.raises(ControlError):
        relayer.assert_not_called("submit_order", body={"orderId": 7.25})


def test_an_address_is_found_in_any_letter_case(relay: Relay, relayer: RelayerHandle) -> None:
    """Wallets send the form with the checksum or the one in small letters, and the relayer takes both."""
    for sent in (OWNER, OWNER.lower()):
        relayer.forget_requests()
        get(relay, "/api/v2/account", owner=sent)
        for asked in (OWNER, OWNER.lower(), "0x" + OWNER[2:].upper()):
            relayer.assert_called("get_account", times=1, query={"owner": asked})
            with pytest.raises(AssertionError, match="no call expected"):
                relayer.assert_not_called("get_account", query={"owner": asked})
        relayer.assert_not_called("get_account", query={"owner": OWNER[:-1] + "0"})


Arm = Callable[[RelayerHandle, str, dict[str, Any]], Any]
ARMED: dict[str, Arm] = {
    "handle": lambda relayer, endpoint, when: relayer.fault(endpoint, status=503, when=when),
    "control API": lambda relayer, endpoint, when: relayer.control(
        "POST", "faults", {"on": endpoint, "status": 503, "when": when}
    ),
    "scenario": lambda relayer, endpoint, when: relayer.reset(
        scenario_text=f"format: 1\nextends: default\nfaults:\n- {_fault(endpoint, when)}"
    ),
    "timeline": lambda relayer, endpoint, when: relayer.reset(
        scenario_text=f"format: 1\nextends: default\ntimeline:\n- {{at: 1s, do: {{fault: {_fault(endpoint, when)}}}}}"
    ),
}


def _fault(endpoint: str, when: dict[str, Any]) -> str:
    return json.dumps({"on": endpoint, "status": 503, "when": when})


@pytest.mark.parametrize("arm", ARMED.values(), ids=ARMED)
@pytest.mark.parametrize(("endpoint", "when", "field", "found", "meant"), WRONG)
def test_a_fault_that_can_never_fire_is_not_armed(
    relayer: RelayerHandle, arm: Arm, endpoint: str, when: dict[str, Any], field: str, found: str, meant: str
) -> None:
    if arm in (ARMED["scenario"], ARMED["timeline"]) and any(
        value == 10**19 or type(value) in (float, NoneType) for value in when.values()
    ):
        pytest.skip("YAML has words of its own for these")
    with pytest.raises(ControlError) as refused:
        arm(relayer, endpoint, when)
    assert (refused.value.status, refused.value.meant) == (400, meant)
    if refused.value.field == "scenarioText":
        line, column = (4, 3) if arm is ARMED["scenario"] else (4, 24)
        name = json.dumps(field.rpartition(".")[2]) + ": "
        column += _fault(endpoint, when).index(name) + len(name)
        assert refused.value.error == f"<text>:{line}:{column}: found {found}"
    else:
        assert refused.value.field == f"when.{field}"
        assert refused.value.error == f"when.{field}: found {found}"
    assert relayer.faults == []


@pytest.mark.parametrize("arm", ARMED.values(), ids=ARMED)
@pytest.mark.parametrize(("endpoint", "when"), RIGHT)
def test_a_fault_that_can_fire_is_armed(relayer: RelayerHandle, arm: Arm, endpoint: str, when: dict[str, Any]) -> None:
    arm(relayer, endpoint, when)
    relayer.clock.advance("1s")
    get(relayer.relay, "/api/v3/broker")
    (fault,) = relayer.control("GET", "faults")
    assert (fault["on"], fault["when"]) == (endpoint, when)


def test_a_fault_may_ask_for_some_fields_of_an_object(relay: Relay, relayer: RelayerHandle) -> None:
    """As an expectation may, and an address counts in any letter case."""
    sent = bodies_of(relay).withdrawal(0)
    other = {"maxFee": {"tokenId": 0}}
    relayer.fault("submit_withdrawal", status=503, when=other)
    fault = relayer.fault(
        "submit_withdrawal", status=502, when={"maxFee": {"tokenId": 1}, "to": sent["to"].upper().replace("X", "x")}
    )
    assert post(relay, "/api/v3/user/withdrawals", sent).status == 502
    assert fault.fired == 1
    (unfired,) = relayer.problems
    assert "maxFee.tokenId: wanted 0, found 1" in unfired.reason


def test_a_fault_may_not_ask_for_a_wrong_value_that_a_client_has_sent(relay: Relay, relayer: RelayerHandle) -> None:
    """What was sent is no reason to wait for it: a call of a wrong form is refused in any case."""
    post(relay, "/api/v3/order", W.order(amountS=5))
    with pytest.raises(ControlError):
        relayer.fault("submit_order", code=102014, when={"amountS": 5})


def test_what_was_sent_to_another_endpoint_does_not_count(relay: Relay, relayer: RelayerHandle) -> None:
    get(relay, "/api/v2/depth", market="LRC-XXX", level="0")
    relayer.assert_called("get_depth", times=1, query={"market": "LRC-XXX"}, code=108000)
    with pytest.raises(ControlError):
        relayer.assert_not_called("get_candlestick", query={"market": "LRC-XXX"})


def test_once_calls_are_no_longer_kept_nobody_says_that_none_had_a_value(relay: Relay, relayer: RelayerHandle) -> None:
    """The first call had it; it is forgotten, not impossible."""
    post(relay, "/api/v3/order", W.order(amountS=5))
    for _ in range(1000):
        post(relay, "/api/v3/order", b"{}")
    for code in (None, 102120):
        with pytest.raises(AssertionError, match="1 calls of submit_order are no longer kept"):
            relayer.assert_not_called("submit_order", body={"amountS": 5}, code=code)


def test_a_code_is_forgotten_with_its_call(relay: Relay, relayer: RelayerHandle) -> None:
    """However many calls with other codes are kept."""
    post(relay, "/api/v3/order", W.order())
    for _ in range(1000):
        post(relay, "/api/v3/order", W.order(amountS="1", orderId=1))
    with pytest.raises(AssertionError, match="1 calls of submit_order are no longer kept"):
        relayer.assert_not_called("submit_order", body={"orderId": 0}, code=0)


@pytest.mark.parametrize(
    ("endpoint", "code", "meant"),
    [
        ("submit_order", 200, "the code in the body, which is 0 for a success; the HTTP status is not compared"),
        ("get_tokens", 429, "the code in the body, which is 0 for a success; the HTTP status is not compared"),
        ("get_tokens", 102011, "one of 0, 100000, 100001, 104001, 104002"),
        ("get_tokens", 1, "one of 0, 100000, 100001, 104001, 104002"),
    ],
)
def test_a_code_that_the_endpoint_never_answers_is_refused(
    relay: Relay, relayer: RelayerHandle, endpoint: str, code: int, meant: str
) -> None:
    for times in (0, 1):
        answer = control(relay, "POST", "verify", {"endpoint": endpoint, "times": times, "code": code})
        assert (answer.status, answer.json["field"], answer.json["meant"]) == (400, "code", meant)
    with pytest.raises(ControlError):
        relayer.assert_not_called(endpoint, code=code)


def test_a_code_that_a_fault_answers_may_be_asked_for(relay: Relay, relayer: RelayerHandle) -> None:
    fault = relayer.fault("get_tokens", code=777)
    relayer.assert_not_called("get_tokens", code=777)
    get(relay, "/api/v2/exchange/tokens")
    fault.remove()
    relayer.assert_called("get_tokens", times=1, code=777)
    with pytest.raises(ControlError):
        relayer.assert_not_called("get_broker", code=777)


def test_a_field_is_asked_for_in_the_query_or_in_the_body(relay: Relay) -> None:
    verify = {"endpoint": "get_depth", "times": 0, "query": {"level": 0}, "body": {"level": 1}}
    answer = control(relay, "POST", "verify", verify)
    assert (answer.status, answer.json["field"], answer.json["meant"]) == (400, "query.level", "one of the two")


def test_the_value_of_a_secret_field_is_not_shown(relay: Relay) -> None:
    body = {"signatureRx": 77777}
    answer = control(relay, "POST", "verify", {"endpoint": "submit_order", "body": body})
    assert (answer.status, answer.json["meant"]) == (400, '"...", in quotes')
    assert b"77777" not in answer.body


def test_an_unknown_account_is_one_of_the_world_that_there_is_now(relayer: RelayerHandle) -> None:
    relayer.reset(
        scenario_text="""
        format: 1
        extends: default
        accounts: [{name: zoe, accountId: 777, balances: {ETH: "1"}}]
    """
    )
    relayer.assert_not_called("submit_order", body={"accountId": 777})
    relayer.reset()
    with pytest.raises(ControlError):
        relayer.assert_not_called("submit_order", body={"accountId": 777})
