"""Find what a command refers to: accounts, the house, tokens. CommandRefused with 404 if it does not exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockrelay.core.commands.base import AccountRef, TokenRef
from mockrelay.core.errors import MISSING, CommandRefused
from mockrelay.core.ledger import HOUSE_ID
from mockrelay.suggest import in_quotes

if TYPE_CHECKING:
    from mockrelay.core.config import Token
    from mockrelay.core.context import Context
    from mockrelay.core.models import Account

HOUSE = "house"
"""The reference to the account behind scripted trades, where an order's owner is named."""
_SHOWN_MAX = 60


def find_account(ctx: Context, ref: AccountRef) -> Account | None:
    """The account with this id, name or owner; None if there is none."""
    accounts = ctx.world.accounts
    if isinstance(ref, int) and ref in accounts:
        return accounts[ref]
    text = str(ref)
    matching = (one for one in accounts.values() if text == one.name or text.lower() == one.owner.lower())
    return next(matching, None)


def account_of(ctx: Context, ref: AccountRef) -> Account:
    """The account with this id, name or owner; 404 if there is none."""
    account = find_account(ctx, ref)
    if account is None:
        accounts = ", ".join(f"{one.account_id} ({one.name})" for one in ctx.world.accounts.values())
        error = f"there is no account {in_quotes(str(ref), _SHOWN_MAX)}"
        raise CommandRefused(MISSING, error, "account", f"one of {accounts}")
    return account


def trader_id_of(ctx: Context, ref: AccountRef) -> int:
    """The id of the account, or of the house, that `ref` names; 404 if there is none."""
    return HOUSE_ID if ref in (HOUSE, HOUSE_ID) else account_of(ctx, ref).account_id


def token_of(ctx: Context, ref: TokenRef) -> Token:
    """The token with this symbol or id; 404 if there is none."""
    for token in ctx.world.config.tokens.values():
        if ref in (token.symbol, token.token_id):
            return token
    symbols = ", ".join(token.symbol for token in ctx.world.config.tokens.values())
    raise CommandRefused(MISSING, f"there is no token {in_quotes(ref)}", "token", f"one of {symbols}")
