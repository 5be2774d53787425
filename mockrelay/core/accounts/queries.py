"""Account queries (spec §8), and the account that a call may act for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockrelay.core.call import Call, Refused
from mockrelay.core.models import Account
from mockrelay.spec.callers import CALLERS
from mockrelay.spec.codes import Code as C
from mockrelay.spec.endpoint import KeyHeader

if TYPE_CHECKING:
    from mockrelay.core.context import Context


def get_account(ctx: Context, call: Call) -> dict[str, Any]:
    """The account of a layer-1 address (spec §8)."""
    world = ctx.world
    owner: str = call.args["owner"].lower()
    account_id = world.account_of_owner.get(owner)
    if account_id is None:
        if ctx.decide("account.unknown") == "by_layer" and not world.layer1.knows(owner):
            raise Refused(C.ADDRESS_NOT_FOUND, f"owner: nothing is known of {owner} on either layer")
        raise Refused(C.USER_NOT_FOUND, f"owner: {owner} has no account on the exchange")
    in_decimal = ctx.decide("account.key_text") == "decimal"
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


def callers_account(ctx: Context, call: Call) -> Account:
    """The account that a call names (`spec/callers`). Refused if there is none, or if it is not that of the API key, where the
    row's calls have one.
    """
    # Several steps of a call ask, and none of them changes it.
    if ctx.caller is not None and ctx.caller[0] is call:
        return ctx.caller[1]
    named = CALLERS[call.endpoint.id]
    name: Any = call.args
    for field in named.fields:
        name = name[field]
    account_id = name if isinstance(name, int) else ctx.world.account_of_owner.get(name.lower(), -1)
    account = ctx.world.accounts.get(account_id)
    if account is None:
        code = named.unknown or ctx.shape_code(call.endpoint)
        raise Refused(code, f"{named.path}: there is no account {name}")
    # None: the gate has passed a call without a valid key.
    of_key = ctx.world.account_of_key.get(call.api_key) if call.api_key else None
    if of_key not in (None, account_id) and call.endpoint.key is not KeyHeader.NOT_LISTED:
        code = named.of_another or ctx.shape_code(call.endpoint)
        raise Refused(code, f"{named.path}: account {account_id} is not the account of this API key")
    ctx.caller = call, account
    return account
