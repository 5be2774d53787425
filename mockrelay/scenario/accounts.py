"""The sections that say who is there and what they have: `accounts` and `layer1`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from mockrelay.core.ids import seeded_hex
from mockrelay.core.keyring import named_key, named_owner
from mockrelay.core.records import Account
from mockrelay.core.setting import Token
from mockrelay.core.wording import nearest
from mockrelay.scenario.exchange import Rates, read_rates
from mockrelay.scenario.nodes import Node
from mockrelay.scenario.reading import (
    Fields,
    Reader,
    address,
    amount_wei,
    boolean,
    by_name,
    coordinate,
    each,
    entries,
    hash_text,
    header_text,
    items,
    once,
    private_key,
    seed_text,
    text,
    whole,
    word,
)
from mockrelay.signing.moduli import LAYER1_ORDER, LAYER2_ORDER
from mockrelay.spec.vocab import NodeState

HOUSE = "house"
"""The name of the account that stands behind scripted trades; no other can have it."""
DEFAULT_GAS_PRICE_WEI = 20 * 10**9

ACCOUNT_KEYS = (
    "name",
    "accountId",
    "owner",
    "apiKey",
    "publicKeyX",
    "publicKeyY",
    "eddsaKey",
    "keySeed",
    "layer1Key",
    "derived",
    "keyNonce",
    "accountNonce",
    "frozen",
    "tags",
    "rates",
    "balances",
)
DERIVED_KEYS = ("seed", "owner", "publicKeyX", "publicKeyY")
LAYER1_KEYS = ("state", "gasPrice", "balances", "allowances", "approvedHashes")

Amounts = Mapping[str, Mapping[str, int]]
"""Amounts in the smallest unit by owner, an account's name or an address, then by token symbol."""

NO_AMOUNTS: Amounts = MappingProxyType({})

T = TypeVar("T")


class Funded(NamedTuple):
    """An account and its layer-2 money at the start, by token symbol."""

    account: Account
    balances_wei: Mapping[str, int]


class Derived(NamedTuple):
    """What belongs to the keys of the seed, worked out beforehand: owner, and both coordinates of the public key."""

    owner: str
    public_key_x: str
    public_key_y: str


class Layer1Start(NamedTuple):
    """Layer 1 at the start."""

    state: NodeState = NodeState.UP
    gas_price_wei: int = DEFAULT_GAS_PRICE_WEI
    balances_wei: Amounts = NO_AMOUNTS
    allowances_wei: Amounts = NO_AMOUNTS
    approved_hashes: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    """By owner."""


def read_accounts(node: Node, seed: str, rates: Rates, tokens: Mapping[str, Token]) -> tuple[Funded, ...]:
    """Accounts in the order given; what one does not give is named by the seed and its name."""
    nodes = items(node)
    funded = tuple(_account(item, seed, rates, tokens) for item in nodes)
    placed = [(entries(item), item, one.account) for item, one in zip(nodes, funded, strict=True)]
    once(((fields["accountId"], account.account_id) for fields, _, account in placed), "accountId")
    once(((fields.get("owner", item), account.owner.lower()) for fields, item, account in placed), "owner")
    once(((fields.get("apiKey", item), account.api_key) for fields, item, account in placed), "apiKey")
    return funded


def _account(node: Node, seed: str, rates: Rates, tokens: Mapping[str, Token]) -> Funded:
    fields = Fields(node, ACCOUNT_KEYS)
    name = fields.need("name", text)
    if name == HOUSE:
        raise fields.node_of("name").error(
            f"the name {HOUSE!r}", f"another: {HOUSE} is account 0, which is always there"
        )
    own = fields.get("rates", lambda given: read_rates(given, rates), rates)
    derived = _derived(fields, seed, name)
    account = Account(
        account_id=fields.need("accountId", whole(1)),
        name=name,
        owner=fields.get("owner", address, derived.owner),
        api_key=fields.get("apiKey", header_text, seeded_hex(seed, "apiKey", name, 32)[2:]),
        public_key_x=fields.get("publicKeyX", coordinate, derived.public_key_x),
        public_key_y=fields.get("publicKeyY", coordinate, derived.public_key_y),
        key_nonce=fields.get("keyNonce", whole(), 0),
        account_nonce=fields.get("accountNonce", whole(), 0),
        frozen=fields.get("frozen", boolean, False),
        tags=fields.get("tags", text, None),
        maker_bips=own.maker_bips,
        taker_bips=own.taker_bips,
        key_seed=fields.get("keySeed", text, None),
        eddsa_key=fields.get("eddsaKey", private_key(LAYER2_ORDER), None),
        layer1_key=fields.get("layer1Key", private_key(LAYER1_ORDER), None),
    )
    return Funded(account, fields.get("balances", lambda given: dict(by_name(given, tokens, amount_wei)), {}))


def _derived(fields: Fields, seed: str, name: str) -> Derived:
    """Owner and public key where they are not given: as worked out for this seed, unless private keys are given that have
    others; else the names that stand for them.
    """
    found = fields.get("derived", lambda node: _worked_out(node, seed), None)
    owner, key = named_owner(seed, name), named_key(seed, name)
    if found is not None and "layer1Key" not in fields:
        owner = found.owner
    if found is not None and "eddsaKey" not in fields and "keySeed" not in fields:
        key = found.public_key_x, found.public_key_y
    return Derived(owner, *key)


def _worked_out(node: Node, seed: str) -> Derived | None:
    fields = Fields(node, DERIVED_KEYS)
    found = Derived(*(fields.need(key, read) for key, read in _DERIVED_READERS))
    return found if fields.need("seed", seed_text) == seed else None


_DERIVED_READERS = (("owner", address), ("publicKeyX", coordinate), ("publicKeyY", coordinate))


def read_layer1(node: Node, owners: Mapping[str, str], tokens: Mapping[str, Token]) -> Layer1Start:
    """Layer 1; whose balances, allowances and hashes they are is said by an account's name or an address in quotes."""
    fields = Fields(node, LAYER1_KEYS)

    def amounts(given: Node) -> Amounts:
        return dict(_by_owner(given, owners, lambda of_one: dict(by_name(of_one, tokens, amount_wei))))

    return Layer1Start(
        state=fields.get("state", word(NodeState), NodeState.UP),
        gas_price_wei=fields.get("gasPrice", amount_wei, DEFAULT_GAS_PRICE_WEI),
        balances_wei=fields.get("balances", amounts, NO_AMOUNTS),
        allowances_wei=fields.get("allowances", amounts, NO_AMOUNTS),
        approved_hashes=fields.get(
            "approvedHashes", lambda given: dict(_by_owner(given, owners, each(hash_text))), MappingProxyType({})
        ),
    )


def _by_owner(node: Node, owners: Mapping[str, str], read: Reader[T]) -> Iterator[tuple[str, T]]:
    seen: set[str] = set()
    for who, given in entries(node).items():
        owner = owners.get(who)
        if owner is None and not who.startswith("0x"):
            raise given.key_error(f"the unknown name {who!r}", f"{nearest(who, owners)}, or an address in quotes")
        if owner is None:
            owner = address(Node(who, given.file, given.key_line, given.key_column))
        if owner.lower() in seen:
            raise given.key_error(f"the owner {who!r} again", "each owner once")
        seen.add(owner.lower())
        # By name, since an owner of no given key is another one where signatures are verified.
        yield who, read(given)
