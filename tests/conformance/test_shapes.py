"""Each field of each endpoint left out, of each wrong JSON type, out of range: refused by name, and nothing changes."""

from __future__ import annotations

import pytest

from mockrelay.relay import Relay
from tests.conformance.calls import healthy, say, world
from tests.conformance.checks import refused_call, shape_code
from tests.conformance.fields import REQUESTS
from tests.conformance.flaws import Flaw, flaws_of
from tests.conformance.transcript import BY_NAME, ROWS
from tests.driver import digest, send

FLAWS = [flaw for row in ROWS for flaw in flaws_of(healthy(row.name))]


class Shared:
    """One world for all cases of this module, replaced as soon as a case has changed it."""

    def __init__(self) -> None:
        self._relay: Relay | None = None
        self._digest = ""

    def relay(self) -> Relay:
        if self._relay is None:
            self._relay = world()
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
    answer = say(shared.relay(), flaw.spoil(healthy(flaw.name)))
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
    request = healthy(name)
    answer = send(shared.relay(), "POST", BY_NAME[name].path, body=body, key=request.key, signature=request.signature)
    shared.unchanged()
    refused_call(answer, name, {shape_code(name)}, "body")
