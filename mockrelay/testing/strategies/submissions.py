"""Orders, transfers, withdrawals and account updates, as a world accepts them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from mockrelay.core.keyring import signing_keys
from mockrelay.core.records import Account
from mockrelay.core.setting import Market, Token
from mockrelay.signing.moduli import SNARK_FIELD
from mockrelay.spec.request_kinds import FeeKind
from mockrelay.spec.vocab import OrderType
from mockrelay.testing.calling import ApiCall
from mockrelay.testing.strategies.known import Known
from mockrelay.testing.strategies.parts import (
    ABSENT,
    BEYOND_WEI,
    MONTH_S,
    amount_within,
    assembled,
    extra_data,
    later_s,
    offer,
    one_of,
    order_id,
    parts,
    payment,
    signatures,
    signer,
    spelt,
    storage_id,
)
from mockrelay.testing.strategies.reads import Reading
from mockrelay.testing.strategies.schemas import ADDRESSES

SKEW_S = 60
MAX_FEE_BIPS = 63
_ZERO_ADDRESS = "0x" + "0" * 40


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
    client_ids = here.world.shelf.by_client_id.get(account.account_id, {})
    given = {
        "exchangeId": here.setting.exchange.exchange_id,
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


def submit_transfer(draw: st.DrawFn, here: Known, account_id: int | None) -> ApiCall:
    """A transfer of money that is there."""
    same = here.option("transfer.fee_token") == "same"

    def left(one: Account, token_id: int, quote_wei: int, fee_token_id: int) -> int:
        return here.free_wei(one, token_id) - (quote_wei if token_id == fee_token_id else 0)

    def ways(one: Account) -> list[tuple[int, int]]:
        return [
            (token_id, paid.token_id)
            for paid in here.payments(one, FeeKind.TRANSFER)
            for token_id in here.setting.tokens
            if (token_id == paid.token_id or not same) and left(one, token_id, paid.quote_wei, paid.token_id) > 0
        ]

    sender = signer(draw, here, "submit_transfer", account_id, lambda one: ways(one) != [])
    token_id, fee_token_id = one_of(draw, ways(sender))
    paid = payment(draw, here, sender, FeeKind.TRANSFER, lambda one: one.token_id == fee_token_id)
    amount = amount_within(draw, 1, left(sender, token_id, paid.quote_wei, fee_token_id))
    offered = offer(draw, paid, kept_wei=amount if token_id == fee_token_id else 0)
    given = {
        "exchangeId": here.setting.exchange.exchange_id,
        "sender": sender.account_id,
        "receiver": one_of(draw, list(here.world.accounts)),
        "token": token_id,
        "tokenF": fee_token_id,
        "amount": str(amount),
        "amountF": str(offered),
        "nonce": here.nonce(sender),
        **parts(draw, here),
    }
    return assembled(draw, here, "submit_transfer", given, sender)


def submit_withdrawal(draw: st.DrawFn, here: Known, account_id: int | None) -> ApiCall:
    """A withdrawal of money that is there."""
    same = here.option("withdrawal.fee_token") == "same"

    def ways(one: Account) -> list[tuple[int, int, int]]:
        return [
            (token.token_id, paid.token_id, most)
            for paid in here.payments(one, FeeKind.WITHDRAWAL)
            for token in here.setting.tokens.values()
            if token.enabled and (token.token_id == paid.token_id or not same)
            if (most := _left(here, one, token.token_id, paid.token_id, paid.quote_wei)) > 0
        ]

    account = signer(draw, here, "submit_withdrawal", account_id, lambda one: ways(one) != [])
    token_id, fee_token_id, most_wei = one_of(draw, ways(account))
    paid = payment(draw, here, account, FeeKind.WITHDRAWAL, lambda one: one.token_id == fee_token_id)
    amount = amount_within(draw, 1, most_wei)
    offered = offer(draw, paid, kept_wei=amount if token_id == fee_token_id else 0)
    to = draw(st.sampled_from([one.owner for one in here.accounts]) | ADDRESSES.filter(lambda to: to != _ZERO_ADDRESS))
    given = {
        "exchange": spelt(draw, here.setting.exchange.exchange_address),
        "accountId": account.account_id,
        "owner": spelt(draw, account.owner),
        "token": {"tokenId": token_id, "volume": str(amount)},
        "maxFee": {"tokenId": fee_token_id, "volume": str(offered)},
        "storageId": storage_id(draw, here, account, token_id),
        "validUntil": later_s(draw, here),
        "to": to,
        **extra_data(draw, here),
        **signatures(draw, here, account),
    }
    return assembled(draw, here, "submit_withdrawal", given, account)


def _left(here: Known, account: Account, token_id: int, fee_token_id: int, quote_wei: int) -> int:
    return here.free_wei(account, token_id) - (quote_wei if token_id == fee_token_id else 0)


def update_account(draw: st.DrawFn, here: Known, account_id: int | None) -> ApiCall:
    """An account's new key; the call carries no API key."""
    account = signer(
        draw, here, "update_account", account_id, lambda one: here.payments(one, FeeKind.ACCOUNT_UPDATE) != []
    )
    paid = payment(draw, here, account, FeeKind.ACCOUNT_UPDATE)
    given = {
        "exchange": spelt(draw, here.setting.exchange.exchange_address),
        "owner": spelt(draw, account.owner),
        "accountId": account.account_id,
        **_new_key(draw, here, account),
        "maxFee": {"tokenId": paid.token_id, "volume": str(offer(draw, paid))},
        "validUntil": later_s(draw, here),
        "nonce": here.nonce(account),
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
        usual = default_seed(here.setting.exchange.exchange_address, here.nonce(account))
        sent = draw(st.sampled_from([ABSENT, usual, f"{usual.removeprefix('Sign this message to ')}"]))
        point = derive(layer1, usual if sent is ABSENT else sent).public
        return {"publicKey": {"x": f"0x{point.x:064x}", "y": f"0x{point.y:064x}"}, "keySeed": sent}
    coordinate = st.integers(0, SNARK_FIELD - 1).map("0x{:064x}".format)
    return {"publicKey": {"x": draw(coordinate), "y": draw(coordinate)}}


SUBMISSIONS: Mapping[str, Reading] = {
    "submit_order": submit_order,
    "submit_transfer": submit_transfer,
    "submit_withdrawal": submit_withdrawal,
    "update_account": update_account,
}
"""By endpoint."""
