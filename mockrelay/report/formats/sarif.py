"""Findings as SARIF 2.1.0 (OASIS, with errata 01): one run of one tool, which lists all its rules.

A finding is about a call and not about a line of a file. So its location is the path that was called, relative to the base
address of the relayer, which the log leaves open; method and target are in `webRequest`.

Readers of several logs recognize a finding by its fingerprint. It consists of the rule, the method, the path and the field,
and of nothing that differs between runs: no value, query, id or world.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote

from mockrelay._version import __version__
from mockrelay.report.formats.characters import text
from mockrelay.report.report_finding import ReportFinding
from mockrelay.spec.lint_rules import LEVELS, Rule

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
VERSION = "2.1.0"
TOOL = "mockrelay"
BASE = "RELAYER"
_PATH_SAFE = "/%:@!$&'()*+,;=~-._"
FINGERPRINTS = ("ruleCallField/v1", "primaryLocationLineHash")
"""The names of the fingerprint: our own, and the only one that GitHub reads."""
_FIELD = re.compile(r"(?:[A-Za-z][\w.]*(?:\[\d+\][\w.]*)*: )*", re.ASCII)
"""The endpoint and the field that a detail starts with, if it is about a field."""
_INDEX = re.compile(r"\[\d+\]", re.ASCII)
_BARE_PERCENT = re.compile("%(?![0-9A-Fa-f]{2})")


def sarif(tool_rules: Sequence[Rule], findings: Iterable[ReportFinding], kind: str = "findings") -> str:
    """The log for these findings. A rule that is not one of `tool_rules` is listed behind them. `kind` separates runs that
    look for different things: a reader replaces the earlier run of the same kind.
    """
    rules = list(tool_rules)
    indexes = {rule.id: index for index, rule in enumerate(rules)}
    results = []
    for finding in findings:
        if finding.rule.id not in indexes:
            indexes[finding.rule.id] = len(rules)
            rules.append(finding.rule)
        results.append(_result(finding, indexes[finding.rule.id]))
    driver = {"name": TOOL, "semanticVersion": __version__, "rules": [_rule(rule) for rule in rules]}
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"{TOOL}/{kind}/"},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            BASE: {"description": {"text": "The base address of the relayer, or of the world that a result names."}}
        },
        "results": results,
    }
    return json.dumps({"$schema": SCHEMA, "version": VERSION, "runs": [run]}, indent=2) + "\n"


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": f"{rule.title} {rule.fix}".rstrip()},
        "help": {"text": rule.fix, "markdown": f"**{rule.title}**\n\n{rule.fix}".rstrip()},
        "defaultConfiguration": {"level": _level(rule)},
    }


def _result(finding: ReportFinding, index: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.rule.id,
        "ruleIndex": index,
        "level": _level(finding.rule),
        "message": {"text": text(finding.detail) or finding.rule.title},
        "partialFingerprints": dict.fromkeys(FINGERPRINTS, _fingerprint(finding)),
    }
    method, _, target = finding.asked.partition(" ")
    if target.startswith("/"):
        result["locations"] = [_location(target, text(finding.call))]
        result["webRequest"] = {"method": text(method), "target": text(target)}
    elif finding.asked:
        result["locations"] = [{"logicalLocations": [{"fullyQualifiedName": text(finding.asked)}]}]
    optional = (("request", finding.request), ("source", text(finding.source)), ("world", finding.world))
    properties = {name: value for name, value in optional if value}
    return result | ({"properties": properties} if properties else {})


def _fingerprint(finding: ReportFinding) -> str:
    field = _FIELD.match(finding.detail)
    parts = [finding.rule.id, finding.call, _INDEX.sub("", field[0]) if field else ""]
    return hashlib.sha256(text("\n".join(parts)).encode()).hexdigest()[:32]


def _location(target: str, call: str) -> dict[str, Any]:
    path = target.partition("?")[0].partition("#")[0]
    steps = [step for step in path.split("/") if step not in ("", ".", "..")]
    uri = quote(_BARE_PERCENT.sub("%25", text("/".join(steps))), safe=_PATH_SAFE)
    # A colon in the first step would read as the scheme of an absolute address.
    first, slash, rest = uri.partition("/")
    uri = first.replace(":", "%3A") + slash + rest
    return {
        "physicalLocation": {"artifactLocation": {"uri": uri or ".", "uriBaseId": BASE}},
        "logicalLocations": [{"fullyQualifiedName": call}],
    }


def _level(rule: Rule) -> str:
    """The rule's level; `none` where SARIF does not have it."""
    return rule.level if rule.level in LEVELS else "none"
