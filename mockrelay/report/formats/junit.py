"""Cases as JUnit XML, in the form that CI systems read: `testsuites` with a `testsuite` of `testcase`s, or several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from mockrelay.report.formats.characters import xml, xml_attribute


class Case(NamedTuple):
    """One check and its outcome: it passed where there is neither a failure nor a reason to skip it."""

    group: str
    """The `classname`."""
    name: str
    failure: str | None = None
    skipped: str | None = None


def junit(suite: str, cases: Iterable[Case], others: Mapping[str, Iterable[Case]] = MappingProxyType({})) -> str:
    """The document for these cases. `others`: the cases of further suites, which have counts of their own. All times are 0: the
    cases are not timed.
    """
    suites = {suite: list(cases)} | {name: list(own) for name, own in others.items()}
    every = [case for own in suites.values() for case in own]
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites name={xml_attribute(suite)} {_counts(every)}>"]
    for name, own in suites.items():
        lines.append(f"  <testsuite name={xml_attribute(name)} {_counts(own)}>")
        for case in own:
            lines += _case(case)
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>", ""])


def _counts(cases: list[Case]) -> str:
    """How many cases there are, and what became of them, as attributes."""
    failures = sum(case.failure is not None for case in cases)
    skipped = sum(case.failure is None and case.skipped is not None for case in cases)
    return f'tests="{len(cases)}" failures="{failures}" errors="0" skipped="{skipped}" time="0"'


def _case(case: Case) -> Iterator[str]:
    opening = f'    <testcase classname={xml_attribute(case.group)} name={xml_attribute(case.name)} time="0"'
    if case.failure is not None:
        # Readers show both, one below the other.
        summary, _, details = case.failure.partition("\n")
        yield f"{opening}>"
        yield f'      <failure message={xml_attribute(summary)} type="failure">{xml(details)}</failure>'
        yield "    </testcase>"
    elif case.skipped is not None:
        yield f"{opening}>"
        yield f"      <skipped message={xml_attribute(case.skipped)}/>"
        yield "    </testcase>"
    else:
        yield f"{opening}/>"
