"""A bench for each test."""

from __future__ import annotations

import pytest

from tests.report.bench import Bench


@pytest.fixture
def bench() -> Bench:
    """World W under its own choices, without limits."""
    return Bench()
