"""Layer-2 keys from a signed text: the published ones, and how clients vary."""

from __future__ import annotations

from typing import Any

import pytest

from mockrelay.signing import owner
from mockrelay.signing.keys import default_seed, derive, key_candidates, key_of_signature, nonce_of_seed
from mockrelay.signing.secp256k1 import address_of
from tests.signing.vectors import EXCHANGE, LAYER1_KEY, load, number

VECTORS = load("keys")["vectors"]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["keySeed"][-8:])
def test_published_keys(vector: dict[str, Any]) -> None:
    layer1 = number(vector["l1PrivateKey"])
    assert address_of(layer1) == vector["l1Address"].lower()
    signature = owner.sign_text(layer1, vector["keySeed"])
    assert "0x" + signature.hex() == vector["personalSign"]
    pair = derive(layer1, vector["keySeed"])
    assert pair == key_of_signature(signature)
    assert pair.private == number(vector["l2PrivateKey"]) == number(vector["l2PrivateKeyDecimal"])
    assert pair.public == (number(vector["publicKeyX"]), number(vector["publicKeyY"]))


def test_the_default_seed_names_exchange_and_nonce() -> None:
    assert [default_seed(EXCHANGE, nonce) for nonce in (0, 1)] == [vector["keySeed"] for vector in VECTORS]


@pytest.mark.parametrize(
    ("seed", "nonce"),
    [
        (VECTORS[1]["keySeed"], 1),
        ("anything\nwith key nonce: 42", 42),
        ("with key nonce: 007", 7),
        ("with key nonce: ", None),
        ("with key nonce: 1 ", None),
        ("with key nonce: -1", None),
        ("with key nonce: " + "9" * 10_000, None),
        ("", None),
    ],
    ids=lambda value: str(value)[-12:],
)
def test_a_seed_ends_in_its_nonce_or_is_none(seed: str, nonce: int | None) -> None:
    assert nonce_of_seed(seed) == nonce


def test_a_device_that_writes_v_otherwise_makes_the_other_candidate() -> None:
    signature = owner.sign_text(LAYER1_KEY, VECTORS[0]["keySeed"])
    assert signature[-1] == 0x1B
    usual, other = key_candidates(signature)
    assert usual == derive(LAYER1_KEY, VECTORS[0]["keySeed"])
    assert other == key_of_signature(signature[:-1] + b"\x00")
    assert key_candidates(signature[:-1] + b"\x00") == (other, usual)
    assert len(key_candidates(signature[:-1] + b"\x05")) == 1
