"""`relayer.coverage()`: what of the spec was met, as a test reads it."""

from __future__ import annotations

from mockrelay.testing import RelayerHandle
from tests.support.client import send
from tests.support.worlds import relay_from


def test_it_reads_like_the_view() -> None:
    """A pair that is missing says how it is reached, with a fault that `relayer.fault` takes as it is."""
    relay = relay_from()
    relayer = RelayerHandle.of(relay)
    send(relay, "GET", "/api/v2/exchange/tokens")
    kinds = relayer.coverage().kinds
    assert kinds.endpoints.met == kinds.successes.met == ["get_tokens"]
    missing = next(item for item in kinds.pairs.missing if item.name == "submit_order 102014")
    assert missing.reach == "choice"
    assert missing.choices == {"order.frozen_account": "102014"}
    relayer.fault(**missing.fault)
    assert relayer.faults[0].view.code == 102014
