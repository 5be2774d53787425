"""What the commands import, since that is nearly all of what their start takes. Counted, never timed."""

from __future__ import annotations

import re
import signal
import subprocess
import sys

import pytest

from tests.support.connection import connected
from tests.support.processes import PATIENCE_S, ROOT, environment, imported_by, serving

LIST = "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr))"
LISTING = (sys.executable, "-c", f"{LIST}\nfrom mockrelay.cli import main; main()")
"""`mockrelay`, which lists at its end what it has imported."""
NOTHING_LATER = "from mockrelay.cli import serve; serve.IMPORTS_AFTER_S = 3600"
LISTING_SERVER = (sys.executable, "-c", f"{LIST}\n{NOTHING_LATER}\nfrom mockrelay.cli import main; main()")

NOT_FOR_A_SERVER = {
    # Checks of schemas run as code that is made of them.
    "jsonschema",
    "referencing",
    "rpds",
    # Tools of tests.
    "hypothesis",
    "pytest",
    "_pytest",
    "mockrelay.testing",
    "mockrelay.pytest_plugin",
    # For those who ask for them.
    "mockrelay.openapi",
    "mockrelay.check",
    "mockrelay.scenario.editor",
    "coincurve",
    "importlib.resources",
    "zipfile",
}
NOT_FOR_HELP = (
    *("asyncio", "socket", "json", "yaml", "aiohttp", "ssl", "logging", "subprocess"),
    *("hypothesis", "jsonschema", "pytest"),
)
ONLY_FOR_HELP = re.compile(r"mockrelay(\.(cli|_version))?")


def test_a_server_imports_nothing_that_its_answers_do_not_need() -> None:
    """From its start to its first answers."""
    with serving("-p", "0", command=LISTING_SERVER) as server:
        with connected(server.url) as wire:
            assert wire.ask("GET", "/__mockrelay/health").status == 200
            assert wire.ask("GET", "/api/v2/exchange/tokens").status == 200
        server.end(signal.SIGTERM)
        modules = set(server.errors().split())
    assert "aiohttp.web" in modules
    assert sorted(modules & NOT_FOR_A_SERVER) == []


REFUSALS = """
from mockrelay.cli.serve import import_rest
from mockrelay.relay import Relay
from tests.support.bodies import W
from tests.support.client import send
from tests.support.worlds import relay_from

relay = relay_from("default", choices={"signature.scheme": "protocol"})
key = relay.accounts()[0]["apiKey"]
import_rest()
before = set(sys.modules)
bodies = (b"{}", json.dumps(W.order()).encode())
codes = [send(relay, "POST", "/api/v3/order", body=body, key=key).code for body in bodies]
assert codes[0] != 0, codes
assert codes[1] == 104005, codes
assert set(sys.modules) == before, set(sys.modules) - before
"""


def test_a_server_that_has_been_up_for_a_moment_imports_nothing_for_a_refusal() -> None:
    """Of a wrong form, and of a wrong signature: all other calls would wait for it."""
    assert "jsonschema" in imported_by(REFUSALS)


@pytest.fixture(scope="module")
def imported_for_help() -> set[str]:
    run = subprocess.run(
        [*LISTING, "--help"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment(),
        timeout=PATIENCE_S,
        check=True,
    )
    return set(run.stderr.split())


def test_help_costs_click_and_a_table_of_the_commands(imported_for_help: set[str]) -> None:
    ours = {name for name in imported_for_help if name.partition(".")[0] == "mockrelay"}
    assert ours
    assert {name for name in ours if not ONLY_FOR_HELP.fullmatch(name)} == set()


@pytest.mark.parametrize("name", NOT_FOR_HELP)
def test_help_imports_no(name: str, imported_for_help: set[str]) -> None:
    assert name not in imported_for_help
