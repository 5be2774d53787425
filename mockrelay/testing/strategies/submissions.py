"""Draws orders, transfers, withdrawals and account updates that a world accepts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial, reduce
from typing import Any, NamedTuple

from hypothesis import strategies as st

from mockrelay.client.call import ApiCall
from mockrelay.client.facts import ZERO_ADDRESS
from mockrelay.core.accounts.keys import signing_keys
from mockrelay.core.config import Market, Token
from mockrelay.core.models import Account
from mockrelay.signing.parameters import SNARK_FIELD
from mockrelay.spec.request_kinds import KINDS, Effect, FeeKind, RequestKind
from mockrelay.spec.request_kinds import SUBMISSIONS as SUBMITTED
from mockrelay.spec.vocab import OrderType
from mockrelay.testing.strategies.call_parts import (
    ABSENT,
    BEYOND_WEI,
    MONTH_S,
    amount_within,
    any_case,
    assemble_call,
    common_fields,
    extra_data,
    later_s,
    offer,
    one_of,
    optional_signatures,
    order_id,
    payment,
    receiver_of,
    signature_fields,
    signature_parts,
    signer,
    storage_id,
    takes_address,
)
from mockrelay.testing.strategies.reads import DrawCall
from mockrelay.testing.strategies.schema_values import ADDRESSES
from mockrelay.testing.strategies.world_view import Payment, WorldView

SKEW_S = 60
MAX_FEE_BIPS = 63


def _least_wei(sold: Token) -> int:
    """The smallest amount of a token that an order may sell."""
    return max(sold.min_order_wei, _step_wei(sold))


def _step_wei(token: Token) -> int:
    """The smallest amount that is not rounded to zero by the token's precision."""
    return int(10 ** max(token.decimals - token.precision, 0))


class Terms(NamedTuple):
    """What an order asks for."""

    sold: Token
    bought: Token
    sold_wei: int
    bought_wei: int
    since_s: int
    until_s: int
    order_type: OrderType
    max_fee_bips: int
    client_id: str


def order_signer(draw: st.DrawFn, view: WorldView, account_id: int | None, endpoint: str) -> Account:
    """An account that can submit an order."""
    return signer(draw, view, endpoint, account_id, lambda one: not one.frozen and _sells(view, one) != [])


def submit_order(
    draw: st.DrawFn, view: WorldView, account_id: int | None, *, endpoint: str = "submit_order"
) -> ApiCall:
    """An order of the second generation that the account can pay for."""
    account = order_signer(draw, view, account_id, endpoint)
    return assemble_call(draw, view, endpoint, order_fields(draw, view, account), account)


def order_fields(draw: st.DrawFn, view: WorldView, account: Account) -> dict[str, Any]:
    """The fields of an order of the second generation."""
    terms = order_terms(draw, view, account)
    return {
        "exchangeId": view.config.exchange.exchange_id,
        "orderId": order_id(draw, view, account, terms.sold.token_id),
        "accountId": account.account_id,
        "tokenSId": terms.sold.token_id,
        "tokenBId": terms.bought.token_id,
        "amountS": str(terms.sold_wei),
        "amountB": str(terms.bought_wei),
        "validSince": terms.since_s,
        "validUntil": terms.until_s,
        "maxFeeBips": terms.max_fee_bips,
        "clientOrderId": terms.client_id,
        "orderType": terms.order_type.value,
        **signature_parts(draw, view),
    }


def order_terms(draw: st.DrawFn, view: WorldView, account: Account) -> Terms:
    """The terms of an order that the account can pay for, at a price that may be met at once."""
    pairs = _sells(view, account)
    met = [pair for pair in pairs if view.best_against(pair[2], sells_base=pair[3]) is not None]
    takes = met != [] and draw(st.booleans())
    sold, bought, market, sells_base = one_of(draw, met if takes else pairs)
    most_wei = min(sold.max_order_wei, view.free_wei(account, sold.token_id))
    sold_wei = amount_within(draw, _least_wei(sold), most_wei)
    best = view.best_against(market, sells_base=sells_base) if takes else None
    # The most that an order which trades at once may ask for.
    bought_wei = 0 if best is None else sold_wei * best.amount_sold_wei // best.amount_bought_wei
    if bought_wei < _step_wei(bought):
        bought_wei = draw(st.integers(_step_wei(bought), BEYOND_WEI))
    since_s, until_s = _times(draw, view)
    order_type = draw(st.sampled_from(list(OrderType)))
    crosses = view.would_take(market, sells_base=sells_base, sold_wei=sold_wei, bought_wei=bought_wei)
    if order_type is OrderType.MAKER_ONLY and crosses:
        order_type = OrderType.LIMIT_ORDER
    client_ids = view.world.orders.by_client_id.get(account.account_id, {})
    client_id = draw(st.integers(0).map("own-{}".format).filter(lambda text: text not in client_ids))
    max_fee_bips = draw(st.integers(_least_bips(view, account), MAX_FEE_BIPS))
    return Terms(sold, bought, sold_wei, bought_wei, since_s, until_s, order_type, max_fee_bips, client_id)


def _sells(view: WorldView, account: Account) -> list[tuple[Token, Token, Market, bool]]:
    pairs = view.pairs()
    return [
        pair
        for pair in pairs
        if _least_wei(pair[0]) <= min(pair[0].max_order_wei, view.free_wei(account, pair[0].token_id))
        and (view.option("order.max_fee_below_rate") == "cap" or account.taker_bips <= MAX_FEE_BIPS)
    ]


def _least_bips(view: WorldView, account: Account) -> int:
    return 1 if view.option("order.max_fee_below_rate") == "cap" else max(account.taker_bips, 1)


def _times(draw: st.DrawFn, view: WorldView) -> tuple[int, int]:
    """`validSince` and `validUntil`."""
    is_short = view.option("order.too_short_validity") == "accept"
    until_s = later_s(draw, view, least_s=1 if is_short else MONTH_S)
    latest_s = until_s - 1
    if view.option("order.valid_since_future") == "refuse":
        latest_s = min(latest_s, view.now_s + SKEW_S)
    return draw(st.just(min(view.now_s, latest_s)) | st.integers(0, latest_s)), until_s


def token_request(draw: st.DrawFn, view: WorldView, account_id: int | None, *, endpoint: str) -> ApiCall:
    """A request that sends an amount of a token for a fee; its submission says where each field stands."""
    kind, submission = SUBMITTED[endpoint]
    row, body = KINDS[kind], submission.body
    account = signer(draw, view, endpoint, account_id, lambda one: _ways(view, one, kind) != [])
    token_id, fee_token_id, most_wei = one_of(draw, _ways(view, account, kind))
    chosen = payment(draw, view, account, row.fee, lambda one: one.token_id == fee_token_id)
    amount = amount_within(draw, 1, most_wei)
    offered = offer(draw, chosen, reserved_wei=amount if token_id == fee_token_id else 0)
    to: int | str
    to, to_address = receiver_of(draw, view, by_address=body.receiver_owner is not None and takes_address(endpoint))
    if row.effect is Effect.LEAVE:
        to = draw(
            st.sampled_from([one.owner for one in view.accounts]) | ADDRESSES.filter(lambda to: to != ZERO_ADDRESS)
        )
    number = view.nonce(account) if submission.has_nonce else storage_id(draw, view, account, token_id)
    by_path = {
        body.account: account.account_id,
        body.owner: any_case(draw, account.owner),
        body.receiver: to,
        body.receiver_owner: to_address,
        body.asset: token_id,
        body.amount: str(amount),
        body.fee_token: fee_token_id,
        body.fee: str(offered),
        body.number: number,
    }
    values = common_fields(draw, view, endpoint, account)
    values |= extra_data(draw, view) | signature_fields(draw, view, account, endpoint)
    # A transfer that gives its receiver a first key costs more.
    values["payPayeeUpdateAccount"] = False
    for path, value in by_path.items():
        if path is not None:
            *outer, name = path.split(".")
            reduce(lambda inner, step: inner.setdefault(step, {}), outer, values)[name] = value
    return assemble_call(draw, view, endpoint, values, account)


def _ways(view: WorldView, account: Account, kind: RequestKind) -> list[tuple[int, int, int]]:
    """(token that the account can send, token in which it can pay the fee, most that it can send then)."""
    row = KINDS[kind]
    same = view.world.choices.get(f"{kind}.fee_token") == "same"
    return [
        (token.token_id, chosen.token_id, most_wei)
        for chosen in view.payments(account, row.fee)
        for token in view.config.tokens.values()
        if (token.token_id == chosen.token_id or not same) and (token.enabled or row.effect is not Effect.LEAVE)
        if (most_wei := _left(view, account, token.token_id, chosen)) > 0
    ]


def _left(view: WorldView, account: Account, token_id: int, chosen: Payment) -> int:
    return view.free_wei(account, token_id) - (chosen.quote_wei if token_id == chosen.token_id else 0)


def update_account(
    draw: st.DrawFn, view: WorldView, account_id: int | None, *, endpoint: str = "update_account"
) -> ApiCall:
    """An account's new key; the call has no API key."""
    account = signer(draw, view, endpoint, account_id, lambda one: view.payments(one, FeeKind.ACCOUNT_UPDATE) != [])
    chosen = payment(draw, view, account, FeeKind.ACCOUNT_UPDATE)
    values = {
        **common_fields(draw, view, endpoint, account),
        **_new_key(draw, view, account),
        "maxFee": {"tokenId": chosen.token_id, "volume": str(offer(draw, chosen))},
        **optional_signatures(draw, view, account),
    }
    return assemble_call(draw, view, endpoint, values, account, with_key=False)


def _new_key(draw: st.DrawFn, view: WorldView, account: Account) -> dict[str, Any]:
    """A new public key. Where signatures are verified the account must be able to sign with it afterwards: it is derived from
    the `keySeed` that is sent or, without one, from the default text.
    """
    if view.verifies:
        from mockrelay.signing.keys import default_seed, derive  # noqa: PLC0415  # brings the curve

        layer1 = signing_keys(view.world, account).layer1_private
        assert layer1 is not None
        usual = default_seed(view.config.exchange.exchange_address, view.nonce(account))
        sent = draw(st.sampled_from([ABSENT, usual, f"{usual.removeprefix('Sign this message to ')}"]))
        point = derive(layer1, usual if sent is ABSENT else sent).public
        return {"publicKey": {"x": f"0x{point.x:064x}", "y": f"0x{point.y:064x}"}, "keySeed": sent}
    coordinate = st.integers(0, SNARK_FIELD - 1).map("0x{:064x}".format)
    return {"publicKey": {"x": draw(coordinate), "y": draw(coordinate)}}


SUBMISSIONS: Mapping[str, DrawCall] = {
    **{
        row.submission.row: partial(token_request, endpoint=row.submission.row)
        for row in KINDS.values()
        if row.sends_amount and not row.of_nft
    },
    "submit_order": submit_order,
    "update_account": update_account,
}
"""By endpoint."""
