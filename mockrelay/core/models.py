"""The immutable records of a world. A change replaces a record by a new one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from mockrelay.spec.request_kinds import RequestKind, TxType
from mockrelay.spec.vocab import BlockStatus, HeldAs, OrderForm, OrderStatus, OrderType, RequestStatus, Side


class Account(NamedTuple):
    """An exchange account (spec, DexAccount) with its API key, fee rates and private keys."""

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
    """The text that the EdDSA key was derived from; None: not given."""
    eddsa_key: str | None = None
    """The layer-2 private key in hex, if the scenario gives it."""
    layer1_key: str | None = None
    """The owner's layer-1 private key in hex, if the scenario gives it."""


class Balance(NamedTuple):
    """An account's layer-2 balance of one token, in its smallest unit."""

    free_wei: int
    frozen_wei: int
    """Locked for open orders."""
    in_flight_wei: int
    """Amounts and fees of requests that are accepted and not yet processed."""


NO_BALANCE = Balance(0, 0, 0)


class Order(NamedTuple):
    """An order and its state (spec, OrderDetail). `base` and `quote` are the market's tokens."""

    hash: str
    seq: int
    """The number of orders created before it, over all accounts."""
    account_id: int
    order_id: int
    market: str
    side: Side
    order_type: OrderType
    ends_on_bought: bool
    """True: filled when `amountB` is bought; False: filled when `amountS` is sold (field `buy`)."""
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
    """Why it is held by a fault; None: it is not."""
    failed: bool = False
    """Whether it was held and then released as failed."""
    filled_base_wei: int = 0
    filled_quote_wei: int = 0
    filled_fee_wei: int = 0
    form: OrderForm = OrderForm.GEN2
    trade_channel: str = "MIXED"
    """The channel that it was submitted for; every order goes to the book."""

    @property
    def sold_wei(self) -> int:
        """The amount sold so far."""
        return self.filled_base_wei if self.side is Side.SELL else self.filled_quote_wei

    @property
    def amount_sold_wei(self) -> int:
        """The amount offered (field `amountS`)."""
        return self.size_base_wei if self.side is Side.SELL else self.volume_quote_wei

    @property
    def amount_bought_wei(self) -> int:
        """The amount asked for it (field `amountB`)."""
        return self.volume_quote_wei if self.side is Side.SELL else self.size_base_wei

    @property
    def remaining_frozen_wei(self) -> int:
        """The amount frozen for it while it is open: what it has not sold."""
        return self.amount_sold_wei - self.sold_wei

    @property
    def ends_on_base(self) -> bool:
        """Whether the base amount decides when it is filled."""
        return self.ends_on_bought is (self.side is Side.BUY)

    @property
    def remaining_base_wei(self) -> int:
        """The remaining amount of the base token, at the order's own price."""
        remaining_base_wei = self.size_base_wei - self.filled_base_wei
        is_sale = self.side is Side.SELL
        if is_sale and self.ends_on_base:
            return remaining_base_wei
        remaining_quote_wei = self.volume_quote_wei - self.filled_quote_wei
        by_quote_wei = remaining_quote_wei * self.size_base_wei // self.volume_quote_wei
        # Limits the sale to the frozen amount, also after a fill by hand at a worse price.
        return min(remaining_base_wei, by_quote_wei) if is_sale or self.ends_on_base else by_quote_wei

    @property
    def remaining_quote_wei(self) -> int:
        """The remaining amount of the quote token, at the order's own price."""
        return self.remaining_base_wei * self.volume_quote_wei // self.size_base_wei


class TradeParty(NamedTuple):
    """Who traded, with which order, and the fee in the token received."""

    account_id: int
    """The house's where nobody else traded, as before a scenario's start."""
    order_hash: str
    """Empty: the house, which has no order."""
    fee_wei: int


class Trade(NamedTuple):
    """A trade on a market."""

    at_ms: int
    price_ticks: int
    base_wei: int
    quote_wei: int
    trade_id: int
    """Its number over all markets, from 1 on."""
    taker_side: Side
    taker: TradeParty
    maker: TradeParty


class TradeLeg(NamedTuple):
    """One order's side of a trade (spec, SpotTrade): the order's terms and what this trade sold."""

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
    """An account's EdDSA public key, the nonce of the update that set it, and its seed if that was given."""

    public_key_x: str
    public_key_y: str
    key_nonce: int
    key_seed: str | None


class KeyChange(NamedTuple):
    """The keys before and after an account update."""

    old: Key
    new: Key


class Request(NamedTuple):
    """An asynchronous request and its state. An account update has no amount, only a fee."""

    hash: str
    kind: RequestKind
    account_id: int
    """The sender, who pays the fee."""
    status: RequestStatus
    token_id: int
    """The token of `amount_wei`; for NFT requests the NFT's token id."""
    amount_wei: int
    fee_token_id: int
    fee_wei: int
    """The fee charged when it is processed."""
    to_account_id: int | None
    """The receiver on layer 2; None: there is none."""
    to_address: str
    tx_id: int
    valid_until_s: int | None
    storage_id: int | None
    nonce: int | None
    key_change: KeyChange | None
    nft_data: str | None
    funded: bool
    """False: the balance was too small, so nothing is in flight and the request will fail."""
    must_fail: bool
    """Whether a fault makes it fail, or it is not funded."""
    polls: int = 0
    """How often the client has polled it in its current state."""
    block_id: int | None = None
    """The block of its transaction; None: not sealed."""
    sealed_valid: bool = False
    """Whether its transaction is valid in that block."""
    credited: bool = False
    """Whether the receiver has been credited."""
    key_used: bool = False
    """Whether its new key has become active."""
    memo: str = ""
    """The client's own words, which are shown to it again."""
    updated_at_ms: int = 0
    """When its state last changed."""

    @property
    def can_only_fail(self) -> bool:
        """Whether it can no longer be processed: it must fail, or its transaction is not valid in its block."""
        return self.must_fail or (self.block_id is not None and not self.sealed_valid)

    @property
    def is_open(self) -> bool:
        """Whether its state is not final."""
        return self.status in (RequestStatus.RECEIVED, RequestStatus.PROCESSING)


class Nft(NamedTuple):
    """An NFT on layer 2: one nftData, of which several copies can be minted."""

    nft_data: str
    nft_token_id: int
    """Its token id on layer 2, above those of ordinary tokens."""
    minter_id: int
    minter: str
    token_address: str
    nft_id: str
    creator_fee_bips: int
    mints: tuple[str, ...]
    """Hashes of the mint requests."""
    royalty_percentage: int | None
    """The number in its nftData where it was sent by this name; None: it was sent as creatorFeeBips."""
    created_at_ms: int
    """When it was first minted."""
    royalty_address: str
    """Who gets the royalty, as the first mint said."""


class Collection(NamedTuple):
    """A collection: what is minted under one of an owner's contracts, which its base URI tells from the others (profile
    `live`, E42).
    """

    contract: str
    """The address in lower case, which follows from the owner and the base URI."""
    collection_id: int
    account_id: int
    """The owner's account, which alone mints under the contract."""
    base_uri: str
    name: str
    title: str = ""
    description: str = ""
    avatar: str = ""
    banner: str = ""
    thumbnail: str = ""
    tile_uri: str = ""
    is_mintable: bool = True
    """False: nothing more is minted under it."""


class SpotTrade(NamedTuple):
    """A trade of two orders: the incoming one and the resting one."""

    taker: TradeLeg
    maker: TradeLeg


class Deposit(NamedTuple):
    """A deposit from layer 1."""

    account_id: int
    owner: str
    token_id: int
    token_address: str
    amount_wei: int


class PastTx(NamedTuple):
    """A transaction of the scenario's history, with the fields given there (spec, TransactionBlock)."""

    fields: Mapping[str, Any]


class PendingTx(NamedTuple):
    """A transaction that waits for the next block."""

    tx_id: int
    type: TxType
    body: SpotTrade | Deposit | PastTx | str
    """A request's transaction has the request's hash."""


class SealedTx(NamedTuple):
    """A transaction in a block."""

    tx: PendingTx
    valid: bool


class Block(NamedTuple):
    """A sealed block; only its status can change."""

    block_id: int
    tx_hash: str
    status: BlockStatus
    created_at_ms: int
    transactions: tuple[SealedTx, ...]


class LogRow(NamedTuple):
    """A row of the request log: an accepted request, a deposit, or the creation of an account."""

    account_ids: tuple[int, ...]
    """Whose it is: the account's that asked or is concerned, then the receiver's on layer 2."""
    at_ms: int
    """When it was accepted."""
    request: str = ""
    """The hash of the request; of a creation, that of the transfer that needed the account. Empty for a deposit."""
    deposit: Deposit | None = None
    deposit_tx_id: int = 0
    """The transaction of the deposit."""
    is_creation: bool = False
    """Whether it is the creation of the account."""
