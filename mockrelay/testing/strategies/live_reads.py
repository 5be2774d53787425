"""Draws the reading calls of the profile `live` that a world accepts, and the cancellations of orders."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from hypothesis import strategies as st

from mockrelay.client.call import ApiCall
from mockrelay.core.models import Account, Order
from mockrelay.spec.vocab import OrderStatus
from mockrelay.testing.strategies.call_parts import (
    ABSENT,
    any_case,
    assemble_call,
    caller,
    common_fields,
    one_of,
    signer,
)
from mockrelay.testing.strategies.reads import (
    DrawCall,
    block,
    candlestick,
    depth,
    order_list,
    some_market,
    tickers,
    token_address,
    traded_markets,
)
from mockrelay.testing.strategies.schema_values import ADDRESSES
from mockrelay.testing.strategies.world_view import WorldView

_OPEN = (OrderStatus.WAITING, OrderStatus.PROCESSING)
_MOST_IN_LIST = 3
Values = Callable[[st.DrawFn, WorldView, Account], Mapping[str, Any]]
"""(draw, the world, the calling account) -> the fields whose values the world decides, beside the common ones."""


def _read(draw: st.DrawFn, view: WorldView, account_id: int | None, *, endpoint: str, values: Values) -> ApiCall:
    """A call with such fields; one that is signed is signed by its caller."""
    account = signer(draw, view, endpoint, account_id, lambda _: True)
    fields = common_fields(draw, view, endpoint, account) | dict(values(draw, view, account))
    return assemble_call(draw, view, endpoint, fields, account)


def _account(draw: st.DrawFn, view: WorldView, account_id: int | None) -> ApiCall:
    """An account by its owner, its id, or both."""
    shown: Account = one_of(draw, list(view.world.accounts.values()))
    values = {"owner": any_case(draw, shown.owner), "accountId": shown.account_id}
    asked = draw(st.sampled_from([("owner",), ("accountId",), ("owner", "accountId")]))
    call = assemble_call(
        draw, view, "get_account_v3", values, caller(draw, view, account_id, lambda _: True), sent=asked
    )
    return call.without(*(values.keys() - set(asked)))


def _own_order(draw: st.DrawFn, view: WorldView, account_id: int | None, *, endpoint: str) -> ApiCall:
    """One order of an account."""
    orders = view.world.orders.by_hash.values()
    sellers = {order.account_id for order in orders}
    account = signer(draw, view, endpoint, account_id, lambda one: one.account_id in sellers)
    own = [order for order in orders if order.account_id == account.account_id]
    values = {"accountId": account.account_id, "orderHash": _hash(draw, one_of(draw, own))}
    return assemble_call(draw, view, endpoint, values, account)


def _cancel(draw: st.DrawFn, view: WorldView, account_id: int | None, *, endpoint: str) -> ApiCall:
    """Cancel an open order by its hash or the client's id, or all of the account."""
    account, own = _with_open_orders(draw, view, account_id, endpoint)
    order: Order = one_of(draw, own)
    values: dict[str, Any] = {"accountId": account.account_id}
    way = draw(st.sampled_from(["all", "hash", *(["client id"] if _is_newest(view, order) else [])]))
    if way == "hash":
        values["orderHash"] = _hash(draw, order)
    elif way == "client id":
        values["clientOrderId"] = order.client_order_id
    left_out = {"orderHash", "clientOrderId"} - values.keys()
    call_values = values | dict.fromkeys(left_out, ABSENT)
    return assemble_call(draw, view, endpoint, call_values, account, sent=tuple(values))


def _cancel_listed(draw: st.DrawFn, view: WorldView, account_id: int | None, *, endpoint: str, field: str) -> ApiCall:
    """Cancel some orders by a list of ids, some of which may be nobody's."""
    account, own = _with_open_orders(draw, view, account_id, endpoint)
    if field == "orderHash":
        ids = [_hash(draw, order) for order in own]
    else:
        ids = [order.client_order_id for order in own if _is_newest(view, order)]
    some = st.lists(st.sampled_from([*ids, "7"]), min_size=1, max_size=_MOST_IN_LIST)
    values = {"accountId": account.account_id, field: ",".join(draw(some))}
    return assemble_call(draw, view, endpoint, values, account)


def _with_open_orders(
    draw: st.DrawFn, view: WorldView, account_id: int | None, endpoint: str
) -> tuple[Account, list[Order]]:
    """An account that can cancel, and its open orders."""
    open_orders = [order for order in view.world.orders.by_hash.values() if order.status in _OPEN]
    sellers = {order.account_id for order in open_orders}
    account = signer(draw, view, endpoint, account_id, lambda one: one.account_id in sellers)
    return account, [order for order in open_orders if order.account_id == account.account_id]


def _is_newest(view: WorldView, order: Order) -> bool:
    """Whether the client's id of an order is that of no later one, and can stand in a list."""
    own = view.world.orders.by_client_id.get(order.account_id, {})
    client_id = order.client_order_id
    return bool(client_id) and "," not in client_id and client_id != "None" and own.get(client_id) == order.hash


def _hash(draw: st.DrawFn, order: Order) -> str:
    """An order's hash, in hex or in decimal digits."""
    return draw(st.sampled_from([order.hash, str(int(order.hash, 16))]))


def _market(draw: st.DrawFn, view: WorldView, account: Account) -> Mapping[str, Any]:
    return {"market": some_market(draw, view, traded_markets(view))}


def _rate_market(draw: st.DrawFn, view: WorldView, account: Account) -> Mapping[str, Any]:
    """A market, or its pool."""
    return {"market": draw(st.sampled_from(["", "AMM-"])) + some_market(draw, view, ())}


def _markets(draw: st.DrawFn, view: WorldView, account: Account) -> Mapping[str, Any]:
    names = draw(st.lists(st.sampled_from(list(view.config.markets)), min_size=1, max_size=_MOST_IN_LIST))
    return {"markets": ",".join(names)}


def _fee_token(draw: st.DrawFn, view: WorldView, account: Account) -> Mapping[str, Any]:
    return {"feeTokenSymbol": one_of(draw, [token.symbol for token in view.config.tokens.values()])}


def _sold_token(draw: st.DrawFn, view: WorldView, account: Account) -> Mapping[str, Any]:
    token_id = one_of(draw, list(view.config.tokens))
    return {"sellTokenId": token_id, "tokenSId": token_id}


def _token_list(draw: st.DrawFn, view: WorldView, account: Account) -> Mapping[str, Any]:
    known = st.sampled_from([token.address for token in view.config.tokens.values()])
    return {"token": ",".join(draw(st.lists(known | ADDRESSES, min_size=1, max_size=_MOST_IN_LIST)))}


def _some_account(draw: st.DrawFn, view: WorldView, account: Account) -> Mapping[str, Any]:
    return {"accountId": one_of(draw, list(view.world.accounts))}


def _name(draw: st.DrawFn, view: WorldView, account: Account) -> Mapping[str, Any]:
    return {"fullName": one_of(draw, list(view.config.ens_names))}


def _nft_list(draw: st.DrawFn, view: WorldView, account: Account) -> Mapping[str, Any]:
    known = [nft_data for data in view.world.nfts for nft_data in (data, str(int(data, 16)))]
    names = draw(st.lists(st.sampled_from([*known, "7"]), min_size=1, max_size=_MOST_IN_LIST))
    return {"nftDatas": ",".join(names)}


def _nft(draw: st.DrawFn, view: WorldView, account: Account) -> Mapping[str, Any]:
    data: str = one_of(draw, list(view.world.nfts))
    return {"nftData": draw(st.sampled_from([data, data.upper().replace("0X", "0x"), str(int(data, 16))]))}


def _visible_nft(draw: st.DrawFn, view: WorldView, account: Account) -> Mapping[str, Any]:
    """An NFT by its minter's id or address; its id may be without leading zeros."""
    nft = one_of(draw, [one for one in view.world.nfts.values() if view.is_visible(one)])
    return {
        "minter": draw(st.sampled_from([str(nft.minter_id), any_case(draw, nft.minter)])),
        "tokenAddress": any_case(draw, nft.token_address),
        "nftId": draw(st.sampled_from([nft.nft_id, f"0x{int(nft.nft_id, 16):x}"])),
    }


def _own_key(draw: st.DrawFn, view: WorldView, account: Account) -> Mapping[str, Any]:
    """The account's public key in decimal digits or in hex."""
    numbers = {"publicKeyX": account.public_key_x, "publicKeyY": account.public_key_y}
    return {name: draw(st.sampled_from([str(int(text, 0)), text])) for name, text in numbers.items()}


_VALUES: Mapping[str, Values] = {
    **dict.fromkeys(("get_api_key_v2", "post_api_key_v2"), _own_key),
    **dict.fromkeys(("get_trades_v3", "get_trades_v2", "get_user_trades_v3", "get_user_trades_v2"), _market),
    "get_order_rate_amount": _rate_market,
    "get_nft_order_rate_amount": _fee_token,
    "get_fee_rates_v2": _markets,
    "get_storage_id": _sold_token,
    "get_storage_id_v2": _sold_token,
    **dict.fromkeys(("get_token_balances_v3", "get_allowances_v3"), _token_list),
    "get_counterfactual_info": _some_account,
    "resolve_ens": _name,
    **dict.fromkeys(("get_nfts", "get_nft_balances"), _nft_list),
    "get_nft_holders": _nft,
    "get_nft_data_live": _visible_nft,
}

LIVE_READS: Mapping[str, DrawCall] = {
    **{endpoint: partial(_read, endpoint=endpoint, values=values) for endpoint, values in _VALUES.items()},
    "get_account_v3": _account,
    **{endpoint: partial(depth, endpoint=endpoint) for endpoint in ("get_depth_v3", "get_mix_depth")},
    **{endpoint: partial(candlestick, endpoint=endpoint) for endpoint in ("get_candlestick_v3", "get_mix_candlestick")},
    **{endpoint: partial(tickers, endpoint=endpoint) for endpoint in ("get_ticker_v3", "get_mix_ticker")},
    **{endpoint: partial(order_list, endpoint=endpoint) for endpoint in ("get_orders_v3", "get_orders_live")},
    "compute_token_address_live": partial(token_address, endpoint="compute_token_address_live"),
    "get_block_live": partial(block, endpoint="get_block_live"),
    **{endpoint: partial(_own_order, endpoint=endpoint) for endpoint in ("get_order_v3", "get_order_v2")},
    **{endpoint: partial(_cancel, endpoint=endpoint) for endpoint in ("cancel_order_v3", "cancel_orders_v2")},
    **{
        f"cancel_orders_{generation}_by_{what}": partial(
            _cancel_listed, endpoint=f"cancel_orders_{generation}_by_{what}", field=field
        )
        for generation in ("v3", "v2")
        for what, field in (("hash", "orderHash"), ("client_id", "clientOrderId"))
    },
}
"""By the id of the row: those whose calls depend on more than the schema and the common fields."""
