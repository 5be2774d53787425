"""Whole requests that the spec allows, one for every endpoint, for tests to break in one place at a time.

They fit world W (tests.support.worlds). `valid_request("submit_order").but(maxFeeBips=0)` breaks one in one place,
`call(relayer, request)` sends it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from mockrelay.relay import Relay
from tests.conformance.transcript import BY_NAME
from tests.support.answer import Answer
from tests.support.client import done, send
from tests.support.worlds import DAY_S, START_S, world

EXCHANGE = "0x" + "0" * 39 + "e"
OWNER_A = "0x" + "a1" * 20
OWNER_B = "0x" + "b2" * 20
LRC_ADDRESS = "0xbbbbca6a901c926f240b89eacb641d8aec7aeafd"
SOME_ADDRESS = "0x" + "00a1" * 10
SOME_NFT = "0x" + "0f" * 32
FACTORY = "0xfac702ee00000000000000000000000000000001"
BROKER = "0xb20ce2ee00000000000000000000000000000001"
CONTRACT_A = "0x806e5e42f0b219b0bdce5dcaf60d36033e85a5d4"
CONTRACT_B = "0xa789842d4bff01d0cd4aff3e07d6346de7f63c07"
"""Alice's and bob's contracts: the last 20 bytes of keccak256 as signing 9 has it, made with another library's keccak."""
CODE = "0x363d3d373d3d3d363d73b25f6d711aebf954fb0265a3b29f7b9beba7e55d5af43d82803e903d91602b57fd5bf3"
UNTIL = START_S + 60 * DAY_S
FIELD = 21888242871839275222246405745257275088548364400416034343698204186575808495617
"""The order of the field that signature parts lie in: the smallest number that is no part."""
HEX_SIGNATURE = "0x" + "01" * 96
ECDSA_SIGNATURE = "0x" + "01" * 65
E18 = 10**18


class Request(NamedTuple):
    """One request to a named endpoint."""

    name: str
    fields: Mapping[str, Any]
    key: str | None = "alice"
    signature: str | None = None

    def but(self, **changes: Any) -> Request:
        """The same with other fields."""
        return self._replace(fields={**self.fields, **changes})

    def without(self, *names: str) -> Request:
        """The same with fields left out."""
        return self._replace(fields={name: value for name, value in self.fields.items() if name not in names})


def call(relay: Relay, request: Request, *, remote: str = "127.0.0.1") -> Answer:
    """Send it: as a query for GET, as a JSON body for POST."""
    row = BY_NAME[request.name]
    if row.method == "GET":
        query = [(name, str(value)) for name, value in request.fields.items()]
        return send(relay, "GET", row.path, query=query, key=request.key, signature=request.signature, remote=remote)
    body = json.dumps(request.fields).encode()
    return send(relay, "POST", row.path, body=body, key=request.key, signature=request.signature, remote=remote)


def order(order_id: int = 1, **changes: Any) -> Request:
    """Order O of world W: alice sells 100 LRC for 0.05 ETH, good for 60 days; with changes."""
    fields: dict[str, Any] = {
        "exchangeId": 2,
        "orderId": order_id,
        "accountId": 10001,
        "tokenSId": 1,
        "tokenBId": 0,
        "amountS": str(100 * E18),
        "amountB": str(5 * 10**16),
        "buy": "false",
        "validSince": START_S,
        "validUntil": START_S + 60 * DAY_S,
        "maxFeeBips": 63,
        "label": 211,
        "signatureRx": "111",
        "signatureRy": "222",
        "signatureS": "333",
    }
    return Request("submit_order", {**fields, **changes})


def bid(order_id: int = 1, *, lrc: int = 40 * E18, eth: int = 2 * 10**16, **changes: Any) -> Request:
    """Bob buys LRC for ETH; as it stands he asks for 40 LRC at order O's own price."""
    legs = {"accountId": 10002, "tokenSId": 0, "tokenBId": 1, "amountS": str(eth), "amountB": str(lrc), "buy": "true"}
    return order(order_id, **{**legs, **changes})._replace(key="bob")


def accepted(relay: Relay, request: Request) -> Any:
    """The data of an order that must be taken."""
    answer = call(relay, request)
    assert answer.code == 0, answer.body
    assert answer.data["status"] == "NEW_ACTIVED", answer.body
    return answer.data


def records(relay: Relay, account_id: int = 10001, **query: Any) -> list[dict[str, Any]]:
    """The account's order records as the list shows them."""
    key = {10001: "alice", 10002: "bob"}[account_id]
    answer = call(relay, Request("get_orders", {"accountId": account_id, **query}, key))
    assert answer.code == 0, answer.body
    found: list[dict[str, Any]] = answer.data.get("orders", [])
    return found


def valid_request(name: str) -> Request:
    """A request to the endpoint that nothing is wrong with."""
    owner = OWNER_A
    fee = {"tokenId": 1, "volume": str(E18 // 10)}
    nft_fee = {"tokenId": 1, "amount": str(E18 // 10)}
    parts = {"signatureRx": "111", "signatureRy": "222", "signatureS": "333"}
    gen3 = {"exchange": EXCHANGE, "storageId": 7, "validUntil": UNTIL}
    nft_move = {
        **gen3,
        "fromAccountId": 10001,
        "fromAddress": owner,
        "toAccountId": 10002,
        "toAddress": OWNER_B,
        "token": {"tokenId": 32768, "nftData": nft_data() if name in _MOVES else SOME_NFT, "amount": "1"},
        "maxFee": nft_fee,
    }
    found: dict[str, Mapping[str, Any]] = {
        "get_tokens": {},
        "get_exchange_info": {},
        "send_eth_tx": {"data": "0x616263"},
        "get_token_balances": {"owner": owner, "token": LRC_ADDRESS},
        "get_allowances": {"owner": owner, "token": LRC_ADDRESS},
        "get_eth_balance": {"owner": owner},
        "get_gas_price": {},
        "get_account": {"owner": owner},
        "update_account": {
            "exchange": EXCHANGE,
            "owner": owner,
            "accountId": 10001,
            "publicKey": {"x": "0x0a", "y": "0x0b"},
            "maxFee": fee,
            "validUntil": UNTIL,
            "nonce": 0,
        },
        "get_depth": {"market": "LRC-ETH", "level": 0},
        "get_candlestick": {"market": "LRC-ETH", "interval": "1min"},
        "get_ticker": {"market": "LRC-ETH"},
        "get_order_fee": {"accountId": 10001, "market": "LRC-ETH", "tokenB": 0, "amountB": str(5 * 10**16)},
        "get_order_id": {"accountId": 10001, "tokenSId": 1},
        "submit_order": order().fields,
        "get_orders": {"accountId": 10001},
        "submit_transfer": {
            "exchangeId": 2,
            "sender": 10001,
            "receiver": 10002,
            "token": 1,
            "tokenF": 1,
            "amount": str(E18),
            "amountF": str(E18 // 10),
            "nonce": 0,
            "label": 211,
            **parts,
        },
        "submit_withdrawal": {
            **gen3,
            "accountId": 10001,
            "owner": owner,
            "token": {"tokenId": 1, "volume": str(E18)},
            "maxFee": fee,
            "minGas": 0,
            "to": owner,
            "counterFactualInfo": {"walletFactory": SOME_ADDRESS, "walletOwner": owner, "walletSalt": "0x0c"},
            "eddsaSignature": HEX_SIGNATURE,
        },
        "get_block": {},
        "get_pending_requests": {},
        "get_nft_data": {"minter": "10001", "tokenAddress": CONTRACT_A, "nftId": SOME_NFT},
        "compute_token_address": {"nftFactory": FACTORY, "nftOwner": owner, "nftBaseUri": ""},
        "get_code": {"address": CONTRACT_A},
        "get_nft_fee": {"accountId": 10001, "requestType": 9, "tokenAddress": CONTRACT_A},
        "get_broker": {},
        "mint_nft": {
            **gen3,
            "minterId": 10001,
            "minterAddress": owner,
            "toAccountId": 10001,
            "toAddress": owner,
            "nftType": 0,
            "tokenAddress": CONTRACT_A,
            "nftId": SOME_NFT,
            "amount": "1",
            "creatorFeeBips": 0,
            "maxFee": nft_fee,
            "forceToMint": False,
            "counterFactualNftInfo": {"nftFactory": FACTORY, "nftOwner": owner, "nftBaseUri": ""},
        },
        "transfer_nft": nft_move,
        "withdraw_nft": nft_move,
        "deploy_nft_contract": {
            "nftData": nft_data() if name == "deploy_nft_contract" else SOME_NFT,
            "tokenAddress": CONTRACT_A,
            "transfer": {
                **gen3,
                "payeeAddr": BROKER,
                "payerId": 10001,
                "payerAddr": owner,
                "payeeId": 0,
                "memo": "",
                "maxFee": {"volume": "0", "tokenId": 1},
                "token": {"volume": str(E18), "tokenId": 1},
                "eddsaSignature": HEX_SIGNATURE,
            },
        },
    }
    row = BY_NAME[name]
    signature = None
    if row.signature:
        signature = HEX_SIGNATURE if name == "deploy_nft_contract" else ECDSA_SIGNATURE
    return Request(name, found[name], None if row.key == "none" else "alice", signature)


_MOVES = ("transfer_nft", "withdraw_nft")


@cache
def nft_data() -> str:
    """What the relayer calls alice's NFT `SOME_NFT`: a hash of its own, the same in every world."""
    answer = call(world(), valid_request("mint_nft"))
    if "raw_data" not in answer.json:
        return SOME_NFT  # the tests of the mint say what is wrong with it
    return str(answer.json["raw_data"]["nftData"])


def minted(relay: Relay) -> Relay:
    """The same world, where alice has minted five of `SOME_NFT`."""
    answer = call(relay, valid_request("mint_nft").but(amount="5", storageId=900))
    assert "raw_data" in answer.json, answer.body
    return relay


def deployed(relay: Relay) -> Relay:
    """The same world, where alice's contract is on layer 1."""
    done(relay, "POST", f"nft/{CONTRACT_A}/deploy", {"outcome": "deployed"})
    return relay


def ready(relay: Relay, name: str) -> Relay:
    """The same world, with what the endpoint's valid_request call needs to be there before it."""
    if name in ("get_nft_data", "transfer_nft", "withdraw_nft", "deploy_nft_contract"):
        minted(relay)
    if name == "withdraw_nft":
        deployed(relay)
    return relay
