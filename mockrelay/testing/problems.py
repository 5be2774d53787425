"""Problems and findings that fail a test: calls to unknown paths, failures of mockrelay, faults that never fired."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from mockrelay.client.control import Control
from mockrelay.spec.lint_rules import FOREIGN_PATH
from mockrelay.suggest import nearest

PROBLEMS = ("unknown_path", "inner_failure", "unfired_fault", "record_failed")
FINDING = "finding"
ALL = "all"


def allowed_kinds(allow: str | Iterable[str]) -> frozenset[str]:
    """The kinds of problem that `allow` names. Raises ValueError, with what was meant, for an unknown one."""
    kinds = [allow] if isinstance(allow, str) else list(allow)
    every_kind = (*PROBLEMS, FINDING, ALL)
    for kind in kinds:
        if kind not in every_kind:
            raise ValueError(f"allow: there is no kind {kind!r}; meant: {nearest(str(kind), every_kind)}")
    return frozenset(every_kind if ALL in kinds else kinds)


def unexpected_problems(control: Control, *, strict: bool = False, allow: Collection[str] = ()) -> list[str]:
    """A sentence for each problem, and where `strict` for each finding, whose kind is not in `allow`."""
    sentences = []
    if not all(kind in allow for kind in PROBLEMS):
        sentences = [problem_text(problem) for problem in control("GET", "problems") if problem["kind"] not in allow]
    if strict and FINDING not in allow:
        # A call to an unknown path is a problem, and so listed above, or allowed.
        for finding in (each for each in control("GET", "findings") if each["rule"] != FOREIGN_PATH.id):
            subject = finding["request"] or finding["source"]
            sentences.append(f"{FINDING} [{subject}]: {finding['rule']}: {finding['detail']}")
    return sentences


def problem_text(problem: Mapping[str, Any]) -> str:
    """A problem in a line: its kind, the request, the reason, and what was meant."""
    request = f" [{problem['request']}]" if problem["request"] else ""
    meant = f"; meant: {problem['meant']}" if problem["meant"] else ""
    return f"{problem['kind']}{request}: {problem['reason']}{meant}"


def failure_message(sentences: Collection[str]) -> str:
    """The message of a test that fails for these."""
    lines = "\n".join(f"  {one}" for one in sentences)
    return f"what the relayer met and no assertion asked for:\n{lines}\n(what may pass is named by `allow`)"
