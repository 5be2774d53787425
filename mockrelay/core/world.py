"""All state of a relayer, as one value that can be copied, compared and put back."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, NamedTuple

from mockrelay.core.book import Book
from mockrelay.core.call import Encodable
from mockrelay.core.due import Agenda
from mockrelay.core.faults import Faults
from mockrelay.core.ids import fast_hash
from mockrelay.core.layer1 import Layer1
from mockrelay.core.ledger import Ledger
from mockrelay.core.limiter import Limiter
from mockrelay.core.records import Account, Block, Deposit, Nft, PendingTx, Request, SpotTrade
from mockrelay.core.setting import Setting
from mockrelay.core.shelf import Shelf
from mockrelay.core.tape import Tape
from mockrelay.spec.request_kinds import TxType
from mockrelay.spec.vocab import BlockStatus, RequestStatus

FINDINGS_KEPT = 1000


class DueRequest(NamedTuple):
    """A request that moves on if it is still in this state."""

    hash: str
    status: RequestStatus


class Finding(NamedTuple):
    """Something that a client did and should not rely on."""

    rule: str
    detail: str


class World:
    """The state of a relayer. `clone` gives an independent copy; what never changes is shared."""

    __slots__ = (
        "account_of_key",
        "account_of_owner",
        "accounts",
        "agenda",
        "blocks",
        "books",
        "choices",
        "decisions_met",
        "deployments",
        "exchange_view",
        "faults",
        "fees",
        "findings",
        "layer1",
        "ledger",
        "limiter",
        "limits_on",
        "next_nonce",
        "next_tx_id",
        "nfts",
        "nfts_of",
        "now_ms",
        "pending",
        "requests",
        "setting",
        "shelf",
        "start_ms",
        "storage_ids",
        "tapes",
        "waiting_for_block",
    )

    def __init__(
        self, setting: Setting, *, choices: Mapping[str, str], start_ms: int, limits_on: bool, gas_price_wei: int
    ) -> None:
        self.setting = setting
        self.choices = dict(choices)
        self.start_ms = start_ms
        self.now_ms = start_ms
        """The latest moment that anything happened at; time never runs backwards."""
        self.limits_on = limits_on
        self.accounts: dict[int, Account] = {}
        self.account_of_key: dict[str, int] = {}
        self.account_of_owner: dict[str, int] = {}
        """By the owner's address in lower case."""
        self.ledger = Ledger()
        self.shelf = Shelf()
        self.books: dict[str, Book] = {}
        """By market; a market that never had an order has none."""
        self.tapes: dict[str, Tape] = {}
        self.pending: dict[int, PendingTx] = {}
        """Transactions that wait for the next block, in order."""
        self.next_tx_id = 1
        self.blocks = [Block(0, fast_hash("block", setting.seed, 0), BlockStatus.FINALIZED, start_ms, ())]
        self.requests: dict[str, Request] = {}
        self.waiting_for_block: dict[int, list[DueRequest]] = {}
        """What moves when the block with this id is sealed."""
        self.storage_ids: set[tuple[int, int, int]] = set()
        """(account id, token id, storage id) taken by requests, once with the token and once with -1 for any."""
        self.next_nonce: dict[int, int] = {}
        """The nonce that an account's next request must have, where it is ahead of the one shown."""
        self.nfts: dict[str, Nft] = {}
        """By nftData, in the order in which they were first minted."""
        self.nfts_of: dict[tuple[int, str, str], list[str]] = {}
        """(minter's account id, contract in lower case, nftId) -> nftData of what was minted so."""
        self.deployments: dict[str, list[str]] = {}
        """Hashes of the deployments asked for, by contract in lower case."""
        self.decisions_met = dict.fromkeys(setting.decisions, 0)
        """How often the open decisions that the scenario scripts have been met."""
        self.fees = {kind: dict(fees) for kind, fees in setting.fees.items()}
        """Fees as they are now: wei by token id, by what they are for."""
        self.exchange_view: Encodable | None = None
        """The answer of `get_exchange_info`, until a fee changes."""
        self.agenda = Agenda()
        self.layer1 = Layer1(gas_price_wei)
        self.limiter = Limiter()
        self.faults = Faults()
        self.findings: deque[Finding] = deque(maxlen=FINDINGS_KEPT)

    def clone(self) -> World:
        """An independent copy of everything, limiter, faults and findings too."""
        copy = World.__new__(World)
        copy.setting = self.setting
        copy.choices = dict(self.choices)
        copy.start_ms = self.start_ms
        copy.now_ms = self.now_ms
        copy.limits_on = self.limits_on
        copy.accounts = dict(self.accounts)
        copy.account_of_key = dict(self.account_of_key)
        copy.account_of_owner = dict(self.account_of_owner)
        copy.ledger = self.ledger.clone()
        copy.shelf = self.shelf.clone()
        copy.books = {name: book.clone() for name, book in self.books.items()}
        copy.tapes = {name: tape.clone() for name, tape in self.tapes.items()}
        copy.pending = dict(self.pending)
        copy.next_tx_id = self.next_tx_id
        copy.blocks = self.blocks.copy()
        copy.requests = dict(self.requests)
        copy.waiting_for_block = {block_id: due.copy() for block_id, due in self.waiting_for_block.items()}
        copy.storage_ids = set(self.storage_ids)
        copy.next_nonce = dict(self.next_nonce)
        copy.nfts = dict(self.nfts)
        copy.nfts_of = {key: found.copy() for key, found in self.nfts_of.items()}
        copy.deployments = {address: hashes.copy() for address, hashes in self.deployments.items()}
        copy.decisions_met = dict(self.decisions_met)
        copy.fees = {kind: dict(fees) for kind, fees in self.fees.items()}
        copy.exchange_view = self.exchange_view
        copy.agenda = self.agenda.clone()
        copy.layer1 = self.layer1.clone()
        copy.limiter = self.limiter.clone()
        copy.faults = self.faults.clone()
        copy.findings = self.findings.copy()
        return copy

    def add_account(self, account: Account) -> None:
        """A new account, or a new state of one."""
        self.accounts[account.account_id] = account
        if account.api_key:
            self.account_of_key[account.api_key] = account.account_id
        self.account_of_owner[account.owner.lower()] = account.account_id

    def book(self, market: str) -> Book:
        """The market's book, made at first use."""
        found = self.books.get(market)
        if found is None:
            found = self.books[market] = Book(self.start_ms)
        return found

    def tape(self, market: str) -> Tape:
        """The market's trades, the list made at first use."""
        found = self.tapes.get(market)
        if found is None:
            found = self.tapes[market] = Tape()
        return found

    def add_pending(self, type_: TxType, body: SpotTrade | Deposit | str) -> int:
        """A transaction for the next block; its id."""
        tx_id = self.next_tx_id
        self.pending[tx_id] = PendingTx(tx_id, type_, body)
        self.next_tx_id += 1
        return tx_id


def digest(world: World) -> str:
    """64 hex digits that two worlds share where their state is the same, limiter, faults and findings left out."""
    return _hash_of(_state(world))


def digest_all(world: World) -> str:
    """As `digest`, with the limiter, the faults, the findings and the moment of the last call."""
    return _hash_of((_state(world), world.now_ms, world.limiter.state(), list(world.faults), list(world.findings)))


def _state(world: World) -> Any:
    layer1 = world.layer1
    shelf = world.shelf
    return (
        world.setting.name,
        sorted(world.choices.items()),
        world.limits_on,
        sorted(world.accounts.items()),
        sorted(world.account_of_key.items()),
        sorted(world.ledger.balances.items()),
        sorted(world.ledger.fees_wei.items()),
        sorted(world.ledger.put_in_wei.items()),
        list(shelf.by_hash.values()),
        sorted(shelf.highest_id.items()),
        # Books and tapes come into being when they are first read: an unused one is as good as none.
        sorted((name, book.state()) for name, book in world.books.items() if book.version),
        sorted((name, tape.trades) for name, tape in world.tapes.items() if tape.trades),
        list(world.pending.items()),
        world.next_tx_id,
        world.blocks,
        list(world.requests.values()),
        sorted(world.waiting_for_block.items()),
        sorted(world.storage_ids),
        sorted(world.next_nonce.items()),
        list(world.nfts.values()),
        sorted(world.decisions_met.items()),
        sorted(world.fees.items()),
        world.agenda.state(),
        (layer1.state, layer1.gas_price_wei, sorted(layer1.sent), sorted(layer1.code.items())),
        sorted(layer1.approved_hashes),
        sorted(layer1.nfts.items()),
        sorted(layer1.native_wei.items()),
        sorted(layer1.token_wei.items()),
        sorted(layer1.allowances_wei.items()),
    )


def _hash_of(state: Any) -> str:
    return blake2b(repr(state).encode("utf-8", "surrogatepass"), digest_size=32).hexdigest()
