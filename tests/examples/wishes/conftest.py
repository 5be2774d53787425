"""The clients of the examples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.examples.wishes.bot import Bot

if TYPE_CHECKING:
    from mockrelay.testing import RelayerHandle


@pytest.fixture
def bot(relayer: RelayerHandle) -> Bot:
    """A client of alice's account."""
    return Bot(relayer)


@pytest.fixture
def bob(relayer: RelayerHandle) -> Bot:
    """A client of bob's account."""
    return Bot(relayer, "bob")


@pytest.fixture
def minter(relayer: RelayerHandle) -> Bot:
    """A client of carol's account, who mints."""
    return Bot(relayer, "carol")
