"""The strategy that draws plans: for each decision that was met its default first."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from hypothesis import strategies as st

from mockrelay.spec.choices import BY_KEY
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.testing.exploring.decisions_met import CLIENT_CHOICES, DecisionsMet
from mockrelay.testing.exploring.deviations import (
    Deviation,
    EventOrderDeviation,
    FaultDeviation,
    OptionDeviation,
    Plan,
    options_of,
)
from mockrelay.testing.exploring.fault_deviations import FAULT_KINDS, fault_deviations, lifecycle_deviations


class PlanLimits(NamedTuple):
    """What a plan may contain."""

    faults: int = 1
    """The number of calls that may have a fault in one run."""
    trouble: Collection[str] = FAULT_KINDS
    """The kinds of faults."""
    vary: Collection[str] | None = None
    """The choices that are drawn; None: all that are met, but for those that change what a client must sign."""
    keep: Collection[str] = ()
    """Choices that are not drawn."""
    paces: bool = True
    """Whether lifecycles are drawn."""
    deviations: bool = False
    """Whether options that contradict the spec are drawn too."""

    def check(self) -> None:
        """Raise ValueError for a wrong value or an unknown word."""
        faults: Any = self.faults
        if not isinstance(faults, int) or isinstance(faults, bool) or faults < 0:
            raise ValueError(f"faults: found {faults!r}; meant: a whole number, 0 or more")
        lists: tuple[tuple[Any, Collection[str], str], ...] = (
            (self.trouble, FAULT_KINDS, "trouble"),
            (() if self.vary is None else self.vary, BY_KEY, "vary"),
            (self.keep, BY_KEY, "keep"),
        )
        for words, allowed, parameter in lists:
            if not isinstance(words, Collection) or isinstance(words, str):
                meant = f"a list of words, such as {[next(iter(allowed))]}"
                raise ValueError(f"{parameter}: found {words!r}; meant: {meant}")  # noqa: TRY004 - as for a wrong word
            for word in words:
                if word not in allowed:
                    raise ValueError(f"{parameter}: {word!r} is unknown; meant: one of {', '.join(allowed)}")


@st.composite
def draw_plans(draw: st.DrawFn, met: DecisionsMet, limits: PlanLimits, base: Mapping[str, str]) -> Plan:
    """Plans for a test that met these decisions in a world with these choices. The simplest one has no deviation."""
    deviations: list[Deviation] = []
    for key in _keys(met.keys, limits):
        option = draw(st.sampled_from(options_of(key, base[key], deviations=limits.deviations)))
        deviations += [] if option == base[key] else [OptionDeviation(key, option)]
    for kind in sorted(met.kinds) if limits.paces else ():
        lifecycle = draw(st.sampled_from((None, *lifecycle_deviations(kind))))
        deviations += [] if lifecycle is None else [lifecycle]
    for occasion, count in enumerate(met.event_counts):
        index = draw(st.integers(0, count - 1))
        deviations += [EventOrderDeviation(occasion + 1, index)] if index else []
    groups = fault_groups(met, limits)
    if groups:
        one = st.sampled_from(groups).flatmap(st.sampled_from)
        faults: list[FaultDeviation] = draw(st.lists(one, max_size=limits.faults, unique_by=_call_of))
        deviations += faults
    return Plan(tuple(deviations))


def single_deviations(met: DecisionsMet, limits: PlanLimits, base: Mapping[str, str]) -> Iterator[Deviation]:
    """Every deviation that `draw_plans` may draw, in the order of simplicity."""
    yield from option_deviations(met.keys, limits, base)
    for kind in sorted(met.kinds) if limits.paces else ():
        yield from lifecycle_deviations(kind)
    for occasion, count in enumerate(met.event_counts):
        yield from (EventOrderDeviation(occasion + 1, index) for index in range(1, count))
    for group in fault_groups(met, limits):
        yield from group


def option_deviations(met: AbstractSet[str], limits: PlanLimits, base: Mapping[str, str]) -> Iterator[OptionDeviation]:
    """The other options of those choices that are drawn."""
    for key in _keys(met, limits):
        others = options_of(key, base[key], deviations=limits.deviations)[1:]
        yield from (OptionDeviation(key, option) for option in others)


def _keys(met: AbstractSet[str], limits: PlanLimits) -> list[str]:
    """The choices that are drawn."""
    keys = met - CLIENT_CHOICES if limits.vary is None else met & set(limits.vary)
    return sorted(keys - set(limits.keep))


def _call_of(fault: FaultDeviation) -> tuple[str, int]:
    return fault.endpoint, fault.nth


def fault_groups(met: DecisionsMet, limits: PlanLimits) -> list[list[FaultDeviation]]:
    """The faults that the calls can have, grouped by kind so that each kind is equally likely."""
    names = frozenset(limits.trouble) if limits.faults else frozenset()
    groups: dict[str, list[FaultDeviation]] = {name: [] for name in FAULT_KINDS}
    # Submissions first: clients make most of their mistakes with them.
    for endpoint in sorted(met.calls, key=lambda name: BY_NAME[name].method != "POST"):
        for nth in range(1, met.calls[endpoint] + 1):
            for kind, fault in fault_deviations(endpoint, nth, names):
                groups[kind].append(fault)
    return [group for group in groups.values() if group]
