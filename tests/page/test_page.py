"""The page in a real browser: what it shows, what can be done on it, and by whom it can be used."""

from __future__ import annotations

import json
import os
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import mockrelay
from mockrelay import Relay
from mockrelay.clock import ClockConfig
from mockrelay.recording.format import read_record
from mockrelay.replay.stepping import Stepper
from mockrelay.scenario import load_text
from mockrelay.testing import RelayerHandle
from mockrelay.web import Serving, serve
from mockrelay.web.dispatch import Dispatcher
from mockrelay.web.server import bind
from tests.page.conftest import NewPage, serious_findings
from tests.scenario.shipped_client import Client
from tests.support.bodies import E18
from tests.support.client import advance, done
from tests.support.worlds import START_MS

pytestmark = [pytest.mark.browser, pytest.mark.slow]

GUIDE = Path(mockrelay.__file__).parent / "guide"
PANELS = (
    *("Calls", "Markets", "Accounts", "Orders", "Requests", "Blocks", "Due", "Faults", "Findings", "Coverage"),
    "Snapshots",
)


class Served:
    """A relayer behind a server, and its clients' calls."""

    def __init__(self, scenario: str = "busy_market", port: int = 0, token: str | None = None) -> None:
        self.client = Client(scenario)
        self.relay = self.client.relay
        self.server: Serving = serve(self.relay, port=port, token=token)

    @property
    def url(self) -> str:
        return self.server.url

    def trade(self) -> None:
        """An order that rests, one that it trades with, one more, a read and a wrong call."""
        self.client.order("SELL", 100, 5 * 10**16, order_id=1)
        self.client.order("BUY", 100, 5 * 10**16, "bob", order_id=7)
        self.client.order("SELL", 100, 5 * 10**16, order_id=2)
        self.client.get("v2/ticker", market="LRC-ETH")
        self.client.get("v3/nope")

    def withdraw(self) -> str:
        """A withdrawal of alice; its hash."""
        answer = self.client.post("v3/user/withdrawals", self.client.bodies.withdrawal(to="0x" + "d4" * 20))
        hash_: str = answer.json["hash"]
        return hash_


@pytest.fixture
def served() -> Iterator[Served]:
    served = Served()
    yield served
    served.server.stop()


def opened(page: Page, url: str) -> Page:
    """The page of a relayer, once it follows it."""
    page.goto(url)
    expect(page.locator(".link")).to_have_text("live")
    return page


def shown(page: Page, panel: str) -> None:
    page.get_by_role("navigation").get_by_role("link", name=panel, exact=True).click()
    expect(page.get_by_role("main")).to_have_attribute("aria-label", panel)


def photographed(page: Page, name: str, folder: Path) -> None:
    """Take a screenshot: with SCREENSHOTS=1, the one of the guide."""
    place = GUIDE if os.environ.get("SCREENSHOTS") else folder
    page.screenshot(path=place / f"page-{name}.png")


def test_every_panel_shows_what_clients_did(served: Served, new_page: NewPage, tmp_path: Path) -> None:
    page = opened(new_page(), served.url + "/")
    expect(page.locator(".setup")).to_contain_text("busy_market")
    expect(page.locator(".setup")).to_contain_text("all default")
    served.trade()
    served.withdraw()
    assert served.client.mint(E18).status == 200
    texts = {
        "Calls": "submit_order",
        "Markets": "spread",
        "Accounts": "alice",
        "Orders": "processing",
        "Requests": "nft mint",
        "Blocks": "finalized",
        "Due": "a block is sealed",
        "Faults": "no fault is armed",
        "Findings": "foreign-path",
        "Coverage": "endpoints",
        "Snapshots": "none yet",
    }
    for panel in PANELS:
        shown(page, panel)
        expect(page.get_by_role("main")).to_contain_text(texts[panel])
        assert serious_findings(page) == [], panel
    shown(page, "Calls")
    page.get_by_role("option", name="/api/v3/nope").click()
    expect(page.get_by_role("region", name="Why r5")).to_contain_text("the API has no /api/v3/nope")
    photographed(page, "calls", tmp_path)
    shown(page, "Markets")
    expect(page.get_by_role("img", name="candles of LRC-ETH")).to_be_visible()
    expect(page.get_by_role("img", name="Depth of LRC-ETH")).to_be_visible()
    photographed(page, "market", tmp_path)


def test_a_fault_is_armed_with_the_keyboard_and_met_by_a_client(served: Served, new_page: NewPage) -> None:
    page = opened(new_page(), served.url + "/#faults")
    page.get_by_label("effect").focus()
    page.keyboard.type("status")
    page.get_by_label("status", exact=True).focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("503")
    page.get_by_role("button", name="Arm it").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("fired 0 of 1")).to_be_visible()
    assert served.client.order("SELL", 100, 5 * 10**16, order_id=1).status == 503
    expect(page.get_by_text("fired 1 of 1")).to_be_visible()
    done(served.relay, "POST", "faults", {"on": "get_ticker", "delay": "10s"})
    served.client.get("v2/ticker", market="LRC-ETH")
    page.get_by_role("link", name="Calls").focus()
    page.keyboard.press("Enter")
    held = page.get_by_role("option", name="r2")
    expect(held).to_contain_text("held")
    advance(served.relay, "10s")
    expect(held).not_to_contain_text("held")
    page.get_by_role("listbox", name="Calls").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("region", name="Why r1")).to_contain_text("503")
    page.keyboard.press("/")
    page.keyboard.type("nothing like this")
    expect(page.get_by_role("listbox", name="Calls")).to_contain_text("no call yet")


def test_a_call_is_copied_as_a_test_that_passes_and_as_a_fault_that_answers_alike(
    served: Served, new_page: NewPage
) -> None:
    served.trade()
    served.client.get("v2/ticker", market="LRC-ETH", level="none")
    done(served.relay, "POST", "faults", {"on": "submit_order", "code": 102014})
    served.client.order("SELL", 100, 5 * 10**16, order_id=3)
    page = opened(new_page(), served.url + "/")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])

    def copied(call: str, what: str) -> str:
        page.get_by_role("option", name=call, exact=False).first.click()
        region = page.get_by_role("region", name=f"Why {call.split(maxsplit=1)[0]}", exact=True)
        button = region.get_by_role("button", name=f"Copy as {what}")
        button.click()
        expect(button).to_have_class("secondary done")
        text: str = page.evaluate("navigator.clipboard.readText()")
        return text

    for call, name in (("r1 ", "submit_order"), ("r4 ", "get_ticker"), ("r5 ", "call")):
        again = Relay.from_scenario("busy_market", clock=ClockConfig(0, START_MS), limits="off")
        namespace: dict[str, Any] = {}
        with serve(again) as server:
            exec(copied(call, "a test"), namespace)
            namespace[f"test_{name}"](RelayerHandle.of(again, server.url))
    fault = copied("r7 ", "a fault")
    relay = Relay(load_text(f"format: 1\nname: own\nextends: default\n{fault}"))
    assert [one["code"] for one in done(relay, "GET", "faults")] == [102014]
    curl = copied("r4 ", "curl")
    assert curl.startswith(f"curl -s '{served.url}/api/v2/ticker?market=LRC-ETH'")
    assert '"X-API-KEY: $API_KEY"' in curl
    page.get_by_role("switch", name="with keys").check()
    assert served.relay.accounts()[0]["apiKey"] in copied("r4 ", "curl")


def test_the_clock_is_moved_and_a_withdrawal_is_seen_to_end(served: Served, new_page: NewPage) -> None:
    hash_ = served.withdraw()
    page = opened(new_page(), served.url + "/#requests")
    states = page.get_by_role("list", name="States of this withdrawal")
    expect(states.locator("[aria-current=step]")).to_contain_text("processing")
    page.get_by_role("button", name="+15 s").click()
    expect(page.get_by_label("The relayer's time")).to_have_text("2026-01-01 00:00:15 UTC")
    for _ in range(3):
        page.get_by_role("button", name="+1 block").click()
        page.get_by_role("button", name="+15 s").click()
    advance(served.relay, "1h")
    done(served.relay, "PUT", "choices", {"order_id.json": "number"})
    expect(page.locator(".setup")).to_contain_text("1 not default")
    expect(states.locator("[aria-current=step]")).to_contain_text("processed")
    assert done(served.relay, "GET", f"submissions/{hash_}")["status"] == "processed"
    assert served.relay.clock.now_ms() > START_MS + 3_600_000


def test_a_snapshot_is_taken_compared_and_restored(served: Served, new_page: NewPage) -> None:
    page = opened(new_page(), served.url + "/#snapshots")
    page.get_by_role("button", name="Take one").click()
    expect(page.get_by_text("snapshot-1").first).to_be_visible()
    served.trade()
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("region", name="Differences")).to_contain_text("orders")
    assert serious_findings(page) == []
    page.get_by_role("button", name="Restore snapshot-1").click()
    expect(page.get_by_role("button", name="Restore snapshot-1")).to_have_class("secondary done")
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("main")).to_contain_text("nothing")


def control(url: str, method: str) -> Any:
    """A control call of another client."""
    with urllib.request.urlopen(urllib.request.Request(url, method=method)) as answer:
        return json.load(answer)


def test_two_worlds_stand_side_by_side(served: Served, new_page: NewPage) -> None:
    main = opened(new_page(), served.url + "/")
    other = opened(new_page(), served.url + "/w/other/")
    served.trade()
    expect(main.get_by_role("option", name="submit_order").first).to_be_visible()
    expect(other.get_by_role("listbox", name="Calls")).to_contain_text("no call yet")
    main.reload()
    main.get_by_label("world").select_option("other")
    main.wait_for_url("**/w/other/**")
    expect(main.get_by_label("world")).to_have_value("other")
    # A page that is still being loaded asks for the world, which would make it anew.
    expect(main.locator(".link")).to_have_text("live")
    expect(main.get_by_role("banner")).to_contain_text("busy_market")
    expect(main.get_by_role("listbox", name="Calls")).to_contain_text("no call yet")
    control(f"{served.url}/__mockrelay/worlds/other", "DELETE")
    for page in (main, other):
        expect(page.get_by_role("alert")).to_contain_text("This world was removed")
    # Neither page has asked for it since, which would have made it anew.
    assert control(f"{served.url}/__mockrelay/worlds", "GET") == []


def test_a_server_that_is_gone_is_seen_to_be_and_to_come_back(served: Served, new_page: NewPage) -> None:
    page = opened(new_page(may_fail="ERR_"), served.url + "/")
    served.trade()
    expect(page.get_by_role("option", name="submit_order").first).to_be_visible()
    port = served.server.port
    served.server.stop()
    expect(page.get_by_role("alert")).to_contain_text("does not answer")
    served.server = serve(Served("default").relay, port=port)
    expect(page.locator(".link")).to_have_text("live")
    expect(page.get_by_role("listbox", name="Calls")).to_contain_text("no call yet")
    expect(page.locator(".setup")).to_contain_text("default")


def test_a_record_is_stepped_through_forward_and_back(new_page: NewPage, tmp_path: Path) -> None:
    recorded, lines = Client("busy_market"), list[str]()
    recorded.relay.record_to(lines.append)
    for number in range(3):
        recorded.order("SELL", 100, 6 * 10**16, order_id=number)
    advance(recorded.relay, "1m")
    stepper = Stepper(read_record("".join(lines).encode()))
    with Serving(Dispatcher(stepper.relay, stepper=stepper), bind("127.0.0.1", 0)) as server:
        page = opened(new_page(), server.url + "/")
        bar = page.get_by_role("region", name="Record")
        calls = page.get_by_role("listbox", name="Calls").get_by_role("option", name="submit_order")
        expect(bar).to_contain_text("4 of 4")
        expect(calls).to_have_count(3)
        assert serious_findings(page) == []
        bar.get_by_role("button", name="Back").click()
        bar.get_by_role("button", name="Back").click()
        expect(bar).to_contain_text("r2 POST /api/v3/order")
        expect(calls).to_have_count(2)
        expect(page.get_by_label("The relayer's time")).to_have_text("2026-01-01 00:00:00 UTC")
        page.keyboard.press("[")
        expect(calls).to_have_count(1)
        page.keyboard.press("]")
        expect(calls).to_have_count(2)
        bar.get_by_label("Position in the record").focus()
        page.keyboard.press("End")
        expect(page.get_by_label("The relayer's time")).to_have_text("2026-01-01 00:01:00 UTC")
        expect(calls).to_have_count(3)
        bar.get_by_role("button", name="First").click()
        expect(calls).to_have_count(0)


def test_a_token_is_asked_for_once(new_page: NewPage) -> None:
    served = Served(token="sesame")
    with served.server:
        page = new_page(may_fail="401")
        page.goto(served.url + "/")
        field = page.get_by_label("The token")
        field.fill("wrong")
        field.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("another token")
        assert serious_findings(page) == []
        page.get_by_label("The token").fill("sesame")
        page.get_by_label("The token").press("Enter")
        expect(page.locator(".link")).to_have_text("live")
        page.reload()
        expect(page.locator(".link")).to_have_text("live")
        # Before the server ends: a page asks on.
        page.close()


@pytest.mark.parametrize(("width", "dark"), [(400, False), (1360, True)], ids=["400 px", "dark"])
def test_it_can_be_used_narrow_and_in_the_dark(served: Served, new_page: NewPage, width: int, *, dark: bool) -> None:
    page = opened(new_page(width=width, dark=dark), served.url + "/")
    served.trade()
    for panel in PANELS:
        shown(page, panel)
        expect(page.get_by_role("main")).not_to_contain_text("loading")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, panel
        assert serious_findings(page) == [], panel


def test_of_ten_thousand_calls_and_a_thousand_orders_those_in_view_are_drawn(served: Served, new_page: NewPage) -> None:
    page = opened(new_page(), served.url + "/")
    for number in range(1000):
        served.client.order("SELL", 10, 10**18, order_id=number)
    for _ in range(9000):
        served.client.get("v2/ticker", market="LRC-ETH")
    expect(page.get_by_role("option", name="r10000")).to_be_visible()
    listed = page.get_by_role("listbox", name="Calls")
    assert listed.get_by_role("option").count() < 100
    listed.focus()
    page.keyboard.press("End")
    expect(page.locator("[role=option][aria-selected=true]")).to_be_visible()
    shown(page, "Orders")
    orders = page.get_by_role("listbox", name="Orders").get_by_role("option")
    expect(orders.first).to_be_visible()
    assert orders.count() < 100
