"""update_account: the new key counts, the old one does not, and a repeat is a poll."""

from __future__ import annotations

from typing import Any

import pytest

from mockrelay.clock import Clock
from mockrelay.core.models import Account
from mockrelay.relay import Relay, SignedRequest
from tests.conformance.causes_of_requests import TRANSFER, UPDATE, WITHDRAWAL, taken
from tests.conformance.checks import pending, refused_call
from tests.support.bodies import E18
from tests.support.calls import accepted, call, order, valid_request
from tests.support.client import control, digest, done
from tests.support.views import money, seal
from tests.support.worlds import START_MS, W

OLD, NEW = "1111", "10"
"""signatureRx of requests signed with the account's first key, and with that of `UPDATE`."""
FUNDS, FEE = 10_000 * E18, 10**17


def verify(account: Account, request: SignedRequest) -> str | None:
    """A scheme of the test's own: who signs with a key writes the key's first part into the signature."""
    if request.endpoint not in ("submit_order", "submit_transfer"):
        return None
    return None if int(request.fields["signatureRx"]) == int(account.public_key_x, 16) else "another key"


def verifying(**choices: str) -> Relay:
    """World W with that verifier, where alice's key is the number OLD."""
    options = {key.replace("__", "."): option for key, option in choices.items()}
    relay = Relay.from_scenario(W, choices=options, limits="off", clock=Clock.frozen(START_MS), verifier=verify)
    done(relay, "POST", "accounts/alice/keys", {"publicKeyX": f"{int(OLD):#x}", "publicKeyY": "0x2"})
    return relay


def account(relay: Relay) -> Any:
    return call(relay, valid_request("get_account")).data


def key(relay: Relay) -> tuple[int, int, int]:
    """The account's public key (x), keyNonce and accountNonce."""
    found = account(relay)
    return int(found["publicKeyX"], 16), found["keyNonce"], found["accountNonce"]


def test_update_account_goes_without_an_api_key_and_is_shown_at_once(relay: Relay) -> None:
    """The keyNonce is the update's nonce, the accountNonce the next."""
    assert UPDATE.key is None
    assert taken(relay, UPDATE)["status"] == "received"
    assert (key(relay), int(account(relay)["publicKeyY"], 16)) == ((10, 0, 1), 11)
    taken(relay, UPDATE.but(nonce=1, publicKey={"x": "0x0c", "y": "0x0d"}))
    assert key(relay) == (12, 1, 2)


def test_after_an_update_only_the_new_key_signs() -> None:
    """104005 with the old key, at orders and transfers, and nothing is frozen; before it, with the new one."""
    relay = verifying()
    accepted(relay, order(1, signatureRx=OLD))
    refused_call(call(relay, order(2, signatureRx=NEW)), "submit_order", {104005})
    taken(relay, UPDATE)
    before = digest(relay)
    refused_call(call(relay, order(3, signatureRx=OLD)), "submit_order", {104005})
    refused_call(call(relay, TRANSFER.but(nonce=1, signatureRx=OLD)), "submit_transfer", {104005})
    assert digest(relay) == before
    accepted(relay, order(3, signatureRx=NEW))
    taken(relay, TRANSFER.but(nonce=1, signatureRx=NEW))


def test_a_repeated_update_is_a_poll_while_open_and_102021_afterwards(relay: Relay) -> None:
    """Same hash and isIdempotent true, and nothing changes; its block has it once, and the fee is taken once."""
    first = taken(relay, UPDATE)
    assert first["isIdempotent"] is False
    before = account(relay), money(relay, "alice"), pending(relay)
    assert taken(relay, UPDATE) == first | {"status": "processing", "isIdempotent": True}
    assert (account(relay), money(relay, "alice"), pending(relay)) == before
    (sealed,) = seal(relay)["transactions"]
    assert (sealed["txType"], sealed["nonce"], sealed["valid"]) == ("AccountUpdate", 0, True)
    assert money(relay, "alice") == (FUNDS - FEE, 0, 0)
    refused_call(call(relay, UPDATE), "update_account", {102021}, "this request is processed", "nonce")


def test_an_update_that_fails_brings_the_old_key_back() -> None:
    """Its nonce stays used, its fee does not; the next update is taken."""
    relay = verifying()
    done(relay, "POST", "faults", {"on": "update_account", "outcome": "failed"})
    taken(relay, UPDATE)
    assert call(relay, order(1, signatureRx=OLD)).code == 104005
    (sealed,) = seal(relay)["transactions"]
    assert sealed["valid"] is False
    assert key(relay) == (int(OLD), 0, 1)
    assert call(relay, order(1, signatureRx=NEW)).code == 104005
    assert money(relay, "alice") == (FUNDS, 0, 0)
    accepted(relay, order(1, signatureRx=OLD))
    assert call(relay, UPDATE).code == 102021
    taken(relay, UPDATE.but(nonce=1))


def test_an_update_that_fails_after_another_leaves_the_newer_key(relay: Relay) -> None:
    first = taken(relay, UPDATE)["hash"]
    taken(relay, UPDATE.but(nonce=1, publicKey={"x": "0x0c", "y": "0x0d"}))
    done(relay, "POST", f"submissions/{first}/advance", {"to": "failed"})
    assert key(relay)[::2] == (12, 2)


def test_a_key_that_is_active_on_the_block_leaves_the_old_one_in_force_until_then() -> None:
    relay = verifying(account__key_active="on_block", account__nonce_moves="on_block")
    taken(relay, UPDATE)
    assert key(relay)[::2] == (int(OLD), 0)
    assert call(relay, order(1, signatureRx=NEW)).code == 104005
    seal(relay)
    assert key(relay)[::2] == (10, 1)
    accepted(relay, order(1, signatureRx=NEW))


def test_transfers_and_updates_share_the_nonce_and_withdrawals_do_not(relay: Relay) -> None:
    taken(relay, WITHDRAWAL)
    assert account(relay)["accountNonce"] == 0
    taken(relay, TRANSFER)
    taken(relay, UPDATE.but(nonce=1))
    taken(relay, TRANSFER.but(nonce=2))
    assert account(relay)["accountNonce"] == 3


@pytest.mark.parametrize(
    ("nonce", "status", "after"), [(2**32 - 1, 200, 2**32), (2**32, 400, 0), (2**53 - 1, 400, 0), (2**53, 400, 0)]
)
def test_a_nonce_that_is_set_has_32_bits_and_can_be_used(relay: Relay, nonce: int, status: int, after: int) -> None:
    """The control API refuses a larger one and changes nothing; the account can be read after the largest was used."""
    assert control(relay, "POST", "accounts/10001/keys", {"accountNonce": nonce}).status == status
    if status == 200:
        taken(relay, TRANSFER.but(nonce=nonce))
    assert account(relay)["accountNonce"] == after
