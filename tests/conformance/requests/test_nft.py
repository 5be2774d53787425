"""NFTs: from the computed address to layer 1, ids of 64 digits, fees that move, and the deployment of a contract."""

from __future__ import annotations

from typing import Any

import pytest

from mockrelay.relay import Relay
from tests.conformance.causes_of_requests import WITHDRAWAL, inside, taken
from tests.conformance.checks import look_up, pending, refused_call
from tests.support.bodies import E18, FACTORY
from tests.support.calls import (
    CODE,
    CONTRACT_A,
    CONTRACT_B,
    OWNER_A,
    OWNER_B,
    Request,
    call,
    deployed,
    minted,
    valid_request,
)
from tests.support.client import advance, digest, done, state
from tests.support.views import money, seal
from tests.support.worlds import START_S, world

MINT, MOVE, OUT, DEPLOY, GET_CODE, COMPUTE = (
    valid_request(name)
    for name in (
        *("mint_nft", "transfer_nft", "withdraw_nft", "deploy_nft_contract", "get_code", "compute_token_address"),
    )
)
FUNDS = 10_000 * E18
QUOTE, MOVE_FEE, DEPLOY_FEE = 5 * 10**16, 10**17, 10**17
"""In LRC: of a mint, of a transfer or withdrawal, and of a deployment."""
LOW = "0" + "a1b2c3d4" * 7 + "e5f6a7b"


def code(relay: Relay) -> str:
    """What the contract holds on layer 1."""
    answer = call(relay, GET_CODE).json
    assert (type(answer["id"]), type(answer["jsonrpc"])) == (int, str)
    return str(answer["result"])


def lrc(relay: Relay) -> int:
    return money(relay, "alice")[0]


def fee(relay: Relay, type_: int, token: str = "LRC") -> int:
    """What get_nft_fee says of a request type."""
    fees = call(relay, valid_request("get_nft_fee").but(requestType=type_)).json["fees"]
    return int(next(each["fee"] for each in fees if each["token"] == token))


def deploy(storage_id: int) -> Request:
    return inside(DEPLOY, "transfer", storageId=storage_id)


def test_an_nft_from_its_computed_address_to_layer_1(relay: Relay) -> None:
    """Withdrawn under the very storage id that was refused before the contract was there."""
    costs = [fee(relay, type_) for type_ in (9, 11, 13, 10)]
    assert call(relay, COMPUTE).json["tokenAddress"].lower() == CONTRACT_A
    nft = taken(relay, MINT.but(amount="5"))["raw_data"]
    assert (nft["status"], nft["isIdempotent"]) == ("processing", False)
    found = look_up(relay, MINT.fields["nftId"])
    assert (found["nftData"], found["nftId"]) == (nft["nftData"], MINT.fields["nftId"])
    token = str(nft["nftTokenId"])
    assert money(relay, "alice", token) == (5, 0, 0)
    taken(relay, inside(MOVE.but(storageId=8), "token", amount="2"))
    assert (money(relay, "alice", token), money(relay, "bob", token)) == ((3, 0, 0), (2, 0, 0))
    out = inside(OUT.but(storageId=9), "token", amount="3")
    assert call(relay, out).code == 100001
    taken(relay, deploy(10))
    advance(relay, "15s")
    answer = taken(relay, out)["raw_data"]
    assert (answer["status"], answer["isIdempotent"]) == ("processing", False)
    assert money(relay, "alice", token) == (0, 0, 3)
    types = [tx["txType"] for block in (1, 2) for tx in _block(relay, block)]
    assert types == ["NftMint", "Transfer", "Transfer", "Withdraw"]
    assert money(relay, "alice", token) == (0, 0, 0)
    assert lrc(relay) == FUNDS - sum(costs)


def _block(relay: Relay, number: int) -> Any:
    if pending(relay):
        seal(relay)
    return call(relay, Request("get_block", {"id": number})).json["transactions"]


def test_a_mint_is_read_back(relay: Relay) -> None:
    """Minter, contract, id, fee bips: as written."""
    made = taken(relay, MINT.but(creatorFeeBips=7))
    assert made["hash"] == made["raw_data"]["hash"]
    found = look_up(relay, MINT.fields["nftId"])
    assert (found["tokenAddress"].lower(), found["creatorFeeBips"]) == (CONTRACT_A, 7)
    assert (found["nftType"], found["nftData"]) == ("ERC1155", made["raw_data"]["nftData"])
    assert found["minter"].lower() in (OWNER_A, "10001")


def test_a_received_nft_can_be_sent_on(relay: Relay) -> None:
    """Bob has what alice has sent him, not one more."""
    taken(minted(relay), inside(MOVE, "token", amount="3"))
    bob = {"fromAccountId": 10002, "fromAddress": OWNER_B, "toAccountId": 10001, "toAddress": OWNER_A}
    back = MOVE.but(**bob)._replace(key="bob")
    assert call(relay, inside(back, "token", amount="4")).code == 100001
    taken(relay, inside(back, "token", amount="3"))


@pytest.mark.parametrize("request_", [MOVE, OUT], ids=lambda request: str(request.name))
def test_nobody_moves_an_nft_that_they_have_not_100001(relay: Relay, request_: Request) -> None:
    """Six of five, none at all, an NFT that is not there, another's."""
    deployed(minted(relay))
    before = digest(relay)
    for changes in ({"amount": "6"}, {"amount": "0"}, {"nftData": "0x" + "1" * 64}, {"tokenId": 5}):
        refused_call(call(relay, inside(request_, "token", **changes)), request_.name, {100001})
    bobs = request_.but(fromAccountId=10002, fromAddress=OWNER_B, toAccountId=10001, toAddress=OWNER_A)
    refused_call(call(relay, bobs._replace(key="bob")), request_.name, {100001})
    assert digest(relay) == before
    taken(relay, inside(request_, "token", amount="5"))


@pytest.mark.parametrize(
    ("request_", "changes", "named"),
    [
        (MINT, {"minterId": 10002}, "minter"),
        (MINT, {"nftType": 1}, "nftType"),
        (MINT, {"tokenAddress": CONTRACT_B}, "tokenAddress"),
        (MINT, {"amount": "0"}, "amount"),
        (MINT, {"validUntil": START_S}, "validUntil"),
        (MOVE, {"validUntil": START_S}, "validUntil"),
        (OUT, {"validUntil": START_S}, "validUntil"),
        (COMPUTE, {"nftFactory": OWNER_B}, "nftFactory"),
        (valid_request("get_nft_data"), {"tokenAddress": CONTRACT_B}, ""),
        (DEPLOY, {"payeeId": 10002}, "payeeId"),
        (DEPLOY, {"validUntil": START_S}, "validUntil"),
        (DEPLOY, {"maxFee": {"volume": "0", "tokenId": 0}}, "maxFee"),
        (DEPLOY, {"token": {"volume": str(DEPLOY_FEE - 1), "tokenId": 1}}, "token"),
    ],
    ids=lambda value: value.name if isinstance(value, Request) else str(value),
)
def test_a_rule_of_nft_calls_is_100001_by_name(
    relay: Relay, request_: Request, changes: dict[str, Any], named: str
) -> None:
    """Those that the tables of precedence do not break alone."""
    minted(relay)
    if request_ is not DEPLOY:
        deployed(relay)
    before = digest(relay)
    broken = inside(request_, "transfer", **changes) if request_ is DEPLOY else request_.but(**changes)
    refused_call(call(relay, broken), request_.name, {100001}, named)
    assert digest(relay) == before


@pytest.mark.parametrize("digits", [LOW, LOW.upper(), "f" * 64, "0" * 64, "0" * 63 + "1", "Aa" * 32])
def test_sixty_four_digits_are_taken_and_come_back(relay: Relay, digits: str) -> None:
    """64 digits again, the same number, found in both letter cases; nftData is stable."""
    nft_data = taken(relay, MINT.but(nftId="0x" + digits))["raw_data"]["nftData"]
    found = [look_up(relay, "0x" + each) for each in (digits, digits.lower(), digits.upper())]
    assert found[0] == found[1] == found[2]
    assert len(found[0]["nftId"]) == 66
    assert int(found[0]["nftId"], 16) == int(digits, 16)
    assert found[0]["nftData"] == nft_data
    assert pending(relay)[-1]["nftToken"]["nftId"].lower() == "0x" + digits.lower()


@pytest.mark.parametrize(
    "nft_id",
    ["0x" + LOW[1:], "0x" + LOW + "0", LOW, "0X" + LOW, "0x" + "g" * 64, "", "0x", int(LOW, 16), " 0x" + LOW],
    ids=lambda value: str(value)[:24] + f" ({len(str(value))})",
)
def test_mint_nft_with_another_form_of_id_is_100001(relay: Relay, nft_id: Any) -> None:
    """Neither filled up nor cut, and nothing is stored."""
    before = digest(relay)
    refused_call(call(relay, MINT.but(nftId=nft_id)), "mint_nft", {100001}, "nftId")
    assert digest(relay) == before


def test_nft_data_differs_for_different_ids_and_not_for_letter_case() -> None:
    ids = ["0x" + LOW, "0x" + LOW.upper(), "0x" + "f" * 64, "0x" + "0" * 63 + "1"]
    data = [taken(world(), MINT.but(nftId=nft_id))["raw_data"]["nftData"] for nft_id in ids]
    assert data[0] == data[1]
    assert len(set(data)) == 3


def test_the_same_nft_minted_in_either_letter_case_is_one_nft(relay: Relay) -> None:
    """Two mints, one token id, and the amounts add up: two can be sent on, three cannot."""
    first = taken(relay, MINT.but(nftId="0x" + LOW))["raw_data"]
    second = taken(relay, MINT.but(nftId="0x" + LOW.upper(), storageId=8))["raw_data"]
    assert (first["nftData"], first["nftTokenId"]) == (second["nftData"], second["nftTokenId"])
    move = inside(MOVE.but(storageId=9), "token", nftData=first["nftData"], tokenId=first["nftTokenId"])
    assert call(relay, inside(move, "token", amount="3")).code == 100001
    taken(relay, inside(move, "token", amount="2"))


def test_a_fee_that_rises_between_quote_and_mint_refuses_the_mint_and_takes_nothing(relay: Relay) -> None:
    """0.05 LRC is enough, then 0.065 is asked for: 0.05 is refused, 0.1 under the same storage id is taken."""
    assert fee(relay, 9) == QUOTE
    taken(relay, inside(MINT, "maxFee", amount=str(QUOTE)))
    eth = fee(relay, 9, "ETH")
    done(relay, "POST", "fees", {"requestType": 9, "token": "LRC", "factor": 1.3})
    assert (fee(relay, 9), fee(relay, 9, "ETH")) == (QUOTE * 13 // 10, eth)
    before, had = digest(relay), lrc(relay)
    later = MINT.but(storageId=8, nftId="0x" + LOW)
    refused_call(call(relay, inside(later, "maxFee", amount=str(QUOTE))), "mint_nft", {100001}, "maxFee")
    assert digest(relay) == before
    taken(relay, inside(later, "maxFee", amount=str(2 * QUOTE)))
    assert lrc(relay) == had - QUOTE * 13 // 10


@pytest.mark.parametrize(("charged", "paid"), [("quote", QUOTE), ("max_fee", 2 * QUOTE)])
def test_the_quote_or_the_maximum_is_charged_by_choice(charged: str, paid: int) -> None:
    relay = world({"fee.charged": charged})
    taken(relay, inside(MINT, "maxFee", amount=str(2 * QUOTE)))
    assert lrc(relay) == FUNDS - paid


@pytest.mark.parametrize(
    ("request_", "inner", "type_"),
    [(WITHDRAWAL, "volume", None), (MOVE, "amount", 11), (OUT, "amount", 10)],
    ids=["submit_withdrawal", "transfer_nft", "withdraw_nft"],
)
def test_one_wei_below_the_quote_is_100001_and_the_quote_is_taken(
    relay: Relay, request_: Request, inner: str, type_: int | None
) -> None:
    deployed(minted(relay))
    quote = MOVE_FEE if type_ is None else fee(relay, type_)
    before = digest(relay)
    low = call(relay, inside(request_, "maxFee", **{inner: str(quote - 1)}))
    refused_call(low, request_.name, {100001}, "maxFee")
    assert digest(relay) == before
    taken(relay, inside(request_, "maxFee", **{inner: str(quote)}))


def test_deploy_nft_contract_takes_15_s_of_the_relayers_clock(relay: Relay) -> None:
    """The code is `0x` until then, and stays; a repeat is the same answer, and the fee is taken once."""
    minted(relay)
    had = lrc(relay)
    assert code(relay) == "0x"
    first = taken(relay, DEPLOY)
    assert (first["status"], first["isIdempotent"]) == ("SEND_TX_SUCCESS", False)
    assert taken(relay, DEPLOY) == first | {"isIdempotent": True}
    for span, found in (("1ms", "0x"), ("13999ms", "0x"), ("999ms", "0x"), ("1ms", CODE), ("365d", CODE)):
        advance(relay, span)
        assert code(relay) == found, span
    assert taken(relay, DEPLOY) == first | {"isIdempotent": True}
    assert lrc(relay) == had - DEPLOY_FEE
    assert state(relay)["fees"]["LRC"] == str(QUOTE + DEPLOY_FEE)


@pytest.mark.parametrize("how", ["by a fault", "by hand"])
def test_a_deployment_that_fails_leaves_no_code_and_costs_nothing(relay: Relay, how: str) -> None:
    """Another one can be asked for and works."""
    minted(relay)
    had = lrc(relay)
    if how == "by a fault":
        done(relay, "POST", "faults", {"on": "deploy_nft_contract", "outcome": "failed"})
    taken(relay, DEPLOY)
    if how == "by hand":
        done(relay, "POST", f"nft/{CONTRACT_A}/deploy", {"outcome": "failed"})
    advance(relay, "1d")
    assert (code(relay), lrc(relay)) == ("0x", had)
    assert call(relay, OUT).code == 100001
    assert taken(relay, deploy(21))["isIdempotent"] is False
    advance(relay, "15s")
    assert code(relay) == CODE


def test_a_deployment_can_be_ended_by_hand(relay: Relay) -> None:
    """Before its 15 s; its fee is taken."""
    minted(relay)
    had = lrc(relay)
    taken(relay, DEPLOY)
    done(relay, "POST", f"nft/{CONTRACT_A}/deploy", {"outcome": "deployed"})
    assert code(relay) == CODE
    advance(relay, "1h")
    assert (code(relay), lrc(relay)) == (CODE, had - DEPLOY_FEE)


def test_a_contract_that_somebody_else_deployed_serves_as_well(relay: Relay) -> None:
    minted(relay)
    assert (code(relay), call(relay, OUT).code) == ("0x", 100001)
    done(relay, "POST", f"nft/{CONTRACT_A}/deploy", {"outcome": "deployed"})
    assert code(relay) == CODE
    assert taken(relay, OUT)["raw_data"]["status"] == "processing"


def test_the_letter_case_of_owner_factory_and_address_does_not_matter(relay: Relay) -> None:
    """The same address for every case, another for another owner; getCode too."""
    owners = (OWNER_A, "0x" + "A1" * 20, "0x" + "a1A1" * 10)
    found = [call(relay, COMPUTE.but(nftOwner=owner)).json["tokenAddress"] for owner in owners]
    assert len(set(found)) == 1
    assert call(relay, COMPUTE.but(nftOwner=OWNER_B)).json["tokenAddress"].lower() == CONTRACT_B
    assert call(relay, COMPUTE.but(nftFactory="0x" + FACTORY[2:].upper())).json["tokenAddress"] == found[0]
    deployed(relay)
    for address in (CONTRACT_A, "0x" + CONTRACT_A[2:].upper(), found[0]):
        assert call(relay, GET_CODE.but(address=address)).json["result"] == CODE
    assert call(relay, GET_CODE.but(address=CONTRACT_B)).json["result"] == "0x"
