"""A fake relay, a server of it and a connection to that; a module may have a relay or a server of its own instead, or a `way`
of each kind.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mockrelay.relay import Relay
from mockrelay.web import Serving, serve
from tests.support.connection import Connection, connected
from tests.web.cases import WAYS
from tests.web.fake import FakeRelay, control


@pytest.fixture(autouse=True)
def _control_of_fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Control calls reach the fake relays, too."""
    monkeypatch.setattr("mockrelay.web.dispatch.handle_control", control)


@pytest.fixture
def relay() -> Relay:
    return FakeRelay()


@pytest.fixture
def server(relay: Relay) -> Iterator[Serving]:
    with serve(relay) as server:
        yield server


@pytest.fixture
def way() -> str:
    """How the relay is served: a key of `WAYS`."""
    return "serve"


@pytest.fixture
def url(request: pytest.FixtureRequest, relay: FakeRelay, way: str) -> Iterator[str]:
    if way == "serve":
        yield request.getfixturevalue("server").url
    else:
        with WAYS[way](relay) as url:
            yield url


@pytest.fixture
def wire(url: str) -> Iterator[Connection]:
    with connected(url) as wire:
        yield wire
