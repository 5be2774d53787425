"""How a client can be brought to what it has not met: by what it sends, under a reading, or only by script."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple

from mockrelay.spec.codes import Code as C
from mockrelay.spec.endpoints import Endpoint
from mockrelay.spec.request_kinds import KINDS
from mockrelay.spec.vocab import BlockStatus as B
from mockrelay.spec.vocab import OrderStatus as O
from mockrelay.spec.vocab import RequestStatus as R


class Reach(StrEnum):
    """What it takes to meet something."""

    NATURAL = "natural"
    """A client comes to it by what it sends and by what the relayer's world is like."""
    CHOICE = "choice"
    """The same, under a reading that is not the default."""
    SCRIPTED = "scripted"
    """No call leads there: a fault or a hand does."""


class Way(NamedTuple):
    """How something is reached."""

    reach: Reach
    how: str
    """In words."""
    choices: Mapping[str, str] | None = None
    """The reading that it takes."""
    fault: Mapping[str, Any] | None = None
    """A fault that does it, ready to be armed: the body of `POST faults`, an entry of a scenario's `faults`."""


_FROZEN = "an order of a frozen account (POST accounts/ID/freeze)"
_DOWN = 'a layer-1 node that is down (POST layer1 {"state": "down"})'
_IN_ERROR = 'a layer-1 node in error (POST layer1 {"state": "error"})'
_NOT_THE_KEYS = "an account id that is not the key's own"
_SPOILT = "a field of the wrong form, a validUntil that has passed, an amount of 0"

_BY_CODE: Mapping[C, str] = MappingProxyType(
    {
        C.ADDRESS_NOT_FOUND: "an owner that nobody knows",
        C.USER_NOT_FOUND: "an owner that only layer 1 knows",
        C.EXCHANGE_ID_INCORRECT: "the id or the address of another exchange",
        C.ORDER_TOKEN_UNSUPPORTED: "a token id that the exchange does not have",
        C.ORDER_ACCOUNT_ID_INVALID: "an accountId that nobody has",
        C.ORDER_ID_INVALID: "an orderId that another order has, below 0, or of 2^32 and more",
        C.ORDER_MARKET_UNSUPPORTED: "two tokens that have no market together",
        C.ORDER_RATE_ILLEGAL: "a maxFeeBips outside 1 to 63",
        C.ORDER_EXISTS: "the same order once more",
        C.ORDER_EXPIRED: "a validUntil that has passed",
        C.ORDER_SIGNATURE_MISSING: "an order without one of the parts of its signature",
        C.ORDER_BALANCE_INSUFFICIENT: "an order that sells more than the account has",
        C.ORDER_AMOUNT_TOO_SMALL: "an amount below the sold token's minOrderAmount",
        C.ORDER_AMOUNT_TOO_LARGE: "an amount above the sold token's maxOrderAmount",
        C.REQUEST_NONCE_INVALID: "a nonce that is not the account's next one",
        C.REQUEST_SENDER_INVALID: _NOT_THE_KEYS,
        C.REQUEST_RECEIVER_INVALID: "a receiver that nobody is",
        C.REQUEST_FEE_TOKEN_UNSUPPORTED: "a fee token that is in no list of fees",
        C.REQUEST_FEE_TOKEN_INCONSISTENT: "a fee in another token than the amount",
        C.ORDER_SUBMIT_FAILED: _FROZEN,
        C.ORDER_NOT_VALID: "an order that asks for allOrNone, or counts its times in milliseconds",
        C.AUTH_KEY_EMPTY: "a call without X-API-KEY",
        C.AUTH_KEY_INVALID: "an X-API-KEY that nobody has",
        C.AUTH_ACCOUNT_ID_INVALID: _NOT_THE_KEYS,
        C.AUTH_SIGNATURE_MISSING: "a part of the signature that is blank or 0",
        C.AUTH_SIGNATURE_WRONG: "a part of the signature that is no number below the field",
        C.LAYER1_NODE_UNAVAILABLE: _DOWN,
        C.LAYER1_REQUEST_FAILED: _DOWN,
        C.LAYER1_NODE_ERROR: _IN_ERROR,
        C.GAS_PRICE_UNAVAILABLE: _DOWN,
        C.USER_ID_EMPTY: "a call without accountId",
        C.MARKET_UNSUPPORTED: "a market that the exchange does not have",
        C.DEPTH_LEVEL_UNSUPPORTED: "a level that the market does not have",
    }
)
_BY_PAIR: Mapping[tuple[str, C], str] = MappingProxyType(
    {
        ("get_candlestick", C.INVALID_ARGUMENT): "a market or an interval that there is not, a start after the end",
        ("get_ticker", C.INVALID_ARGUMENT): "a market that the exchange does not have",
        ("submit_withdrawal", C.INVALID_ARGUMENT): _SPOILT,
        ("update_account", C.INVALID_ARGUMENT): _SPOILT,
        ("submit_withdrawal", C.REQUEST_NONCE_INVALID): "a storageId that another request has used",
        ("submit_withdrawal", C.REQUEST_RECEIVER_INVALID): "the zero address in the field to",
        ("update_account", C.REQUEST_SENDER_INVALID): "an accountId that nobody has, or another owner",
        ("get_nft_data", C.AUTH_ACCOUNT_ID_INVALID): "a minter that is no account",
    }
)
_BY_CHOICE: Mapping[tuple[str, C], tuple[str, str, str]] = MappingProxyType(
    {
        ("submit_order", C.ORDER_FREEZE_FAILED): (_FROZEN, "order.frozen_account", "102014"),
        ("submit_withdrawal", C.REQUEST_FEE_TOKEN_INCONSISTENT): (
            *(_BY_CODE[C.REQUEST_FEE_TOKEN_INCONSISTENT], "withdrawal.fee_token"),
            "same",
        ),
    }
)
_ONLY_SCRIPTED = frozenset(
    {
        ("send_eth_tx", C.LAYER1_REQUEST_FAILED),
        ("update_account", C.REQUEST_RECEIVER_INVALID),
        ("update_account", C.REQUEST_FEE_TOKEN_INCONSISTENT),
    }
)
"""A node that is down or in error has codes of its own for a transaction; an update has no receiver and moves no token."""


def way_of_code(row: Endpoint, code: C) -> Way:
    """How an endpoint comes to answer a code. A fault always can."""
    pair, fault = (row.name, code), {"on": row.name, "code": int(code)}
    if pair in _ONLY_SCRIPTED:
        return Way(Reach.SCRIPTED, "no call leads there", fault=fault)
    if pair in _BY_CHOICE:
        how, key, option = _BY_CHOICE[pair]
        return Way(Reach.CHOICE, how, {key: option}, fault)
    if code is C.UNKNOWN_ERROR and row.per_second is not None:
        how = f"more than {row.per_second} calls in a second, where limits are on (limits: spec)"
    else:
        how = _BY_PAIR.get(pair) or _BY_CODE.get(code) or _told_by_code(code)
    return Way(Reach.NATURAL, how, fault=fault) if how else Way(Reach.SCRIPTED, "no call leads there", fault=fault)


def _told_by_code(code: C) -> str:
    """What a code of an endpoint's own says; nothing for the two that may mean anything."""
    return "" if code in (C.UNKNOWN_ERROR, C.INVALID_ARGUMENT) else f"a call of which this is true: {code.meaning}"


_HELD = {"on": "submit_order", "hold": "UNKNOWN"}
_ORDER_WAYS: Mapping[tuple[str, str], Way] = MappingProxyType(
    {
        (O.WAITING, O.PROCESSING): Way(Reach.NATURAL, "an order whose validSince lies ahead, once that has come"),
        (O.WAITING, O.CANCELLING): Way(Reach.SCRIPTED, "a waiting order, cancelled by hand (POST orders/HASH/cancel)"),
        (O.WAITING, O.CANCELLED): Way(
            Reach.SCRIPTED, 'a held order, released as failed (POST orders/HASH/release {"as": "failed"})', fault=_HELD
        ),
        (O.WAITING, O.EXPIRED): Way(Reach.SCRIPTED, "a held order whose validUntil passes", fault=_HELD),
        (O.PROCESSING, O.PROCESSING): Way(Reach.NATURAL, "an order that meets a smaller one (POST orders/HASH/fill)"),
        (O.PROCESSING, O.PROCESSED): Way(Reach.NATURAL, "an order that meets one as large (POST orders/HASH/fill)"),
        (O.PROCESSING, O.CANCELLING): Way(Reach.SCRIPTED, "an order, cancelled by hand (POST orders/HASH/cancel)"),
        (O.PROCESSING, O.CANCELLED): Way(Reach.NATURAL, "a TAKER_ONLY order that finds less than it asks for"),
        (O.PROCESSING, O.EXPIRED): Way(Reach.NATURAL, "an open order whose validUntil passes"),
        (O.CANCELLING, O.CANCELLED): Way(Reach.SCRIPTED, "a cancelled order, a moment later"),
    }
)
_BLOCK_WAYS: Mapping[tuple[str, str], Way] = MappingProxyType(
    {
        (B.PENDING, B.CONFIRMED): Way(Reach.NATURAL, "time that passes after a block is sealed"),
        (B.CONFIRMED, B.FINALIZED): Way(Reach.NATURAL, "time that passes, or POST blocks/finalize"),
    }
)
_OF_KIND: Mapping[str, str] = MappingProxyType({kind: row.endpoint for kind, row in KINDS.items()})
"""The endpoint that takes requests of a kind."""


def way_of_move(what: str, was: str, to: str) -> Way:
    """How an order, a request or a block comes from one state into another."""
    if what not in _OF_KIND:
        return (_ORDER_WAYS if what == "order" else _BLOCK_WAYS)[was, to]
    endpoint = _OF_KIND[what]
    if to != R.FAILED:
        return Way(Reach.NATURAL, f"an accepted {endpoint}, and the time or the block that it waits for")
    if was == R.PROCESSING:
        return Way(Reach.SCRIPTED, f"an accepted {endpoint} that fails", fault={"on": endpoint, "outcome": "failed"})
    life = f"lifecycles: {{{what}: {{{was}: {{after: 0s, then: failed}}}}}}"
    return Way(Reach.SCRIPTED, f"an accepted {endpoint} in a scenario with {life}")
