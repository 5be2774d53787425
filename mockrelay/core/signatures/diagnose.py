"""The likely cause of a wrong signature, from the data of this world: replaced keys, other accounts, the chain.

Imported only when a signature is wrong, because it imports the whole of `signing.diagnosis`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockrelay.core.accounts.keys import signing_keys
from mockrelay.core.call import SentRequest
from mockrelay.core.models import Account
from mockrelay.core.signatures.messages import SIGNED, public_key_of
from mockrelay.signing.curve import Point
from mockrelay.signing.diagnosis.causes import (
    AccountKeys,
    Explanation,
    SentCall,
    SignedPart,
    SignedRequest,
    SigningContext,
)
from mockrelay.signing.diagnosis.explain import explain
from mockrelay.signing.fields import Unreadable, to_element

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockrelay.core.context import Context
    from mockrelay.core.world import World


def find_cause(
    ctx: Context,
    account: Account,
    row: str,
    sent: SentRequest,
    body: dict[str, Any],
    signature: str,
    over: SignedPart,
) -> Explanation | None:
    """What was probably signed instead, or None. `row` is the id of the endpoint's row, `body` is that of `signed_body`, and
    `signature` is as sent (three parts joined by commas).
    """
    message, typed = SIGNED[row]
    call = SentCall(sent.method, sent.url, sent.query, sent.body)
    request = SignedRequest(message, typed, body, call, _account_keys(account))
    return explain(signature, over, request, _signing_context(ctx.world, account))


def _signing_context(world: World, account: Account) -> SigningContext:
    config = world.config
    return SigningContext(
        chain_id=config.exchange.chain_id,
        exchange_address=config.exchange.exchange_address,
        exchange_id=config.exchange.exchange_id,
        replaced=tuple(dict.fromkeys(_replaced(world, account))),
        others=tuple(
            _account_keys(other) for other in world.accounts.values() if other.account_id != account.account_id
        ),
        token_ids=tuple(config.tokens),
        layer1_key=signing_keys(world, account).layer1_private,
        key_nonce=account.key_nonce,
    )


def _replaced(world: World, account: Account) -> Iterator[Point]:
    """Public keys that the account's updates have replaced, the latest first."""
    for request in reversed(world.requests.values()):
        if request.account_id == account.account_id and request.key_change is not None:
            old = request.key_change.old
            try:
                key = Point(to_element("x", old.public_key_x), to_element("y", old.public_key_y))
            except Unreadable:
                continue
            if key != public_key_of(account):
                yield key


def _account_keys(account: Account) -> AccountKeys:
    return AccountKeys(account.name, public_key_of(account), account.owner)
