"""What is done by hand to requests, blocks, fees, keys and NFT contracts. As in `verbs`: all checks before the first change."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mockrelay.core import lifecycle
from mockrelay.core.counterfactual import runtime_code
from mockrelay.core.errors import BAD, CONFLICT, MISSING, CommandRefused
from mockrelay.core.keyring import signing_keys, with_key_of
from mockrelay.core.records import Account, Request
from mockrelay.core.sealing import finalize_up_to, seal
from mockrelay.core.verbs import ADDRESS, account_of, token_of
from mockrelay.spec.request_kinds import FeeKind
from mockrelay.spec.vocab import RequestStatus

if TYPE_CHECKING:
    from mockrelay.core.context import Context

FEE_MAX_WEI = 2**96 - 1
"""What the amounts of signed requests can hold."""


def seal_blocks(ctx: Context, count: int) -> list[int]:
    """Seal up to `count` blocks of what waits; their ids. Nothing waiting seals nothing."""
    ids: list[int] = []
    while len(ids) < count and ctx.world.pending:
        ids.append(seal(ctx, ctx.now_ms).block_id)
    return ids


def finalize_blocks(ctx: Context, up_to: int | None) -> int:
    """Make all blocks up to this one final (None: all that are sealed); the newest that is."""
    newest = ctx.world.blocks[-1].block_id
    if up_to is not None and up_to > newest:
        raise CommandRefused(CONFLICT, f"there is no block {up_to} yet", "upTo", f"a block up to {newest}")
    finalize_up_to(ctx, newest if up_to is None else up_to, ctx.now_ms)
    return newest if up_to is None else up_to


def request_of(ctx: Context, hash_: str) -> Request:
    """The submitted request of a hash; 404 where there is none."""
    request = ctx.world.requests.get(hash_.lower())
    if request is None:
        raise CommandRefused(
            MISSING,
            f"there is no request {hash_}",
            "hash",
            f"the hash that the submission answered, one of {len(ctx.world.requests)} requests",
        )
    return request


def advance_submission(ctx: Context, hash_: str, to: RequestStatus) -> Request:
    """Move a request on by hand; 409 where it has ended, is past that, or its block says otherwise."""
    request = request_of(ctx, hash_)
    if not request.is_open or (to is RequestStatus.PROCESSING and request.status is to):
        raise CommandRefused(CONFLICT, f"the request is {request.status}", "to", "a state that lies ahead")
    if to is RequestStatus.FAILED:
        if request.block_id is not None and request.sealed_valid:
            raise CommandRefused(CONFLICT, f"block {request.block_id} has the request as valid", "to", "processed")
        return lifecycle.fail(ctx, request)
    if to is RequestStatus.PROCESSED and (
        not request.funded or (request.block_id is not None and not request.sealed_valid)
    ):
        raise CommandRefused(CONFLICT, "the request can only fail", "to", "failed")
    if request.status is RequestStatus.RECEIVED:
        request = lifecycle.take_up(ctx, request, ctx.now_ms)
    return request if to is RequestStatus.PROCESSING else lifecycle.finish(ctx, request)


def set_fee(ctx: Context, kind: FeeKind, token_name: str | int, fee_wei: int | None, factor: Fraction | None) -> int:
    """Change a fee, to an amount or by a factor (rounded down); the fee as it is now."""
    token = token_of(ctx, token_name)
    fees = ctx.world.fees[kind]
    if fee_wei is None:
        assert factor is not None
        if token.token_id not in fees:
            raise CommandRefused(CONFLICT, f"no {kind} fee is offered in {token.symbol}", "token", "a token with a fee")
        fee_wei = int(fees[token.token_id] * factor)
    if fee_wei > FEE_MAX_WEI:
        raise CommandRefused(CONFLICT, f"a fee of {fee_wei}", "fee", f"at most {FEE_MAX_WEI}")
    ctx.world.fees[kind] = dict(sorted({**fees, token.token_id: fee_wei}.items()))
    ctx.world.exchange_view = None
    return fee_wei


def set_keys(ctx: Context, account_id: int, changes: Mapping[str, Any]) -> Account:
    """Change an account's keys or nonce (fields of Account); 409 for an API key that another account has.

    Where signatures are verified, a keySeed without a public key brings the key that the owner's layer-1 key makes of
    it; 409 where that one is not known.
    """
    account = account_of(ctx, account_id)
    if ctx.world.choices["signature.scheme"] == "protocol":
        changes = _with_key_of_seed(ctx, account, changes)
    taken_by = ctx.world.account_of_key.get(changes.get("api_key", ""))
    if taken_by not in (None, account_id):
        raise CommandRefused(CONFLICT, f"account {taken_by} has this key", "apiKey", "a key of its own")
    if "api_key" in changes:
        ctx.world.account_of_key.pop(account.api_key, None)
    if "account_nonce" in changes:
        ctx.world.next_nonce.pop(account_id, None)
    account = account._replace(**changes)
    ctx.world.add_account(account)
    return account


def _with_key_of_seed(ctx: Context, account: Account, changes: Mapping[str, Any]) -> Mapping[str, Any]:
    if "key_seed" not in changes or "public_key_x" in changes or "public_key_y" in changes:
        return changes
    if signing_keys(ctx.world, account).layer1_private is None:
        error = f"nobody here knows the layer-1 key of {account.owner}, which makes the key of a keySeed"
        raise CommandRefused(CONFLICT, error, "keySeed", "publicKeyX and publicKeyY beside it")
    made = with_key_of(ctx.world.setting, account, changes["key_seed"])
    return {**changes, "public_key_x": made.public_key_x, "public_key_y": made.public_key_y}


def deploy_contract(ctx: Context, address: str, *, succeeds: bool) -> None:
    """Somebody deploys an NFT contract on layer 1, or the relayer's own deployment comes to its end."""
    if not ADDRESS.fullmatch(address.lower()):
        raise CommandRefused(BAD, f"{address!r} is no address", "address", "0x and 40 hex digits")
    world, key = ctx.world, address.lower()
    if key in world.layer1.code:
        raise CommandRefused(CONFLICT, f"{address} is deployed already", "address", "a contract that is not")
    open_ = [world.requests[hash_] for hash_ in world.deployments.get(key, ()) if world.requests[hash_].is_open]
    if not succeeds:
        if not open_:
            raise CommandRefused(CONFLICT, f"nobody is deploying {address}", "outcome", "deployed")
        advance_submission(ctx, open_[0].hash, RequestStatus.FAILED)
    elif open_:
        advance_submission(ctx, open_[0].hash, RequestStatus.PROCESSED)
    else:
        world.layer1.code[key] = runtime_code(world.setting.exchange.nft_implementation)
