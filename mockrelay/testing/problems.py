"""Problems and findings that fail a test: calls to unknown paths, failures of mockrelay, faults that did not fire."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from mockrelay.client.control import Control
from mockrelay.spec.lint_rules import BY_ID, FOREIGN_PATH, rule_of
from mockrelay.suggest import nearest

UNKNOWN_PATH = "unknown_path"
PROBLEMS = (UNKNOWN_PATH, "inner_failure", "unfired_fault", "callback_failed", "record_failed")
FINDING = "finding"
ALL = "all"
PER_RULE_MAX = 3
"""The number of findings of one rule that a failure shows."""


def allowed_kinds(allow: str | Iterable[str]) -> frozenset[str]:
    """The kinds of problem and the rules that `allow` names. Raises ValueError, with what was meant, for an unknown one."""
    kinds = [allow] if isinstance(allow, str) else list(allow)
    every_kind = (*PROBLEMS, FINDING, ALL, *BY_ID)
    for kind in kinds:
        if kind not in every_kind:
            raise ValueError(f"allow: there is no kind {kind!r}; meant: {nearest(str(kind), every_kind)}")
    # A call of a foreign path is a finding and a problem.
    also = (UNKNOWN_PATH,) if FOREIGN_PATH.id in kinds else ()
    return frozenset(every_kind if ALL in kinds else (*kinds, *also))


def unexpected_problems(control: Control, *, strict: bool = False, allow: Collection[str] = ()) -> list[str]:
    """A sentence for each problem, and for the findings of each rule that fails tests, under `strict` of every rule,
    unless `allow` has the kind or the rule.
    """
    sentences = []
    if not all(kind in allow for kind in PROBLEMS):
        sentences = [problem_text(problem) for problem in control("GET", "problems") if problem["kind"] not in allow]
    if FINDING not in allow:
        findings = [
            finding
            for finding in control("GET", "findings")
            if finding["rule"] not in allow and fails(finding["rule"], strict=strict)
        ]
        sentences += _finding_texts(findings)
    return sentences


def fails(rule_id: str, *, strict: bool) -> bool:
    """Whether a finding of a rule fails a test. A foreign path does so as the problem that it is too."""
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
    """The message of a test that fails for these; its first word is the kind of the first one, or its rule."""
    lines = "\n".join(sentences)
    kind = next(iter(sentences)).partition(" ")[0].rstrip(":")
    return f"{lines}\n(the relayer met this, and no assertion asked for it; a test may allow it: allow=[{kind!r}])"


def _finding_texts(findings: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    by_rule: dict[str, list[Mapping[str, Any]]] = {}
    for finding in findings:
        by_rule.setdefault(finding["rule"], []).append(finding)
    for rule, listed in by_rule.items():
        yield from map(finding_text, listed[:PER_RULE_MAX])
        if len(listed) > PER_RULE_MAX:
            yield f"{rule}: and {len(listed) - PER_RULE_MAX} more"
