"""Collections of NFTs: those of the scenario and those that clients create, listed, minted in and kept (E36, E41, E42; S9)."""

from __future__ import annotations

from typing import Any

import pytest
from Crypto.Hash import keccak

from mockrelay.relay import Relay
from mockrelay.replay import load_into
from mockrelay.scenario import ScenarioError, load_text
from tests.live.test_rows import FACTORY, PRESENCE, ask, collection, mint_live
from tests.support.answer import Answer
from tests.support.bodies import EDDSA_SIGNATURE, bodies_of
from tests.support.client import advance, base_url, digest, done, get, post
from tests.support.worlds import relay_from

CREATE, MINT = "/api/v3/nft/collection", "/api/v3/nft/mint"
BOB = 10002
IMPLEMENTATION = "b25f6d711aebf954fb0265a3b29f7b9beba7e55d"
SCENARIO = """format: 1
extends: live_v3
collections:
  - {name: Cats, owner: alice, description: All of them., avatar: "ipfs://a", banner: "ipfs://b", tileUri: "ipfs://t",
     thumbnail: "ipfs://n", collectionTitle: The cats}
  - {name: Dogs, owner: alice, baseUri: "ipfs://dogs/", isMintable: false}
  - {name: Birds, owner: bob}
"""


@pytest.fixture
def relay() -> Relay:
    return relay_from("live_v3", choices=PRESENCE)


@pytest.fixture
def stocked(tmp_path: Any) -> Relay:
    path = tmp_path / "stocked.yaml"
    path.write_text(SCENARIO, encoding="utf-8")
    return relay_from(path, choices=PRESENCE)


def owner(relay: Relay, account_id: int = 10001) -> str:
    return relay.world.accounts[account_id].owner


def contract(owner: str, base_uri: str) -> str:
    """CREATE2 of the factory, the owner with the base URI, and a minimal proxy to the implementation."""
    salt = _keccak(b"NFT_CONTRACT_CREATION" + bytes.fromhex(owner[2:]) + base_uri.encode())
    code = f"3d602d80600a3d3981f3363d3d373d3d3d363d73{IMPLEMENTATION}5af43d82803e903d91602b57fd5bf3"
    return "0x" + _keccak(b"\xff" + bytes.fromhex(FACTORY[2:]) + salt + _keccak(bytes.fromhex(code)))[-20:].hex()


def _keccak(data: bytes) -> bytes:
    return bytes(keccak.new(digest_bits=256, data=data).digest())


def created(relay: Relay, **changed: Any) -> str:
    """The contract of a new collection of alice's."""
    answer = post(relay, CREATE, collection(relay, **changed), signature=EDDSA_SIGNATURE)
    assert answer.status == 200, answer
    assert set(answer.json) == {"contractAddress"}
    address: str = answer.json["contractAddress"]
    return address


def owned(relay: Relay, account_id: int = 10001, **query: Any) -> Any:
    return get(relay, CREATE, owner=owner(relay, account_id), **query).json


def held(relay: Relay, account: str = "alice", account_id: int = 10001, **query: Any) -> Any:
    return get(relay, "/api/v3/user/collection/details", key=account, accountId=account_id, **query).json


def mint_in(relay: Relay, row: Any, storage_id: int, **changed: Any) -> Answer:
    """Alice mints in a collection, with what its row says."""
    info = {"nftFactory": row["nftFactory"], "nftOwner": row["owner"], "nftBaseUri": row["baseUri"]}
    fields = {"tokenAddress": row["contractAddress"], "counterFactualNftInfo": info}
    return post(relay, MINT, mint_live(relay, storage_id, **fields | changed))


def test_a_scenarios_collections_are_listed_e42_s9(stocked: Relay) -> None:
    """All fields of the page; the contract is that of the owner with the base URI."""
    alice = owner(stocked).lower()
    cats, dogs = owned(stocked)["collections"]
    assert cats == {
        "collection": {
            "id": 1,
            "name": "Cats",
            "owner": alice,
            "contractAddress": contract(alice, ""),
            "nftFactory": FACTORY,
            "baseUri": "",
            "tileUri": "ipfs://t",
            "description": "All of them.",
            "avatar": "ipfs://a",
            "banner": "ipfs://b",
            "thumbnail": "ipfs://n",
            "collectionTitle": "The cats",
        },
        "count": 0,
        "isMintable": True,
    }
    assert dogs["collection"]["contractAddress"] == contract(alice, "ipfs://dogs/")
    assert (dogs["collection"]["baseUri"], dogs["collection"]["collectionTitle"]) == ("ipfs://dogs/", "Dogs")
    assert dogs["isMintable"] is False


@pytest.mark.parametrize(
    ("query", "total", "names"),
    [
        ({}, 2, ["Cats", "Dogs"]),
        ({"limit": 1}, 2, ["Cats"]),
        ({"offset": 1}, 2, ["Dogs"]),
        ({"offset": 2}, 2, []),
        ({"isMintable": "true"}, 1, ["Cats"]),
        ({"isMintable": "false"}, 1, ["Dogs"]),
        ({"tokenAddress": "dogs"}, 1, ["Dogs"]),
        ({"tokenAddress": "birds"}, 0, []),
    ],
)
def test_lists_are_filtered_and_then_counted_e42(
    stocked: Relay, query: dict[str, Any], total: int, names: list[str]
) -> None:
    """`tokenAddress` in any letter case."""
    contracts = {"dogs": contract(owner(stocked), "ipfs://dogs/"), "birds": contract(owner(stocked, BOB), "")}
    if "tokenAddress" in query:
        query = {"tokenAddress": "0x" + contracts[query["tokenAddress"]][2:].upper()}
    found = owned(stocked, **query)
    assert (found["totalNum"], [row["collection"]["name"] for row in found["collections"]]) == (total, names)
    if query.keys() <= {"limit", "offset"}:
        assert held(stocked, **query) == found


def test_an_address_without_an_account_has_no_collections_e42(stocked: Relay) -> None:
    assert ask(stocked, "get_collections").json == {"totalNum": 0, "collections": []}


def test_a_created_collection_is_listed_and_minted_in_e42_e36_e41(relay: Relay) -> None:
    """Its address is that of `computeTokenAddress` with its base URI, and that of a mint of it."""
    address = created(relay, description="d", avatar="a", banner="b", tileUri="t")
    (row,) = owned(relay)["collections"]
    shown = row["collection"]
    assert {name: shown[name] for name in ("id", "name", "owner", "description", "avatar", "banner", "tileUri")} == {
        "id": 1,
        "name": "Cats",
        "owner": owner(relay).lower(),
        "description": "d",
        "avatar": "a",
        "banner": "b",
        "tileUri": "t",
    }
    assert (row["count"], row["isMintable"], shown["contractAddress"]) == (0, True, address)
    assert address == contract(owner(relay), shown["baseUri"]) != contract(owner(relay), "")
    info = {"nftFactory": FACTORY, "nftOwner": owner(relay), "nftBaseUri": shown["baseUri"]}
    computed = get(relay, "/api/v3/nft/info/computeTokenAddress", **info).json["tokenAddress"]
    assert computed.lower() == address
    nft_data = mint_in(relay, shown, 1).json["nftData"]
    (nft,) = get(relay, "/api/v3/nft/info/nfts", key=None, nftDatas=nft_data).json
    assert (nft["tokenAddress"], nft["nftBaseUri"]) == (address, shown["baseUri"])
    assert [row["count"] for row in (*owned(relay)["collections"], *held(relay)["collections"])] == [1, 1]


def test_each_collection_has_a_contract_of_its_own_e42(relay: Relay) -> None:
    """The same call again is another collection; the same NFT in each of them is two."""
    assert created(relay) != created(relay)
    rows = [row["collection"] for row in owned(relay)["collections"]]
    assert [row["id"] for row in rows] == [1, 2]
    datas = [mint_in(relay, row, storage_id).json["nftData"] for row, storage_id in zip(rows, (1, 3), strict=True)]
    assert datas[0] != datas[1]
    post(relay, MINT, mint_live(relay, 5))
    balances = "/api/v3/user/nft/balances"
    for collection_id, expected in ((2, datas[1:]), (3, [])):
        found = get(relay, balances, accountId=10001, collectionId=collection_id).json
        assert (found["totalNum"], [one["nftData"] for one in found["data"]]) == (len(expected), expected)
    assert get(relay, balances, accountId=10001).json["totalNum"] == 3


def test_who_holds_an_nft_has_its_collection_among_theirs_e42(relay: Relay) -> None:
    """Bob, who was given one, has it with 1 in his list; he owns none."""
    created(relay)
    (row,) = owned(relay)["collections"]
    for number in (1, 3):
        mint_in(relay, row["collection"], number, nftId=f"0x{number}", toAccountId=BOB * (number == 1), toAddress=None)
    assert held(relay, "bob", BOB) == {"totalNum": 1, "collections": [{**row, "count": 1}]}
    assert owned(relay, BOB) == {"totalNum": 0, "collections": []}


@pytest.mark.parametrize(
    ("collection", "changed", "code", "word"),
    [
        (0, {"counterFactualNftInfo": {"nftBaseUri": "ipfs://dogs/"}}, 100001, "counterFactualNftInfo.nftBaseUri"),
        (1, {}, 108003, "tokenAddress"),
        (2, {}, 108003, "tokenAddress"),
    ],
    ids=["another base URI", "a closed one", "one of bob's"],
)
def test_a_mint_that_does_not_fit_its_collection_is_refused_e32(
    stocked: Relay, collection: int, changed: dict[str, Any], code: int, word: str
) -> None:
    row = [*owned(stocked)["collections"], *owned(stocked, BOB)["collections"]][collection]["collection"]
    info = {"nftFactory": FACTORY, "nftOwner": owner(stocked), "nftBaseUri": row["baseUri"]}
    info |= changed.get("counterFactualNftInfo", {})
    before = digest(stocked)
    answer = mint_in(stocked, row, 1, counterFactualNftInfo=info)
    assert (answer.refusal_code, word in answer.message) == (code, True)
    assert digest(stocked) == before


def test_a_collections_contract_is_deployed_and_its_nft_leaves_e42_e34(relay: Relay) -> None:
    created(relay)
    (row,) = owned(relay)["collections"]
    address = row["collection"]["contractAddress"]
    nft_data = mint_in(relay, row["collection"], 1).json["nftData"]
    deployment = bodies_of(relay).deployment(nft_data, address, 3)
    del deployment["nftData"]
    assert post(relay, "/api/v3/nft/deployTokenAddress", deployment, signature=EDDSA_SIGNATURE).code == 0
    advance(relay, "20s")
    (nft,) = get(relay, "/api/v3/user/nft/balances", accountId=10001).json["data"]
    assert (nft["tokenAddress"], nft["deploymentStatus"]) == (address, "DEPLOYED")


def test_collections_are_kept_with_the_world_e42(stocked: Relay) -> None:
    """Saved, digested, and taken back by a snapshot."""
    empty = digest(stocked)
    done(stocked, "POST", "snapshots", {"name": "before"})
    created(stocked)
    assert digest(stocked) != empty
    other = relay_from("live_v3", choices=PRESENCE)
    load_into(other, stocked.dump())
    assert owned(other) == owned(stocked)
    assert (owned(stocked)["totalNum"], digest(other)) == (3, digest(stocked))
    done(stocked, "POST", "snapshots/before/restore")
    assert (owned(stocked)["totalNum"], digest(stocked)) == (2, empty)


def test_metadata_is_shown_where_it_is_asked_for_e36(relay: Relay) -> None:
    """The hash of zeros is QmNLei…h51 in IPFS; digits of base 58 count 1 to 9, so that of seven ends with 58."""
    post(relay, MINT, mint_live(relay, 1, nftId="0x7"))
    (plain,) = get(relay, "/api/v3/user/nft/balances", accountId=10001).json["data"]
    (shown,) = get(relay, "/api/v3/user/nft/balances", accountId=10001, metadata="true").json["data"]
    assert shown == {
        **plain,
        "metadata": {
            "uri": "ipfs://QmNLei78zWmzUdbeRB3CiUfAizWUrbeeZh5K1rhAQKCh58",
            **{name: plain[name] for name in ("tokenAddress", "nftId", "nftType")},
        },
    }


def test_a_collection_that_is_not_signed_rightly_is_refused_e42() -> None:
    """By the caller's own signature of the whole call."""
    relay = relay_from("live_v3")
    before = digest(relay)
    for signature, code in ((None, 104004), (EDDSA_SIGNATURE, 104005)):
        assert post(relay, CREATE, collection(relay), signature=signature).refusal_code == code
    assert digest(relay) == before
    request = {"account": "alice", "endpoint": "create_collection", "body": collection(relay), "url": base_url(relay)}
    signed = done(relay, "POST", "sign", request)
    answer = post(relay, CREATE, signed["body"] or collection(relay), signature=signed["headers"]["X-API-SIG"])
    assert answer.status == 200, answer


@pytest.mark.parametrize(
    ("line", "place", "words"),
    [
        ("collections: [{name: Cats, owner: alise}]", (3, 35), "meant 'alice'"),
        ("collections: [{name: A, owner: bob}, {name: B, owner: bob}]", (3, 55), "a second collection of bob"),
        ("collections: [{name: A, owner: bob, id: 7}]", (3, 37), "'id'"),
        ("collections: [{name: A, owner: bob, isMintable: maybe}]", (3, 49), "maybe"),
        ("collections: [{owner: bob}]", (3, 15), "no 'name'"),
    ],
)
def test_a_wrong_one_in_a_scenario_is_refused_at_its_place_s9(line: str, place: tuple[int, int], words: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        load_text(f"format: 1\nextends: live_v3\n{line}\n")
    assert (refused.value.line, refused.value.column) == place
    assert words in str(refused.value)


def test_names_and_owners_may_be_addresses_s9() -> None:
    """As accounts may be elsewhere in a scenario."""
    alice = load_text("format: 1\nextends: live_v3\n").accounts[0].owner
    text = f'format: 1\nextends: live_v3\nnames: {{a.eth: "{alice}"}}\ncollections: [{{name: A, owner: "{alice}"}}]\n'
    scenario = load_text(text)
    assert scenario.config.ens_names["a.eth"] == scenario.collections[0].account_id == 10001
