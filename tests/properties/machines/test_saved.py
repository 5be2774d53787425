"""The machines once more, the world being saved as JSON and restored after every rule: no view changes."""

from __future__ import annotations

from hypothesis.stateful import invariant

from mockrelay.core.world import digest_all
from mockrelay.relay import Relay
from tests.properties.effort import effort
from tests.properties.fuzzers.test_random_calls import through_json
from tests.properties.machines.test_market import MarketMachine
from tests.properties.machines.test_requests import RequestMachine
from tests.support.client import control


def put_through_json(relay: Relay) -> None:
    """Restore the relay's world from JSON; its digest and its state are the same."""
    shown, before = control(relay, "GET", "state").body, digest_all(relay.world)
    relay.world = through_json(relay.world)
    assert digest_all(relay.world) == before
    assert control(relay, "GET", "state").body == shown


class SavedMarketMachine(MarketMachine):
    """The market's rules and views."""

    @invariant()
    def the_restored_world_is_the_same(self) -> None:
        put_through_json(self.relay)


class SavedRequestMachine(RequestMachine):
    """The rules and views of requests, blocks and NFTs."""

    @invariant()
    def the_restored_world_is_the_same(self) -> None:
        put_through_json(self.relay)


TestSavedMarket = SavedMarketMachine.TestCase
TestSavedMarket.settings = effort(max_examples=8, steps=20)
TestSavedRequests = SavedRequestMachine.TestCase
TestSavedRequests.settings = effort(max_examples=8, steps=20)
