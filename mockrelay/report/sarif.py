"""Remarks as SARIF 2.1.0 (OASIS, with errata 01): one run of one tool, whose rules are listed whether broken or not.

A remark is about a call and not about a line of a file. So its place is the path that was called, relative to the base
address of the relayer, which the log leaves open; method and target stand in `webRequest`.

Readers of many logs tell an old finding from a new one by its fingerprint. It is made of the rule, the method, the path and
the field, and of nothing that is another in each run: no value, no query, no id and no world.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote

from mockrelay._version import __version__
from mockrelay.report.characters import text
from mockrelay.report.report_finding import LEVELS, Remark, Rule, called

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
VERSION = "2.1.0"
TOOL = "mockrelay"
BASE = "RELAYER"
_IN_PATH = "/%:@!$&'()*+,;=~-._"
FINGERPRINTS = ("ruleCallField/v1", "primaryLocationLineHash")
"""The names of the fingerprint: ours, and the only one that GitHub reads."""
_FIELD = re.compile(r"(?:[A-Za-z][\w.]*(?:\[\d+\][\w.]*)*: )*", re.ASCII)
"""The endpoint and the field that a reason begins with, if it is about one."""
_INDEX = re.compile(r"\[\d+\]", re.ASCII)
_STRAY_PERCENT = re.compile("%(?![0-9A-Fa-f]{2})")


def sarif(tool_rules: Sequence[Rule], remarks: Iterable[Remark], kind: str = "findings") -> str:
    """The log for these remarks. A rule that is not among the tool's is listed behind them. `kind` tells runs apart that
    look for different things: each replaces the earlier ones of its kind.
    """
    rules = list(tool_rules)
    places = {rule.id: index for index, rule in enumerate(rules)}
    results = []
    for remark in remarks:
        if remark.rule.id not in places:
            places[remark.rule.id] = len(rules)
            rules.append(remark.rule)
        results.append(_result(remark, places[remark.rule.id]))
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


def _result(remark: Remark, index: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": remark.rule.id,
        "ruleIndex": index,
        "level": _level(remark.rule),
        "message": {"text": text(remark.finding.detail) or remark.rule.title},
        "partialFingerprints": dict.fromkeys(FINGERPRINTS, _fingerprint(remark)),
    }
    method, _, target = remark.asked.partition(" ")
    if target.startswith("/"):
        result["locations"] = [_location(target, text(called(remark)))]
        result["webRequest"] = {"method": text(method), "target": text(target)}
    elif remark.asked:
        result["locations"] = [{"logicalLocations": [{"fullyQualifiedName": text(remark.asked)}]}]
    known = (("request", remark.finding.request), ("source", text(remark.finding.source)), ("world", remark.world))
    properties = {name: value for name, value in known if value}
    return result | ({"properties": properties} if properties else {})


def _fingerprint(remark: Remark) -> str:
    field = _FIELD.match(remark.finding.detail)
    parts = [remark.rule.id, called(remark), _INDEX.sub("", field[0]) if field else ""]
    return hashlib.sha256(text("\n".join(parts)).encode()).hexdigest()[:32]


def _location(target: str, call: str) -> dict[str, Any]:
    path = target.partition("?")[0].partition("#")[0]
    steps = [step for step in path.split("/") if step not in ("", ".", "..")]
    uri = quote(_STRAY_PERCENT.sub("%25", text("/".join(steps))), safe=_IN_PATH)
    # No colon in the first step, which would read as the scheme of an absolute address.
    first, slash, rest = uri.partition("/")
    uri = first.replace(":", "%3A") + slash + rest
    return {
        "physicalLocation": {"artifactLocation": {"uri": uri or ".", "uriBaseId": BASE}},
        "logicalLocations": [{"fullyQualifiedName": call}],
    }


def _level(rule: Rule) -> str:
    """The rule's level, or `none`, the word of SARIF for what has no such weight."""
    return rule.level if rule.level in LEVELS else "none"
