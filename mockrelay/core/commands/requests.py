"""Commands on submitted requests: advance."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mockrelay.core.commands.base import AccountRef, Command, Target, json_field, rows_of
from mockrelay.core.commands.lookup import account_of
from mockrelay.core.errors import CONFLICT, MISSING, CommandRefused
from mockrelay.core.models import Request
from mockrelay.core.requests import lifecycle
from mockrelay.core.requests.checks import submit_view
from mockrelay.spec.request_kinds import RequestKind
from mockrelay.spec.vocab import RequestStatus

if TYPE_CHECKING:
    from mockrelay.core.context import Context


@dataclass(frozen=True, kw_only=True)
class AdvanceRequest(Command["Context"]):
    """Advance a request to a later state: by its hash, or an account's oldest open one of a kind."""

    name = "advance"
    to: RequestStatus = field(metadata=json_field("to", RequestStatus, str))
    hash: str | None = field(default=None, metadata=json_field("hash", str.lower))
    kind: RequestKind | None = field(default=None, metadata=json_field("kind", RequestKind, str))
    account: AccountRef | None = field(default=None, metadata=json_field("account", target=Target.ACCOUNT))

    def apply(self, ctx: Context) -> Any:
        """The answer to its submission after it; 409 if it has ended, is past that state, or its block contradicts it."""
        request = self._oldest(ctx) if self.hash is None else request_by_hash(ctx, self.hash)
        return submit_view(advance_request(ctx, request, self.to), is_idempotent=False)

    def _oldest(self, ctx: Context) -> Request:
        assert self.account is not None
        account_id = account_of(ctx, self.account).account_id
        for request in ctx.world.requests.values():
            if request.kind is self.kind and request.account_id == account_id and request.is_open:
                return request
        raise CommandRefused(MISSING, f"account {account_id} has no open request of the kind {self.kind}")


def request_by_hash(ctx: Context, hash_: str) -> Request:
    """The request with this hash; 404 if there is none."""
    request = ctx.world.requests.get(hash_.lower())
    if request is None:
        meant = f"the hash that the submission answered, one of {len(ctx.world.requests)} requests"
        raise CommandRefused(MISSING, f"there is no request {hash_}", "hash", meant)
    return request


def advance_request(ctx: Context, request: Request, to: RequestStatus) -> Request:
    """The request in its new state; CommandRefused, with nothing changed, if it cannot get there."""
    if not request.is_open or (to is RequestStatus.PROCESSING and request.status is to):
        raise CommandRefused(CONFLICT, f"the request is {request.status}", "to", "a state that lies ahead")
    if to is RequestStatus.FAILED:
        if request.block_id is not None and request.sealed_valid:
            raise CommandRefused(CONFLICT, f"block {request.block_id} has the request as valid", "to", "processed")
        return lifecycle.fail(ctx, request, ctx.now_ms)
    is_sealed_invalid = request.block_id is not None and not request.sealed_valid
    if to is RequestStatus.PROCESSED and (not request.funded or is_sealed_invalid):
        raise CommandRefused(CONFLICT, "the request can only fail", "to", "failed")
    if request.status is RequestStatus.RECEIVED:
        request = lifecycle.start_processing(ctx, request, ctx.now_ms)
    return request if to is RequestStatus.PROCESSING else lifecycle.complete(ctx, request, ctx.now_ms)


ROWS = rows_of(AdvanceRequest)
