"""Each field of each endpoint left out, of each wrong JSON type, out of range: refused by name, and nothing changes."""

from __future__ import annotations

import pytest

from mockrelay.relay import Relay
from tests.conformance.checks import refused_call, shape_code
from tests.conformance.fields import INPUT_OBJECTS, REQUESTS
from tests.conformance.flaws import LEFT_OUT, Flaw, flaws_of
from tests.conformance.transcript import BY_NAME, NFT_SUBMISSIONS, ROWS
from tests.support.bodies import ECDSA_SIGNATURE
from tests.support.calls import Request, call, deployed, minted, ready, valid_request
from tests.support.client import advance, digest, send
from tests.support.worlds import world

_LOOKUPS = ("compute_token_address", "get_code", "get_nft_fee")
FLAWS = [flaw for row in ROWS for flaw in flaws_of(valid_request(row.name))]


class Shared:
    """One world for all cases of this module, replaced as soon as a case has changed it."""

    def __init__(self) -> None:
        self._relay: Relay | None = None
        self._digest = ""

    def relay(self) -> Relay:
        if self._relay is None:
            self._relay = deployed(minted(world()))
            advance(self._relay, "1s")
            self._digest = digest(self._relay)
        return self._relay

    def unchanged(self) -> None:
        assert self._relay is not None
        if digest(self._relay) != self._digest:
            self._relay = None
            raise AssertionError("the refusal changed the world")


@pytest.fixture(scope="module")
def shared() -> Shared:
    return Shared()


@pytest.mark.parametrize("flaw", FLAWS, ids=[flaw.id for flaw in FLAWS])
def test_spoiled_field_is_refused(shared: Shared, flaw: Flaw) -> None:
    """Its code is the field's own or the endpoint's shape code, its message names the field, the world stays."""
    answer = call(shared.relay(), flaw.spoil(valid_request(flaw.name)))
    shared.unchanged()
    refused_call(answer, flaw.name, flaw.codes, flaw.path[-1])


def test_every_field_of_the_transcript_is_spoiled() -> None:
    """No request field is without a case, but for the one optional field of a query that is free text."""
    spoiled = {(flaw.name, flaw.path[0]) for flaw in FLAWS}
    fields = {(name, field.name) for name, listed in REQUESTS.items() for field in listed}
    assert fields - spoiled == {("get_orders", "market")}


@pytest.mark.parametrize("name", [row.name for row in ROWS if row.method == "POST"])
@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"7", b'"x"', b"{}{}"], ids=repr)
def test_body_that_is_no_object_is_refused(shared: Shared, name: str, body: bytes) -> None:
    """A body that is not one JSON object has the endpoint's shape code, and the message says `body`."""
    request = valid_request(name)
    answer = send(shared.relay(), "POST", BY_NAME[name].path, body=body, key=request.key, signature=request.signature)
    shared.unchanged()
    refused_call(answer, name, {shape_code(name)}, "body")


def _shown(name: str) -> list[tuple[str, ...]]:
    """Every field that the spec shows for an NFT call, those inside objects too."""
    found: list[tuple[str, ...]] = []
    for field in REQUESTS[name]:
        found.append((field.name,))
        found.extend((field.name, inner.name) for inner in INPUT_OBJECTS.get(field.type, ()))
        for inner in INPUT_OBJECTS.get(field.type, ()):
            found.extend((field.name, inner.name, deep.name) for deep in INPUT_OBJECTS.get(inner.type, ()))
    return found


STRICT = [(name, path) for name in (*NFT_SUBMISSIONS, *_LOOKUPS) for path in _shown(name)]


def _whole(name: str) -> Request:
    """The valid_request call with every field that the spec shows."""
    request = valid_request(name)
    if name != "deploy_nft_contract":
        return request
    hashes = {"ecdsaHash": "0x" + "1" * 64, "eddsaHash": "0x" + "1" * 64, "ecdsaSignature": ECDSA_SIGNATURE}
    return request.but(transfer={**request.fields["transfer"], **hashes})


@pytest.mark.parametrize(("name", "path"), STRICT, ids=[f"{name}-{'.'.join(path)}" for name, path in STRICT])
def test_strict_nft_calls_need_every_field_that_is_shown(name: str, path: tuple[str, ...]) -> None:
    """Under `nft.optional_fields: strict` each field left out is refused by name, and the whole call is taken."""
    relay = ready(world({"nft.optional_fields": "strict"}), name)
    advance(relay, "1s")
    before = digest(relay)
    spoilt = Flaw(name, path, "absent", LEFT_OUT, frozenset()).spoil(_whole(name))
    refused_call(call(relay, spoilt), name, {100001}, path[-1])
    assert digest(relay) == before


@pytest.mark.parametrize("name", [*NFT_SUBMISSIONS, *_LOOKUPS])
def test_strict_nft_call_with_every_field_is_taken(name: str) -> None:
    """Strict asks for what is shown, and no more."""
    relay = ready(world({"nft.optional_fields": "strict"}), name)
    assert call(relay, _whole(name)).status == 200
