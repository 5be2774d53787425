"""The sections that say what the exchange is: `exchange`, `nft`, `tokens`, `markets`, `pools`, `limits`, `rates`, `fees`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from mockrelay.core.config import POOL_PREFIX, Exchange, Market, Pool, Token
from mockrelay.core.errors import InvalidInput
from mockrelay.core.fault_json import check_served
from mockrelay.core.hashing import seeded_hex
from mockrelay.core.units import moment_ms
from mockrelay.scenario.section import Values, at, check_unique, each, look_up
from mockrelay.spec.profiles import Profile
from mockrelay.spec.request_kinds import FeeKind
from mockrelay.spec.vocab import TokenType
from mockrelay.suggest import shown

NO_ADDRESS = "0x" + "0" * 40
"""The address of the native coin."""
NONE = "none"

Limits = Mapping[str, int | None] | None
"""Requests a second by endpoint, None: no limit for it. None as a whole: limits are off."""
AS_IN_SPEC: Limits = MappingProxyType({})


class Rates(NamedTuple):
    """Trading fees in bips."""

    maker_bips: int
    taker_bips: int


NO_RATES = Rates(0, 0)


TOKEN_SHOWN = ("precisionForOrder", "fastWithdrawLimit", "gasAmounts", "luckyTokenAmounts")
MARKET_SHOWN = ("precisionForPrice", "orderbookAggLevels")
"""Fields that change nothing but what live relayers show."""


def build_tokens(listed: Sequence[Values], seed: str) -> dict[str, Token]:
    """Tokens by symbol; an address that is left out is derived from the seed."""
    tokens = each(listed, lambda values: _token(values, seed))
    check_unique("tokenId", (((index, "tokenId"), token.token_id) for index, token in enumerate(tokens)))
    given = (index for index, values in enumerate(listed) if "address" in values)
    check_unique("address", (((index, "address"), tokens[index].address.lower()) for index in given))
    return {token.symbol: token for token in tokens}


def _token(values: Values, seed: str) -> Token:
    type_ = TokenType(values.get("type", TokenType.ERC20))
    symbol, decimals = values["symbol"], values["decimals"]
    no_address = NO_ADDRESS if type_ is TokenType.ETH else seeded_hex(seed, "token", symbol, 20)
    least_wei, most_wei = int(values["minOrderAmount"]), int(values["maxOrderAmount"])
    if most_wei < least_wei:
        raise InvalidInput(("maxOrderAmount",), f"{most_wei}", f"at least minOrderAmount, {least_wei}")
    precision = values.get("precision", decimals)
    if precision > decimals:
        raise InvalidInput(("precision",), shown(precision), f"a whole number from 0 to {decimals}")
    return Token(
        type=type_,
        token_id=values["tokenId"],
        symbol=symbol,
        name=values.get("name", symbol),
        address=values.get("address", no_address),
        unit=values.get("unit", symbol),
        decimals=decimals,
        precision=precision,
        min_order_wei=least_wei,
        max_order_wei=most_wei,
        dust_order_wei=int(values.get("dustOrderAmount", 0)),
        enabled=values.get("enabled", True),
        shown={name: values[name] for name in TOKEN_SHOWN if name in values},
    )


def build_markets(listed: Sequence[Values], tokens: Mapping[str, Token]) -> dict[str, Market]:
    """Markets by name, which is two token symbols with a hyphen between them."""
    markets = each(listed, lambda values: _market(values, tokens))
    pairs: dict[frozenset[str], str] = {}
    for index, market in enumerate(markets):
        pair = frozenset((market.base.symbol, market.quote.symbol))
        if pair in pairs:
            # An order has its two tokens and no market, so a pair cannot have two markets.
            raise InvalidInput((index, "market"), f"a second market of the pair {pairs[pair]}", "each pair once")
        pairs[pair] = market.name
    return {market.name: market for market in markets}


def _market(values: Values, tokens: Mapping[str, Token]) -> Market:
    name: str = values["market"]
    base, quote = _pair(name, tokens)
    return Market(
        name=name,
        base=base,
        quote=quote,
        price_precision=values["pricePrecision"],
        levels=tuple(values["levels"]),
        shown={name: values[name] for name in MARKET_SHOWN if name in values},
        created_at_ms=moment_ms(values["createdAt"]) if "createdAt" in values else None,
    )


def build_pools(
    listed: Sequence[Values], markets: Mapping[str, Market], tokens: Mapping[str, Token], seed: str
) -> tuple[Pool, ...]:
    """Pools in the order given; an address that is left out is derived from the seed."""
    return tuple(each(listed, lambda values: _pool(values, markets, tokens, seed)))


def _pool(values: Values, markets: Mapping[str, Market], tokens: Mapping[str, Token], seed: str) -> Pool:
    market, lp = look_up(markets, values, "market"), look_up(tokens, values, "lpToken")
    if lp in (market.base, market.quote):
        raise InvalidInput(("lpToken",), shown(lp.symbol), f"another token than the two of {market.name}")
    precisions = values.get("precisions", {})
    return Pool(
        market=market,
        lp=lp,
        name=values.get("name", f"{POOL_PREFIX}{market.name}"),
        address=values.get("address") or seeded_hex(seed, "pool", market.name, 20),
        version=values.get("version", "1.0.0"),
        fee_bips=values.get("feeBips", 20),
        price_precision=precisions.get("price", market.price_precision),
        amount_precision=precisions.get("amount", lp.precision),
        created_at_ms=moment_ms(values["createdAt"]) if "createdAt" in values else None,
        status=values.get("status", 7),
    )


def _pair(name: str, tokens: Mapping[str, Token]) -> tuple[Token, Token]:
    for index, letter in enumerate(name):
        base, quote = tokens.get(name[:index]), tokens.get(name[index + 1 :])
        if letter == "-" and base is not None and quote is not None and base is not quote:
            return base, quote
    raise InvalidInput(("market",), shown(name), f"two of the tokens {', '.join(tokens)} with a hyphen between them")


def build_exchange(exchange: Values, nft: Values, seed: str) -> Exchange:
    """The exchange contract, with the addresses of the section `nft`; those left out are derived from the seed."""

    def nft_address(key: str) -> str:
        address: str = nft.get(key) or seeded_hex(seed, "nft", key, 20)
        return address

    return Exchange(
        chain_id=exchange["chainId"],
        exchange_id=exchange["exchangeId"],
        exchange_address=exchange.get("exchangeAddress") or seeded_hex(seed, "exchange", "address", 20),
        nft_factory=nft_address("factory"),
        broker=nft_address("broker"),
        onchain_fees=tuple((fee["type"], int(fee["fee"])) for fee in exchange.get("onchainFees", ())),
        nft_implementation=nft_address("implementation"),
    )


def build_limits(values: Values | str, profile: Profile) -> Limits:
    """The section `limits`: a map, or `off`. InvalidInput for an endpoint that the profile does not have."""
    if isinstance(values, str):
        return None
    for endpoint in values:
        with at("limits", endpoint):
            check_served(profile, endpoint, at_key=True)
    return {name: None if limit == NONE else limit for name, limit in values.items()}


def build_rates(values: Values, default: Rates) -> Rates:
    """Maker and taker rate; what is left out is as in `default`."""
    return Rates(values.get("maker", default.maker_bips), values.get("taker", default.taker_bips))


def build_fees(
    exchange: Values, fees: Values, tokens: Mapping[str, Token], profile: Profile
) -> Mapping[FeeKind, Mapping[int, int]]:
    """Fees of requests at the start, in wei by token id: the section `fees`, and the two lists of `exchange`; where none are
    given, the profile's.
    """
    found: dict[FeeKind, Mapping[int, int]] = {}
    for kind in FeeKind:
        listed_at = kind.exchange_field
        if listed_at is not None and listed_at in exchange:
            with at("exchange", listed_at):
                found[kind] = _listed_fees(exchange[listed_at], tokens)
        elif kind.value in fees:
            amounts = fees[kind.value].items()
            found[kind] = {tokens[symbol].token_id: int(wei) for symbol, wei in amounts if wei != NONE}
    return {kind: found[other] for kind, other in profile.fee_defaults.items() if other in found} | found


def _listed_fees(listed: Sequence[Values], tokens: Mapping[str, Token]) -> dict[int, int]:
    token_ids = each(listed, lambda values: look_up(tokens, values, "token").token_id)
    check_unique("fee token", (((index, "token"), token_id) for index, token_id in enumerate(token_ids)))
    return {token_id: int(values["fee"]) for token_id, values in zip(token_ids, listed, strict=True)}
