"""NFTs as clients mint, move and read them (E19, E32 to E42; C8 to C11; S7)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mockrelay.core.requests.counterfactual import token_address
from mockrelay.core.saving import restore_world, save_world
from mockrelay.relay import Relay
from mockrelay.replay import load_into
from tests.live.test_rows import PRESENCE, ask, mint_live, nft_move, nft_withdrawal
from tests.support.answer import Answer
from tests.support.bodies import E18, ECDSA_SIGNATURE, bodies_of
from tests.support.client import advance, digest, done, get, post, send
from tests.support.worlds import relay_from

MINT, MOVE, LEAVE = "/api/v3/nft/mint", "/api/v3/nft/transfer", "/api/v3/nft/withdrawal"
BOB = 10002
NEW = "0x" + "9" * 39 + "a"
"""An address without an account."""
SLOT = 32768


@pytest.fixture
def relay() -> Relay:
    return relay_from("live_v3", choices=PRESENCE)


def submit(relay: Relay, path: str, fields: dict[str, Any], signature: str | None = ECDSA_SIGNATURE) -> Answer:
    """A call of alice's, without its fields that are None."""
    given = {name: value for name, value in fields.items() if value is not None}
    return post(relay, path, given, signature=None if path == MINT else signature)


def minted(relay: Relay, **changed: Any) -> dict[str, Any]:
    """The token of an NFT of which alice has 5: one of it."""
    nft = submit(relay, MINT, mint_live(relay, 1, **changed)).json
    return {"tokenId": nft["nftTokenId"], "nftData": nft["nftData"], "amount": "1"}


def held(relay: Relay, account_id: int) -> int:
    """How many of the first NFT an account has."""
    return sum(relay.world.ledger.balance(account_id, SLOT))


def test_a_mint_says_all_at_once_c8_e32(relay: Relay) -> None:
    """Flat, and beside it the specification's receipt. The storage id is of the fee's token (S2)."""
    answer = submit(relay, MINT, mint_live(relay, 5)).json
    receipt = {name: answer[name] for name in ("hash", "status", "isIdempotent", "nftTokenId", "nftData")}
    assert answer == {**receipt, "accountId": 10001, "storageId": 5, "raw_data": receipt}
    assert (answer["status"], answer["isIdempotent"], answer["nftTokenId"]) == ("processing", False, SLOT)
    assert ask(relay, "get_storage_id").json == {"orderId": 0, "offchainId": 7}
    again = submit(relay, MINT, mint_live(relay, 5)).json
    done_since = {"status": "processed", "isIdempotent": True}
    assert again == {**answer, **done_since, "raw_data": {**receipt, **done_since}}
    assert held(relay, 10001) == 5


def test_a_mint_goes_to_an_address_that_gets_an_account_for_it_e32(relay: Relay) -> None:
    assert submit(relay, MINT, mint_live(relay, 1, toAccountId=0, toAddress=NEW)).json["status"] == "processing"
    new_id = ask(relay, "get_account_v3", [("owner", NEW)]).json["accountId"]
    assert (held(relay, 10001), held(relay, new_id)) == (0, 5)


def test_a_mint_under_anothers_contract_has_a_code_of_its_own_e32(relay: Relay) -> None:
    """108003 for bob's contract, 100001 for an address that is nobody's."""
    nft, owners = relay.world.config.exchange, {one["accountId"]: one["owner"] for one in relay.accounts()}
    bobs = token_address(nft.nft_factory.lower(), nft.nft_implementation.lower(), owners[BOB].lower())
    before = digest(relay)
    for contract, code in ((bobs, 108003), (bobs.lower(), 108003), ("0x" + "4" * 40, 100001)):
        answer = submit(relay, MINT, mint_live(relay, 1, tokenAddress=contract))
        assert (answer.refusal_code, "tokenAddress" in answer.message) == (code, True)
    assert digest(relay) == before


def test_who_gets_the_royalty_is_shown_again_e32_e37(relay: Relay) -> None:
    """As the first mint of the NFT says; saved with the world."""
    address = "0x" + "AB" * 20
    nft_data = submit(relay, MINT, mint_live(relay, 1, royaltyAddress=address)).json["nftData"]
    other = relay_from("live_v3", choices=PRESENCE)
    load_into(other, relay.dump())
    for each in (relay, other):
        (found,) = get(each, "/api/v3/nft/info/nfts", key=None, nftDatas=nft_data).json
        assert found["royaltyAddress"] == address.lower()


def test_a_mint_that_is_verified_needs_its_signature_e32() -> None:
    relay = relay_from("live_v3")
    before = digest(relay)
    assert submit(relay, MINT, mint_live(relay, 1)).refusal_code == 104004
    assert submit(relay, MINT, mint_live(relay, 1, eddsaSignature="0x" + "01" * 96)).refusal_code == 104005
    assert digest(relay) == before


@pytest.mark.parametrize("scheme", ["fast", "protocol"])
def test_the_royalty_is_part_of_the_nft_e32(scheme: str) -> None:
    """The same id with 5 and with 6 % is two NFTs; with 5 given by the other name it is the first one again."""
    relay = relay_from("live_v3", choices={**PRESENCE, "hash.scheme": scheme})
    ways: list[dict[str, Any]] = [{}, {"royaltyPercentage": 6}, {"royaltyPercentage": None, "creatorFeeBips": 5}]
    datas = [
        submit(relay, MINT, mint_live(relay, number, **fields)).json["nftData"]
        for number, fields in enumerate(ways, start=1)
    ]
    assert datas[0] == datas[2] != datas[1]
    assert submit(relay, MINT, mint_live(relay, 9, royaltyPercentage=11)).refusal_code == 100001


def test_an_nft_goes_to_an_address_c9_e33(relay: Relay) -> None:
    """To bob's, and to one that gets an account for it; by its data in hex or in decimal digits."""
    token = minted(relay)
    answer = submit(relay, MOVE, nft_move(relay, token, 1, memo="m")).json
    receipt = {name: answer[name] for name in ("hash", "status", "isIdempotent")}
    assert answer == {**receipt, "raw_data": receipt}
    advance(relay, "1s")
    assert (held(relay, 10001), held(relay, BOB)) == (4, 1)
    decimal = {**token, "nftData": str(int(token["nftData"], 16))}
    assert submit(relay, MOVE, nft_move(relay, decimal, 3, toAddress=NEW)).json["status"] == "processing"
    new_id = ask(relay, "get_account_v3", [("owner", NEW)]).json["accountId"]
    holders = get(relay, "/api/v3/nft/info/nftHolders", key=None, nftData=token["nftData"]).json
    assert holders == {
        "totalNum": 3,
        "nftHolders": [
            {"accountId": account_id, "tokenId": SLOT, "amount": amount}
            for account_id, amount in ((10001, "3"), (BOB, "1"), (new_id, "1"))
        ],
    }
    beyond = submit(relay, MOVE, nft_move(relay, {**token, "amount": "4"}, 5))
    assert beyond.refusal_code == 100001


@pytest.mark.parametrize("form", ["real E34", "spec"])
def test_an_nft_leaves_once_its_contract_is_deployed_c10_e34(relay: Relay, form: str) -> None:
    """In the form of a withdrawal, or of a transfer; each tells itself by its fields."""
    token = minted(relay)
    body = (
        nft_withdrawal(relay, token, 1)
        if form.startswith("real")
        else nft_move(relay, token, 1, toAccountId=None, maxFee={"tokenId": 1, "amount": str(E18 // 10)})
    )
    before = digest(relay)
    assert submit(relay, LEAVE, body).refusal_code == 100001
    assert digest(relay) == before
    _deploy(relay, token)
    answer = submit(relay, LEAVE, body)
    assert answer.json["status"] == "processing"
    (row,) = get(relay, "/api/v3/user/nft/balances", accountId=10001).json["data"]
    assert (row["total"], row["locked"], row["pending"]["withdraw"], row["deploymentStatus"]) == (
        *("5", "1", "1"),
        "DEPLOYED",
    )
    advance(relay, "11s")
    (row,) = get(relay, "/api/v3/user/nft/balances", accountId=10001).json["data"]
    assert (row["total"], row["locked"]) == ("4", "0")
    (left,) = get(relay, "/api/v3/user/nft/withdrawals", accountId=10001).json["withdrawals"]
    assert (left["hash"], left["status"], left["amount"], left["isFast"]) == (
        answer.json["hash"],
        "processed",
        "1",
        False,
    )


def _deploy(relay: Relay, token: dict[str, Any]) -> None:
    """Deploy alice's contract by the call for it, which takes fifteen seconds (E35)."""
    (row,) = get(relay, "/api/v3/user/nft/balances", accountId=10001).json["data"]
    assert row["deploymentStatus"] == "NOT_DEPLOYED"
    body = bodies_of(relay).deployment(token["nftData"], row["tokenAddress"], 9)
    answer = post(relay, "/api/v3/nft/deployTokenAddress", body, signature="0x" + "01" * 96)
    assert answer.json["status"] == "SEND_TX_SUCCESS"
    (row,) = get(relay, "/api/v3/user/nft/balances", accountId=10001).json["data"]
    assert row["deploymentStatus"] == "DEPLOYING"
    advance(relay, "15s")


@pytest.mark.parametrize("minter", ["address", "id"])
@pytest.mark.parametrize("nft_id", ["0x7", "0x" + "7".rjust(64, "0")], ids=["short", "padded"])
def test_an_nft_is_found_by_its_minter_contract_and_id_c11_e38_l11(relay: Relay, minter: str, nft_id: str) -> None:
    """Without a key, and with any; the minter is an address in any case, or an account's id."""
    token = minted(relay)
    owner = relay.world.accounts[10001].owner
    contract = mint_live(relay, 0)["tokenAddress"]
    by = "10001" if minter == "id" else owner.upper().replace("X", "x")
    asked = {"minter": by, "tokenAddress": contract.lower(), "nftId": nft_id}
    found = get(relay, "/api/v3/nft/info/nftData", key=None, **asked).json
    assert found == {
        "nftData": token["nftData"],
        "minter": owner.lower(),
        "nftType": "ERC1155",
        "tokenAddress": contract.lower(),
        "nftId": "0x" + "7".rjust(64, "0"),
        "creatorFeeBips": 0,
        "royaltyPercentage": 5,
        "originalRoyaltyPercentage": 5,
        "status": True,
        "nftFactory": "0xc852aC7aAe4b0f0a0Deb9e8A391ebA2047d80026",
        "nftOwner": owner.lower(),
        "nftBaseUri": "",
        "royaltyAddress": "",
        "originalMinter": owner.lower(),
        "createdAt": relay.now_ms(),
    }
    unknown = "0x" + "6" * 64
    assert get(relay, "/api/v3/nft/info/nfts", key=None, nftDatas=f"{unknown},{token['nftData']}").json == [found]
    assert get(relay, "/api/v3/nft/info/nfts", key=None, nftDatas=unknown).json == []
    missing = {**asked, "nftId": "0x8"}
    assert get(relay, "/api/v3/nft/info/nftData", key=None, **missing).refusal_code == 100001


def test_balances_by_their_filters_e36_s7(relay: Relay) -> None:
    for number, nft_id in enumerate(("0x1", "0x2", "0x3")):
        submit(relay, MINT, mint_live(relay, number, nftId=nft_id))

    def ids(**query: Any) -> tuple[int, list[int]]:
        page = get(relay, "/api/v3/user/nft/balances", accountId=10001, **query).json
        return page["totalNum"], [row["tokenId"] for row in page["data"]]

    data = get(relay, "/api/v3/user/nft/balances", accountId=10001).json["data"]
    assert ids() == (3, [SLOT, SLOT + 1, SLOT + 2])
    assert ids(limit=1, offset=1) == (3, [SLOT + 1])
    assert ids(nftDatas=f"{data[0]['nftData']},{data[2]['nftData']}") == (2, [SLOT, SLOT + 2])
    assert ids(tokenIds=f"{SLOT + 1}") == (1, [SLOT + 1])
    assert ids(tokenAddrs=data[0]["tokenAddress"].upper().replace("X", "x")) == (3, [SLOT, SLOT + 1, SLOT + 2])
    assert ids(tokenAddrs="0x" + "1" * 40) == (0, [])
    everything = {"tokenId": SLOT, "nftData": data[0]["nftData"], "amount": "5"}
    submit(relay, MOVE, nft_move(relay, everything, 1))
    assert ids() == (2, [SLOT + 1, SLOT + 2])
    assert ids(nonZero="false") == (3, [SLOT, SLOT + 1, SLOT + 2])


def test_histories_of_nfts_e40(relay: Relay) -> None:
    """Both parties see a transfer; each row says its parties, its block and what it was sent with."""
    at_ms = relay.now_ms()
    token = minted(relay, memo="first")
    moved = submit(relay, MOVE, nft_move(relay, token, 3, memo="gift")).json
    advance(relay, "11s")
    (mint,) = get(relay, "/api/v3/user/nft/mints", accountId=10001).json["mints"]
    assert {name: mint[name] for name in ("id", "minterId", "amount", "status", "memo", "createdAt")} == {
        "id": 1,
        "minterId": 10001,
        "amount": "5",
        "status": "processed",
        "memo": "first",
        "createdAt": at_ms,
    }
    assert mint["storageInfo"] == {"accountId": 10001, "tokenId": 1, "storageId": 1}
    mine = get(relay, "/api/v3/user/nft/transfers", accountId=10001).json
    (sent,) = mine["transfers"]
    assert (sent["hash"], sent["payeeId"], sent["memo"], sent["feeAmount"]) == (
        moved["hash"],
        BOB,
        "gift",
        str(E18 // 20),
    )
    assert sent["blockIdInfo"] == {"blockId": 1, "indexInBlock": 1}
    assert sent["storageInfo"] == {"accountId": 10001, "tokenId": SLOT, "storageId": 3}
    assert get(relay, "/api/v3/user/nft/transfers", key="bob", accountId=BOB).json == mine
    assert get(relay, "/api/v3/user/nft/deposits", accountId=10001).json == {"totalNum": 0, "deposits": []}
    for query, count in (
        ({"nftData": token["nftData"]}, 1),
        ({"nftData": "1"}, 0),
        ({"txStatus": "processed"}, 1),
        ({"txStatus": "failed"}, 0),
        ({"startId": 1}, 0),
        ({"end": at_ms - 1}, 0),
    ):
        answer = send(
            relay, "GET", "/api/v3/user/nft/transfers", query=[("accountId", "10001"), *map(_pair, query.items())]
        )
        assert answer.json["totalNum"] == count


def _pair(item: tuple[str, Any]) -> tuple[str, str]:
    return item[0], str(item[1])


@pytest.mark.parametrize("request_type", [9, 10, 11, 13, 19])
def test_the_fee_that_is_asked_is_the_fee_that_is_charged_e19(relay: Relay, request_type: int) -> None:
    """Without a key too, in the order of the tokens' ids; of a withdrawal and a deployment twice that of the others."""
    answer = get(relay, "/api/v3/user/nft/offchainFee", key=None, requestType=request_type).json
    assert [(row["token"], row["tokenId"]) for row in answer["fees"]] == [
        ("ETH", 0),
        ("LRC", 1),
        ("USDT", 3),
        ("DAI", 5),
    ]
    assert answer["fees"][1] == {
        "token": "LRC",
        "tokenId": 1,
        "fee": str(E18 // 10 if request_type in (10, 13) else E18 // 20),
        "discount": 1,
    }
    assert answer["gasPrice"] == "20000000000"


def test_a_mint_in_parts_of_a_form_is_the_same_mint_l5_e32(relay: Relay) -> None:
    """As tools send it: all values are text, names with a dot nest."""
    body = mint_live(relay, 1)
    flat = {
        f"{name}.{inner}" if inner else name: value[inner] if inner else value
        for name, value in body.items()
        for inner in (value if isinstance(value, dict) else ("",))
    }
    parts = "".join(
        f'--cut\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in flat.items()
    )
    headers = {"content-type": "multipart/form-data; boundary=cut"}
    sent = send(relay, "POST", MINT, body=f"{parts}--cut--\r\n".encode(), headers=headers)
    other = submit(relay_from("live_v3", choices=PRESENCE), MINT, body)
    assert (sent.status, sent.json) == (200, other.json)


@pytest.mark.parametrize("kind", ["mint", "transfer", "withdrawal"])
def test_a_request_about_nfts_is_signed_for_a_test_as_a_client_would_e32_e33_e34(kind: str) -> None:
    """The layer-2 signature counts, and that of another body does not."""
    relay = relay_from("live_v3")
    token = _minted_signed(relay)
    body = {
        "mint": lambda: mint_live(relay, 3, amount="2"),
        "transfer": lambda: nft_move(relay, token, 1),
        "withdrawal": lambda: nft_withdrawal(relay, token, 1),
    }[kind]()
    endpoint = {"mint": "mint_nft", "transfer": "transfer_nft", "withdrawal": "withdraw_nft"}[kind]
    if kind == "withdrawal":
        contract = mint_live(relay, 0)["tokenAddress"].lower()
        relay.world.layer1.code[contract] = "0x00"
    signed = done(relay, "POST", "sign", {"account": "alice", "endpoint": endpoint, "body": body})
    header, before = signed["headers"].get("X-API-SIG"), digest(relay)
    other = {**signed["body"], "validUntil": body["validUntil"] + 1}
    assert post(relay, signed["path"], other, signature=header).refusal_code == 104005
    assert digest(relay) == before
    assert post(relay, signed["path"], signed["body"], signature=header).json["status"] == "processing"


def _minted_signed(relay: Relay) -> dict[str, Any]:
    signed = done(relay, "POST", "sign", {"account": "alice", "endpoint": "mint_nft", "body": mint_live(relay, 1)})
    nft = post(relay, signed["path"], signed["body"], signature=signed["headers"].get("X-API-SIG")).json
    return {"tokenId": nft["nftTokenId"], "nftData": nft["nftData"], "amount": "1"}


def test_nfts_survive_saving_s7(relay: Relay) -> None:
    token = minted(relay)
    submit(relay, MOVE, nft_move(relay, token, 1, toAddress=NEW))
    other = relay_from("live_v3", choices=PRESENCE)
    other.world = restore_world(json.loads(json.dumps(save_world(relay.world))), relay.world.config)
    for path in ("nft/balances", "nft/mints", "nft/transfers"):
        asked = f"/api/v3/user/{path}"
        assert get(other, asked, accountId=10001).json == get(relay, asked, accountId=10001).json
    assert digest(other) == digest(relay)
