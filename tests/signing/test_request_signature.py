"""Signatures of whole calls: the published ones, every known way to make the signed text, and changed calls."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mockrelay.signing import messages
from mockrelay.signing.eddsa import Family, Signature, sign, verify
from mockrelay.signing.request_signature import TEXT_MAX, message_of, sign_call, signed_texts, why_header_wrong
from mockrelay.signing.wire_forms import eddsa_commas, eddsa_hex, read_eddsa
from tests.signing.small_points import SMALL
from tests.signing.vectors import KEY, PRIVATE, load, number

VECTORS = load("url_sig")["vectors"]
DEPLOY = load("url_sig")["deploy"]
URL = "http://127.0.0.1:8080/api/v3/order"


def header_of(text: str) -> str:
    """The header of a client that signs exactly this text."""
    return eddsa_hex(sign(PRIVATE, message_of(text)))


def call_of(vector: dict[str, Any]) -> tuple[str, str, str, str]:
    """Method, address, query and body."""
    body = "" if vector["body"] is None else json.dumps(vector["body"], separators=(",", ":"))
    return vector["method"], vector["host"] + vector["path"], urlencode(vector["params"]), body


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_published_texts_and_headers_in_both_directions(vector: dict[str, Any]) -> None:
    method, url, query, body = call_of(vector)
    assert signed_texts(method, url, query, body)[0] == vector["signatureBase"]
    assert message_of(vector["signatureBase"]) == number(vector["message"])
    pairs = [(key, str(value)) for key, value in vector["params"].items()]
    signature = sign_call(PRIVATE, method, url, query=pairs, body=body)
    assert eddsa_hex(signature) == vector["xApiSig"] == vector["xApiSig_sdk"]
    assert eddsa_commas(signature) == vector["xApiSigV2Commas"]
    for name in ("xApiSig", "xApiSigV2Commas", "xApiSig_sdk"):
        assert why_header_wrong(KEY, vector[name], method, url, query, body) is None


def test_the_published_deployment_signs_its_body_as_sent() -> None:
    url = DEPLOY["host"] + DEPLOY["path"]
    assert signed_texts("POST", url, "", DEPLOY["json"]) == (DEPLOY["signatureBase"],)
    assert message_of(DEPLOY["signatureBase"]) == number(DEPLOY["message"])
    assert eddsa_hex(sign_call(PRIVATE, "POST", url, body=DEPLOY["json"])) == DEPLOY["xApiSig"]
    assert why_header_wrong(KEY, DEPLOY["xApiSig"], "POST", url, "", DEPLOY["json"]) is None


def test_the_published_deployment_pays_by_an_ordinary_transfer() -> None:
    transfer = json.loads(DEPLOY["json"])["transfer"]
    signature = read_eddsa(transfer["eddsaSignature"])
    assert signature is not None
    assert verify(KEY, messages.TRANSFER.hash(transfer), signature)
    assert not verify(KEY, messages.TRANSFER.hash({**transfer, "storageId": 8}), signature)


def test_an_unreduced_hash_gives_another_signature_that_is_as_right() -> None:
    vector = VECTORS[0]
    whole = number(vector["sha256"])
    signature = sign(PRIVATE, whole)
    assert eddsa_hex(signature) != vector["xApiSig"]
    assert why_header_wrong(KEY, eddsa_hex(signature), *call_of(vector)) is None


@pytest.mark.parametrize("family", Family)
def test_both_families_headers_are_right(family: Family) -> None:
    pairs = [("a", "1"), ("b", "x,y")]
    signature = sign_call(PRIVATE, "get", URL, query=pairs, family=family)
    assert why_header_wrong(KEY, eddsa_hex(signature), "GET", URL, "a=1&b=x,y", "") is None


ENCODED_URL = "http%3A%2F%2F127.0.0.1%3A8080%2Fapi%2Fv3%2Forder"


@pytest.mark.parametrize(
    ("query", "signed"),
    [
        ("b=2&a=1", "b%3D2%26a%3D1"),
        ("b=2&a=1", "a%3D1%26b%3D2"),
        ("h=0x1,0x2", "h%3D0x1%2C0x2"),
        ("h=0x1%2C0x2", "h%3D0x1%2C0x2"),
        ("h=0x1,0x2", "h%3D0x1%252C0x2"),
        ("h=x/y,z", "h%3Dx%252Fy%252Cz"),
        ("h=x/y,z", "h%3Dx%2Fy%252Cz"),
        ("h=(1)*", "h%3D%281%29*"),
        ("h=(1)*", "h%3D%281%29%2A"),
        ("h=%C3%A9", "h%3D%C3%A9"),
        ("h=", "h%3D"),
        ("", ""),
    ],
)
def test_every_known_way_to_sign_a_query(query: str, signed: str) -> None:
    """As sent or sorted; values encoded once, first each and then all, or commas alone twice; with the star or without."""
    for method in ("GET", "DELETE"):
        header = header_of(f"{method}&{ENCODED_URL}&{signed}")
        assert why_header_wrong(KEY, header, method, URL, query, '{"not":"signed"}') is None


@pytest.mark.parametrize(
    ("body", "signed"),
    [
        ('{"a":"b c"}', "%7B%22a%22%3A%22b%20c%22%7D"),
        ('{ "a" : "b c" ,\n"d":[1, 2]}', "%7B%22a%22%3A%22b%20c%22%2C%22d%22%3A%5B1%2C2%5D%7D"),
        ('{"a": "\\" x"}', "%7B%22a%22%3A%22%5C%22%20x%22%7D"),
        ('{"a":"(*)"}', "%7B%22a%22%3A%22%28*%29%22%7D"),
        ("", ""),
    ],
)
def test_every_known_way_to_sign_a_body(body: str, signed: str) -> None:
    """As sent or without the blanks between its parts, which stay inside of strings."""
    assert why_header_wrong(KEY, header_of(f"POST&{ENCODED_URL}&{signed}"), "POST", URL, "not=signed", body) is None


def test_what_browsers_leave_and_the_sdk_encodes_is_encoded() -> None:
    assert why_header_wrong(KEY, header_of(f"GET&{ENCODED_URL}&h%3D(1)"), "GET", URL, "h=(1)", "") is not None


def test_sorting_keeps_the_order_of_a_key_that_comes_twice() -> None:
    assert f"GET&{ENCODED_URL}&a%3D9%26a%3D1%26b%3D0" in signed_texts("GET", URL, "b=0&a=9&a=1", "")


CALLS = [call_of(vector) for vector in VECTORS] + [
    ("POST", DEPLOY["host"] + DEPLOY["path"], "", DEPLOY["json"]),
    ("GET", URL, "b=2&a=1,2", ""),
]


@settings(max_examples=60)
@given(st.sampled_from(CALLS), st.integers(0, 3), st.integers(0, 10_000), st.integers(0, 6))
def test_one_flipped_bit_in_any_part_of_a_call_is_refused(
    call: tuple[str, str, str, str], part: int, place: int, bit: int
) -> None:
    method, url, query, body = call
    pairs = [tuple(pair.split("=")) for pair in query.split("&")] if query else []
    header = eddsa_hex(sign_call(PRIVATE, method, url, query=[(key, value) for key, value in pairs], body=body))
    parts = list(call)
    if parts[part]:
        place %= len(parts[part])
        flipped = chr(ord(parts[part][place]) ^ 1 << bit)
        parts[part] = parts[part][:place] + flipped + parts[part][place + 1 :]
    # A method's letter case is none of its bits, and an unsigned part may be anything.
    changed = parts[0].upper() != method or parts[1:] != list(call[1:])
    assert (why_header_wrong(KEY, header, parts[0], parts[1], parts[2], parts[3]) is None) is not changed


@settings(max_examples=30)
@given(st.integers(0, 2), st.integers(0, 253))
def test_one_flipped_bit_in_the_header_is_refused(part: int, bit: int) -> None:
    call = call_of(VECTORS[0])
    numbers = [int(VECTORS[0]["xApiSig"][2 + 64 * index : 66 + 64 * index], 16) for index in range(3)]
    numbers[part] ^= 1 << bit
    assert why_header_wrong(KEY, eddsa_hex(Signature(*numbers)), *call) is not None


def test_another_host_and_another_world_are_refused() -> None:
    method, url, query, body = call_of(VECTORS[0])
    for other in ("127.0.0.1:8081", "localhost:8080", "127.0.0.1:8080/w/ci"):
        changed = url.replace("127.0.0.1:8080", other)
        assert why_header_wrong(KEY, VECTORS[0]["xApiSig"], method, changed, query, body) is not None


def test_the_reasons_name_what_is_wrong() -> None:
    call = call_of(VECTORS[0])
    right = VECTORS[0]["xApiSig"]
    assert why_header_wrong(KEY, right[:-1], *call) == (
        "not 0x and 192 hex digits, nor three decimal numbers with commas"
    )
    assert why_header_wrong(SMALL[1], right, *call) == "the public key is one of the eight points of small order"
    assert why_header_wrong(KEY, right, "POST", URL, "", "x" * (TEXT_MAX + 1)) == (
        "more than 16384 characters of address, query or body, which no client signs"
    )
    assert why_header_wrong(KEY, right, "GET", URL, "other=1", "") == (
        "the signature does not belong to this message and key"
    )


@pytest.mark.parametrize("text", ["\ud800", "%", "%zz", "&&&", "=", ";", "\x00", '"' * 99, "é"], ids=ascii)
def test_odd_queries_and_bodies_are_refused_without_an_error(text: str) -> None:
    right = VECTORS[0]["xApiSig"]
    for method in ("GET", "POST", "", "\ud800"):
        assert why_header_wrong(KEY, right, method, URL + text, text, text) is not None
