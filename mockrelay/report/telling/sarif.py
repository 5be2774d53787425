"""Remarks as SARIF 2.1.0 (OASIS, with errata 01): one run of one tool, whose rules are listed whether broken or not.

A remark is about a call and not about a line of a file. So its place is the path that was called, relative to the base
address of the relayer, which the log leaves open; method and target stand in `webRequest`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote

import mockrelay
from mockrelay.report.telling.remarks import LEVELS, Remark, Rule
from mockrelay.report.telling.words import text

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
VERSION = "2.1.0"
TOOL = "mockrelay"
BASE = "RELAYER"
_IN_PATH = "/%:@!$&'()*+,;=~-._"
_STRAY_PERCENT = re.compile("%(?![0-9A-Fa-f]{2})")


def sarif(tool_rules: Sequence[Rule], remarks: Iterable[Remark]) -> str:
    """The log for these remarks. A rule that is not among the tool's is listed behind them."""
    rules = list(tool_rules)
    places = {rule.id: index for index, rule in enumerate(rules)}
    results = []
    for remark in remarks:
        if remark.rule.id not in places:
            places[remark.rule.id] = len(rules)
            rules.append(remark.rule)
        results.append(_result(remark, places[remark.rule.id]))
    driver = {"name": TOOL, "semanticVersion": mockrelay.__version__, "rules": [_rule(rule) for rule in rules]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {BASE: {"description": {"text": "The base address of the relayer."}}},
        "results": results,
    }
    return json.dumps({"$schema": SCHEMA, "version": VERSION, "runs": [run]}, indent=2) + "\n"


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.title},
        "help": {"text": rule.fix},
        "defaultConfiguration": {"level": _level(rule)},
    }


def _result(remark: Remark, index: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": remark.rule.id,
        "ruleIndex": index,
        "level": _level(remark.rule),
        "message": {"text": text(remark.reason) or remark.rule.title},
    }
    method, _, target = remark.asked.partition(" ")
    if target.startswith("/"):
        result["locations"] = [_location(remark, target)]
        result["webRequest"] = {"method": text(method), "target": text(target)}
    elif remark.asked:
        result["locations"] = [{"logicalLocations": [{"fullyQualifiedName": text(remark.asked)}]}]
    known = (("request", remark.request), ("world", remark.world))
    properties = {name: value for name, value in known if value}
    return result | ({"properties": properties} if properties else {})


def _location(remark: Remark, target: str) -> dict[str, Any]:
    path = target.partition("?")[0].partition("#")[0]
    steps = [step for step in path.split("/") if step not in ("", ".", "..")]
    steps = ["w", remark.world, *steps] if remark.world else steps
    uri = quote(_STRAY_PERCENT.sub("%25", text("/".join(steps))), safe=_IN_PATH)
    # No colon in the first step, which would read as the scheme of an absolute address.
    first, slash, rest = uri.partition("/")
    uri = first.replace(":", "%3A") + slash + rest
    return {
        "physicalLocation": {"artifactLocation": {"uri": uri or ".", "uriBaseId": BASE}},
        "logicalLocations": [{"fullyQualifiedName": text(remark.asked)}],
    }


def _level(rule: Rule) -> str:
    """The rule's level, or `none`, the word of SARIF for what has no such weight."""
    return rule.level if rule.level in LEVELS else "none"
