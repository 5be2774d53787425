"""Where the packaged data lies: schemas and scenarios."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path


def data_root() -> Traversable:
    """The folder that holds `schemas/` and `scenarios/`: inside the package once installed (a folder or a zip), beside
    it in a checkout and in an editable install, where nothing is copied.
    """
    packaged = files("mockrelay").joinpath("_data")
    return packaged if packaged.is_dir() else Path(__file__).parent.parent
