"""World W for each test; whatever happens in it, no money is made or lost."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mockrelay.relay import Relay
from tests.support.client import state
from tests.support.views import assert_money_is_conserved
from tests.support.worlds import world


@pytest.fixture
def relay() -> Iterator[Relay]:
    relay = world()
    yield relay
    assert_money_is_conserved(state(relay))
