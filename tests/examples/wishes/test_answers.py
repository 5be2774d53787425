"""Wishes of the guide: answers and time. See `listing` for their form."""

from __future__ import annotations

import json
import threading
from http.client import RemoteDisconnected
from typing import TYPE_CHECKING
from urllib.request import Request, urlopen

import pytest

from tests.examples.wishes import bot as client

if TYPE_CHECKING:
    from mockrelay.pytest_plugin import UseRelayerTime
    from mockrelay.testing import RelayerHandle
    from tests.examples.wishes.bot import Bot


def test_lost_answer(relayer: RelayerHandle, bot: Bot) -> None:
    """The answer to an order is lost: the order was placed, and the connection closes."""
    relayer.fault("submit_order", drop=True)

    with pytest.raises(RemoteDisconnected):
        bot.order()
    assert len(relayer.orders) == 1


def test_lost_request(relayer: RelayerHandle, bot: Bot) -> None:
    """An order is lost on its way: nothing was placed, and the connection closes."""
    relayer.fault("submit_order", drop=True, at="instead")

    with pytest.raises(RemoteDisconnected):
        bot.order()
    assert relayer.orders == []


@pytest.mark.relayer(allow="post-retried-without-looking")
def test_duplicate_order(relayer: RelayerHandle, bot: Bot) -> None:
    """After a lost answer the client must not place its order twice."""
    relayer.fault("submit_order", drop=True)
    with pytest.raises(RemoteDisconnected):
        bot.order()
    assert len(relayer.orders) == 1
    assert relayer.findings == []

    bot.order()
    assert [finding.rule for finding in relayer.findings] == ["post-retried-without-looking"]


@pytest.mark.relayer(strict=True)
def test_look_after_a_lost_answer(relayer: RelayerHandle, bot: Bot) -> None:
    """A lost answer: the client looks, finds its order, and does not send it again."""
    relayer.fault("submit_order", drop=True)
    bot.order_once("my-1")
    relayer.assert_sequence("submit_order", "get_orders")
    relayer.assert_called("submit_order", times=1)
    assert len(relayer.orders) == 1


@pytest.mark.relayer(strict=True)
def test_look_after_a_lost_request(relayer: RelayerHandle, bot: Bot) -> None:
    """A lost request: the client looks, does not find its order, and sends it again."""
    relayer.fault("submit_order", drop=True, at="instead")
    bot.order_once("my-1")
    relayer.assert_sequence("submit_order", "get_orders", "submit_order")
    assert len(relayer.orders) == 1


def test_429_once(relayer: RelayerHandle, bot: Bot) -> None:
    """One call is refused with 429, with `Retry-After: 1`, as by the real limits."""
    relayer.fault("get_ticker", status=429, at="instead")

    refused, accepted = (bot.get("/api/v2/ticker", market="LRC-ETH") for _ in range(2))
    assert [refused.status, accepted.status] == [429, 200]
    assert refused.headers["Retry-After"] == "1"


def test_pause_by_the_clock(relayer: RelayerHandle, bot: Bot) -> None:
    """The bot pauses after a 429: its `sleep` moves the clock, and the test looks at the clock."""
    bot.sleep = relayer.clock.sleep
    before_ms = relayer.clock.now_ms
    relayer.fault("get_ticker", status=429, at="instead")
    bot.get_patiently("/api/v2/ticker", market="LRC-ETH")
    assert relayer.clock.now_ms >= before_ms + 1000

    relayer.assert_called("get_ticker", times=2)


@pytest.mark.relayer(clock="real", limits="spec", strict=True)
def test_pause_on_a_running_clock(relayer: RelayerHandle, bot: Bot) -> None:
    """The bot pauses after a 429 on a running clock: one that calls again too soon has a finding, which fails the test."""
    bot.sleep = relayer.clock.sleep  # without this line the bot really sleeps

    assert [bot.get_patiently("/api/v2/exchange/tokens").code for _ in range(4)] == [0, 0, 0, 0]


@pytest.mark.relayer(limits="spec")
def test_real_rate_limits(relayer: RelayerHandle, bot: Bot) -> None:
    """The client must keep to the real rate limits."""
    relayer.clock.advance("1s")  # a new second; `clock="real"` for a client that really sleeps

    *accepted, refused = (bot.get("/api/v2/exchange/tokens") for _ in range(4))
    assert [answer.status for answer in accepted] == [200, 200, 200]
    assert (refused.status, refused.headers["Retry-After"]) == (429, "1")


def test_503_on_second_call(relayer: RelayerHandle, bot: Bot) -> None:
    """The second and third call fail with status 503, and only for one market."""
    relayer.fault("get_ticker", status=503, nth=2, times=2, when={"market": "LRC-ETH"})

    assert [bot.get("/api/v2/ticker", market="LRC-ETH").status for _ in range(4)] == [200, 503, 503, 200]


def test_any_code(relayer: RelayerHandle, bot: Bot) -> None:
    """An order is refused with a certain code."""
    relayer.fault("submit_order", code=102011)

    assert [bot.order().code, bot.order().code] == [102011, 0]


def test_html_answer(relayer: RelayerHandle, bot: Bot) -> None:
    """An answer is an HTML page, is cut off, is not JSON, or is empty."""
    relayer.fault("get_depth", body="html")  # or truncated, malformed, empty

    with pytest.raises(json.JSONDecodeError):
        bot.get("/api/v2/depth", market="LRC-ETH", level=0)


@pytest.mark.relayer(clock=3600)
def test_slow_answer(relayer: RelayerHandle, bot: Bot) -> None:
    """An answer takes 30 seconds. Under the default frozen clock it waits until the clock is moved."""
    relayer.fault("get_ticker", delay="30s")

    before_ms = relayer.clock.now_ms
    assert bot.get("/api/v2/ticker", market="LRC-ETH").code == 0
    assert relayer.clock.now_ms >= before_ms + 30_000


def test_answers_out_of_order(relayer: RelayerHandle, bot: Bot) -> None:
    """The first of two calls is answered after the second one."""
    relayer.fault("get_ticker", delay="1s")

    codes: list[int] = []
    first = threading.Thread(target=lambda: codes.append(bot.get("/api/v2/ticker", market="LRC-ETH").code))
    first.start()
    assert bot.get("/api/v2/depth", market="LRC-ETH", level=0).code == 0
    while not relayer.requests.counts.get("get_ticker"):
        pass
    assert codes == []
    relayer.clock.advance("1s")
    first.join()
    assert codes == [0]


def test_sleeping_client(relayer: RelayerHandle, relayer_time: UseRelayerTime) -> None:
    """A client that sleeps should take no real time: `time` and `asyncio` in its modules go by the relayer's clock."""
    relayer_time(client)  # the modules that import `time`, `asyncio` or their functions

    before_ms = relayer.clock.now_ms
    client.Bot(relayer).sleep(90)
    assert relayer.clock.now_ms == before_ms + 90_000


@pytest.mark.relayer(clock=60)
def test_fast_clock(relayer: RelayerHandle) -> None:
    """A minute should pass in a second, for a program in another process."""
    assert relayer.clock.rate == 60  # `mockrelay serve --clock 60`


@pytest.mark.relayer(allow="unknown_path")
def test_unknown_path(relayer: RelayerHandle, bot: Bot) -> None:
    """The client calls a path that the API does not have. Without `allow` that fails the test."""
    answer = bot.get("/api/v2/tickers")
    assert "/api/v2/ticker" in relayer.why(answer.request_id).story[-1]

    assert answer.status == 404


def test_browser(relayer: RelayerHandle) -> None:
    """A page in a browser calls the API (`mockrelay serve --cors http://localhost:3000`; by default any origin may)."""
    preflight = {"Origin": "http://localhost:3000", "Access-Control-Request-Method": "GET"}
    request = Request(f"{relayer.url}/api/v2/depth", headers=preflight, method="OPTIONS")

    with urlopen(request) as answer:
        assert answer.headers["Access-Control-Allow-Origin"] in ("*", "http://localhost:3000")
