"""Balances of an account on layer 2 (E12; F7)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from mockrelay.core.accounts.queries import callers_account
from mockrelay.core.call import Call
from mockrelay.core.models import Balance
from mockrelay.core.requests.lifecycle import in_flight_legs
from mockrelay.spec.request_kinds import RequestKind

if TYPE_CHECKING:
    from mockrelay.core.context import Context


def get_balances_v3(ctx: Context, call: Call) -> list[dict[str, Any]]:
    """The account's balances of all tokens that it holds, or of those asked for (E12)."""
    balances = _balances(ctx, call)
    leaving_wei = leaving_amounts(ctx, call.args["accountId"], RequestKind.WITHDRAWAL)
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
    """The account's balances in the second generation's form, paged by `skip` and `limit` (F7)."""
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


def leaving_amounts(ctx: Context, account_id: int, kind: RequestKind) -> Counter[int]:
    """By token id what the account's withdrawals of a kind have in flight, their fees among it."""
    amounts: Counter[int] = Counter()
    for _, row in ctx.world.request_log.of_account(account_id):
        request = ctx.world.requests.get(row.request)
        if request is not None and request.kind is kind:
            for token_id, amount in in_flight_legs(request):
                amounts[token_id] += amount
    return amounts


def _balances(ctx: Context, call: Call) -> list[tuple[int, Balance]]:
    """By token id. A token that is asked for is shown even if there is nothing of it; one that does not exist is not."""
    account = callers_account(ctx, call)
    ledger, tokens = ctx.world.ledger, ctx.world.config.tokens
    asked = call.args.get("tokens")
    if asked is None:
        return [(token_id, held) for token_id, held in ledger.balances_of(account.account_id) if token_id in tokens]
    wanted = sorted({int(each) for each in asked.split(",")})
    return [(token_id, ledger.balance(account.account_id, token_id)) for token_id in wanted if token_id in tokens]
