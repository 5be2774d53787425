"""`hash.scheme: protocol`: names that a client can compute, and what is done where the protocol's would not be one's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from mockrelay.relay import Relay
from mockrelay.signing import messages, nft
from tests.support.answer import Answer
from tests.support.calls import Request, call, minted, order, ready, valid_request
from tests.support.client import done
from tests.support.worlds import world

HASHES = {"hash.scheme": "protocol"}
NFT = {"tokenId": 32768, "amount": "1"}


def hash_of(answer: Answer) -> str:
    """The hash of what was taken."""
    assert answer.code == 0, answer.body
    found = answer.json
    data = found.get("data", found)
    hash_: str = data if isinstance(data, str) else data.get("orderHash") or data["hash"]
    return hash_


def taken(relay: Relay, request: Request) -> int:
    """The same as a number."""
    text = hash_of(call(relay, request))
    assert len(text) == 66
    return int(text, 16)


def body_of(request: Request, **more: Any) -> Mapping[str, Any]:
    return {**request.fields, **more}


def test_what_a_client_computes_is_what_it_is_answered() -> None:
    """Orders, transfers, withdrawals, updates, NFT requests; signatures need not be verified for it."""
    relay = ready(world(HASHES), "withdraw_nft")
    data = f"0x{nft.data_of_mint(valid_request('mint_nft').fields):064x}"
    token = {"nftData": data, **NFT}
    calls = {
        messages.ORDER_V2: order(),
        messages.TRANSFER_V2: valid_request("submit_transfer"),
        messages.WITHDRAWAL: valid_request("submit_withdrawal"),
        messages.ACCOUNT_UPDATE: valid_request("update_account").but(nonce=1, publicKey={"x": "0x0a", "y": "0x0b"}),
        messages.MINT: valid_request("mint_nft").but(storageId=1),
        messages.TRANSFER: valid_request("transfer_nft").but(token=token, storageId=2),
    }
    for message, request in calls.items():
        assert taken(relay, request) == message.hash(request.fields), message.kind
    gone = valid_request("withdraw_nft").but(token=token, storageId=3)
    assert taken(relay, gone) == messages.WITHDRAWAL.hash(gone.fields)


def test_a_deployment_has_the_hash_of_the_transfer_that_pays_for_it() -> None:
    relay = minted(world(HASHES))
    data = f"0x{nft.data_of_mint(valid_request('mint_nft').fields):064x}"
    request = valid_request("deploy_nft_contract").but(nftData=data)
    assert taken(relay, request) == messages.TRANSFER.hash(request.fields["transfer"])


def test_a_new_key_is_the_number_that_its_digits_write_in_hex() -> None:
    """With or without 0x, which other numbers of a body need not have."""
    bare = valid_request("update_account").but(publicKey={"x": "10", "y": "0b"})
    expected = messages.ACCOUNT_UPDATE.hash(body_of(bare, publicKey={"x": "0x10", "y": "0x0b"}))
    assert taken(world(HASHES), bare) == expected


@pytest.mark.parametrize("royalty", [{"creatorFeeBips": 6}, {"royaltyPercentage": 6}, {}])
def test_nft_data_has_the_royalty_as_sent(royalty: dict[str, Any]) -> None:
    """Under either name; the record shows it as creatorFeeBips."""
    relay = world(HASHES)
    mint = valid_request("mint_nft").without("creatorFeeBips").but(**royalty)
    answer = call(relay, mint)
    assert int(answer.json["raw_data"]["nftData"], 16) == nft.data_of_mint(mint.fields)
    record = call(relay, valid_request("get_nft_data")).json
    assert record["creatorFeeBips"] == (6 if royalty else 0)
    assert record["nftData"] == answer.json["raw_data"]["nftData"]


def test_a_royalty_of_nothing_is_one_too() -> None:
    """It is the name that the protocol takes, whatever the other one says."""
    relay = world(HASHES)
    assert call(relay, valid_request("mint_nft").but(creatorFeeBips=6, royaltyPercentage=0)).code == 0
    assert call(relay, valid_request("get_nft_data")).json["creatorFeeBips"] == 0


@pytest.mark.parametrize("royalty", ["x", -1, 2**60, None, [], str(2**300)])
def test_a_royalty_that_cannot_be_read_is_no_error(royalty: Any) -> None:
    answer = call(world(HASHES), valid_request("mint_nft").but(royaltyPercentage=royalty))
    assert answer.code == 0, answer.body


def _two_nfts(relay: Relay) -> tuple[dict[str, Any], dict[str, Any]]:
    """Alice has minted two NFTs: both as a move names them, the second under the first one's token id."""
    ready(relay, "transfer_nft")
    other = valid_request("mint_nft").but(nftId="0x" + "e" * 64, storageId=901)
    assert call(relay, other).code == 0
    datas = (nft.data_of_mint(request.fields) for request in (valid_request("mint_nft"), other))
    first, second = ({"nftData": f"0x{data:064x}", **NFT} for data in datas)
    return first, second


def test_what_the_protocol_leaves_out_still_tells_requests_apart() -> None:
    """A move of one NFT under another one's token id is signed alike, but no repeat of the other's move: it is refused."""
    relay = world(HASHES)
    first, second = _two_nfts(relay)
    move = valid_request("transfer_nft").but(token=first)
    assert messages.TRANSFER.hash(move.fields) == messages.TRANSFER.hash(move.but(token=second).fields)
    taken(relay, move)
    answer = call(relay, move.but(token=second))
    assert answer.code == 100001
    assert "token.tokenId" in answer.message


def test_another_kind_of_request_with_the_same_hash_is_no_repeat() -> None:
    """An ordinary withdrawal of an NFT's token id is signed as that NFT's withdrawal is; its storage id is taken."""
    relay = ready(world(HASHES), "withdraw_nft")
    data = f"0x{nft.data_of_mint(valid_request('mint_nft').fields):064x}"
    gone = valid_request("withdraw_nft").but(token={"nftData": data, **NFT})
    hash_ = taken(relay, gone)
    plain = valid_request("submit_withdrawal").but(
        storageId=gone.fields["storageId"],
        token={"tokenId": NFT["tokenId"], "volume": NFT["amount"]},
        maxFee={"tokenId": 1, "volume": gone.fields["maxFee"]["amount"]},
        to=gone.fields["toAddress"],
        validUntil=gone.fields["validUntil"],
    )
    assert messages.WITHDRAWAL.hash(plain.fields) == hash_
    assert call(relay, plain).code == 102021


def test_the_same_bytes_in_another_writing_are_the_same_request() -> None:
    """What is signed is what tells requests apart: extraData with and without 0x is one withdrawal."""
    relay = world(HASHES)
    first = call(relay, valid_request("submit_withdrawal").but(extraData="0xAB"))
    again = call(relay, valid_request("submit_withdrawal").but(extraData="ab"))
    assert (again.json["hash"], again.json["isIdempotent"]) == (first.json["hash"], True)


def test_a_withdrawal_without_a_message_is_taken_as_ever() -> None:
    """Data that is no hex cannot be signed, and need not be where signatures are not verified."""
    relay = world(HASHES)
    first = hash_of(call(relay, valid_request("submit_withdrawal").but(extraData="no hex")))
    assert call(relay, valid_request("submit_withdrawal").but(extraData="no hex")).json["hash"] == first
    assert call(relay, valid_request("submit_withdrawal").but(extraData="none too")).code == 102021


@pytest.mark.parametrize("label", [70_000, "x", None, 2.5, 2**300])
def test_an_order_without_a_message_is_refused_as_ever(label: Any) -> None:
    """Its hash is then of the other kind, which shows where refusals carry it."""
    answer = call(world({**HASHES, "order.rejected_answer": "code_and_data"}), order(label=label))
    assert answer.code == 102120
    assert len(answer.data["orderHash"]) == 66


def test_a_refused_order_has_the_hash_that_it_would_have_had() -> None:
    answer = call(world({**HASHES, "order.rejected_answer": "code_and_data"}), order(exchangeId=3))
    assert (answer.code, int(answer.data["orderHash"], 16)) == (
        102001,
        messages.ORDER_V2.hash(order(exchangeId=3).fields),
    )


class TestTheReadingChanges:
    """While a world runs."""

    @pytest.mark.parametrize("first", ["fast", "protocol"])
    def test_orders_keep_their_hash_and_repeats_stay_refused(self, first: str) -> None:
        relay = world({"hash.scheme": first})
        hash_ = taken(relay, order())
        done(relay, "PUT", "choices", {"hash.scheme": "protocol" if first == "fast" else "fast"})
        # Where the hash cannot be known again, the order id is.
        assert call(relay, order()).code == (102007 if first == "fast" else 102004)
        (record,) = call(relay, valid_request("get_orders")).data["orders"]
        assert int(record["hash"], 16) == hash_

    @pytest.mark.parametrize("name", ["submit_withdrawal", "update_account", "mint_nft"])
    def test_a_repeat_is_known(self, name: str) -> None:
        relay = world({"request.repeat": "always_idempotent"})
        hash_ = hash_of(call(relay, valid_request(name)))
        done(relay, "PUT", "choices", HASHES)
        again = call(relay, valid_request(name))
        repeat = again.json.get("raw_data", again.json)
        assert (repeat["hash"], repeat["isIdempotent"]) == (hash_, True)

    def test_an_nft_keeps_its_data(self) -> None:
        relay = minted(world())
        done(relay, "PUT", "choices", HASHES)
        raw = call(relay, valid_request("mint_nft").but(storageId=9)).json["raw_data"]
        assert raw["nftTokenId"] == 32768
        assert call(relay, valid_request("get_nft_data")).json["nftData"] == raw["nftData"]
