"""The form of requests: each field left out, of each wrong JSON type, out of range; and the one shape of refusals."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby

import pytest

from mockrelay.relay import Relay
from tests.conformance.checks import refused, refused_call, shape_code
from tests.conformance.fields import INPUT_OBJECTS, REQUESTS
from tests.conformance.transcript import BY_NAME, NFT_SUBMISSIONS, REQUESTS_OF_FUNDS, ROWS, Row
from tests.conformance.wrong_fields import LEFT_OUT, WrongField, wrong_fields_of
from tests.support.bodies import E18, ECDSA_SIGNATURE
from tests.support.calls import Request, call, deployed, minted, order, ready, valid_request
from tests.support.client import advance, digest, post, send
from tests.support.worlds import world

_LOOKUPS = ("compute_token_address", "get_code", "get_nft_fee")
WRONG_FIELDS = {
    (name, field): tuple(found)
    for name in BY_NAME
    for field, found in groupby(wrong_fields_of(valid_request(name)), lambda wrong: wrong.path[0])
}
POSTS = [row for row in ROWS if row.method == "POST"]


@pytest.fixture(scope="module")
def shared() -> Relay:
    """One world for all refusals of this module, since they change nothing."""
    relay = deployed(minted(world()))
    advance(relay, "1s")
    return relay


@pytest.fixture
def unchanged(shared: Relay) -> Iterator[Relay]:
    before = digest(shared)
    yield shared
    assert digest(shared) == before


def _id(name: str, field: str) -> str:
    codes = sorted({code for wrong in WRONG_FIELDS[name, field] for code in wrong.codes})
    return "-".join((name, field, *map(str, codes)))


@pytest.mark.parametrize(("name", "field"), WRONG_FIELDS, ids=[_id(*key) for key in WRONG_FIELDS])
def test_a_wrong_field_is_refused_by_name(unchanged: Relay, name: str, field: str) -> None:
    """With the field's own code or the endpoint's shape code."""
    for wrong in WRONG_FIELDS[name, field]:
        try:
            refused_call(call(unchanged, wrong.put_into(valid_request(name))), name, wrong.codes, wrong.path[-1])
        except AssertionError as error:
            error.add_note(wrong.id)
            raise


def test_every_field_of_the_transcript_has_wrong_values() -> None:
    """No request field is without a case, but for the one optional field of a query that is free text."""
    fields = {(name, field.name) for name, listed in REQUESTS.items() for field in listed}
    assert fields - set(WRONG_FIELDS) == {("get_orders", "market")}


@pytest.mark.parametrize("row", POSTS, ids=[row.name for row in POSTS])
def test_a_body_that_is_not_an_object_is_refused(unchanged: Relay, row: Row) -> None:
    """With the endpoint's shape code, and the message says `body`."""
    request = valid_request(row.name)
    for body in (b"", b"{", b"[]", b"null", b"7", b'"x"', b"{}{}"):
        answer = post(unchanged, row.path, body, key=request.key, signature=request.signature)
        refused_call(answer, row.name, {shape_code(row.name)}, "body")


@pytest.mark.parametrize("row", POSTS, ids=[row.name for row in POSTS])
def test_a_body_beyond_a_mebibyte_is_413(unchanged: Relay, row: Row) -> None:
    body = b'{"memo": "' + b"x" * 2_000_000 + b'"}'
    refused(send(unchanged, "POST", row.path, body=body, signature="x"), 413, {100000})


def test_a_body_of_just_a_mebibyte_is_read() -> None:
    """1 MiB is not over 1 MiB: a right order padded with blanks to that size is taken."""
    body = json.dumps(order().fields).encode()
    assert post(world(), BY_NAME["submit_order"].path, body + b" " * (2**20 - len(body))).code == 0


@pytest.mark.parametrize("name", ["submit_order", *REQUESTS_OF_FUNDS])
def test_unknown_fields_are_taken_by_default_and_change_nothing(name: str) -> None:
    """A field that no table lists is a finding; hash and world are the same."""
    plain, surplus = world(), world()
    request = valid_request(name)
    assert call(plain, request).body == call(surplus, request.but(surplus={"a": [1]}, affiliate="x")).body
    assert digest(plain) == digest(surplus)


@pytest.mark.parametrize("path", ["/", "/api", "/api/v2/nothing", "/api/v3/order/", "/API/v3/order", "/api/v4/order"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_an_unknown_path_is_404_in_the_shape_of_refusals(unchanged: Relay, method: str, path: str) -> None:
    refused(send(unchanged, method, path), 404, {100000}, path)


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_a_wrong_method_is_405_in_the_shape_of_refusals(unchanged: Relay, row: Row) -> None:
    """The message names the method, and the header Allow the right one."""
    for method in ("GET" if row.method == "POST" else "POST", "PUT", "DELETE", "HEAD", "PATCH", row.method.lower()):
        answer = send(unchanged, method, row.path)
        refused(answer, 405, {100000}, method)
        assert answer.headers["allow"] == row.method


@pytest.mark.parametrize(("mode", "statuses"), [("split", (200, 400)), ("200", (200, 200)), ("400", (400, 400))])
def test_the_status_of_a_refusal_follows_the_choice_and_nothing_else_does(mode: str, statuses: tuple[int, int]) -> None:
    """The same failing order and the same failing bare call under each mode."""
    relay, usual = world({"http.error_status": mode}), world()
    requests = order(amountS=str(10_000 * E18 + 1)), valid_request("get_order_fee").but(market="x")
    for request, status in zip(requests, statuses, strict=True):
        answer, plain = call(relay, request), call(usual, request)
        assert (answer.status, answer.body) == (status, plain.body)
        refused(answer, status, {plain.code})


def _shown(name: str) -> list[tuple[str, ...]]:
    """Every field that the spec shows for an NFT call, those inside objects too."""
    found: list[tuple[str, ...]] = []
    for field in REQUESTS[name]:
        found.append((field.name,))
        found.extend((field.name, inner.name) for inner in INPUT_OBJECTS.get(field.type, ()))
        for inner in INPUT_OBJECTS.get(field.type, ()):
            found.extend((field.name, inner.name, deep.name) for deep in INPUT_OBJECTS.get(inner.type, ()))
    return found


def _whole(name: str) -> Request:
    """The right call with every field that the spec shows."""
    request = valid_request(name)
    if name != "deploy_nft_contract":
        return request
    hashes = {"ecdsaHash": "0x" + "1" * 64, "eddsaHash": "0x" + "1" * 64, "ecdsaSignature": ECDSA_SIGNATURE}
    return request.but(transfer={**request.fields["transfer"], **hashes})


@pytest.mark.parametrize("name", [*NFT_SUBMISSIONS, *_LOOKUPS])
def test_strict_nft_calls_need_every_field_that_is_shown_100001(name: str) -> None:
    """Under `nft.optional_fields: strict` each field left out is refused by name; the whole call is taken."""
    relay = ready(world({"nft.optional_fields": "strict"}), name)
    advance(relay, "1s")
    before = digest(relay)
    for path in _shown(name):
        incomplete = WrongField(name, path, "absent", LEFT_OUT, frozenset()).put_into(_whole(name))
        refused_call(call(relay, incomplete), name, {100001}, path[-1])
    assert digest(relay) == before
    assert call(relay, _whole(name)).status == 200
