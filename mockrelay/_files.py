"""Where the packaged data lies: schemas and scenarios."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


def data_root() -> Traversable:
    """The folder that holds `schemas/` and `scenarios/`: inside the package once installed (a folder or a zip), beside
    it in a checkout and in an editable install, where nothing is copied.
    """
    package = Path(__file__).parent
    for folder in (package / "_data", package.parent):
        if folder.joinpath("schemas").is_dir():
            return folder
    # In a zip, which is rare: what reads it is imported for those who need it.
    from importlib.resources import files  # noqa: PLC0415

    return files("mockrelay").joinpath("_data")


def packaged_scenarios() -> tuple[str, ...]:
    """The names of the scenarios that come with the package."""
    files = data_root().joinpath("scenarios").iterdir()
    return tuple(sorted(file.name.removesuffix(".yaml") for file in files if file.name.endswith(".yaml")))
