"""The limits of integers, many sessions at once, and answers that never flake."""

from __future__ import annotations

import json
import threading
from contextlib import closing
from typing import Any

import pytest

from mockrelay.web import serve
from tests.conformance.transcript import ROWS
from tests.flows.client import SCENARIO, Client, sale
from tests.support.calls import call, ready, valid_request
from tests.support.client import digest, done
from tests.support.connection import connected
from tests.support.worlds import relay_from, world

EDGES = [-(2**63) - 1, -(2**63), -(2**53), -1, 2**31, 2**32, 2**53, 2**63 - 1, 2**63, 2**64]


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_no_integer_is_too_large_or_too_small_for_a_clean_answer(row: Any) -> None:
    """In each field that holds a number, digits or not, at each edge of what machines can hold; a refusal changes
    nothing.
    """
    relay, request = ready(world(), row.name), valid_request(row.name)
    done(relay, "POST", "snapshots", {"name": "before"})
    before = digest(relay)
    for name, value in request.fields.items():
        if not isinstance(value, int) and not (isinstance(value, str) and value.isdigit()):
            continue
        for edge in EDGES:
            answer = call(relay, request.but(**{name: edge if isinstance(value, int) else str(edge)}))
            assert answer.status < 500, (name, edge)
            if answer.code != 0:
                assert name in answer.message, (name, edge, answer.body)
                assert digest(relay) == before
            done(relay, "POST", "snapshots/before/restore")


def test_sessions_side_by_side_do_not_meet() -> None:
    """Eight clients in worlds of their own on one server, each with the same ids at the same time, all told the same."""
    told: list[list[Any]] = []
    wrong: list[BaseException] = []

    def session(url: str, number: int) -> None:
        try:
            with connected(url) as wire:
                root = f"/w/job-{number}"
                answers = []
                for order_id in range(20):
                    body = json.dumps(sale(order_id)).encode()
                    answer = wire.ask(
                        "POST", f"{root}/api/v3/order", "X-API-KEY: key-a", "Content-Type: application/json", body=body
                    )
                    answers.append(answer.json)
                answers.append(wire.ask("GET", f"{root}/__mockrelay/state").json["digest_all"])
                told.append(answers)
        except BaseException as error:  # noqa: BLE001  # a thread's error is told by the test
            wrong.append(error)

    with serve(relay_from(SCENARIO)) as server:
        threads = [threading.Thread(target=session, args=(server.url, number)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []
    assert len(told) == 8
    assert all(answers == told[0] for answers in told)


def test_a_thousand_calls_over_one_connection_are_a_thousand_answers() -> None:
    """None is lost, late, doubled or another's."""
    with serve(relay_from(SCENARIO)) as server, closing(Client(server.port)) as client:
        for number in range(500):
            assert client.next_id() == number
            client.accepted(sale(number, lrc=10**18))
