"""A world for each example of a property test."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockrelay.pytest_plugin import MakeRelayer
from mockrelay.testing import RelayerHandle


@pytest.fixture(scope="session")
def shared(make_session_relayer: MakeRelayer) -> RelayerHandle:
    return make_session_relayer()


@given(amount=st.integers(1, 10**30))
def test_what_is_deposited_is_there(shared: RelayerHandle, amount: int) -> None:
    with shared.fresh() as relayer:
        alice = relayer.account("alice")
        before = alice.balances["ETH"].free
        assert alice.deposit("ETH", amount).balances["ETH"].free == before + amount
