"""Coverage in words: a short text for the end of a test run, a whole one for a file, and cases for CI."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from mockrelay.report.coverage import Coverage
from mockrelay.report.coverage_items import Item, Kind, outside
from mockrelay.report.coverage_views import Tally, limits_outside, share, tallies, view_of
from mockrelay.report.how_to_reach import Reach
from mockrelay.report.junit import junit
from mockrelay.report.report_finding import Case
from mockrelay.report.thresholds import Floor, missed

WIDTH = 120
SUITE = "mockrelay coverage"
GROUP = "mockrelay.coverage"
"""What the class names of the cases in JUnit start with."""
_NEVER = {
    Kind.PAIRS: "codes never met, at the endpoints that were called:",
    Kind.FIELDS: "never sent, to the endpoints that were called:",
    Kind.TRANSITIONS: "moves never seen:",
    Kind.OPTIONS: "readings never met, of the choices that were consulted:",
}
_HEADS = {
    Reach.NATURAL: "what a client comes to by what it sends, and by what the relayer's world is like:",
    Reach.CHOICE: "what takes another reading:",
    Reach.SCRIPTED: "what takes a script:",
}


def summary_of(coverage: Coverage) -> str:
    """How much of each kind was met, and the names of what was not."""
    told = tallies(coverage)
    by_kind = {tally.kind: tally for tally in told}
    lines = [*_table(told), ""]
    called = {item.name for item in by_kind[Kind.ENDPOINTS].met}
    lines += _line("never called", (item.name for item in by_kind[Kind.ENDPOINTS].missing))
    failed = (item.name for item in by_kind[Kind.SUCCESSES].missing if item.name in called)
    lines += _line("called, and never answered with success", failed)
    lines += _listed(by_kind[Kind.PAIRS], called)
    lines += _listed(by_kind[Kind.FIELDS], called)
    lines += _listed(by_kind[Kind.TRANSITIONS], None)
    consulted = {item.of for item in by_kind[Kind.OPTIONS].met}
    lines += _listed(by_kind[Kind.OPTIONS], consulted)
    never = {item.of for item in by_kind[Kind.OPTIONS].missing} - consulted
    lines += _line("choices never consulted", [str(len(never))] if never else [])
    unlimited = (item.name for item in by_kind[Kind.LIMITS].missing if item.name in called)
    lines += _line("called, and never above the rate limit", unlimited)
    beside = [f"{endpoint} {code}" for endpoint, code in outside(coverage)]
    lines += _line("met, though the spec does not list it", beside)
    lines += _line("rate limits reached that the spec does not show", limits_outside(coverage))
    return "\n".join(lines).rstrip() + "\n"


def text_of(coverage: Coverage) -> str:
    """The same, and how each thing that is missing can be reached."""
    told = tallies(coverage)
    uncalled = {item.name for item in told[0].missing}
    missing = [
        (tally.kind, item)
        for tally in told
        for item in tally.missing
        # Where an endpoint was never called, that says it.
        if tally.kind not in (Kind.SUCCESSES, Kind.FIELDS) or item.of not in uncalled
    ]
    lines = []
    for reach, head in _HEADS.items():
        ways = [f"  {_told(kind, item)}" for kind, item in missing if item.way.reach is reach]
        lines += ["", head, *ways] if ways else []
    return summary_of(coverage) + "\n".join([*lines, ""])


def told_of(coverage: Coverage, form: str, floors: Iterable[Floor] = ()) -> str:
    """In one of `FORMS`; floors have cases in JUnit."""
    if form == "junit":
        return junit(SUITE, cases_of(coverage, floors))
    if form == "json":
        return json.dumps(view_of(coverage), indent=2) + "\n"
    return summary_of(coverage) if form == "text" else text_of(coverage)


def cases_of(coverage: Coverage, floors: Iterable[Floor] = ()) -> Iterator[Case]:
    """A case for each thing to meet, skipped where it is missing, and one for each floor, failed where it is missed."""
    for tally in tallies(coverage):
        for item in tally.met:
            yield Case(f"{GROUP}.{tally.kind}.{item.of}", item.name)
        for item in tally.missing:
            yield Case(f"{GROUP}.{tally.kind}.{item.of}", item.name, skipped=f"never met; {_way(item)}")
    floors = list(floors)
    reasons = dict(missed(coverage, floors))
    for floor in floors:
        yield Case(f"{GROUP}.fail-under", floor.told, failure=reasons.get(floor))


def _table(told: Sequence[Tally]) -> Iterator[str]:
    rows = [(tally.kind.value, len(tally.met), tally.of) for tally in told]
    rows.append(("all", sum(met for _, met, _ in rows), sum(of for _, _, of in rows)))
    for name, met, of in rows:
        yield f"{name:<12} {met:>4} of {of:>4} {share(met, of):>7.1f} %"


def _listed(tally: Tally, groups: set[str] | None) -> Iterator[str]:
    """What is missing by what it belongs to; only of these groups. Where nothing of a group was met it is said in a
    word.
    """
    met = {item.of for item in tally.met}
    missing: dict[str, list[str]] = {}
    for item in tally.missing:
        if groups is None or item.of in groups:
            missing.setdefault(item.of, []).append(_short(tally.kind, item))
    if missing:
        yield _NEVER[tally.kind]
    for group, names in missing.items():
        none = groups is None and group not in met
        yield from _line(group, [f"none of {len(names)}"] if none else names, indent="  ")


def _short(kind: Kind, item: Item) -> str:
    if kind is Kind.PAIRS:
        return item.what.partition(" ")[0]
    return item.what.partition(" (")[0]


def _line(head: str, names: Iterable[str], indent: str = "") -> list[str]:
    told = ", ".join(names)
    if not told:
        return []
    return textwrap.wrap(
        f"{head}: {told}",
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _told(kind: Kind, item: Item) -> str:
    name = f"{item.of} {item.what}" if kind is Kind.PAIRS else item.name
    what = {
        Kind.ENDPOINTS: "never called",
        Kind.SUCCESSES: "no success",
        Kind.LIMITS: "its rate limit",
    }.get(kind)
    return f"{name}{f' ({what})' if what else ''}: {_way(item)}"


def _way(item: Item) -> str:
    way = item.way
    parts = [way.how]
    if way.choices is not None:
        parts.append(f"choices {json.dumps(dict(way.choices))}")
    if way.fault is not None:
        alone = way.reach is Reach.SCRIPTED
        parts.append(f"{'' if alone else 'or '}the fault {json.dumps(dict(way.fault))}")
    return "; ".join(parts)
