"""The records that a world holds. They never change: a change is a new record in the old one's place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from mockrelay.spec.request_kinds import RequestKind, TxType
from mockrelay.spec.vocab import BlockStatus, HeldAs, OrderStatus, OrderType, RequestStatus, Side


class Account(NamedTuple):
    """An exchange account (spec, DexAccount) and what the relayer knows beside it."""

    account_id: int
    name: str
    owner: str
    """The owner's layer-1 address as the scenario wrote it."""
    api_key: str
    public_key_x: str
    public_key_y: str
    key_nonce: int
    account_nonce: int
    frozen: bool
    tags: str | None
    maker_bips: int
    taker_bips: int
    key_seed: str | None = None
    """The text that the key was made from, where the relayer has been told."""
    eddsa_key: str | None = None
    """The private key on layer 2 that the scenario gives, in hex."""
    layer1_key: str | None = None
    """The owner's private key on layer 1 that the scenario gives, in hex."""


class Balance(NamedTuple):
    """An account's layer-2 balance of one token, in its smallest unit."""

    free_wei: int
    frozen_wei: int
    """Locked for open orders."""
    in_flight_wei: int
    """On its way out: requests accepted and not yet processed."""


NO_BALANCE = Balance(0, 0, 0)


class Order(NamedTuple):
    """An order and how far it has come (spec, OrderDetail). `base` and `quote` are the market's tokens."""

    hash: str
    seq: int
    """Its place in the order of creation, over all accounts."""
    account_id: int
    order_id: int
    market: str
    side: Side
    order_type: OrderType
    ends_on_bought: bool
    """True: done when `amountB` is bought; False: done when `amountS` is sold (field `buy`)."""
    sold_token: int
    bought_token: int
    size_base_wei: int
    volume_quote_wei: int
    price_ticks: int
    """Price in the market's ticks: a bid's rounded down, an ask's rounded up."""
    max_fee_bips: int
    valid_since_s: int
    valid_until_s: int
    created_at_ms: int
    client_order_id: str
    status: OrderStatus
    held: HeldAs | None = None
    failed: bool = False
    """Released from its hold as failed."""
    filled_base_wei: int = 0
    filled_quote_wei: int = 0
    filled_fee_wei: int = 0

    @property
    def sold_wei(self) -> int:
        """What it has sold so far."""
        return self.filled_base_wei if self.side is Side.SELL else self.filled_quote_wei

    @property
    def amount_sold_wei(self) -> int:
        """What it sells at most (field `amountS`)."""
        return self.size_base_wei if self.side is Side.SELL else self.volume_quote_wei

    @property
    def amount_bought_wei(self) -> int:
        """What it buys for that (field `amountB`)."""
        return self.volume_quote_wei if self.side is Side.SELL else self.size_base_wei

    @property
    def rest_frozen_wei(self) -> int:
        """What stays frozen for it while it is open."""
        return self.amount_sold_wei - self.sold_wei

    @property
    def ends_on_base(self) -> bool:
        """Whether the base leg decides when it is done."""
        return self.ends_on_bought is (self.side is Side.BUY)

    @property
    def rest_base_wei(self) -> int:
        """What is left to trade, in the base token, at its own price."""
        rest_base_wei = self.size_base_wei - self.filled_base_wei
        is_sale = self.side is Side.SELL
        if is_sale and self.ends_on_base:
            return rest_base_wei
        rest_quote_wei = self.volume_quote_wei - self.filled_quote_wei
        by_quote_wei = rest_quote_wei * self.size_base_wei // self.volume_quote_wei
        # Nobody sells more than was frozen, also where a fill by hand has used up more than its share.
        return min(rest_base_wei, by_quote_wei) if is_sale or self.ends_on_base else by_quote_wei

    @property
    def rest_quote_wei(self) -> int:
        """What is left to trade, in the quote token, at its own price."""
        return self.rest_base_wei * self.volume_quote_wei // self.size_base_wei


class Trade(NamedTuple):
    """A trade on a market."""

    at_ms: int
    price_ticks: int
    base_wei: int
    quote_wei: int


class TradeLeg(NamedTuple):
    """One order's part in a trade."""

    order_id: int
    account_id: int
    sold_token: int
    bought_token: int
    amount_sold_wei: int
    amount_bought_wei: int
    valid_until_s: int
    fee_bips: int
    fill_sold_wei: int


class Key(NamedTuple):
    """An account's EdDSA key, the nonce that it was made with, and its seed if that is known."""

    public_key_x: str
    public_key_y: str
    key_nonce: int
    key_seed: str | None


class KeyChange(NamedTuple):
    """The two keys of an account update."""

    old: Key
    new: Key


class Request(NamedTuple):
    """An asynchronous request and how far it has come. An account update moves no amount, only its fee."""

    hash: str
    kind: RequestKind
    account_id: int
    """Who asks, and pays."""
    status: RequestStatus
    token_id: int
    """What is moved; an NFT's own token id for NFT requests."""
    amount_wei: int
    fee_token_id: int
    fee_wei: int
    """What will be charged."""
    to_account_id: int | None
    """The receiver on layer 2, if there is one."""
    to_address: str
    tx_id: int
    valid_until_s: int | None
    storage_id: int | None
    nonce: int | None
    key_change: KeyChange | None
    nft_data: str | None
    funded: bool
    """False: the money was not there, nothing was taken, and the request will fail."""
    must_fail: bool
    """Scripted to fail, or not funded."""
    polls: int = 0
    """How often it has been asked after in its present state."""
    block_id: int | None = None
    """The block that its transaction is in."""
    sealed_valid: bool = False
    """Whether that block takes it as valid."""
    credited: bool = False
    """Whether the receiver has the amount."""
    key_used: bool = False
    """Whether the new key has become active."""

    @property
    def can_only_fail(self) -> bool:
        """Whether it cannot be processed any more: it is scripted to fail, or its block has it as not valid."""
        return self.must_fail or (self.block_id is not None and not self.sealed_valid)

    @property
    def is_open(self) -> bool:
        """Whether it can still move."""
        return self.status in (RequestStatus.RECEIVED, RequestStatus.PROCESSING)


class Nft(NamedTuple):
    """A kind of NFT, as layer 2 knows it."""

    nft_data: str
    nft_token_id: int
    """Its token id on layer 2, above all ordinary ones."""
    minter_id: int
    minter: str
    token_address: str
    nft_id: str
    creator_fee_bips: int
    mints: tuple[str, ...]
    """Hashes of the mint requests."""


class SpotTrade(NamedTuple):
    """Two orders that met; the first is the one that came later and took."""

    taker: TradeLeg
    maker: TradeLeg


class Deposit(NamedTuple):
    """Money that came in from layer 1."""

    account_id: int
    owner: str
    token_id: int
    token_address: str
    amount_wei: int


class PastTx(NamedTuple):
    """A transaction of the past, with the fields that it was told with (spec, TransactionBlock)."""

    fields: Mapping[str, Any]


class PendingTx(NamedTuple):
    """A transaction that waits for the next block."""

    tx_id: int
    type: TxType
    body: SpotTrade | Deposit | PastTx | str
    """A request's transaction has the request's hash as its body."""


class SealedTx(NamedTuple):
    """A transaction in a block."""

    tx: PendingTx
    valid: bool


class Block(NamedTuple):
    """A sealed block; all but its status is final."""

    block_id: int
    tx_hash: str
    status: BlockStatus
    created_at_ms: int
    transactions: tuple[SealedTx, ...]
