"""Requests as clients send them: right, or with one defect on purpose, as the state of the second relayer makes them."""

from __future__ import annotations

from typing import Any, NamedTuple

from hypothesis import strategies as st

from tests.properties.models.relayer import RelayerModel
from tests.properties.models.request_records import Addresses, Key, Request
from tests.properties.models.request_setup import ACCOUNTS, DAI, ETH, LRC, NAMES, USDT
from tests.support.bodies import Bodies
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


DEFECTS = (
    "exchange",
    "foreign",
    "receiver",
    "fee token",
    "nonce",
    "storage id",
    "expired",
    "zero",
    "contract",
    "payee",
)


class Intent(NamedTuple):
    """What a client wants, whichever kind of request it becomes."""

    account: int
    other: int
    token: int
    amount: int
    fee_token: int
    extra: int
    """What is offered above the fee."""
    pick: int
    defect: str


PICKS = st.integers(0, 30)
INTENTS = st.builds(
    Intent,
    st.sampled_from(list(NAMES)),
    st.sampled_from(list(NAMES)),
    st.sampled_from([ETH, LRC, LRC, DAI]),
    st.sampled_from([1, 500, 20_000, 150_000]),
    st.sampled_from([ETH, LRC, LRC]),
    st.sampled_from([0, 0, 0, 5, -1]),
    PICKS,
    st.one_of(st.just(""), st.just(""), st.just(""), st.sampled_from(DEFECTS)),
)

ALL = -1
"""As an amount: all that is free beside the fee, or one more than that."""


def _right(account: int, other: int, token: int, amount: int, extra: int, pick: int) -> Intent:
    return Intent(account, other, token, amount, token, extra, pick, "")


_MEANT = (st.sampled_from(list(NAMES)), st.sampled_from(list(NAMES)), st.sampled_from([ETH, LRC]))
VALID_INTENTS = st.builds(_right, *_MEANT, st.sampled_from([1, 2, 500, 500, ALL]), st.sampled_from([0, 5]), PICKS)
"""Wishes that nothing but want of money stands against."""
INVALID_INTENTS = st.builds(
    lambda intent, defect: intent._replace(defect=defect, amount=abs(intent.amount)),
    VALID_INTENTS,
    st.sampled_from(DEFECTS),
)
"""The same with one thing wrong."""


class RequestBuilder:
    """Makes requests of intents, as things stand in the test's own relayer."""

    def __init__(self, addresses: Addresses, model: RelayerModel) -> None:
        self.addresses = addresses
        self.model = model

    def build(self, kind: str, intent: Intent) -> Request:
        """The request; a fee token in which nothing is offered where that is the defect."""
        if intent.defect == "fee token":
            intent = intent._replace(fee_token=USDT)
        if intent.defect == "zero":
            intent = intent._replace(amount=0)
        if intent.amount == ALL:
            free = self.model.money.free[intent.account, intent.token]
            intent = intent._replace(amount=max(free - self.offer(kind, intent) + intent.pick % 2, 1))
        makers = {
            "transfer": self.transfer,
            "withdrawal": self.withdrawal,
            "account_update": self.update,
            "nft_mint": self.mint,
            "nft_deploy": self.deploy,
        }
        request = makers[kind](intent) if kind in makers else self.move(kind, intent)
        request.defect = intent.defect
        quote = self.model.fees[request.fee_kind or kind].get(intent.fee_token, 0)
        request.fee = request.offered if self.model.option("fee.charged") == "max_fee" else quote
        return request

    def key_name(self, intent: Intent) -> str | None:
        """The name of the account whose API key is sent."""
        if intent.defect == "foreign":
            return next(name for name in ACCOUNTS if name != NAMES[intent.account])
        return NAMES[intent.account]

    def offer(self, kind: str, intent: Intent) -> int:
        """The fee offered."""
        return max(self.model.fees[kind].get(intent.fee_token, 1) + intent.extra, 0)

    def valid_until(self, intent: Intent) -> int:
        """Ten days ahead."""
        return self.model.now_ms // 1000 + (0 if intent.defect == "expired" else 10 * DAY_S)

    def storage(self, intent: Intent) -> int:
        """An id that is new to the account, or one that it has used, for whatever token."""
        used = sorted({storage for account, _, storage in self.model.storage_ids if account == intent.account})
        if intent.defect == "storage id" and used:
            return used[intent.pick % len(used)]
        return used[-1] + 1 + intent.pick if used else 0

    def bodies(self, intent: Intent) -> Bodies:
        """Right bodies, or those of another exchange."""
        exchange = "0x" + "1" * 40 if intent.defect == "exchange" else self.addresses.exchange
        return Bodies(exchange, {**self.addresses.owners, NOBODY: ZERO_ADDRESS}, self.model.now_ms // 1000)

    def nonce(self, intent: Intent) -> int:
        """The account's next nonce, or one beside it."""
        due = self.model.next_nonce[intent.account]
        return due if intent.defect != "nonce" else due + 1 if intent.pick % 2 or not due else due - 1

    def transfer(self, intent: Intent) -> Request:
        """A transfer of the second version."""
        receiver = NOBODY if intent.defect == "receiver" else intent.other
        offered, nonce = self.offer("transfer", intent), self.nonce(intent)
        body = self.bodies(intent).transfer(
            nonce,
            intent.account,
            receiver,
            exchangeId=3 if intent.defect == "exchange" else 2,
            token=intent.token,
            tokenF=intent.fee_token,
            amount=str(intent.amount),
            amountF=str(offered),
        )
        return self.request("transfer", intent, body, intent.token, offered, receiver=receiver, nonce=nonce)

    def withdrawal(self, intent: Intent) -> Request:
        """A withdrawal to the owner of some account."""
        to = ZERO_ADDRESS if intent.defect == "receiver" else self.addresses.owners[intent.other]
        offered, storage = self.offer("withdrawal", intent), self.storage(intent)
        body = self.bodies(intent).withdrawal(
            storage,
            intent.account,
            token={"tokenId": intent.token, "volume": str(intent.amount)},
            maxFee={"tokenId": intent.fee_token, "volume": str(offered)},
            validUntil=self.valid_until(intent),
            to=to,
        )
        return self.request("withdrawal", intent, body, intent.token, offered, storage=storage, to_address=to)

    def update(self, intent: Intent) -> Request:
        """An account update to a key that nobody had before."""
        nonce, offered = self.nonce(intent), self.offer("account_update", intent)
        key = Key(f"0x{intent.account + nonce:064x}", f"0x{intent.pick + 1:064x}", nonce)
        others = (other for other in NAMES if other != intent.account)
        body = self.bodies(intent).update(
            nonce,
            key.x,
            key.y,
            intent.account,
            owner=self.addresses.owners[next(others) if intent.defect == "foreign" else intent.account],
            maxFee={"tokenId": intent.fee_token, "volume": str(offered)},
            validUntil=self.valid_until(intent),
        )
        request = self.request("account_update", intent, body, intent.fee_token, offered, nonce=nonce, key=key)
        request.key_name, request.amount = None, 0
        return request

    def mint(self, intent: Intent) -> Request:
        """A mint of one of two NFTs of the minter's."""
        receiver = NOBODY if intent.defect == "receiver" else intent.other
        offered, storage = self.offer("nft_mint", intent), self.storage(intent)
        nft = intent.account, NFT_IDS[intent.pick % 2]
        bodies = self.bodies(intent)
        body = bodies.mint(
            self.addresses.factory if intent.defect == "contract" else self.addresses.contracts[intent.account],
            nft[1],
            storage,
            intent.account,
            toAccountId=receiver,
            toAddress=bodies.owners[receiver],
            amount=str(intent.amount),
            validUntil=self.valid_until(intent),
            maxFee={"tokenId": intent.fee_token, "amount": str(offered)},
        )
        token, _ = self.model.nfts.get(nft, (-1, ""))
        return self.request("nft_mint", intent, body, token, offered, receiver=receiver, storage=storage, nft=nft)

    def move(self, kind: str, intent: Intent) -> Request:
        """A transfer or a withdrawal of an NFT that has been minted, by somebody who may have some of it."""
        nfts = list(self.model.nfts.items())
        if kind == "nft_withdrawal" and intent.pick % 4:
            nfts = [one for one in nfts if self.addresses.contracts[one[0][0]] in self.model.deployed] or nfts
        nft, (token, nft_data) = nfts[intent.pick % len(nfts)]
        holders = [account for account in NAMES if self.model.money.free[account, token] >= intent.amount]
        if intent.pick % 4 and holders:
            intent = intent._replace(account=holders[intent.pick % len(holders)])
        receiver = NOBODY if intent.defect == "receiver" and kind == "nft_transfer" else intent.other
        offered, storage = self.offer(kind, intent), self.storage(intent)
        body = self.bodies(intent).nft_move(
            {"tokenId": token, "nftData": nft_data, "amount": str(intent.amount)},
            storage,
            intent.account,
            receiver,
            maxFee={"tokenId": intent.fee_token, "amount": str(offered)},
            validUntil=self.valid_until(intent),
        )
        to: dict[str, Any] = {"receiver": receiver if kind == "nft_transfer" else None, "to_address": body["toAddress"]}
        return self.request(kind, intent, body, token, offered, storage=storage, nft=nft, **to)

    def deploy(self, intent: Intent) -> Request:
        """A deployment of somebody's contract, paid by anybody."""
        offered, storage = self.offer("nft_deploy", intent), self.storage(intent)
        contract = self.addresses.contracts[intent.other]
        body = self.bodies(intent).deployment(
            "",
            contract,
            storage,
            intent.account,
            payeeAddr=self.addresses.factory if intent.defect == "payee" else self.addresses.broker,
            maxFee={"volume": "0", "tokenId": intent.fee_token},
            token={"volume": str(offered), "tokenId": intent.fee_token},
            validUntil=self.valid_until(intent),
        )
        del body["nftData"]
        request = self.request("nft_deploy", intent, body, intent.fee_token, offered, receiver=0, storage=storage)
        request.contract, request.amount = contract, 0
        return request

    def request(
        self, kind: str, intent: Intent, body: dict[str, Any], token: int, offered: int, **fields: Any
    ) -> Request:
        """The request of a body."""
        known: dict[str, Any] = {"account": intent.account, "amount": intent.amount, "fee_token": intent.fee_token}
        key_name = self.key_name(intent)
        return Request(kind, PATHS[kind], body, key_name, token=token, offered=offered, **known, **fields)
