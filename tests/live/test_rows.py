"""What holds for each row that the profile adds: no key, its own limit, faults, the journal, and no share of the spec."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from click.testing import CliRunner

from mockrelay.cli import main
from mockrelay.core.requests.counterfactual import token_address
from mockrelay.relay import Relay
from mockrelay.report.coverage_views import coverage_view, parse_coverage
from mockrelay.scenario import ScenarioError, load_text
from mockrelay.spec.endpoint import KeyHeader, SignatureHeader
from mockrelay.spec.endpoints import BY_ID
from mockrelay.spec.key_header import KEY_ASKED_UNDER
from mockrelay.spec.live_endpoints import LIVE_ENDPOINTS as ALL_ROWS
from mockrelay.spec.profiles import PROFILES
from tests.support.answer import Answer
from tests.support.bodies import E18, ECDSA_SIGNATURE, EDDSA_SIGNATURE, bodies_of
from tests.support.client import account, base_url, control, digest, done, post, send
from tests.support.worlds import relay_from

LRC_ETH = ("market", "LRC-ETH")
F25 = {
    "get_offchain_fee_v2": "get_offchain_fee",
    "get_order_fee_v2": "get_order_fee",
    "get_order_rate_amount_v2": "get_order_rate_amount",
    "get_update_info_v2": "get_update_info",
    "get_create_info_v2": "get_create_info",
    "get_mix_markets_v2": "get_mix_markets",
    "get_mix_depth_v2": "get_mix_depth",
    "get_mix_ticker_v2": "get_mix_ticker",
    "get_mix_candlestick_v2": "get_mix_candlestick",
    "get_amm_pools_v2": "get_amm_pools",
}
"""The reads on paths of the second generation that answer what one of the third does."""
LRC = "0xbbbbca6a901c926f240b89eacb641d8aec7aeafd"
NOBODY = ("owner", "0x" + "0" * 39 + "1")
NFT_DATA = "0x" + "1" * 64
FACTORY = "0xc852aC7aAe4b0f0a0Deb9e8A391ebA2047d80026"
RIGHT: dict[str, list[tuple[str, str]]] = {
    "get_account_v3": [("accountId", "10001")],
    "get_depth_v3": [LRC_ETH],
    "get_nft_fee_live": [("requestType", "9")],
    "get_block_live": [("id", "0")],
    "get_nfts": [("nftDatas", NFT_DATA)],
    "get_nft_data_live": [("minter", "10001"), ("tokenAddress", LRC), ("nftId", "0x1")],
    "get_nft_holders": [("nftData", NFT_DATA)],
    "get_trades_v3": [LRC_ETH],
    "get_trades_v2": [LRC_ETH],
    "get_mix_depth": [LRC_ETH],
    "get_ticker_v3": [LRC_ETH],
    "get_mix_ticker": [LRC_ETH],
    "get_candlestick_v3": [LRC_ETH, ("interval", "1min")],
    "get_mix_candlestick": [LRC_ETH, ("interval", "1min")],
    "get_prices_v3": [("legal", "USD")],
    "get_prices_v2": [("legal", "USD")],
    "get_eth_nonce_v3": [NOBODY],
    "get_eth_nonce_v2": [NOBODY],
    "get_eth_balance_v3": [NOBODY],
    "get_token_balances_v3": [NOBODY, ("token", LRC)],
    "get_allowances_v3": [NOBODY, ("token", LRC)],
    "resolve_ens": [("fullName", "alice.eth")],
    "get_wallet_type": [("wallet", LRC)],
    "get_mix_depth_v2": [LRC_ETH],
    "get_mix_ticker_v2": [LRC_ETH],
    "get_mix_candlestick_v2": [LRC_ETH, ("interval", "1min")],
    "compute_token_address_live": [("nftFactory", FACTORY), ("nftOwner", LRC), ("nftBaseUri", "ipfs://cats/")],
    "get_counterfactual_info": [("accountId", "10001")],
}
"""The queries of right calls, where one is due."""
HASH = ("orderHash", "0x" + "1" * 64)
OF_ORDERS: dict[str, list[tuple[str, str]]] = {
    "get_order_v3": [HASH],
    "get_order_v2": [HASH],
    "get_orders_v3": [],
    "get_orders_live": [],
    "cancel_order_v3": [],
    "cancel_orders_v2": [],
    "cancel_orders_v3_by_hash": [HASH],
    "cancel_orders_v2_by_hash": [HASH],
    "cancel_orders_v3_by_client_id": [("clientOrderId", "a,b")],
    "cancel_orders_v2_by_client_id": [("clientOrderId", "a,b")],
    "get_user_trades_v3": [],
    "get_user_trades_v2": [],
    **{f"get_{kind}_{form}": [] for kind in ("transfers", "withdrawals", "deposits") for form in ("v3", "v2")},
    "get_nft_balances": [],
    **{f"get_nft_{kind}": [] for kind in ("mints", "transfers", "withdrawals", "deposits")},
    "get_collections": [NOBODY],
    "get_collection_details": [],
    **{f"get_{kind}_info{form}": [] for kind in ("create", "update") for form in ("", "_v2")},
    "get_transactions_v3": [],
}
"""The same beside the account's id, of calls about its orders and trades."""
CODES = {
    **dict.fromkeys(("get_order_v3", "get_order_v2"), 107003),
    **dict.fromkeys(("cancel_order_v3", "cancel_orders_v2"), 102117),
    **dict.fromkeys(("get_nft_data_live", "get_nft_holders"), 100001),
    **dict.fromkeys(("transfer_nft_live", "withdraw_nft_live", "withdraw_nft_real"), 100001),
}
"""What right calls are answered where the world has nothing that they ask for."""
KEYED_NAMES = (
    *("get_api_key_v3", "post_api_key_v3", "get_storage_id", "get_balances_v3"),
    *("get_api_key_v2", "post_api_key_v2", "get_balances_v2"),
    *("get_offchain_fee", "get_order_rate_amount", "get_nft_order_rate_amount", "get_fee_rates_v2"),
    *("get_storage_id_v2", "get_offchain_fee_v2", "get_order_rate_amount_v2"),
)
"""The calls of an account."""
ID = [("accountId", "10001")]
KEY = [
    ("publicKeyX", "576415431830345844830719578977141671376728164894568161443131107195651651163"),
    ("publicKeyY", "10615107748616253163211123387452628369411329281659370044901475960219802010272"),
]
"""Alice's public key, in decimal digits."""
BESIDE = [
    *KEY,
    ("sellTokenId", "1"),
    ("tokenSId", "1"),
    ("requestType", "3"),
    LRC_ETH,
    ("markets", "LRC-ETH"),
    ("nftTokenAddress", LRC),
]
"""What one or the other of them requires beside the account; what a call does not have is passed over."""
REFUSED: list[tuple[str, list[tuple[str, str]], int]] = [
    ("get_account_v3", [], 100001),
    ("get_account_v3", [NOBODY], 101002),
    ("get_account_v3", [("accountId", "7")], 101002),
    ("get_account_v3", [("accountId", "10001"), ("owner", "0x6c34d0617dc405740cb6d9cd3c27d7430d031d8b")], 100001),
    ("get_depth_v3", [("market", "LRC-X")], 108000),
    ("get_ticker_v3", [("market", "LRC-ETH,LRC-X")], 108000),
    ("get_candlestick_v3", [("market", "LRC-X"), ("interval", "1min")], 108000),
    ("get_candlestick_v3", [LRC_ETH, ("interval", "1m")], 100001),
    ("get_prices_v3", [("legal", "XAU")], 100001),
    ("get_token_balances_v3", [NOBODY, ("token", "LRC")], 100001),
    ("resolve_ens", [("fullName", "bob.eth")], 100001),
    ("get_counterfactual_info", [("accountId", "7")], 101002),
    *((name, [("accountId", "7"), *BESIDE], 101002) for name in KEYED_NAMES),
    *((name, [("accountId", "10002"), *BESIDE], 104003) for name in KEYED_NAMES if "get_api" not in name),
    *(
        (f"{method}_api_key_v2", query, 100001)
        for method in ("get", "post")
        for query in (
            ID,
            [*ID, KEY[0]],
            [*ID, KEY[1]],
            [*ID, KEY[0], ("publicKeyY", "7")],
            [*ID, ("publicKeyX", "x"), KEY[1]],
        )
    ),
    ("get_offchain_fee", [*ID], 100001),
    ("get_offchain_fee", [*ID, ("requestType", "9")], 100001),
    ("get_order_rate_amount", [*ID], 100001),
    ("get_order_rate_amount", [*ID, ("market", "LRC-X")], 100001),
    ("get_nft_order_rate_amount", [*ID, ("nftTokenAddress", "0x12")], 100001),
    ("get_nft_order_rate_amount", [*ID, ("nftTokenAddress", LRC), ("feeTokenSymbol", "X")], 100001),
    ("get_fee_rates_v2", [*ID, ("markets", "LRC-ETH,LRC-X")], 100001),
    ("get_orders_v3", [*ID, ("market", "LRC-X")], 100001),
    ("get_block_live", [("id", "7")], 103011),
    ("get_storage_id", [("accountId", "10001"), ("sellTokenId", "9")], 102002),
    ("get_storage_id_v2", [*ID, ("tokenSId", "9")], 102002),
    ("get_storage_id_v2", [*ID, ("sellTokenId", "1")], 100001),
    ("get_offchain_fee_v2", [*ID, ("requestType", "9")], 100001),
    ("get_order_fee_v2", [*ID, ("market", "LRC-X"), ("tokenB", "0"), ("amountB", "1")], 100000),
    ("get_mix_depth_v2", [("market", "LRC-X")], 108000),
    ("get_mix_ticker_v2", [("market", "LRC-ETH,LRC-X")], 108000),
    ("get_mix_candlestick_v2", [LRC_ETH, ("interval", "1m")], 100001),
    ("get_create_info_v2", [], 107001),
    ("get_balances_v3", [("accountId", "10001"), ("tokens", "LRC")], 100001),
]
OF_AN_NFT = ("transfer_nft", "withdraw_nft")
"""Calls about an NFT that there must be before they are judged."""
NEW_EACH_TIME = ("get_ws_key_v3", "get_ws_key_v2")
"""Calls without a key that are answered differently each time."""
LIVE_ENDPOINTS = [row for row in ALL_ROWS if not row.upgrades]
"""Those that are asked and answered; WebSockets have tests of their own (test_sockets)."""
ROWS = pytest.mark.parametrize("row", LIVE_ENDPOINTS, ids=lambda row: f"{row.id} {row.section}")
KEYED: dict[str, list[tuple[str, str]]] = dict.fromkeys(KEYED_NAMES, ID) | {
    **{name: [*ID, *KEY] for name in ("get_api_key_v2", "post_api_key_v2")},
    "get_storage_id": [*ID, ("sellTokenId", "1")],
    "get_storage_id_v2": [*ID, ("tokenSId", "1")],
    "get_offchain_fee": [*ID, ("requestType", "3"), ("tokenSymbol", "LRC"), ("amount", "1")],
    "get_offchain_fee_v2": [*ID, ("requestType", "3")],
    "get_order_rate_amount": [*ID, LRC_ETH],
    "get_order_rate_amount_v2": [*ID, LRC_ETH],
    "get_order_fee_v2": [*ID, LRC_ETH, ("tokenB", "0"), ("amountB", "1000000000000000")],
    "get_nft_order_rate_amount": [*ID, ("nftTokenAddress", LRC), ("feeTokenSymbol", "LRC")],
    "get_fee_rates_v2": [*ID, ("markets", "LRC-ETH,LRC-USDT")],
}
KEYED |= {name: [*ID, *query] for name, query in OF_ORDERS.items()}
PUBLIC = pytest.mark.parametrize(
    "row", [row for row in LIVE_ENDPOINTS if row.public and row.name not in NEW_EACH_TIME], ids=lambda row: row.id
)
SIGNATURES = {SignatureHeader.EDDSA: EDDSA_SIGNATURE, SignatureHeader.ECDSA: ECDSA_SIGNATURE}
"""Signatures in form, by what the header carries."""
PRESENCE = {"signature.scheme": "presence"}


def body_of(relay: Relay, row_id: str, number: int) -> dict[str, Any] | None:
    """The body of the right call number N, where it has one: each is another submission."""
    bodies = bodies_of(relay)
    if row_id == "submit_order_gen3":
        return order_v3(relay, number)
    if row_id == "submit_order_v2":
        return bodies.order(number)
    if row_id == "submit_orders_v2":
        return {"orders": [bodies.order(number)]}
    if row_id == "submit_transfer_v3":
        return transfer_v3(relay, number)
    if row_id in ("submit_withdrawal_live", "submit_withdrawal_v2"):
        return bodies.withdrawal(number)
    if row_id == "mint_nft_live":
        return mint_live(relay, number)
    if row_id in ("transfer_nft_live", "withdraw_nft_live"):
        return nft_move(relay, {"nftData": NFT_DATA, "amount": "1"}, number)
    if row_id == "withdraw_nft_real":
        return nft_withdrawal(relay, {"nftData": NFT_DATA, "amount": "1"}, number)
    if row_id == "create_collection":
        return collection(relay)
    if row_id in ("update_account_live", "update_account_v2"):
        alice = relay.world.accounts[10001]
        return bodies.update(0, alice.public_key_x, alice.public_key_y)
    return None


def collection(relay: Relay, **changed: Any) -> dict[str, Any]:
    """A collection of alice's."""
    return {"name": "Cats", "owner": relay.world.accounts[10001].owner, "nftFactory": FACTORY, **changed}


def mint_live(relay: Relay, storage_id: int, **changed: Any) -> dict[str, Any]:
    """Alice mints 5 of an NFT of her contract, with a royalty of 5 %."""
    alice, nft = relay.world.accounts[10001].owner, relay.world.config.exchange
    factory = {"nftFactory": nft.nft_factory, "nftOwner": alice}
    contract = token_address(nft.nft_factory.lower(), nft.nft_implementation.lower(), alice.lower())
    return {
        "exchange": nft.exchange_address,
        "minterId": 10001,
        "minterAddress": alice,
        "toAccountId": 10001,
        "toAddress": alice,
        "nftType": 0,
        "tokenAddress": contract,
        "nftId": "0x7",
        "amount": "5",
        "validUntil": relay.now_ms() // 1000 + 60 * 86_400,
        "royaltyPercentage": 5,
        "storageId": storage_id,
        "maxFee": {"tokenId": 1, "amount": str(E18 // 20)},
        "forceToMint": False,
        "counterFactualNftInfo": {**factory, "nftBaseUri": ""},
        **changed,
    }


def nft_move(relay: Relay, token: dict[str, Any], storage_id: int, **changed: Any) -> dict[str, Any]:
    """Alice sends an NFT to bob's address."""
    owners = {one["accountId"]: one["owner"] for one in relay.accounts()}
    return {
        "exchange": relay.world.config.exchange.exchange_address,
        "fromAccountId": 10001,
        "fromAddress": owners[10001],
        "toAccountId": 0,
        "toAddress": owners[10002],
        "token": token,
        "maxFee": {"tokenId": 1, "amount": str(E18 // 20)},
        "storageId": storage_id,
        "validUntil": relay.now_ms() // 1000 + 60 * 86_400,
        **changed,
    }


def nft_withdrawal(relay: Relay, token: dict[str, Any], storage_id: int, **changed: Any) -> dict[str, Any]:
    """Alice takes an NFT to her own address on layer 1."""
    owner = relay.world.accounts[10001].owner
    return {
        "exchange": relay.world.config.exchange.exchange_address,
        "accountId": 10001,
        "owner": owner,
        "token": token,
        "maxFee": {"tokenId": 1, "amount": str(E18 // 10)},
        "storageId": storage_id,
        "validUntil": relay.now_ms() // 1000 + 60 * 86_400,
        "minGas": 0,
        "to": owner,
        "extraData": "",
        **changed,
    }


def transfer_v3(relay: Relay, storage_id: int, **changed: Any) -> dict[str, Any]:
    """A transfer of the third generation: alice sends bob 1 LRC."""
    owners = {one["accountId"]: one["owner"] for one in relay.accounts()}
    return {
        "exchange": relay.world.config.exchange.exchange_address,
        "payerId": 10001,
        "payerAddr": owners[10001],
        "payeeId": 0,
        "payeeAddr": owners[10002],
        "token": {"tokenId": 1, "volume": str(E18)},
        "maxFee": {"tokenId": 1, "volume": str(E18 // 20)},
        "storageId": storage_id,
        "validUntil": relay.now_ms() // 1000 + 60 * 86_400,
        **changed,
    }


def order_v3(relay: Relay, storage_id: int, **changed: Any) -> dict[str, Any]:
    """An order of the third generation: alice sells 100 LRC for 0.05 ETH."""
    return {
        "exchange": relay.world.config.exchange.exchange_address,
        "accountId": 10001,
        "storageId": storage_id,
        "sellToken": {"tokenId": 1, "volume": str(100 * E18)},
        "buyToken": {"tokenId": 0, "volume": str(E18 // 20)},
        "validUntil": relay.now_ms() // 1000 + 60 * 86_400,
        "maxFeeBips": 63,
        "fillAmountBOrS": False,
        "eddsaSignature": EDDSA_SIGNATURE,
        **changed,
    }


def ask(relay: Relay, row_id: str, query: list[tuple[str, str]] | None = None, key: str | None = None) -> Answer:
    """A call, with the key and the signature that it needs."""
    row = BY_ID[row_id]
    pairs = (RIGHT | KEYED).get(row_id, []) if query is None else query
    if row.key is KeyHeader.REQUIRED and key is None:
        key = next(account["apiKey"] for account in relay.accounts() if account["name"] == "alice")
    signature = None if row.signature is None else SIGNATURES[row.signature]
    fields = None if query is not None else body_of(relay, row_id, len(relay.journal))
    body = b"" if fields is None else json.dumps(fields).encode()
    return send(relay, row.method, row.path, query=pairs, body=body, key=key, signature=signature)


@PUBLIC
def test_it_is_answered_with_any_key_and_with_none(row: Any) -> None:
    relay = relay_from("live_v3")
    answers = [ask(relay, row.id, key=key) for key in (None, "alice", "no key of anybody")]
    assert [answer.status for answer in answers] == [400 if row.id in CODES else 200] * 3
    assert len({answer.body for answer in answers}) == (3 if row.name in NEW_EACH_TIME else 1)
    assert ("resultInfo" in answers[0].body.decode()) == (row.enveloped or row.id in CODES)
    assert [entry["endpoint"] for entry in done(relay, "GET", "requests")["requests"]] == [row.name] * 3
    assert done(relay, "GET", "findings") == []


@ROWS
def test_its_limit_is_5_a_second_or_3_for_the_second_generation_c18(row: Any) -> None:
    relay = relay_from("live_v3", choices=PRESENCE, limits="spec")
    often = {"submit_order": 3, "get_orders": 5}.get(row.name) or {"E": 5, "F": 3}[row.section[0]]
    answers = [ask(relay, row.id) for _ in range(often + 1)]
    usual = 200 if row.id not in CODES or row.enveloped else 400
    assert [answer.status for answer in answers] == [usual] * often + [200 if row.enveloped else 429]
    assert answers[-1].refusal_code == 100000
    assert dict(answers[-1].headers)["retry-after"] == "1"


@pytest.mark.parametrize("status", ["429", "200"])
def test_a_call_too_many_has_the_status_of_its_generation_2(status: str) -> None:
    """The second generation's own calls always answer 200; for all others, the specification's too, a choice decides."""
    relay = relay_from("live_v3", choices={"rate.status": status}, limits="spec")
    paths = ("/api/v2/timestamp", "/v2/ws/key", "/api/v3/timestamp", "/api/v2/exchange/tokens")
    last = [[send(relay, "GET", path, key=None) for _ in range(6)][-1] for path in paths]
    assert [answer.refusal_code for answer in last] == [100000] * 4
    assert [answer.status for answer in last] == [200, 200, int(status), int(status)]


@ROWS
def test_a_fault_answers_in_its_place(row: Any) -> None:
    relay = relay_from("live_v3", choices=PRESENCE)
    done(relay, "POST", "faults", {"on": row.name, "code": 100000})
    assert ask(relay, row.id).code == 100000
    assert ask(relay, row.id).code == CODES.get(row.id, 0)


@pytest.mark.parametrize(
    ("name", "query", "code"), REFUSED, ids=lambda value: value if isinstance(value, str) else None
)
def test_a_refusal_has_its_code(name: str, query: list[tuple[str, str]], code: int) -> None:
    answer = ask(relay_from("live_v3", choices=PRESENCE), name, query)
    assert answer.refusal_code == code
    assert answer.status == (200 if name == "resolve_ens" or name.endswith("_v2") else 400)


@pytest.mark.parametrize("name", F25)
def test_a_read_on_a_path_of_the_second_generation_answers_what_the_third_does_f25(name: str, tmp_path: Path) -> None:
    """In an envelope, in a world with an order, a pool and an account update."""
    scenario = tmp_path / "pool.yaml"
    scenario.write_text("format: 1\nextends: live_v3\npools: [{market: LRC-ETH, lpToken: DAI}]\n", encoding="utf-8")
    relay = relay_from(scenario, choices=PRESENCE)
    ask(relay, "submit_order_gen3")
    ask(relay, "update_account_live")
    query = (RIGHT | KEYED).get(name, [])
    bare = ask(relay, F25[name], query).json
    assert ask(relay, name, query).json == {"resultInfo": {"code": 0, "message": "SUCCESS"}, "data": bare}
    assert bare not in ({}, [], {"pools": []}, {"totalNum": 0, "transactions": []}) or name == "get_create_info_v2"


def test_storage_ids_are_those_of_both_generations_f25() -> None:
    """By `tokenSId`: after an order with the id 4 and a withdrawal with 7 of the same token."""
    relay = relay_from("live_v3", choices=PRESENCE)
    assert send_body(relay, "submit_order_gen3", order_v3(relay, 4)).status == 200
    assert send_body(relay, "submit_withdrawal_v2", bodies_of(relay).withdrawal(7)).code == 0
    assert ask(relay, "get_storage_id_v2").data == {"orderId": 6, "offchainId": 9}
    assert ask(relay, "get_storage_id").json == {"orderId": 6, "offchainId": 9}


def send_body(relay: Relay, row_id: str, body: dict[str, Any]) -> Answer:
    """A call of alice's with a body, with a signature where one is due."""
    row = BY_ID[row_id]
    return post(relay, row.path, body, signature=None if row.signature is None else SIGNATURES[row.signature])


@pytest.mark.parametrize("path", ["account", "user/withdrawals"])
def test_a_submission_on_a_path_of_the_second_generation_is_that_of_the_third_f25(path: str) -> None:
    """Verified by its signatures; the same one on the path of the third is a repetition. A refusal has status 200."""
    relay = relay_from("live_v3")
    alice = relay.world.accounts[10001]
    bodies = bodies_of(relay)
    update = bodies.update(0, alice.public_key_x, alice.public_key_y, maxFee={"tokenId": 1, "volume": str(E18)})
    body = update if path == "account" else bodies.withdrawal(1)
    name = "update_account_v2" if path == "account" else "submit_withdrawal_v2"
    signed = done(relay, "POST", "sign", {"account": "alice", "endpoint": name, "body": body})
    header = signed["headers"]["X-API-SIG"]
    wrong = {**signed["body"], "validUntil": signed["body"]["validUntil"] + 1}
    before = digest(relay)
    refusal = post(relay, f"/api/v2/{path}", wrong, signature=header)
    assert (refusal.status, refusal.json["resultInfo"]["code"], digest(relay)) == (200, 104005, before)
    answer = post(relay, f"/api/v2/{path}", signed["body"], signature=header)
    assert (answer.code, answer.data["status"], answer.data["isIdempotent"]) == (0, "processing", False)
    again = post(relay, f"/api/v3/{path}", signed["body"], signature=header).json
    assert (again["hash"], again["isIdempotent"]) == (answer.data["hash"], True)


HISTORIES = (
    *(f"get_{kind}_{form}" for kind in ("orders", "transfers", "withdrawals", "deposits") for form in ("v3", "v2")),
    *(f"get_nft_{kind}" for kind in ("mints", "transfers", "withdrawals", "deposits")),
    *("get_create_info", "get_update_info", "get_transactions_v3", "get_user_trades_v3", "get_user_trades_v2"),
)
REQUIRED: dict[str, str] = {
    **dict.fromkeys(("get_api_key_v3", "post_api_key_v3", "get_balances_v3", "get_balances_v2"), "accountId"),
    **dict.fromkeys(("cancel_order_v3", "cancel_orders_v2", "get_nft_balances"), "accountId"),
    **dict.fromkeys(("get_collection_details", "get_counterfactual_info"), "accountId"),
    **dict.fromkeys(("get_api_key_v2", "post_api_key_v2"), "accountId publicKeyX publicKeyY"),
    "get_storage_id": "accountId sellTokenId",
    **dict.fromkeys(("get_depth_v3", "get_mix_depth", "get_ticker_v3", "get_mix_ticker"), "market"),
    **dict.fromkeys(("get_trades_v3", "get_trades_v2"), "market"),
    **dict.fromkeys(("get_candlestick_v3", "get_mix_candlestick"), "market interval"),
    **dict.fromkeys(("get_prices_v3", "get_prices_v2"), "legal"),
    "get_offchain_fee": "accountId requestType",
    "get_nft_fee_live": "requestType",
    "get_order_rate_amount": "accountId market",
    "get_nft_order_rate_amount": "accountId nftTokenAddress",
    "get_fee_rates_v2": "accountId markets",
    "get_order_v3": "orderHash",
    "get_order_v2": "accountId orderHash",
    **{name.replace("orders_v2", "orders_live"): "accountId" for name in HISTORIES},
    **dict.fromkeys(("cancel_orders_v3_by_hash", "cancel_orders_v2_by_hash"), "accountId orderHash"),
    **dict.fromkeys(("cancel_orders_v3_by_client_id", "cancel_orders_v2_by_client_id"), "accountId clientOrderId"),
    "get_nfts": "nftDatas",
    "get_nft_data_live": "minter tokenAddress nftId",
    "get_nft_holders": "nftData",
    "compute_token_address_live": "nftFactory nftOwner",
    **dict.fromkeys(("get_collections", "get_eth_balance_v3", "get_eth_nonce_v3", "get_eth_nonce_v2"), "owner"),
    **dict.fromkeys(("get_token_balances_v3", "get_allowances_v3"), "owner token"),
    "resolve_ens": "fullName",
    "get_wallet_type": "wallet",
    "get_storage_id_v2": "accountId tokenSId",
    "get_order_fee_v2": "accountId market tokenB amountB",
}
REQUIRED |= {name: REQUIRED[like] for name, like in F25.items() if like in REQUIRED}
"""What parts 5 and 6 require (Y) of the query of a row. Bodies have tables of their own (`forms`)."""
LEFT_OUT_CODES = {
    **{(name.replace("orders_v2", "orders_live"), "accountId"): 107001 for name in HISTORIES},
    **dict.fromkeys((("get_update_info_v2", "accountId"), ("get_create_info_v2", "accountId")), 107001),
    **dict.fromkeys((("get_order_v3", "orderHash"), ("get_order_v2", "orderHash")), 107002),
    **{("get_order_fee_v2", name): 100000 for name in REQUIRED["get_order_fee_v2"].split()},
}
"""The codes where one of them is left out, if not 100001 (part 9; that of fees as in the specification)."""


@pytest.mark.parametrize(
    ("name", "field"), [(name, field) for name, fields in REQUIRED.items() for field in fields.split()]
)
@pytest.mark.parametrize("empty", [False, True])
def test_what_is_required_is_refused_where_it_is_left_out_5_6(name: str, field: str, empty: bool) -> None:
    """An empty one is as none (L3). All else of the query is right."""
    query = (RIGHT | KEYED).get(name) or [*ID]
    left = [(each, "" if each == field and empty else value) for each, value in query if each != field or empty]
    assert len(left) == len(query) - (not empty)
    code = LEFT_OUT_CODES.get((name, field), 100001)
    assert ask(relay_from("live_v3", choices=PRESENCE), name, left).refusal_code == code


def test_each_query_has_its_required_fields_in_the_table_or_none_5_6() -> None:
    """All rows without a body but those that require nothing."""
    nothing = {
        *("get_timestamp_v3", "get_tokens_v3", "get_markets_v3", "get_mix_markets", "get_exchange_info_v3"),
        *("get_amm_pools", "get_account_v3", "get_block_live", "get_gas_price_v3", "get_ws_key_v3", "get_ws_key_v2"),
        *("get_timestamp_v2", "get_markets_v2", "get_dex_nonce", "get_mix_markets_v2", "get_amm_pools_v2"),
    }
    asked = {row.id for row in LIVE_ENDPOINTS if row.method != "POST"} | {"post_api_key_v3", "post_api_key_v2"}
    assert asked - REQUIRED.keys() == nothing


def test_calls_beside_the_spec_count_for_nothing_of_it() -> None:
    relay = relay_from("live_v3", choices=PRESENCE)
    shared = ("options", "transitions")  # of choices and state machines that the calls of all profiles meet
    before = done(relay, "GET", "coverage")
    for row in LIVE_ENDPOINTS:
        ask(relay, row.id)
    after = done(relay, "GET", "coverage")
    assert {kind: one["met"] for kind, one in after["kinds"].items() if kind not in shared} == {
        kind: one["met"] for kind, one in before["kinds"].items() if kind not in shared
    }
    assert after["outside"] == before["outside"]


def test_coverage_has_a_sum_of_its_own_for_the_profile() -> None:
    """Without such a call there is none. Of the rows, E1 was called with success and E7 with 101002; it merges and reads back."""
    relay = relay_from("live_v3", choices=PRESENCE)
    assert "profiles" not in done(relay, "GET", "coverage")
    ask(relay, "get_timestamp_v3")
    ask(relay, "get_account_v3", [("accountId", "7")])
    view = done(relay, "GET", "coverage")
    live = view["profiles"]["live"]
    assert live["rows"]["met"] == ["get_timestamp_v3", "get_account_v3"]
    assert live["codes"]["met"] == ["get_timestamp_v3 0", "get_account_v3 101002"]
    assert live["rows"]["of"] == len(ALL_ROWS) == len(live["rows"]["missing"]) + 2
    assert view["total"] == done(relay_from("live_v3", choices=PRESENCE), "GET", "coverage")["total"] | {
        "met": view["total"]["met"],
        "share": view["total"]["share"],
    }
    again = coverage_view(parse_coverage(json.dumps(view)))
    assert again == view
    text = control(relay, "GET", "coverage", format="text").body.decode()
    assert f"beside the spec, profile live: 2 of {len(ALL_ROWS)} calls" in text


def test_coverage_has_a_suite_of_its_own_for_the_profile_in_junit() -> None:
    """The suite of the spec has the cases that it has without such a call."""
    relay = relay_from("live_v3", choices=PRESENCE)
    (before,) = ET.fromstring(control(relay, "GET", "coverage", format="junit").body)
    ask(relay, "get_timestamp_v3")
    ask(relay, "get_account_v3", [("accountId", "7")])
    spec, live = ET.fromstring(control(relay, "GET", "coverage", format="junit").body)
    assert sorted(case.attrib["name"] for case in spec) == sorted(case.attrib["name"] for case in before)
    assert live.get("name") == "mockrelay coverage: profile live"
    rows = [case for case in live if case.get("classname") == "mockrelay.coverage.profile.live.rows"]
    codes = [case for case in live if case.get("classname") == "mockrelay.coverage.profile.live.codes"]
    assert sorted(case.get("name", "") for case in rows) == sorted(row.id for row in ALL_ROWS)
    met = ["get_timestamp_v3", "get_account_v3"]
    assert [case.get("name") for case in rows if case.find("skipped") is None] == met
    assert [case.get("name") for case in codes if case.find("skipped") is None] == [f"{met[0]} 0", f"{met[1]} 101002"]
    assert int(live.get("tests", "")) == len(rows) + len(codes)
    assert int(live.get("skipped", "")) == len(rows) + len(codes) - 4


KEYLESS = {
    *(f"GET /api/v3/{path}" for path in ("timestamp", "exchange/info", "exchange/tokens", "exchange/markets")),
    *(f"GET /api/v3/mix/{path}" for path in ("markets", "depth", "ticker", "candlestick")),
    *(f"GET /api/v3/{path}" for path in ("amm/pools", "account", "apiKey", "depth", "ticker", "candlestick", "trade")),
    *(f"GET /api/v3/{path}" for path in ("price", "nft/info/nfts", "nft/info/nftData", "getAvailableBroker")),
    *(f"GET /api/v3/{path}" for path in ("counterFactualInfo", "nft/info/nftHolders", "user/nft/offchainFee")),
    *(
        f"GET /api/v3/eth/{path}"
        for path in ("balances", "tokenBalances", "allowances", "nonce", "recommendedGasPrice")
    ),
    *("POST /api/v3/account", "POST /api/v3/delegator/getCode", "GET /v3/ws/key", "GET /v2/ws/key"),
    *("GET /v3/ws", "GET /v2/ws", "GET /api/wallet/v3/resolveEns", "GET /api/wallet/v3/wallet/type"),
    *(f"GET /api/v2/{path}" for path in ("exchange/tokens", "exchange/info", "tokenBalances", "allowances")),
    *(f"GET /api/v2/{path}" for path in ("ethBalances", "recommendedGasPrice", "account", "depth", "candlestick")),
    *(f"GET /api/v2/{path}" for path in ("ticker", "exchange/markets", "timestamp", "price", "trade", "ethNonce")),
    *(f"GET /api/v2/{path}" for path in ("mix/markets", "mix/depth", "mix/ticker", "mix/candlestick", "amm/pools")),
    *(
        "GET /api/v2/dexNonce",
        "POST /api/v2/account",
        "GET /api/v2/apiKey",
        "POST /api/v2/sendEthTx",
        "POST /api/v2/timestamp",
    ),
}
"""Calls that take no key (3.1, E19, E39; F25)."""


def test_all_calls_but_these_ask_for_a_key_3_1() -> None:
    relay = relay_from("live_v3")
    choices, rows = relay.world.choices, [*PROFILES["live"].routes.values(), *sum(PROFILES["live"].forms.values(), ())]
    asked = {row.id: KEY_ASKED_UNDER.get(row.id, ("", ())) for row in rows}
    without = {
        f"{row.method} {row.path}"
        for row in rows
        if (under := asked[row.id]) is not None and choices.get(under[0]) not in under[1]
    }
    assert without == KEYLESS


@pytest.mark.parametrize("name", [row.id for row in LIVE_ENDPOINTS if row.key is KeyHeader.REQUIRED])
@pytest.mark.parametrize(("key", "code"), [("", 104001), ("no key of anybody", 104002)])
def test_a_call_of_an_account_needs_its_key(name: str, key: str, code: int) -> None:
    assert ask(relay_from("live_v3", choices=PRESENCE), name, key=key).refusal_code == code


SIGNED_ROWS = [row.id for row in LIVE_ENDPOINTS if row.signature is not None and row.name not in OF_AN_NFT]


@pytest.mark.parametrize("name", SIGNED_ROWS)
def test_a_call_that_is_signed_needs_a_right_signature_and_changes_nothing_without(name: str) -> None:
    """The signature is well-formed, and of nobody."""
    relay = relay_from("live_v3")
    before = digest(relay)
    assert ask(relay, name).refusal_code == 104005
    row = BY_ID[name]
    body = json.dumps(body_of(relay, name, 0)).encode() if name not in KEYED else b""
    assert send(relay, row.method, row.path, query=KEYED.get(name, []), body=body).refusal_code == 104004
    assert digest(relay) == before


@pytest.mark.parametrize("generation", ["v3", "v2"])
def test_a_new_api_key_ends_the_old_one(generation: str) -> None:
    relay = relay_from("live_v3", choices=PRESENCE)
    old = account(relay, "alice")["apiKey"]
    answer = ask(relay, f"post_api_key_{generation}").json
    new = answer["apiKey"] if generation == "v3" else answer["data"]
    assert new != old
    assert ask(relay, "get_storage_id", key=old).code == 104002
    assert ask(relay, "get_storage_id", key=new).code == 0
    assert ask(relay, "get_api_key_v3").json == {"apiKey": new}


def test_storage_ids_go_on_from_the_highest_used_one_of_orders_and_requests_together() -> None:
    """S2: an order with id 4 and a withdrawal with id 7 of the same token; another token has ids of its own."""
    relay = relay_from("live_v3", choices={"signature.scheme": "off"})
    bodies = bodies_of(relay)
    assert ask(relay, "get_storage_id").json == {"orderId": 0, "offchainId": 1}
    assert post(relay, "/api/v3/order", bodies.order(4)).code == 0
    assert post(relay, "/api/v3/user/withdrawals", bodies.withdrawal(7)).code == 0
    assert ask(relay, "get_storage_id").json == {"orderId": 6, "offchainId": 9}
    assert ask(relay, "get_storage_id", [*ID, ("sellTokenId", "0")]).json == {"orderId": 0, "offchainId": 1}


def test_balances_tell_what_is_locked_and_what_is_on_its_way() -> None:
    """S4: alice has 20,000,000 LRC, of which an order freezes 100 and a withdrawal takes 1 and a fee of 0.1."""
    relay = relay_from("live_v3", choices={"signature.scheme": "off"})
    bodies = bodies_of(relay)
    assert post(relay, "/api/v3/order", bodies.order(0)).code == 0
    withdrawal = bodies.withdrawal(1, token={"tokenId": 1, "volume": str(E18)})
    assert post(relay, "/api/v3/user/withdrawals", withdrawal).code == 0
    (row,) = ask(relay, "get_balances_v3", [*ID, ("tokens", " 1 , 9")]).json
    total, frozen, in_flight = 20_000_000 * E18, 100 * E18, 11 * E18 // 10
    assert row == {
        "accountId": 10001,
        "tokenId": 1,
        "total": str(total),
        "locked": str(frozen + in_flight),
        "pending": {"withdraw": str(in_flight), "deposit": "0"},
    }
    rows = ask(relay, "get_balances_v2").data
    assert [each["tokenId"] for each in rows] == [0, 1, 3, 5]
    assert rows[1] == {
        "accountId": 10001,
        "tokenId": 1,
        "totalAmount": str(total),
        "amountLocked": str(frozen + in_flight),
    }
    assert ask(relay, "get_balances_v2", [*ID, ("skip", "1"), ("limit", "2")]).data == rows[1:3]


@pytest.mark.parametrize("name", SIGNED_ROWS)
def test_the_relayer_signs_it_for_a_test_as_a_client_would(name: str) -> None:
    """A GET by its query, a POST by its body."""
    relay = relay_from("live_v3")
    body = dict(KEYED[name]) | {"accountId": 10001} if name in KEYED else body_of(relay, name, 0)
    wanted = {"account": "alice", "endpoint": BY_ID[name].name, "body": body}
    wanted |= {"url": base_url(relay)} if BY_ID[name].signature is SignatureHeader.EDDSA else {}
    signed = done(relay, "POST", "sign", wanted)
    path, _, query = signed["path"].partition("?")
    answer = send(
        relay,
        signed["method"],
        path,
        query=parse_qsl(query),
        body=signed["text"].encode(),
        key=signed["headers"].get("X-API-KEY"),
        signature=signed["headers"]["X-API-SIG"],
    )
    assert answer.code == CODES.get(name, 0)


OF_LAYER_1 = {
    **dict.fromkeys(("get_eth_balance_v3", "get_token_balances_v3", "get_allowances_v3", "get_eth_nonce_v3"), 104205),
    "get_eth_nonce_v2": 104205,
    "get_gas_price_v3": 105001,
}


@pytest.mark.parametrize("name", OF_LAYER_1)
def test_layer_1_can_be_down_for_one_call_of_it_e43_f19(name: str) -> None:
    relay = relay_from("live_v3")
    done(relay, "POST", "faults", {"on": name, "layer1": "down"})
    assert [ask(relay, name).code for _ in range(2)] == [OF_LAYER_1[name], 0]


SERVED_BY_LIVE = "get_depth_v3, an endpoint of the profile live in a scenario of the profile spec"


@pytest.mark.parametrize(
    "section",
    [
        "limits: {get_depth_v3: 1}",
        "faults: [{on: get_depth_v3, code: 100000}]",
        "timeline: [{at: 1s, do: {fault: {on: get_depth_v3, code: 100000}}}]",
    ],
)
def test_a_scenario_of_the_spec_names_no_row_that_it_does_not_serve(section: str) -> None:
    """Nothing could ever happen to it; under the profile the same is right. The place is that of the name."""
    with pytest.raises(ScenarioError) as refused:
        load_text(f"format: 1\nextends: default\n{section}\n")
    assert refused.value.found == SERVED_BY_LIVE
    assert (refused.value.line, refused.value.column) == (3, section.index("get_depth_v3") + 1)
    load_text(f"format: 1\nextends: default\nprofile: live\n{section}\n")


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("faults", {"on": "get_depth_v3", "code": 100000}),
        ("verify", {"endpoint": "get_depth_v3", "times": 0}),
        ("verify", {"sequence": ["get_depth", "get_depth_v3"]}),
    ],
)
def test_a_fault_or_an_expectation_of_a_row_that_is_not_served_is_refused(path: str, asked: dict[str, Any]) -> None:
    """That it was not called would hold whatever the client does."""
    (field,) = {"on", "endpoint", "sequence"} & asked.keys()
    answer = control(relay_from(), "POST", path, asked)
    assert (answer.status, answer.json["field"]) == (400, field)
    assert answer.json["error"] == f"{field}: found {SERVED_BY_LIVE}"


def test_a_check_against_the_spec_refuses_a_row_beside_it_in_a_line() -> None:
    result = CliRunner().invoke(main, ["check", "http://127.0.0.1:1", "--only", "get_depth_v3"])
    assert (result.exit_code, result.output.count("\n")) == (2, 1)
    assert "'get_depth'" in result.output
