"""What `signature.scheme: protocol` asks of each request, in which order, and what can stand for a signature."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from mockrelay.clock import Clock
from mockrelay.core.models import Account
from mockrelay.relay import Relay, SignedRequest
from mockrelay.signing import keys, messages, owner
from mockrelay.signing.wire_forms import eddsa_commas, read_eddsa
from tests.support.bodies import E18
from tests.support.client import advance, digest, done
from tests.support.signer import (
    CHAIN_ID,
    DEPLOY,
    MINT,
    NFT_TRANSFER,
    NFT_WITHDRAWAL,
    ORDER,
    PROTOCOL,
    TRANSFER,
    UPDATE,
    WITHDRAWAL,
    Signer,
    signer_of,
)
from tests.support.views import findings
from tests.support.worlds import START_MS, relay_from

FORM = "0x" + "1b" * 65
"""An ECDSA signature in form, of nobody who has an account."""
HASH = "0x" + "ab" * 32
NFT_ID = "0x" + "1" * 64


def verified(**choices: str) -> Relay:
    """The default world with real signatures, and more choices."""
    return relay_from(choices={**PROTOCOL, **{key.replace("__", "."): option for key, option in choices.items()}})


@pytest.fixture
def relay() -> Relay:
    return verified()


@pytest.fixture
def alice(relay: Relay) -> Signer:
    return signer_of(relay)


def test_a_missing_signature_is_102010_of_an_order_and_104004_of_others(alice: Signer) -> None:
    assert alice.post(ORDER, alice.order_body(0)).code == 102010
    assert alice.post(WITHDRAWAL, alice.withdrawal_body(1)).code == 104004
    assert alice.post(UPDATE, alice.update_body("0x1", "0x2", 0)).code == 104004
    assert alice.post(TRANSFER, alice.transfer_body(10002, 0)).code == 104004


def test_mint_nft_without_a_layer_2_signature_is_104004(alice: Signer) -> None:
    body = alice.mint_body(NFT_ID, 1)
    assert alice.post(MINT, body).code == 104004
    # Nothing is known that an owner signs for a mint.
    assert alice.post(MINT, body, FORM).code == 104004
    assert alice.post(MINT, {**body, "ecdsaSignature": FORM}).code == 104004


def test_where_no_header_is_needed_the_body_s_signature_is() -> None:
    """Under `auth.missing_signature_header: ignore` the body's signature is enough, and none is not."""
    alice = signer_of(verified(auth__missing_signature_header="ignore"))
    body = alice.withdrawal_body(1)
    assert alice.post(WITHDRAWAL, body).code == 104004
    assert alice.post(WITHDRAWAL, {**body, "eddsaSignature": alice.eddsa(messages.WITHDRAWAL, body)}).code == 0


def approve(relay: Relay, who: str, hash_: str = HASH) -> None:
    done(relay, "POST", "layer1", {"approvedHashes": {who: [hash_]}})


def test_an_approved_hash_stands_for_the_owner_s_header(relay: Relay) -> None:
    alice, body = signer_of(relay), signer_of(relay).withdrawal_body(1, hashApproved=HASH)
    assert alice.post(WITHDRAWAL, body, FORM).code == 104005
    assert findings(relay, "signature") == [
        "submit_withdrawal: hashApproved: layer 1 has not approved this hash for the owner"
    ]
    approve(relay, "bob")
    assert alice.post(WITHDRAWAL, body, FORM).code == 104005
    approve(relay, "alice")
    assert alice.post(WITHDRAWAL, {**body, "hashApproved": HASH.upper().replace("X", "x")}, FORM).code == 0


def test_an_approved_hash_does_not_stand_for_the_layer_2_key(relay: Relay) -> None:
    approve(relay, "alice")
    alice, bob = signer_of(relay), signer_of(relay, "bob")
    body = alice.withdrawal_body(1, hashApproved=HASH)
    assert alice.post(WITHDRAWAL, {**body, "eddsaSignature": bob.eddsa(messages.WITHDRAWAL, body)}, FORM).code == 104005
    assert alice.post(WITHDRAWAL, {**body, "eddsaSignature": alice.eddsa(messages.WITHDRAWAL, body)}, FORM).code == 0


def test_an_unapproved_hash_is_104005_beside_a_right_header(relay: Relay) -> None:
    alice = signer_of(relay)
    body = alice.withdrawal_body(1)
    assert alice.post(WITHDRAWAL, {**body, "hashApproved": HASH}, alice.ecdsa(owner.WITHDRAWAL, body)).code == 104005
    assert findings(relay, "signature") == [
        "submit_withdrawal: hashApproved: layer 1 has not approved this hash for the owner"
    ]


def test_an_approved_hash_of_another_request_is_a_finding(relay: Relay) -> None:
    """It is taken, since layer 1 lists it; a finding says that it is no hash of this request."""
    alice = signer_of(relay)
    own = alice.withdrawal_body(1)
    typed = "0x" + owner.WITHDRAWAL.hash(own, CHAIN_ID, int(alice.bodies.exchange, 16)).hex()
    approve(relay, "alice", typed)
    assert alice.post(WITHDRAWAL, {**own, "hashApproved": typed}, FORM).code == 0
    assert alice.post(WITHDRAWAL, {**alice.withdrawal_body(2), "hashApproved": typed}, FORM).code == 0
    noted = [one["detail"] for one in done(relay, "GET", "findings") if one["rule"] == "approved-hash"]
    assert noted == ["submit_withdrawal: hashApproved: approved, but it is no hash of this request"]


def test_an_approved_hash_does_not_stand_for_the_header_of_submit_transfer(relay: Relay) -> None:
    approve(relay, "alice")
    alice, bob = signer_of(relay), signer_of(relay, "bob")
    body = alice.transfer_body(10002, 0)
    header = bob.text_signature(body)
    signed = {**body, **alice.parts(messages.TRANSFER_V2, body), "hashApproved": HASH}
    assert alice.post(TRANSFER, signed, header).code == 104005


@pytest.mark.parametrize("suffix", ["02", "03", ""])
@pytest.mark.parametrize("right", [True, False])
def test_update_account_takes_every_suffix(relay: Relay, suffix: str, right: bool) -> None:
    alice = signer_of(relay)
    new = keys.derive(alice.layer1, "any text")
    body = alice.update_body(hex(new.public.x), hex(new.public.y), 0)
    if not right:
        alice.layer1 += 1
    assert alice.post(UPDATE, body, alice.ecdsa(owner.ACCOUNT_UPDATE, body, suffix)).code == (0 if right else 104005)


def test_update_account_takes_personal_signatures_with_the_suffix_of_direct_ones(alice: Signer) -> None:
    new = keys.derive(alice.layer1, "any text")
    body = alice.update_body(hex(new.public.x), hex(new.public.y), 0)
    direct, personal = (alice.ecdsa(owner.ACCOUNT_UPDATE, body, suffix)[:-2] for suffix in ("02", "03"))
    assert alice.post(UPDATE, body, personal + "02").code == 0
    assert alice.post(UPDATE, alice.update_body("0x3", "0x4", 1), direct + "03").code == 104005


@pytest.mark.parametrize("text", range(4))
def test_submit_transfer_takes_every_text_that_owners_sign(alice: Signer, text: int) -> None:
    """With and without a memo, with one blank and two."""
    body = alice.transfer_body(10002, 0)
    header = alice.text_signature(body, text)
    assert alice.post(TRANSFER, {**body, **alice.parts(messages.TRANSFER_V2, body)}, header).code == 0


def test_submit_transfer_is_signed_as_it_was_sent() -> None:
    """Under lenient numbers a transfer may send its digits otherwise; its owner signed the JSON that was sent."""
    alice = signer_of(verified(http__numbers="lenient"))
    body = {**alice.transfer_body(10002, 0), "amount": E18, "token": "1", "nonce": "0"}
    for signed, code in ((alice.transfer_body(10002, 0), 104005), (body, 0)):
        header = alice.text_signature(signed)
        assert alice.post(TRANSFER, {**body, **alice.parts(messages.TRANSFER_V2, body)}, header).code == code


def test_deploy_nft_contract_takes_a_header_in_decimals(alice: Signer) -> None:
    body = alice.deployment_body(None, 3)
    text = json.dumps(body)
    found = read_eddsa(alice.call_signature("POST", DEPLOY, text))
    assert found is not None
    assert alice.post_text(DEPLOY, text + " ", FORM).code == 104005
    assert alice.post_text(DEPLOY, text, eddsa_commas(found)).code == 0


@pytest.mark.parametrize("blanks", ["", " "])
def test_deploy_nft_contract_s_header_is_of_the_body_as_sent(alice: Signer, blanks: str) -> None:
    """A client may sign it without the blanks that its HTTP library puts in, and nothing else may differ."""
    body = alice.deployment_body(None, 3)
    signed, sent = (
        json.dumps(body, separators=(",", ":")),
        json.dumps(body, separators=("," + blanks, ":" + blanks)),
    )
    other_order = json.dumps(dict(reversed(body.items())), separators=(",", ":"))
    header = alice.call_signature("POST", DEPLOY, signed)
    assert alice.post_text(DEPLOY, other_order, header).code == 104005
    assert alice.post_text(DEPLOY, sent, header).code == 0


def test_an_nft_s_header_may_be_of_either_key(relay: Relay) -> None:
    alice, bob = signer_of(relay), signer_of(relay, "bob")
    mint = alice.mint_body(NFT_ID, 1)
    text = json.dumps(mint)
    assert alice.post_text(MINT, text, bob.call_signature("POST", MINT, text)).code == 104005
    raw = alice.post_text(MINT, text, alice.call_signature("POST", MINT, text)).json["raw_data"]
    for storage_id, by in ((2, "layer 1"), (3, "layer 2"), (4, "body")):
        move = alice.bodies.nft_move({"nftData": raw["nftData"], "amount": "1"}, storage_id)
        # What a body leaves out is signed as what it stands for.
        signed = {**move, "token": {**move["token"], "tokenId": raw["nftTokenId"]}}
        header, more = None, {}
        if by == "layer 1":
            header = alice.ecdsa(owner.TRANSFER, signed)
        elif by == "layer 2":
            header = alice.call_signature("POST", NFT_TRANSFER, json.dumps(move, separators=(",", ":")))
        else:
            more = {"ecdsaSignature": alice.ecdsa(owner.TRANSFER, signed)}
        assert alice.post(NFT_TRANSFER, {**move, **more}, header).code == 0, by


@pytest.mark.parametrize("active", ["at_once", "on_block"])
def test_the_old_key_is_wrong_when_the_new_one_is_active(active: str) -> None:
    relay = verified(account__key_active=active)
    alice = signer_of(relay)
    new = keys.derive(alice.layer1, "any text")
    assert alice.update(alice.update_body(hex(new.public.x), hex(new.public.y), 0, keySeed="any text")).code == 0
    old, young = signer_of(relay), signer_of(relay)
    old.private, young.private = alice.private, new.private
    assert (old.order(0).code, young.order(1).code) == ((104005, 0) if active == "at_once" else (0, 104005))
    advance(relay, "10s")
    assert (old.order(7).code, young.order(8).code) == (104005, 0)
    # Whoever asks for the keys of the account gets the new one.
    assert signer_of(relay).private == new.private


def test_a_failed_update_brings_the_old_key_back(relay: Relay) -> None:
    alice = signer_of(relay)
    new = keys.derive(alice.layer1, "any text")
    hash_ = alice.update(alice.update_body(hex(new.public.x), hex(new.public.y), 0)).json["hash"]
    assert alice.order(0).code == 104005
    done(relay, "POST", f"submissions/{hash_}/advance", {"to": "failed"})
    assert alice.order(0).code == 0


def test_an_account_without_a_key_cannot_sign(relay: Relay) -> None:
    alice = signer_of(relay)
    relay.world.add_account(relay.world.accounts[10001]._replace(public_key_x="", public_key_y=""))
    assert alice.order(0).code == 104005
    assert findings(relay, "signature") == [
        "submit_order: signatureRx, signatureRy, signatureS: the account has no public key"
    ]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"exchangeId": 3}, 102001),
        ({"accountId": 5}, 102003),
        ({"accountId": 10002}, 104003),
        ({"tokenSId": 99}, 102002),
        ({"tokenSId": 0}, 102005),
        ({"orderId": 2**32}, 102004),
        ({"maxFeeBips": 64}, 104005),
        ({"maxFeeBips": "x"}, 104005),
        ({"validUntil": 1}, 104005),
        ({"label": None}, 104005),
        ({"amountS": "1"}, 104005),
    ],
)
def test_wrong_signature_of_submit_order_among_its_other_rules(
    relay: Relay, changes: dict[str, Any], code: int
) -> None:
    alice, bob = signer_of(relay), signer_of(relay, "bob")
    body = alice.order_body(0)
    before = digest(relay)
    assert alice.post(ORDER, {**body, **bob.parts(messages.ORDER_V2, body), **changes}).code == code
    assert digest(relay) == before


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"to": "0x" + "0" * 40}, 102023),
        ({"maxFee": {"tokenId": 99, "volume": "1"}}, 102024),
        ({"storageId": 2**32}, 104005),
        ({"validUntil": 1}, 104005),
        ({"extraData": "0x1"}, 104005),
        ({"minGas": 2**53 - 1}, 104005),
    ],
)
def test_wrong_signature_of_submit_withdrawal_among_its_other_rules(
    alice: Signer, changes: dict[str, Any], code: int
) -> None:
    body = alice.withdrawal_body(1)
    assert alice.post(WITHDRAWAL, {**body, **changes}, alice.ecdsa(owner.WITHDRAWAL, body)).code == code


def test_a_right_signature_of_what_breaks_a_later_rule(alice: Signer) -> None:
    for changes, code in (({"maxFeeBips": 64}, 102006), ({"validUntil": 1}, 102008), ({"label": 70_000}, 102120)):
        assert alice.order(0, **changes).code == code


def test_a_repeat_is_answered_before_its_signature_is_looked_at(alice: Signer) -> None:
    """That is how a client polls a request."""
    first = alice.withdrawal(1)
    again = alice.post(WITHDRAWAL, alice.withdrawal_body(1), FORM)
    assert (again.json["hash"], again.json["isIdempotent"]) == (first.json["hash"], True)


def test_a_verifier_of_the_user_s_is_asked_on_top() -> None:
    """About requests whose signatures are right, and with its own reason."""
    asked: list[tuple[str, int]] = []

    def verifier(account: Account, request: SignedRequest) -> str | None:
        asked.append((request.endpoint, account.account_id))
        return "not today"

    relay = Relay.from_scenario(
        "default", choices=PROTOCOL, limits="off", clock=Clock.frozen(START_MS), verifier=verifier
    )
    alice, bob = signer_of(relay), signer_of(relay, "bob")
    answer = alice.order(0)
    assert (answer.code, answer.message) == (104005, "Wrong signature information: not today")
    alice.private = bob.private
    assert alice.order(0).code == 104005
    assert asked == [("submit_order", 10001)]


def test_nft_requests_may_carry_fields_that_the_spec_does_not_show() -> None:
    """Their signature fields are not reported as unknown, and not refused where unknown fields are."""
    for option in ("report", "refuse"):
        relay = verified(http__unknown_fields=option)
        alice = signer_of(relay)
        assert alice.mint(alice.mint_body(NFT_ID, 1)).code == 0
        assert done(relay, "GET", "findings") == []


def test_an_nft_withdrawal_may_carry_what_an_ordinary_one_has() -> None:
    """Both minGas and extraData count where a client sends them, and else as 0 and empty."""
    more: Mapping[str, Any]
    for more in ({}, {"minGas": 5, "extraData": "0xabcd"}):
        relay = verified()
        alice = signer_of(relay)
        raw = alice.mint(alice.mint_body(NFT_ID, 1)).json["raw_data"]
        done(relay, "POST", f"nft/{alice.contract()}/deploy", {})
        body = {**alice.nft_move_body(raw, alice.id, 2), **more}
        without = {name: value for name, value in body.items() if name not in more}
        path = NFT_WITHDRAWAL
        if more:
            assert (
                alice.post(path, {**body, "eddsaSignature": alice.eddsa(messages.WITHDRAWAL, without)}).code == 104005
            )
        assert alice.post(path, {**body, "eddsaSignature": alice.eddsa(messages.WITHDRAWAL, body)}).code == 0
