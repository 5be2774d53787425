"""Nothing of curves, Poseidon or secp256k1 is imported as long as neither choice asks for it."""

from __future__ import annotations

import pytest

from mockrelay.scenario import shipped
from tests.support.processes import imported_by

IN_WORLD_W = """
from mockrelay.control import handle_control
from tests.support.calls import valid_request, ready, call
from tests.support.worlds import world
from tests.conformance.transcript import BY_NAME
relay = world({choices})
for name in BY_NAME:
    call(ready(relay, name) if name == "withdraw_nft" else relay, valid_request(name))
for path in ("state", "accounts", "accounts/alice", "findings", "requests", "why/r1", "dump"):
    assert handle_control(relay, "GET", path, (), b"").status == 200
for path, body in (("accounts/alice/keys", b'{{"keySeed": "a text"}}'), ("snapshots", b'{{"name": "s"}}'), ("reset", b"{{}}")):
    assert handle_control(relay, "POST", path, (), body).status == 200
"""
IN_THE_DEFAULT_WORLD = """
from mockrelay.openapi import relayer_document
from mockrelay.spec.endpoints import ENDPOINTS
called = [operation for path in relayer_document()["paths"].values() for operation in path.values()]
assert len([operation for operation in called if "operationId" in operation]) == len(ENDPOINTS)
"""


def signing_of(modules: set[str]) -> set[str]:
    """Which modules of the signing room are among these, and the library."""
    ours = {name.removeprefix("mockrelay.signing.") for name in modules if name.startswith("mockrelay.signing.")}
    return ours | (modules & {"coincurve"})


@pytest.mark.slow
def test_no_curve_is_needed_unless_asked_for() -> None:
    """Every endpoint is called, and the control API shows what there is; the chain's own hash is another matter."""
    worlds = [IN_WORLD_W.format(choices=choices) for choices in ({}, {"signature.scheme": "off"})]
    assert signing_of(imported_by("".join([IN_THE_DEFAULT_WORLD, *worlds]))) <= {"hashes", "parameters"}


def test_no_shipped_scenario_needs_it_to_start() -> None:
    """Keys that are worked out beforehand are there for it, whatever signatures are asked for."""
    start_all = f"from mockrelay.relay import Relay\nfor name in {shipped()}:\n    Relay.from_scenario(name)\n"
    assert signing_of(imported_by(start_all)) <= {"hashes", "parameters"}


@pytest.mark.parametrize("key", ["signature.scheme", "hash.scheme"])
def test_either_choice_brings_it(key: str) -> None:
    """So the net of the tests above is fine enough to catch it."""
    script = f"""
from tests.support.calls import order, call
from tests.support.worlds import world
call(world({{{key!r}: "protocol"}}), order())
"""
    assert {"poseidon", "messages", "curve"} <= signing_of(imported_by(script))
