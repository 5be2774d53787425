"""What an entry of a scenario's timeline can do: control verbs and orders, as data.

A deed is called when its moment has come. Where it cannot be done it raises CommandRefused, and nothing is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from mockrelay.core import request_verbs, verbs
from mockrelay.core.errors import CONFLICT, MISSING, CommandRefused
from mockrelay.core.faults import Fault
from mockrelay.core.ledger import HOUSE_ID
from mockrelay.core.machine import can
from mockrelay.core.nft import contract_of
from mockrelay.core.records import Order
from mockrelay.core.scripted import ScriptedOrder, place
from mockrelay.spec.request_kinds import FeeKind, RequestKind
from mockrelay.spec.transitions import ORDER, OrderTrigger
from mockrelay.spec.vocab import NodeState, OrderStatus, RequestStatus

if TYPE_CHECKING:
    from mockrelay.core.context import Context


class OrderName(NamedTuple):
    """An order by its hash, by the id that it was submitted with (then the newest that an account has under it), or as an
    account's oldest order that the deed is for.
    """

    hash: str | None
    client_order_id: str | None = None
    account_id: int | None = None
    """Beside a clientOrderId, None is whichever account has one."""

    def find(self, ctx: Context, suits: Callable[[Order], bool]) -> str:
        """The hash of the order; `suits` says which orders the deed is for."""
        if self.hash is not None:
            return self.hash
        if self.client_order_id is not None:
            return self._by_client_id(ctx, self.client_order_id)
        for order in ctx.world.shelf.by_hash.values():
            if order.account_id == self.account_id and suits(order):
                return order.hash
        raise CommandRefused(MISSING, f"account {self.account_id} has no such order")

    def _by_client_id(self, ctx: Context, client_order_id: str) -> str:
        found = [
            hashes[client_order_id]
            for account_id, hashes in ctx.world.shelf.by_client_id.items()
            if self.account_id in (None, account_id) and client_order_id in hashes
        ]
        if not found:
            raise CommandRefused(MISSING, f"there is no order with the clientOrderId {client_order_id!r}")
        if len(found) > 1:
            error = f"{len(found)} accounts have an order with the clientOrderId {client_order_id!r}"
            raise CommandRefused(CONFLICT, error, None, "one of them, by account")
        return found[0]


class CancelOrder(NamedTuple):
    """Cancel an order as its owner would."""

    order: OrderName

    def __call__(self, ctx: Context) -> None:
        """Do it."""
        hash_ = self.order.find(ctx, lambda order: can(ORDER, order.status, OrderTrigger.CANCEL_ASKED))
        verbs.cancel_order(ctx, hash_)


class FillOrder(NamedTuple):
    """The house trades with an order of the book, at its own price unless told another."""

    order: OrderName
    size_base_wei: int
    price: str | None

    def __call__(self, ctx: Context) -> None:
        """Do it."""
        hash_ = self.order.find(ctx, lambda order: order.status is OrderStatus.PROCESSING)
        verbs.fill_order(ctx, hash_, self.size_base_wei, self.price)


class ReleaseOrder(NamedTuple):
    """Settle a held order."""

    order: OrderName
    failed: bool

    def __call__(self, ctx: Context) -> None:
        """Do it."""
        hash_ = self.order.find(ctx, lambda order: order.held is not None)
        verbs.release_order(ctx, hash_, failed=self.failed)


class PlaceOrder(NamedTuple):
    """An order comes in, and trades at once what it can."""

    order: ScriptedOrder

    def __call__(self, ctx: Context) -> None:
        """Do it."""
        account_id, sold = self.order.account_id, self.order.sold
        if account_id != HOUSE_ID:
            free_wei = ctx.world.ledger.balance(account_id, sold.token_id).free_wei
            if ctx.world.accounts[account_id].frozen:
                raise CommandRefused(CONFLICT, f"account {account_id} is frozen and cannot submit orders")
            if self.order.amount_sold_wei > free_wei:
                error = f"the order sells {self.order.amount_sold_wei} wei of {sold.symbol}, {free_wei} are free"
                raise CommandRefused(CONFLICT, error)
        place(ctx, self.order)


class DepositMoney(NamedTuple):
    """Money comes in from layer 1."""

    account_id: int
    token_id: int
    amount_wei: int

    def __call__(self, ctx: Context) -> None:
        """Do it."""
        verbs.deposit(ctx, self.account_id, self.token_id, self.amount_wei)


class FreezeAccount(NamedTuple):
    """Freeze an account, or let it go."""

    account_id: int
    frozen: bool

    def __call__(self, ctx: Context) -> None:
        """Do it."""
        verbs.freeze_account(ctx, self.account_id, frozen=self.frozen)


class SetKeys(NamedTuple):
    """Change an account's keys or nonce: fields of Account."""

    account_id: int
    changes: Mapping[str, Any]

    def __call__(self, ctx: Context) -> None:
        """Do it."""
        request_verbs.set_keys(ctx, self.account_id, self.changes)


class SealBlocks(NamedTuple):
    """Seal blocks of what waits, so many at most."""

    most: int

    def __call__(self, ctx: Context) -> None:
        """Do it."""
        request_verbs.seal_blocks(ctx, self.most)


class FinalizeBlocks(NamedTuple):
    """Make all blocks up to this one final; None: all that are sealed."""

    up_to: int | None

    def __call__(self, ctx: Context) -> None:
        """Do it."""
        request_verbs.finalize_blocks(ctx, self.up_to)


class AdvanceRequest(NamedTuple):
    """Move a request on: one by its hash, or an account's oldest open one of a kind."""

    to: RequestStatus
    hash: str | None
    kind: RequestKind | None = None
    account_id: int | None = None

    def __call__(self, ctx: Context) -> None:
        """Do it."""
        request_verbs.advance_submission(ctx, self.hash or self._oldest(ctx), self.to)

    def _oldest(self, ctx: Context) -> str:
        for request in ctx.world.requests.values():
            if request.kind is self.kind and request.account_id == self.account_id and request.is_open:
                return request.hash
        raise CommandRefused(MISSING, f"account {self.account_id} has no open request of the kind {self.kind}")


class SetFee(NamedTuple):
    """Change a fee, to an amount or by a factor."""

    kind: FeeKind
    token_id: int
    fee_wei: int | None
    factor: Fraction | None

    def __call__(self, ctx: Context) -> None:
        """Do it."""
        request_verbs.set_fee(ctx, self.kind, self.token_id, self.fee_wei, self.factor)


class ChangeLayer1(NamedTuple):
    """Change what layer 1 says; what is None or empty stays."""

    state: NodeState | None
    gas_price_wei: int | None
    balances_wei: Mapping[str, Mapping[str, int]]
    allowances_wei: Mapping[str, Mapping[str, int]]
    approved_hashes: Mapping[str, tuple[str, ...]]

    def __call__(self, ctx: Context) -> None:
        """Do it."""
        verbs.set_layer1(ctx, **self._asdict())


class DeployContract(NamedTuple):
    """An NFT contract is deployed, or its deployment fails: one by its address, or the one of an account."""

    address: str | None
    account_id: int
    """Whose contract it is, where it is not named by its address."""
    succeeds: bool

    def __call__(self, ctx: Context) -> None:
        """Do it."""
        address = self.address
        if address is None:
            address = contract_of(ctx, ctx.world.accounts[self.account_id].owner)
        request_verbs.deploy_contract(ctx, address, succeeds=self.succeeds)


class SetChoices(NamedTuple):
    """Change some readings from now on; they must exist."""

    choices: Mapping[str, str]

    def __call__(self, ctx: Context) -> None:
        """Do it."""
        verbs.set_choices(ctx, self.choices)


class ArmFault(NamedTuple):
    """Arm a fault."""

    fault: Fault

    def __call__(self, ctx: Context) -> None:
        """Do it."""
        ctx.world.faults.add(self.fault._replace(of_scenario=True))
