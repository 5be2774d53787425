"""What the second relayer holds: money, requests, other transactions, blocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

LEAVING = ("withdrawal", "nft_withdrawal")
CREDITED = ("transfer", "nft_transfer", "nft_mint")
MOVING = ("transfer", "nft_transfer", *LEAVING)
"""Kinds whose amount is in flight beside their fee."""
OPEN = ("received", "processing")


class Addresses(NamedTuple):
    """Addresses of the world."""

    exchange: str
    factory: str
    broker: str
    owners: Mapping[int, str]
    contracts: Mapping[int, str]


class Key(NamedTuple):
    """A key as accounts show it."""

    x: str
    y: str
    nonce: int


@dataclass(eq=False)
class Request:
    """An asynchronous request, as it was sent and as far as it has come."""

    kind: str
    path: str
    body: Mapping[str, Any]
    key_name: str | None
    """Whose API key it is sent with."""
    account: int
    token: int
    amount: int
    fee_token: int
    offered: int
    """The fee that it offers at most."""
    fee: int = 0
    fee_kind: str = ""
    """The kind of request whose fee it pays, if that is not its own."""
    receiver: int | None = None
    to_address: str = ""
    nonce: int | None = None
    storage: int | None = None
    key: Key | None = None
    nft: tuple[int, str] | None = None
    """(minter, nftId)."""
    contract: str = ""
    """What a deployment deploys."""
    defect: str = ""
    """What is wrong with it on purpose."""
    funded: bool = True
    doomed: bool = False
    hash: str = ""
    status: str = ""
    polls: int = 0
    block: int | None = None
    valid: bool = False
    credited: bool = False

    @property
    def is_open(self) -> bool:
        """Whether it can still move."""
        return self.status in OPEN

    @property
    def legs(self) -> list[tuple[int, int]]:
        """(token, amount) of what is in flight for it."""
        return [(self.fee_token, self.fee)] + ([(self.token, self.amount)] if self.kind in MOVING else [])

    def shown(self) -> dict[str, Any]:
        """Its transaction in a block, as a part of the fields."""
        types = {"account_update": "AccountUpdate", "nft_mint": "NftMint"}
        type_ = types.get(self.kind, "Withdraw" if self.kind in LEAVING else "Transfer")
        found: dict[str, Any] = {"txType": type_, "accountId": self.account}
        if self.nonce is not None:
            found["nonce"] = self.nonce
        if self.storage is not None:
            found["storageId"] = self.storage
        if self.kind.startswith("nft") and self.kind != "nft_deploy":
            found["nftToken"] = {"tokenId": self.token, "amount": str(self.amount)}
        elif self.kind in ("transfer", "withdrawal"):
            found["token"] = {"tokenId": self.token, "amount": str(self.amount)}
        if self.kind == "nft_deploy":
            found["token"] = {"tokenId": self.fee_token, "amount": str(self.fee)}
        else:
            found["fee"] = {"tokenId": self.fee_token, "amount": str(self.fee)}
        if self.receiver is not None:
            found["toAccountId"] = self.receiver
        return found


@dataclass(eq=False)
class OtherTx:
    """A transaction that nobody asked for as a request: a deposit or a trade."""

    fields: dict[str, Any]

    def shown(self) -> dict[str, Any]:
        """As a part of the fields of its transaction."""
        return self.fields


@dataclass
class Block:
    """A block."""

    block_id: int
    created_ms: int
    txs: list[tuple[Request | OtherTx, bool]]
    status: str = "pending"


@dataclass
class Money:
    """Who has what, by (account, token)."""

    free: Counter[tuple[int, int]] = field(default_factory=Counter)
    frozen: Counter[tuple[int, int]] = field(default_factory=Counter)
    in_flight: Counter[tuple[int, int]] = field(default_factory=Counter)
    fees: Counter[int] = field(default_factory=Counter)
    put_in: Counter[int] = field(default_factory=Counter)
    layer1: Counter[tuple[str, int]] = field(default_factory=Counter)
    """What withdrawals have brought, by (address, token)."""

    def deposit(self, account: int, token: int, amount: int) -> None:
        """From outside."""
        self.free[account, token] += amount
        self.put_in[token] += amount

    def send(self, request: Request) -> None:
        """A request is taken."""
        for token, amount in request.legs:
            self.free[request.account, token] -= amount
            self.in_flight[request.account, token] += amount

    def give_back(self, request: Request) -> None:
        """A request has failed."""
        for token, amount in request.legs:
            self.free[request.account, token] += amount
            self.in_flight[request.account, token] -= amount

    def take_fee(self, request: Request) -> None:
        """A request is processed."""
        self.in_flight[request.account, request.fee_token] -= request.fee
        self.fees[request.fee_token] += request.fee

    def leave(self, request: Request) -> None:
        """To layer 1."""
        self.in_flight[request.account, request.token] -= request.amount
        self.put_in[request.token] -= request.amount
        self.layer1[request.to_address, request.token] += request.amount

    def credit(self, request: Request) -> None:
        """To the receiver."""
        assert request.receiver is not None
        if request.kind == "nft_mint":
            self.deposit(request.receiver, request.token, request.amount)
        else:
            self.in_flight[request.account, request.token] -= request.amount
            self.free[request.receiver, request.token] += request.amount

    def trade(
        self, seller: int, buyer: int, sold: tuple[int, int], paid: tuple[int, int], fees: tuple[int, int]
    ) -> None:
        """The seller's (token, amount) for the buyer's, both frozen; fees of (seller, buyer) in what they receive."""
        for giver, taker, (token, amount), fee in ((seller, buyer, sold, fees[1]), (buyer, seller, paid, fees[0])):
            self.frozen[giver, token] -= amount
            self.free[taker, token] += amount - fee
            self.fees[token] += fee
