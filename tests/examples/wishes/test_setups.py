"""Wishes of the guide: calls that are expected, and situations to start from. See `listing` for their form."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.request import Request, urlopen

import pytest

from mockrelay import Relay, serve
from mockrelay.testing import RelayerHandle
from tests.examples.wishes.bot import ONE, Bot

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mockrelay.pytest_plugin import MakeRelayer


def test_called_or_not(relayer: RelayerHandle, bot: Bot) -> None:
    """The client made a call, or did not."""
    bot.order(lrc=5)
    relayer.assert_called("submit_order", times=1, body={"amountS": str(5 * ONE)}, code=0)
    relayer.assert_not_called("submit_transfer")

    assert relayer.requests.total == 1


def test_sequence(relayer: RelayerHandle, bot: Bot) -> None:
    """The client looks at the market before it orders."""
    bot.get("/api/v2/depth", market="LRC-ETH", level=0)
    bot.order()
    relayer.assert_sequence("get_depth", "submit_order")

    assert relayer.requests.total == 2


def test_restart_in_the_middle(relayer: RelayerHandle, bot: Bot) -> None:
    """The relayer restarts in the middle. With `serve`: `--record FILE`, then `--resume FILE`."""
    bot.order()
    record = relayer.dump()
    relayer.load(record)  # also in another process, or days later

    assert [order.status for order in relayer.orders] == ["processing"]


def test_snapshot(relayer: RelayerHandle, bot: Bot) -> None:
    """Many tests begin in one costly situation: take a snapshot of it once, and restore it before each."""
    funded = relayer.snapshot("funded")
    bot.order()
    funded.restore()

    assert relayer.orders == []


def test_another_option(relayer: RelayerHandle, bot: Bot) -> None:
    """Another relayer would answer errors with status 400: choose the option. `mockrelay sweep -- pytest` tries them all."""
    with relayer.choices({"http.error_status": "400"}):
        assert bot.get("/api/v2/depth", market="ETH-LRC", level=0).status == 400

    assert bot.get("/api/v2/depth", market="ETH-LRC", level=0).status == 200


def test_own_scenario(make_relayer: MakeRelayer, tmp_path: Path) -> None:
    """A situation of your own: a scenario file, laid over a packaged one."""
    (tmp_path / "poor.yaml").write_text(
        'format: 1\nname: poor\nextends: default\naccounts: [{name: alice, balances: {LRC: "1"}}]\n', encoding="utf-8"
    )
    relayer = make_relayer(scenario=tmp_path / "poor.yaml")

    assert Bot(relayer).order().code == 102011


def test_two_relayers(make_relayer: MakeRelayer) -> None:
    """A client that talks to two relayers."""
    main, backup = make_relayer(), make_relayer(scenario="layer1_down")

    assert main.url != backup.url


@pytest.fixture
def server_url() -> Iterator[str]:
    """A server as `mockrelay serve` runs it."""
    with serve(Relay.from_scenario("default", clock="frozen", limits="off")) as server:
        yield server.url


def test_many_workers(server_url: str) -> None:
    """Many workers share one server: each takes a world of its own under `/w/NAME/`."""
    one, two = RelayerHandle.at(f"{server_url}/w/one"), RelayerHandle.at(f"{server_url}/w/two")

    Bot(one).order()
    assert (len(one.orders), len(two.orders)) == (1, 0)


def test_other_language(server_url: str) -> None:
    """The client and its tests are in another language: the control API does all of this over HTTP."""
    fault = {"on": "submit_order", "code": 102014}
    urlopen(Request(f"{server_url}/__mockrelay/faults", json.dumps(fault).encode())).close()

    assert Bot(RelayerHandle.at(server_url)).order().code == 102014
