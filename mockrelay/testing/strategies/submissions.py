"""Orders, transfers, withdrawals and account updates, as a world accepts them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial, reduce
from typing import Any

from hypothesis import strategies as st

from mockrelay.client.call import ApiCall
from mockrelay.client.facts import ZERO_ADDRESS
from mockrelay.core.accounts.keys import signing_keys
from mockrelay.core.config import Market, Token
from mockrelay.core.models import Account
from mockrelay.signing.moduli import SNARK_FIELD
from mockrelay.spec.request_kinds import KIND_OF_ENDPOINT, KINDS, Effect, FeeKind, RequestKind
from mockrelay.spec.vocab import OrderType
from mockrelay.testing.strategies.known import Known, Payment
from mockrelay.testing.strategies.parts import (
    ABSENT,
    BEYOND_WEI,
    MONTH_S,
    amount_within,
    assembled,
    common,
    extra_data,
    later_s,
    offer,
    one_of,
    order_id,
    parts,
    payment,
    signature_fields,
    signatures,
    signer,
    spelt,
    storage_id,
)
from mockrelay.testing.strategies.reads import Reading
from mockrelay.testing.strategies.schemas import ADDRESSES

SKEW_S = 60
MAX_FEE_BIPS = 63


def _least_wei(sold: Token) -> int:
    """The smallest amount of a token that an order may sell."""
    return max(sold.min_order_wei, _step_wei(sold))


def _step_wei(token: Token) -> int:
    """The smallest amount that counts."""
    return int(10 ** max(token.decimals - token.precision, 0))


def submit_order(draw: st.DrawFn, here: Known, account_id: int | None) -> ApiCall:
    """An order that the account can pay for."""
    account = signer(draw, here, "submit_order", account_id, lambda one: not one.frozen and _sells(here, one) != [])
    sold, bought, market, sells_base = one_of(draw, _sells(here, account))
    most_wei = min(sold.max_order_wei, here.free_wei(account, sold.token_id))
    sold_wei = amount_within(draw, _least_wei(sold), most_wei)
    bought_wei = draw(st.integers(_step_wei(bought), BEYOND_WEI))
    since_s, until_s = _times(draw, here)
    order_type = draw(st.sampled_from(list(OrderType)))
    crosses = here.would_take(market, sells_base=sells_base, sold_wei=sold_wei, bought_wei=bought_wei)
    if order_type is OrderType.MAKER_ONLY and crosses:
        order_type = OrderType.LIMIT_ORDER
    client_ids = here.world.orders.by_client_id.get(account.account_id, {})
    given = {
        "exchangeId": here.config.exchange.exchange_id,
        "orderId": order_id(draw, here, account, sold.token_id),
        "accountId": account.account_id,
        "tokenSId": sold.token_id,
        "tokenBId": bought.token_id,
        "amountS": str(sold_wei),
        "amountB": str(bought_wei),
        "validSince": since_s,
        "validUntil": until_s,
        "maxFeeBips": draw(st.integers(_least_bips(here, account), MAX_FEE_BIPS)),
        "clientOrderId": draw(st.integers(0).map("own-{}".format).filter(lambda text: text not in client_ids)),
        "orderType": order_type.value,
        **parts(draw, here),
    }
    return assembled(draw, here, "submit_order", given, account)


def _sells(here: Known, account: Account) -> list[tuple[Token, Token, Market, bool]]:
    pairs = here.pairs()
    return [
        pair
        for pair in pairs
        if _least_wei(pair[0]) <= min(pair[0].max_order_wei, here.free_wei(account, pair[0].token_id))
        and (here.option("order.max_fee_below_rate") == "cap" or account.taker_bips <= MAX_FEE_BIPS)
    ]


def _least_bips(here: Known, account: Account) -> int:
    return 1 if here.option("order.max_fee_below_rate") == "cap" else max(account.taker_bips, 1)


def _times(draw: st.DrawFn, here: Known) -> tuple[int, int]:
    """`validSince` and `validUntil`."""
    is_short = here.option("order.too_short_validity") == "accept"
    until_s = later_s(draw, here, least_s=1 if is_short else MONTH_S)
    latest_s = until_s - 1
    if here.option("order.valid_since_future") == "refuse":
        latest_s = min(latest_s, here.now_s + SKEW_S)
    return draw(st.just(min(here.now_s, latest_s)) | st.integers(0, latest_s)), until_s


def token_request(draw: st.DrawFn, here: Known, account_id: int | None, *, endpoint: str) -> ApiCall:
    """A request that sends an amount of a token, for a fee, as the row of its kind says where which field stands."""
    kind = KIND_OF_ENDPOINT[endpoint]
    row = KINDS[kind]
    body = row.body
    account = signer(draw, here, endpoint, account_id, lambda one: _ways(here, one, kind) != [])
    token_id, fee_token_id, most_wei = one_of(draw, _ways(here, account, kind))
    paid = payment(draw, here, account, row.fee, lambda one: one.token_id == fee_token_id)
    amount = amount_within(draw, 1, most_wei)
    offered = offer(draw, paid, kept_wei=amount if token_id == fee_token_id else 0)
    receiver = one_of(draw, list(here.world.accounts.values()))
    to: int | str = receiver.account_id
    if row.effect is Effect.LEAVE:
        to = draw(
            st.sampled_from([one.owner for one in here.accounts]) | ADDRESSES.filter(lambda to: to != ZERO_ADDRESS)
        )
    number = here.nonce(account) if row.has_nonce else storage_id(draw, here, account, token_id)
    values = {
        body.account: account.account_id,
        body.owner: spelt(draw, account.owner),
        body.receiver: to,
        body.receiver_owner: spelt(draw, receiver.owner),
        body.asset: token_id,
        body.amount: str(amount),
        body.fee_token: fee_token_id,
        body.fee: str(offered),
        body.number: number,
    }
    given = common(draw, here, endpoint, account)
    given |= extra_data(draw, here) | signature_fields(draw, here, account, endpoint)
    for path, value in values.items():
        if path is not None:
            *outer, name = path.split(".")
            reduce(lambda inner, step: inner.setdefault(step, {}), outer, given)[name] = value
    return assembled(draw, here, endpoint, given, account)


def _ways(here: Known, account: Account, kind: RequestKind) -> list[tuple[int, int, int]]:
    """Which token an account can send, in which token it can pay for that, and how much is left to send then."""
    row = KINDS[kind]
    same = here.world.choices.get(f"{kind}.fee_token") == "same"
    return [
        (token.token_id, paid.token_id, most_wei)
        for paid in here.payments(account, row.fee)
        for token in here.config.tokens.values()
        if (token.token_id == paid.token_id or not same) and (token.enabled or row.effect is not Effect.LEAVE)
        if (most_wei := _left(here, account, token.token_id, paid)) > 0
    ]


def _left(here: Known, account: Account, token_id: int, paid: Payment) -> int:
    return here.free_wei(account, token_id) - (paid.quote_wei if token_id == paid.token_id else 0)


def update_account(draw: st.DrawFn, here: Known, account_id: int | None) -> ApiCall:
    """An account's new key; the call carries no API key."""
    account = signer(
        draw, here, "update_account", account_id, lambda one: here.payments(one, FeeKind.ACCOUNT_UPDATE) != []
    )
    paid = payment(draw, here, account, FeeKind.ACCOUNT_UPDATE)
    given = {
        **common(draw, here, "update_account", account),
        **_new_key(draw, here, account),
        "maxFee": {"tokenId": paid.token_id, "volume": str(offer(draw, paid))},
        **signatures(draw, here, account),
    }
    return assembled(draw, here, "update_account", given, account, with_key=False)


def _new_key(draw: st.DrawFn, here: Known, account: Account) -> dict[str, Any]:
    """A new public key. Where signatures are verified it is one that the account can sign with afterwards: that of the
    keySeed that is sent or, where none is, of the usual text.
    """
    if here.verifies:
        from mockrelay.signing.keys import default_seed, derive  # noqa: PLC0415  # brings the curve

        layer1 = signing_keys(here.world, account).layer1_private
        assert layer1 is not None
        usual = default_seed(here.config.exchange.exchange_address, here.nonce(account))
        sent = draw(st.sampled_from([ABSENT, usual, f"{usual.removeprefix('Sign this message to ')}"]))
        point = derive(layer1, usual if sent is ABSENT else sent).public
        return {"publicKey": {"x": f"0x{point.x:064x}", "y": f"0x{point.y:064x}"}, "keySeed": sent}
    coordinate = st.integers(0, SNARK_FIELD - 1).map("0x{:064x}".format)
    return {"publicKey": {"x": draw(coordinate), "y": draw(coordinate)}}


SUBMISSIONS: Mapping[str, Reading] = {
    **{
        row.endpoint: partial(token_request, endpoint=row.endpoint)
        for row in KINDS.values()
        if row.sends_amount and not row.of_nft
    },
    "submit_order": submit_order,
    "update_account": update_account,
}
"""By endpoint."""
