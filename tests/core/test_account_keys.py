"""Keys of accounts: given, made of a keySeed, or named by the seed; and the names that stand for them until needed."""

from __future__ import annotations

import json
import re
from hashlib import blake2b
from typing import Any

import pytest

from mockrelay.core.accounts import keys as account_keys
from mockrelay.core.accounts.keys import SigningKeys, signing_keys
from mockrelay.core.models import Account
from mockrelay.core.saving import restore_world, save_world
from mockrelay.core.world import digest
from mockrelay.relay import Relay
from mockrelay.scenario import load
from mockrelay.signing.eddsa import public_key
from mockrelay.signing.parameters import LAYER1_ORDER as ORDER
from mockrelay.signing.parameters import LAYER2_ORDER as SUBGROUP_ORDER
from mockrelay.signing.secp256k1 import address_of
from tests.signing.vectors import KEY, LAYER1_KEY, OWNER, PRIVATE
from tests.signing.vectors import load as vectors
from tests.support.client import control, done
from tests.support.worlds import START_MS, relay_from

PROTOCOL = {"signature.scheme": "protocol"}
GIVEN = f"0x{PRIVATE:064x}"
LAYER1 = "0x" + "11" * 32
HEAD = "format: 1\nname: own\nextends: default\n"
SEEDED = vectors("keys")["vectors"][1]


def relay_of(text: str, **choices: str) -> Relay:
    """A relay of a scenario that lays `text` over the default one."""
    relay = relay_from()
    wanted = {key.replace("__", "."): option for key, option in choices.items()}
    done(relay, "POST", "reset", {"scenarioText": HEAD + text, "choices": wanted})
    return relay


def account(relay: Relay, name: str) -> Account:
    return next(one for one in relay.world.accounts.values() if one.name == name)


def keys(relay: Relay, name: str) -> SigningKeys:
    return signing_keys(relay.world, account(relay, name))


def number(kind: str, name: str, below: int, seed: str = "1") -> int:
    """The derivation, written down a second time."""
    text = f"mockrelay\x1f{seed}\x1f{kind}\x1f{name}".encode()
    return int.from_bytes(blake2b(text, digest_size=64).digest(), "big") % (below - 1) + 1


@pytest.mark.parametrize("name", ["alice", "bob", "carol"])
def test_the_default_accounts_have_the_keys_of_the_seed(name: str) -> None:
    """What default.yaml has worked out beforehand is what the seed's private keys give."""
    private, layer1 = number("eddsaKey", name, SUBGROUP_ORDER), number("layer1Key", name, ORDER)
    found = next(one for one in load("default").accounts if one.name == name)
    point = public_key(private)
    assert (int(found.public_key_x, 16), int(found.public_key_y, 16)) == (point.x, point.y)
    assert found.owner == address_of(layer1)
    assert keys(relay_from(), name) == SigningKeys(private, layer1)


@pytest.mark.parametrize("text", ["seed: 2", "accounts:\n  - {name: dave, accountId: 10004}"])
def test_other_accounts_have_names_until_signatures_are_verified(text: str) -> None:
    """Under `presence` nothing belongs to them; under `protocol` from the start they have the seed's real keys."""
    name, seed = ("alice", "2") if text.startswith("seed") else ("dave", "1")
    named = account(relay_of(text), name)
    assert (named.owner, named.public_key_x, named.public_key_y) == (
        account_keys.placeholder_owner(seed, name),
        *account_keys.placeholder_key(seed, name),
    )
    assert signing_keys(relay_of(text).world, named) == SigningKeys(None, None)
    relay = relay_of(text, signature__scheme="protocol")
    private, layer1 = number("eddsaKey", name, SUBGROUP_ORDER, seed), number("layer1Key", name, ORDER, seed)
    assert keys(relay, name) == SigningKeys(private, layer1)
    assert account(relay, name).owner == address_of(layer1)
    assert account(relay, name) == account(relay_of(text + "\nchoices: {signature.scheme: protocol}"), name)


def test_the_owner_of_the_scenario_s_money_is_the_real_one() -> None:
    """Layer 1 goes by the account's name, whichever address that turns out to be, at the start and later on."""
    text = (
        "accounts:\n  - {name: dave, accountId: 10004}\nlayer1: {balances: {dave: {LRC: '7'}}}\n"
        "timeline:\n  - {at: 1m, do: {layer1: {balances: {dave: {DAI: '8'}}}}}\n  - {at: 1m, do: {deploy: {account: dave}}}\n"
    )
    relay = relay_of(text, signature__scheme="protocol")
    owner, tokens = account(relay, "dave").owner, relay.world.config.tokens
    assert owner == address_of(number("layer1Key", "dave", ORDER))
    assert relay.world.layer1.token_wei[owner, tokens[1].address] == 7
    done(relay, "POST", "clock", {"advance": "1m"})
    assert relay.world.layer1.token_wei[owner, tokens[5].address] == 8
    assert len(relay.world.layer1.code) == 1


def test_a_scheme_that_comes_later_brings_public_keys_but_no_other_owner() -> None:
    """By hand or by the timeline: an owner never changes while a world runs."""
    text = "accounts:\n  - {name: dave, accountId: 10004}\n"
    by_hand = relay_of(text)
    before = account(by_hand, "dave")
    done(by_hand, "PUT", "choices", PROTOCOL)
    by_time = relay_of(text + "timeline:\n  - {at: 1m, do: {choices: {signature.scheme: protocol}}}\n")
    done(by_time, "POST", "clock", {"advance": "1m"})
    point = public_key(number("eddsaKey", "dave", SUBGROUP_ORDER))
    for relay in (by_hand, by_time):
        found = account(relay, "dave")
        assert (int(found.public_key_x, 16), int(found.public_key_y, 16)) == (point.x, point.y)
        assert found.owner == before.owner
        assert keys(relay, "dave") == SigningKeys(number("eddsaKey", "dave", SUBGROUP_ORDER), None)
        assert account(relay, "alice") == account(relay_from(), "alice")


@pytest.mark.parametrize(
    ("given", "private", "layer1"),
    [
        (f"eddsaKey: '{GIVEN}', layer1Key: '{LAYER1}'", PRIVATE, LAYER1_KEY),
        (f"eddsaKey: '{GIVEN}'", PRIVATE, number("layer1Key", "alice", ORDER)),
        (f"layer1Key: '{LAYER1}'", number("eddsaKey", "alice", SUBGROUP_ORDER), LAYER1_KEY),
        (f"keySeed: '{SEEDED['keySeed']}', layer1Key: '{LAYER1}'", int(SEEDED["l2PrivateKey"], 16), LAYER1_KEY),
    ],
)
@pytest.mark.parametrize("scheme", ["presence", "protocol", "off"])
def test_given_private_keys_bring_public_ones(given: str, private: int, layer1: int, scheme: str) -> None:
    """By an EdDSA key, or by a keySeed that the layer-1 key makes it of; the owner by the layer-1 key. Those that are not
    given are the precomputed ones.
    """
    relay = relay_of(f"accounts:\n  - {{name: alice, {given}}}\n", signature__scheme=scheme)
    found, point = account(relay, "alice"), public_key(private)
    assert (int(found.public_key_x, 16), int(found.public_key_y, 16)) == (point.x, point.y)
    assert found.owner == address_of(layer1)
    assert keys(relay, "alice") == SigningKeys(private, layer1)


def test_a_given_public_key_stands_whatever_the_private_one_is() -> None:
    """Then nobody here can sign for it, unless they fit."""
    other = f"publicKeyX: '0x1', publicKeyY: '0x2', owner: '{OWNER}'"
    relay = relay_of(f"accounts:\n  - {{name: alice, eddsaKey: '{GIVEN}', {other}}}\n", signature__scheme="protocol")
    assert (account(relay, "alice").public_key_x, account(relay, "alice").owner) == ("0x1", OWNER)
    assert keys(relay, "alice") == SigningKeys(None, None)
    fits = f"publicKeyX: '{KEY.x}', publicKeyY: '0x{KEY.y:x}', owner: '{OWNER}', layer1Key: '{LAYER1}'"
    relay = relay_of(f"accounts:\n  - {{name: alice, eddsaKey: '{GIVEN}', {fits}}}\n")
    assert keys(relay, "alice") == SigningKeys(PRIVATE, LAYER1_KEY)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("eddsaKey: '0x0'", "above 0 and below 0x60c89ce5c263405370a08b6d0302b0bab3eedb83920ee0a677297dc392126f1"),
        (f"eddsaKey: '{SUBGROUP_ORDER:#x}'", "above 0 and below"),
        (f"layer1Key: '{ORDER:#x}'", "above 0 and below"),
        ("layer1Key: 'x'", "a private key, 0x and up to 64 hex digits in quotes"),
        ("eddsaKey: 0x12", '\'"0x12"\'|"0x12"'),
        ("keySeed: ''", "a text"),
        ("derived: {seed: 1}", "'owner'"),
    ],
)
def test_keys_that_are_none_are_refused(given: str, said: str) -> None:
    answer = control(
        relay_from(), "POST", "reset", {"scenarioText": HEAD + f"accounts:\n  - {{name: alice, {given}}}\n"}
    )
    assert answer.status == 400
    assert re.search(said, json.dumps(answer.json).replace('\\"', '"')), answer.body


def test_what_was_worked_out_counts_for_its_own_seed_only() -> None:
    owner = "0x" + "2" * 40
    derived = f"derived: {{seed: 5, owner: '{owner}', publicKeyX: '0x1', publicKeyY: '0x2'}}"
    dave = f"accounts:\n  - {{name: dave, accountId: 10004, {derived}}}\n"
    assert account(relay_of("seed: 5\n" + dave), "dave").owner == owner
    assert account(relay_of("seed: '5'\n" + dave), "dave").public_key_y == "0x2"
    assert account(relay_of("seed: 6\n" + dave), "dave").owner == account_keys.placeholder_owner("6", "dave")


class TestByHand:
    """The control verb `keys`."""

    def test_a_key_seed_makes_the_key_where_signatures_are_verified(self) -> None:
        relay = relay_of(f"accounts:\n  - {{name: alice, layer1Key: '{LAYER1}'}}\n", signature__scheme="protocol")
        answer = done(relay, "POST", "accounts/alice/keys", {"keySeed": SEEDED["keySeed"]})
        assert (answer["publicKeyX"], answer["publicKeyY"]) == (SEEDED["publicKeyX"], SEEDED["publicKeyY"])
        assert keys(relay, "alice").eddsa_private == int(SEEDED["l2PrivateKey"], 16)

    def test_a_key_seed_makes_the_key_where_the_scenario_gives_the_layer_1_key(self) -> None:
        relay = relay_of(f"accounts:\n  - {{name: alice, layer1Key: '{LAYER1}'}}\n")
        answer = done(relay, "POST", "accounts/alice/keys", {"keySeed": SEEDED["keySeed"]})
        assert (answer["publicKeyX"], answer["publicKeyY"]) == (SEEDED["publicKeyX"], SEEDED["publicKeyY"])

    def test_elsewhere_it_is_a_text(self) -> None:
        relay = relay_from()
        before = account(relay, "alice")
        done(relay, "POST", "accounts/alice/keys", {"keySeed": "a text"})
        assert account(relay, "alice") == before._replace(key_seed="a text")

    def test_a_public_key_beside_it_stands(self) -> None:
        relay = relay_from(choices=PROTOCOL)
        answer = done(relay, "POST", "accounts/alice/keys", {"keySeed": "x", "publicKeyX": "0x1", "publicKeyY": "0x2"})
        assert (int(answer["publicKeyX"], 16), int(answer["publicKeyY"], 16)) == (1, 2)

    def test_without_the_layer_1_key_there_is_none(self) -> None:
        relay = relay_of(f"accounts:\n  - {{name: alice, owner: '{OWNER}'}}\n", signature__scheme="protocol")
        before = digest(relay.world)
        answer = control(relay, "POST", "accounts/alice/keys", {"keySeed": "x"})
        assert (answer.status, answer.json["field"]) == (409, "keySeed")
        assert digest(relay.world) == before


def test_the_control_api_shows_what_the_scenario_gives() -> None:
    """Private keys and keySeed, or that they are derived; the relayer's own answer has none of it."""
    seeded = f"keySeed: '{SEEDED['keySeed']}', layer1Key: '{LAYER1}'"
    relay = relay_of(f"accounts:\n  - {{name: alice, {seeded}}}\n  - {{name: bob, eddsaKey: '{GIVEN}'}}\n")
    shown: list[dict[str, Any]] = [done(relay, "GET", f"accounts/{name}") for name in ("alice", "bob", "carol")]
    assert [(one["keySeed"], one["eddsaKey"], one["layer1Key"]) for one in shown] == [
        (SEEDED["keySeed"], "derived", LAYER1),
        (None, GIVEN, "derived"),
        (None, "derived", "derived"),
    ]


def test_worlds_with_real_keys_are_saved_whole() -> None:
    """Saved and read, snapshot and back, reset: the same world."""
    relay = relay_of("seed: 3\n", signature__scheme="protocol")
    before = digest(relay.world)
    saved = json.loads(json.dumps(save_world(relay.world)))
    assert digest(restore_world(saved, relay.world.config)) == before
    done(relay, "POST", "snapshots", {"name": "s"})
    done(relay, "POST", "accounts/alice/keys", {"keySeed": "other"})
    assert digest(relay.world) != before
    done(relay, "POST", "snapshots/s/restore", {})
    assert digest(relay.world) == before
    assert relay.world.start_ms == START_MS
