"""The values that a shell is given to complete a word with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import click
from click.shell_completion import CompletionItem

from mockrelay._files import guide_pages, packaged_scenarios
from mockrelay.spec.choices import BY_KEY, CHOICES
from mockrelay.spec.endpoints import ENDPOINTS

Items = list[Any]
"""Items of click."""


def scenarios(ctx: click.Context, incomplete: str) -> Items:
    """Packaged scenarios, or files."""
    return _starting(packaged_scenarios(), incomplete) or [CompletionItem(incomplete, type="file")]


def endpoints(ctx: click.Context, incomplete: str) -> Items:
    """The names of endpoints."""
    return _starting((row.name for row in ENDPOINTS), incomplete)


def accounts(ctx: click.Context, incomplete: str) -> Items:
    """The accounts of the packaged scenario that the command line names."""
    from mockrelay.scenario import ScenarioError, load

    try:
        return _starting(
            (account.name for account in load(ctx.params.get("scenario") or "default").accounts), incomplete
        )
    except ScenarioError:
        return []


def pages(ctx: click.Context, incomplete: str) -> Items:
    """The pages of the guide."""
    return _starting(guide_pages(), incomplete)


def sections(ctx: click.Context, incomplete: str) -> Items:
    """The sections of the page before it."""
    from mockrelay.cli.guide import sections_of

    return _starting(sections_of(guide_pages().get(ctx.params.get("page") or "", "")), incomplete)


def options(ctx: click.Context, incomplete: str) -> Items:
    """`KEY=OPTION`: the keys first, then the options of one."""
    key, equals, _ = incomplete.partition("=")
    if equals:
        choice = BY_KEY.get(key)
        return _starting((f"{key}={option}" for option in (choice.options if choice else ())), incomplete)
    return _starting((f"{choice.key}=" for choice in CHOICES), incomplete)


def parts(ctx: click.Context, incomplete: str) -> Items:
    """The beginning of keys, a key, or `KEY=OPTION`."""
    if "=" in incomplete:
        return options(ctx, incomplete)
    return _starting(_beginnings(), incomplete)


def clocks(ctx: click.Context, incomplete: str) -> Items:
    """The words for a clock."""
    return _starting(("real", "frozen"), incomplete)


def rows(ctx: click.Context, incomplete: str) -> Items:
    """The rows of a table of the spec: endpoints, codes, choices."""
    from mockrelay.cli.spec import names_of_rows

    return _starting(names_of_rows(ctx.params.get("table") or "endpoints"), incomplete)


def kinds(ctx: click.Context, incomplete: str) -> Items:
    """`KIND=PERCENT`: the kinds of coverage."""
    from mockrelay.report.coverage_items import ItemKind

    return _starting((f"{kind}=" for kind in ItemKind), incomplete)


def _beginnings() -> Iterator[str]:
    for choice in CHOICES:
        yield choice.key.partition(".")[0]
        yield choice.key


def _starting(values: Iterable[str], incomplete: str) -> Items:
    return [CompletionItem(value) for value in dict.fromkeys(values) if value.startswith(incomplete)]
