"""What is done to a world by hand, since the spec has no endpoint for it: cancel, fill, deposit and the like.

Each verb checks everything first and raises CommandRefused where it cannot be done. Nothing is changed then.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from mockrelay.core.errors import BAD, CONFLICT, MISSING, CommandRefused
from mockrelay.core.keyring import with_real_key
from mockrelay.core.machine import can
from mockrelay.core.matching import end_order, fill_by_house, quote_of_fill
from mockrelay.core.orders import ask_cancel, release
from mockrelay.core.pending import enqueue
from mockrelay.core.records import Account, Deposit, Order
from mockrelay.core.setting import Token
from mockrelay.core.units import units_of_text
from mockrelay.spec.request_kinds import AfterUnit, TxType
from mockrelay.spec.transitions import ORDER, OrderTrigger
from mockrelay.spec.vocab import NodeState, OrderStatus, Side

if TYPE_CHECKING:
    from mockrelay.core.context import Context

ADDRESS = re.compile("0x[0-9a-f]{40}")
_HASH = re.compile("0x[0-9a-f]{64}")
NO_HASHES: Mapping[str, Sequence[str]] = MappingProxyType({})

T = TypeVar("T")


def cancel_order(ctx: Context, hash_: str) -> Order:
    """Cancel an open order; again, where the scenario lets cancellations wait for a hand: it is done. 409 where the
    order has ended or is being cancelled by itself.
    """
    order = order_of(ctx, hash_)
    if order.status is OrderStatus.CANCELLING and ctx.world.setting.cancel.unit is AfterUnit.HAND:
        return end_order(ctx, order, OrderTrigger.CANCEL_DONE)
    if not can(ORDER, order.status, OrderTrigger.CANCEL_ASKED):
        raise CommandRefused(CONFLICT, f"the order is {order.status}", "hash", "an order that is processing or waiting")
    return ask_cancel(ctx, order, ctx.now_ms)


def fill_order(ctx: Context, hash_: str, size_base_wei: int, price: str | None) -> Order:
    """Let the house trade `size_base_wei` with an order of the book, at the order's own price unless told another."""
    order = order_of(ctx, hash_)
    if order.status is not OrderStatus.PROCESSING:
        raise CommandRefused(CONFLICT, f"the order is {order.status}", "hash", "an order that is processing")
    market = ctx.world.setting.markets[order.market]
    ticks = order.price_ticks if price is None else units_of_text(price, market.price_precision)
    if ticks is None or (ticks == 0 and price is not None):
        meant = f"a decimal above zero with up to {market.price_precision} digits"
        raise CommandRefused(BAD, f"{price!r} is no price", "price", meant)
    rest_wei = order.rest_base_wei
    if not 0 < size_base_wei <= rest_wei:
        raise CommandRefused(
            CONFLICT if size_base_wei else BAD,
            f"{size_base_wei} cannot be filled, {rest_wei} are left",
            "size",
            f"1 to {rest_wei}, in the smallest unit of {market.base.symbol}",
        )
    quote_wei = quote_of_fill(market, order, size_base_wei, ticks)
    left_wei = order.volume_quote_wei - order.filled_quote_wei
    if quote_wei > left_wei and (order.side is Side.BUY or not order.ends_on_base):
        raise CommandRefused(
            CONFLICT,
            f"{quote_wei} {market.quote.symbol} would change hands, {left_wei} are left",
            "price",
            "a price at which the order's rest reaches",
        )
    fill_by_house(ctx, order, size_base_wei, ticks, ctx.now_ms)
    return ctx.world.shelf.by_hash[order.hash]


def release_order(ctx: Context, hash_: str, *, failed: bool) -> Order:
    """Settle a held order, as active or as failed; 409 where it is not held."""
    order = order_of(ctx, hash_)
    if order.held is None:
        raise CommandRefused(CONFLICT, f"the order is {order.status} and not held", "hash", "an order that is held")
    return release(ctx, order, failed=failed, at_ms=ctx.now_ms)


def deposit(ctx: Context, account_id: int, token_name: str | int, amount_wei: int) -> None:
    """Money comes in from layer 1 and is free at once; 409 where the token is not enabled for deposits."""
    account = account_of(ctx, account_id)
    token = token_of(ctx, token_name)
    if not token.enabled:
        raise CommandRefused(CONFLICT, f"{token.symbol} is not enabled for deposits", "token")
    if amount_wei <= 0:
        raise CommandRefused(BAD, "nothing to deposit", "amount", "a whole number above zero, in the smallest unit")
    ctx.world.ledger.deposit(account_id, token.token_id, amount_wei)
    body = Deposit(account_id, account.owner, token.token_id, token.address, amount_wei)
    enqueue(ctx, TxType.DEPOSIT, body, ctx.now_ms)


def freeze_account(ctx: Context, account_id: int, *, frozen: bool) -> Account:
    """A frozen account cannot submit orders."""
    account = account_of(ctx, account_id)._replace(frozen=frozen)
    ctx.world.add_account(account)
    return account


def set_choices(ctx: Context, choices: Mapping[str, str]) -> None:
    """Change the readings that hold from now on. Keys and options must exist."""
    world = ctx.world
    world.choices.update(choices)
    ctx.forget(choices)
    if choices.get("signature.scheme") == "protocol":
        for account in list(world.accounts.values()):
            world.add_account(with_real_key(world.setting, account))
    # What the limiter counted under another window or for another caller means nothing now.
    if any(key.startswith("rate.") for key in choices):
        ctx.world.limiter.forget()


def set_layer1(
    ctx: Context,
    *,
    state: NodeState | None,
    gas_price_wei: int | None,
    balances_wei: Mapping[str, Mapping[str, int]],
    allowances_wei: Mapping[str, Mapping[str, int]],
    approved_hashes: Mapping[str, Sequence[str]] = NO_HASHES,
) -> None:
    """Change what layer 1 says, by owner (address or account name): balances and allowances by token, and hashes that
    it approves beside those that it has approved already.
    """
    balances = list(_by_owner_and_token(ctx, balances_wei, "balances"))
    allowed = list(_by_owner_and_token(ctx, allowances_wei, "allowances"))
    approved = [
        (address, _hash(hash_, f"approvedHashes.{owner}"))
        for owner, address, hashes in _by_owner(ctx, approved_hashes, "approvedHashes")
        for hash_ in hashes
    ]
    layer1 = ctx.world.layer1
    if state is not None:
        layer1.state = state
    if gas_price_wei is not None:
        layer1.gas_price_wei = gas_price_wei
    for owner, token, wei in balances:
        layer1.native_wei.setdefault(owner, 0)
        if token.type == "ETH":
            layer1.native_wei[owner] = wei
        layer1.token_wei[owner, token.address.lower()] = wei
    for owner, token, wei in allowed:
        layer1.allowances_wei[owner, token.address.lower()] = wei
    layer1.approved_hashes.update(approved)


def token_of(ctx: Context, name: str | int) -> Token:
    """A token by its symbol, its id (also in digits) or its contract's address."""
    for token in ctx.world.setting.tokens.values():
        if name in (token.symbol, token.token_id, str(token.token_id)) or str(name).lower() == token.address.lower():
            return token
    known = ", ".join(token.symbol for token in ctx.world.setting.tokens.values())
    raise CommandRefused(MISSING, f"there is no token {name!r}", "token", f"one of {known}")


def _by_owner_and_token(
    ctx: Context, amounts_wei: Mapping[str, Mapping[str, int]], field: str
) -> Iterator[tuple[str, Token, int]]:
    for _, address, by_token in _by_owner(ctx, amounts_wei, field):
        for name, wei in by_token.items():
            yield address, token_of(ctx, name), wei


def _by_owner(ctx: Context, given: Mapping[str, T], field: str) -> Iterator[tuple[str, str, T]]:
    """(the owner as named, the address in lower case, what is given for it)."""
    named = {account.name: account.owner.lower() for account in ctx.world.accounts.values()}
    for owner, value in given.items():
        address = named.get(owner, owner.lower())
        if not ADDRESS.fullmatch(address):
            meant = f"an address (0x and 40 hex digits) or one of {', '.join(named)}"
            raise CommandRefused(BAD, f"{owner!r} is no owner", f"{field}.{owner}", meant)
        yield owner, address, value


def _hash(text: str, field: str) -> str:
    if not _HASH.fullmatch(text.lower()):
        raise CommandRefused(BAD, f"{text!r} is no hash", field, "0x and 64 hex digits")
    return text.lower()


def order_of(ctx: Context, hash_: str) -> Order:
    """The order of a hash; 404 where there is none."""
    order = ctx.world.shelf.by_hash.get(hash_.lower())
    if order is None:
        raise CommandRefused(
            MISSING,
            f"there is no order {hash_}",
            "hash",
            f"the hash that the submission answered, one of {len(ctx.world.shelf)} orders",
        )
    return order


def account_of(ctx: Context, account_id: int) -> Account:
    """The account with this id."""
    account = ctx.world.accounts.get(account_id)
    if account is None:
        known = ", ".join(f"{known.account_id} ({known.name})" for known in ctx.world.accounts.values())
        raise CommandRefused(MISSING, f"there is no account {account_id}", "account", f"one of {known}")
    return account
