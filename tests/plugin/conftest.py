"""A project of somebody else's whose tests pytester runs, with warnings as errors."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

# Before pytester takes note of what is imported: it takes away what came later, which C extensions do not bear.
import mockrelay.pytest_plugin.backends  # noqa: F401
from mockrelay.relay import Relay
from mockrelay.testing import RelayerHandle
from mockrelay.web import serve

API = Path(__file__).with_name("api.py")
Run = Callable[..., pytest.RunResult]
TOKEN = "sesame"

# Older pytest warns where a plugin is named that this process has imported already.
INI = """
[pytest]
filterwarnings =
    error
    ignore:Module already imported so cannot be rewritten:pytest.PytestAssertRewriteWarning
addopts = -p no:cacheprovider -p mockrelay.pytest_plugin
"""


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a test file, in this process or `apart`, with no plugins but ours and `plugins`, and gives the result."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    # Where it is set, pytest's summary has whole messages.
    monkeypatch.delenv("CI", raising=False)
    # A file that is written anew within a second, and is as long as before, would be read from its bytecode.
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    pytester.makeini(INI)
    pytester.syspathinsert()
    pytester.path.joinpath("api.py").write_text(API.read_text(encoding="utf-8"), encoding="utf-8")

    def run(source: str, *args: str, apart: bool = False, plugins: Sequence[str] = ()) -> pytest.RunResult:
        pytester.makepyfile(test_it=source)
        args = (*(part for name in plugins for part in ("-p", name)), *args)
        return pytester.runpytest_subprocess(*args) if apart else pytester.runpytest_inprocess(*args)

    return run


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[RelayerHandle]:
    """A server that is up, its clock and limits on as `serve` has them; the environment names it."""
    with serve(Relay.from_scenario("default"), token=TOKEN) as serving:
        monkeypatch.setenv("MOCKRELAY_URL", serving.url)
        monkeypatch.setenv("MOCKRELAY_TOKEN", TOKEN)
        yield RelayerHandle.at(serving.url, TOKEN)
