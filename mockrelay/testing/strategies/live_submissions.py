"""Draws the orders, requests and NFT submissions of the profile `live` that a world accepts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from hypothesis import strategies as st

from mockrelay.client.call import ApiCall
from mockrelay.client.facts import ZERO_ADDRESS
from mockrelay.testing.strategies.call_parts import EDDSA, any_case, assemble_call, order_id, signer
from mockrelay.testing.strategies.nft_submissions import mint_nft, transfer_nft, withdraw_nft
from mockrelay.testing.strategies.reads import DrawCall
from mockrelay.testing.strategies.schema_values import ADDRESSES
from mockrelay.testing.strategies.submissions import (
    order_signer,
    order_terms,
    submit_order,
    token_request,
    update_account,
)
from mockrelay.testing.strategies.world_view import WorldView

_AMM = "AMM"
"""The order type for a pool, which goes to the book as a `LIMIT_ORDER`."""
_ONE_ORDER = "submit_order_v2"


def _order_gen3(draw: st.DrawFn, view: WorldView, account_id: int | None) -> ApiCall:
    """An order of the third generation that the account can pay for."""
    account = order_signer(draw, view, account_id, "submit_order_gen3")
    terms = order_terms(draw, view, account)
    order_type = terms.order_type.value
    values = {
        "exchange": any_case(draw, view.config.exchange.exchange_address),
        "accountId": account.account_id,
        "storageId": order_id(draw, view, account, terms.sold.token_id),
        "sellToken": {"tokenId": terms.sold.token_id, "volume": str(terms.sold_wei)},
        "buyToken": {"tokenId": terms.bought.token_id, "volume": str(terms.bought_wei)},
        "validUntil": terms.until_s,
        "maxFeeBips": terms.max_fee_bips,
        "clientOrderId": terms.client_id,
        "orderType": draw(st.sampled_from([order_type, _AMM] if order_type == "LIMIT_ORDER" else [order_type])),
        "taker": draw(st.just(ZERO_ADDRESS) | ADDRESSES),
        **({} if view.verifies else {"eddsaSignature": draw(EDDSA)}),
    }
    return assemble_call(draw, view, "submit_order_gen3", values, account)


def _batch(draw: st.DrawFn, view: WorldView, account_id: int | None) -> ApiCall:
    """One order of the second generation, or two that sell different tokens, each signed by itself."""
    account = order_signer(draw, view, account_id, _ONE_ORDER)
    orders = [submit_order(draw, view, account.account_id, endpoint=_ONE_ORDER).fields]
    if draw(st.booleans()):
        other = submit_order(draw, view, account.account_id, endpoint=_ONE_ORDER).fields
        repeats = other.get("clientOrderId") in {"", orders[0].get("clientOrderId")}
        # The first one may rest where a second one that only makes would meet it.
        if other["tokenSId"] != orders[0]["tokenSId"] and other.get("orderType") != "MAKER_ONLY" and not repeats:
            orders.append(other)
    return ApiCall("submit_orders_v2", {"orders": orders}, account.api_key, is_drawn=True)


def _collection(draw: st.DrawFn, view: WorldView, account_id: int | None) -> ApiCall:
    """A collection of the account's."""
    account = signer(draw, view, "create_collection", account_id, lambda _: True)
    values = {
        "owner": any_case(draw, account.owner),
        "nftFactory": any_case(draw, view.config.exchange.nft_factory),
    }
    return assemble_call(draw, view, "create_collection", values, account)


LIVE_SUBMISSIONS: Mapping[str, DrawCall] = {
    "submit_order_gen3": _order_gen3,
    "submit_order_v2": partial(submit_order, endpoint="submit_order_v2"),
    "submit_orders_v2": _batch,
    "submit_transfer_v3": partial(token_request, endpoint="submit_transfer_v3"),
    "submit_withdrawal_live": partial(token_request, endpoint="submit_withdrawal_live"),
    "update_account_live": partial(update_account, endpoint="update_account_live"),
    "create_collection": _collection,
    "mint_nft_live": partial(mint_nft, endpoint="mint_nft_live"),
    "transfer_nft_live": partial(transfer_nft, endpoint="transfer_nft_live"),
    "withdraw_nft_live": partial(withdraw_nft, endpoint="withdraw_nft_live"),
    "withdraw_nft_real": partial(withdraw_nft, endpoint="withdraw_nft_real"),
}
"""By the id of the row."""
