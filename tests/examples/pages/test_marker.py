"""A test with settings of its own."""

import pytest

from mockrelay.testing import RelayerHandle


@pytest.mark.relayer(scenario="slow_deployment", choices={"http.error_status": "400"}, limits="spec", strict=True)
def test_time_is_moved_by_hand(relayer: RelayerHandle) -> None:
    before = relayer.clock.now_ms
    relayer.clock.advance("15s")
    assert relayer.clock.now_ms == before + 15_000
    assert relayer.state().choices["http.error_status"] == "400"
