"""API keys, keys of WebSockets and storage ids (E8, E9, E11, E47; F3, F4, F25)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockrelay.core.accounts.queries import callers_account
from mockrelay.core.call import Call, Refused
from mockrelay.core.hashing import seeded_hex
from mockrelay.core.models import Account
from mockrelay.core.requests.checks import STORAGE_ID_MAX, highest_request_ids, tokens_of_ids
from mockrelay.core.signatures import format as signature_format
from mockrelay.spec.codes import Code as C

if TYPE_CHECKING:
    from mockrelay.core.context import Context
    from mockrelay.core.world import World

_NFT_SLOTS_FROM = 32_768
"""Token ids from here on are slots of NFTs."""


def get_api_key_v3(ctx: Context, call: Call) -> dict[str, str]:
    """The account's present API key; one is made where it has none (E8)."""
    return {"apiKey": _present_key(ctx, _signer(ctx, call))}


def get_api_key_v2(ctx: Context, call: Call) -> str:
    """The account's present API key; one is made where it has none (F3)."""
    return _present_key(ctx, _signer_with_key(ctx, call))


def post_api_key_v3(ctx: Context, call: Call) -> dict[str, str]:
    """A new API key; the one before is refused from then on (E9)."""
    return {"apiKey": _new_key(ctx, _signer(ctx, call))}


def post_api_key_v2(ctx: Context, call: Call) -> str:
    """A new API key; the one before is refused from then on (F4)."""
    return _new_key(ctx, _signer_with_key(ctx, call))


def get_ws_key_v3(ctx: Context, call: Call) -> dict[str, str]:
    """A new key that opens WebSockets, as often as wanted (E47)."""
    return {"key": get_ws_key_v2(ctx, call)}


def get_ws_key_v2(ctx: Context, call: Call) -> str:
    """A new key that opens WebSockets, in the second generation's form (E47)."""
    number = ctx.world.ws_keys
    ctx.world.ws_keys += 1
    return ws_key(ctx.world.config.seed, number)


_NUMBER_DIGITS = 8


def is_ws_key(world: World, key: str) -> bool:
    """Whether a key of WebSockets has been given out."""
    try:
        number = int(key[:_NUMBER_DIGITS], 16)
    except ValueError:
        return False
    return 0 <= number < world.ws_keys and key == ws_key(world.config.seed, number)


def ws_key(seed: str, number: int) -> str:
    """Key number N of a world. It begins with the number, by which it can be told whether it has been given out."""
    return f"{number:0{_NUMBER_DIGITS}x}{seeded_hex(seed, 'wsKey', str(number), 28).removeprefix('0x')}"


def get_storage_id(ctx: Context, call: Call) -> dict[str, int]:
    """The next ids for a token that is sold or moved: an even one for orders, an odd one for requests (E11). Nothing is
    reserved. Used ids are counted over orders and requests together.
    """
    return _next_ids(ctx, call, "sellTokenId")


def get_storage_id_v2(ctx: Context, call: Call) -> dict[str, int]:
    """The next ids for a token, as the third generation has them (F25)."""
    return _next_ids(ctx, call, "tokenSId")


def _next_ids(ctx: Context, call: Call, field: str) -> dict[str, int]:
    account = callers_account(ctx, call)
    token_id: int = call.args[field]
    if token_id not in ctx.world.config.tokens and token_id < _NFT_SLOTS_FROM:
        raise Refused(C.ORDER_TOKEN_UNSUPPORTED, f"{field}: there is no token {token_id}")
    used_ids = [
        order_id
        for sold in tokens_of_ids(ctx, token_id)
        for order_id in ctx.world.orders.ids_of(account.account_id, sold)
    ]
    used_ids += highest_request_ids(ctx, account.account_id, token_id)
    even_id, odd_id = (
        max((each for each in used_ids if each >= 0 and each % 2 == parity), default=parity - 2) + 2
        for parity in (0, 1)
    )
    if max(even_id, odd_id) > STORAGE_ID_MAX:
        raise Refused(C.UNKNOWN_ERROR, f"{field}: the ids of token {token_id} are used up to {STORAGE_ID_MAX}")
    return {"orderId": even_id, "offchainId": odd_id}


def _signer(ctx: Context, call: Call) -> Account:
    account = callers_account(ctx, call)
    signature_format.check(ctx, account, call)
    return account


def _signer_with_key(ctx: Context, call: Call) -> Account:
    """The signer; refused unless the call names the account's own public key."""
    account = _signer(ctx, call)
    for name, own in (("publicKeyX", account.public_key_x), ("publicKeyY", account.public_key_y)):
        if _number(call.args[name]) != _number(own):
            raise Refused(C.INVALID_ARGUMENT, f"{name}: not the account's public key, which is {_number(own)}")
    return account


def _number(coordinate: str) -> int:
    """A coordinate of a public key, in hex after 0x or in decimal digits; 0 where there is no key."""
    return int(coordinate, 16 if coordinate.startswith("0x") else 10) if coordinate else 0


def _present_key(ctx: Context, account: Account) -> str:
    return account.api_key or _new_key(ctx, account)


def _new_key(ctx: Context, account: Account) -> str:
    """Give an account an API key that nobody has had yet, of its present one and the moment."""
    seed = ctx.world.config.seed
    key = seeded_hex(seed, "apiKey", f"{account.account_id} {account.api_key} {ctx.now_ms}", 32).removeprefix("0x")
    ctx.world.account_of_key.pop(account.api_key, None)
    ctx.world.add_account(account._replace(api_key=key))
    return key
