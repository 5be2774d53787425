"""Commands on orders: cancel, fill, release."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mockrelay.core.commands.base import AccountRef, Command, Target, json_field, rows_of, wei_of
from mockrelay.core.commands.lookup import trader_id_of
from mockrelay.core.errors import BAD, CONFLICT, MISSING, CommandRefused
from mockrelay.core.ledger import HOUSE_ID
from mockrelay.core.orders.lifecycle import release, request_cancel
from mockrelay.core.orders.matching import end_order, fill_by_house, quote_of_fill
from mockrelay.core.orders.queries import order_view
from mockrelay.core.orders.scripted import ScriptedOrder, place
from mockrelay.core.units import units_of_text
from mockrelay.spec.request_kinds import AfterUnit
from mockrelay.spec.transitions import ORDER, OrderTrigger, can
from mockrelay.spec.vocab import OrderStatus, Side
from mockrelay.suggest import in_quotes

if TYPE_CHECKING:
    from mockrelay.core.context import Context
    from mockrelay.core.models import Order


@dataclass(frozen=True, kw_only=True)
class _OrderCommand(Command["Context"]):
    """A command on one order: by its hash, by its clientOrderId (the account's newest order with it), or an account's oldest
    order that the command is suited for.
    """

    hash: str | None = field(default=None, metadata=json_field("hash", str.lower))
    client_order_id: str | None = field(default=None, metadata=json_field("clientOrderId"))
    account: AccountRef | None = field(default=None, metadata=json_field("account", target=Target.TRADER))
    """With a clientOrderId, None means any account."""

    @abstractmethod
    def suits(self, order: Order) -> bool:
        """Whether the command can apply to an order in this state."""

    def find(self, ctx: Context) -> Order:
        """The order; 404 if there is none."""
        if self.hash is not None:
            return order_by_hash(ctx, self.hash)
        account_id = None if self.account is None else trader_id_of(ctx, self.account)
        if self.client_order_id is not None:
            return order_by_hash(ctx, _hash_of_client_id(ctx, self.client_order_id, account_id))
        for order in ctx.world.orders.by_hash.values():
            if order.account_id == account_id and self.suits(order):
                return order
        raise CommandRefused(MISSING, f"account {account_id} has no such order")


@dataclass(frozen=True, kw_only=True)
class CancelOrder(_OrderCommand):
    """Cancel an order as its owner would; a second time, if the scenario completes cancellations by command, complete it."""

    name = "cancel"

    def suits(self, order: Order) -> bool:
        """Whether it can be cancelled."""
        return can(ORDER, order.status, OrderTrigger.CANCEL_ASKED)

    def apply(self, ctx: Context) -> Any:
        """The order after it; 409 if it has ended or its cancellation completes by time."""
        order = self.find(ctx)
        if order.status is OrderStatus.CANCELLING and ctx.world.config.cancel.unit is AfterUnit.HAND:
            return order_state_view(ctx, end_order(ctx, order, OrderTrigger.CANCEL_DONE))
        if not self.suits(order):
            meant = "an order that is processing or waiting"
            raise CommandRefused(CONFLICT, f"the order is {order.status}", "hash", meant)
        return order_state_view(ctx, request_cancel(ctx, order, ctx.now_ms))


@dataclass(frozen=True, kw_only=True)
class FillOrder(_OrderCommand):
    """Trade with an order of the book, the house as the other side."""

    name = "fill"
    size_base_wei: int = field(metadata=json_field("size", wei_of, str))
    price: str | None = field(default=None, metadata=json_field("price"))
    """None: the order's own price."""

    def suits(self, order: Order) -> bool:
        """Whether it is in the book."""
        return order.status is OrderStatus.PROCESSING

    def apply(self, ctx: Context) -> Any:
        """The order after it; 409 if it is not in the book or its remaining amount is too small."""
        order = self.find(ctx)
        if not self.suits(order):
            raise CommandRefused(CONFLICT, f"the order is {order.status}", "hash", "an order that is processing")
        ticks = self._checked_ticks(ctx, order)
        fill_by_house(ctx, order, self.size_base_wei, ticks, ctx.now_ms)
        return order_state_view(ctx, ctx.world.orders.by_hash[order.hash])

    def _checked_ticks(self, ctx: Context, order: Order) -> int:
        """The price in ticks; CommandRefused for a wrong price or a size that the order cannot fill at it."""
        market = ctx.world.config.markets[order.market]
        ticks = order.price_ticks if self.price is None else units_of_text(self.price, market.price_precision)
        if ticks is None or (ticks == 0 and self.price is not None):
            meant = f"a decimal above zero with up to {market.price_precision} digits"
            raise CommandRefused(BAD, f"{in_quotes(self.price)} is not a price", "price", meant)
        remaining_wei = order.remaining_base_wei
        if not 0 < self.size_base_wei <= remaining_wei:
            error = f"{self.size_base_wei} cannot be filled, {remaining_wei} are left"
            meant = f"1 to {remaining_wei}, in the smallest unit of {market.base.symbol}"
            raise CommandRefused(CONFLICT, error, "size", meant)
        quote_wei = quote_of_fill(market, order, self.size_base_wei, ticks)
        left_wei = order.volume_quote_wei - order.filled_quote_wei
        if quote_wei > left_wei and (order.side is Side.BUY or not order.ends_on_base):
            error = f"{quote_wei} {market.quote.symbol} would change hands, {left_wei} are left"
            raise CommandRefused(CONFLICT, error, "price", "a price at which the order's rest reaches")
        return ticks


@dataclass(frozen=True, kw_only=True)
class PlaceOrder(Command["Context"]):
    """Submit an order of the timeline, which trades at once if it can."""

    name = "order"
    order: ScriptedOrder

    def apply(self, ctx: Context) -> Any:
        """The order after it; 409 if its account is frozen or has too small a balance."""
        account_id, sold = self.order.account_id, self.order.sold
        if account_id != HOUSE_ID:
            free_wei = ctx.world.ledger.balance(account_id, sold.token_id).free_wei
            if ctx.world.accounts[account_id].frozen:
                raise CommandRefused(CONFLICT, f"account {account_id} is frozen and cannot submit orders")
            if self.order.amount_sold_wei > free_wei:
                error = f"the order sells {self.order.amount_sold_wei} wei of {sold.symbol}, {free_wei} are free"
                raise CommandRefused(CONFLICT, error)
        return order_state_view(ctx, place(ctx, self.order))


_RELEASED_AS = ("active", "failed")


@dataclass(frozen=True, kw_only=True)
class ReleaseOrder(_OrderCommand):
    """Release a held order, as active or as failed."""

    name = "release"
    failed: bool = field(metadata=json_field("as", lambda word: word == "failed", lambda failed: _RELEASED_AS[failed]))

    def suits(self, order: Order) -> bool:
        """Whether it is held."""
        return order.held is not None

    def apply(self, ctx: Context) -> Any:
        """The order after it; 409 if it is not held."""
        order = self.find(ctx)
        if not self.suits(order):
            error = f"the order is {order.status} and not held"
            raise CommandRefused(CONFLICT, error, "hash", "an order that is held")
        return order_state_view(ctx, release(ctx, order, failed=self.failed, at_ms=ctx.now_ms))


def order_by_hash(ctx: Context, hash_: str) -> Order:
    """The order with this hash; 404 if there is none."""
    order = ctx.world.orders.by_hash.get(hash_.lower())
    if order is None:
        meant = f"the hash that the submission answered, one of {len(ctx.world.orders)} orders"
        raise CommandRefused(MISSING, f"there is no order {hash_}", "hash", meant)
    return order


def order_state_view(ctx: Context, order: Order) -> dict[str, Any]:
    """An order as its owner sees it, with its internal state."""
    return order_view(ctx, order) | {
        "accountId": order.account_id,
        "orderId": order.order_id,
        "orderType": order.order_type,
        "held": order.held,
        "failed": order.failed,
    }


def _hash_of_client_id(ctx: Context, client_order_id: str, account_id: int | None) -> str:
    account_hashes = [
        hashes[client_order_id]
        for owner_id, hashes in ctx.world.orders.by_client_id.items()
        if account_id in (None, owner_id) and client_order_id in hashes
    ]
    if not account_hashes:
        raise CommandRefused(MISSING, f"there is no order with the clientOrderId {in_quotes(client_order_id)}")
    if len(account_hashes) > 1:
        error = f"{len(account_hashes)} accounts have an order with the clientOrderId {in_quotes(client_order_id)}"
        raise CommandRefused(CONFLICT, error, None, "one of them, by account")
    return account_hashes[0]


ROWS = rows_of(CancelOrder, FillOrder, ReleaseOrder)
