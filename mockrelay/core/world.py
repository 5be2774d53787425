"""The whole state of a relayer as one value, which can be copied, compared, saved and restored."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from hashlib import blake2b
from typing import Annotated, Any, NamedTuple

from mockrelay.core.call import Encodable
from mockrelay.core.config import Config
from mockrelay.core.errors import InvalidInput
from mockrelay.core.events import EventQueue
from mockrelay.core.faults import Faults
from mockrelay.core.hashing import fast_hash
from mockrelay.core.layer1 import Layer1
from mockrelay.core.ledger import Ledger
from mockrelay.core.limiter import Limiter
from mockrelay.core.models import Account, Block, Collection, Deposit, Nft, PendingTx, Request, SpotTrade
from mockrelay.core.orders.book import Book
from mockrelay.core.orders.store import OrderStore
from mockrelay.core.orders.trades import TradeLog
from mockrelay.core.requests.log import RequestLog
from mockrelay.core.state import KeyedBy, State, cache_field, derived_field, saved_field, shared_field
from mockrelay.spec.choices import BY_KEY
from mockrelay.spec.profiles import Profile
from mockrelay.spec.request_kinds import FeeKind, TxType
from mockrelay.spec.vocab import BlockStatus, RequestStatus
from mockrelay.suggest import close_match, in_quotes

FINDINGS_KEPT = 1000


class RequestInState(NamedTuple):
    """A request and the state that it waits in; the entry is obsolete once the request has left that state."""

    hash: str
    status: RequestStatus


class Finding(NamedTuple):
    """Something that the client did against a lint rule."""

    rule: str
    """The rule's id."""
    detail: str
    request: str | None
    """The id of the call that caused it, such as `r17`; None: it was not a call."""
    source: str
    """What caused it: `call`, `command NAME`, `timeline entry N`, `event`."""


class WorldStart(NamedTuple):
    """The arguments of a new world, from which fields take their first value."""

    config: Config
    choices: Mapping[str, str]
    start_ms: int
    limits_on: bool
    gas_price_wei: int


class World(State):
    """The state of a relayer, as one value."""

    config: Config = shared_field(from_start=lambda start: start.config)
    choices: dict[str, str] = saved_field(from_start=lambda start: dict(start.choices))
    start_ms: int = saved_field(from_start=lambda start: start.start_ms)
    now_ms: int = saved_field(from_start=lambda start: start.start_ms, in_digest=False)
    """The time of the latest call, command or event, in ms; it never decreases."""
    limits_on: bool = saved_field(from_start=lambda start: start.limits_on)
    blocks: list[Block] = saved_field(from_start=lambda start: [_first_block(start)])
    decisions_met: dict[str, int] = saved_field(from_start=lambda start: dict.fromkeys(start.config.decisions, 0))
    """How often each decision that the scenario scripts has been taken."""
    fees: dict[FeeKind, dict[int, int]] = saved_field(
        from_start=lambda start: {kind: dict(fees) for kind, fees in start.config.fees.items()}
    )
    """Current fees: fee kind -> token id -> wei."""
    layer1: Layer1 = saved_field(from_start=lambda start: Layer1(start.gas_price_wei))
    accounts: Annotated[dict[int, Account], KeyedBy("account_id")] = saved_field(factory=dict)
    account_of_key: dict[str, int] = derived_field(factory=dict)
    account_of_owner: dict[str, int] = derived_field(factory=dict)
    """By the owner's address in lower case."""
    ledger: Ledger = saved_field(factory=Ledger)
    orders: OrderStore = saved_field(factory=OrderStore)
    books: dict[str, Book] = saved_field(factory=dict)
    """By market name; created at first use."""
    trade_logs: dict[str, TradeLog] = saved_field(factory=dict)
    next_trade_id: int = saved_field(factory=lambda: 1)
    """The number of the next trade, over all markets."""
    pending: Annotated[dict[int, PendingTx], KeyedBy("tx_id")] = saved_field(factory=dict)
    """Transactions that wait for the next block, oldest first."""
    next_tx_id: int = saved_field(factory=lambda: 1)
    requests: Annotated[dict[str, Request], KeyedBy("hash")] = saved_field(factory=dict)
    request_log: RequestLog = saved_field(factory=RequestLog)
    waiting_for_block: dict[int, list[RequestInState]] = saved_field(factory=dict)
    """Block id -> the requests whose state ends when that block is sealed."""
    storage_ids: set[tuple[int, int, int]] = saved_field(factory=set)
    """(account id, token id, storage id) taken by requests, once with the token and once with -1 for any."""
    highest_storage_ids: dict[tuple[int, int, int], int] = derived_field(factory=dict)
    """(account id, token id or -1, parity) -> the highest even or odd id taken by requests."""
    next_nonce: dict[int, int] = saved_field(factory=dict)
    """Account id -> the nonce of its next request, if it is ahead of `Account.account_nonce`."""
    nfts: Annotated[dict[str, Nft], KeyedBy("nft_data")] = saved_field(factory=dict)
    """By nftData, in the order in which they were first minted."""
    collections: Annotated[dict[str, Collection], KeyedBy("contract")] = saved_field(factory=dict)
    """By contract, in the order of their ids."""
    nfts_of: dict[tuple[int, str, str], list[str]] = derived_field(factory=dict)
    """(minter's account id, contract in lower case, nftId) -> nftData of the mints."""
    deployments: dict[str, list[str]] = derived_field(factory=dict)
    """Contract in lower case -> hashes of its deployment requests."""
    exchange_view: Encodable | None = cache_field(factory=lambda: None)
    """The answer of `get_exchange_info`; reset when a fee changes."""
    ws_keys: int = saved_field(factory=lambda: 0, in_digest=False)
    """How many keys of WebSockets have been given out."""
    events: EventQueue = saved_field(factory=EventQueue)
    limiter: Limiter = saved_field(factory=Limiter, in_digest=False)
    faults: Faults = saved_field(factory=Faults, in_digest=False)
    findings: deque[Finding] = saved_field(factory=lambda: deque(maxlen=FINDINGS_KEPT), in_digest=False)

    @classmethod
    def new(
        cls, config: Config, *, choices: Mapping[str, str], start_ms: int, limits_on: bool, gas_price_wei: int
    ) -> World:
        """An empty world: without accounts, orders and everything else that a scenario adds."""
        start = WorldStart(config, choices, start_ms, limits_on, gas_price_wei)
        return cls(
            **{field.name: field.spec.from_start(start) for field in cls.FIELDS if field.spec.from_start is not None}
        )

    def add_account(self, account: Account) -> None:
        """Add an account or replace it, and index it by API key and owner."""
        self.accounts[account.account_id] = account
        if account.api_key:
            self.account_of_key[account.api_key] = account.account_id
        self.account_of_owner[account.owner.lower()] = account.account_id

    def use_storage_id(self, account_id: int, token_id: int, storage_id: int) -> None:
        """Take a storage id for a request; the token is -1 for any."""
        self.storage_ids.add((account_id, token_id, storage_id))
        key = account_id, token_id, storage_id % 2
        self.highest_storage_ids[key] = max(self.highest_storage_ids.get(key, -1), storage_id)

    def book(self, market: str) -> Book:
        """The market's book, created at first use."""
        if market not in self.books:
            self.books[market] = Book(self.start_ms)
        return self.books[market]

    def trade_log(self, market: str) -> TradeLog:
        """The market's trades, created at first use."""
        if market not in self.trade_logs:
            self.trade_logs[market] = TradeLog()
        return self.trade_logs[market]

    def add_pending(self, type_: TxType, body: SpotTrade | Deposit | str) -> int:
        """Add a transaction for the next block; returns its id."""
        tx_id = self.next_tx_id
        self.pending[tx_id] = PendingTx(tx_id, type_, body)
        self.next_tx_id += 1
        return tx_id


def digest(world: World) -> str:
    """64 hex digits, equal for worlds with the same state. Limiter, faults, findings and the time of the last call are left
    out.
    """
    return _hash_of(world, all_fields=False)


def digest_all(world: World) -> str:
    """As `digest`, of all fields."""
    return _hash_of(world, all_fields=True)


def _hash_of(world: World, *, all_fields: bool) -> str:
    text = repr((world.config.name, world.comparable_values(all_fields=all_fields)))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=32).hexdigest()


def _first_block(start: WorldStart) -> Block:
    return Block(0, fast_hash("block", start.config.seed, 0), BlockStatus.FINALIZED, start.start_ms, ())


def check_choices(choices: Mapping[str, object], profile: Profile | None = None) -> dict[str, str]:
    """The choices with their options, checked; InvalidInput at the key of the first that does not exist, or that the profile
    does not have.
    """
    return {key: _checked(key, option_text(key, option), profile) for key, option in choices.items()}


def option_text(key: str, option: Any) -> Any:
    """The option that is meant by a number: `400` for the option `"400"`. Anything else as it is."""
    choice = BY_KEY.get(key)
    text = str(option) if isinstance(option, int) and not isinstance(option, bool) else None
    return text if choice is not None and text in choice.options else option


def with_option_texts(choices: Mapping[str, Any]) -> dict[str, Any]:
    """Choices, not checked, with the options that numbers mean."""
    return {key: option_text(key, option) for key, option in choices.items()}


def _checked(key: str, option: object, profile: Profile | None) -> str:
    choice = BY_KEY.get(key)
    if choice is None:
        expected = close_match(key, BY_KEY) or "a key of `mockrelay spec choices`"
        raise InvalidInput((key,), "no choice of this name", expected, at_key=True)
    if profile is not None and key not in profile.defaults:
        found = f"a choice of the profile {choice.profile} in a relayer of the profile {profile.name}"
        raise InvalidInput((key,), found, f"`profile: {choice.profile}`, or a choice of {profile.name}", at_key=True)
    if not isinstance(option, str) or option not in choice.options:
        raise InvalidInput((key,), in_quotes(option), "one of " + ", ".join(choice.options))
    return option
