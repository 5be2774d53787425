"""The sections that say what the exchange is: `exchange`, `nft`, `tokens`, `markets`, `limits`, `rates`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from mockrelay.core.ids import seeded_hex
from mockrelay.core.setting import Exchange, Market, Token
from mockrelay.core.wording import number_meant
from mockrelay.scenario.fees import IN_EXCHANGE
from mockrelay.scenario.nodes import Node
from mockrelay.scenario.reading import (
    Fields,
    address,
    amount_wei,
    boolean,
    by_name,
    each,
    entries,
    items,
    once,
    text,
    whole,
    word,
)
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.spec.vocab import TokenType

NO_ADDRESS = "0x" + "0" * 40
"""What stands for the native coin where a contract is named."""
BIPS_MAX = 10_000
CHAIN_ID_MAX = 2**53 - 1
DECIMALS_MAX = 36
NO_LIMIT = "none"

TOKEN_KEYS = (
    "type",
    "tokenId",
    "symbol",
    "name",
    "address",
    "unit",
    "decimals",
    "precision",
    "minOrderAmount",
    "maxOrderAmount",
    "dustOrderAmount",
    "enabled",
)
MARKET_KEYS = ("market", "pricePrecision", "levels")
EXCHANGE_KEYS = ("chainId", "exchangeId", "exchangeAddress", "onchainFees", *IN_EXCHANGE.values())
NFT_KEYS = ("factory", "implementation", "broker")
RATE_KEYS = ("maker", "taker")


class Rates(NamedTuple):
    """Trading fees in bips."""

    maker_bips: int
    taker_bips: int


def read_tokens(node: Node, seed: str) -> dict[str, Token]:
    """Tokens by symbol. Only what every token needs must be given; an address left out is named by the seed."""
    nodes = items(node)
    tokens = [_token(item, seed) for item in nodes]
    once(((entries(item)["tokenId"], token.token_id) for item, token in zip(nodes, tokens, strict=True)), "tokenId")
    placed = [
        (entries(item)["address"], token.address.lower())
        for item, token in zip(nodes, tokens, strict=True)
        if "address" in entries(item)
    ]
    once(placed, "address")
    return {token.symbol: token for token in tokens}


def _token(node: Node, seed: str) -> Token:
    fields = Fields(node, TOKEN_KEYS)
    type_ = fields.get("type", word(TokenType), TokenType.ERC20)
    symbol = fields.need("symbol", text)
    decimals = fields.need("decimals", whole(0, DECIMALS_MAX))
    no_address = NO_ADDRESS if type_ is TokenType.ETH else seeded_hex(seed, "token", symbol, 20)
    least_wei = fields.need("minOrderAmount", amount_wei)
    most_wei = fields.need("maxOrderAmount", amount_wei)
    if most_wei < least_wei:
        raise fields.node_of("maxOrderAmount").error(f"{most_wei}", f"at least minOrderAmount, {least_wei}")
    return Token(
        type=type_,
        token_id=fields.need("tokenId", whole()),
        symbol=symbol,
        name=fields.get("name", text, symbol),
        address=fields.get("address", address, no_address),
        unit=fields.get("unit", text, symbol),
        decimals=decimals,
        precision=fields.get("precision", whole(0, decimals), decimals),
        min_order_wei=least_wei,
        max_order_wei=most_wei,
        dust_order_wei=fields.get("dustOrderAmount", amount_wei, 0),
        enabled=fields.get("enabled", boolean, True),
    )


def read_markets(node: Node, tokens: Mapping[str, Token]) -> tuple[Market, ...]:
    """Markets, each of two tokens by the symbols in its name."""
    pairs: dict[frozenset[str], str] = {}
    markets: list[Market] = []
    for item in items(node):
        market = _market(item, tokens)
        pair = frozenset((market.base.symbol, market.quote.symbol))
        if pair in pairs:
            # An order names its two tokens only, so one pair cannot have two markets.
            raise entries(item)["market"].error(f"a second market of the pair {pairs[pair]}", "each pair once")
        pairs[pair] = market.name
        markets.append(market)
    return tuple(markets)


def _market(node: Node, tokens: Mapping[str, Token]) -> Market:
    fields = Fields(node, MARKET_KEYS)
    base, quote = _pair(fields.node_of("market"), tokens)
    level_nodes = items(fields.node_of("levels"))
    levels = fields.need("levels", each(whole(0, DECIMALS_MAX)))
    if not levels:
        raise fields.node_of("levels").error("no level", "at least one, such as [0, 1, 2]")
    once(zip(level_nodes, levels, strict=True), "level")
    return Market(
        name=fields.need("market", text),
        base=base,
        quote=quote,
        price_precision=fields.need("pricePrecision", whole(0, DECIMALS_MAX)),
        levels=levels,
    )


def _pair(node: Node, tokens: Mapping[str, Token]) -> tuple[Token, Token]:
    name = text(node)
    for at, letter in enumerate(name):
        base, quote = tokens.get(name[:at]), tokens.get(name[at + 1 :])
        if letter == "-" and base is not None and quote is not None and base is not quote:
            return base, quote
    raise node.error(node.shown, f"two of the tokens {', '.join(tokens)} with a hyphen between them")


def read_exchange(fields: Fields, seed: str) -> Exchange:
    """The exchange contract, with the addresses of the section `nft`; addresses left out come of the seed. The two lists
    of fees are read with the others.
    """
    exchange = Fields(fields.node_of("exchange"), EXCHANGE_KEYS)
    nft = fields.get("nft", lambda node: Fields(node, NFT_KEYS), None)

    def nft_address(key: str) -> str:
        derived = seeded_hex(seed, "nft", key, 20)
        return derived if nft is None else nft.get(key, address, derived)

    return Exchange(
        chain_id=exchange.need("chainId", whole(1, CHAIN_ID_MAX)),
        exchange_id=exchange.need("exchangeId", whole()),
        exchange_address=exchange.get("exchangeAddress", address, seeded_hex(seed, "exchange", "address", 20)),
        nft_factory=nft_address("factory"),
        broker=nft_address("broker"),
        onchain_fees=exchange.get("onchainFees", each(_onchain_fee), ()),
        nft_implementation=nft_address("implementation"),
    )


def _onchain_fee(node: Node) -> tuple[str, int]:
    fields = Fields(node, ("type", "fee"))
    return fields.need("type", text), fields.need("fee", amount_wei)


def read_limits(node: Node) -> Mapping[str, int | None] | None:
    """Requests a second by endpoint name, None: no limit; as a whole, None: `off`."""
    if node.value == "off":
        return None
    if not isinstance(node.value, dict):
        raise node.error(node.shown, "off, or a map of endpoint names to numbers")
    return dict(by_name(node, BY_NAME, _limit))


def _limit(node: Node) -> int | None:
    if node.value == NO_LIMIT:
        return None
    if not isinstance(node.value, int) or node.value < 1:
        raise node.error(node.shown, number_meant(node.value, f"a whole number a second from 1 on, or {NO_LIMIT}"))
    return whole(1)(node)


def read_rates(node: Node, default: Rates) -> Rates:
    """Maker and taker rate; what is left out is as in `default`."""
    fields = Fields(node, RATE_KEYS)
    bips = whole(0, BIPS_MAX)
    return Rates(fields.get("maker", bips, default.maker_bips), fields.get("taker", bips, default.taker_bips))
