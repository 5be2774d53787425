"""Row 30 of the trouble list for transfers, withdrawals and mints: what is read is what was written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conformance.causes_of_requests import TRANSFER, UPDATE, WITHDRAWAL, inside, taken
from tests.conformance.checks import refused_call
from tests.conformance.worlds import balances, look_up, pending
from tests.support.bodies import E18
from tests.support.calls import CONTRACT_A, OWNER_A, OWNER_B, accepted, call, order, ready, valid_request
from tests.support.client import advance, digest, done
from tests.support.worlds import world, world_like

MINT = valid_request("mint_nft")
QUOTE = 5 * 10**16


class TestFaithfulRequests:
    """Row 30: what is read is what was written."""

    def test_transfer_is_seen_on_both_sides(self) -> None:
        """Alice pays amount and fee, bob gets the amount, the fee list says how much."""
        relay = world()
        had = [int(balances(relay, name)["LRC"]["free"]) for name in ("alice", "bob")]
        taken(relay, TRANSFER)
        during = balances(relay, "alice")["LRC"]
        advance(relay, "1s")
        has = [int(balances(relay, name)["LRC"]["free"]) for name in ("alice", "bob")]
        assert [now - then for now, then in zip(has, had, strict=True)] == [-(E18 + QUOTE), E18]
        assert int(during["free"]) == has[0]

    def test_what_is_in_flight_cannot_be_spent_twice(self) -> None:
        """All LRC are being withdrawn: no order, no transfer, no mint."""
        relay = world()
        taken(relay, inside(WITHDRAWAL, "token", volume=str(10_000 * E18 - 10**17)))
        assert call(relay, order(1)).code == 102011
        assert call(relay, TRANSFER).code == 100000
        assert call(relay, MINT).code == 100001
        assert call(relay, UPDATE).code == 100001

    def test_frozen_by_an_order_cannot_be_withdrawn(self) -> None:
        """The other way round: 100 LRC in an order."""
        relay = world()
        accepted(relay, order(1))
        request = inside(WITHDRAWAL, "token", volume=str(9_900 * E18 - 10**17 + 1))
        refused_call(call(relay, request), "submit_withdrawal", {100001})
        taken(relay, inside(WITHDRAWAL, "token", volume=str(9_900 * E18 - 10**17)))

    def test_mint_is_read_back(self) -> None:
        """Minter, contract, id, fee bips: as written."""
        relay = world()
        made = taken(relay, MINT.but(creatorFeeBips=7))
        assert made["hash"] == made["raw_data"]["hash"]
        told = look_up(relay, MINT.fields["nftId"])
        assert (told["nftId"], told["tokenAddress"].lower(), told["creatorFeeBips"]) == (
            MINT.fields["nftId"],
            CONTRACT_A,
            7,
        )
        assert (told["nftType"], told["nftData"]) == ("ERC1155", made["raw_data"]["nftData"])
        assert told["minter"].lower() in (OWNER_A, "10001")

    def test_received_nft_can_be_sent_on(self) -> None:
        """Bob has what alice has sent him, not one more."""
        relay = ready(world(), "transfer_nft")
        taken(relay, inside(valid_request("transfer_nft"), "token", amount="3"))
        back = valid_request("transfer_nft").but(
            fromAccountId=10002, fromAddress=OWNER_B, toAccountId=10001, toAddress=OWNER_A
        )
        back = back._replace(key="bob")
        assert call(relay, inside(back, "token", amount="4")).code == 100001
        taken(relay, inside(back, "token", amount="3"))

    def test_requests_differ_in_hash_whatever_field_differs(self) -> None:
        """No two requests have one hash; the same request in another world has the same."""
        requests = [
            *(TRANSFER, TRANSFER.but(amount="2"), TRANSFER.but(receiver=10003), TRANSFER.but(token=0, tokenF=0)),
            TRANSFER.but(label=1),
        ]
        hashes = [taken(world(), request)["data"] for request in requests]
        assert len(set(hashes)) == len(requests)
        assert taken(world(), TRANSFER)["data"] == hashes[0]

    def test_digits_come_back_digit_for_digit(self) -> None:
        """1,000,000,000,000,000,000,001 wei in pending and block, as strings."""
        relay = world()
        taken(relay, TRANSFER.but(amount="1000000000000000000001"))
        assert pending(relay)[0]["token"]["amount"] == "1000000000000000000001"

    @pytest.mark.parametrize("name", ["submit_transfer", "submit_withdrawal", "update_account"])
    def test_unknown_fields_change_nothing(self, name: str) -> None:
        """A field that no table lists is a finding; hash and world are the same."""
        plain, surplus = world(), world()
        first, second = call(plain, valid_request(name)), call(surplus, valid_request(name).but(surplus={"a": [1]}))
        assert first.body == second.body
        assert digest(plain) == digest(surplus)

    def test_lone_surrogate_in_a_memo(self) -> None:
        """Row 25: no server error, and pending is still JSON in UTF-8."""
        relay = world()
        body = json.dumps({**TRANSFER.fields, "memo": "\ud800"})
        assert "\\ud800" in body
        assert call(relay, TRANSFER.but(memo="\ud800")).status == 200
        pending(relay)
        done(relay, "GET", "state")

    def test_disabled_token_cannot_be_withdrawn(self, tmp_path: Path) -> None:
        """`enabled: false` refuses it by name; another token still goes."""
        relay = world_like(tmp_path, "tokens: [{symbol: LRC, enabled: false}]")
        refused_call(call(relay, WITHDRAWAL), "submit_withdrawal", {100001}, "token")
        taken(relay, inside(WITHDRAWAL, "token", tokenId=0, volume="5"))
