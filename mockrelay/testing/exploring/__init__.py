"""A client's test under every relayer that the spec allows: `@explore()` over a test that takes `relayer`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from hypothesis import note
from hypothesis import strategies as st

from mockrelay.core.units import moment_text
from mockrelay.testing.exploring.deviations import Plan
from mockrelay.testing.exploring.drawing import Limits, plans
from mockrelay.testing.exploring.running import explore
from mockrelay.testing.exploring.watching import Seen
from mockrelay.testing.exploring.writing import Base

if TYPE_CHECKING:
    from mockrelay.testing.relayer import RelayerHandle


_LIMITS = Limits()


@st.composite
def explored(
    draw: st.DrawFn,
    relayer: RelayerHandle,
    *,
    calls: Mapping[str, int],
    kinds: frozenset[str] = frozenset(),
    limits: Limits = _LIMITS,
) -> RelayerHandle:
    """The relayer (of this process), started anew with every decision drawn: for tests that draw other things too.

    `calls` says how many calls of which endpoints trouble may befall, `kinds` of which requests the pace is drawn. All
    choices are drawn unless `limits` says which. A failing example tells its plan and the scenario that repeats it.
    """
    seen = Seen()
    state = relayer.control("GET", "state")
    seen.keys = set(state["choices"])
    seen.calls, seen.kinds = dict(calls), set(kinds)
    relayer.reset()
    base = Base(relayer.relay.scenario, {})
    plan = draw(plans(seen, limits, relayer.control("GET", "state")["choices"]))
    clock = {"rate": 0, "start": moment_text(relayer.clock.now_ms)}
    relayer.reset(scenarioText=base.text(plan), clock=clock)
    note(f"{plan.sentence}\n{base.text(plan)}")
    return relayer


__all__ = ["Limits", "Plan", "explore", "explored"]
