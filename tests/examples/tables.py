"""The tables of the README and the guide that are derived from the product's own tables."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from mockrelay.openapi.calls import control_calls
from mockrelay.report.how_to_reach import Means, Recipe, recipe_of_code
from mockrelay.scenario import description, shipped
from mockrelay.spec.choices import CHOICES
from mockrelay.spec.choices.live import LIVE_CHOICES
from mockrelay.spec.codes import SPEC_CODES, Code
from mockrelay.spec.endpoint import LIVE, KeyHeader
from mockrelay.spec.endpoints import ENDPOINTS
from mockrelay.spec.fault_effects import EFFECTS, FaultEffect
from mockrelay.spec.lint_rules import RULES
from mockrelay.spec.live_endpoints import LIVE_ENDPOINTS
from mockrelay.spec.profiles import PROFILES
from mockrelay.spec.sockets import TOPICS, SocketCode
from tests.examples.wishes.listing import wishes
from tests.live.conflicts import CONFLICTS

_SECTION = re.compile(r" \((?:Conventions|spec §)[^)]*\)")


def tables() -> dict[str, str]:
    """The tables by the names of their regions."""
    return {
        "scenarios": _scenarios(),
        "control": _control(),
        "faults": _faults(),
        "endpoints": _endpoints(),
        "codes": _codes(),
        "limits": _limits(),
        "live_endpoints": _live_endpoints(),
        "live_options": _live_options(),
        "live_choices": _live_choices(),
        "live_changes": _live_changes(),
        "ws_topics": _ws_topics(),
        "ws_codes": table(("code", "meaning"), [(str(int(code)), code.meaning) for code in SocketCode]),
        "choices": _choices(),
        "rules": _rules(),
        **wishes(),
    }


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A Markdown table."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _endpoints() -> str:
    keys = {KeyHeader.REQUIRED: "key", KeyHeader.NOT_LISTED: "", KeyHeader.NOT_SHOWN: "(key)"}
    rows = []
    for row in ENDPOINTS:
        signature = f"{row.signature} signature" if row.signature else ""
        headers = ", ".join(word for word in (keys[row.key], signature) if word)
        limit = "" if row.per_second is None else str(row.per_second)
        rows.append((f"`{row.name}`", f"`{row.method} {row.path}`", headers, limit))
    return table(("name", "call", "headers", "a second"), rows)


def _live_endpoints() -> str:
    names = {
        row.id: f"`{row.name}`" if row.upgrades else f"[`{row.id}`](live-reference.md#{row.id})"
        for row in LIVE_ENDPOINTS
    }
    rows = [(row.section, names[row.id], f"`{row.method} {row.path}`") for row in LIVE_ENDPOINTS]
    return table(("id", "name", "call"), rows)


def _live_options() -> str:
    options = PROFILES[LIVE].options
    rows = [
        (f"`{choice.key}`", f"`{choice.default}`", f"`{options[choice.key]}`")
        for choice in CHOICES
        if choice.key in options
    ]
    return table(("choice", "`spec`", "`live`"), rows)


def _ws_topics() -> str:
    rows = []
    for topic in TOPICS.values():
        parameters = [f"`{name}`" for name in topic.required] + [f"`{name}?`" for name in topic.optional]
        name = f"`{topic.name}`" + (", with a key" if topic.with_key else "")
        rows.append((name, ", ".join(parameters), topic.sent, topic.data, str(int(topic.code))))
    return table(("topic", "parameters", "pushed", "data", "code"), rows)


def _live_choices() -> str:
    rows = []
    for choice in LIVE_CHOICES:
        first, *others = (f"`{option}`" for option in choice.options)
        rows.append((f"`{choice.key}`", f"**{first}**, {', '.join(others)}", choice.spec_says, choice.why))
    return table(("choice", "options", "what it is about", "why the first"), rows)


def _live_changes() -> str:
    return table(("id", "what", "`spec`", "`live`"), CONFLICTS)


def _scenarios() -> str:
    return table(("name", "the situation"), [(f"`{name}`", description(name)) for name in shipped()])


def _control() -> str:
    rows = []
    for call in control_calls():
        fields = "a record" if call.fields is None else ", ".join(f"`{field}`" for field in call.fields)
        # Their own keys are the table of choices.
        fields = "keys of choices" if call.path == "choices" and call.method == "PUT" else fields
        does = call.summary
        path = re.sub(r"{\w+}", "*", call.path) if call.route is None else call.route.path
        does = does if call.in_worlds else f"{does} (of the server)"
        rows.append((f"`{call.method} {path}`", fields, does[0].lower() + does[1:]))
    return table(("call", "fields", "what it does"), rows)


def _faults() -> str:
    rows = []
    for row in EFFECTS.values():
        first, *others = (f"`{json.dumps(value)}`" for value in _values(row))
        beside = [f"with `{json.dumps(name)}?`" for name in row.beside]
        default, *points = (f"`{at}`" for at in row.points) if row.points else ("inside the action",)
        rows.append(
            (
                ", ".join((f"`{json.dumps(row.name)}: {first[1:]}", *others, *beside)),
                row.does,
                ", ".join((f"**{default}**" if points else default, *points)),
                ", ".join(f"`{name}`" for name in row.endpoints) or "every call",
            )
        )
    return table(("fault", "what it does", "`at`", "on"), rows)


def _values(row: FaultEffect) -> list[Any]:
    """All values where they are few, else an example."""
    schema = row.value
    return list(schema.get("enum") or ([schema["const"]] if "const" in schema else schema["examples"]))


def _limits() -> str:
    by_limit: dict[int, list[str]] = {}
    for row in ENDPOINTS:
        if row.per_second is not None:
            by_limit.setdefault(row.per_second, []).append(f"`{row.name}`")
    return table(("calls a second", "endpoints"), [(str(n), ", ".join(by_limit[n])) for n in sorted(by_limit)])


def _codes() -> str:
    rows = []
    for code in SPEC_CODES:
        listed = ", ".join(f"`{row.name}`" for row in ENDPOINTS if code in row.listed_codes)
        where = "every call but the NFT ones" if code is Code.UNKNOWN_ERROR else listed
        rows.append((str(int(code)), code.meaning, where, _first_way(code)))
    return table(("code", "meaning", "listed for", "how to get it"), rows)


def _first_way(code: Code) -> str:
    """How the first endpoint that can be brought to answer a code by a call is brought to it."""
    ways = {row.name: recipe_of_code(row, code) for row in ENDPOINTS if code in row.listed_codes}
    name, recipe = next((name, way) for name, way in ways.items() if way.means is not Means.SCRIPTED)
    return f"`{name}`: {way_of(recipe)}"


def way_of(recipe: Recipe) -> str:
    """How an item of coverage is reached, in words, with the option or the fault that it takes."""
    options = ", ".join(f"`{key}={option}`" for key, option in (recipe.choices or {}).items())
    fault = f"; fault `{json.dumps(recipe.fault)}`" if recipe.fault and recipe.means is Means.SCRIPTED else ""
    return recipe.how + (f" with {options}" if options else "") + fault


def _rules() -> str:
    # The guide stands alone: it names no sections of the specification.
    rows = [
        (f"`{rule.id}`", rule.level + (", fails" if rule.fails else ""), rule.title, _SECTION.sub("", rule.fix))
        for rule in RULES
    ]
    return table(("rule", "level", "what was done", "instead"), rows)


def _choices() -> str:
    rows = []
    for choice in CHOICES:
        options = ", ".join(
            f"**`{option}`**"
            if option == choice.default
            else f"`{option}`" + (" †" if option in choice.deviations else "")
            for option in choice.options
        )
        rows.append((f"`{choice.key}`", options, f"{choice.spec_says} {choice.why}"))
    return table(("key", "options", "what the spec leaves open, and why this default"), rows)
