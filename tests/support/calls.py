"""Whole requests that the spec allows, one for every endpoint, for tests to break in one place at a time.

They fit world W (tests.support.worlds). `valid_request("submit_order").but(maxFeeBips=0)` breaks one in one place,
`call(relayer, request)` sends it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, NamedTuple

from mockrelay.relay import Relay
from tests.conformance.transcript import BY_NAME
from tests.support import bodies
from tests.support.answer import Answer
from tests.support.bodies import E18, ECDSA_SIGNATURE, EDDSA_SIGNATURE, FACTORY
from tests.support.client import Relayer, done, send
from tests.support.connection import connected
from tests.support.worlds import world

EXCHANGE = bodies.W.exchange
OWNER_A, OWNER_B = bodies.W.owners.values()
LRC_ADDRESS = "0xbbbbca6a901c926f240b89eacb641d8aec7aeafd"
SOME_ADDRESS = "0x" + "00a1" * 10
SOME_NFT = "0x" + "0f" * 32
CONTRACT_A = "0x806e5e42f0b219b0bdce5dcaf60d36033e85a5d4"
CONTRACT_B = "0xa789842d4bff01d0cd4aff3e07d6346de7f63c07"
"""Alice's and bob's contracts: the last 20 bytes of keccak256 as signing 9 has it, made with another library's keccak."""
CODE = "0x363d3d373d3d3d363d73b25f6d711aebf954fb0265a3b29f7b9beba7e55d5af43d82803e903d91602b57fd5bf3"
UNTIL = bodies.W.until_s
FIELD = 21888242871839275222246405745257275088548364400416034343698204186575808495617
"""The order of the field that signature parts lie in: the smallest number that is no part."""


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


def call(relayer: Relayer, request: Request, *, remote: str = "127.0.0.1") -> Answer:
    """Send it: as a query for GET, as a JSON body for POST."""
    row = BY_NAME[request.name]
    if row.method == "GET":
        query = [(name, str(value)) for name, value in request.fields.items()]
        return send(relayer, "GET", row.path, query=query, key=request.key, signature=request.signature, remote=remote)
    body = json.dumps(request.fields).encode()
    return send(relayer, "POST", row.path, body=body, key=request.key, signature=request.signature, remote=remote)


def order(order_id: int = 1, **changes: Any) -> Request:
    """Order O of world W: alice sells 100 LRC for 0.05 ETH, good for 60 days; with changes."""
    return Request("submit_order", bodies.W.order(order_id, **changes))


def bid(order_id: int = 1, *, lrc: int = 40 * E18, eth: int = 2 * 10**16, **changes: Any) -> Request:
    """Bob buys LRC for ETH; as it stands he asks for 40 LRC at order O's own price."""
    return Request("submit_order", bodies.W.bid(order_id, lrc, eth, **changes), "bob")


def accepted(relayer: Relayer, request: Request) -> Any:
    """The data of an order that must be taken."""
    answer = call(relayer, request)
    assert answer.code == 0, answer.body
    assert (answer.data["status"], answer.data["isIdempotent"]) == ("NEW_ACTIVED", False), answer.body
    return answer.data


def place(relayer: Relayer, request: Request) -> str:
    """Submit an order that must be taken at once; its hash."""
    order_hash = accepted(relayer, request)["orderHash"]
    assert isinstance(order_hash, str)
    return order_hash


@cache
def nft_data() -> str:
    """What the relayer calls alice's NFT `SOME_NFT`: a hash of its own, the same in every world."""
    answer = call(world(), valid_request("mint_nft"))
    if "raw_data" not in answer.json:
        return SOME_NFT  # the tests of the mint say what is wrong with it
    return str(answer.json["raw_data"]["nftData"])


_FIELDS: Mapping[str, Callable[[], Mapping[str, Any]]] = {
    "get_tokens": dict,
    "get_exchange_info": dict,
    "send_eth_tx": lambda: {"data": "0x616263"},
    "get_token_balances": lambda: {"owner": OWNER_A, "token": LRC_ADDRESS},
    "get_allowances": lambda: {"owner": OWNER_A, "token": LRC_ADDRESS},
    "get_eth_balance": lambda: {"owner": OWNER_A},
    "get_gas_price": dict,
    "get_account": lambda: {"owner": OWNER_A},
    "update_account": bodies.W.update,
    "get_depth": lambda: {"market": "LRC-ETH", "level": 0},
    "get_candlestick": lambda: {"market": "LRC-ETH", "interval": "1min"},
    "get_ticker": lambda: {"market": "LRC-ETH"},
    "get_order_fee": lambda: {"accountId": 10001, "market": "LRC-ETH", "tokenB": 0, "amountB": str(5 * 10**16)},
    "get_order_id": lambda: {"accountId": 10001, "tokenSId": 1},
    "submit_order": lambda: order().fields,
    "get_orders": lambda: {"accountId": 10001},
    "submit_transfer": bodies.W.transfer,
    "submit_withdrawal": lambda: bodies.W.withdrawal(
        7,
        counterFactualInfo={"walletFactory": SOME_ADDRESS, "walletOwner": OWNER_A, "walletSalt": "0x0c"},
        eddsaSignature=EDDSA_SIGNATURE,
    ),
    "get_block": dict,
    "get_pending_requests": dict,
    "get_nft_data": lambda: {"minter": "10001", "tokenAddress": CONTRACT_A, "nftId": SOME_NFT},
    "compute_token_address": lambda: {"nftFactory": FACTORY, "nftOwner": OWNER_A, "nftBaseUri": ""},
    "get_code": lambda: {"address": CONTRACT_A},
    "get_nft_fee": lambda: {"accountId": 10001, "requestType": 9, "tokenAddress": CONTRACT_A},
    "get_broker": dict,
    "mint_nft": lambda: bodies.W.mint(CONTRACT_A, SOME_NFT, 7),
    "transfer_nft": lambda: bodies.W.nft_move(_some_nft(), 7, eddsaSignature=EDDSA_SIGNATURE),
    "withdraw_nft": lambda: bodies.W.nft_move(_some_nft(), 7),
    "deploy_nft_contract": lambda: bodies.W.deployment(nft_data(), CONTRACT_A, 7, eddsaSignature=EDDSA_SIGNATURE),
}
"""The fields of a right call, by endpoint."""


def valid_request(name: str) -> Request:
    """A request to the endpoint that nothing is wrong with."""
    row = BY_NAME[name]
    signature = None
    if row.signature:
        signature = EDDSA_SIGNATURE if name == "deploy_nft_contract" else ECDSA_SIGNATURE
    return Request(name, _FIELDS[name](), None if row.key == "none" else "alice", signature)


def _some_nft() -> Mapping[str, Any]:
    return {"tokenId": 32768, "nftData": nft_data(), "amount": "1"}


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


def at_once(url: str, requests: Sequence[Request]) -> list[Answer]:
    """Send each request to a server over a connection of its own, all at the same time; the answers in their order."""

    def send_one(request: Request) -> Answer:
        with connected(url) as connection:
            return call(connection, request)

    with ThreadPoolExecutor(len(requests)) as pool:
        return list(pool.map(send_one, requests))
