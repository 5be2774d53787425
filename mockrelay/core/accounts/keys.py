"""Private keys of accounts: given by the scenario or derived from its seed, and the public keys that belong to them.

An account has the public key and the owner of the private keys that its scenario gives, whatever signatures are asked for.

If a scenario gives no key, both private keys are derived from its seed and the account's name (`hashing.seeded_number` with
the kinds `eddsaKey` and `layer1Key`), and the owner is the address of the layer-1 key. Computing a public key needs curve
code, which is imported on demand. So such an account has its real public key and owner from the start only if the scenario gives
them or contains them precomputed (`derived`); otherwise it gets its real public key when signatures are first verified, and
has placeholders until then. An owner never changes while a world runs: an account that starts with a placeholder keeps it,
and nobody can sign for it on layer 1.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from mockrelay.core.hashing import seeded_field_element, seeded_hex, seeded_number
from mockrelay.signing.parameters import LAYER1_ORDER, LAYER2_ORDER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockrelay.core.config import Config
    from mockrelay.core.models import Account
    from mockrelay.core.world import World
    from mockrelay.signing.curve import Point


class SigningKeys(NamedTuple):
    """The current private keys of an account; None: not known to this world."""

    eddsa_private: int | None
    """Of the current public key; from 1 to the order of the curve's subgroup, exclusive."""
    layer1_private: int | None
    """Of the owner; from 1 to the order of secp256k1, exclusive."""


def signing_keys(world: World, account: Account) -> SigningKeys:
    """The current private keys of an account of this world."""
    return _signing_keys(world.config.seed, world.config.exchange.exchange_address, account)


def placeholder_owner(seed: str, name: str) -> str:
    """The owner's address of an account of this name while its real owner is not computed."""
    return seeded_hex(seed, "owner", name, 20)


def placeholder_key(seed: str, name: str) -> tuple[str, str]:
    """The public key (x, y) of an account of this name while its real key is not computed."""
    return seeded_field_element(seed, "publicKeyX", name), seeded_field_element(seed, "publicKeyY", name)


def eddsa_private(seed: str, name: str) -> int:
    """The layer-2 private key derived for an account of this name."""
    return seeded_number(seed, "eddsaKey", name, LAYER2_ORDER)


def layer1_private(seed: str, name: str) -> int:
    """The layer-1 private key derived for the owner of an account of this name."""
    return seeded_number(seed, "layer1Key", name, LAYER1_ORDER)


def account_at_start(config: Config, account: Account, *, signs: bool) -> Account:
    """The account with the public key and the owner of the private keys that are given; if `signs`, of the derived ones
    too.
    """
    if signs or account.eddsa_key is not None or account.key_seed is not None:
        account = with_real_key(config, account)
    return with_real_owner(config, account) if signs or account.layer1_key is not None else account


def with_real_owner(config: Config, account: Account) -> Account:
    """The account with the address of its layer-1 key in place of a placeholder."""
    if account.owner != placeholder_owner(config.seed, account.name):
        return account
    from mockrelay.signing.secp256k1 import address_of  # noqa: PLC0415  # nothing else here needs it

    return account._replace(owner=address_of(_layer1_key(config.seed, account)))


def with_real_key(config: Config, account: Account) -> Account:
    """The account with the public key of its private key in place of a placeholder."""
    if (account.public_key_x, account.public_key_y) != placeholder_key(config.seed, account.name):
        return account
    from mockrelay.signing.eddsa import public_key  # noqa: PLC0415  # nothing else here needs it

    if account.eddsa_key is None and account.key_seed is not None:
        return with_key_of(config, account, account.key_seed)
    private_key = account.eddsa_key
    point = public_key(eddsa_private(config.seed, account.name) if private_key is None else int(private_key, 16))
    return _with_key(account, point)


def with_key_of(config: Config, account: Account, key_seed: str) -> Account:
    """The account with the EdDSA key that its layer-1 key derives from a keySeed."""
    from mockrelay.signing.keys import derive  # noqa: PLC0415  # nothing else here needs it

    return _with_key(account, derive(_layer1_key(config.seed, account), key_seed).public)._replace(key_seed=key_seed)


def _with_key(account: Account, point: Point) -> Account:
    return account._replace(public_key_x=f"0x{point.x:064x}", public_key_y=f"0x{point.y:064x}")


def _layer1_key(seed: str, account: Account) -> int:
    """The given layer-1 key, or the derived one; not necessarily the owner's."""
    return layer1_private(seed, account.name) if account.layer1_key is None else int(account.layer1_key, 16)


# Asked for every signature that is made.
@lru_cache(maxsize=256)
def _signing_keys(seed: str, exchange: str, account: Account) -> SigningKeys:
    from mockrelay.core.signatures.messages import public_key_of  # noqa: PLC0415  # brings the curve
    from mockrelay.signing.eddsa import public_key  # noqa: PLC0415
    from mockrelay.signing.secp256k1 import address_of  # noqa: PLC0415

    layer1: int | None = _layer1_key(seed, account)
    if layer1 is not None and address_of(layer1) != account.owner.lower():
        layer1 = None
    present = public_key_of(account)
    private = next((key for key in _candidates(seed, exchange, account, layer1) if public_key(key) == present), None)
    return SigningKeys(private, layer1)


def _candidates(seed: str, exchange: str, account: Account, layer1: int | None) -> Iterator[int]:
    """Private keys that the account's current EdDSA key may have, the likeliest first."""
    from mockrelay.signing.keys import default_seed, derive  # noqa: PLC0415

    if account.eddsa_key is not None:
        yield int(account.eddsa_key, 16)
    yield eddsa_private(seed, account.name)
    layer1_key = _layer1_key(seed, account) if layer1 is None else layer1
    if account.key_seed is not None:
        yield derive(layer1_key, account.key_seed).private
    # A client without a keySeed derives its key from the default text.
    yield derive(layer1_key, default_seed(exchange, account.key_nonce)).private
