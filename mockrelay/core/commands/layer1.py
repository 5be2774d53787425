"""Commands on layer 1: the state of its node, and deployments of NFT contracts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from mockrelay.core.commands.base import AccountRef, Command, Target, json_field, rows_of, wei_of
from mockrelay.core.commands.lookup import account_of, find_account, token_of
from mockrelay.core.commands.requests import advance_request
from mockrelay.core.config import Token
from mockrelay.core.errors import BAD, CONFLICT, CommandRefused, InvalidInput
from mockrelay.core.requests.counterfactual import runtime_code
from mockrelay.core.requests.nft_queries import contract_of
from mockrelay.spec.vocab import NodeState, RequestStatus
from mockrelay.suggest import in_quotes

if TYPE_CHECKING:
    from mockrelay.core.context import Context

Amounts = Mapping[str, Mapping[str, int]]
"""Amounts in the smallest unit by owner (an account's name or an address), then by a token's symbol."""
Nonces = Mapping[str, int]
"""The nonce of the next transaction by owner."""
Hashes = Mapping[str, tuple[str, ...]]
"""Hashes by owner."""

_BY_OWNER_AND_TOKEN = (Target.OWNER, Target.TOKEN)
_ADDRESS = re.compile("0x[0-9a-f]{40}")

T = TypeVar("T")


class _Amount(NamedTuple):
    owner: str
    """An address in lower case."""
    token: Token
    wei: int


def _amounts(json_value: Mapping[str, Mapping[str, str]]) -> Amounts:
    amounts: dict[str, dict[str, int]] = {}
    for owner, by_token in json_value.items():
        amounts[owner] = {}
        for token, digits in by_token.items():
            try:
                amounts[owner][token] = wei_of(digits)
            except InvalidInput as error:
                raise error.under(owner, token) from None
    return amounts


def _amounts_json(amounts: Amounts) -> Any:
    return {owner: {token: str(wei) for token, wei in by_token.items()} for owner, by_token in amounts.items()}


def _hashes(json_value: Mapping[str, list[str]]) -> Hashes:
    return {owner: tuple(hashes) for owner, hashes in json_value.items()}


def _hashes_json(hashes: Hashes) -> Any:
    return {owner: list(listed) for owner, listed in hashes.items()}


@dataclass(frozen=True, kw_only=True)
class ChangeLayer1(Command["Context"]):
    """Change the state of layer 1. Fields left out keep their values; hashes are added to the approved ones."""

    name = "layer1"
    state: NodeState | None = field(default=None, metadata=json_field("state", NodeState, str))
    gas_price_wei: int | None = field(default=None, metadata=json_field("gasPrice", wei_of, str))
    balances_wei: Amounts | None = field(
        default=None, metadata=json_field("balances", _amounts, _amounts_json, key_targets=_BY_OWNER_AND_TOKEN)
    )
    allowances_wei: Amounts | None = field(
        default=None, metadata=json_field("allowances", _amounts, _amounts_json, key_targets=_BY_OWNER_AND_TOKEN)
    )
    nonces: Nonces | None = field(default=None, metadata=json_field("nonces", dict, dict, key_targets=(Target.OWNER,)))
    approved_hashes: Hashes | None = field(
        default=None, metadata=json_field("approvedHashes", _hashes, _hashes_json, key_targets=(Target.OWNER,))
    )

    def apply(self, ctx: Context) -> Any:
        """The node's state and the gas price after it."""
        balances = list(_by_owner_and_token(ctx, self.balances_wei or {}, "balances"))
        allowances = list(_by_owner_and_token(ctx, self.allowances_wei or {}, "allowances"))
        nonces = list(_by_owner(ctx, self.nonces or {}, "nonces"))
        approved = list(_by_owner(ctx, self.approved_hashes or {}, "approvedHashes"))
        layer1 = ctx.world.layer1
        if self.state is not None:
            layer1.state = self.state
        if self.gas_price_wei is not None:
            layer1.gas_price_wei = self.gas_price_wei
        for owner, token, wei in balances:
            layer1.native_wei.setdefault(owner, 0)
            if token.type == "ETH":
                layer1.native_wei[owner] = wei
            layer1.token_wei[owner, token.address.lower()] = wei
        for owner, token, wei in allowances:
            layer1.allowances_wei[owner, token.address.lower()] = wei
        layer1.nonces.update(nonces)
        layer1.approved_hashes.update((owner, hash_.lower()) for owner, hashes in approved for hash_ in hashes)
        return {"state": layer1.state, "gasPrice": str(layer1.gas_price_wei)}


def _by_owner_and_token(ctx: Context, amounts: Amounts, name: str) -> Iterator[_Amount]:
    for owner, by_token in _by_owner(ctx, amounts, name):
        for token, wei in by_token.items():
            yield _Amount(owner, token_of(ctx, token), wei)


def _by_owner(ctx: Context, json_value: Mapping[str, T], name: str) -> Iterator[tuple[str, T]]:
    """(owner's address in lower case, value); CommandRefused for an owner that is unknown or given twice."""
    addresses: set[str] = set()
    for owner, value in json_value.items():
        account = find_account(ctx, owner)
        address = (owner if account is None else account.owner).lower()
        if not _ADDRESS.fullmatch(address):
            names = ", ".join(account.name for account in ctx.world.accounts.values())
            meant = f"an address (0x and 40 hex digits) or one of {names}"
            raise CommandRefused(BAD, f"{in_quotes(owner)} is not an owner", f"{name}.{owner}", meant)
        if address in addresses:
            raise CommandRefused(BAD, f"the owner {in_quotes(owner)} again", f"{name}.{owner}", "each owner once")
        addresses.add(address)
        yield address, value


@dataclass(frozen=True, kw_only=True)
class DeployContract(Command["Context"]):
    """Deploy an NFT contract or fail its deployment: by its address, or that of an account."""

    name = "deploy"
    address: str | None = field(default=None, metadata=json_field("address"))
    account: AccountRef | None = field(default=None, metadata=json_field("account", target=Target.ACCOUNT))
    outcome: str = field(default="deployed", metadata=json_field("outcome"))
    """`deployed` or `failed`."""

    def apply(self, ctx: Context) -> Any:
        """The code at the address after it; 409 if it is already deployed, or if there is no deployment that could fail."""
        address = self._address(ctx)
        world, key = ctx.world, address.lower()
        if key in world.layer1.code:
            raise CommandRefused(CONFLICT, f"{address} is deployed already", "address", "a contract that is not")
        open_ = [world.requests[hash_] for hash_ in world.deployments.get(key, ()) if world.requests[hash_].is_open]
        if self.outcome == "failed":
            if not open_:
                raise CommandRefused(CONFLICT, f"nobody is deploying {address}", "outcome", "deployed")
            advance_request(ctx, open_[0], RequestStatus.FAILED)
        elif open_:
            advance_request(ctx, open_[0], RequestStatus.PROCESSED)
        else:
            world.layer1.code[key] = runtime_code(world.config.exchange.nft_implementation)
        return {"address": address, "code": world.layer1.code.get(key, "0x")}

    def _address(self, ctx: Context) -> str:
        if self.address is not None:
            return self.address
        assert self.account is not None
        return contract_of(ctx, account_of(ctx, self.account).owner)


ROWS = rows_of(ChangeLayer1, DeployContract)
