"""Receivers that are named by address: an account, or one that comes into being for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mockrelay.core.call import Refused
from mockrelay.core.models import Account, LogRow
from mockrelay.spec.codes import Code as C
from mockrelay.spec.vocab import ZERO_ADDRESS

if TYPE_CHECKING:
    from mockrelay.core.context import Context


class Receiver(NamedTuple):
    """Who receives something, before it is accepted."""

    address: str
    account_id: int | None
    """None: the address has no account yet."""

    def accept(self, ctx: Context, hash_: str) -> int:
        """The id of the account, created without a key if there is none, for the request with this hash."""
        return _create(ctx, self.address, hash_) if self.account_id is None else self.account_id


def receiver_at(ctx: Context, account_id: int, address: str, code: C, fields: tuple[str, str]) -> Receiver:
    """The receiver with this address; refused if the account id, unless it is 0, is another's, and by choice if it has no
    account. `fields`: how the call names the two.
    """
    world = ctx.world
    if address.lower() == ZERO_ADDRESS:
        raise Refused(code, f"{fields[1]}: nobody owns the zero address")
    own_id = world.account_of_owner.get(address.lower())
    if account_id not in (0, own_id):
        raise Refused(
            code, f"{fields[0]}: {account_id} is not the account of {fields[1]}, {own_id or 'which has none'}"
        )
    if own_id is None and ctx.decide("live.unknown_payee") == "refuse":
        raise Refused(code, f"{fields[1]}: {address} has no account")
    return Receiver(address if own_id is None else world.accounts[own_id].owner, own_id)


def _create(ctx: Context, owner: str, hash_: str) -> int:
    """An account without a key, which its owner activates by an account update."""
    world = ctx.world
    account_id = max(world.accounts) + 1
    account = Account(
        account_id=account_id,
        name=f"account_{account_id}",
        owner=owner,
        api_key="",
        public_key_x="",
        public_key_y="",
        key_nonce=0,
        account_nonce=0,
        frozen=False,
        tags=None,
        maker_bips=world.config.maker_bips,
        taker_bips=world.config.taker_bips,
    )
    world.add_account(account)
    world.request_log.add(LogRow((account_id,), ctx.now_ms, hash_, is_creation=True))
    return account_id
