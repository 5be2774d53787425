"""What a run pays that has the plugin and does not use it."""

from __future__ import annotations

import json
import sys

import pytest

import mockrelay.testing
from tests.support.processes import imported_by

OTHERS_OFF = [
    word for name in ("asyncio", "aiohttp", "anyio", "xdist", "hypothesispytest") for word in ("-p", f"no:{name}")
]

TESTS = """
import json
import sys


def loaded():
    return [name for name in {names!r} if name in sys.modules]


def test_before():
    print("told " + json.dumps(loaded()))


def test_used(relayer):
    print("told " + json.dumps(loaded()))
"""


def told(result: pytest.RunResult) -> list[list[str]]:
    return [json.loads(line.partition("told ")[2].rstrip(".")) for line in result.outlines if "told " in line]


def test_nothing_heavy_is_imported_until_a_fixture_is_used(pytester: pytest.Pytester) -> None:
    """The plugin is found by its entry point, as for any user; even then the server waits for the first URL."""
    pytester.makeini("[pytest]\naddopts = -p no:cacheprovider -p no:schemathesis -p no:pytest_httpserver\n")
    names = ("aiohttp", "hypothesis", "jsonschema", "yaml", "mockrelay.web", "mockrelay.relay", "mockrelay.testing")
    pytester.makepyfile(TESTS.format(names=names))
    result = pytester.runpytest_subprocess("-s", *OTHERS_OFF, "--mockrelay-scenario=busy_market")
    result.assert_outcomes(passed=2)
    before, used = told(result)
    assert before == []
    assert "mockrelay.relay" in used
    assert not {"aiohttp", "hypothesis", "mockrelay.web"} & set(used)


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        (
            "mockrelay.pytest_plugin",
            {"aiohttp", "hypothesis", "jsonschema", "yaml", "mockrelay.web", "mockrelay.relay", "mockrelay.core"},
        ),
        ("mockrelay.testing", {"aiohttp", "hypothesis", "pytest", "mockrelay.web"}),
    ],
)
def test_a_module_alone_imports_nothing_heavy(module: str, heavy: set[str]) -> None:
    assert imported_by(f"import {module}") & heavy == set()


def test_what_needs_hypothesis_says_so_where_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    monkeypatch.delitem(sys.modules, "mockrelay.testing.machine", raising=False)
    with pytest.raises(
        ModuleNotFoundError, match=r"^RelayMachine needs Hypothesis; meant: install 'mockrelay\[hypothesis\]'$"
    ):
        mockrelay.testing.RelayMachine  # noqa: B018 - what is refused


def test_the_package_alone_imports_its_version_only_and_each_public_name_when_it_is_used() -> None:
    script = """
import mockrelay
assert {name for name in sys.modules if name.startswith("mockrelay")} == {"mockrelay", "mockrelay._version"}
from mockrelay import RawRequest, Relay
assert "aiohttp" not in sys.modules
from mockrelay import create_app, serve
assert (Relay.__name__, RawRequest.__name__, create_app.__name__, serve.__name__) == (
    "Relay", "RawRequest", "create_app", "serve"
)
try:
    mockrelay.relayer
except AttributeError as error:
    assert "has no attribute 'relayer'" in str(error)
"""
    assert "aiohttp" in imported_by(script)


def test_the_old_name_of_the_handle_holds_for_one_release() -> None:
    assert mockrelay.testing.Relayer is mockrelay.testing.RelayerHandle
