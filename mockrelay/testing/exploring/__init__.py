"""A client's test under every relayer that the spec allows: `@explore()` over a test that takes `relayer`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING
from unittest import SkipTest

from hypothesis import note
from hypothesis import strategies as st

from mockrelay.core.units import moment_text
from mockrelay.testing.calling import relay_of
from mockrelay.testing.exploring.decisions_met import DecisionsMet
from mockrelay.testing.exploring.decorator import explore
from mockrelay.testing.exploring.deviations import Plan
from mockrelay.testing.exploring.plan_scenario import BaseScenario
from mockrelay.testing.exploring.plan_strategy import PlanLimits, draw_plans

if TYPE_CHECKING:
    from mockrelay.testing.relayer import RelayerHandle


_LIMITS = PlanLimits()


@st.composite
def explored(
    draw: st.DrawFn,
    relayer: RelayerHandle,
    *,
    calls: Mapping[str, int],
    kinds: frozenset[str] = frozenset(),
    limits: PlanLimits = _LIMITS,
) -> RelayerHandle:
    """The relayer (of this process), reset with every decision drawn: for tests that draw other values too.

    `calls` is the number of calls by endpoint that faults are drawn for, `kinds` the requests whose lifecycle is drawn. All
    choices are drawn unless `limits` names some. A failing example prints its plan and the scenario that repeats it.
    """
    limits.check()
    if relay_of(relayer) is None:
        raise SkipTest("explored draws the decisions of a relayer in this process, and this one is a world of a server")
    met = DecisionsMet()
    state = relayer.control("GET", "state")
    met.keys = set(state["choices"])
    met.calls, met.kinds = dict(calls), set(kinds)
    relayer.reset()
    base = BaseScenario(relayer.relay.scenario, {})
    plan = draw(draw_plans(met, limits, relayer.control("GET", "state")["choices"]))
    clock = {"rate": 0, "start": moment_text(relayer.clock.now_ms)}
    relayer.reset(scenario_text=base.text(plan), clock=clock)
    note(f"{base.sentence(plan)}\n{base.text(plan)}")
    return relayer


__all__ = ["Plan", "PlanLimits", "explore", "explored"]
