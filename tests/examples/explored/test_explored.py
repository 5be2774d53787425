"""The honest client of this folder bears all that the spec allows a relayer to do."""

from __future__ import annotations

from pathlib import Path

from hypothesis import settings

from mockrelay.testing import RelayerHandle
from mockrelay.testing.exploring import explore
from tests.examples.explored import doings
from tests.examples.explored.sending import over_http

HURRIED = Path(__file__).with_name("deploys_at_once.yaml")
DRAWN = settings(max_examples=30)
"""Each single deviation is tried besides."""


@explore(faults=2, settings=DRAWN)
def test_places_an_order(relayer: RelayerHandle) -> None:
    doings.places_an_order(relayer)


@explore(scenario=HURRIED, faults=2, settings=DRAWN)
def test_withdraws(relayer: RelayerHandle) -> None:
    doings.withdraws(relayer)


@explore(scenario=HURRIED, settings=DRAWN)
def test_sees_the_contract(relayer: RelayerHandle) -> None:
    doings.sees_the_contract(relayer)


@explore(faults=2, settings=DRAWN)
def test_mints(relayer: RelayerHandle) -> None:
    doings.mints(relayer)


@explore(settings=DRAWN)
def test_sees_what_was_sold(relayer: RelayerHandle) -> None:
    doings.sees_what_was_sold(relayer)


@explore(settings=settings(max_examples=15))
def test_places_an_order_over_http(relayer: RelayerHandle) -> None:
    doings.places_an_order(relayer, sending=over_http)
