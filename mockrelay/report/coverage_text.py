"""Coverage as text: a summary for the end of a test run, a full text for a file, and JUnit cases for CI."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from mockrelay.report.coverage import Coverage
from mockrelay.report.coverage_items import Item, ItemKind, unlisted_pairs
from mockrelay.report.coverage_views import Tally, coverage_view, percentage, profiles_view, tallies, unlisted_limits
from mockrelay.report.formats.junit import Case, junit
from mockrelay.report.how_to_reach import Means
from mockrelay.report.thresholds import Threshold, shortfalls

FORMS = ("text", "text-missing", "json", "junit")
"""The forms of coverage: a summary, the same with how to reach what is missing, the view as JSON, JUnit's XML."""
WIDTH = 120
SUITE = "mockrelay coverage"
GROUP = "mockrelay.coverage"
"""What the class names of the cases in JUnit start with."""
_MISSING_HEADS = {
    ItemKind.PAIRS: "codes never met, at the endpoints that were called:",
    ItemKind.FIELDS: "never sent, to the endpoints that were called:",
    ItemKind.TRANSITIONS: "transitions never met:",
    ItemKind.OPTIONS: "options never met, of the choices that were consulted:",
}
_MEANS_HEADS = {
    Means.NATURAL: "what a client reaches by what it sends and by the state of the exchange:",
    Means.CHOICE: "what takes another option of a choice:",
    Means.SCRIPTED: "what takes a fault or a command:",
}


def format_coverage(coverage: Coverage, form: str, thresholds: Iterable[Threshold] = ()) -> str:
    """The coverage in one of `FORMS`; in JUnit each threshold is a case too, and each profile that was met a suite."""
    if form == "junit":
        return junit(SUITE, coverage_cases(coverage, thresholds), profile_cases(coverage))
    if form == "json":
        return json.dumps(coverage_view(coverage), indent=2) + "\n"
    return coverage_summary(coverage) if form == "text" else coverage_text(coverage)


def coverage_summary(coverage: Coverage) -> str:
    """How much of each kind is covered, and the names of what is missing."""
    by_kind = {tally.kind: tally for tally in tallies(coverage)}
    lines = [*_table(list(by_kind.values())), ""]
    called = {item.name for item in by_kind[ItemKind.ENDPOINTS].covered}
    lines += _wrapped("never called", (item.name for item in by_kind[ItemKind.ENDPOINTS].missing))
    failed = (item.name for item in by_kind[ItemKind.SUCCESSES].missing if item.name in called)
    lines += _wrapped("called, and never answered with success", failed)
    lines += _missing_lines(by_kind[ItemKind.PAIRS], called)
    lines += _missing_lines(by_kind[ItemKind.FIELDS], called)
    lines += _missing_lines(by_kind[ItemKind.TRANSITIONS], None)
    consulted = {item.group for item in by_kind[ItemKind.OPTIONS].covered}
    lines += _missing_lines(by_kind[ItemKind.OPTIONS], consulted)
    never = {item.group for item in by_kind[ItemKind.OPTIONS].missing} - consulted
    lines += _wrapped("choices never consulted", [str(len(never))] if never else [])
    unlimited = (item.name for item in by_kind[ItemKind.LIMITS].missing if item.name in called)
    lines += _wrapped("called, and never above the rate limit", unlimited)
    unlisted = [f"{endpoint} {code}" for endpoint, code in unlisted_pairs(coverage)]
    lines += _wrapped("met, though the spec does not list it", unlisted)
    lines += _wrapped("rate limits reached that the spec does not show", unlisted_limits(coverage))
    if coverage.profile_answers:
        lines += _profile_lines(coverage)
    return "\n".join(lines).rstrip() + "\n"


def _profile_lines(coverage: Coverage) -> Iterator[str]:
    """The sum of each profile beside the spec, of which it is no part."""
    for name, view in profiles_view(coverage).items():
        rows, codes = view["rows"], view["codes"]
        yield ""
        yield (
            f"beside the spec, profile {name}: {len(rows['met'])} of {rows['of']} calls ({rows['share']} %), "
            f"{len(codes['met'])} of {codes['of']} codes ({codes['share']} %)"
        )
        yield from _wrapped("never called", rows["missing"])


def coverage_text(coverage: Coverage) -> str:
    """The summary, and how each missing item can be reached."""
    by_kind = tallies(coverage)
    uncalled = {item.name for item in by_kind[0].missing}
    missing = [
        (tally.kind, item)
        for tally in by_kind
        for item in tally.missing
        # That an endpoint was never called implies these.
        if tally.kind not in (ItemKind.SUCCESSES, ItemKind.FIELDS) or item.group not in uncalled
    ]
    lines = []
    for means, head in _MEANS_HEADS.items():
        recipes = [f"  {_recipe_line(kind, item)}" for kind, item in missing if item.recipe.means is means]
        lines += ["", head, *recipes] if recipes else []
    return coverage_summary(coverage) + "\n".join([*lines, ""])


def coverage_cases(coverage: Coverage, thresholds: Iterable[Threshold] = ()) -> Iterator[Case]:
    """A case for each item, skipped where it is missing, and for each threshold, failed where it is missed."""
    for tally in tallies(coverage):
        for item in tally.covered:
            yield Case(f"{GROUP}.{tally.kind}.{item.group}", item.name)
        for item in tally.missing:
            yield Case(f"{GROUP}.{tally.kind}.{item.group}", item.name, skipped=f"never met; {_recipe_text(item)}")
    thresholds = list(thresholds)
    reasons = dict(shortfalls(coverage, thresholds))
    for threshold in thresholds:
        yield Case(f"{GROUP}.fail-under", str(threshold), failure=reasons.get(threshold))


def profile_cases(coverage: Coverage) -> dict[str, list[Case]]:
    """By the name of its suite, the cases of each profile beside the spec: one for each of its calls, and one for each code
    of a call, skipped where it is missing. None where no such call was made.
    """
    if not coverage.profile_answers:
        return {}
    return {
        f"{SUITE}: profile {name}": [
            Case(f"{GROUP}.profile.{name}.{part}", item, skipped=None if item in view[part]["met"] else "never met")
            for part in ("rows", "codes")
            for item in (*view[part]["met"], *view[part]["missing"])
        ]
        for name, view in profiles_view(coverage).items()
    }


def _table(by_kind: Sequence[Tally]) -> Iterator[str]:
    rows = [(tally.kind.value, len(tally.covered), tally.total) for tally in by_kind]
    rows.append(("all", sum(covered for _, covered, _ in rows), sum(total for _, _, total in rows)))
    for name, covered, total in rows:
        yield f"{name:<12} {covered:>4} of {total:>4} {percentage(covered, total):>7.1f} %"


def _missing_lines(tally: Tally, groups: set[str] | None) -> Iterator[str]:
    """The missing items of these groups, a line a group. Without `groups`: of all, and a group with nothing covered
    gets its number of items only.
    """
    covered = {item.group for item in tally.covered}
    missing: dict[str, list[str]] = {}
    for item in tally.missing:
        if groups is None or item.group in groups:
            missing.setdefault(item.group, []).append(_short_label(tally.kind, item))
    if missing:
        yield _MISSING_HEADS[tally.kind]
    for group, labels in missing.items():
        is_untouched = groups is None and group not in covered
        yield from _wrapped(group, [f"none of {len(labels)}"] if is_untouched else labels, indent="  ")


def _short_label(kind: ItemKind, item: Item) -> str:
    return item.label.partition(" " if kind is ItemKind.PAIRS else " (")[0]


def _wrapped(head: str, names: Iterable[str], indent: str = "") -> list[str]:
    text = ", ".join(names)
    if not text:
        return []
    return textwrap.wrap(
        f"{head}: {text}",
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _recipe_line(kind: ItemKind, item: Item) -> str:
    name = f"{item.group} {item.label}" if kind is ItemKind.PAIRS else item.name
    what = {
        ItemKind.ENDPOINTS: "never called",
        ItemKind.SUCCESSES: "no success",
        ItemKind.LIMITS: "its rate limit",
    }.get(kind)
    return f"{name}{f' ({what})' if what else ''}: {_recipe_text(item)}"


def _recipe_text(item: Item) -> str:
    recipe = item.recipe
    parts = [recipe.how]
    if recipe.choices is not None:
        parts.append(f"choices {json.dumps(dict(recipe.choices))}")
    if recipe.fault is not None:
        only_way = recipe.means is Means.SCRIPTED
        parts.append(f"{'' if only_way else 'or '}the fault {json.dumps(dict(recipe.fault))}")
    return "; ".join(parts)
