"""What is asked of the example client, and what must then be so, whatever the relayer does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mockrelay.core.requests.counterfactual import token_address
from mockrelay.testing import RelayerHandle
from tests.examples.explored.client import Bug, Client, Send
from tests.examples.explored.sending import directly

Sending = Callable[[RelayerHandle], Send]
LRC = 10**18
FACTORY, IMPLEMENTATION = "0xfac702ee00000000000000000000000000000001", "0xb25f6d711aebf954fb0265a3b29f7b9beba7e55d"

WRONG_FORM = ("shape", "number-for-string", "milliseconds-for-seconds", "malformed-address")


def client_of(relayer: RelayerHandle, name: str, bug: Bug | None, sending: Sending) -> Client:
    account = relayer.account(name)
    view = {"accountId": account.id, "apiKey": account.api_key, "owner": account.owner}
    return Client(sending(relayer), view, lambda seconds: relayer.clock.advance(f"{seconds}s"), bug)


def _order(client: Client) -> dict[str, Any]:
    order = {"exchangeId": 2, "accountId": client.account["accountId"], "tokenSId": 1, "tokenBId": 0, "buy": "false"}
    order |= {"amountS": str(100 * LRC), "amountB": str(5 * 10**16), "maxFeeBips": 63, "label": 211}
    return order | {"signatureRx": "1", "signatureRy": "2", "signatureS": "3"}


def _of_wrong_form(relayer: RelayerHandle) -> list[Any]:
    return [found for found in relayer.findings if found.rule in WRONG_FORM]


def places_an_order(relayer: RelayerHandle, bug: Bug | None = None, sending: Sending = directly) -> None:
    """One order is there if the client says so, none if it was refused, and never two."""
    # It sends the very same order again, which its id makes safe.
    relayer.allow("post-retried-without-looking")
    client = client_of(relayer, "alice", bug, sending)
    said = client.place(_order(client))
    placed = len(relayer.orders)
    assert not _of_wrong_form(relayer), "it sent what no relayer can take"
    assert placed <= 1, "the order was placed twice"
    assert said != "done" or placed == 1, "it says that the order is placed, and there is none"
    assert said != "refused" or placed == 0, "it says that the order was refused, and it is there"


def mints(relayer: RelayerHandle, bug: Bug | None = None, sending: Sending = directly) -> None:
    """An NFT whose id starts with zeros is minted exactly if the client says so."""
    client = client_of(relayer, "carol", bug, sending)
    account, owner = client.account["accountId"], client.account["owner"]
    body = {"exchange": relayer.state().exchange["exchangeAddress"], "minterId": account, "toAccountId": account}
    body |= {"tokenAddress": token_address(FACTORY, IMPLEMENTATION, owner), "amount": "1", "storageId": 3}
    body |= {"minterAddress": owner, "toAddress": owner, "nftType": 0, "creatorFeeBips": 0, "forceToMint": False}
    body |= {"counterFactualNftInfo": {"nftFactory": FACTORY, "nftOwner": owner, "nftBaseUri": ""}}
    body |= {"validUntil": relayer.clock.now_s + 86_400, "maxFee": {"tokenId": 1, "amount": str(LRC)}}
    said = client.mint(body, 0x0A << 232)
    minted = len(relayer.state().requests)
    assert not _of_wrong_form(relayer), "it sent what no relayer can take"
    assert said != "done" or minted == 1, "it says that the NFT is minted, and it is not"
    assert minted <= 1, "it was minted twice"


def sees_what_was_sold(relayer: RelayerHandle, bug: Bug | None = None, sending: Sending = directly) -> None:
    """The client knows to the last wei what was sold."""
    # It sends the very same order again, which its id makes safe.
    relayer.allow("post-retried-without-looking")
    client = client_of(relayer, "alice", bug, sending)
    if client.place(_order(client)) == "done" and relayer.orders[0].status == "processing":
        relayer.orders[0].fill(str(50 * LRC + 1))
        assert client.sold() == 50 * LRC + 1, "it is wrong about what was sold"


def withdraws(relayer: RelayerHandle, bug: Bug | None = None, sending: Sending = directly) -> None:
    """Money is on its way exactly if the client says so."""
    client = client_of(relayer, "bob", bug, sending)
    exchange = relayer.state().exchange["exchangeAddress"]
    body = {"exchange": exchange, "accountId": client.account["accountId"], "owner": client.account["owner"]}
    body |= {"token": {"tokenId": 1, "volume": str(LRC)}, "maxFee": {"tokenId": 1, "volume": str(LRC)}}
    body |= {"storageId": 7, "validUntil": relayer.clock.now_s + 86_400, "minGas": 0, "to": client.account["owner"]}
    said = client.withdraw(body)
    asked = len(relayer.state().requests)
    assert asked <= 1, "it was withdrawn twice"
    assert said != "done" or asked == 1, "it says that money is on its way, and none is"


def sees_the_contract(relayer: RelayerHandle, bug: Bug | None = None, sending: Sending = directly) -> None:
    """The client says that there is no code only where there will be none."""
    client = client_of(relayer, "carol", bug, sending)
    owner = client.account["owner"]
    contract = token_address(FACTORY, IMPLEMENTATION, owner)
    exchange = relayer.state().exchange
    transfer = {"payeeAddr": exchange["broker"], "payerId": client.account["accountId"], "payerAddr": owner}
    transfer |= {"payeeId": 0, "memo": "", "maxFee": {"tokenId": 1, "volume": "0"}, "storageId": 1}
    transfer |= {"token": {"tokenId": 1, "volume": str(LRC)}, "exchange": exchange["exchangeAddress"]}
    body = {"tokenAddress": contract, "transfer": transfer | {"validUntil": relayer.clock.now_s + 86_400}}
    client._submit("/api/v3/nft/deployTokenAddress", body, {"X-API-SIG": "0x" + "01" * 96})
    said = client.has_code(contract)
    relayer.clock.advance("10m")
    is_there = contract.lower() in relayer.state().layer1["code"]
    assert said == is_there, f"it says {said} of a contract that is {'there' if is_there else 'not there'}"
