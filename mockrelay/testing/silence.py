"""What must not pass in silence: calls to nowhere, failures of ours, faults that were armed for nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from mockrelay.client.control import Control
from mockrelay.spec.lint_rules import FOREIGN_PATH
from mockrelay.suggest import nearest

PROBLEMS = ("unknown_path", "inner_failure", "unfired_fault", "record_failed")
FINDING = "finding"
EVERYTHING = "all"


def checked_allow(allow: str | Iterable[str]) -> frozenset[str]:
    """The kinds of problem that may pass. Raises ValueError, with what was meant, for one that does not exist."""
    kinds = [allow] if isinstance(allow, str) else list(allow)
    known = (*PROBLEMS, FINDING, EVERYTHING)
    for kind in kinds:
        if kind not in known:
            raise ValueError(f"allow: there is no kind {kind!r}; meant: {nearest(str(kind), known)}")
    return frozenset(known if EVERYTHING in kinds else kinds)


def unheard(control: Control, *, strict: bool = False, allow: Collection[str] = ()) -> list[str]:
    """A sentence for everything that a test must hear of."""
    sentences = []
    if not all(kind in allow for kind in PROBLEMS):
        sentences = [sentence(problem) for problem in control("GET", "problems") if problem["kind"] not in allow]
    if strict and FINDING not in allow:
        # What reached no endpoint is a problem, which is told above or was let pass.
        for finding in (each for each in control("GET", "findings") if each["rule"] != FOREIGN_PATH.id):
            about = finding["request"] or finding["source"]
            sentences.append(f"{FINDING} [{about}]: {finding['rule']}: {finding['detail']}")
    return sentences


def sentence(problem: Mapping[str, Any]) -> str:
    """A problem: its kind, the request, the reason, and what was meant."""
    asked = f" [{problem['request']}]" if problem["request"] else ""
    meant = f"; meant: {problem['meant']}" if problem["meant"] else ""
    return f"{problem['kind']}{asked}: {problem['reason']}{meant}"


def told(sentences: Collection[str]) -> str:
    """What the failure of a test says of them."""
    lines = "\n".join(f"  {one}" for one in sentences)
    return f"what the relayer met and no assertion asked for:\n{lines}\n(what may pass is named by `allow`)"
