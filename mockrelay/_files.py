"""Where the packaged data lies: schemas, scenarios and the guide."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


@cache
def data_root() -> Traversable:
    """The folder that holds `schemas/` and `scenarios/`: inside the package once installed (a folder or a zip), beside
    it in a checkout and in an editable install, where nothing is copied.
    """
    package = Path(__file__).parent
    for folder in (package / "_data", package.parent):
        if folder.joinpath("schemas").is_dir():
            return folder
    return _package().joinpath("_data")


@cache
def packaged_scenarios() -> tuple[str, ...]:
    """The names of the scenarios that come with the package."""
    files = data_root().joinpath("scenarios").iterdir()
    return tuple(sorted(file.name.removesuffix(".yaml") for file in files if file.name.endswith(".yaml")))


def guide_pages() -> dict[str, str]:
    """The pages of the guide by name, in order."""
    package = Path(__file__).parent
    folder = (package if package.is_dir() else _package()).joinpath("guide")
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".md")), key=lambda file: file.name)
    return {file.name.removesuffix(".md"): file.read_text(encoding="utf-8") for file in files}


def javascript_client() -> dict[str, str]:
    """The client for JavaScript: its module (`client.mjs`) and its types (`client.d.mts`)."""
    package = Path(__file__).parent
    folder = (package if package.is_dir() else _package()).joinpath("js")
    return {name: folder.joinpath(name).read_text(encoding="utf-8") for name in ("client.mjs", "client.d.mts")}


def packaged_page() -> dict[str, bytes]:
    """The files of the page that shows a relayer, by name: `index.html`, `vendor/uplot.js`."""
    package = Path(__file__).parent
    folder = (package if package.is_dir() else _package()).joinpath("ui")
    found = {}
    for entry in folder.iterdir():
        for file in entry.iterdir() if entry.is_dir() else (entry,):
            found[f"{entry.name}/{file.name}" if entry.is_dir() else file.name] = file.read_bytes()
    return found


def _package() -> Traversable:
    """The package in a zip, which is rare: what reads it is imported for those who need it."""
    from importlib.resources import files  # noqa: PLC0415

    return files("mockrelay")
