"""What all asynchronous requests have in common: hashes, repeats, nonces, storage ids, fees, funds, acceptance."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from mockrelay.core import hashing
from mockrelay.core.call import Call, Refused
from mockrelay.core.config import Token
from mockrelay.core.models import Account, KeyChange, Request
from mockrelay.core.requests import lifecycle
from mockrelay.spec.codes import Code as C
from mockrelay.spec.lint_rules import BELOW_PRECISION, REUSED_ID
from mockrelay.spec.request_kinds import KINDS, FeeKind, RequestKind
from mockrelay.spec.vocab import RequestStatus

if TYPE_CHECKING:
    from mockrelay.core.context import Context

STORAGE_ID_MAX = 2**32 - 1
NONCE_MAX = 2**32 - 1
ANY_TOKEN = -1
"""The token id in a key of `World.storage_ids` that holds for all tokens."""


def request_hash(
    ctx: Context, call: Call, account: Account, kind: RequestKind, *fields: object, about: str | None = None
) -> str:
    """The hash of a request by the choice `hash.scheme`: of `fields` and the world's seed, or of the protocol's message.

    The protocol's message does not contain `about`, the moved NFT or the deployed contract. So a request that differs from
    an existing one only in that has the first kind of hash, as has one that cannot be encoded as a message.
    """
    fast = hashing.fast_hash(kind, ctx.world.config.seed, *fields)
    # A request keeps its hash when the choice changes.
    if ctx.decide("hash.scheme") == "fast" or fast in ctx.world.requests:
        return fast
    from mockrelay.core.signatures import messages  # noqa: PLC0415  # brings Poseidon, which no other option needs

    own = messages.message_hash(ctx, account, call.endpoint.id, call.args)
    existing = None if own is None else ctx.world.requests.get(own)
    is_another = existing is not None and not (
        existing.kind is kind and about in (None, existing.nft_data, existing.to_address)
    )
    return fast if own is None or is_another else own


def check_owner(account: Account, field: str, address: str, code: C) -> None:
    """Refused unless the address is the account's owner, in any letter case."""
    if address.lower() != account.owner.lower():
        raise Refused(code, f"{field}: {address} does not own account {account.account_id}")


def check_exchange(ctx: Context, address: str, code: C, *, field: str = "exchange") -> None:
    """Refused unless the address is the exchange contract's, in any letter case."""
    own = ctx.world.config.exchange.exchange_address
    if address.lower() != own.lower():
        raise Refused(code, f"{field}: not the exchange's address, {own}")


def find_repeat(ctx: Context, hash_: str, code: C, *, field: str = "storageId") -> Request | None:
    """The existing request with this hash, whose submission is repeated; None: it is new. While it is open the repeat counts
    as a poll; afterwards the choice `request.repeat` may refuse it.
    """
    existing = ctx.world.requests.get(hash_)
    if existing is None:
        return None
    if existing.is_open:
        return lifecycle.count_poll(ctx, existing)
    if ctx.decide("request.repeat") == "always_idempotent":
        return existing
    if existing.status is RequestStatus.FAILED:
        ctx.trace.failed_repeat = existing.hash
    raise Refused(code, f"{field}: this request is {existing.status}; a new one needs a {field} of its own")


def check_nonce(ctx: Context, account: Account, nonce: int, code: C) -> None:
    """Refused unless the nonce is the account's next one."""
    if nonce > NONCE_MAX:
        raise Refused(code, f"nonce: {nonce} is above {NONCE_MAX}")
    next_nonce = ctx.world.next_nonce.get(account.account_id, account.account_nonce)
    if nonce != next_nonce:
        raise Refused(code, f"nonce: {nonce} is not {next_nonce}, the account's next one")


def check_storage_id(ctx: Context, account: Account, token_id: int, storage_id: int, code: C, *, field: str) -> None:
    """Refused unless the storage id is free."""
    if storage_id > STORAGE_ID_MAX:
        raise Refused(code, f"{field}: {storage_id} is above {STORAGE_ID_MAX}")
    world = ctx.world
    if storage_key(ctx, account.account_id, token_id, storage_id) in world.storage_ids:
        raise _id_in_use(ctx, code, f"{field}: {storage_id} is taken by another request")
    sold = tokens_of_ids(ctx, token_id)
    if ids_are_shared(ctx) and any(world.orders.is_used(account.account_id, each, storage_id) for each in sold):
        message = f"{field}: {storage_id} is taken by an order, and orders share their ids with requests"
        raise _id_in_use(ctx, code, message)


def _id_in_use(ctx: Context, code: C, message: str) -> Refused:
    ctx.add_finding(REUSED_ID, message)
    return Refused(code, message)


def note_precision(ctx: Context, field: str, amount_wei: int, token: Token) -> None:
    """Record a finding for an amount above zero that counts as zero (spec, Limits)."""
    if 0 < amount_wei < token.least_counted_wei:
        message = f"{field}: {amount_wei} counts as zero: {token.symbol} has a precision of {token.precision} decimals"
        ctx.add_finding(BELOW_PRECISION, message)


def storage_key(ctx: Context, account_id: int, token_id: int, storage_id: int) -> tuple[int, int, int]:
    """The key of a storage id in `World.storage_ids` (choice `storage_id.scope`)."""
    return account_id, token_id if _counts_per_token(ctx) else ANY_TOKEN, storage_id


def highest_request_ids(ctx: Context, account_id: int, token_id: int) -> tuple[int, int]:
    """The highest even and the highest odd storage id of the account's requests that count for this token; -1 for none."""
    of_account, of_token, _ = storage_key(ctx, account_id, token_id, 0)
    highest = ctx.world.highest_storage_ids
    return highest.get((of_account, of_token, 0), -1), highest.get((of_account, of_token, 1), -1)


def tokens_of_ids(ctx: Context, token_id: int) -> tuple[int, ...]:
    """The tokens that share their ids with this one (choice `storage_id.scope`)."""
    return (token_id,) if _counts_per_token(ctx) else tuple(ctx.world.config.tokens)


def _counts_per_token(ctx: Context) -> bool:
    return ctx.decide("storage_id.scope") == "per_token"


def ids_are_shared(ctx: Context) -> bool:
    """Whether order ids and storage ids of requests must differ (choice `storage_id.space`)."""
    return ctx.decide("storage_id.space") == "shared"


def check_valid_until(ctx: Context, valid_until_s: int, code: C, *, field: str = "validUntil") -> None:
    """Refused if the request has expired."""
    if valid_until_s * 1000 <= ctx.now_ms:
        raise Refused(code, f"{field}: {valid_until_s} is not after now, {ctx.now_s} (seconds)")


def fee_quote(ctx: Context, kind: RequestKind, token_id: int, code: C, *, field: str) -> int:
    """The fee in wei of a kind of request in this token; refused if the token is not offered for it."""
    return fee_in(ctx, KINDS[kind].fee, token_id, code, field=field)


def fee_in(ctx: Context, fee: FeeKind, token_id: int, code: C, *, field: str) -> int:
    """A kind of fee in wei in this token; refused if the token is not offered for it."""
    fees = ctx.world.fees[fee]
    if token_id not in fees:
        offered = ", ".join(map(str, fees)) or "none"
        raise Refused(code, f"{field}: no {fee} fee is offered in token {token_id}; tokens that are: {offered}")
    return fees[token_id]


def fee_charged(ctx: Context, quote_wei: int, offered_wei: int, code: C, *, field: str) -> int:
    """The fee to charge, by the choice `fee.charged`; refused if the offer is below the quote."""
    if offered_wei < quote_wei:
        raise Refused(code, f"{field}: {offered_wei} is below the fee, {quote_wei}")
    return quote_wei if ctx.decide("fee.charged") == "quote" else offered_wei


def is_funded(ctx: Context, account: Account, legs: tuple[tuple[int, int], ...], code: C, *, field: str) -> bool:
    """Whether the (token id, wei) legs are free; if not, the choice `request.insufficient_funds` may refuse."""
    needed_wei: Counter[int] = Counter()
    for token_id, wei in legs:
        needed_wei[token_id] += wei
    for token_id, wei in needed_wei.items():
        free_wei = ctx.world.ledger.balance(account.account_id, token_id).free_wei
        if wei > free_wei:
            if ctx.decide("request.insufficient_funds") == "fail":
                return False
            raise Refused(code, f"{field}: {wei} of token {token_id} are needed, {free_wei} are free")
    return True


def accept_request(
    ctx: Context,
    call: Call,
    kind: RequestKind,
    account: Account,
    *,
    hash_: str,
    token_id: int,
    amount_wei: int,
    fee_token_id: int,
    fee_wei: int,
    to_account_id: int | None,
    to_address: str,
    funded: bool,
    valid_until_s: int | None = None,
    storage_id: int | None = None,
    nonce: int | None = None,
    key_change: KeyChange | None = None,
    nft_data: str | None = None,
    memo: str = "",
) -> Request:
    """Create and start a request that has passed all checks: the first change of the call."""
    assert hash_ not in ctx.world.requests
    if storage_id is not None:
        # Stored for both options of `storage_id.scope`, so that an id stays used when the choice changes. Without an amount
        # the token is that of the fee.
        for sold in (token_id if KINDS[kind].sends_amount else fee_token_id, ANY_TOKEN):
            ctx.world.use_storage_id(account.account_id, sold, storage_id)
    request = Request(
        hash=hash_,
        kind=kind,
        account_id=account.account_id,
        status=lifecycle.first_status(ctx, kind),
        token_id=token_id,
        amount_wei=amount_wei,
        fee_token_id=fee_token_id,
        fee_wei=fee_wei,
        to_account_id=to_account_id,
        to_address=to_address,
        tx_id=0,
        valid_until_s=valid_until_s,
        storage_id=storage_id,
        nonce=nonce,
        key_change=key_change,
        nft_data=nft_data,
        funded=funded,
        must_fail=not funded or ctx.fire_failure(call),
        memo=memo,
    )
    return lifecycle.start_request(ctx, request)


def submit_view(request: Request, *, is_idempotent: bool) -> dict[str, Any]:
    """The answer to a submission (spec, SubmitResponse)."""
    return {"hash": request.hash, "status": RequestStatus(request.status), "isIdempotent": is_idempotent}
