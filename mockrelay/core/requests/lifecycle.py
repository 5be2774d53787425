"""The lifecycle of an asynchronous request: `received`, `processing`, then `processed` or `failed`, and the effects of each.

Acceptance moves amount and fee from free to in flight. `processed` takes the fee and pays the amount to the receiver;
`failed` returns both and restores the old key. Nonces and storage ids stay used in both cases.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from mockrelay.core.blocks.pending import enqueue
from mockrelay.core.config import Stage
from mockrelay.core.events import EventKind
from mockrelay.core.models import Account, Key, LogRow, Request
from mockrelay.core.requests.counterfactual import runtime_code
from mockrelay.core.world import RequestInState
from mockrelay.spec.request_kinds import KINDS, AfterUnit, Effect, RequestKind
from mockrelay.spec.transitions import REQUEST, RequestTrigger, step
from mockrelay.spec.vocab import RequestStatus

if TYPE_CHECKING:
    from mockrelay.core.context import Context

LAYER1_MAX_WEI = 2**256 - 1
"""The largest number of the layer-1 chain."""


def start_request(ctx: Context, request: Request) -> Request:
    """Start a new request: add its transaction for the next block, move its amounts to in flight, begin its first state."""
    world, at_ms = ctx.world, ctx.now_ms
    request = request._replace(tx_id=enqueue(ctx, KINDS[request.kind].tx_type, request.hash, at_ms))
    if request.funded:
        for token_id, wei in _debited_legs(request):
            world.ledger.move_to_in_flight(request.account_id, token_id, wei)
    if request.nonce is not None:
        world.next_nonce[request.account_id] = request.nonce + 1
        if ctx.decide("account.nonce_moves") == "at_once":
            _publish_nonce(ctx, request)
    if request.key_change is not None and ctx.decide("account.key_active") == "at_once":
        _activate_key(ctx, request.account_id, request.key_change.new)
        request = request._replace(key_used=True)
    request = request._replace(updated_at_ms=at_ms)
    world.requests[request.hash] = request
    if KINDS[request.kind].effect is not Effect.DEPLOY:
        # No history shows deployments.
        receivers = () if request.to_account_id is None else (request.to_account_id,)
        world.request_log.add(LogRow((request.account_id, *receivers), at_ms, request.hash))
    ctx.note_move(request.kind, request.hash, None, request.status)
    _begin_stage(ctx, request, at_ms)
    return request


def count_poll(ctx: Context, request: Request) -> Request:
    """Count a poll of an open request; the last poll of a state that lasts a number of polls ends it."""
    request = request._replace(polls=request.polls + 1)
    ctx.world.requests[request.hash] = request
    duration = _stage(ctx, request).duration
    if duration.unit is AfterUnit.POLLS and request.polls >= duration.amount:
        return leave_stage(ctx, request, ctx.now_ms)
    return request


def end_stage(ctx: Context, subject: str, at_ms: int) -> None:
    """Event: the time of a request's state is over; `subject` is its hash, a blank and the state."""
    hash_, _, status = subject.partition(" ")
    leave_stage_if_current(ctx, RequestInState(hash_, RequestStatus(status)), at_ms)


def leave_stage_if_current(ctx: Context, due: RequestInState, at_ms: int) -> None:
    """End the request's state if it is still the expected one."""
    request = ctx.world.requests[due.hash]
    if request.status is due.status:
        leave_stage(ctx, request, at_ms)


def leave_stage(ctx: Context, request: Request, at_ms: int) -> Request:
    """End the request's current state and enter the next one of its lifecycle."""
    if _stage(ctx, request).fails or (request.can_only_fail and request.status is RequestStatus.PROCESSING):
        return fail(ctx, request, at_ms)
    move = start_processing if request.status is RequestStatus.RECEIVED else complete
    return move(ctx, request, at_ms)


def start_processing(ctx: Context, request: Request, at_ms: int) -> Request:
    """Move the request from `received` to `processing`."""
    request = _moved(ctx, request, RequestTrigger.TAKEN_UP, at_ms)._replace(polls=0)
    ctx.world.requests[request.hash] = request
    _begin_stage(ctx, request, at_ms)
    return request


def complete(ctx: Context, request: Request, at_ms: int) -> Request:
    """Move the request to `processed`: take the fee and apply its effect."""
    world = ctx.world
    request = _moved(ctx, request, RequestTrigger.DONE, at_ms)
    world.ledger.pay_fee(request.account_id, request.fee_token_id, request.fee_wei)
    request = _EFFECTS[KINDS[request.kind].effect](ctx, request)
    world.requests[request.hash] = request
    return request


def fail(ctx: Context, request: Request, at_ms: int) -> Request:
    """Move the request to `failed` and undo everything but the use of its nonce and storage id."""
    world = ctx.world
    request = _moved(ctx, request, RequestTrigger.FAILED, at_ms)
    world.requests[request.hash] = request
    if request.funded:
        for token_id, wei in _debited_legs(request):
            world.ledger.return_in_flight(request.account_id, token_id, wei)
    if request.block_id is None:
        world.pending.pop(request.tx_id)
    _publish_nonce(ctx, request)
    if request.key_change is not None:
        _restore_key(ctx, request)
    return request


def seal_request(ctx: Context, request: Request, block_id: int) -> Request:
    """Put the request's transaction into a block; it is valid unless the request will fail."""
    valid = not will_fail(ctx, request)
    request = request._replace(block_id=block_id, sealed_valid=valid)
    _publish_nonce(ctx, request)
    if valid and request.key_change is not None and not request.key_used:
        # A later update may be active already.
        if request.key_change.new.key_nonce >= ctx.world.accounts[request.account_id].key_nonce:
            _activate_key(ctx, request.account_id, request.key_change.new)
        request = request._replace(key_used=True)
    if request.status is RequestStatus.PROCESSED:
        request = _credit(ctx, request)
    ctx.world.requests[request.hash] = request
    return request


def will_fail(ctx: Context, request: Request) -> bool:
    """Whether the request has failed or its lifecycle leads to failure."""
    if not request.is_open:
        return request.status is RequestStatus.FAILED
    stages = ctx.world.config.lifecycles[request.kind]
    ahead = (RequestStatus.PROCESSING,) if request.status is RequestStatus.PROCESSING else tuple(stages)
    return request.must_fail or any(stages[status].fails for status in ahead)


def first_status(ctx: Context, kind: RequestKind) -> RequestStatus:
    """The state in which a request of this kind starts."""
    stages = ctx.world.config.lifecycles[kind]
    return RequestStatus.RECEIVED if RequestStatus.RECEIVED in stages else RequestStatus.PROCESSING


def _moved(ctx: Context, request: Request, trigger: RequestTrigger, at_ms: int) -> Request:
    after = request._replace(status=step(REQUEST, request.status, trigger), updated_at_ms=at_ms)
    ctx.note_move(request.kind, request.hash, request.status, after.status)
    return after


def _stage(ctx: Context, request: Request) -> Stage:
    return ctx.world.config.lifecycles[request.kind][request.status]


def _begin_stage(ctx: Context, request: Request, at_ms: int) -> None:
    world = ctx.world
    duration = _stage(ctx, request).duration
    if duration.unit is AfterUnit.TIME:
        world.events.plan(at_ms + duration.amount, EventKind.REQUEST_MOVES, f"{request.hash} {request.status}")
    elif duration.unit is AfterUnit.BLOCKS:
        block_id = world.blocks[-1].block_id + duration.amount
        world.waiting_for_block.setdefault(block_id, []).append(RequestInState(request.hash, request.status))


def _debited_legs(request: Request) -> list[tuple[int, int]]:
    """(token id, wei) of what the request has in flight while it is open."""
    legs = [(request.fee_token_id, request.fee_wei)]
    if KINDS[request.kind].sends_amount:
        legs.append((request.token_id, request.amount_wei))
    return legs


def in_flight_legs(request: Request) -> list[tuple[int, int]]:
    """(token id, wei) of what the request has in flight now."""
    if not request.funded:
        return []
    if request.is_open:
        return _debited_legs(request)
    waits_for_block = request.status is RequestStatus.PROCESSED and not request.credited
    return _debited_legs(request)[1:] if waits_for_block and KINDS[request.kind].is_credited else []


def _credit_if_due(ctx: Context, request: Request) -> Request:
    is_due = ctx.decide("transfer.credit") == "processed" or request.block_id is not None
    return _credit(ctx, request) if is_due else request


def _credit(ctx: Context, request: Request) -> Request:
    """Credit the receiver on layer 2, if there is one that has not been credited."""
    row, to_account_id = KINDS[request.kind], request.to_account_id
    if request.credited or not row.is_credited:
        return request
    assert to_account_id is not None
    ledger = ctx.world.ledger
    if row.sends_amount:
        ledger.deliver(request.account_id, to_account_id, request.token_id, request.amount_wei)
    else:
        ledger.deposit(to_account_id, request.token_id, request.amount_wei)
    return request._replace(credited=True)


def _withdraw(ctx: Context, request: Request) -> Request:
    ctx.world.ledger.withdraw(request.account_id, request.token_id, request.amount_wei)
    layer1, owner = ctx.world.layer1, request.to_address.lower()
    layer1.native_wei.setdefault(owner, 0)
    if request.nft_data is not None:
        nft = ctx.world.nfts[request.nft_data]
        nft_key = (owner, nft.token_address.lower(), nft.nft_id)
        layer1.nfts[nft_key] = layer1.nfts.get(nft_key, 0) + request.amount_wei
        return request
    token = ctx.world.config.tokens[request.token_id]
    key = (owner, token.address.lower())
    # The balance may be at the maximum already, set by a command.
    arrived_wei = min(layer1.token_wei.get(key, 0) + request.amount_wei, LAYER1_MAX_WEI)
    layer1.token_wei[key] = arrived_wei
    if token.type == "ETH":
        layer1.native_wei[owner] = arrived_wei
    return request


def _deploy(ctx: Context, request: Request) -> Request:
    implementation = ctx.world.config.exchange.nft_implementation
    ctx.world.layer1.code[request.to_address] = runtime_code(implementation)
    return request


_EFFECTS: Mapping[Effect, Callable[[Context, Request], Request]] = {
    Effect.PAY: _credit_if_due,
    Effect.MINT: _credit_if_due,
    Effect.LEAVE: _withdraw,
    Effect.DEPLOY: _deploy,
    # The new key becomes active on acceptance or with the block.
    Effect.CHANGE_KEY: lambda ctx, request: request,
}
"""The effect of a processed request, apart from its fee."""


def _publish_nonce(ctx: Context, request: Request) -> None:
    """Raise the account's visible nonce above the request's, unless the nonce has been set by hand since."""
    account = ctx.world.accounts[request.account_id]
    is_counted = request.nonce is not None and request.nonce < ctx.world.next_nonce.get(request.account_id, 0)
    if is_counted and request.nonce is not None and account.account_nonce <= request.nonce:
        ctx.world.add_account(account._replace(account_nonce=request.nonce + 1))


def _activate_key(ctx: Context, account_id: int, key: Key) -> None:
    account = ctx.world.accounts[account_id]
    ctx.world.add_account(account._replace(**key._asdict()))


def _restore_key(ctx: Context, request: Request) -> None:
    """Restore the old key unless the new one has been replaced; later open updates of the new key now replace the old one."""
    world, change = ctx.world, request.key_change
    assert change is not None
    if key_of(world.accounts[request.account_id]) == change.new:
        _activate_key(ctx, request.account_id, change.old)
    for other in list(world.requests.values()):
        later = other.key_change if other.is_open and other.account_id == request.account_id else None
        if later is not None and later.old == change.new:
            world.requests[other.hash] = other._replace(key_change=later._replace(old=change.old))


def key_of(account: Account) -> Key:
    """The account's active key."""
    return Key(account.public_key_x, account.public_key_y, account.key_nonce, account.key_seed)
