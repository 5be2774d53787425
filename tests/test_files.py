"""Packaged data is found in a checkout; tests/packaging shows it for wheel, sdist, zip and editable installs."""

from __future__ import annotations

from mockrelay._files import data_root


def test_schemas_and_scenarios_lie_under_the_data_root() -> None:
    assert {"schemas", "scenarios"} <= {child.name for child in data_root().iterdir()}
