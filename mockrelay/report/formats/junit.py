"""Cases as JUnit XML, in the form that CI systems read: `testsuites` with one `testsuite` of `testcase`s."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from mockrelay.report.formats.characters import xml, xml_attribute


class Case(NamedTuple):
    """One check and its outcome: it passed where there is neither a failure nor a reason to skip it."""

    group: str
    """The `classname`."""
    name: str
    failure: str | None = None
    skipped: str | None = None


def junit(suite: str, cases: Iterable[Case]) -> str:
    """The document for these cases. All times are 0: the cases are not timed."""
    cases = list(cases)
    failures = sum(case.failure is not None for case in cases)
    skipped = sum(case.failure is None and case.skipped is not None for case in cases)
    counts = f'tests="{len(cases)}" failures="{failures}" errors="0" skipped="{skipped}" time="0"'
    name = xml_attribute(suite)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<testsuites name={name} {counts}>",
        f"  <testsuite name={name} {counts}>",
    ]
    for case in cases:
        lines += _case(case)
    return "\n".join([*lines, "  </testsuite>", "</testsuites>", ""])


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
