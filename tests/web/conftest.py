"""A fake relay, a server of it and a connection to that; a module may have a relay or a server of its own instead."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mockrelay.relay import Relay
from mockrelay.web import Serving, serve
from tests.support.connection import Connection, connected
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
def wire(server: Serving) -> Iterator[Connection]:
    with connected(server.url) as wire:
        yield wire
