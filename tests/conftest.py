"""What all tests share: Hypothesis without deadlines and other limits of time (a busy machine is not a bug) and the same examples in every run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from mockrelay.relay import Relay
from tests.properties import effort
from tests.support import npm as npm_packages
from tests.support.worlds import relay_from

pytest_plugins = ["pytester"]

settings.register_profile(
    "mockrelay",
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("mockrelay")
effort.register()


@pytest.fixture
def relay() -> Relay:
    """The default scenario on a frozen clock, without limits; folders and modules may have another."""
    return relay_from()


@pytest.fixture(scope="session")
def npm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose `node_modules` has the packages of `tests/examples/npm`. Skips where this machine cannot get them."""
    if folder := os.environ.get(npm_packages.INSTALLED):
        return Path(folder)
    if not npm_packages.is_npm_here():
        pytest.skip("there is no Node, or no registry of npm can be reached")
    made = tmp_path_factory.mktemp("npm")
    npm_packages.install(made)
    return made
