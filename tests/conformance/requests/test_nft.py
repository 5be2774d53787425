"""Rows 6 and 7 of the trouble list: NFT ids of 64 digits, and a fee that drifts between quote and mint."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.causes_of_requests import WITHDRAWAL, inside, taken
from tests.conformance.checks import refused_call
from tests.conformance.worlds import balances, look_up, pending
from tests.support.calls import Request, call, deployed, minted, valid_request
from tests.support.client import advance, digest, done
from tests.support.worlds import world

MINT = valid_request("mint_nft")
QUOTE = 5 * 10**16
_LOW = "0" + "a1b2c3d4" * 7 + "e5f6a7b"


class TestNftIds:
    """Row 6: 64 hex digits, all of them, in either letter case."""

    @pytest.mark.parametrize("digits", [_LOW, _LOW.upper(), "f" * 64, "0" * 64, "0" * 63 + "1", "Aa" * 32])
    def test_sixty_four_digits_are_taken_and_come_back(self, digits: str) -> None:
        """64 digits again, the same number, found in both letter cases; nftData is stable."""
        relay = world()
        nft_data = taken(relay, MINT.but(nftId="0x" + digits))["raw_data"]["nftData"]
        found = [look_up(relay, "0x" + each) for each in (digits, digits.lower(), digits.upper())]
        assert found[0] == found[1] == found[2]
        assert len(found[0]["nftId"]) == 66
        assert int(found[0]["nftId"], 16) == int(digits, 16)
        assert found[0]["nftData"] == nft_data
        assert pending(relay)[-1]["nftToken"]["nftId"].lower() == "0x" + digits.lower()

    @pytest.mark.parametrize(
        "nft_id",
        ["0x" + _LOW[1:], "0x" + _LOW + "0", _LOW, "0X" + _LOW, "0x" + "g" * 64, "", "0x", int(_LOW, 16), " 0x" + _LOW],
        ids=lambda value: str(value)[:24] + f" ({len(str(value))})",
    )
    def test_anything_else_is_refused(self, nft_id: Any) -> None:
        """Neither filled up nor cut, and nothing is stored."""
        relay = world()
        before = digest(relay)
        refused_call(call(relay, MINT.but(nftId=nft_id)), "mint_nft", {100001}, "nftId")
        assert digest(relay) == before

    def test_nft_data_differs_for_different_ids_and_not_for_letter_case(self) -> None:
        """Hash of the identity: case of a hex digit is none of it."""
        ids = ["0x" + _LOW, "0x" + _LOW.upper(), "0x" + "f" * 64, "0x" + "0" * 63 + "1"]
        data = [taken(world(), MINT.but(nftId=nft_id))["raw_data"]["nftData"] for nft_id in ids]
        assert data[0] == data[1]
        assert len(set(data)) == 3

    def test_same_nft_minted_in_either_case_is_one_nft(self) -> None:
        """Two mints, one token id, and the amounts add up: two can be sent on, three cannot."""
        relay = world()
        first = taken(relay, MINT.but(nftId="0x" + _LOW))["raw_data"]
        second = taken(relay, MINT.but(nftId="0x" + _LOW.upper(), storageId=8))["raw_data"]
        assert (first["nftData"], first["nftTokenId"]) == (second["nftData"], second["nftTokenId"])
        move = inside(valid_request("transfer_nft"), "token", nftData=first["nftData"], tokenId=first["nftTokenId"])
        assert call(relay, inside(move, "token", amount="3")).code == 100001
        taken(relay, inside(move, "token", amount="2"))


class TestQuoteDrift:
    """Row 7: the fee rises between quote and mint."""

    def test_a_refused_mint_leaves_storage_id_and_money(self) -> None:
        """F is enough, then 1.3 f is asked: f is refused, 2 f under the same storage id is taken."""
        relay = world()
        told = {fee["token"]: int(fee["fee"]) for fee in call(relay, valid_request("get_nft_fee")).json["fees"]}
        assert told["LRC"] == QUOTE
        taken(relay, inside(MINT, "maxFee", amount=str(QUOTE)))
        done(relay, "POST", "fees", {"requestType": 9, "token": "LRC", "factor": 1.3})
        told = {fee["token"]: int(fee["fee"]) for fee in call(relay, valid_request("get_nft_fee")).json["fees"]}
        assert told["LRC"] == QUOTE * 13 // 10
        before, had = digest(relay), balances(relay, "alice")
        later = MINT.but(storageId=8, nftId="0x" + _LOW)
        refused_call(call(relay, inside(later, "maxFee", amount=str(QUOTE))), "mint_nft", {100001}, "maxFee")
        assert (digest(relay), balances(relay, "alice")) == (before, had)
        taken(relay, inside(later, "maxFee", amount=str(2 * QUOTE)))
        advance(relay, "1h")
        paid = int(had["LRC"]["free"]) - int(balances(relay, "alice")["LRC"]["free"])
        assert paid == QUOTE * 13 // 10

    @pytest.mark.parametrize(("charged", "paid"), [("quote", QUOTE), ("max_fee", 2 * QUOTE)])
    def test_what_is_charged(self, charged: str, paid: int) -> None:
        """The quote or the maximum, as the choice says."""
        relay = world({"fee.charged": charged})
        had = int(balances(relay, "alice")["LRC"]["free"])
        taken(relay, inside(MINT, "maxFee", amount=str(2 * QUOTE)))
        advance(relay, "1h")
        assert had - int(balances(relay, "alice")["LRC"]["free"]) == paid

    @pytest.mark.parametrize(
        ("request_", "field", "inner", "type_"),
        [
            (WITHDRAWAL, "maxFee", "volume", None),
            (valid_request("transfer_nft"), "maxFee", "amount", 11),
            (valid_request("withdraw_nft"), "maxFee", "amount", 10),
        ],
        ids=["withdrawal", "nft transfer", "nft withdrawal"],
    )
    def test_one_wei_below_the_quote_is_refused_and_the_quote_taken(
        self, request_: Request, field: str, inner: str, type_: int | None
    ) -> None:
        """The same edge at every request that names a maximum."""
        relay = deployed(minted(world()))
        fee = 10**17
        if type_ is not None:
            told = call(relay, valid_request("get_nft_fee").but(requestType=type_)).json["fees"]
            fee = int(next(each["fee"] for each in told if each["token"] == "LRC"))
        before = digest(relay)
        low = call(relay, inside(request_, field, **{inner: str(fee - 1)}))
        refused_call(low, request_.name, {100001}, field)
        assert digest(relay) == before
        taken(relay, inside(request_, field, **{inner: str(fee)}))
