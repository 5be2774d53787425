"""How a missing item of coverage can be reached: by what the client sends, under an option, or only by a script."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple

from mockrelay.spec.codes import Code as C
from mockrelay.spec.endpoint import Endpoint
from mockrelay.spec.request_kinds import KINDS
from mockrelay.spec.vocab import BlockStatus as B
from mockrelay.spec.vocab import OrderStatus as O
from mockrelay.spec.vocab import RequestStatus as R


class Means(StrEnum):
    """What it takes to reach an item."""

    NATURAL = "natural"
    """What the client sends and the state of the exchange."""
    CHOICE = "choice"
    """The same, under an option that is not the default."""
    SCRIPTED = "scripted"
    """A fault or a command: no call leads there."""


class Recipe(NamedTuple):
    """How an item is reached."""

    means: Means
    how: str
    """In words."""
    choices: Mapping[str, str] | None = None
    """The option that it takes."""
    fault: Mapping[str, Any] | None = None
    """A fault that brings it about: the body of `POST faults`, an entry of a scenario's `faults`."""


_FROZEN_ACCOUNT = "an order of a frozen account (POST accounts/ID/freeze)"
_NODE_DOWN = 'a layer-1 node that is down (POST layer1 {"state": "down"})'
_NODE_ERROR = 'a layer-1 node in error (POST layer1 {"state": "error"})'
_OTHER_ACCOUNT = "an account id that is not the key's own"
_MALFORMED = "a field of the wrong form, a validUntil that has passed, an amount of 0"

_BY_CODE: Mapping[C, str] = MappingProxyType(
    {
        C.ADDRESS_NOT_FOUND: "an owner address that is unknown",
        C.USER_NOT_FOUND: "an owner address that has no account, only layer-1 balances",
        C.EXCHANGE_ID_INCORRECT: "the id or the address of another exchange",
        C.ORDER_TOKEN_UNSUPPORTED: "a token id that the exchange does not have",
        C.ORDER_ACCOUNT_ID_INVALID: "an accountId that does not exist",
        C.ORDER_ID_INVALID: "an orderId that another order has, below 0, or of 2^32 and more",
        C.ORDER_MARKET_UNSUPPORTED: "two tokens that have no market together",
        C.ORDER_RATE_ILLEGAL: "a maxFeeBips outside 1 to 63",
        C.ORDER_EXISTS: "the same order once more",
        C.ORDER_EXPIRED: "a validUntil that is not after now",
        C.ORDER_SIGNATURE_MISSING: "an order without one of the parts of its signature",
        C.ORDER_BALANCE_INSUFFICIENT: "an order that sells more than the account has",
        C.ORDER_AMOUNT_TOO_SMALL: "an amountS below the sold token's minOrderAmount, or an amountB that counts as zero",
        C.ORDER_AMOUNT_TOO_LARGE: "an amountS above the sold token's maxOrderAmount",
        C.REQUEST_NONCE_INVALID: "a nonce that is not the account's next one",
        C.REQUEST_SENDER_INVALID: _OTHER_ACCOUNT,
        C.REQUEST_RECEIVER_INVALID: "a receiver address without an account",
        C.REQUEST_FEE_TOKEN_UNSUPPORTED: "a fee token that is in no list of fees",
        C.REQUEST_FEE_TOKEN_INCONSISTENT: "a fee in another token than the amount",
        C.ORDER_SUBMIT_FAILED: _FROZEN_ACCOUNT,
        C.ORDER_NOT_VALID: "an order that asks for allOrNone, counts its times in milliseconds, or has a validSince not before validUntil",
        C.AUTH_KEY_EMPTY: "a call without X-API-KEY",
        C.AUTH_KEY_INVALID: "an X-API-KEY that no account has",
        C.AUTH_ACCOUNT_ID_INVALID: _OTHER_ACCOUNT,
        C.AUTH_SIGNATURE_MISSING: "a part of the signature that is blank or 0",
        C.AUTH_SIGNATURE_WRONG: "a part of the signature that is not a number below the field's modulus",
        C.LAYER1_NODE_UNAVAILABLE: _NODE_DOWN,
        C.LAYER1_REQUEST_FAILED: _NODE_DOWN,
        C.LAYER1_NODE_ERROR: _NODE_ERROR,
        C.GAS_PRICE_UNAVAILABLE: _NODE_DOWN,
        C.USER_ID_EMPTY: "a call without accountId",
        C.MARKET_UNSUPPORTED: "a market that the exchange does not have",
        C.DEPTH_LEVEL_UNSUPPORTED: "a level that the market does not have",
    }
)
_BY_PAIR: Mapping[tuple[str, C], str] = MappingProxyType(
    {
        ("get_candlestick", C.INVALID_ARGUMENT): "a market or an interval that does not exist, a start after the end",
        ("get_ticker", C.INVALID_ARGUMENT): "a market that the exchange does not have",
        ("submit_withdrawal", C.INVALID_ARGUMENT): _MALFORMED,
        ("update_account", C.INVALID_ARGUMENT): _MALFORMED,
        ("submit_withdrawal", C.REQUEST_NONCE_INVALID): "a storageId that another request has used",
        ("submit_withdrawal", C.REQUEST_RECEIVER_INVALID): "the zero address in the field to",
        ("update_account", C.REQUEST_SENDER_INVALID): "an accountId that does not exist, or another owner",
        ("get_nft_data", C.AUTH_ACCOUNT_ID_INVALID): "a minter address without an account",
    }
)
_BY_CHOICE: Mapping[tuple[str, C], tuple[str, str, str]] = MappingProxyType(
    {
        ("submit_order", C.ORDER_FREEZE_FAILED): (_FROZEN_ACCOUNT, "order.frozen_account", "102014"),
        ("submit_withdrawal", C.REQUEST_FEE_TOKEN_INCONSISTENT): (
            *(_BY_CODE[C.REQUEST_FEE_TOKEN_INCONSISTENT], "withdrawal.fee_token"),
            "same",
        ),
    }
)
_SCRIPTED_PAIRS = frozenset(
    {
        ("send_eth_tx", C.LAYER1_REQUEST_FAILED),
        ("update_account", C.REQUEST_RECEIVER_INVALID),
        ("update_account", C.REQUEST_FEE_TOKEN_INCONSISTENT),
    }
)
"""A transaction has other codes for a node that is down or in error; an account update has no receiver and no amount."""


def recipe_of_code(row: Endpoint, code: C) -> Recipe:
    """How an endpoint is brought to answer a code. A fault always can."""
    pair, fault = (row.name, code), {"on": row.name, "code": int(code)}
    if pair in _SCRIPTED_PAIRS:
        return Recipe(Means.SCRIPTED, "no call leads there", fault=fault)
    if pair in _BY_CHOICE:
        how, key, option = _BY_CHOICE[pair]
        return Recipe(Means.CHOICE, how, {key: option}, fault)
    if code is C.UNKNOWN_ERROR and row.per_second is not None:
        how = f"more than {row.per_second} calls in a second, where limits are on (limits: spec)"
    else:
        how = _BY_PAIR.get(pair) or _BY_CODE.get(code) or _how_by_meaning(code)
    return (
        Recipe(Means.NATURAL, how, fault=fault) if how else Recipe(Means.SCRIPTED, "no call leads there", fault=fault)
    )


def _how_by_meaning(code: C) -> str:
    """What the meaning of the code says; empty for the two codes that may mean anything."""
    return "" if code in (C.UNKNOWN_ERROR, C.INVALID_ARGUMENT) else f"a call of which this is true: {code.meaning}"


_HOLD_FAULT = {"on": "submit_order", "hold": "UNKNOWN"}
_ORDER_RECIPES: Mapping[tuple[str, str], Recipe] = MappingProxyType(
    {
        (O.WAITING, O.PROCESSING): Recipe(Means.NATURAL, "an order whose validSince lies ahead, once that has come"),
        (O.WAITING, O.CANCELLING): Recipe(
            Means.SCRIPTED, "a waiting order, cancelled by hand (POST orders/HASH/cancel)"
        ),
        (O.WAITING, O.CANCELLED): Recipe(
            Means.SCRIPTED,
            'a held order, released as failed (POST orders/HASH/release {"as": "failed"})',
            fault=_HOLD_FAULT,
        ),
        (O.WAITING, O.EXPIRED): Recipe(Means.SCRIPTED, "a held order whose validUntil passes", fault=_HOLD_FAULT),
        (O.PROCESSING, O.PROCESSING): Recipe(
            Means.NATURAL, "an order that meets a smaller one (POST orders/HASH/fill)"
        ),
        (O.PROCESSING, O.PROCESSED): Recipe(Means.NATURAL, "an order that meets one as large (POST orders/HASH/fill)"),
        (O.PROCESSING, O.CANCELLING): Recipe(Means.SCRIPTED, "an order, cancelled by hand (POST orders/HASH/cancel)"),
        (O.PROCESSING, O.CANCELLED): Recipe(Means.NATURAL, "a TAKER_ONLY order that finds less than it asks for"),
        (O.PROCESSING, O.EXPIRED): Recipe(Means.NATURAL, "an open order whose validUntil passes"),
        (O.CANCELLING, O.CANCELLED): Recipe(Means.SCRIPTED, "a cancelled order, a moment later"),
    }
)
_BLOCK_RECIPES: Mapping[tuple[str, str], Recipe] = MappingProxyType(
    {
        (B.PENDING, B.CONFIRMED): Recipe(Means.NATURAL, "time that passes after a block is sealed"),
        (B.CONFIRMED, B.FINALIZED): Recipe(Means.NATURAL, "time that passes, or POST blocks/finalize"),
    }
)
_ENDPOINT_OF_KIND: Mapping[str, str] = MappingProxyType({kind: row.submission.row for kind, row in KINDS.items()})
"""The endpoint that takes requests of a kind."""


def recipe_of_transition(subject: str, before: str, after: str) -> Recipe:
    """How an order, a request of a kind or a block is brought from one state into another."""
    if subject not in _ENDPOINT_OF_KIND:
        return (_ORDER_RECIPES if subject == "order" else _BLOCK_RECIPES)[before, after]
    endpoint = _ENDPOINT_OF_KIND[subject]
    if after != R.FAILED:
        return Recipe(Means.NATURAL, f"an accepted {endpoint}, and the time or the block that it waits for")
    if before == R.PROCESSING:
        return Recipe(Means.SCRIPTED, f"an accepted {endpoint} that fails", fault={"on": endpoint, "outcome": "failed"})
    life = f"lifecycles: {{{subject}: {{{before}: {{after: 0s, then: failed}}}}}}"
    return Recipe(Means.SCRIPTED, f"an accepted {endpoint} in a scenario with {life}")
