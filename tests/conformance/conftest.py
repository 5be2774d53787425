"""World W for each test; whatever happens in it, no money is made or lost. Under `live` too, where `under_live` says so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mockrelay.relay import Relay
from tests.conformance import under_live
from tests.support import worlds
from tests.support.client import state
from tests.support.views import assert_money_is_conserved

_HERE = Path(__file__).parent


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    module = Path(str(metafunc.module.__file__)).relative_to(_HERE).as_posix()
    if f"{module}::{metafunc.definition.name}".startswith(under_live.TESTS):
        metafunc.parametrize("profile", ["spec", "live"], indirect=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if why := under_live.difference_of(item.nodeid.removeprefix("tests/conformance/")):
            item.add_marker(pytest.mark.xfail(raises=(AssertionError, ValueError), strict=True, reason=why))


@pytest.fixture(autouse=True)
def profile(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The profile of all worlds that the test makes."""
    if getattr(request, "param", "spec") == "live":
        monkeypatch.setattr(worlds, "defaults", worlds.Defaults("live", under_live.CHOICES))


@pytest.fixture
def relay() -> Iterator[Relay]:
    relay = worlds.world()
    yield relay
    assert_money_is_conserved(state(relay))
