"""Commands on accounts: deposit, balance, freeze, keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mockrelay.core.accounts.keys import signing_keys, with_key_of
from mockrelay.core.accounts.queries import account_view
from mockrelay.core.blocks.pending import enqueue
from mockrelay.core.commands.base import AccountRef, Command, Target, TokenRef, json_field, rows_of, wei_of
from mockrelay.core.commands.lookup import account_of, token_of
from mockrelay.core.errors import CONFLICT, CommandRefused
from mockrelay.core.models import Account, Deposit, LogRow
from mockrelay.spec.request_kinds import TxType

if TYPE_CHECKING:
    from mockrelay.core.context import Context


@dataclass(frozen=True, kw_only=True)
class DepositMoney(Command["Context"]):
    """Deposit an amount from layer 1; it is free at once."""

    name = "deposit"
    account: AccountRef = field(metadata=json_field("account", target=Target.ACCOUNT))
    token: TokenRef = field(metadata=json_field("token", target=Target.TOKEN))
    amount_wei: int = field(metadata=json_field("amount", wei_of, str))

    def apply(self, ctx: Context) -> Any:
        """The free balance after it; 409 if the token is not enabled for deposits."""
        account, token = account_of(ctx, self.account), token_of(ctx, self.token)
        if not token.enabled:
            raise CommandRefused(CONFLICT, f"{token.symbol} is not enabled for deposits", "token")
        ledger = ctx.world.ledger
        ledger.deposit(account.account_id, token.token_id, self.amount_wei)
        body = Deposit(account.account_id, account.owner, token.token_id, token.address, self.amount_wei)
        tx_id = enqueue(ctx, TxType.DEPOSIT, body, ctx.now_ms)
        row = LogRow((account.account_id,), ctx.now_ms, deposit=body, deposit_tx_id=tx_id)
        ctx.world.request_log.add(row)
        free_wei = ledger.balance(account.account_id, token.token_id).free_wei
        return {"accountId": account.account_id, "free": str(free_wei)}


@dataclass(frozen=True, kw_only=True)
class SetBalance(Command["Context"]):
    """Set an account's free balance of a token, without a transaction; what is frozen or in flight stays."""

    name = "balance"
    account: AccountRef = field(metadata=json_field("account", target=Target.ACCOUNT))
    token: TokenRef = field(metadata=json_field("token", target=Target.TOKEN))
    amount_wei: int = field(metadata=json_field("amount", wei_of, str))

    def apply(self, ctx: Context) -> Any:
        """The free balance after it."""
        account, token = account_of(ctx, self.account), token_of(ctx, self.token)
        ctx.world.ledger.set_free(account.account_id, token.token_id, self.amount_wei)
        return {"accountId": account.account_id, "free": str(self.amount_wei)}


@dataclass(frozen=True, kw_only=True)
class FreezeAccount(Command["Context"]):
    """Freeze an account, which then cannot submit orders, or unfreeze it."""

    name = "freeze"
    account: AccountRef = field(metadata=json_field("account", target=Target.ACCOUNT))
    frozen: bool = field(metadata=json_field("frozen"))

    def apply(self, ctx: Context) -> Any:
        """Whether the account is frozen after it."""
        account = account_of(ctx, self.account)._replace(frozen=self.frozen)
        ctx.world.add_account(account)
        return {"accountId": account.account_id, "frozen": account.frozen}


def _coordinate(text: str) -> str:
    return f"0x{int(text, 16):064x}"


@dataclass(frozen=True, kw_only=True)
class SetKeys(Command["Context"]):
    """Change an account's keys or nonce."""

    name = "keys"
    account: AccountRef = field(metadata=json_field("account", target=Target.ACCOUNT))
    public_key_x: str | None = field(default=None, metadata=json_field("publicKeyX", _coordinate))
    public_key_y: str | None = field(default=None, metadata=json_field("publicKeyY", _coordinate))
    key_seed: str | None = field(default=None, metadata=json_field("keySeed"))
    account_nonce: int | None = field(default=None, metadata=json_field("accountNonce"))
    api_key: str | None = field(default=None, metadata=json_field("apiKey"))

    def apply(self, ctx: Context) -> Any:
        """The account and its API key after it; 409 for another account's API key.

        If signatures are verified or the scenario gives the layer-1 key, a keySeed without a public key sets the key that the
        owner's layer-1 key derives from it; 409 if the layer-1 key is not known.
        """
        account, world = account_of(ctx, self.account), ctx.world
        changes = self._changes(ctx, account)
        taken_by = None if self.api_key is None else world.account_of_key.get(self.api_key)
        if taken_by not in (None, account.account_id):
            raise CommandRefused(CONFLICT, f"account {taken_by} has this key", "apiKey", "a key of its own")
        if self.api_key is not None:
            world.account_of_key.pop(account.api_key, None)
        if self.account_nonce is not None:
            world.next_nonce.pop(account.account_id, None)
        account = account._replace(**changes)
        world.add_account(account)
        return {"apiKey": account.api_key, **account_view(account)}

    def _changes(self, ctx: Context, account: Account) -> Mapping[str, Any]:
        """The new values of the account's fields."""
        names = ("public_key_x", "public_key_y", "key_seed", "account_nonce", "api_key")
        changes = {name: value for name in names if (value := getattr(self, name)) is not None}
        has_key = self.public_key_x is not None or self.public_key_y is not None
        has_real_keys = account.layer1_key is not None or ctx.world.choices["signature.scheme"] == "protocol"
        if self.key_seed is None or has_key or not has_real_keys:
            return changes
        if signing_keys(ctx.world, account).layer1_private is None:
            error = f"nobody here knows the layer-1 key of {account.owner}, which makes the key of a keySeed"
            raise CommandRefused(CONFLICT, error, "keySeed", "publicKeyX and publicKeyY beside it")
        with_key = with_key_of(ctx.world.config, account, self.key_seed)
        return {**changes, "public_key_x": with_key.public_key_x, "public_key_y": with_key.public_key_y}


ROWS = rows_of(DepositMoney, SetBalance, FreezeAccount, SetKeys)
