"""Problems and findings that fail a test: calls to unknown paths, failures of mockrelay, faults that did not fire."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from mockrelay.client.control import Control
from mockrelay.spec.lint_rules import BY_ID, FOREIGN_PATH, rule_of
from mockrelay.suggest import nearest
from mockrelay.testing.record import Record

if TYPE_CHECKING:
    from mockrelay.relay import Relay

UNKNOWN_PATH = "unknown_path"
PROBLEMS = (UNKNOWN_PATH, "inner_failure", "unfired_fault", "callback_failed", "record_failed")
FINDING = "finding"
ALL = "all"
PAST_FINDINGS_MAX = 100
"""The number of findings of earlier states that a handle keeps."""
PER_RULE_MAX = 3
"""The number of findings of one rule that a failure shows."""


def allowed_kinds(allow: str | Iterable[str]) -> frozenset[str]:
    """The kinds of problem and the rules that `allow` names. Raises ValueError, with what was meant, for an unknown one."""
    kinds = [allow] if isinstance(allow, str) else list(allow)
    every_kind = (*PROBLEMS, FINDING, ALL, *BY_ID)
    for kind in kinds:
        if kind not in every_kind:
            raise ValueError(f"allow: there is no kind {kind!r}; meant: {nearest(str(kind), every_kind)}")
    # A call of a foreign path is both a finding and a problem.
    also = (UNKNOWN_PATH,) if FOREIGN_PATH.id in kinds else ()
    return frozenset(every_kind if ALL in kinds else (*kinds, *also))


def unexpected_problems(control: Control, allow: Collection[str]) -> list[str]:
    """A sentence for each problem, unless `allow` has the kind."""
    if all(kind in allow for kind in PROBLEMS):
        return []
    return [problem_text(problem) for problem in control("GET", "problems") if problem["kind"] not in allow]


def unexpected_findings(findings: Iterable[Mapping[str, Any]], allow: Collection[str], *, strict: bool) -> list[str]:
    """A sentence for each finding of a rule that fails tests (under `strict` each rule does), unless `allow` has the rule or
    all findings.
    """
    return [
        finding_text(finding)
        for finding in findings
        if not {FINDING, finding["rule"]} & set(allow) and fails(finding["rule"], strict=strict)
    ]


def is_quiet(relay: Relay) -> bool:
    """Whether a relay has no problems and no findings that fail a test by themselves."""
    return not relay.problems() and not any(fails(finding.rule, strict=False) for finding in relay.world.findings)


def newest_findings(past: list[Record], present: list[Record]) -> list[Record]:
    """The findings of earlier states and, after them, the present ones that are not among them; at most
    PAST_FINDINGS_MAX, the newest.
    """
    return [*past, *(finding for finding in present if finding not in past)][-PAST_FINDINGS_MAX:]


def fails(rule_id: str, *, strict: bool) -> bool:
    """Whether a finding of a rule fails a test. Not that of a foreign path, which is also a problem and fails the test as one."""
    return rule_id != FOREIGN_PATH.id and (strict or rule_of(rule_id).fails)


def finding_text(finding: Mapping[str, Any]) -> str:
    """A finding in a line: its rule, the call, what was done, and what to do instead."""
    return f"{finding['rule']} [{finding['request'] or finding['source']}]: {finding['detail']}; fix: {finding['fix']}"


def problem_text(problem: Mapping[str, Any]) -> str:
    """A problem in a line: its kind, the request, the reason, and what was meant."""
    request = f" [{problem['request']}]" if problem["request"] else ""
    meant = f"; meant: {problem['meant']}" if problem["meant"] else ""
    return f"{problem['kind']}{request}: {problem['reason']}{meant}"


def failure_message(sentences: Collection[str]) -> str:
    """The message of a test that fails for these, with the first few of each rule; its first word is the kind of the first
    one, or its rule.
    """
    by_kind: dict[str, list[str]] = {}
    for sentence in sentences:
        by_kind.setdefault(sentence.partition(" ")[0].rstrip(":"), []).append(sentence)
    lines: list[str] = []
    for kind, listed in by_kind.items():
        shown = listed[:PER_RULE_MAX] if kind in BY_ID else listed
        lines += shown
        if len(listed) > len(shown):
            lines.append(f"{kind}: and {len(listed) - len(shown)} more")
    text, kind = "\n".join(lines), next(iter(by_kind))
    return f"{text}\n(the relayer met this, and no assertion asked for it; a test may allow it: allow=[{kind!r}])"
