"""API keys, keys of WebSockets, storage ids and balances (E8, E9, E11, E12, E47; F3, F4, F7)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from mockrelay.core.accounts.queries import callers_account
from mockrelay.core.call import Call, Refused
from mockrelay.core.hashing import seeded_hex
from mockrelay.core.models import Account, Balance
from mockrelay.core.requests.checks import STORAGE_ID_MAX
from mockrelay.core.requests.lifecycle import in_flight_legs
from mockrelay.core.signatures import format as signature_format
from mockrelay.spec.codes import Code as C
from mockrelay.spec.request_kinds import RequestKind

if TYPE_CHECKING:
    from mockrelay.core.context import Context

_NFT_SLOTS_FROM = 32_768
"""Token ids from here on are slots of NFTs."""


def get_api_key_v3(ctx: Context, call: Call) -> dict[str, str]:
    """The account's present API key; one is made where it has none (E8)."""
    return {"apiKey": get_api_key_v2(ctx, call)}


def get_api_key_v2(ctx: Context, call: Call) -> str:
    """The same in the second generation's form (F3)."""
    account = _account(ctx, call)
    signature_format.check_request(ctx, account, call, {})
    return account.api_key or _new_key(ctx, account)


def post_api_key_v3(ctx: Context, call: Call) -> dict[str, str]:
    """A new API key; the one before is refused from then on (E9)."""
    return {"apiKey": post_api_key_v2(ctx, call)}


def post_api_key_v2(ctx: Context, call: Call) -> str:
    """The same in the second generation's form (F4)."""
    account = callers_own_account(ctx, call)
    signature_format.check_request(ctx, account, call, {})
    return _new_key(ctx, account)


def get_ws_key_v3(ctx: Context, call: Call) -> dict[str, str]:
    """A new key that opens WebSockets, as often as wanted (E47)."""
    return {"key": get_ws_key_v2(ctx, call)}


def get_ws_key_v2(ctx: Context, call: Call) -> str:
    """The same in the second generation's form (E47)."""
    number = ctx.world.ws_keys
    ctx.world.ws_keys += 1
    return ws_key(ctx.world.config.seed, number)


def ws_key(seed: str, number: int) -> str:
    """Key number N of a world. It begins with the number, by which it can be told whether it has been given out."""
    return f"{number:08x}{seeded_hex(seed, 'wsKey', str(number), 28).removeprefix('0x')}"


def get_storage_id(ctx: Context, call: Call) -> dict[str, int]:
    """The next ids for a token that is sold or moved: an even one for orders, an odd one for requests (E11). Nothing is
    reserved. Used ids are counted over orders and requests together.
    """
    account = callers_own_account(ctx, call)
    token_id: int = call.args["sellTokenId"]
    if token_id not in ctx.world.config.tokens and token_id < _NFT_SLOTS_FROM:
        raise Refused(C.ORDER_TOKEN_UNSUPPORTED, f"sellTokenId: there is no token {token_id}")
    of_requests = {
        storage_id
        for account_id, of_token, storage_id in ctx.world.storage_ids
        if (account_id, of_token) == (account.account_id, token_id)
    }
    used_ids = of_requests.union(ctx.world.orders.ids_of(account.account_id, token_id))
    even_id, odd_id = (
        max((each for each in used_ids if each % 2 == parity), default=parity - 2) + 2 for parity in (0, 1)
    )
    if max(even_id, odd_id) > STORAGE_ID_MAX:
        raise Refused(C.UNKNOWN_ERROR, f"sellTokenId: the ids of token {token_id} are used up to {STORAGE_ID_MAX}")
    return {"orderId": even_id, "offchainId": odd_id}


def get_balances_v3(ctx: Context, call: Call) -> list[dict[str, Any]]:
    """The account's balances of all tokens that it holds, or of those asked for (E12)."""
    balances = _balances(ctx, call)
    leaving_wei = _leaving_wei(ctx, call.args["accountId"])
    return [
        {
            "accountId": call.args["accountId"],
            "tokenId": token_id,
            "total": str(sum(balance)),
            "locked": str(balance.frozen_wei + balance.in_flight_wei),
            "pending": {"withdraw": str(leaving_wei[token_id]), "deposit": "0"},
        }
        for token_id, balance in balances
    ]


def get_balances_v2(ctx: Context, call: Call) -> list[dict[str, Any]]:
    """The same in the second generation's form, paged by `skip` and `limit` (F7)."""
    skip, limit = call.args.get("skip", 0), call.args.get("limit")
    rows = [
        {
            "accountId": call.args["accountId"],
            "tokenId": token_id,
            "totalAmount": str(sum(balance)),
            "amountLocked": str(balance.frozen_wei + balance.in_flight_wei),
        }
        for token_id, balance in _balances(ctx, call)
    ]
    return rows[skip:] if limit is None else rows[skip : skip + limit]


def _balances(ctx: Context, call: Call) -> list[tuple[int, Balance]]:
    """By token id. A token that is asked for is shown even if there is nothing of it; one that does not exist is not."""
    account = callers_own_account(ctx, call)
    ledger, tokens = ctx.world.ledger, ctx.world.config.tokens
    asked = call.args.get("tokens")
    if asked is None:
        return [(token_id, held) for token_id, held in ledger.balances_of(account.account_id) if token_id in tokens]
    wanted = sorted({int(each) for each in asked.split(",")})
    return [(token_id, ledger.balance(account.account_id, token_id)) for token_id in wanted if token_id in tokens]


def _leaving_wei(ctx: Context, account_id: int) -> Counter[int]:
    """By token id what withdrawals of the account have in flight, their fees among it."""
    wei: Counter[int] = Counter()
    for _, row in ctx.world.request_log.of_account(account_id):
        request = ctx.world.requests.get(row.request)
        if request is not None and request.kind is RequestKind.WITHDRAWAL:
            for token_id, part_wei in in_flight_legs(request):
                wei[token_id] += part_wei
    return wei


def _account(ctx: Context, call: Call) -> Account:
    account_id: int = call.args["accountId"]
    account = ctx.world.accounts.get(account_id)
    if account is None:
        raise Refused(C.USER_NOT_FOUND, f"accountId: there is no account {account_id}")
    return account


def callers_own_account(ctx: Context, call: Call) -> Account:
    """The account that a call names by `accountId`; refused where there is none (101002), or another's key (104003)."""
    _account(ctx, call)
    return callers_account(ctx, call, "accountId", call.args["accountId"], C.AUTH_ACCOUNT_ID_INVALID)


def _new_key(ctx: Context, account: Account) -> str:
    """Give an account an API key that nobody has had yet, of its present one and the moment."""
    seed = ctx.world.config.seed
    key = seeded_hex(seed, "apiKey", f"{account.account_id} {account.api_key} {ctx.now_ms}", 32).removeprefix("0x")
    ctx.world.account_of_key.pop(account.api_key, None)
    ctx.world.add_account(account._replace(api_key=key))
    return key
