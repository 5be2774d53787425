"""What a command's references name in a world: accounts, the house, tokens. CommandRefused 404 where there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockrelay.core.commands.base import AccountRef, TokenRef
from mockrelay.core.errors import MISSING, CommandRefused
from mockrelay.core.ledger import HOUSE_ID

if TYPE_CHECKING:
    from mockrelay.core.config import Token
    from mockrelay.core.context import Context
    from mockrelay.core.models import Account

HOUSE = "house"
"""How the account behind scripted trades is named where an order is looked for."""
_SHOWN_MAX = 60


def find_account(ctx: Context, ref: AccountRef) -> Account | None:
    """The account that a reference names; None where there is none."""
    accounts = ctx.world.accounts
    if isinstance(ref, int) and ref in accounts:
        return accounts[ref]
    name = str(ref)
    return next((one for one in accounts.values() if name == one.name or name.lower() == one.owner.lower()), None)


def account_of(ctx: Context, ref: AccountRef) -> Account:
    """The account that a reference names; 404 where there is none."""
    account = find_account(ctx, ref)
    if account is None:
        known = ", ".join(f"{known.account_id} ({known.name})" for known in ctx.world.accounts.values())
        error = f"there is no account {str(ref)[:_SHOWN_MAX]!r}"
        raise CommandRefused(MISSING, error, "account", f"one of {known}")
    return account


def trader_id_of(ctx: Context, ref: AccountRef) -> int:
    """The id of the account, or of the house, that a reference names; 404 where there is none."""
    return HOUSE_ID if ref in (HOUSE, HOUSE_ID) else account_of(ctx, ref).account_id


def token_of(ctx: Context, ref: TokenRef) -> Token:
    """The token that a reference names; 404 where there is none."""
    for token in ctx.world.config.tokens.values():
        if ref in (token.symbol, token.token_id):
            return token
    known = ", ".join(token.symbol for token in ctx.world.config.tokens.values())
    raise CommandRefused(MISSING, f"there is no token {ref!r}", "token", f"one of {known}")
