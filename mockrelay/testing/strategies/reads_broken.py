"""Calls that only look, with one of the world's rules broken."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mockrelay.client.call import ApiCall
from mockrelay.spec.codes import Code as C
from mockrelay.testing.strategies.known import Known
from mockrelay.testing.strategies.near import SOME_ADDRESS, SOME_HASH, UNKNOWN_ID, Broken, NearValid, foreign, wrong

Rules = Callable[[Known, ApiCall], Broken]
"""(the world, a call that it accepts) -> that call with each of its rules broken."""
_NO_MARKET = "NO-SUCH"


def _account(here: Known, call: ApiCall) -> Broken:
    known_there = here.world.layer1.native_wei
    if SOME_ADDRESS not in known_there:
        code = C.ADDRESS_NOT_FOUND if here.option("account.unknown") == "by_layer" else C.USER_NOT_FOUND
        yield NearValid(call.but(owner=SOME_ADDRESS), code, "an address that nobody knows")
    for owner in known_there:
        if owner not in here.world.account_of_owner:
            yield NearValid(call.but(owner=owner), C.USER_NOT_FOUND, "an address known on layer 1 only")


def _depth(here: Known, call: ApiCall) -> Broken:
    yield NearValid(call.but(market=_NO_MARKET), C.MARKET_UNSUPPORTED, "no such market")
    levels = here.config.markets[call.fields["market"]].levels
    for level in (max(levels) + 1, min(levels) - 1):
        yield NearValid(call.but(level=level), C.DEPTH_LEVEL_UNSUPPORTED, "no such level")


def _candlestick(here: Known, call: ApiCall) -> Broken:
    first, *others = here.config.markets
    yield NearValid(call.but(market=_NO_MARKET), C.INVALID_ARGUMENT, "no such market")
    for other in others[:1]:
        yield NearValid(call.but(market=f"{first},{other}"), C.INVALID_ARGUMENT, "two markets")
    times = call.but(start=here.now_ms + 1, end=here.now_ms)
    yield NearValid(times, C.INVALID_ARGUMENT, "start after end")


def _ticker(here: Known, call: ApiCall) -> Broken:
    markets = f"{call.fields['market']},{_NO_MARKET}"
    yield NearValid(call.but(market=markets), C.INVALID_ARGUMENT, "a market that is not there")


def _order_fee(here: Known, call: ApiCall) -> Broken:
    yield from foreign(here, call, C.UNKNOWN_ERROR)
    yield NearValid(call.but(accountId=UNKNOWN_ID), C.UNKNOWN_ERROR, "no such account")
    yield NearValid(call.but(market=_NO_MARKET), C.UNKNOWN_ERROR, "no such market")
    yield NearValid(call.but(tokenB=UNKNOWN_ID), C.UNKNOWN_ERROR, "no such token")
    if here.option("order_fee.many_markets") == "refuse":
        market = next(iter(here.config.markets))
        yield NearValid(call.but(market=f"{market},{market}"), C.UNKNOWN_ERROR, "two markets")


def _order_id(here: Known, call: ApiCall) -> Broken:
    yield from foreign(here, call, C.AUTH_ACCOUNT_ID_INVALID)
    yield NearValid(call.but(accountId=UNKNOWN_ID), C.AUTH_ACCOUNT_ID_INVALID, "no such account")
    yield NearValid(call.but(tokenSId=UNKNOWN_ID), C.UNKNOWN_ERROR, "no such token")


def _orders(here: Known, call: ApiCall) -> Broken:
    yield from foreign(here, call, C.AUTH_ACCOUNT_ID_INVALID)
    yield NearValid(call.but(accountId=UNKNOWN_ID), C.AUTH_ACCOUNT_ID_INVALID, "no such account")
    yield NearValid(call.but(market=_NO_MARKET), C.UNKNOWN_ERROR, "no such market")
    if here.option("orders.unknown_hash") == "refuse":
        yield NearValid(call.but(fromHash=SOME_HASH), C.UNKNOWN_ERROR, "no order of this hash")


def _block(here: Known, call: ApiCall) -> Broken:
    if here.option("block.unknown_id") != "empty":
        yield NearValid(call.but(id=str(len(here.world.blocks))), C.UNKNOWN_ERROR, "a block that is not there yet")


def _nft_data(here: Known, call: ApiCall) -> Broken:
    yield NearValid(call.but(minter=str(UNKNOWN_ID)), C.AUTH_ACCOUNT_ID_INVALID, "no such minter")
    yield NearValid(call.but(nftId=SOME_HASH), wrong(here, call), "no such NFT")


def _factory(here: Known, call: ApiCall) -> Broken:
    yield NearValid(call.but(nftFactory=SOME_ADDRESS), wrong(here, call), "another factory")


def _nft_fee(here: Known, call: ApiCall) -> Broken:
    yield NearValid(call.but(accountId=UNKNOWN_ID), wrong(here, call), "no such account")


READS_BROKEN: Mapping[str, Rules] = {
    "get_account": _account,
    "get_depth": _depth,
    "get_candlestick": _candlestick,
    "get_ticker": _ticker,
    "get_order_fee": _order_fee,
    "get_order_id": _order_id,
    "get_orders": _orders,
    "get_block": _block,
    "get_nft_data": _nft_data,
    "compute_token_address": _factory,
    "get_nft_fee": _nft_fee,
}
"""By endpoint; endpoints that are not here have no rules but those of their form."""
