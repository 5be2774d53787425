"""The control verbs for blocks, submissions, fees, keys, contracts and approved hashes: right use, and each misuse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mockrelay.relay import Relay
from tests.conformance.causes_of_requests import TRANSFER, UPDATE, WITHDRAWAL, inside, taken
from tests.conformance.checked import advance_to, balances, block, pending, seal
from tests.support.calls import (
    CODE,
    CONTRACT_A,
    CONTRACT_B,
    OWNER_A,
    SOME_ADDRESS,
    Request,
    call,
    deployed,
    ready,
    valid_request,
)
from tests.support.client import advance, control, done
from tests.support.worlds import world, world_like

KEY = "0x" + "07" * 32
WITH_TWO_STATES = ("transfer", "withdrawal", "account_update")
WITH_ONE_STATE = ("nft_mint", "nft_transfer", "nft_withdrawal", "nft_deploy")
BY_HAND = "\n  ".join(
    [
        "lifecycles:",
        *(f"{kind}: {{received: {{after: hand}}, processing: {{after: hand}}}}" for kind in WITH_TWO_STATES),
        *(f"{kind}: {{processing: {{after: hand}}}}" for kind in WITH_ONE_STATE),
    ]
)
"""Nothing moves by itself."""
MISUSES: tuple[tuple[str, Any, int], ...] = (
    ("blocks/seal", {"count": 0}, 400),
    ("blocks/seal", {"count": -1}, 400),
    ("blocks/seal", {"count": "1"}, 400),
    ("blocks/seal", {"count": 1.5}, 400),
    ("blocks/seal", {"count": True}, 400),
    ("blocks/seal", {"counts": 1}, 400),
    ("blocks/seal", [], 400),
    ("blocks/finalize", {"upTo": -1}, 400),
    ("blocks/finalize", {"upTo": "1"}, 400),
    ("blocks/finalize", {"upTo": 99}, 409),
    ("blocks/finalize", {"upto": 1}, 400),
    ("blocks/burn", {}, 404),
    ("submissions/0x00/advance", {"to": "processed"}, 404),
    ("submissions/{hash}/advance", {"to": "received"}, 400),
    ("submissions/{hash}/advance", {"to": "done"}, 400),
    ("submissions/{hash}/advance", {"to": 1}, 400),
    ("submissions/{hash}/advance", {}, 400),
    ("submissions/{ended}/advance", {"to": "failed"}, 409),
    ("submissions/{ended}/advance", {"to": "processed"}, 409),
    ("submissions/{ended}/advance", {"to": "processing"}, 409),
    ("fees", {"requestType": 12, "token": "LRC", "fee": "1"}, 400),
    ("fees", {"requestType": "9x", "token": "LRC", "fee": "1"}, 400),
    ("fees", {"token": "LRC", "fee": "1"}, 400),
    ("fees", {"requestType": 9, "token": "FOO", "fee": "1"}, 404),
    ("fees", {"requestType": 9, "fee": "1"}, 400),
    ("fees", {"requestType": 9, "token": "LRC"}, 400),
    ("fees", {"requestType": 9, "token": "LRC", "fee": "1", "factor": 2}, 400),
    ("fees", {"requestType": 9, "token": "LRC", "fee": 1}, 400),
    ("fees", {"requestType": 9, "token": "LRC", "fee": "-1"}, 400),
    ("fees", {"requestType": 9, "token": "LRC", "factor": -1}, 400),
    ("fees", {"requestType": 9, "token": "LRC", "factor": "x"}, 400),
    ("accounts/99999/keys", {"apiKey": "z"}, 404),
    ("accounts/x/keys", {"apiKey": "z"}, 404),
    ("accounts/10001/keys", {"apiKey": "key-b"}, 409),
    ("accounts/10001/keys", {"apiKey": ""}, 400),
    ("accounts/10001/keys", {"apiKey": 5}, 400),
    ("accounts/10001/keys", {"publicKeyX": "xyz"}, 400),
    ("accounts/10001/keys", {"publicKeyX": 5}, 400),
    ("accounts/10001/keys", {"accountNonce": -1}, 400),
    ("accounts/10001/keys", {"accountNonce": "1"}, 400),
    ("accounts/10001/keys", {"accountNonce": 2**53}, 400),
    ("accounts/10001/keys", {"nonce": 1}, 400),
    ("nft/x/deploy", {"outcome": "deployed"}, 400),
    (f"nft/{CONTRACT_B}/deploy", {"outcome": "maybe"}, 400),
    (f"nft/{CONTRACT_B}/deploy", {"outcome": "failed"}, 409),
    (f"nft/{CONTRACT_A}/deploy", {"outcome": "deployed"}, 409),
    (f"nft/{CONTRACT_A}/deploy", {"outcome": "failed"}, 409),
    ("layer1", {"approvedHashes": "0x"}, 400),
    ("layer1", {"approvedHashes": {"alice": "0x" + "1" * 64}}, 400),
    ("layer1", {"approvedHashes": {"alice": ["x"]}}, 400),
    ("layer1", {"approvedHashes": {"alice": [5]}}, 400),
    ("layer1", {"approvedHashes": {"0x12": []}}, 400),
)


@pytest.mark.parametrize(("path", "fields", "status"), MISUSES, ids=[f"{case[0]} {case[1]}" for case in MISUSES])
def test_misuse_changes_nothing(path: str, fields: Any, status: int) -> None:
    """400, 404 or 409 with error, field and what was meant; the digest of all there is stays."""
    relay = ready(world(), "withdraw_nft")
    ended = taken(relay, WITHDRAWAL)["hash"]
    advance_to(relay, ended, "processed")
    open_ = taken(relay, WITHDRAWAL.but(storageId=8))["hash"]
    before = done(relay, "GET", "state")["digest_all"]
    answer = control(relay, "POST", path.replace("{hash}", open_).replace("{ended}", ended), fields)
    assert set(answer.json) == {"error", "field", "meant"}, answer.body
    assert answer.status == status or {answer.status, status} == {400, 404}, answer.body
    assert done(relay, "GET", "state")["digest_all"] == before


class TestSubmissions:
    """Requests moved on by hand."""

    def test_to_processing_then_processed(self, tmp_path: Path) -> None:
        """Each is what the next repeat tells; processed pays out on layer 1."""
        relay = world_like(tmp_path, BY_HAND)
        hash_ = taken(relay, WITHDRAWAL)["hash"]
        advance_to(relay, hash_, "processing")
        assert call(relay, WITHDRAWAL).json == {"hash": hash_, "status": "processing", "isIdempotent": True}
        had = int(_layer1_lrc(relay))
        advance_to(relay, hash_, "processed")
        assert call(relay, WITHDRAWAL).code == 102021
        assert int(_layer1_lrc(relay)) == had + 10**18

    def test_failed_gives_all_back(self) -> None:
        """Amount and fee are free again, nothing is in flight, layer 1 has nothing of it."""
        relay = world()
        before, had = balances(relay, "alice"), _layer1_lrc(relay)
        hash_ = taken(relay, WITHDRAWAL)["hash"]
        lrc = balances(relay, "alice")["LRC"]
        assert int(lrc["inFlight"]) == 10**18 + 10**17
        advance_to(relay, hash_, "failed")
        assert (balances(relay, "alice"), _layer1_lrc(relay)) == (before, had)
        assert call(relay, WITHDRAWAL).code == 102021

    def test_hash_in_either_letter_case(self) -> None:
        """As everywhere, hex digits have no case."""
        relay = world()
        hash_ = taken(relay, WITHDRAWAL)["hash"]
        advance_to(relay, "0x" + hash_[2:].upper(), "processed")

    @pytest.mark.parametrize(
        "name", ["submit_transfer", "mint_nft", "transfer_nft", "withdraw_nft", "deploy_nft_contract"]
    )
    @pytest.mark.parametrize("to", ["processed", "failed"])
    def test_every_kind_of_request(self, tmp_path: Path, name: str, to: str) -> None:
        """All that have a hash can be moved on, once."""
        relay = world_like(tmp_path, BY_HAND)
        if name not in ("submit_transfer", "mint_nft"):
            advance_to(
                relay, taken(relay, valid_request("mint_nft").but(amount="5", storageId=900))["hash"], "processed"
            )
        if name == "withdraw_nft":
            deployed(relay)
        advance(relay, "1d")
        answer = taken(relay, valid_request(name))
        hash_ = answer["data"] if name == "submit_transfer" else answer["hash"]
        advance_to(relay, hash_, to)
        for again in ("processing", "processed", "failed"):
            assert control(relay, "POST", f"submissions/{hash_}/advance", {"to": again}).status == 409


def _layer1_lrc(relay: Relay) -> str:
    found: str = call(relay, valid_request("get_token_balances")).data[0]
    return found


class TestFees:
    """Fees set and multiplied."""

    def test_factor_is_exact_and_told_at_once(self) -> None:
        """0.05 LRC times 1.3 is 0.065 LRC to the wei."""
        relay = world()
        done(relay, "POST", "fees", {"requestType": 9, "token": "LRC", "factor": 1.3})
        fees = {fee["token"]: fee["fee"] for fee in call(relay, valid_request("get_nft_fee")).json["fees"]}
        assert fees["LRC"] == str(65 * 10**15)
        assert fees["ETH"] == str(10**13)

    @pytest.mark.parametrize("type_", [9, 10, 11, 13])
    def test_each_type_has_its_own_fee(self, type_: int) -> None:
        """Set for one, the other three stay."""
        relay = world()
        before = {
            each: call(relay, valid_request("get_nft_fee").but(requestType=each)).json for each in (9, 10, 11, 13)
        }
        done(relay, "POST", "fees", {"requestType": type_, "token": "LRC", "fee": "777"})
        for each in (9, 10, 11, 13):
            told = call(relay, valid_request("get_nft_fee").but(requestType=each)).json
            if each == type_:
                assert {fee["token"]: fee["fee"] for fee in told["fees"]}["LRC"] == "777"
            else:
                assert told == before[each]


class TestKeys:
    """Keys and nonce of an account."""

    def test_api_key_is_replaced(self) -> None:
        """The new one is alice's, the old one nobody's."""
        relay = world()
        done(relay, "POST", "accounts/10001/keys", {"apiKey": "fresh"})
        assert call(relay, TRANSFER._replace(key="fresh")).code == 0
        assert call(relay, TRANSFER._replace(key="key-a")).code == 104002

    def test_public_key_and_nonce_are_told(self) -> None:
        """GET account shows them, and the nonce counts from there."""
        relay = world()
        done(relay, "POST", "accounts/10001/keys", {"publicKeyX": KEY, "publicKeyY": KEY, "accountNonce": 5})
        told = call(relay, valid_request("get_account")).data
        assert (told["publicKeyX"], told["publicKeyY"], told["accountNonce"]) == (KEY, KEY, 5)
        assert call(relay, TRANSFER).code == 102021
        assert call(relay, TRANSFER.but(nonce=5)).code == 0
        assert call(relay, UPDATE.but(nonce=6)).code == 0


class TestContracts:
    """Deployment by a third party."""

    def test_deployed_by_hand(self) -> None:
        """GetCode is non-empty at once; the NFT can be withdrawn."""
        relay = ready(world(), "transfer_nft")
        assert call(relay, valid_request("get_code")).json["result"] == "0x"
        assert call(relay, valid_request("withdraw_nft")).code == 100001
        done(relay, "POST", f"nft/{CONTRACT_A}/deploy", {"outcome": "deployed"})
        assert call(relay, valid_request("get_code")).json["result"] == CODE
        assert "raw_data" in call(relay, valid_request("withdraw_nft")).json

    @pytest.mark.parametrize(("outcome", "code"), [("deployed", CODE), ("failed", "0x")])
    def test_the_relayers_own_deployment_is_ended_by_hand(self, outcome: str, code: str) -> None:
        """Before its 15 s; a failed one gives the fee back and stays `0x`."""
        relay = ready(world(), "deploy_nft_contract")
        advance(relay, "1h")
        had = balances(relay, "alice")
        taken(relay, valid_request("deploy_nft_contract"))
        assert balances(relay, "alice") != had
        done(relay, "POST", f"nft/{CONTRACT_A}/deploy", {"outcome": outcome})
        advance(relay, "1h")
        assert call(relay, valid_request("get_code")).json["result"] == code
        assert (balances(relay, "alice") == had) is (outcome == "failed")


class TestApprovedHashes:
    """`hashApproved` in place of a signature."""

    def test_wellformed_hash_counts_under_presence(self) -> None:
        """A withdrawal with an approved hash and the header is taken, a malformed one is 104005."""
        relay = world()
        approved = "0x" + "5a" * 32
        done(relay, "POST", "layer1", {"approvedHashes": {OWNER_A: [approved]}})
        request = WITHDRAWAL.without("eddsaSignature").but(hashApproved=approved)
        assert call(relay, request).code == 0
        assert call(relay, request.but(storageId=8, hashApproved="0x12")).code in (104005, 100001)

    def test_several_owners_by_name_and_address(self) -> None:
        """Both forms are taken."""
        relay = world()
        done(relay, "POST", "layer1", {"approvedHashes": {"alice": ["0x" + "1" * 64], SOME_ADDRESS: []}})


def test_blocks_by_hand_tell_their_ids() -> None:
    """Seal answers the ids, finalize up to one leaves the later ones."""
    relay = world()
    taken(relay, TRANSFER)
    assert seal(relay) == [1]
    taken(relay, TRANSFER.but(nonce=1))
    assert seal(relay, 3) == [2]
    done(relay, "POST", "blocks/finalize", {"upTo": 1})
    assert [block(relay, number)["status"] for number in (1, 2)] == ["finalized", "pending"]
    assert pending(relay) == []
    done(relay, "POST", "blocks/finalize", {"upTo": 1})
    assert block(relay)["blockId"] == 1


def test_withdrawal_of_another_token_pays_out_that_token() -> None:
    """ETH goes to the native balance of the address it is sent to."""
    relay = world()
    request = inside(WITHDRAWAL, "token", tokenId=0, volume="12345").but(to=SOME_ADDRESS)
    advance_to(relay, taken(relay, request)["hash"], "processed")
    assert call(relay, Request("get_eth_balance", {"owner": SOME_ADDRESS})).data == "12345"
