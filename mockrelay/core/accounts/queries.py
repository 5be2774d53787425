"""Account queries (spec §8), and the account that a call may act for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockrelay.core.call import Call, Refused
from mockrelay.core.models import Account
from mockrelay.spec.codes import Code as C

if TYPE_CHECKING:
    from mockrelay.core.context import Context


def get_account(ctx: Context, call: Call) -> dict[str, Any]:
    """The account of a layer-1 address (spec §8)."""
    world = ctx.world
    owner: str = call.args["owner"].lower()
    account_id = world.account_of_owner.get(owner)
    if account_id is None:
        if ctx.decide("account.unknown", {}) == "by_layer" and not world.layer1.knows(owner):
            raise Refused(C.ADDRESS_NOT_FOUND, f"owner: nothing is known of {owner} on either layer")
        raise Refused(C.USER_NOT_FOUND, f"owner: {owner} has no account on the exchange")
    in_decimal = ctx.decide("account.key_text", {}) == "decimal"
    return account_view(world.accounts[account_id], in_decimal=in_decimal)


def account_view(account: Account, *, in_decimal: bool = False) -> dict[str, Any]:
    """The account as the API shows it (spec, DexAccount), its public key as it was set or in decimal digits."""
    key = account.public_key_x, account.public_key_y
    if in_decimal:
        key = _decimal(key[0]), _decimal(key[1])
    view: dict[str, Any] = {
        "accountId": account.account_id,
        "frozen": account.frozen,
        "publicKeyX": key[0],
        "publicKeyY": key[1],
        "keyNonce": account.key_nonce,
        "accountNonce": account.account_nonce,
    }
    if account.tags is not None:
        view["tags"] = account.tags
    return view


def _decimal(coordinate: str) -> str:
    return str(int(coordinate, 0)) if coordinate else ""


def callers_account(ctx: Context, call: Call, field: str, account_id: int, code: C) -> Account:
    """The account with this id; refused with `code` if there is none or it is not the caller's."""
    account = ctx.world.accounts.get(account_id)
    if account is None:
        raise Refused(code, f"{field}: there is no account {account_id}")
    if not is_callers_account(ctx, call, account_id):
        raise Refused(code, f"{field}: account {account_id} is not the account of this API key")
    return account


def is_callers_account(ctx: Context, call: Call, account_id: int) -> bool:
    """Whether the call's API key is the account's; true if the gate passed a call without a valid key."""
    key = call.api_key
    if key is None or key not in ctx.world.account_of_key:
        return True
    return ctx.world.account_of_key[key] == account_id
