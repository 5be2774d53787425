"""The safety net: stored traffic is answered as it was. How a difference is dealt with is told in `traffic`."""

from __future__ import annotations

import pytest

from tests.net.replaying import differences, replay
from tests.net.traffic import Case, load

_CASES = load()
_SHOWN = 10


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in _CASES.items()])
def test_stored_traffic_is_answered_as_it_was(case: Case) -> None:
    found = differences(case, replay(case))
    assert not found, "\n".join([f"{len(found)} differences, the first:", *map(str, found[:_SHOWN])])
