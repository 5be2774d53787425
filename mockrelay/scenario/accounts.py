"""The sections `accounts` and `collections`: the accounts with their layer-2 balances, and their collections of NFTs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from mockrelay.core.accounts.keys import placeholder_key, placeholder_owner
from mockrelay.core.config import Exchange
from mockrelay.core.errors import InvalidInput, Path
from mockrelay.core.hashing import seeded_hex
from mockrelay.core.models import Account, Collection
from mockrelay.core.requests.nft_queries import contract_at
from mockrelay.scenario.exchange import Rates, build_rates
from mockrelay.scenario.section import Values, check_unique, each
from mockrelay.signing.parameters import LAYER1_ORDER, LAYER2_ORDER
from mockrelay.suggest import in_quotes
from mockrelay.wire.violations import RepeatedValue

_EMPTY: Values = MappingProxyType({})


class FundedAccount(NamedTuple):
    """An account and its layer-2 balances at the start, by token symbol."""

    account: Account
    balances_wei: Mapping[str, int]


def build_accounts(listed: Sequence[Values], seed: str, rates: Rates) -> tuple[FundedAccount, ...]:
    """Accounts in the order given; owner, API key and public key that are left out are derived from the seed and the name."""
    funded = each(listed, lambda values: _account(values, seed, rates))
    accounts = [one.account for one in funded]
    check_unique("accountId", (((index, "accountId"), account.account_id) for index, account in enumerate(accounts)))
    check_unique("owner", (((index, "owner"), account.owner.lower()) for index, account in enumerate(accounts)))
    check_unique("apiKey", (((index, "apiKey"), account.api_key) for index, account in enumerate(accounts)))
    return tuple(funded)


def _account(values: Values, seed: str, rates: Rates) -> FundedAccount:
    name: str = values["name"]
    fees = build_rates(values.get("rates", _EMPTY), rates)
    derived = _derived(values, seed, name)
    account = Account(
        account_id=values["accountId"],
        name=name,
        owner=values.get("owner", derived["owner"]),
        api_key=values.get("apiKey") or seeded_hex(seed, "apiKey", name, 32)[2:],
        public_key_x=values.get("publicKeyX", derived["publicKeyX"]),
        public_key_y=values.get("publicKeyY", derived["publicKeyY"]),
        key_nonce=values.get("keyNonce", 0),
        account_nonce=values.get("accountNonce", 0),
        frozen=values.get("frozen", False),
        tags=values.get("tags"),
        maker_bips=fees.maker_bips,
        taker_bips=fees.taker_bips,
        key_seed=values.get("keySeed"),
        eddsa_key=_private_key(values, "eddsaKey", LAYER2_ORDER),
        layer1_key=_private_key(values, "layer1Key", LAYER1_ORDER),
    )
    return FundedAccount(account, {symbol: int(wei) for symbol, wei in values.get("balances", _EMPTY).items()})


def _private_key(values: Values, key: str, order: int) -> str | None:
    text: str | None = values.get(key)
    if text is not None and not 0 < int(text, 16) < order:
        raise InvalidInput((key,), "a private key out of range", f"one above 0 and below {order:#x}")
    return text


def _derived(values: Values, seed: str, name: str) -> dict[str, str]:
    """Owner and public key where they are left out: the file's `derived` ones if they are of this seed and no private key
    is given for them; else placeholders that are hashed from seed and name.
    """
    x, y = placeholder_key(seed, name)
    derived = {"owner": placeholder_owner(seed, name), "publicKeyX": x, "publicKeyY": y}
    computed: Values = values.get("derived", _EMPTY)
    if computed and str(computed["seed"]) == seed:
        if "layer1Key" not in values:
            derived["owner"] = computed["owner"]
        if "eddsaKey" not in values and "keySeed" not in values:
            derived |= {key: computed[key] for key in ("publicKeyX", "publicKeyY")}
    return derived


def build_collections(
    listed: Sequence[Values], owners: Sequence[Account], exchange: Exchange
) -> tuple[Collection, ...]:
    """Collections in the order given, which is that of their ids from 1. `owners`: of each its owner."""
    first: dict[str, Path] = {}
    collections: list[Collection] = []
    for index, (values, owner) in enumerate(zip(listed, owners, strict=True)):
        collection = _collection(index + 1, values, owner, exchange)
        place = (index, "baseUri" if "baseUri" in values else "owner")
        if collection.contract in first:
            found = f"a second collection of {owner.name} with the baseUri {in_quotes(collection.base_uri)}"
            raise RepeatedValue(
                place, first[collection.contract], found, "another baseUri, which gives it another contract"
            )
        first[collection.contract] = place
        collections.append(collection)
    return tuple(collections)


def _collection(collection_id: int, values: Values, owner: Account, exchange: Exchange) -> Collection:
    base_uri: str = values.get("baseUri", "")
    return Collection(
        contract=contract_at(exchange, owner.owner, base_uri).lower(),
        collection_id=collection_id,
        account_id=owner.account_id,
        base_uri=base_uri,
        name=values["name"],
        title=values.get("collectionTitle", ""),
        description=values.get("description", ""),
        avatar=values.get("avatar", ""),
        banner=values.get("banner", ""),
        thumbnail=values.get("thumbnail", ""),
        tile_uri=values.get("tileUri", ""),
        is_mintable=values.get("isMintable", True),
    )
