"""The page: where it is, what it may load, and that its files are all there."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from mockrelay._files import packaged_page
from mockrelay.web import create_app, serve
from tests.support.client import done
from tests.support.connection import Connection, connected
from tests.support.worlds import relay_from

POLICY = "default-src 'self'; img-src 'self' data:"
FILES = packaged_page()
VENDORED = [
    (package["name"], file, about["sha256"])
    for package in json.loads(FILES["vendor/vendor.json"])
    for file, about in package["files"].items()
]


@pytest.fixture(scope="module")
def wire() -> Iterator[Connection]:
    with serve(relay_from("default")) as server, connected(server.url) as wire:
        yield wire


@pytest.mark.parametrize(
    "path", ["/", "/?a=1", "/w/one/", "/w/one", "/__mockrelay/ui/", "/__mockrelay/ui", "/w/one/__mockrelay/ui/"]
)
def test_the_page_is_at_each_of_its_places_and_loads_from_nowhere_else(wire: Connection, path: str) -> None:
    answer = wire.ask("GET", path)
    assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert answer.headers["content-security-policy"] == POLICY
    assert answer.body == FILES["index.html"]
    head = wire.ask("HEAD", path)
    assert head.headers["content-length"] == str(len(FILES["index.html"]))


def test_to_show_a_page_makes_no_world_and_no_call(wire: Connection) -> None:
    wire.ask("GET", "/w/shown/")
    wire.ask("GET", "/favicon.ico")
    assert done(wire, "GET", "worlds") == []
    assert done(wire, "GET", "requests")["total"] == 0
    assert done(wire, "GET", "problems") == []


@pytest.mark.parametrize("name", FILES)
def test_each_file_of_the_page_is_served_with_its_type(wire: Connection, name: str) -> None:
    answer = wire.ask("GET", f"/__mockrelay/ui/{name}")
    assert (answer.status, answer.body) == (200, FILES[name])
    ending = name.rpartition(".")[2]
    types = {"js": "text/javascript", "css": "text/css", "html": "text/html", "svg": "image/svg+xml"}
    assert answer.headers["content-type"].startswith(
        types.get(ending, "application/json" if ending == "json" else "text/")
    )


def test_all_that_the_page_names_is_there() -> None:
    """Links and scripts of the page, and the imports of its own modules."""
    named = re.findall(r'(?:href|src)="/__mockrelay/ui/([^"]+)"', FILES["index.html"].decode())
    for name, content in FILES.items():
        if name.endswith(".js") and not name.startswith("vendor/"):
            named += re.findall(r'from "\./([^"]+)"', content.decode())
    assert len(named) > 10
    assert set(named) <= set(FILES)


def test_favicon_and_robots_have_answers(wire: Connection) -> None:
    assert wire.ask("GET", "/favicon.ico").headers["content-type"] == "image/svg+xml"
    assert wire.ask("GET", "/robots.txt").body == b"User-agent: *\nDisallow: /\n"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/__mockrelay/ui/", 405),
        ("GET", "/__mockrelay/ui/nothing.js", 404),
        ("GET", "/__mockrelay/ui/../control/routes.py", 404),
        ("GET", "/__mockrelay/ui/%2e%2e/%2e%2e/pyproject.toml", 404),
        ("POST", "/", 404),
    ],
)
def test_what_is_no_file_of_the_page_is_refused(wire: Connection, method: str, path: str, status: int) -> None:
    assert wire.ask(method, path).status == status


def test_with_a_token_the_page_can_be_had_and_the_control_api_cannot() -> None:
    with serve(relay_from("default"), token="sesame") as server, connected(server.url) as wire:
        assert wire.ask("GET", "/").status == 200
        assert wire.ask("GET", "/__mockrelay/ui/main.js").status == 200
        assert wire.ask("GET", "/__mockrelay/state").status == 401


async def test_the_application_has_the_page_too(aiohttp_client: Any) -> None:
    client = await aiohttp_client(create_app(relay_from("default")))
    assert await (await client.get("/")).read() == FILES["index.html"]


@pytest.mark.parametrize(("package", "file", "sha256"), VENDORED, ids=lambda value: value[:20])
def test_what_others_wrote_is_as_it_was_published(package: str, file: str, sha256: str) -> None:
    assert hashlib.sha256(FILES[f"vendor/{file}"]).hexdigest() == sha256


def test_nothing_of_others_is_there_without_an_entry() -> None:
    listed = {f"vendor/{file}" for _, file, _ in VENDORED}
    assert {name for name in FILES if name.startswith("vendor/")} == {*listed, "vendor/vendor.json"}
