"""Accounts, names and wallets (E7, E44 to E46; F19)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockrelay.core.accounts.queries import callers_account
from mockrelay.core.call import Call, Refused
from mockrelay.core.models import Account
from mockrelay.spec.codes import Code as C
from mockrelay.suggest import in_quotes

if TYPE_CHECKING:
    from mockrelay.core.context import Context


def get_account_v3(ctx: Context, call: Call) -> dict[str, Any]:
    """The account of an owner, or with an id (E7)."""
    account = _asked_account(ctx, call)
    has_key = bool(account.public_key_x)
    return {
        "accountId": account.account_id,
        "owner": account.owner.lower(),
        "frozen": account.frozen,
        "publicKey": {"x": _hex(account.public_key_x), "y": _hex(account.public_key_y)},
        "tags": account.tags or "",
        "nonce": account.account_nonce if has_key else 0,
        "keyNonce": account.key_nonce,
        "keySeed": key_seed_of(ctx, account),
    }


def key_seed_of(ctx: Context, account: Account) -> str:
    """The text that the account's key was derived from: the one that was given, or else the usual sentence."""
    if account.key_seed is not None:
        return account.key_seed
    address = ctx.world.config.exchange.exchange_address
    nonce = max(0, account.account_nonce - 1)
    return f"Sign this message to access Loopring Exchange: {address} with key nonce: {nonce}"


def resolve_ens(ctx: Context, call: Call) -> str:
    """The address that a name stands for (E44)."""
    name: str = call.args["fullName"]
    account_id = ctx.world.config.ens_names.get(name)
    if account_id is None:
        raise Refused(C.INVALID_ARGUMENT, f"fullName: {in_quotes(name)} is not a name in this world")
    return ctx.world.accounts[account_id].owner.lower()


def get_wallet_type(ctx: Context, call: Call) -> dict[str, Any]:
    """What kind of wallet an address is (E45). All accounts of the world belong to keys, none to a contract."""
    return {"isInCounterFactualStatus": False, "isContract": False, "loopringWalletContractVersion": ""}


def get_counterfactual_info(ctx: Context, call: Call) -> dict[str, Any]:
    """The contract wallet of an account, of which an ordinary account has none (E46)."""
    account = callers_account(ctx, call)
    return {"accountId": account.account_id, "wallet": "", "walletFactory": "", "walletSalt": "", "walletOwner": ""}


def get_dex_nonce(ctx: Context, call: Call) -> int:
    """The nonce of the exchange's own layer-1 account, which sends nothing here (F19)."""
    return 0


def _asked_account(ctx: Context, call: Call) -> Account:
    """By `owner` or `accountId`, of which one is due; with both they must agree."""
    world = ctx.world
    owner, account_id = call.args.get("owner"), call.args.get("accountId")
    if owner is None and account_id is None:
        raise Refused(C.INVALID_ARGUMENT, "owner, accountId: neither is given; one is due")
    of_owner = account_id if owner is None else world.account_of_owner.get(owner.lower())
    account = None if of_owner is None else world.accounts.get(of_owner)
    if account is None:
        subject = f"accountId: there is no account {account_id}" if owner is None else f"owner: {owner} has no account"
        raise Refused(C.USER_NOT_FOUND, subject)
    if account_id not in (None, account.account_id):
        raise Refused(C.INVALID_ARGUMENT, f"accountId: {account_id} is not {account.account_id}, the owner's account")
    return account


def _hex(coordinate: str) -> str:
    return f"0x{int(coordinate, 0):064x}" if coordinate else ""
