"""The examples for other languages, run as they stand: a browser's page and curl."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import requests

if TYPE_CHECKING:
    from mockrelay.testing import RelayerHandle

HERE = Path(__file__).parent
ORIGIN = "http://localhost:3000"


@pytest.mark.skipif(shutil.which("curl") is None or shutil.which("sh") is None, reason="needs sh and curl")
def test_curl(relayer: RelayerHandle) -> None:
    key = relayer.account("alice").api_key
    result = subprocess.run(["sh", HERE / "curl.sh", relayer.url, key], capture_output=True, text=True, check=True)
    lines = result.stdout.splitlines()
    assert '"totalNum":0' in lines[1]
    assert lines[4:6] == ["503", "200"]
    assert '"rate":0' in lines[7]
    assert lines[9] == '{"found":2}'
    relayer.assert_sequence("get_orders", "get_ticker", "get_ticker")


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node, whose fetch is a browser's but for CORS")
def test_the_script_of_the_page(relayer: RelayerHandle, tmp_path: Path) -> None:
    alice = relayer.account("alice")
    script = tmp_path / "run.mjs"
    page = (HERE / "page.js").read_text(encoding="utf-8")
    call = f"orderCount({relayer.url!r}, {alice.api_key!r}, '10001')"
    script.write_text(f"{page}\nconsole.log(JSON.stringify(await {call}));\n", encoding="utf-8")
    result = subprocess.run(["node", script], capture_output=True, text=True, check=True)
    assert result.stdout == '{"count":0,"requestId":"r1"}\n'


def test_what_a_browser_asks_before_and_checks_after(relayer: RelayerHandle) -> None:
    """The two calls that a browser makes of the page's one, and what it must find in their answers."""
    alice = relayer.account("alice")
    target = f"{relayer.url}/api/v2/orders?accountId=10001"
    asks = {"Origin": ORIGIN, "Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "x-api-key"}
    before = requests.options(target, headers=asks, timeout=5)
    assert before.status_code == 204
    assert before.headers["Access-Control-Allow-Origin"] in ("*", ORIGIN)
    assert "x-api-key" in before.headers["Access-Control-Allow-Headers"].lower()
    assert "GET" in before.headers["Access-Control-Allow-Methods"]
    answer = requests.get(target, headers={"Origin": ORIGIN, **alice.headers}, timeout=5)
    assert answer.headers["Access-Control-Allow-Origin"] in ("*", ORIGIN)
    assert "X-Mockrelay-Request-Id" in answer.headers["Access-Control-Expose-Headers"]
    assert answer.json()["data"]["totalNum"] == 0
    assert relayer.requests.total == 1, "a preflight is no call"


def test_no_page_gets_at_the_control_api(relayer: RelayerHandle) -> None:
    """Otherwise any page that the user has open could steer the relayer."""
    asked = requests.get(f"{relayer.url}/__mockrelay/state", headers={"Origin": ORIGIN}, timeout=5)
    assert asked.status_code == 403
    assert "Access-Control-Allow-Origin" not in asked.headers


def test_the_page_uses_the_script_that_is_tested() -> None:
    assert 'import { orderCount } from "./page.js"' in (HERE / "page.html").read_text(encoding="utf-8")
