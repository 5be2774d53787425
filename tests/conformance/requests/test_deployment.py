"""Row 16 of the trouble list: deployment of an NFT contract; and each rule of the NFT calls."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.conformance.causes_of_requests import inside, taken
from tests.conformance.checks import refused_call
from tests.conformance.worlds import balances
from tests.support.bodies import E18, FACTORY
from tests.support.calls import (
    CODE,
    CONTRACT_A,
    CONTRACT_B,
    OWNER_A,
    OWNER_B,
    call,
    deployed,
    minted,
    ready,
    valid_request,
)
from tests.support.client import advance, digest, done
from tests.support.worlds import START_MS, world

DEPLOY = valid_request("deploy_nft_contract")


class TestDeployment:
    """Row 16: `0x` until the moment, then the code for ever."""

    def test_the_whole_way(self) -> None:
        """Address, mint, early withdrawal refused, deploy, 14 s, 15 s, withdrawal under the very storage id."""
        relay, began = world(), time.monotonic()
        assert call(relay, valid_request("compute_token_address")).json["tokenAddress"].lower() == CONTRACT_A
        assert call(relay, valid_request("get_code")).json["result"] == "0x"
        minted(relay)
        early = call(relay, valid_request("withdraw_nft"))
        refused_call(early, "withdraw_nft", {100001})
        first = taken(relay, DEPLOY)
        assert (first["status"], first["isIdempotent"]) == ("SEND_TX_SUCCESS", False)
        for span, code in (("1ms", "0x"), ("13999ms", "0x"), ("999ms", "0x"), ("1ms", CODE), ("365d", CODE)):
            advance(relay, span)
            told = call(relay, valid_request("get_code")).json
            assert told["result"] == code, span
            assert (type(told["id"]), type(told["jsonrpc"])) == (int, str)
        assert time.monotonic() - began < 2

    def test_later_withdrawal_is_taken_under_the_refused_storage_id(self) -> None:
        """Storage id 7 was not used up by the refusal."""
        relay = ready(world(), "deploy_nft_contract")
        assert call(relay, valid_request("withdraw_nft")).code == 100001
        transfer = {**DEPLOY.fields["transfer"], "storageId": 20}
        taken(relay, DEPLOY.but(transfer=transfer))
        advance(relay, "15s")
        answer = taken(relay, valid_request("withdraw_nft"))
        assert answer["raw_data"]["status"] == "processing"

    def test_repeat_takes_the_fee_once(self) -> None:
        """While on its way and afterwards: the same answer with isIdempotent true."""
        relay = ready(world(), "deploy_nft_contract")
        advance(relay, "1h")
        had = int(balances(relay, "alice")["LRC"]["free"])
        first = taken(relay, DEPLOY)
        for span in ("1s", "1h"):
            advance(relay, span)
            again = taken(relay, DEPLOY)
            assert (again["hash"], again["isIdempotent"]) == (first["hash"], True)
        assert had - int(balances(relay, "alice")["LRC"]["free"]) == 10**17

    def test_failed_deployment_stays_0x(self) -> None:
        """The fee is back, a withdrawal is refused, another deployment can be asked for and works."""
        relay = ready(world(), "deploy_nft_contract")
        advance(relay, "1h")
        had = balances(relay, "alice")
        done(relay, "POST", "faults", {"on": "deploy_nft_contract", "outcome": "failed"})
        taken(relay, DEPLOY)
        advance(relay, "1d")
        assert call(relay, valid_request("get_code")).json["result"] == "0x"
        assert balances(relay, "alice") == had
        assert call(relay, valid_request("withdraw_nft")).code == 100001
        transfer = {**DEPLOY.fields["transfer"], "storageId": 21}
        taken(relay, DEPLOY.but(transfer=transfer))
        advance(relay, "15s")
        assert call(relay, valid_request("get_code")).json["result"] == CODE

    def test_letter_case_of_owner_and_address_is_irrelevant(self) -> None:
        """The same address for every case, deterministic, another for another owner; getCode too."""
        relay = world()
        compute = valid_request("compute_token_address")
        owners = (OWNER_A, "0x" + "A1" * 20, "0x" + "a1A1" * 10)
        found = [call(relay, compute.but(nftOwner=owner)).json["tokenAddress"] for owner in owners]
        assert len(set(found)) == 1
        assert call(relay, compute.but(nftOwner=OWNER_B)).json["tokenAddress"].lower() == CONTRACT_B
        assert call(relay, compute.but(nftFactory="0x" + FACTORY[2:].upper())).json["tokenAddress"] == found[0]
        deployed(relay)
        for address in (CONTRACT_A, "0x" + CONTRACT_A[2:].upper(), found[0]):
            assert call(relay, valid_request("get_code").but(address=address)).json["result"] == CODE
        assert call(relay, valid_request("get_code").but(address=CONTRACT_B)).json["result"] == "0x"

    @pytest.mark.parametrize(
        ("changes", "named"),
        [
            ({"payeeAddr": OWNER_B}, "payeeAddr"),
            ({"payeeId": 10002}, "payeeId"),
            ({"maxFee": {"volume": "0", "tokenId": 0}}, "maxFee"),
            ({"token": {"volume": str(10**17 - 1), "tokenId": 1}}, "token"),
            ({"token": {"volume": str(E18), "tokenId": 77}, "maxFee": {"volume": "0", "tokenId": 77}}, "token"),
            ({"payerId": 99999}, "payerId"),
            ({"payerAddr": OWNER_B}, "payerAddr"),
            ({"validUntil": START_MS // 1000}, "validUntil"),
            ({"exchange": OWNER_B}, "exchange"),
            ({"storageId": 900}, "storageId"),
        ],
        ids=str,
    )
    def test_each_rule_of_a_deployment(self, changes: dict[str, Any], named: str) -> None:
        """Payee, token, amount, payer, time, exchange, storage id: refused by name, nothing changes."""
        relay = ready(world(), "deploy_nft_contract")
        before = digest(relay)
        answer = call(relay, DEPLOY.but(transfer={**DEPLOY.fields["transfer"], **changes}))
        refused_call(answer, "deploy_nft_contract", {100001}, named)
        assert digest(relay) == before

    @pytest.mark.parametrize(
        ("name", "changes", "named"),
        [
            ("mint_nft", {"minterId": 10002}, "minter"),
            ("mint_nft", {"minterAddress": OWNER_B}, "minterAddress"),
            ("mint_nft", {"nftType": 1}, "nftType"),
            ("mint_nft", {"tokenAddress": CONTRACT_B}, "tokenAddress"),
            ("mint_nft", {"amount": "0"}, "amount"),
            ("mint_nft", {"toAccountId": 99999}, "toAccountId"),
            ("mint_nft", {"exchange": OWNER_B}, "exchange"),
            ("mint_nft", {"validUntil": START_MS // 1000}, "validUntil"),
            ("mint_nft", {"storageId": 900}, "storageId"),
            ("mint_nft", {"maxFee": {"tokenId": 77, "amount": str(E18)}}, "maxFee"),
            ("compute_token_address", {"nftBaseUri": "ipfs://x"}, "nftBaseUri"),
            ("compute_token_address", {"nftFactory": OWNER_B}, "nftFactory"),
            ("get_nft_fee", {"requestType": 12}, "requestType"),
            ("get_nft_data", {"tokenAddress": CONTRACT_B}, ""),
            ("get_nft_data", {"nftId": "0x" + "1" * 64}, "nftId"),
            *(
                (name, changes, named)
                for name in ("transfer_nft", "withdraw_nft")
                for changes, named in (
                    ({"fromAccountId": 99999}, "fromAccountId"),
                    ({"fromAddress": OWNER_B}, "fromAddress"),
                    ({"exchange": OWNER_B}, "exchange"),
                    ({"validUntil": START_MS // 1000}, "validUntil"),
                    ({"maxFee": {"tokenId": 77, "amount": str(E18)}}, "maxFee"),
                )
            ),
            ("transfer_nft", {"toAccountId": 99999}, "toAccountId"),
        ],
        ids=str,
    )
    def test_each_rule_of_the_other_nft_calls(self, name: str, changes: dict[str, Any], named: str) -> None:
        """Minter, type, contract, amount, receiver, exchange, time, fee: refused by name, nothing changes."""
        relay = deployed(minted(world()))
        before = digest(relay)
        refused_call(call(relay, valid_request(name).but(**changes)), name, {100001}, named)
        assert digest(relay) == before

    @pytest.mark.parametrize("name", ["transfer_nft", "withdraw_nft"])
    def test_nobody_moves_what_they_have_not(self, name: str) -> None:
        """Six of five, none at all, an NFT that is not there, another's."""
        relay = deployed(minted(world()))
        request = valid_request(name)
        before = digest(relay)
        for changed in ({"amount": "6"}, {"amount": "0"}, {"nftData": "0x" + "1" * 64}, {"tokenId": 5}):
            refused_call(call(relay, inside(request, "token", **changed)), name, {100001})
        bobs = request.but(fromAccountId=10002, fromAddress=OWNER_B, toAccountId=10001, toAddress=OWNER_A)
        refused_call(call(relay, bobs._replace(key="bob")), name, {100001})
        assert digest(relay) == before
        taken(relay, inside(request, "token", amount="5"))
