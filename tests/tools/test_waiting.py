"""The tools that CI jobs wait for a server with take `/__mockrelay/health`, also where the server asks for a token."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from socket import create_server

import pytest

from mockrelay.web import serve
from tests.support.worlds import relay_from
from tests.tools.conftest import npm_program, run_tool, tool

pytestmark = pytest.mark.tools


@pytest.fixture(params=[None, "sesame"], ids=["open", "token"])
def health(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a server's health."""
    with serve(relay_from("default"), token=request.param) as server:
        yield f"{server.url}/__mockrelay/health"


@pytest.mark.parametrize("method", ["http", "http-get"])
def test_wait_on(npm_bin: Path, health: str, method: str) -> None:
    """`http` asks with HEAD, `http-get` with GET."""
    done = run_tool([npm_program(npm_bin, "wait-on"), "--timeout", "20s", health.replace("http", method, 1)])
    assert done.returncode == 0, done.stderr


def test_start_server_and_test(npm_bin: Path) -> None:
    with create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}/__mockrelay/health"
    command = shlex.join([sys.executable, "-m", "mockrelay", "serve", "-p", str(port), "--token", "sesame"])
    done = run_tool([npm_program(npm_bin, "start-server-and-test"), command, url, "node --version"])
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"mockrelay listening on http://127.0.0.1:{port}" in done.stdout


def test_wget(health: str, tmp_path: Path) -> None:
    done = run_tool([tool("wget"), "--spider", "--tries=1", health], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", ["-I", "-i"])
def test_curl(health: str, option: str) -> None:
    """`-I` asks with HEAD: the head alone, with the length of the body that GET has."""
    done = run_tool([tool("curl"), "--fail", "--silent", "--show-error", option, health])
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("HTTP/1.1 200 OK")
    assert done.stdout.rstrip().endswith("}") is (option == "-i")
