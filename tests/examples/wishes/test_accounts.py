"""Wishes of the guide: accounts, keys and signatures. See `listing` for their form."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.examples.wishes.bot import ONE

if TYPE_CHECKING:
    from mockrelay.testing import RelayerHandle
    from tests.examples.wishes.bot import Bot


def test_frozen_account(relayer: RelayerHandle, bot: Bot) -> None:
    """The account is frozen."""
    relayer.account("alice").freeze()

    assert bot.order().code == 102027


def test_late_deposit(relayer: RelayerHandle, bot: Bot) -> None:
    """A deposit arrives."""
    before = relayer.account("alice").balances["LRC"].free
    relayer.account("alice").deposit("LRC", 1000 * ONE)

    assert relayer.account("alice").balances["LRC"].free == before + 1000 * ONE


def test_rotated_key(relayer: RelayerHandle, bot: Bot) -> None:
    """The API key is replaced while the client runs."""
    relayer.account("alice").keys(api_key="another")

    assert bot.order().code == 104002


def test_nonce_race(relayer: RelayerHandle, bot: Bot) -> None:
    """Two workers of one account send transfers with the same nonce."""
    first, second = bot.transfer(nonce=0), bot.transfer(nonce=0, amount="2")

    assert (first.code, second.code) == (0, 102021)


@pytest.mark.relayer(choices={"signature.scheme": "protocol"})
def test_wrong_signature(relayer: RelayerHandle, bot: Bot) -> None:
    """The client signs wrongly: the relayer refuses it, and says which part is wrong."""
    answer = bot.order()
    assert "signature" in relayer.why(answer.request_id).refusal.detail

    assert answer.code == 104005
