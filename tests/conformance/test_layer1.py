"""What is on layer 1, and addresses: the letter case of hex digits never decides what is found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mockrelay.relay import Relay
from tests.conformance.checks import read, refused_call, shape_code
from tests.support.calls import OWNER_A, Request, accepted, call, order, valid_request
from tests.support.client import control, digest, done, get
from tests.support.worlds import world, world_like

CHECKSUM = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
"""One of the addresses that EIP-55 itself gives as examples; so is the token's."""
TOKEN = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"
OTHER = "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB"
FORMS = (CHECKSUM, CHECKSUM.lower(), "0x" + CHECKSUM[2:].upper())
TOKENS = (TOKEN, TOKEN.lower(), "0x" + TOKEN[2:].upper())
OWN = """
tokens:
  - {{symbol: LRC, address: "{token}"}}
accounts:
  - {{name: alice, owner: "{owner}"}}
layer1:
  balances: {{"{other}": {{ETH: "1"}}}}
"""
MALFORMED = (CHECKSUM[:-1], CHECKSUM + "0", CHECKSUM[2:], CHECKSUM.replace("0x", "0X"), CHECKSUM[:-1] + "g", "", " ")


def relay_with(folder: Path, owner: str, token: str) -> Relay:
    """Alice is the owner, LRC the token, and OTHER is known on layer 1 alone."""
    relay = world_like(folder, OWN.format(owner=owner, token=token, other=OTHER))
    given = {"balances": {owner: {"ETH": "5", "LRC": "7"}}, "allowances": {owner: {"LRC": "9"}}}
    done(relay, "POST", "layer1", given)
    return relay


@pytest.mark.parametrize("written", FORMS, ids=["checksum", "lower", "upper"])
def test_however_it_is_written_in_the_scenario_and_in_the_call_it_is_the_same_account(
    tmp_path: Path, written: str
) -> None:
    relay = relay_with(tmp_path, written, TOKENS[FORMS.index(written)])
    answers: list[set[bytes]] = [set() for _ in range(4)]
    for owner in FORMS:
        answers[0].add(call(relay, Request("get_account", {"owner": owner})).body)
        answers[1].add(call(relay, Request("get_eth_balance", {"owner": owner})).body)
        for token in TOKENS:
            answers[2].add(call(relay, Request("get_token_balances", {"owner": owner, "token": token})).body)
            answers[3].add(call(relay, Request("get_allowances", {"owner": owner, "token": token})).body)
    (account,), (native,), (held,), (allowed,) = answers
    assert b'"accountId":10001' in account
    assert (b'"5"' in native, b'"7"' in held, b'"9"' in allowed) == (True, True, True)


@pytest.mark.parametrize("owner", FORMS, ids=["checksum", "lower", "upper"])
def test_what_is_submitted_for_the_owner_is_the_owners(tmp_path: Path, owner: str) -> None:
    """An update, a withdrawal and a change on layer 1 all find the account."""
    relay = relay_with(tmp_path, CHECKSUM, TOKEN)
    fee = {"tokenId": 1, "volume": str(10**17)}
    common: dict[str, Any] = {
        "exchange": "0x000000000000000000000000000000000000000E",
        "owner": owner,
        "accountId": 10001,
        "maxFee": fee,
        "validUntil": relay.now_ms() // 1000 + 86_400,
    }
    moved = {"token": {"tokenId": 1, "volume": "1"}, "to": owner, "storageId": 1, "minGas": 0}
    withdrawal = Request("submit_withdrawal", common | moved, "alice", "0x" + "01" * 65)
    update = Request(
        "update_account", common | {"publicKey": {"x": "0x0a", "y": "0x0b"}, "nonce": 0}, None, "0x" + "01" * 65
    )
    for request in (withdrawal, update):
        answer = call(relay, request)
        assert answer.status == 200, answer.body
    done(relay, "POST", "layer1", {"balances": {owner: {"ETH": "11"}}})
    assert b'"11"' in call(relay, Request("get_eth_balance", {"owner": CHECKSUM})).body


@pytest.mark.parametrize("owner", MALFORMED, ids=ascii)
@pytest.mark.parametrize("name", ["get_account", "get_eth_balance", "get_token_balances", "get_allowances"])
def test_what_is_no_address_is_refused_by_name(tmp_path: Path, name: str, owner: str) -> None:
    relay = relay_with(tmp_path, CHECKSUM, TOKEN)
    before = digest(relay)
    fields = {"owner": owner} | ({"token": TOKEN} if name in ("get_token_balances", "get_allowances") else {})
    refused_call(call(relay, Request(name, fields)), name, {shape_code(name)}, "owner")
    assert digest(relay) == before


@pytest.mark.parametrize(
    "form", [str.lower, lambda text: "0x" + text[2:].upper(), str], ids=["lower", "upper", "as is"]
)
def test_unknown_everywhere_and_known_on_layer_1_alone_are_told_apart(tmp_path: Path, form: Any) -> None:
    """101001 and 101002, in every letter case."""
    relay = relay_with(tmp_path, CHECKSUM, TOKEN)
    nobody = "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb"
    refused_call(call(relay, Request("get_account", {"owner": form(nobody)})), "get_account", {101001})
    refused_call(call(relay, Request("get_account", {"owner": form(OTHER)})), "get_account", {101002})


def test_hashes_are_found_in_either_letter_case(tmp_path: Path) -> None:
    """As addresses are: by the list and by hand."""
    relay = relay_with(tmp_path, CHECKSUM, TOKEN)
    from_ = [accepted_hash(relay, number) for number in range(3)]
    shouted = "0x" + from_[1][2:].upper()
    listed = get(relay, "/api/v2/orders", accountId=10001, fromHash=shouted).data["orders"]
    assert [record["hash"] for record in listed] == [from_[0]]
    assert control(relay, "POST", f"orders/{shouted}/cancel", {}).status == 200


def accepted_hash(relay: Relay, number: int) -> str:
    found: str = accepted(relay, order(number))["orderHash"]
    return found


def test_what_is_written_to_layer_1_is_read(relay: Relay) -> None:
    """33 Gwei and seven wei, written by the control call in wei; a negative price is not a price."""
    done(relay, "POST", "layer1", {"gasPrice": "33000000000", "balances": {OWNER_A: {"LRC": "7"}}})
    assert call(relay, Request("get_gas_price", {})).data == "33"
    assert call(relay, valid_request("get_token_balances")).data == ["7"]
    assert control(relay, "POST", "layer1", {"gasPrice": -1}).status == 400


def test_the_gas_price_of_get_gas_price_is_in_wei_where_its_choice_says_so() -> None:
    """That of the answers on fees has a choice of its own."""
    relay = world({"gas_price.unit": "wei", "fee.gas_price_unit": "gwei"})
    done(relay, "POST", "layer1", {"gasPrice": "21500000000"})
    assert call(relay, Request("get_gas_price", {})).data == "21500000000"
    assert call(relay, valid_request("get_order_fee")).json["gasPrice"] == "21.5"


def test_layer_1_balances_have_every_digit() -> None:
    """2^256 - 1 wei, native and token, and the allowance."""
    relay, most = world(), str(2**256 - 1)
    done(relay, "POST", "layer1", {"balances": {OWNER_A: {"LRC": most, "ETH": most}}})
    done(relay, "POST", "layer1", {"allowances": {OWNER_A: {"LRC": most}}})
    assert call(relay, valid_request("get_token_balances")).data == [most]
    assert call(relay, valid_request("get_allowances")).data == [most]
    assert call(relay, valid_request("get_eth_balance")).data == most


def test_get_account_shows_whether_it_is_frozen(relay: Relay) -> None:
    """`frozen` follows the control verb both ways."""
    for frozen in (True, False):
        done(relay, "POST", "accounts/10001/freeze", {"frozen": frozen})
        assert read(relay, "get_account", owner=OWNER_A)["frozen"] is frozen


@pytest.mark.parametrize("data", ["0x616263", "616263"], ids=["with 0x", "without 0x"])
def test_send_eth_tx_answers_keccak256_of_its_bytes(relay: Relay, data: str) -> None:
    """keccak256("abc") as every Ethereum library gives it, the same for a repeat; all bytes count without 0x too."""
    expected = "0x4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45"
    answer = call(relay, Request("send_eth_tx", {"data": data}))
    if data.startswith("0x") or answer.code == 0:
        assert [read(relay, "send_eth_tx", data=data) for _ in range(2)] == [expected] * 2
