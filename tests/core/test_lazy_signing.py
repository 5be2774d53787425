"""Nothing of curves, Poseidon or secp256k1 is imported as long as neither choice asks for it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from mockrelay.scenario import shipped

PATIENCE_S = 120
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
LOADED = """
import json, sys
names = [name for name in sys.modules if name.startswith("mockrelay.signing.")]
print(json.dumps([names, "coincurve" in sys.modules]))
"""


def loaded_by(script: str) -> tuple[set[str], bool]:
    """Which modules of the signing room a process of its own has after a script, and whether it has the library."""
    run = subprocess.run(
        [sys.executable, "-c", script + LOADED], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert run.returncode == 0, run.stderr
    names, has_library = json.loads(run.stdout)
    return {name.removeprefix("mockrelay.signing.") for name in names}, has_library


@pytest.mark.slow
def test_no_curve_is_needed_unless_asked_for() -> None:
    """Every endpoint is called, and the control API shows what there is; the chain's own hash is another matter."""
    worlds = [IN_WORLD_W.format(choices=choices) for choices in ({}, {"signature.scheme": "off"})]
    loaded, has_library = loaded_by("".join([IN_THE_DEFAULT_WORLD, *worlds]))
    assert loaded <= {"hashes", "parameters"}
    assert not has_library


def test_no_shipped_scenario_needs_it_to_start() -> None:
    """Keys that are worked out beforehand are there for it, whatever signatures are asked for."""
    loaded, _ = loaded_by(
        f"from mockrelay.relay import Relay\nfor name in {shipped()}:\n    Relay.from_scenario(name)\n"
    )
    assert loaded <= {"hashes", "parameters"}


@pytest.mark.parametrize("key", ["signature.scheme", "hash.scheme"])
def test_either_choice_brings_it(key: str) -> None:
    """So the net of the tests above is fine enough to catch it."""
    script = f"""
from tests.support.calls import order, call
from tests.support.worlds import world
call(world({{{key!r}: "protocol"}}), order())
"""
    loaded, _ = loaded_by(script)
    assert {"poseidon", "messages", "curve"} <= loaded
