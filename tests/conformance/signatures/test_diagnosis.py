"""A wrong signature's likely cause is told in `why`, its story and the findings, and never to the client."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from mockrelay.relay import Relay
from mockrelay.signing import keys, messages, owner
from mockrelay.signing.request_signature import sign_call
from mockrelay.signing.wire_forms import eddsa_hex, layer1_text
from tests.support.answer import Answer
from tests.support.client import HOST, done
from tests.support.processes import imported_by
from tests.support.signer import (
    CHAIN_ID,
    DEPLOY,
    MINT,
    ORDER,
    PROTOCOL,
    TRANSFER,
    UPDATE,
    WITHDRAWAL,
    Signer,
    signer_of,
)
from tests.support.views import findings
from tests.support.worlds import relay_from

TOLD = "a signature is not right for this request"


def order(alice: Signer, bob: Signer) -> Answer:
    """An order that bob has signed."""
    body = alice.order_body(0)
    return alice.post(ORDER, {**body, **bob.parts(messages.ORDER_V2, body)})


def transfer(alice: Signer, bob: Signer) -> Answer:
    """A transfer whose header names another nonce."""
    body = alice.transfer_body(bob.id, 0)
    text = owner.transfer_v2_texts({**body, "nonce": 1})[0]
    header = "0x" + owner.sign_text(alice.layer1, text).hex()
    return alice.post(TRANSFER, {**body, **alice.parts(messages.TRANSFER_V2, body)}, header)


def withdrawal(alice: Signer, bob: Signer) -> Answer:
    """A withdrawal signed for a test net."""
    body = alice.withdrawal_body(1)
    hashed = owner.WITHDRAWAL.hash(body, 5, int(alice.bodies.exchange, 16))
    return alice.post(WITHDRAWAL, body, layer1_text(owner.sign_typed(alice.layer1, hashed, "02")))


def update(alice: Signer, bob: Signer) -> Answer:
    """A key update signed with another fee by the old key."""
    body = alice.update_body(*key_text(alice), nonce=0)
    signed = {**body, "maxFee": {**body["maxFee"], "volume": "0"}}
    sent = {**body, "eddsaSignature": alice.eddsa(messages.ACCOUNT_UPDATE, signed)}
    return alice.post(UPDATE, sent, alice.ecdsa(owner.ACCOUNT_UPDATE, body))


def mint(alice: Signer, bob: Signer) -> Answer:
    """A mint signed without its royalty."""
    body = alice.mint_body("0x" + "1" * 64, 1)
    return alice.post(MINT, {**body, "eddsaSignature": alice.eddsa(messages.MINT, {**body, "creatorFeeBips": 0})})


def deployment(alice: Signer, bob: Signer) -> Answer:
    """A deployment whose header is signed for the address that a proxy has for the public."""
    minted = alice.mint(alice.mint_body("0x" + "1" * 64, 1)).json
    body = alice.deployment_body(minted["raw_data"]["nftData"], 3)
    text = json.dumps(body, separators=(",", ":"))
    public = alice.base.replace("http:", "https:") + DEPLOY
    return alice.post_text(DEPLOY, text, eddsa_hex(sign_call(alice.private, "POST", public, body=text)))


def key_text(alice: Signer) -> tuple[str, str]:
    """The coordinates of her next key."""
    point = keys.derive(alice.layer1, keys.default_seed(alice.bodies.exchange, 0)).public
    return f"{point.x:#x}", f"{point.y:#x}"


WRONG: dict[str, tuple[Callable[[Signer, Signer], Answer], str, str]] = {
    "order": (order, "another account's key", "signed with the key of bob; the key of alice is meant"),
    "transfer": (transfer, "a field with another value", "signed with nonce 1; 0 is meant"),
    "withdrawal": (withdrawal, "another chain id", f"signed for the chain id 5; {CHAIN_ID} is meant"),
    "update": (
        update,
        "a field with another value",
        "signed with maxFee.volume 0 (the fee was still open); 100000000000000000 is meant",
    ),
    "mint": (mint, "a field with another value", "signed with creatorFeeBips 0; 7 is meant"),
    "deployment": (
        deployment,
        "another address of the call",
        f"signed for the address 'https://{HOST}{DEPLOY}'; 'http://{HOST}{DEPLOY}' is meant",
    ),
}


def last(relay: Relay) -> Any:
    """What `why` says of the newest request."""
    newest = done(relay, "GET", "requests")["requests"][-1]["id"]
    return done(relay, "GET", f"why/{newest}")


@pytest.mark.parametrize("name", WRONG)
def test_the_cause_is_in_why_and_not_in_the_answer_104005(name: str) -> None:
    sends, kind, sentence = WRONG[name]
    relay = relay_from(choices=PROTOCOL)
    answer = sends(signer_of(relay), signer_of(relay, "bob"))
    assert answer.code == 104005
    assert TOLD.encode() in answer.body
    assert kind.encode() not in answer.body
    assert sentence.encode() not in answer.body
    told = last(relay)
    assert told["refusal"]["cause"] == {"kind": kind, "sentence": sentence}
    assert f"the likely cause is {kind}: {sentence}" in told["story"]
    (finding,) = findings(relay, "signature")
    assert finding.endswith(f"; {kind}: {sentence}")


def test_the_replaced_key_is_known_after_an_update() -> None:
    relay = relay_from(choices=PROTOCOL)
    alice = signer_of(relay)
    assert alice.update(alice.update_body(*key_text(alice), nonce=0)).code == 0
    assert alice.order(0).code == 104005
    cause = last(relay)["refusal"]["cause"]
    assert cause["kind"] == "a key that has been replaced"
    assert "alice had before its last key update" in cause["sentence"]


def test_a_signature_that_lost_its_first_zero_is_explained_though_it_has_no_form() -> None:
    relay = relay_from(choices=PROTOCOL)
    alice = signer_of(relay)
    for until_s in range(200):
        body = alice.withdrawal_body(1, validUntil=alice.bodies.until_s - until_s)
        header = alice.ecdsa(owner.WITHDRAWAL, body)
        if header[2] == "0":
            break
    assert alice.post(WITHDRAWAL, body, "0x" + header[3:]).code == 104005
    cause = last(relay)["refusal"]["cause"]
    assert cause["kind"] == "another form of the signature"
    assert "r has lost the zero" in cause["sentence"]
    (finding,) = findings(relay, "signature")
    assert finding.endswith(cause["sentence"])


def test_the_header_of_a_gen_2_transfer_that_lost_its_first_zero_is_explained_too() -> None:
    relay = relay_from(choices=PROTOCOL)
    alice = signer_of(relay)
    for number in range(400):
        body = {**alice.transfer_body(10002, 0), "memo": str(number)}
        header = alice.text_signature(body)
        if header[2] == "0":
            break
    sent = {**body, **alice.parts(messages.TRANSFER_V2, body)}
    assert alice.post(TRANSFER, sent, "0x" + header[3:]).code == 104005
    cause = last(relay)["refusal"]["cause"]
    assert cause["kind"] == "another form of the signature"
    assert "r has lost the zero" in cause["sentence"]


def test_where_nothing_fits_no_cause_is_told() -> None:
    relay = relay_from(choices=PROTOCOL)
    alice = signer_of(relay)
    stranger = alice.order_body(0)
    alice.private = 99
    assert alice.post(ORDER, {**stranger, **alice.parts(messages.ORDER_V2, stranger)}).code == 104005
    told = last(relay)
    assert "cause" not in told["refusal"]
    assert findings(relay, "signature") == [
        "submit_order: signatureRx, signatureRy, signatureS: the signature does not belong to this message and key"
    ]


def test_a_right_signature_and_another_refusal_have_no_cause() -> None:
    relay = relay_from(choices=PROTOCOL)
    alice = signer_of(relay)
    assert alice.order(0).code == 0
    assert last(relay)["refusal"] is None
    assert alice.order(0, maxFeeBips=0).code != 0
    assert "cause" not in last(relay)["refusal"]


def test_right_signatures_import_no_diagnosis() -> None:
    modules = imported_by(
        "from tests.support.signer import PROTOCOL, signer_of\n"
        "from tests.support.worlds import relay_from\n"
        "assert signer_of(relay_from(choices=PROTOCOL)).order(0).code == 0"
    )
    late = ("_mistakes", ".explain", ".explain_owner", ".diagnose")
    assert [name for name in modules if name.startswith("mockrelay.") and name.endswith(late)] == []
