"""The strategy of plans: each decision that was met, its default first."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from hypothesis import strategies as st

from mockrelay.spec.choices import DEFAULTS
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.testing.exploring.deviations import Deviation, Plan, Reading, Sooner, Trouble, options_of
from mockrelay.testing.exploring.troubles import SORT_NAMES, paces_of, troubles_of
from mockrelay.testing.exploring.watching import ASKED_KEYS, Seen


class Limits(NamedTuple):
    """What may be drawn."""

    faults: int = 1
    """How many calls may meet trouble in one run."""
    trouble: Collection[str] = SORT_NAMES
    """The sorts of trouble."""
    vary: Collection[str] | None = None
    """The choices that are drawn; None: all that are met, but for those that change what a client must sign."""
    keep: Collection[str] = ()
    """Choices that are left as they are."""
    paces: bool = True
    """Whether lifecycles are drawn."""
    deviations: bool = False
    """Whether readings against the letter of the spec are drawn too."""

    def check(self) -> None:
        """ValueError for a word that means nothing."""
        for given, known, what in (
            (self.trouble, SORT_NAMES, "trouble"),
            (self.vary or (), DEFAULTS, "vary"),
            (self.keep, DEFAULTS, "keep"),
        ):
            for word in given:
                if word not in known:
                    raise ValueError(f"{what}: {word!r} is not known; one of {', '.join(known)}")


@st.composite
def plans(draw: st.DrawFn, seen: Seen, limits: Limits, base: Mapping[str, str]) -> Plan:
    """Plans for a test that met these decisions in a world with these choices. The simplest one deviates in nothing."""
    found: list[Deviation] = []
    for key in sorted(seen.keys - ASKED_KEYS if limits.vary is None else seen.keys & set(limits.vary)):
        if key not in limits.keep:
            option = draw(st.sampled_from(options_of(key, base[key], deviations=limits.deviations)))
            found += [] if option == base[key] else [Reading(key, option)]
    for kind in sorted(seen.kinds) if limits.paces else ():
        pace = draw(st.sampled_from((None, *paces_of(kind))))
        found += [] if pace is None else [pace]
    for time, count in enumerate(seen.together):
        index = draw(st.integers(0, count - 1))
        found += [Sooner(time + 1, index)] if index else []
    groups = trouble_groups(seen, limits)
    if groups:
        one = st.sampled_from(groups).flatmap(st.sampled_from)
        troubles: list[Trouble] = draw(st.lists(one, max_size=limits.faults, unique_by=_call_of))
        found += troubles
    return Plan(tuple(found))


def _call_of(trouble: Trouble) -> tuple[str, int]:
    return trouble.endpoint, trouble.nth


def trouble_groups(seen: Seen, limits: Limits) -> list[list[Trouble]]:
    """The troubles that may befall the calls that were made, sort by sort, so that each sort is as likely."""
    names = frozenset(limits.trouble) if limits.faults else frozenset()
    groups: dict[str, list[Trouble]] = {name: [] for name in SORT_NAMES}
    # Those that change something first: they are where clients go wrong.
    for endpoint in sorted(seen.calls, key=lambda name: BY_NAME[name].method != "POST"):
        for nth in range(1, seen.calls[endpoint] + 1):
            for name, trouble in troubles_of(endpoint, nth, names):
                groups[name].append(trouble)
    return [group for group in groups.values() if group]
