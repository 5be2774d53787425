"""The section `history`: past trades, and past transactions in the form of `getBlock`. They are in blocks of their own,
which are finalized from the start.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from mockrelay.core.config import Market
from mockrelay.core.hashing import fast_hash
from mockrelay.core.ledger import HOUSE_ID
from mockrelay.core.models import Block, PastTx, PendingTx, SealedTx, SpotTrade, Trade, TradeLeg, TradeParty
from mockrelay.core.units import price_ticks
from mockrelay.core.world import World
from mockrelay.scenario.resting_orders import volume_of
from mockrelay.scenario.section import Values, at, duration_in_ms, each, look_up
from mockrelay.spec.request_kinds import TxType
from mockrelay.spec.vocab import BlockStatus, Side

_TX_TYPES = {word.lower(): word for word in TxType}


class PastTrade(NamedTuple):
    """A past trade; the house account was on both sides of it."""

    before_ms: int
    """Milliseconds before the start."""
    market: str
    side: Side
    """The taker's."""
    price_ticks: int
    size_base_wei: int
    volume_quote_wei: int
    legs: SpotTrade


class History(NamedTuple):
    """The past, each list oldest first."""

    trades: tuple[PastTrade, ...] = ()
    transactions: tuple[PastTx, ...] = ()


def normalize_tx_types(values: Any) -> None:
    """Change the types of past transactions in a document, which need not be valid, to the spellings of the spec: real
    relayers answer them in lower case too.
    """
    history = values.get("history")
    transactions = history.get("transactions") if isinstance(history, dict) else None
    for transaction in transactions if isinstance(transactions, list) else ():
        word = transaction.get("txType") if isinstance(transaction, dict) else None
        if isinstance(word, str) and word.lower() in _TX_TYPES:
            transaction["txType"] = _TX_TYPES[word.lower()]


def build_history(values: Values, markets: Mapping[str, Market]) -> History:
    """The history. Trades may be listed in any order; those of one moment stay in the order listed."""
    with at("trades"):
        trades = each(values.get("trades", ()), lambda one: _trade(one, markets))
    return History(
        tuple(sorted(trades, key=lambda trade: -trade.before_ms)),
        tuple(map(PastTx, values.get("transactions", ()))),
    )


def apply_history(world: World, history: History) -> None:
    """Add the trades to the trade logs and, with the transactions, to sealed blocks. A block of trades was sealed at the
    moment of its last trade, the transactions at the start; block 0 is older than all of them.
    """
    # Moments before 1970 do not exist, however early the relayer's clock starts.
    moments_ms = [max(world.start_ms - trade.before_ms, 0) for trade in history.trades]
    house = TradeParty(HOUSE_ID, "", 0)
    for at_ms, (_, market, side, ticks, base_wei, quote_wei, _) in zip(moments_ms, history.trades, strict=True):
        world.trade_log(market).add(
            Trade(at_ms, ticks, base_wei, quote_wei, world.next_trade_id, side, taker=house, maker=house)
        )
        world.next_trade_id += 1
    if moments_ms:
        world.blocks[0] = world.blocks[0]._replace(created_at_ms=moments_ms[0])
    size = world.config.blocks.seal_size or len(moments_ms) or 1
    sealed = (SealedTx(_tx(world, TxType.SPOT_TRADE, trade.legs), True) for trade in history.trades)
    for first in range(0, len(moments_ms), size):
        _add_block(world, tuple(islice(sealed, size)), moments_ms[first : first + size][-1])
    if history.transactions:
        _add_block(world, tuple(_sealed_txs(world, history.transactions)), world.start_ms)


def _sealed_txs(world: World, transactions: Sequence[PastTx]) -> Iterator[SealedTx]:
    for tx in transactions:
        yield SealedTx(_tx(world, TxType(tx.fields["txType"]), tx), tx.fields.get("valid", True))


def _tx(world: World, type_: TxType, body: SpotTrade | PastTx) -> PendingTx:
    tx = PendingTx(world.next_tx_id, type_, body)
    world.next_tx_id += 1
    return tx


def _add_block(world: World, transactions: tuple[SealedTx, ...], at_ms: int) -> None:
    block_id = len(world.blocks)
    tx_hash = fast_hash("block", world.config.seed, block_id)
    world.blocks.append(Block(block_id, tx_hash, BlockStatus.FINALIZED, at_ms, transactions))


def _trade(values: Values, markets: Mapping[str, Market]) -> PastTrade:
    market = look_up(markets, values, "market")
    side, base_wei = Side(values["side"]), int(values["size"])
    # A trade has the price of the maker's order, which was on the other side.
    maker_side = side.opposite
    volume_wei = volume_of(values, market, maker_side, base_wei)
    ticks = price_ticks(market, maker_side, base_wei, volume_wei)
    legs = SpotTrade(_leg(market, side, base_wei, volume_wei), _leg(market, maker_side, base_wei, volume_wei))
    return PastTrade(duration_in_ms(values["before"]), market.name, side, ticks, base_wei, volume_wei, legs)


def _leg(market: Market, side: Side, base_wei: int, quote_wei: int) -> TradeLeg:
    base, quote = (market.base.token_id, base_wei), (market.quote.token_id, quote_wei)
    (sold, sold_wei), (bought, bought_wei) = (base, quote) if side is Side.SELL else (quote, base)
    return TradeLeg(0, HOUSE_ID, sold, bought, sold_wei, bought_wei, 0, 0, sold_wei)
