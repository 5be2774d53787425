"""A relay behind a socket for each flow."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.flows.client import Client, served


@pytest.fixture
def client() -> Iterator[Client]:
    with served() as client:
        yield client
