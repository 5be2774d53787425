"""The immutable configuration of a world: tokens, markets, exchange, fees, limits, lifecycles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from mockrelay.core.call import Encodable
from mockrelay.core.commands.base import Command
from mockrelay.spec.endpoint import SPEC
from mockrelay.spec.profiles import PROFILES, Profile
from mockrelay.spec.request_kinds import Duration, FeeKind, RequestKind
from mockrelay.spec.vocab import RequestStatus

Decisions = Mapping[str, Mapping[int, Any]]
"""Scripted outcomes by the key of a decision and its occurrence, counted from 1."""

NO_DECISIONS: Decisions = MappingProxyType({})


POOL_PREFIX = "AMM-"
"""What the name of a pool has before that of its market."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token of the exchange (spec, TokenInfo); amounts in its smallest unit."""

    type: str
    token_id: int
    symbol: str
    name: str
    address: str
    unit: str
    decimals: int
    precision: int
    min_order_wei: int
    max_order_wei: int
    dust_order_wei: int
    enabled: bool
    shown: Mapping[str, Any] = field(default_factory=dict)
    """What live relayers show of it beside, by the names of their answer, where the scenario says so."""

    least_counted_wei: int = field(init=False)
    """The smallest amount that is not zero at `precision` decimals: further digits do not count (spec, Limits)."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "least_counted_wei", 10 ** max(self.decimals - self.precision, 0))


@dataclass(frozen=True, slots=True)
class Market:
    """A trading pair; prices are quote per base, in ticks of 10^-price_precision."""

    name: str
    base: Token
    quote: Token
    price_precision: int
    levels: tuple[int, ...]
    """Depth levels; level n shows prices in steps of 10^n ticks."""
    shown: Mapping[str, Any] = field(default_factory=dict)
    """What live relayers show of it beside, where the scenario says so."""
    created_at_ms: int | None = None
    """Since when live relayers say that it is there; None: since the world's start."""
    tick_shift: int = field(init=False)
    """A price in wei per wei times ten to the power of this is one in ticks."""

    def __post_init__(self) -> None:
        shift = self.price_precision + self.base.decimals - self.quote.decimals
        object.__setattr__(self, "tick_shift", shift)


class Pool(NamedTuple):
    """A pool of a market's two tokens, which live relayers show; nothing trades with it here."""

    market: Market
    lp: Token
    """The token of shares in the pool."""
    name: str
    address: str
    version: str
    fee_bips: int
    price_precision: int
    amount_precision: int
    created_at_ms: int | None
    """None: since the world's start."""
    status: int

    @property
    def market_name(self) -> str:
        """The name under which it is listed among markets."""
        return f"{POOL_PREFIX}{self.market.name}"


class Stage(NamedTuple):
    """One state of a request's lifecycle."""

    duration: Duration
    fails: bool = False
    """Whether the request fails at the end of this state."""


Lifecycle = Mapping[RequestStatus, Stage]
"""The states that a kind of request goes through; one that lists no `received` starts at `processing`."""


class TimelineEntry(NamedTuple):
    """A command and its moment, in ms after the world's start."""

    at_ms: int
    command: Command[Any]


class BlockRules(NamedTuple):
    """When blocks are sealed, confirmed and finalized."""

    seal_every_ms: int | None
    """None: not by time."""
    seal_size: int | None
    """Transactions a block; None: not by size."""
    confirm: Duration
    """From the sealing."""
    finalize: Duration
    """From the confirmation; in blocks, from the sealing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """The exchange contract (spec, ExchangeInfo)."""

    chain_id: int
    exchange_id: int
    exchange_address: str
    nft_factory: str
    broker: str
    onchain_fees: tuple[tuple[str, int], ...]
    """(fee category, wei of the native coin)."""
    nft_implementation: str
    """The contract that NFT contracts delegate to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The immutable part of a scenario. Worlds with the same config differ only in state and choices."""

    name: str
    seed: str
    """A text that is part of the input of all hashes of this world."""
    profile: Profile
    """Which rows it serves, and how it reads requests."""
    exchange: Exchange
    pools: tuple[Pool, ...]
    prices: Mapping[str, Mapping[str, str]]
    """Prices of tokens as decimal texts: currency -> symbol -> price."""
    signed_hosts: tuple[str, ...]
    """Addresses that a client may have signed in place of the one that it called."""
    ens_names: Mapping[str, int]
    """Names of layer 1, with the ids of the accounts whose owners they stand for."""
    tokens: Mapping[int, Token]
    markets: Mapping[str, Market]
    maker_bips: int
    taker_bips: int
    limits: Mapping[str, int | None]
    """Requests a second by endpoint name, where they differ from the spec; None: no limit."""
    cancel: Duration
    """How long a cancelled order stays `cancelling`."""
    tokens_view: Encodable = field(compare=False)
    """The answer of `get_tokens`."""
    fees: Mapping[FeeKind, Mapping[int, int]]
    """Fees at the start: fee kind -> token id -> wei."""
    lifecycles: Mapping[RequestKind, Lifecycle]
    blocks: BlockRules
    market_of_pair: Mapping[tuple[int, int], tuple[Market, bool]]
    """(sold token id, bought token id) -> (market, whether the base token is sold)."""
    timeline: tuple[TimelineEntry, ...]
    """Commands that run at set times after the start."""
    decisions: Decisions


def make_config(
    *,
    name: str,
    seed: str,
    profile: Profile = PROFILES[SPEC],
    exchange: Exchange,
    pools: tuple[Pool, ...] = (),
    prices: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
    signed_hosts: tuple[str, ...] = (),
    ens_names: Mapping[str, int] = MappingProxyType({}),
    tokens: tuple[Token, ...],
    markets: tuple[Market, ...],
    maker_bips: int,
    taker_bips: int,
    limits: Mapping[str, int | None],
    cancel: Duration,
    fees: Mapping[FeeKind, Mapping[int, int]],
    lifecycles: Mapping[RequestKind, Lifecycle],
    blocks: BlockRules,
    timeline: tuple[TimelineEntry, ...] = (),
    decisions: Decisions = NO_DECISIONS,
) -> Config:
    """A config from its parts, with the derived tables."""
    by_id = {token.token_id: token for token in sorted(tokens, key=lambda token: token.token_id)}
    pairs: dict[tuple[int, int], tuple[Market, bool]] = {}
    for market in markets:
        pairs[market.base.token_id, market.quote.token_id] = (market, True)
        pairs[market.quote.token_id, market.base.token_id] = (market, False)
    return Config(
        name=name,
        seed=seed,
        profile=profile,
        exchange=exchange,
        pools=pools,
        prices=prices,
        signed_hosts=signed_hosts,
        ens_names=ens_names,
        tokens=by_id,
        markets={market.name: market for market in markets},
        maker_bips=maker_bips,
        taker_bips=taker_bips,
        limits=limits,
        cancel=cancel,
        tokens_view=Encodable([_token_view(token) for token in by_id.values()]),
        fees={kind: dict(sorted(fees.get(kind, {}).items())) for kind in FeeKind},
        lifecycles=lifecycles,
        blocks=blocks,
        market_of_pair=pairs,
        timeline=timeline,
        decisions=decisions,
    )


def _token_view(token: Token) -> dict[str, Any]:
    return {
        "type": token.type,
        "tokenId": token.token_id,
        "symbol": token.symbol,
        "name": token.name,
        "address": token.address,
        "unit": token.unit,
        "decimals": token.decimals,
        "precision": token.precision,
        "minOrderAmount": str(token.min_order_wei),
        "maxOrderAmount": str(token.max_order_wei),
        "dustOrderAmount": str(token.dust_order_wei),
        "enabled": token.enabled,
    }
