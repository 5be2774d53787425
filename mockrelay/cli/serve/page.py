"""Opens the page of a server in the user's browser."""

from __future__ import annotations

import threading

import click


def open_page(url: str) -> None:
    """Open it without waiting for the browser; a line on stderr says where there is none."""
    threading.Thread(target=_open, args=(url,), name="mockrelay browser", daemon=True).start()


def _open(url: str) -> None:
    import webbrowser

    try:
        is_open = webbrowser.open(url)
    except webbrowser.Error:
        is_open = False
    if not is_open:
        click.echo(f"mockrelay: no browser could be started; the page is at {url}", err=True)
