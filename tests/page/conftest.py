"""A real browser, and pages in it that must not complain."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE_MS = 20_000
AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
SERIOUS = ("serious", "critical")

NewPage = Callable[..., Page]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, as it is installed. Without one these tests fail: they were asked for."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    expect.set_options(timeout=PATIENCE_MS)
    assert path is not None, f"no browser is installed: none of {', '.join(NAMES)} is on the path"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def new_page(browser: Browser) -> Iterator[NewPage]:
    """Makes pages, each with a store of its own. At the end none may have had an error."""
    errors: list[str] = []
    contexts = []

    def make(*, width: int = 1360, height: int = 860, dark: bool = False, may_fail: str = "") -> Page:
        scheme: Any = "dark" if dark else "light"
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        page = context.new_page()

        def note(text: str) -> None:
            if not (may_fail and may_fail in text):
                errors.append(text)

        page.on("console", lambda message: note(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: note(str(error)))
        return page

    yield make
    for context in contexts:
        context.close()
    assert errors == []


def serious_findings(page: Page) -> list[str]:
    """What axe-core finds on a page that is serious."""
    page.evaluate(AXE)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{violation['id']}: {json.dumps([node['target'] for node in violation['nodes'][:3]])}"
        for violation in found["violations"]
        if violation["impact"] in SERIOUS
    ]
