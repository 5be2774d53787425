"""The section `accounts`: who is there, and what they have on layer 2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from mockrelay.core.accounts.keys import named_key, named_owner
from mockrelay.core.errors import InvalidInput
from mockrelay.core.hashing import seeded_hex
from mockrelay.core.models import Account
from mockrelay.scenario.building import Values, each, once
from mockrelay.scenario.exchange import Rates, build_rates
from mockrelay.signing.moduli import LAYER1_ORDER, LAYER2_ORDER

_NOTHING: Values = MappingProxyType({})


class Funded(NamedTuple):
    """An account and its layer-2 money at the start, by token symbol."""

    account: Account
    balances_wei: Mapping[str, int]


def build_accounts(listed: Sequence[Values], seed: str, rates: Rates) -> tuple[Funded, ...]:
    """Accounts in the order given; what one does not give is named by the seed and its name."""
    funded = each(listed, lambda values: _account(values, seed, rates))
    accounts = [one.account for one in funded]
    once("accountId", (((index, "accountId"), account.account_id) for index, account in enumerate(accounts)))
    once("owner", (((index, "owner"), account.owner.lower()) for index, account in enumerate(accounts)))
    once("apiKey", (((index, "apiKey"), account.api_key) for index, account in enumerate(accounts)))
    return tuple(funded)


def _account(values: Values, seed: str, rates: Rates) -> Funded:
    name: str = values["name"]
    own = build_rates(values.get("rates", _NOTHING), rates)
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
        maker_bips=own.maker_bips,
        taker_bips=own.taker_bips,
        key_seed=values.get("keySeed"),
        eddsa_key=_private_key(values, "eddsaKey", LAYER2_ORDER),
        layer1_key=_private_key(values, "layer1Key", LAYER1_ORDER),
    )
    return Funded(account, {symbol: int(wei) for symbol, wei in values.get("balances", _NOTHING).items()})


def _private_key(values: Values, key: str, order: int) -> str | None:
    text: str | None = values.get(key)
    if text is not None and not 0 < int(text, 16) < order:
        raise InvalidInput((key,), "a private key out of range", f"one above 0 and below {order:#x}")
    return text


def _derived(values: Values, seed: str, name: str) -> dict[str, str]:
    """Owner and public key where they are not given: as worked out for this seed, unless private keys are given that have
    others; else the names that stand for them.
    """
    x, y = named_key(seed, name)
    derived = {"owner": named_owner(seed, name), "publicKeyX": x, "publicKeyY": y}
    worked_out: Values = values.get("derived", _NOTHING)
    if worked_out and str(worked_out["seed"]) == seed:
        if "layer1Key" not in values:
            derived["owner"] = worked_out["owner"]
        if "eddsaKey" not in values and "keySeed" not in values:
            derived |= {key: worked_out[key] for key in ("publicKeyX", "publicKeyY")}
    return derived
