"""`mockrelay guide`: the pages of the manual."""

from __future__ import annotations

import re

import click

from mockrelay.cli.options import CliError, completed_by
from mockrelay.cli.output import aligned

_HEADING = re.compile(r"(^```.*?^```)|^(##+) ([^\n]+)$", re.DOTALL | re.MULTILINE)
_REGION_MARK = re.compile(r"^<!-- .* -->\n?", re.MULTILINE)
_SUMMARY = re.compile(r"# .+\n\n((?:.+\n)*)")


@click.command()
@click.argument("page", required=False, metavar="[PAGE]", shell_complete=completed_by("pages"))
@click.argument("section", required=False, metavar="[SECTION]", shell_complete=completed_by("sections"))
def guide(page: str | None, section: str | None) -> None:
    """List the pages of the guide, or print one. With a section, only that: `mockrelay guide api-reference submit_order`.
    The pages are Markdown and come with the package.
    """
    from mockrelay._files import guide_pages
    from mockrelay.suggest import nearest

    pages = guide_pages()
    if page is None:
        click.echo("\n".join(aligned([{"page": name, "what it says": _summary(text)} for name, text in pages.items()])))
        return
    if page not in pages:
        raise CliError(f"the guide has no page {page!r}; meant: {nearest(page, pages)}")
    if section is None:
        click.echo(pages[page], nl=False)
        return
    sections = sections_of(pages[page])
    if section.lower() not in sections:
        raise CliError(f"the page {page} has no section {section!r}; meant: {nearest(section, sections)}")
    click.echo(sections[section.lower()])


def sections_of(text: str) -> dict[str, str]:
    """The sections of a page by their titles in lower case, each with those below it. Headings in code blocks do not count."""
    marks = [(len(found[2]), found[3].lower(), found.start()) for found in _HEADING.finditer(text) if found[1] is None]
    sections = {}
    for at, (level, title, start) in enumerate(marks):
        ends = [place for deeper, _, place in marks[at + 1 :] if deeper <= level]
        sections[title] = _REGION_MARK.sub("", text[start : min(ends, default=len(text))]).strip()
    return sections


def _summary(text: str) -> str:
    """The first paragraph of a page, in one line."""
    found = _SUMMARY.match(text)
    assert found, text[:80]
    return " ".join(found[1].split())
