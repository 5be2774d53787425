"""`mockrelay guide`: the pages of the manual."""

from __future__ import annotations

import re

import click

from mockrelay.cli.options import CliError
from mockrelay.cli.output import aligned

_SUMMARY = re.compile(r"# .+\n\n((?:.+\n)*)")


@click.command()
@click.argument("page", required=False, metavar="[PAGE]")
def guide(page: str | None) -> None:
    """List the pages of the guide, or print one. The pages are Markdown and come with the package."""
    from mockrelay._files import guide_pages
    from mockrelay.suggest import nearest

    pages = guide_pages()
    if page is None:
        click.echo("\n".join(aligned([{"page": name, "what it says": _summary(text)} for name, text in pages.items()])))
        return
    if page not in pages:
        raise CliError(f"the guide has no page {page!r}; meant: {nearest(page, pages)}")
    click.echo(pages[page], nl=False)


def _summary(text: str) -> str:
    """The first paragraph of a page, in one line."""
    found = _SUMMARY.match(text)
    assert found, text[:80]
    return " ".join(found[1].split())
