"""Control verbs for requests, blocks, fees, keys and NFT contracts."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from mockrelay.control.deeds import Words, account_id_of
from mockrelay.control.fields import Fields
from mockrelay.control.steered import Steered
from mockrelay.control.views import request_state_view
from mockrelay.core import request_verbs as verbs
from mockrelay.core.accounts import account_view
from mockrelay.core.errors import BAD, CommandRefused
from mockrelay.core.requests import submit_view
from mockrelay.spec.request_kinds import FEE_KINDS
from mockrelay.spec.vocab import RequestStatus

KEY_FIELDS = ("publicKeyX", "publicKeyY", "keySeed", "accountNonce", "apiKey")
_AHEAD = (RequestStatus.PROCESSING, RequestStatus.PROCESSED, RequestStatus.FAILED)
_FACTOR_CHARACTERS_MAX = 40


def seal_blocks(relay: Steered, fields: Fields, words: Words) -> Any:
    """Seal what waits."""
    count = fields.integer("count", least=1) if "count" in fields else 1
    with relay.steering() as ctx:
        return {"blockIds": verbs.seal_blocks(ctx, count)}


def finalize_blocks(relay: Steered, fields: Fields, words: Words) -> Any:
    """Make blocks final."""
    up_to = fields.integer("upTo") if "upTo" in fields else None
    with relay.steering() as ctx:
        return {"upTo": verbs.finalize_blocks(ctx, up_to)}


def show_submission(relay: Steered, fields: Fields, words: Words) -> Any:
    """One submitted request."""
    with relay.steering() as ctx:
        return request_state_view(verbs.request_of(ctx, words[0]))


def advance_submission(relay: Steered, fields: Fields, words: Words) -> Any:
    """Move a request on."""
    to = RequestStatus(fields.one_of("to", _AHEAD))
    with relay.steering() as ctx:
        return submit_view(verbs.advance_submission(ctx, words[0], to), is_idempotent=False)


def set_fee(relay: Steered, fields: Fields, words: Words) -> Any:
    """Change a fee."""
    asked = str(fields.given("requestType"))
    if asked not in FEE_KINDS:
        raise CommandRefused(BAD, f"{asked!r} is no request type", "requestType", f"one of {', '.join(FEE_KINDS)}")
    if ("fee" in fields) == ("factor" in fields):
        raise CommandRefused(BAD, "a fee is set or multiplied", "fee", "one of fee and factor")
    token = fields.token("token")
    fee_wei = fields.amount_wei("fee") if "fee" in fields else None
    factor = _factor(fields) if "factor" in fields else None
    with relay.steering() as ctx:
        return {"fee": str(verbs.set_fee(ctx, FEE_KINDS[asked], token, fee_wei, factor))}


def set_keys(relay: Steered, fields: Fields, words: Words) -> Any:
    """Change an account's keys or nonce."""
    changes: dict[str, Any] = {}
    for name, field in (("publicKeyX", "public_key_x"), ("publicKeyY", "public_key_y")):
        if name in fields:
            changes[field] = fields.coordinate(name)
    if "apiKey" in fields:
        changes["api_key"] = _api_key(fields)
    if "keySeed" in fields:
        changes["key_seed"] = fields.text("keySeed")
    if "accountNonce" in fields:
        changes["account_nonce"] = fields.integer("accountNonce")
    with relay.steering() as ctx:
        account = verbs.set_keys(ctx, account_id_of(ctx, words[0]), changes)
        return {"apiKey": account.api_key, **account_view(account)}


def deploy_contract(relay: Steered, fields: Fields, words: Words) -> Any:
    """Let a deployment happen."""
    outcome = fields.one_of("outcome", ("deployed", "failed")) if "outcome" in fields else "deployed"
    with relay.steering() as ctx:
        verbs.deploy_contract(ctx, words[0], succeeds=outcome == "deployed")
        return {"address": words[0], "code": ctx.world.layer1.code.get(words[0].lower(), "0x")}


def _api_key(fields: Fields) -> str:
    key = fields.text("apiKey")
    if not key or not key.isascii() or not key.isprintable() or key != key.strip():
        raise CommandRefused(BAD, "no header can carry this key", "apiKey", "printable ASCII, at least one character")
    return key


def _factor(fields: Fields) -> Fraction:
    """The factor as it is written: 1.3 is thirteen tenths, not the float next to it."""
    text = str(fields.everything()["factor"])
    try:
        decimal = Decimal(text[:_FACTOR_CHARACTERS_MAX])
        # A short text can name a number with millions of digits.
        factor = Fraction(decimal) if decimal.is_finite() and abs(decimal.adjusted()) < _FACTOR_CHARACTERS_MAX else None
    except (InvalidOperation, ValueError, OverflowError):
        factor = None
    if factor is None or not 0 <= factor <= 10**9:
        raise CommandRefused(BAD, f"{text[:60]!r} is no factor", "factor", "a number such as 1.3")
    return factor
