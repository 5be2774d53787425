"""Requests as clients send them: the bodies that wishes become, as things stand in the test's own relayer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from tests.properties.machines.request_intents import ALL, Wish
from tests.properties.models.relayer import Model
from tests.properties.models.request_records import Ask, Key
from tests.properties.models.request_setup import ACCOUNTS, NAMES, USDT
from tests.support.worlds import DAY_S

NOBODY = 99_999
ZERO_ADDRESS = "0x" + "0" * 40
PATHS = {
    "transfer": "/api/v2/transfer",
    "withdrawal": "/api/v3/user/withdrawals",
    "account_update": "/api/v3/account",
    "nft_mint": "/api/v3/nft/mint",
    "nft_transfer": "/api/v3/nft/transfer",
    "nft_withdrawal": "/api/v3/nft/withdrawal",
    "nft_deploy": "/api/v3/nft/deployTokenAddress",
}
NFT_IDS = tuple(f"0x{number:064x}" for number in (1, 2**255 + 10))


class Facts(NamedTuple):
    """Addresses of the world."""

    exchange: str
    factory: str
    broker: str
    owners: Mapping[int, str]
    contracts: Mapping[int, str]


class Sender:
    """Makes requests of wishes, as things stand in the test's own relayer."""

    def __init__(self, facts: Facts, model: Model) -> None:
        self.facts = facts
        self.model = model

    def make(self, kind: str, wish: Wish) -> Ask:
        """The request; a fee token in which nothing is offered where that is the twist."""
        if wish.twist == "fee token":
            wish = wish._replace(fee_token=USDT)
        if wish.twist == "zero":
            wish = wish._replace(amount=0)
        if wish.amount == ALL:
            free = self.model.money.free[wish.account, wish.token]
            wish = wish._replace(amount=max(free - self.offer(kind, wish) + wish.pick % 2, 1))
        makers = {
            "transfer": self.transfer,
            "withdrawal": self.withdrawal,
            "account_update": self.update,
            "nft_mint": self.mint,
            "nft_deploy": self.deploy,
        }
        ask = makers[kind](wish) if kind in makers else self.move(kind, wish)
        ask.twist = wish.twist
        quote = self.model.fees[kind].get(wish.fee_token, 0)
        ask.fee = ask.offered if self.model.option("fee.charged") == "max_fee" else quote
        return ask

    def key_name(self, wish: Wish) -> str:
        """The name of the account whose API key is sent."""
        if wish.twist == "foreign":
            return next(name for name in ACCOUNTS if name != NAMES[wish.account])
        return NAMES[wish.account]

    def offer(self, kind: str, wish: Wish) -> int:
        """The fee offered."""
        return max(self.model.fees[kind].get(wish.fee_token, 1) + wish.extra, 0)

    def valid_until(self, wish: Wish) -> int:
        """Ten days ahead."""
        return self.model.now_ms // 1000 + (0 if wish.twist == "expired" else 10 * DAY_S)

    def storage(self, wish: Wish) -> int:
        """An id that is new to the account, or one that it has used, for whatever token."""
        used = sorted({storage for account, _, storage in self.model.storage_ids if account == wish.account})
        if wish.twist == "storage id" and used:
            return used[wish.pick % len(used)]
        return used[-1] + 1 + wish.pick if used else 0

    def exchange(self, wish: Wish) -> str:
        """The exchange's address, or another."""
        return "0x" + "1" * 40 if wish.twist == "exchange" else self.facts.exchange

    def nonce(self, wish: Wish) -> int:
        """The account's next nonce, or one beside it."""
        due = self.model.next_nonce[wish.account]
        return due if wish.twist != "nonce" else due + 1 if wish.pick % 2 or not due else due - 1

    def transfer(self, wish: Wish) -> Ask:
        """A transfer of the second version."""
        receiver = NOBODY if wish.twist == "receiver" else wish.other
        offered, nonce = self.offer("transfer", wish), self.nonce(wish)
        body: dict[str, Any] = {
            "exchangeId": 3 if wish.twist == "exchange" else 2,
            "sender": wish.account,
            "receiver": receiver,
            "token": wish.token,
            "tokenF": wish.fee_token,
            "amount": str(wish.amount),
            "amountF": str(offered),
            "nonce": nonce,
            "label": 211,
            "signatureRx": "1",
            "signatureRy": "2",
            "signatureS": "3",
        }
        return self.ask("transfer", wish, body, wish.token, offered, receiver=receiver, nonce=nonce)

    def withdrawal(self, wish: Wish) -> Ask:
        """A withdrawal to the owner of some account."""
        to = ZERO_ADDRESS if wish.twist == "receiver" else self.facts.owners[wish.other]
        offered, storage = self.offer("withdrawal", wish), self.storage(wish)
        body: dict[str, Any] = {
            "exchange": self.exchange(wish),
            "accountId": wish.account,
            "owner": self.facts.owners[wish.account],
            "token": {"tokenId": wish.token, "volume": str(wish.amount)},
            "maxFee": {"tokenId": wish.fee_token, "volume": str(offered)},
            "storageId": storage,
            "validUntil": self.valid_until(wish),
            "minGas": 0,
            "to": to,
        }
        return self.ask("withdrawal", wish, body, wish.token, offered, storage=storage, to_address=to)

    def update(self, wish: Wish) -> Ask:
        """An account update to a key that nobody had before."""
        nonce, offered = self.nonce(wish), self.offer("account_update", wish)
        key = Key(f"0x{wish.account + nonce:064x}", f"0x{wish.pick + 1:064x}", nonce)
        owner = next(other for other in NAMES if other != wish.account) if wish.twist == "foreign" else wish.account
        body: dict[str, Any] = {
            "exchange": self.exchange(wish),
            "owner": self.facts.owners[owner],
            "accountId": wish.account,
            "publicKey": {"x": key.x, "y": key.y},
            "maxFee": {"tokenId": wish.fee_token, "volume": str(offered)},
            "validUntil": self.valid_until(wish),
            "nonce": nonce,
        }
        ask = self.ask("account_update", wish, body, wish.fee_token, offered, nonce=nonce, key=key)
        ask.key_name, ask.amount = None, 0
        return ask

    def mint(self, wish: Wish) -> Ask:
        """A mint of one of two NFTs of the minter's."""
        owner = self.facts.owners[wish.account]
        receiver = NOBODY if wish.twist == "receiver" else wish.other
        offered, storage = self.offer("nft_mint", wish), self.storage(wish)
        nft = wish.account, NFT_IDS[wish.pick % 2]
        body: dict[str, Any] = {
            "exchange": self.exchange(wish),
            "minterId": wish.account,
            "minterAddress": owner,
            "toAccountId": receiver,
            "toAddress": self.facts.owners.get(receiver, ZERO_ADDRESS),
            "nftType": 0,
            "tokenAddress": self.facts.factory if wish.twist == "contract" else self.facts.contracts[wish.account],
            "nftId": nft[1],
            "amount": str(wish.amount),
            "validUntil": self.valid_until(wish),
            "creatorFeeBips": 0,
            "storageId": storage,
            "maxFee": {"tokenId": wish.fee_token, "amount": str(offered)},
            "forceToMint": False,
            "counterFactualNftInfo": {"nftFactory": self.facts.factory, "nftOwner": owner, "nftBaseUri": ""},
        }
        token, _ = self.model.nfts.get(nft, (-1, ""))
        return self.ask("nft_mint", wish, body, token, offered, receiver=receiver, storage=storage, nft=nft)

    def move(self, kind: str, wish: Wish) -> Ask:
        """A transfer or a withdrawal of an NFT that has been minted, by somebody who may have some of it."""
        nfts = list(self.model.nfts.items())
        if kind == "nft_withdrawal" and wish.pick % 4:
            nfts = [one for one in nfts if self.facts.contracts[one[0][0]] in self.model.deployed] or nfts
        nft, (token, nft_data) = nfts[wish.pick % len(nfts)]
        holders = [account for account in NAMES if self.model.money.free[account, token] >= wish.amount]
        if wish.pick % 4 and holders:
            wish = wish._replace(account=holders[wish.pick % len(holders)])
        receiver = NOBODY if wish.twist == "receiver" and kind == "nft_transfer" else wish.other
        to = self.facts.owners.get(receiver, ZERO_ADDRESS)
        offered, storage = self.offer(kind, wish), self.storage(wish)
        body: dict[str, Any] = {
            "exchange": self.exchange(wish),
            "fromAccountId": wish.account,
            "fromAddress": self.facts.owners[wish.account],
            "toAccountId": receiver,
            "toAddress": to,
            "token": {"tokenId": token, "nftData": nft_data, "amount": str(wish.amount)},
            "maxFee": {"tokenId": wish.fee_token, "amount": str(offered)},
            "storageId": storage,
            "validUntil": self.valid_until(wish),
        }
        to_account = receiver if kind == "nft_transfer" else None
        return self.ask(kind, wish, body, token, offered, receiver=to_account, storage=storage, nft=nft, to_address=to)

    def deploy(self, wish: Wish) -> Ask:
        """A deployment of somebody's contract, paid by anybody."""
        offered, storage = self.offer("nft_deploy", wish), self.storage(wish)
        contract = self.facts.contracts[wish.other]
        transfer: dict[str, Any] = {
            "payeeAddr": self.facts.factory if wish.twist == "payee" else self.facts.broker,
            "payerId": wish.account,
            "payerAddr": self.facts.owners[wish.account],
            "payeeId": 0,
            "maxFee": {"volume": "0", "tokenId": wish.fee_token},
            "token": {"volume": str(offered), "tokenId": wish.fee_token},
            "validUntil": self.valid_until(wish),
            "exchange": self.exchange(wish),
            "storageId": storage,
        }
        body = {"tokenAddress": contract, "transfer": transfer}
        ask = self.ask("nft_deploy", wish, body, wish.fee_token, offered, receiver=0, storage=storage)
        ask.contract, ask.amount = contract, 0
        return ask

    def ask(self, kind: str, wish: Wish, body: dict[str, Any], token: int, offered: int, **fields: Any) -> Ask:
        """The request of a body."""
        known: dict[str, Any] = {"account": wish.account, "amount": wish.amount, "fee_token": wish.fee_token}
        key_name = self.key_name(wish)
        return Ask(kind, PATHS[kind], body, key_name, token=token, offered=offered, **known, **fields)
