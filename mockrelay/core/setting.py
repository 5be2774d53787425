"""What a world is made of and never changes while it runs: tokens, markets, exchange, fees, limits, lifecycles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from mockrelay.core.call import Encodable


class Token(NamedTuple):
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

    def counted_wei(self, amount_wei: int) -> int:
        """What of an amount counts: digits below `precision` decimals are zero (spec, Limits)."""
        step: int = 10 ** max(self.decimals - self.precision, 0)
        return amount_wei - amount_wei % step


class Market(NamedTuple):
    """A trading pair; prices are quote per base, in ticks of 10^-price_precision."""

    name: str
    base: Token
    quote: Token
    price_precision: int
    levels: tuple[int, ...]
    """Depth levels; level n shows prices in steps of 10^n ticks."""


class AfterUnit(StrEnum):
    """What a state of a lifecycle waits for."""

    TIME = "time"
    BLOCKS = "blocks"
    POLLS = "polls"
    HAND = "hand"


class Stay(NamedTuple):
    """How long a state of a lifecycle lasts: so many ms, sealed blocks or polls, or until moved by hand."""

    unit: AfterUnit
    amount: int


class Fee(NamedTuple):
    """A fee in a token, in its smallest unit."""

    token_id: int
    amount_wei: int


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
    transfer_fees: tuple[Fee, ...]
    withdrawal_fees: tuple[Fee, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """All that a scenario fixes for good. Two worlds of one setting differ in state and choices alone."""

    name: str
    seed: str
    """What hashes of this world start from, beside their own input."""
    exchange: Exchange
    tokens: Mapping[int, Token]
    markets: Mapping[str, Market]
    maker_bips: int
    taker_bips: int
    limits: Mapping[str, int | None]
    """Requests a second by endpoint name, where they differ from the spec; None: no limit."""
    cancel: Stay
    """How long a cancelled order stays `cancelling`."""
    tokens_view: Encodable
    """The answer of `get_tokens`."""
    exchange_view: Encodable
    """The answer of `get_exchange_info`."""
    market_of_pair: Mapping[tuple[int, int], tuple[Market, bool]]
    """(sold, bought token id) -> its market, and whether the base token is the one sold."""

    def token_named(self, symbol: str) -> Token | None:
        """The token with this symbol, or None."""
        return next((token for token in self.tokens.values() if token.symbol == symbol), None)


def make_setting(
    *,
    name: str,
    seed: str,
    exchange: Exchange,
    tokens: tuple[Token, ...],
    markets: tuple[Market, ...],
    maker_bips: int,
    taker_bips: int,
    limits: Mapping[str, int | None],
    cancel: Stay,
) -> Setting:
    """A setting with all that is derived from its parts."""
    by_id = {token.token_id: token for token in sorted(tokens, key=lambda token: token.token_id)}
    pairs: dict[tuple[int, int], tuple[Market, bool]] = {}
    for market in markets:
        pairs[market.base.token_id, market.quote.token_id] = (market, True)
        pairs[market.quote.token_id, market.base.token_id] = (market, False)
    return Setting(
        name=name,
        seed=seed,
        exchange=exchange,
        tokens=by_id,
        markets={market.name: market for market in markets},
        maker_bips=maker_bips,
        taker_bips=taker_bips,
        limits=limits,
        cancel=cancel,
        tokens_view=Encodable([_token_view(token) for token in by_id.values()]),
        exchange_view=Encodable(_exchange_view(exchange, by_id)),
        market_of_pair=pairs,
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


def _exchange_view(exchange: Exchange, tokens: Mapping[int, Token]) -> dict[str, Any]:
    def off_fees(fees: tuple[Fee, ...]) -> list[dict[str, str]]:
        ordered = sorted(fees, key=lambda fee: fee.token_id)
        return [{"token": tokens[fee.token_id].symbol, "fee": str(fee.amount_wei)} for fee in ordered]

    return {
        "chainId": exchange.chain_id,
        "exchangeId": exchange.exchange_id,
        "exchangeAddress": exchange.exchange_address,
        "onchainFees": [{"type": category, "fee": str(wei)} for category, wei in exchange.onchain_fees],
        "transferFees": off_fees(exchange.transfer_fees),
        "withdrawalFees": off_fees(exchange.withdrawal_fees),
    }
