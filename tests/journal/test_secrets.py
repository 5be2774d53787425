"""A secret is masked wherever it stands in what is shown, not only where a name says what it is."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest

from mockrelay.control import handle_control
from mockrelay.journal.masking import MASK
from mockrelay.relay import Relay
from tests.support.client import account, control, done, get, send

VIEWS = (
    "requests",
    "problems",
    "findings",
    "why/r1",
    *(f"findings?{form}" for form in ("text", "json", "junit", "sarif")),
)


def shown(relay: Relay) -> str:
    """All that is shown of the calls."""
    texts = []
    for view in VIEWS:
        path, _, form = view.partition("?")
        answer = handle_control(relay, "GET", path, (("format", form),) if form else (), b"")
        assert answer.status == 200
        texts.append(answer.body.decode())
    verified = control(relay, "POST", "verify", {"endpoint": "get_ticker", "times": 9, "query": {"market": "ETH-USDT"}})
    return "\n".join([*texts, verified.body.decode()])


def key(relay: Relay) -> str:
    return str(account(relay, "alice")["apiKey"])


SECRET = "5ecret-of-somebody"


def in_the_path(relay: Relay) -> str:
    get(relay, f"/api/v2/{key(relay)}", key=None)
    return key(relay)


def in_the_query(relay: Relay) -> str:
    get(relay, "/api/v2/ticker", key=None, market=key(relay))
    return key(relay)


def percent_encoded_in_the_query(relay: Relay) -> str:
    get(relay, "/api/v2/ticker", key=SECRET + "/ü", market=SECRET + "/ü")
    return quote(SECRET + "/ü", safe="")


def in_a_header_of_another_name(relay: Relay) -> str:
    get_with = {"x-forwarded-for": key(relay)}
    send(relay, "GET", "/api/v2/ticker", query=[("market", "LRC-ETH")], key=None, headers=get_with)
    return key(relay)


def in_a_header_of_another_spelling(relay: Relay) -> str:
    send(relay, "GET", "/api/v2/ticker", key=None, headers={"x_api_key": SECRET})
    return SECRET


def in_a_field_of_another_spelling(relay: Relay) -> str:
    send(relay, "POST", "/api/v3/order", body=json.dumps({"private_key": SECRET, "Key-Seed": SECRET}).encode())
    return SECRET


def as_the_name_of_a_field(relay: Relay) -> str:
    send(relay, "POST", "/api/v3/order", body=json.dumps({key(relay): 1}).encode())
    return key(relay)


def in_a_body_that_is_no_json(relay: Relay) -> str:
    send(relay, "POST", "/api/v3/order", body=f"key {key(relay)}!".encode())
    return key(relay)


def a_signature_repeated_in_another_field(relay: Relay) -> str:
    body = {"signatureRx": SECRET, "clientOrderId": SECRET, "orderType": SECRET}
    send(relay, "POST", "/api/v3/order", body=json.dumps(body).encode())
    return SECRET


def a_private_key_as_a_number(relay: Relay) -> str:
    digits = "12345678901234567890"
    body = f'{{"privateKey": {digits}, "accountId": {digits}}}'.encode()
    send(relay, "POST", "/api/v3/order", body=body)
    return digits


def a_seed_that_is_a_sentence(relay: Relay) -> str:
    seed = "Sign this message to unlock: 1"
    send(relay, "POST", "/api/v3/account", body=json.dumps({"keySeed": seed, "owner": f"of {seed}"}).encode())
    return seed


def a_key_that_has_been_replaced(relay: Relay) -> str:
    old = key(relay)
    get(relay, "/api/v2/ticker", market="LRC-ETH")
    get(relay, f"/api/{old}", key=None)
    done(relay, "POST", "accounts/alice/keys", {"apiKey": "another-key-of-alice"})
    return old


@pytest.mark.parametrize(
    "call",
    [
        in_the_path,
        in_the_query,
        percent_encoded_in_the_query,
        in_a_header_of_another_name,
        in_a_header_of_another_spelling,
        in_a_field_of_another_spelling,
        as_the_name_of_a_field,
        in_a_body_that_is_no_json,
        a_signature_repeated_in_another_field,
        a_private_key_as_a_number,
        a_seed_that_is_a_sentence,
        a_key_that_has_been_replaced,
    ],
    ids=lambda call: call.__name__,
)
def test_a_secret_is_masked(relay: Relay, call: object) -> None:
    assert callable(call)
    secret = call(relay)
    text = shown(relay)
    assert secret not in text
    assert MASK in text


def test_a_short_secret_is_masked_by_its_name_alone(relay: Relay) -> None:
    """It may be a word of anything."""
    send(relay, "GET", "/api/v2/ticker", query=[("market", "LRC-ETH"), ("apiKey", "ticker")], key="v2")
    (request,) = done(relay, "GET", "requests")["requests"]
    assert request["target"] == f"/api/v2/ticker?market=LRC-ETH&apiKey={MASK}"
    assert request["headers"]["x-api-key"] == MASK


def test_words_that_are_sent_for_a_signature_are_left_in_answers(relay: Relay) -> None:
    send(relay, "POST", "/api/v3/order", body=b'{"signatureRx": "no signature"}')
    send(relay, "POST", "/api/v2/transfer", signature=" ", body=b'{"signatureRx": "no signature"}')
    assert "No signature information provided" in json.dumps(done(relay, "GET", "requests"))


@pytest.mark.parametrize("form", ["text", "json", "junit", "sarif"])
def test_a_secret_is_masked_where_a_form_of_findings_writes_it_with_escapes(relay: Relay, form: str) -> None:
    secret = 'Tom&"Jerry"<of-nobody>'
    send(relay, "GET", f"/api/{secret}", key=secret)
    text = handle_control(relay, "GET", "findings", (("format", form),), b"").body.decode()
    assert "GET /api/" + MASK in text
    assert "Tom" not in text


def test_a_dump_has_the_keys_as_they_are(relay: Relay) -> None:
    assert key(relay) in relay.dump().decode()
