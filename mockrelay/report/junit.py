"""Cases as JUnit's XML, in the form that CI systems read: `testsuites` over one `testsuite` over its `testcase`s."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mockrelay.report.characters import xml, xml_attribute
from mockrelay.report.report_finding import Case


def junit(suite: str, cases: Iterable[Case]) -> str:
    """The document for these cases. A case's group is its `classname`; times are 0, since nothing here is timed."""
    kept = list(cases)
    failures = sum(case.failure is not None for case in kept)
    skipped = sum(case.failure is None and case.skipped is not None for case in kept)
    counts = f'tests="{len(kept)}" failures="{failures}" errors="0" skipped="{skipped}" time="0"'
    name = xml_attribute(suite)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<testsuites name={name} {counts}>",
        f"  <testsuite name={name} {counts}>",
    ]
    for case in kept:
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
