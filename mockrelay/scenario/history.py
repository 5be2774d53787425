"""The section `history`: trades of the past, and transactions of the past as a relayer answered them. They lie in blocks
of their own, which are final from the start.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from mockrelay.core.config import Market
from mockrelay.core.hashing import fast_hash
from mockrelay.core.ledger import HOUSE_ID
from mockrelay.core.models import Block, PastTx, PendingTx, SealedTx, SpotTrade, Trade, TradeLeg
from mockrelay.core.units import price_ticks
from mockrelay.core.world import World
from mockrelay.scenario.building import Values, at, duration_of, each, named
from mockrelay.scenario.resting import volume_of
from mockrelay.spec.request_kinds import TxType
from mockrelay.spec.vocab import BlockStatus, Side

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
    transactions: tuple[PastTx, ...] = ()


def in_words_of_the_spec(values: Any) -> None:
    """Change the types of a document's past transactions, whatever it looks like, to the words of the spec: real answers
    show them in lower case too.
    """
    history = values.get("history")
    transactions = history.get("transactions") if isinstance(history, dict) else None
    for transaction in transactions if isinstance(transactions, list) else ():
        word = transaction.get("txType") if isinstance(transaction, dict) else None
        if isinstance(word, str) and word.lower() in _TYPES:
            transaction["txType"] = _TYPES[word.lower()]


def build_history(values: Values, markets: Mapping[str, Market]) -> History:
    """The history. Trades may be told in any order; of one moment, the one told first comes first."""
    with at("trades"):
        trades = each(values.get("trades", ()), lambda one: _trade(one, markets))
    return History(
        tuple(sorted(trades, key=lambda trade: -trade.before_ms)),
        tuple(map(PastTx, values.get("transactions", ()))),
    )


def make_history(world: World, history: History) -> None:
    """Put the trades on the tapes and, with the transactions, into blocks. A block of trades was sealed at its last one,
    the transactions at the start; block 0 is older than all of them.
    """
    # No moment lies before 1970, whatever the relayer's clock says.
    moments_ms = [max(world.start_ms - trade.before_ms, 0) for trade in history.trades]
    for at_ms, (_, market, ticks, base_wei, quote_wei, _) in zip(moments_ms, history.trades, strict=True):
        world.trade_log(market).add(Trade(at_ms, ticks, base_wei, quote_wei))
    if moments_ms:
        world.blocks[0] = world.blocks[0]._replace(created_at_ms=moments_ms[0])
    size = world.config.blocks.seal_size or len(moments_ms) or 1
    sealed = (SealedTx(_tx(world, TxType.SPOT_TRADE, trade.legs), True) for trade in history.trades)
    for first in range(0, len(moments_ms), size):
        _seal(world, tuple(islice(sealed, size)), moments_ms[first : first + size][-1])
    if history.transactions:
        _seal(world, tuple(_told(world, history.transactions)), world.start_ms)


def _told(world: World, transactions: Sequence[PastTx]) -> Iterator[SealedTx]:
    for told in transactions:
        yield SealedTx(_tx(world, TxType(told.fields["txType"]), told), told.fields.get("valid", True))


def _tx(world: World, type_: TxType, body: SpotTrade | PastTx) -> PendingTx:
    tx = PendingTx(world.next_tx_id, type_, body)
    world.next_tx_id += 1
    return tx


def _seal(world: World, transactions: tuple[SealedTx, ...], at_ms: int) -> None:
    block_id = len(world.blocks)
    tx_hash = fast_hash("block", world.config.seed, block_id)
    world.blocks.append(Block(block_id, tx_hash, BlockStatus.FINALIZED, at_ms, transactions))


def _trade(values: Values, markets: Mapping[str, Market]) -> PastTrade:
    market = named(markets, values, "market")
    side, base_wei = Side(values["side"]), int(values["size"])
    # A trade has the price of the order that rested, which was on the other side.
    maker_side = side.opposite
    volume_wei = volume_of(values, market, maker_side, base_wei)
    ticks = price_ticks(market, maker_side, base_wei, volume_wei)
    legs = SpotTrade(_leg(market, side, base_wei, volume_wei), _leg(market, maker_side, base_wei, volume_wei))
    return PastTrade(duration_of(values["before"]), market.name, ticks, base_wei, volume_wei, legs)


def _leg(market: Market, side: Side, base_wei: int, quote_wei: int) -> TradeLeg:
    base, quote = (market.base.token_id, base_wei), (market.quote.token_id, quote_wei)
    (sold, sold_wei), (bought, bought_wei) = (base, quote) if side is Side.SELL else (quote, base)
    return TradeLeg(0, HOUSE_ID, sold, bought, sold_wei, bought_wei, 0, 0, sold_wei)
