"""Validation of an order: all rules of submission in the order of the endpoint's codes (spec §15). Changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from mockrelay.core import hashing
from mockrelay.core.accounts.queries import callers_account
from mockrelay.core.call import Call, DeferredErrors, Refused
from mockrelay.core.config import Market, Token
from mockrelay.core.models import Account, Order
from mockrelay.core.requests.checks import ids_are_shared, note_precision, storage_key
from mockrelay.core.signatures import format as signature_format
from mockrelay.core.units import price_ticks
from mockrelay.spec.codes import Code as C
from mockrelay.spec.lint_rules import REUSED_CLIENT_ID, REUSED_ID, SHORT_VALIDITY
from mockrelay.spec.vocab import SIGNATURE_PARTS, OrderForm, OrderStatus, OrderType, Side, SubmitOrderStatus

if TYPE_CHECKING:
    from mockrelay.core.context import Context

SKEW_S = 60
"""`validSince` up to this far in the future counts as now, because clocks differ."""
MONTH_S = 30 * 86_400
"""The time that `validUntil` should be ahead (spec, Limits: "at least one month")."""
_SIGNED_FIELDS = (
    "exchangeId",
    "orderId",
    "accountId",
    "tokenSId",
    "tokenBId",
    "amountS",
    "amountB",
    "buy",
    "label",
    "validSince",
    "validUntil",
    "maxFeeBips",
)
"""And `allOrNone`, whose default is "false"."""
_signed_fields_of = itemgetter(*_SIGNED_FIELDS)
_ORDER_TYPES = OrderType.__members__


class RepeatedOrder(NamedTuple):
    """A repeated submission of an order that is held: nothing changes."""

    order: Order


@dataclass(frozen=True, slots=True)
class Wording:
    """How the requests of a form say what the rules here call by the names of the specification's form."""

    form: OrderForm
    names: Mapping[str, str]
    """The form's own names of fields, where they differ."""
    check_exchange: Callable[[Context, Call], None]
    signature_fields: tuple[str, ...]

    def of(self, name: str) -> str:
        """The form's name of a field."""
        return self.names.get(name, name)


def _check_exchange_id(ctx: Context, call: Call) -> None:
    """Refused unless the exchange's number is right."""
    exchange_id = ctx.world.config.exchange.exchange_id
    if call.args["exchangeId"] != exchange_id:
        raise Refused(C.EXCHANGE_ID_INCORRECT, f"exchangeId: {call.args['exchangeId']} is not {exchange_id}")


GEN2 = Wording(OrderForm.GEN2, MappingProxyType({}), _check_exchange_id, SIGNATURE_PARTS)


def validate_order(
    ctx: Context, call: Call, terms: Mapping[str, Any], wording: Wording = GEN2
) -> Order | RepeatedOrder:
    """The order to be accepted, `waiting` if it starts later; Refused with the code of the first rule that it breaks.

    `terms`: the call's fields by the names of the specification's form. Without `validSince` it is valid from now on.
    """
    world, config = ctx.world, ctx.world.config
    scheme = ctx.decide("signature.scheme")
    skipped = wording.signature_fields if scheme == "off" else ()
    deferred = DeferredErrors(call, skipped=skipped) if call.violations else None
    wording.check_exchange(ctx, call)
    account = callers_account(ctx, call)
    if account.frozen:
        code = C(int(ctx.decide("order.frozen_account")))
        raise Refused(code, f"account {account.account_id} is frozen and cannot submit orders")
    sold, bought = _checked_tokens(ctx, terms, wording)
    market_and_side = config.market_of_pair.get((sold.token_id, bought.token_id))
    if market_and_side is None:
        fields = f"{wording.of('tokenSId')}, {wording.of('tokenBId')}"
        raise Refused(C.ORDER_MARKET_UNSUPPORTED, f"{fields}: no market trades {sold.symbol} for {bought.symbol}")
    market, sells_base = market_and_side

    order_hash = order_hash_of(ctx, call, terms)
    existing = world.orders.by_hash.get(order_hash)
    if existing is not None:
        return _repeated_order(existing)
    if deferred:
        deferred.refuse(C.ORDER_ID_INVALID)
    order_id = terms["orderId"]
    if world.orders.is_used(account.account_id, sold.token_id, order_id):
        message = f"{wording.of('orderId')}: {order_id} is taken by another order that sells {sold.symbol}"
        raise _id_in_use(ctx, message)
    if world.storage_ids and _collides(ctx, account, sold, order_id):
        raise _id_in_use(ctx, f"{wording.of('orderId')}: {order_id} is taken by a request, and ids are shared")
    if deferred:
        deferred.refuse(C.ORDER_SIGNATURE_MISSING)
        deferred.refuse(C.AUTH_SIGNATURE_MISSING)
        deferred.refuse(C.AUTH_SIGNATURE_WRONG)
    signature_format.check(ctx, account, call)

    if deferred:
        deferred.refuse(C.ORDER_RATE_ILLEGAL)
    if terms["maxFeeBips"] < account.taker_bips and ctx.decide("order.max_fee_below_rate") == "refuse":
        raise Refused(
            C.ORDER_RATE_ILLEGAL, f"maxFeeBips: {terms['maxFeeBips']} is below the account's {account.taker_bips}"
        )
    waits = _check_times(ctx, terms, deferred)
    if deferred:
        deferred.assert_refused()
    if _repeats_client_id(ctx, account, terms):
        message = "clientOrderId: the account has an order with this id"
        ctx.add_finding(REUSED_CLIENT_ID, message)
        if ctx.decide("order.repeated_client_id") == "refuse":
            raise Refused(C.ORDER_NOT_VALID, message)
    sold_wei, bought_wei = int(terms["amountS"]), int(terms["amountB"])
    _check_amounts(ctx, account, sold, sold_wei, bought, bought_wei, wording)
    side = Side.SELL if sells_base else Side.BUY
    order = build_order(ctx, terms, order_hash, market, side, sold_wei, bought_wei, waits=waits, form=wording.form)
    if order.order_type is OrderType.MAKER_ONLY and not waits and would_trade(ctx, order):
        raise Refused(C.ORDER_NOT_VALID, "orderType: a MAKER_ONLY order would trade at once at this price")
    return order


def build_order(
    ctx: Context,
    args: Mapping[str, Any],
    hash_: str,
    market: Market,
    side: Side,
    sold_wei: int,
    bought_wei: int,
    *,
    waits: bool,
    form: OrderForm = OrderForm.GEN2,
) -> Order:
    """The order of a valid submission, with its fields by the names of the specification's form."""
    size_wei, volume_wei = (sold_wei, bought_wei) if side is Side.SELL else (bought_wei, sold_wei)
    since_s = args.get("validSince")
    return Order(
        hash=hash_,
        seq=len(ctx.world.orders),
        account_id=args["accountId"],
        order_id=args["orderId"],
        market=market.name,
        side=side,
        order_type=_ORDER_TYPES[args.get("orderType", "LIMIT_ORDER")],
        ends_on_bought=args["buy"] == "true",
        sold_token=args["tokenSId"],
        bought_token=args["tokenBId"],
        size_base_wei=size_wei,
        volume_quote_wei=volume_wei,
        price_ticks=price_ticks(market, side, size_wei, volume_wei),
        max_fee_bips=args["maxFeeBips"],
        valid_since_s=ctx.now_s if since_s is None else since_s,
        valid_until_s=args["validUntil"],
        created_at_ms=ctx.now_ms,
        client_order_id=args.get("clientOrderId", ""),
        status=OrderStatus.WAITING if waits else OrderStatus.PROCESSING,
        form=form,
        trade_channel=args.get("tradeChannel", "MIXED"),
    )


def order_hash_of(ctx: Context, call: Call, terms: Mapping[str, Any]) -> str:
    """The hash of an order's signed fields by the choice `hash.scheme`. An order that cannot be encoded as the protocol's
    message has the fast hash.
    """
    fast = fast_hash_of(ctx.world.config.seed, terms)
    # An order keeps its hash when the choice changes.
    if ctx.decide("hash.scheme") == "fast" or fast in ctx.world.orders.by_hash:
        return fast
    from mockrelay.core.signatures import messages  # noqa: PLC0415  # brings Poseidon, which no other option needs

    return messages.message_hash(ctx, None, call.endpoint.id, call.args) or fast


def fast_hash_of(seed: str, args: Mapping[str, Any]) -> str:
    """The fast hash of an order: of its signed fields and the seed, not the protocol's."""
    try:
        fields = _signed_fields_of(args)
    except KeyError:  # a refused order may lack some
        fields = map(args.get, _SIGNED_FIELDS)
    return hashing.fast_hash("order", seed, args.get("allOrNone", "false"), *fields)


def would_trade(ctx: Context, order: Order) -> bool:
    """Whether the order would trade with a resting one."""
    book = ctx.world.books.get(order.market)
    if book is None:
        return False
    return book.of(order.side.opposite).crossed_by(order.size_base_wei, order.volume_quote_wei)


def _collides(ctx: Context, account: Account, sold: Token, order_id: int) -> bool:
    key = storage_key(ctx, account.account_id, sold.token_id, order_id)
    return key in ctx.world.storage_ids and ids_are_shared(ctx)


def _id_in_use(ctx: Context, message: str) -> Refused:
    ctx.add_finding(REUSED_ID, message)
    return Refused(C.ORDER_ID_INVALID, message)


def _repeats_client_id(ctx: Context, account: Account, args: Mapping[str, Any]) -> bool:
    client_id = args.get("clientOrderId")
    return bool(client_id) and client_id in ctx.world.orders.by_client_id.get(account.account_id, ())


def _checked_tokens(ctx: Context, terms: Mapping[str, Any], wording: Wording) -> tuple[Token, Token]:
    tokens = ctx.world.config.tokens
    sold, bought = tokens.get(terms["tokenSId"]), tokens.get(terms["tokenBId"])
    if sold is None or bought is None:
        field = "tokenSId" if sold is None else "tokenBId"
        raise Refused(C.ORDER_TOKEN_UNSUPPORTED, f"{wording.of(field)}: there is no token {terms[field]}")
    return sold, bought


def _repeated_order(existing: Order) -> RepeatedOrder:
    """The answer to an order with the same signed fields as an existing one; Refused unless that one is held."""
    if existing.held is not None:
        return RepeatedOrder(existing)
    if existing.failed:
        raise Refused(
            C.ORDER_SUBMIT_FAILED,
            "this order was taken and then failed",
            {"orderHash": existing.hash, "status": SubmitOrderStatus.SUBMIT_ORDER_FAIL, "isIdempotent": False},
        )
    raise Refused(C.ORDER_EXISTS, f"an order with the same signed fields is {existing.status}: {existing.hash}")


def _check_times(ctx: Context, args: Mapping[str, Any], deferred: DeferredErrors | None) -> bool:
    """Check the order's times; returns whether it starts later."""
    now_s = ctx.now_s
    if not (deferred and deferred.has("validUntil")) and args["validUntil"] * 1000 <= ctx.now_ms:
        raise Refused(C.ORDER_EXPIRED, f"validUntil: {args['validUntil']} is not after now, {now_s} (seconds)")
    if deferred:
        deferred.refuse(C.ORDER_NOT_VALID)
    since_s, until_s = args.get("validSince"), args["validUntil"]
    if since_s is None:
        since_s = now_s
    if since_s >= until_s:
        raise Refused(C.ORDER_NOT_VALID, f"validSince: {since_s} is not before validUntil, {until_s}")
    if until_s - now_s < MONTH_S:
        ctx.add_finding(SHORT_VALIDITY, f"validUntil {until_s} is {until_s - now_s} s ahead")
        if ctx.decide("order.too_short_validity") == "refuse":
            raise Refused(C.ORDER_NOT_VALID, f"validUntil: {until_s} is less than a month after now, {now_s} (seconds)")
    if since_s <= now_s + SKEW_S:
        return False
    option = ctx.decide("order.valid_since_future")
    if option == "refuse":
        raise Refused(C.ORDER_NOT_VALID, f"validSince: {since_s} lies ahead of now, {now_s} (seconds)")
    return option == "wait"


def _check_amounts(
    ctx: Context, account: Account, sold: Token, sold_wei: int, bought: Token, bought_wei: int, wording: Wording
) -> None:
    if sold_wei < sold.min_order_wei:
        field = wording.of("amountS")
        note_precision(ctx, field, sold_wei, sold)
        raise Refused(
            C.ORDER_AMOUNT_TOO_SMALL, f"{field}: {sold_wei} is below the {sold.symbol} minimum, {sold.min_order_wei}"
        )
    for name, wei, token in (("amountS", sold_wei, sold), ("amountB", bought_wei, bought)):
        if wei < token.least_counted_wei:
            raise _counts_as_zero(ctx, wording.of(name), wei, token)
    if sold_wei > sold.max_order_wei:
        field = wording.of("amountS")
        raise Refused(
            C.ORDER_AMOUNT_TOO_LARGE, f"{field}: {sold_wei} is above the {sold.symbol} maximum, {sold.max_order_wei}"
        )
    free_wei = ctx.world.ledger.balance(account.account_id, sold.token_id).free_wei
    if sold_wei > free_wei:
        raise Refused(
            C.ORDER_BALANCE_INSUFFICIENT,
            f"{wording.of('amountS')}: {sold_wei} is more than the {free_wei} {sold.symbol} that are free",
        )


def _counts_as_zero(ctx: Context, field: str, wei: int, token: Token) -> Refused:
    """The refusal of an amount that is zero at the token's precision."""
    note_precision(ctx, field, wei, token)
    return Refused(
        C.ORDER_AMOUNT_TOO_SMALL,
        f"{field}: {wei} counts as zero: {token.symbol} has a precision of {token.precision} decimals",
    )
