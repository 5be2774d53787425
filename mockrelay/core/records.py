"""The records that a world holds. They never change: a change is a new record in the old one's place."""

from __future__ import annotations

from typing import NamedTuple

from mockrelay.spec.vocab import HeldAs, OrderStatus, OrderType, Side, TxType


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
    held: HeldAs | None
    failed: bool
    """Released from its hold as failed."""
    filled_base_wei: int
    filled_quote_wei: int
    filled_fee_wei: int

    @property
    def sold_wei(self) -> int:
        """What it has sold so far."""
        return self.filled_base_wei if self.side is Side.SELL else self.filled_quote_wei

    @property
    def amount_sold_wei(self) -> int:
        """What it sells at most (field `amountS`)."""
        return self.size_base_wei if self.side is Side.SELL else self.volume_quote_wei

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
        if self.ends_on_base:
            return self.size_base_wei - self.filled_base_wei
        rest_quote_wei = self.volume_quote_wei - self.filled_quote_wei
        rest = rest_quote_wei * self.size_base_wei // self.volume_quote_wei
        return min(rest, self.size_base_wei - self.filled_base_wei) if self.side is Side.SELL else rest

    @property
    def rest_quote_wei(self) -> int:
        """What is left to trade, in the quote token, at its own price."""
        return self.rest_base_wei * self.volume_quote_wei // self.size_base_wei


class Trade(NamedTuple):
    """A trade on a market's tape."""

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


class PendingTx(NamedTuple):
    """A transaction that waits for the next block."""

    tx_id: int
    type: TxType
    body: SpotTrade | Deposit
