"""Matching of orders: price-time priority, at the maker's price, in whole wei.

A trade's base amount is what both orders can still trade at that price; its quote amount is computed from it and rounded
down. So no order sells more than was frozen, and an order whose remaining amount is not worth a whole wei is filled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mockrelay.core.blocks.pending import enqueue
from mockrelay.core.config import Market, Token
from mockrelay.core.ledger import HOUSE_ID
from mockrelay.core.models import Order, SpotTrade, Trade, TradeLeg, TradeParty
from mockrelay.core.units import quote_at_price
from mockrelay.spec.request_kinds import TxType
from mockrelay.spec.transitions import ORDER, OrderTrigger, step
from mockrelay.spec.vocab import OrderStatus, OrderType, Side

if TYPE_CHECKING:
    from mockrelay.core.context import Context

BIPS = 10_000


class TradeSide(NamedTuple):
    """One side of a trade: an order, or the house."""

    order: Order | None
    """None: the house."""
    fee_bips: int

    @property
    def account_id(self) -> int:
        """The account of this side."""
        return HOUSE_ID if self.order is None else self.order.account_id

    def party(self, fee_wei: int) -> TradeParty:
        """The side as the trade log names it, with its fee."""
        order = self.order
        return TradeParty(HOUSE_ID, "", fee_wei) if order is None else TradeParty(order.account_id, order.hash, fee_wei)


HOUSE_SIDE = TradeSide(None, 0)


def enter_market(ctx: Context, order: Order, at_ms: int) -> Order:
    """Match an order that has just become `processing`; its remaining amount goes into the book or is cancelled. Returns its
    new state.
    """
    world = ctx.world
    book = world.book(order.market)
    own, others = book.own_and_other(order.side)
    while others.crossed_by(order.size_base_wei, order.volume_quote_wei):
        maker = others.best()
        assert maker is not None
        if order.order_type is OrderType.MAKER_ONLY or _is_unwanted_self_trade(ctx, order, maker):
            return end_order(ctx, order, OrderTrigger.REST_DROPPED)
        order = _trade_with_maker(ctx, order, maker, at_ms)
        if order.status is not OrderStatus.PROCESSING:
            return order
    if order.order_type is OrderType.TAKER_ONLY:
        return end_order(ctx, order, OrderTrigger.REST_DROPPED)
    own.add(order)
    book.touch(at_ms)
    return order


def fill_by_house(ctx: Context, order: Order, base_wei: int, ticks: int, at_ms: int) -> None:
    """Trade `base_wei` of a resting order with the house at a price in ticks; the order is the maker."""
    market = ctx.world.config.markets[order.market]
    quote_wei = quote_of_fill(market, order, base_wei, ticks)
    _trade(ctx, market, HOUSE_SIDE, _maker(ctx, order), base_wei, quote_wei, ticks, at_ms)


def quote_of_fill(market: Market, order: Order, base_wei: int, ticks: int) -> int:
    """The quote amount in wei of `base_wei` of an order at a price in ticks. Ticks are rounded: the order's own ticks mean
    its exact price.
    """
    if ticks == order.price_ticks:
        return base_wei * order.volume_quote_wei // order.size_base_wei
    return quote_at_price(market, ticks, base_wei)


def end_order(ctx: Context, order: Order, trigger: OrderTrigger) -> Order:
    """Move an order to a final state and unfreeze its remaining amount. Does not touch the book."""
    failed = trigger is OrderTrigger.FAILED
    after = order._replace(status=step(ORDER, order.status, trigger), held=None, failed=failed)
    ctx.note_move("order", order.hash, order.status, after.status)
    ctx.world.ledger.unfreeze(order.account_id, order.sold_token, order.remaining_frozen_wei)
    ctx.world.orders.replace(order, after)
    return after


def leave_book(ctx: Context, before: Order, at_ms: int) -> None:
    """Remove an order from the book, given as it was while it rested."""
    book = ctx.world.book(before.market)
    book.of(before.side).remove(before)
    book.touch(at_ms)


def _is_unwanted_self_trade(ctx: Context, taker: Order, maker: Order) -> bool:
    return taker.account_id == maker.account_id and ctx.decide("order.self_trade") == "cancel_newest"


def _trade_with_maker(ctx: Context, taker: Order, maker: Order, at_ms: int) -> Order:
    """Trade a taker with the best maker, or end the order whose remaining amount is not worth a whole wei. Returns the
    taker's new state.
    """
    market = ctx.world.config.markets[taker.market]
    taker_base_wei = _tradable_base_wei(taker, maker)
    maker_base_wei = maker.remaining_base_wei
    base_wei = min(taker_base_wei, maker_base_wei)
    quote_wei = base_wei * maker.volume_quote_wei // maker.size_base_wei
    if quote_wei == 0:
        if taker_base_wei <= maker_base_wei:
            return end_order(ctx, taker, OrderTrigger.FILLED)
        end_order(ctx, maker, OrderTrigger.FILLED)
        leave_book(ctx, maker, at_ms)
        return taker
    account = ctx.world.accounts.get(taker.account_id)
    fee_bips = min(account.taker_bips, taker.max_fee_bips) if account else 0
    taker_side, maker_side = TradeSide(taker, fee_bips), _maker(ctx, maker)
    taker_after = _trade(ctx, market, taker_side, maker_side, base_wei, quote_wei, maker.price_ticks, at_ms)
    assert taker_after is not None
    return taker_after


def _maker(ctx: Context, order: Order) -> TradeSide:
    account = ctx.world.accounts.get(order.account_id)
    return TradeSide(order, min(account.maker_bips, order.max_fee_bips) if account else 0)


def _tradable_base_wei(taker: Order, maker: Order) -> int:
    """The base amount that the taker can still trade at the maker's price."""
    remaining_quote_wei = taker.volume_quote_wei - taker.filled_quote_wei
    by_quote_wei = remaining_quote_wei * maker.size_base_wei // maker.volume_quote_wei
    remaining_base_wei = taker.size_base_wei - taker.filled_base_wei
    if taker.ends_on_base:
        # A buyer can always pay: it trades at its own price or a better one.
        return remaining_base_wei
    return min(by_quote_wei, remaining_base_wei) if taker.side is Side.SELL else by_quote_wei


def _trade(
    ctx: Context,
    market: Market,
    taker: TradeSide,
    maker: TradeSide,
    base_wei: int,
    quote_wei: int,
    ticks: int,
    at_ms: int,
) -> Order | None:
    """Settle a trade and add it to the trade log and the next block. Returns the taker's order after it; None: the house."""
    world = ctx.world
    maker_order = maker.order
    assert maker_order is not None
    maker_sells = maker_order.side is Side.SELL
    seller, buyer = (maker, taker) if maker_sells else (taker, maker)
    base_fee_wei = base_wei * buyer.fee_bips // BIPS
    quote_fee_wei = quote_wei * seller.fee_bips // BIPS
    world.ledger.settle(seller.account_id, buyer.account_id, market.base.token_id, base_wei, base_fee_wei)
    world.ledger.settle(buyer.account_id, seller.account_id, market.quote.token_id, quote_wei, quote_fee_wei)
    sale = _leg(seller, market.base, market.quote, base_wei, quote_wei)
    purchase = _leg(buyer, market.quote, market.base, quote_wei, base_wei)
    enqueue(ctx, TxType.SPOT_TRADE, SpotTrade(purchase, sale) if maker_sells else SpotTrade(sale, purchase), at_ms)
    maker_fee_wei, taker_fee_wei = (quote_fee_wei, base_fee_wei) if maker_sells else (base_fee_wei, quote_fee_wei)
    parties = taker.party(taker_fee_wei), maker.party(maker_fee_wei)
    trade = Trade(at_ms, ticks, base_wei, quote_wei, world.next_trade_id, maker_order.side.opposite, *parties)
    world.trade_log(market.name).add(trade)
    world.next_trade_id += 1
    maker_after = _filled(ctx, maker_order, base_wei, quote_wei, maker_fee_wei)
    book = world.book(market.name)
    if maker_after.status is OrderStatus.PROCESSING:
        book.of(maker_order.side).change(maker_order, maker_after)
        book.touch(at_ms)
    else:
        leave_book(ctx, maker_order, at_ms)
    return None if taker.order is None else _filled(ctx, taker.order, base_wei, quote_wei, taker_fee_wei)


def _filled(ctx: Context, order: Order, base_wei: int, quote_wei: int, fee_wei: int) -> Order:
    """The order after a trade; ended if nothing tradable remains."""
    after = order._replace(
        filled_base_wei=order.filled_base_wei + base_wei,
        filled_quote_wei=order.filled_quote_wei + quote_wei,
        filled_fee_wei=order.filled_fee_wei + fee_wei,
        status=step(ORDER, order.status, OrderTrigger.FILLED_IN_PART),
    )
    if after.remaining_base_wei == 0 or _remainder_is_dust(ctx, after):
        return end_order(ctx, after, OrderTrigger.FILLED)
    ctx.note_move("order", order.hash, order.status, after.status)
    ctx.world.orders.replace(order, after)
    return after


def _remainder_is_dust(ctx: Context, order: Order) -> bool:
    remaining_wei = order.remaining_base_wei if order.side is Side.SELL else order.remaining_quote_wei
    dust_wei = ctx.world.config.tokens[order.sold_token].dust_order_wei
    return remaining_wei < dust_wei and ctx.decide("order.dust") == "finish"


def _leg(party: TradeSide, sold: Token, bought: Token, sold_wei: int, bought_wei: int) -> TradeLeg:
    """A side of a trade as the block shows it; the house has no order, so its terms are those of the trade."""
    order = party.order
    return TradeLeg(
        order_id=0 if order is None else order.order_id,
        account_id=party.account_id,
        sold_token=sold.token_id,
        bought_token=bought.token_id,
        amount_sold_wei=sold_wei if order is None else order.amount_sold_wei,
        amount_bought_wei=bought_wei if order is None else order.amount_bought_wei,
        valid_until_s=0 if order is None else order.valid_until_s,
        fee_bips=party.fee_bips,
        fill_sold_wei=sold_wei,
    )
