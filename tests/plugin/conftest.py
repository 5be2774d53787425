"""A project of somebody else's whose tests pytester runs, with warnings as errors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

# Before pytester takes note of what is imported: it takes away what came later, which C extensions do not bear.
import mockrelay.pytest_plugin.backends
import mockrelay.web  # noqa: F401

API = Path(__file__).with_name("api.py")
Run = Callable[..., pytest.RunResult]

INI = """
[pytest]
filterwarnings = error
asyncio_default_fixture_loop_scope = function
addopts = -p no:cacheprovider -p no:schemathesis
"""


@pytest.fixture
def run(pytester: pytest.Pytester) -> Run:
    """Runs a test file in this process and gives the result."""
    pytester.makeini(INI)
    pytester.syspathinsert()
    pytester.path.joinpath("api.py").write_text(API.read_text(encoding="utf-8"), encoding="utf-8")

    def run(source: str, *args: str, apart: bool = False) -> pytest.RunResult:
        pytester.makepyfile(test_it=source)
        return pytester.runpytest_subprocess(*args) if apart else pytester.runpytest_inprocess(*args)

    return run
