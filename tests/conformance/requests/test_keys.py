"""Row 9 of the trouble list: the old key is refused, the new one is told at once, a replay is a poll."""

from __future__ import annotations

from typing import Any

from mockrelay.clock import Clock
from mockrelay.relay import Relay
from tests.conformance.causes_of_requests import TRANSFER, UPDATE, WITHDRAWAL, taken
from tests.conformance.checks import refused_call
from tests.conformance.worlds import balances, pending
from tests.support.calls import accepted, call, order, valid_request
from tests.support.client import advance, control, digest, done
from tests.support.worlds import START_MS, W, world


def _checking() -> Relay:
    """World W with a verifier of the test's own: signatureRx is the number of the account's key."""

    def verify(account: Any, request: Any) -> str | None:
        if request.endpoint != "submit_order":
            return None
        return None if int(request.fields["signatureRx"]) == int(account.public_key_x, 16) else "another key"

    return Relay.from_scenario(W, limits="off", clock=Clock.frozen(START_MS), verifier=verify)


class TestKeyRotation:
    """Row 9: the old key is refused, the new one is told at once, a replay is a poll."""

    def test_update_goes_without_an_api_key_and_is_told(self) -> None:
        """GET account shows K2; keyNonce is the update's nonce, accountNonce the next."""
        relay = world()
        assert UPDATE.key is None
        taken(relay, UPDATE)
        told = call(relay, valid_request("get_account")).data
        assert (int(told["publicKeyX"], 16), int(told["publicKeyY"], 16)) == (10, 11)
        assert (told["keyNonce"], told["accountNonce"]) == (0, 1)
        taken(relay, UPDATE.but(nonce=1, publicKey={"x": "0x0c", "y": "0x0d"}))
        told = call(relay, valid_request("get_account")).data
        assert (int(told["publicKeyX"], 16), told["keyNonce"], told["accountNonce"]) == (12, 1, 2)

    def test_order_with_the_old_key_is_refused_and_freezes_nothing(self) -> None:
        """104005 for K1 after the update, K2 is taken; before it is the other way round."""
        relay = _checking()
        old = int(call(relay, valid_request("get_account")).data["publicKeyX"], 16)
        accepted(relay, order(1, signatureRx=str(old)))
        refused_call(call(relay, order(2, signatureRx="10")), "submit_order", {104005})
        taken(relay, UPDATE)
        before = digest(relay)
        refused_call(call(relay, order(3, signatureRx=str(old))), "submit_order", {104005})
        assert digest(relay) == before
        accepted(relay, order(3, signatureRx="10"))

    def test_replay_is_a_poll_while_open_and_refused_afterwards(self) -> None:
        """Same hash and isIdempotent true, nothing changes; once processed 102021."""
        relay = world()
        first = taken(relay, UPDATE)
        assert first["isIdempotent"] is False
        advance(relay, "1ms")
        before = call(relay, valid_request("get_account")).data, balances(relay, "alice"), pending(relay)
        again = taken(relay, UPDATE)
        assert (again["hash"], again["isIdempotent"]) == (first["hash"], True)
        assert again["status"] in ("received", "processing")
        assert (call(relay, valid_request("get_account")).data, balances(relay, "alice"), pending(relay)) == before
        assert len(pending(relay)) == 1
        advance(relay, "10s")
        refused_call(call(relay, UPDATE), "update_account", {102021})

    def test_two_updates_in_flight_and_the_first_fails(self) -> None:
        """A failed update gives the old key back unless it was replaced again."""
        relay = world()
        first = taken(relay, UPDATE)["hash"]
        taken(relay, UPDATE.but(nonce=1, publicKey={"x": "0x0c", "y": "0x0d"}))
        done(relay, "POST", f"submissions/{first}/advance", {"to": "failed"})
        told = call(relay, valid_request("get_account")).data
        assert (int(told["publicKeyX"], 16), told["accountNonce"]) == (12, 2)

    def test_no_signature_header(self) -> None:
        """104004, named; the key stays."""
        relay = world()
        before = digest(relay)
        refused_call(call(relay, UPDATE._replace(signature=None)), "update_account", {104004}, "X-API-SIG")
        assert digest(relay) == before

    def test_transfer_and_update_share_the_nonce_and_a_withdrawal_does_not(self) -> None:
        """Only transfers and updates move it."""
        relay = world()
        taken(relay, WITHDRAWAL)
        assert call(relay, valid_request("get_account")).data["accountNonce"] == 0
        taken(relay, TRANSFER)
        taken(relay, UPDATE.but(nonce=1))
        taken(relay, TRANSFER.but(nonce=2))
        assert call(relay, valid_request("get_account")).data["accountNonce"] == 3

    def test_largest_nonce_that_can_be_set_breaks_no_answer(self) -> None:
        """Whatever nonce the control API takes, the account can be read after it was used."""
        relay = world()
        for nonce in (2**32 - 1, 2**53 - 1, 2**53):
            if control(relay, "POST", "accounts/10001/keys", {"accountNonce": nonce}).status == 200:
                call(relay, TRANSFER.but(nonce=nonce))
                assert call(relay, valid_request("get_account")).code == 0
