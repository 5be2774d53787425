"""Drawn API and control calls in one world: every answer in shape, no refusal with an effect, no money lost or made."""

from __future__ import annotations

from collections import Counter

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from mockrelay.clock import ClockState
from mockrelay.control import ROUTES, handle_control
from mockrelay.recording.snapshots import Snapshot
from mockrelay.relay import Relay
from mockrelay.wire.http import RawRequest
from tests.conformance.test_any_call import requests
from tests.control.test_any_command import NOT_ASKED, acts
from tests.relay.changes import script
from tests.support.answer_shapes import is_healthy, is_misuse, is_refusal, settled, settled_whole
from tests.support.client import done
from tests.support.views import assert_money_is_conserved
from tests.support.worlds import world

EXAMPLES = 200
"""Of one seed: a world is begun anew with each, so that none grows without end."""
CALLS_MAX = 12
"""In a row, before the world is put back."""


def run(size: int, first_seed: int) -> str:
    """At least `size` calls."""
    relay = world()
    script(relay)
    counts: Counter[str] = Counter()
    number = first_seed
    while counts.total() < size:
        _calls(relay, counts, number, min(EXAMPLES, size))
        number += 1
    refused = counts["API refused"] + counts["control refused"]
    return f"{counts.total():,} calls, {refused:,} of them refused, 0 server errors, money conserved after every row"


def _calls(relay: Relay, counts: Counter[str], number: int, examples: int) -> None:
    start = relay.world.clone()
    routes = [route for route in ROUTES if route.path not in NOT_ASKED]

    @seed(number)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(data=st.data())
    def row(data: st.DataObject) -> None:
        # Not by a snapshot of the relayer's own: a drawn call may replace it.
        relay.restore(Snapshot(start.clone(), ClockState(start.now_ms, 0), relay.scenario))
        kind, before = "", ""
        for _ in range(data.draw(st.integers(1, CALLS_MAX))):
            last, kind = kind, data.draw(st.sampled_from(["API", "control"]))
            if kind == "API":
                before = before if kind == last else settled(relay)
                refused = is_refusal(relay.handle(data.draw(requests(relay).filter(_is_http)), relay.now_ms()))
                after = settled(relay)
            else:
                before = before if kind == last else settled_whole(relay)
                refused = is_misuse(handle_control(relay, *data.draw(acts(relay, routes))))
                if relay.clock.rate:
                    done(relay, "POST", "clock", {"rate": 0})
                    refused = False
                after = settled_whole(relay)
            assert not refused or after == before, "a refused call changed the world"
            counts[f"{kind} refused" if refused else f"{kind} done"] += 1
            before = after
        assert is_healthy(relay)
        assert_money_is_conserved(done(relay, "GET", "state"))

    row()


def _is_http(raw: RawRequest) -> bool:
    """Whether a request can come over HTTP, whose targets never decode to half a surrogate pair."""
    text = f"{raw.method}{raw.raw_target}{raw.headers}"
    return text.encode(errors="ignore").decode() == text
