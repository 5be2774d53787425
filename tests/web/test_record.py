"""A server that shows a record: `GET record`, `POST record`, and a page that knows of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from mockrelay.recording.format import read_record
from mockrelay.replay.stepping import Stepper
from mockrelay.web.dispatch import Dispatcher
from mockrelay.web.server import Serving, bind
from tests.support.bodies import W
from tests.support.client import control, done, post
from tests.support.connection import Connection, connected
from tests.support.worlds import relay_from


@pytest.fixture(scope="module")
def wire() -> Iterator[Connection]:
    relay, lines = relay_from(), list[str]()
    relay.record_to(lines.append)
    for number in range(3):
        post(relay, "/api/v3/order", W.order(number))
    stepper = Stepper(read_record("".join(lines).encode()))
    server = Serving(Dispatcher(stepper.relay, stepper=stepper), bind("127.0.0.1", 0))
    with server, connected(server.url) as wire:
        yield wire


def test_it_stands_at_the_end_and_goes_where_it_is_asked_to(wire: Connection) -> None:
    shown = done(wire, "GET", "record")
    assert (shown["position"], len(shown["positions"])) == (3, 4)
    assert shown["positions"][1]["text"] == "r1 POST /api/v3/order"
    assert len(done(wire, "GET", "state")["orders"]) == 3
    assert done(wire, "POST", "record", {"position": 1}) == {"position": 1}
    assert len(done(wire, "GET", "state")["orders"]) == 1
    assert done(wire, "GET", "requests")["total"] == 1
    assert done(wire, "GET", "record")["position"] == 1


@pytest.mark.parametrize(
    "body", [{}, {"position": 4}, {"position": -1}, {"position": "1"}, {"position": True}, [], None]
)
def test_a_position_that_there_is_not_is_refused(wire: Connection, body: Any) -> None:
    answer = control(wire, "POST", "record", body)
    assert (answer.status, answer.json["field"]) == (400, "position")
    assert control(wire, "DELETE", "record").status == 405


def test_its_page_says_that_it_can_step(wire: Connection) -> None:
    assert b"<html data-record" in wire.ask("GET", "/").body


def test_another_server_has_no_record() -> None:
    with Serving(Dispatcher(relay_from()), bind("127.0.0.1", 0)) as server, connected(server.url) as wire:
        assert control(wire, "GET", "record").status == 404
        assert b"data-record" not in wire.ask("GET", "/").body
