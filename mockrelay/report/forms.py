"""A whole report, findings and problems, in every format."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from mockrelay.journal import ProblemKind
from mockrelay.report.coverage_text import format_coverage
from mockrelay.report.findings import Findings
from mockrelay.report.formats.github import annotation_lines
from mockrelay.report.formats.junit import Case, junit
from mockrelay.report.formats.markdown import markdown
from mockrelay.report.formats.sarif import sarif
from mockrelay.report.formats.text import findings_text, findings_view, total_text
from mockrelay.report.problems import Problems, ReportProblem
from mockrelay.report.report import Report
from mockrelay.report.report_finding import ReportFinding
from mockrelay.spec.lint_rules import LEVELS, PROBLEM_RULES, RULES, rule_of

GROUP = "mockrelay.findings"
"""The class name of the cases in JUnit."""
FORMS = ("text", "json", "junit", "sarif", "markdown", "github")
_ALL_RULES = (*RULES, *PROBLEM_RULES.values())


def format_report(findings: Findings, problems: Problems, form: str) -> str:
    """Findings and problems in one of `FORMS`."""
    if form == "json":
        view = findings_view(findings, findings.counts) | problems_view(problems)
        return json.dumps(view, indent=2) + "\n"
    others, other_counts = problems.as_findings()
    listed, counts = [*findings, *others], {**findings.counts, **other_counts}
    match form:
        case "text":
            return findings_text(listed, counts, total_of(findings, problems))
        case "junit":
            return junit("mockrelay findings", _cases(listed, counts))
        case "sarif":
            return sarif(_ALL_RULES, listed)
        case "markdown":
            return markdown(listed, counts, total_of(findings, problems))
        case "github":
            return annotation_lines(listed, counts, total_of(findings, problems))
    raise ValueError(f"{form!r} is none of {', '.join(FORMS)}")


def total_of(findings: Findings, problems: Problems) -> str:
    """The number of findings and of problems beside them: `3 findings, 1 other problem`."""
    return total_text(findings.total, sum(problems.as_findings()[1].values()))


def problems_view(problems: Problems) -> dict[str, Any]:
    """The problems as fields of the report in JSON."""
    return {
        "problemCounts": {kind.value: count for kind, count in sorted(problems.counts.items())},
        "problems": [problem.view() for problem in problems],
    }


def parse_report(text: str) -> tuple[Findings, Problems]:
    """The findings and problems of a report in JSON. Rules that the tables do not have keep their level. Raises ValueError."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"no JSON ({error}); meant: what `GET findings?format=json` answers") from None
    return report_from_view(value)


def report_from_view(value: Any) -> tuple[Findings, Problems]:
    """The findings and problems that a report in JSON stands for. Raises ValueError for any other value."""
    findings, problems = Findings(), Problems()
    try:
        listed = [_finding(each) for each in value["findings"]]
        findings.add_counted(listed, _counts(value["counts"], [finding.rule.id for finding in listed]))
        others = [_problem(each) for each in value.get("problems", [])]
        kinds = _counts(value.get("problemCounts", {}), [problem.kind for problem in others])
        problems.add_counted(others, {ProblemKind(kind): count for kind, count in kinds.items()})
    except (AttributeError, KeyError, TypeError, ValueError):
        meant = "what `GET findings?format=json` or `serve --output-dir` gives"
        raise ValueError(f"no report of findings; meant: {meant}") from None
    return findings, problems


def _counts(value: Any, listed: Iterable[str]) -> dict[str, int]:
    """The numbers by name, which are not smaller than those of what is listed. Raises ValueError."""
    least = Counter(listed)
    if value.keys() != least.keys() or any(type(value[name]) is not int or value[name] < least[name] for name in least):
        raise ValueError(value)
    return dict(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _finding(value: Any) -> ReportFinding:
    rule = rule_of(_text(value["rule"]))
    if not rule.fix:
        level = _text(value["level"])
        rule = rule._replace(level=LEVELS[LEVELS.index(level)], fix=_text(value["fix"]))
    request = None if value["request"] is None else _text(value["request"])
    detail, source, asked, world = (_text(value.get(name, "")) for name in ("detail", "source", "asked", "world"))
    return ReportFinding(rule, detail, request, source, asked, world)


def _problem(value: Any) -> ReportProblem:
    request = None if value["request"] is None else _text(value["request"])
    reason, meant, world = (_text(value.get(name, "")) for name in ("reason", "meant", "world"))
    return ReportProblem(ProblemKind(value["kind"]), request, reason, meant, world)


REPORT_FILES: Mapping[str, Callable[[Report], str]] = {
    "findings.txt": lambda report: format_report(report.findings, report.problems, "text"),
    "findings.json": lambda report: format_report(report.findings, report.problems, "json"),
    "findings.junit.xml": lambda report: format_report(report.findings, report.problems, "junit"),
    "findings.sarif": lambda report: format_report(report.findings, report.problems, "sarif"),
    "findings.md": lambda report: format_report(report.findings, report.problems, "markdown"),
    "coverage.txt": lambda report: format_coverage(report.coverage, "text-missing"),
    "coverage.json": lambda report: format_coverage(report.coverage, "json"),
    "coverage.junit.xml": lambda report: format_coverage(report.coverage, "junit"),
}
"""The files of a report, by name."""


def _cases(listed: Sequence[ReportFinding], counts: Mapping[str, int]) -> Iterator[Case]:
    """A case for each rule without findings, and for each call in each world with findings of a rule. Findings of
    level note skip their case, all others fail it.
    """
    by_rule: dict[str, list[ReportFinding]] = {rule.id: [] for rule in _ALL_RULES}
    for finding in listed:
        by_rule.setdefault(finding.rule.id, []).append(finding)
    for rule_id, of_rule in by_rule.items():
        if not of_rule:
            yield Case(GROUP, rule_id)
            continue
        rule = of_rule[0].rule
        omitted = counts[rule_id] - len(of_rule)
        for place, findings in _by_place(of_rule).items():
            # The place of findings that are not stored is unknown: the first case counts them.
            text = findings_text(findings, {rule_id: len(findings) + omitted})
            omitted = 0
            is_note = rule.level == "note"
            yield Case(GROUP, f"{rule_id}{place}", None if is_note else text, text if is_note else None)


def _by_place(findings: Sequence[ReportFinding]) -> Mapping[str, Sequence[ReportFinding]]:
    """The findings of a rule by call and world, as the end of a case's name."""
    places: dict[str, list[ReportFinding]] = {}
    for finding in findings:
        place = (f": {finding.call}" if finding.call else "") + (f" (world {finding.world})" if finding.world else "")
        places.setdefault(place, []).append(finding)
    return places
