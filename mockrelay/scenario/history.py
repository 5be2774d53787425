"""The section `history`: trades of the past, and transactions of the past as a relayer answered them. They lie in blocks
of their own, which are final from the start.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from mockrelay.core.ids import fast_hash
from mockrelay.core.ledger import HOUSE_ID
from mockrelay.core.records import Block, PendingTx, SealedTx, SpotTrade, Told, Trade, TradeLeg
from mockrelay.core.setting import Market
from mockrelay.core.units import price_ticks
from mockrelay.core.wording import nearest
from mockrelay.core.world import World
from mockrelay.scenario.nodes import Node, plain_of
from mockrelay.scenario.reading import Fields, amount_above_zero_wei, duration, each, entries, name_in, word
from mockrelay.scenario.resting import volume_at_price
from mockrelay.spec.request_kinds import TxType
from mockrelay.spec.vocab import BlockStatus, Side
from mockrelay.wire.compile import checker

TRADE_KEYS = ("market", "side", "size", "price", "volume", "before")
_SCHEMA = "mockrelay:objects/TransactionBlock.json"
_TYPES = {word.lower(): word for word in TxType}


class PastTrade(NamedTuple):
    """A trade of the past; the house was on both sides of it."""

    before_ms: int
    """How long before the start."""
    market: str
    price_ticks: int
    size_base_wei: int
    volume_quote_wei: int
    legs: SpotTrade


class History(NamedTuple):
    """What has been, each list oldest first."""

    trades: tuple[PastTrade, ...] = ()
    transactions: tuple[Told, ...] = ()


def read_history(node: Node, markets: Mapping[str, Market]) -> History:
    """The history. Trades may be told in any order; of one moment, the one told first comes first."""
    fields = Fields(node, ("trades", "transactions"))
    no_trades: tuple[PastTrade, ...] = ()
    trades = fields.get("trades", each(lambda item: _trade(item, markets)), no_trades)
    return History(
        tuple(sorted(trades, key=lambda trade: -trade.before_ms)),
        fields.get("transactions", each(_transaction), ()),
    )


def make_history(world: World, history: History) -> None:
    """Put the trades on the tapes and, with the transactions, into blocks. A block of trades was sealed at its last one,
    the transactions at the start; block 0 is older than all of them.
    """
    # No moment lies before 1970, whatever the relayer's clock says.
    moments_ms = [max(world.start_ms - trade.before_ms, 0) for trade in history.trades]
    for at_ms, (_, market, ticks, base_wei, quote_wei, _) in zip(moments_ms, history.trades, strict=True):
        world.tape(market).add(Trade(at_ms, ticks, base_wei, quote_wei))
    if moments_ms:
        world.blocks[0] = world.blocks[0]._replace(created_at_ms=moments_ms[0])
    size = world.setting.blocks.seal_size or len(moments_ms) or 1
    sealed = (SealedTx(_tx(world, TxType.SPOT_TRADE, trade.legs), True) for trade in history.trades)
    for first in range(0, len(moments_ms), size):
        _seal(world, tuple(islice(sealed, size)), moments_ms[first : first + size][-1])
    if history.transactions:
        _seal(world, tuple(_told(world, history.transactions)), world.start_ms)


def _told(world: World, transactions: Sequence[Told]) -> Iterator[SealedTx]:
    for told in transactions:
        yield SealedTx(_tx(world, TxType(told.fields["txType"]), told), told.fields.get("valid", True))


def _tx(world: World, type_: TxType, body: SpotTrade | Told) -> PendingTx:
    tx = PendingTx(world.next_tx_id, type_, body)
    world.next_tx_id += 1
    return tx


def _seal(world: World, transactions: tuple[SealedTx, ...], at_ms: int) -> None:
    block_id = len(world.blocks)
    tx_hash = fast_hash("block", world.setting.seed, block_id)
    world.blocks.append(Block(block_id, tx_hash, BlockStatus.FINALIZED, at_ms, transactions))


def _trade(node: Node, markets: Mapping[str, Market]) -> PastTrade:
    fields = Fields(node, TRADE_KEYS)
    market = markets[fields.need("market", name_in(markets))]
    side = fields.need("side", word(Side))
    base_wei = fields.need("size", amount_above_zero_wei)
    # A trade has the price of the order that rested, which was on the other side.
    maker_side = side.opposite
    if fields.only_one("price", "volume") == "volume":
        quote_wei = fields.need("volume", amount_above_zero_wei)
    else:
        quote_wei = volume_at_price(fields.node_of("price"), market, maker_side, base_wei)
    ticks = price_ticks(market, maker_side, base_wei, quote_wei)
    legs = SpotTrade(_leg(market, side, base_wei, quote_wei), _leg(market, maker_side, base_wei, quote_wei))
    return PastTrade(fields.need("before", duration), market.name, ticks, base_wei, quote_wei, legs)


def _leg(market: Market, side: Side, base_wei: int, quote_wei: int) -> TradeLeg:
    base, quote = (market.base.token_id, base_wei), (market.quote.token_id, quote_wei)
    (sold, sold_wei), (bought, bought_wei) = (base, quote) if side is Side.SELL else (quote, base)
    return TradeLeg(0, HOUSE_ID, sold, bought, sold_wei, bought_wei, 0, 0, sold_wei)


def _transaction(node: Node) -> Told:
    fields = {key: plain_of(value) for key, value in entries(node).items()}
    word = fields.get("txType")
    if isinstance(word, str):
        # Real answers show the words in lower case too.
        if word.lower() not in _TYPES:
            raise entries(node)["txType"].error(f"{word!r}", nearest(word, list(TxType)))
        fields["txType"] = _TYPES[word.lower()]
    if not checker(_SCHEMA)(fields):
        from mockrelay.wire.explain import explain  # noqa: PLC0415  # brings jsonschema, which a right file never needs

        flaw = explain(_SCHEMA, fields)[0]
        field = flaw.field.partition(".")[0]
        raise entries(node).get(field, node).error(flaw.detail, "a transaction as the relayer answers it")
    return Told(fields)
