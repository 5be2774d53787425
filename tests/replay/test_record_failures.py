"""A record that cannot be written: nothing is done that it does not tell, and what it tells leads back."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from mockrelay.control import handle_control
from mockrelay.core.errors import CommandRefused
from mockrelay.core.world import digest_all
from mockrelay.recording.file import RecordFile
from mockrelay.recording.recorder import OnFailure, RecordFailed
from mockrelay.relay import Relay
from mockrelay.relay.commands import Reset
from mockrelay.replay import load_into, resume
from tests.recording.test_file import Disk
from tests.support.bodies import W
from tests.support.client import advance, control, done, get, post
from tests.support.worlds import relay_from

REASON = "No space left on device"


class Full(Disk):
    """A disk that is full from a moment on."""

    def fill(self, left: int = 0) -> None:
        """Leave so many bytes of room."""
        self.room = len(self.held) + left


def recorded(on_failure: OnFailure = OnFailure.REFUSE) -> tuple[Relay, Full]:
    """A recorded relay with an order, a fault and a snapshot."""
    relay, disk = relay_from(limits="spec"), Full(10**9)
    relay.record_to(RecordFile(disk, 0).write, on_failure=on_failure)
    post(relay, "/api/v3/order", W.order())
    done(relay, "POST", "faults", {"on": "get_depth", "code": 102014, "nth": 5})
    done(relay, "POST", "snapshots", {"name": "s"})
    return relay, disk


def everything(relay: Relay) -> Any:
    """All that could have changed."""
    shown = [done(relay, "GET", path) for path in ("state", "clock", "snapshots", "choices", "requests", "faults")]
    return digest_all(relay.world), relay.request_count, relay.clock.rate, shown


@pytest.mark.parametrize("left", [0, 1, 200])
def test_a_call_that_cannot_be_written_is_refused_and_nothing_of_it_is_done(left: int) -> None:
    relay, disk = recorded()
    before = everything(relay)
    disk.fill(left)
    for number, path in enumerate(("/api/v3/order", "/api/v3/order", "/api/v9/nothing"), 1):
        answer = post(relay, path, W.order(1))
        assert answer.status == 503
        assert answer.json["resultInfo"]["code"] == 100000
        assert REASON in answer.json["resultInfo"]["message"]
        assert answer.headers["x-mockrelay-request-id"] == f"x{number}"
    disk.room = 10**9
    assert get(relay, "/api/v2/exchange/tokens").status == 503, "the record has ended, also where there is room again"
    assert everything(relay) == before
    again, loaded = resume(bytes(disk.held))
    assert loaded.torn is None
    assert done(again, "GET", "state") == done(relay, "GET", "state")


def test_it_is_a_problem_that_is_told_until_the_record_is_given_up() -> None:
    relay, disk = recorded()
    assert [problem["kind"] for problem in done(relay, "GET", "problems")] == ["unfired_fault"]
    disk.fill()
    post(relay, "/api/v3/order", W.order(1))
    done(relay, "GET", "health")
    (_, problem) = done(relay, "GET", "problems")
    assert (problem["kind"], problem["request"]) == ("record_failed", None)
    assert problem["reason"] == f"the record cannot be written: {REASON}"
    assert "--on-record-failure continue" in problem["meant"]


COMMANDS: tuple[tuple[str, str, Any], ...] = (
    ("POST", "reset", {}),
    ("POST", "reset", {"scenario": "thin_book"}),
    ("POST", "clock", {"advance": "1h"}),
    ("POST", "clock", {"set": "2027-01-01T00:00:00Z"}),
    ("POST", "clock", {"rate": 1}),
    ("PUT", "choices", {"order.dust": "keep"}),
    ("POST", "faults", {"on": "get_depth", "drop": True}),
    ("DELETE", "faults", None),
    ("POST", "accounts/alice/deposit", {"token": "ETH", "amount": "5"}),
    ("POST", "accounts/alice/freeze", {"frozen": True}),
    ("POST", "blocks/seal", {}),
    ("POST", "layer1", {"state": "down"}),
    ("POST", "snapshots", {"name": "t"}),
    ("POST", "snapshots/s/restore", None),
    ("DELETE", "snapshots/s", None),
)


@pytest.mark.parametrize(("method", "path", "body"), COMMANDS)
def test_a_command_that_cannot_be_written_is_refused_and_nothing_of_it_is_done(
    method: str, path: str, body: Any
) -> None:
    relay, disk = recorded()
    before = everything(relay)
    disk.fill(30)
    answer = control(relay, method, path, body)
    assert answer.status == 503
    assert answer.json["error"] == f"the record cannot be written: {REASON}"
    assert answer.json["field"] == "record"
    assert "room for the record" in answer.json["meant"]
    assert everything(relay) == before
    assert done(resume(bytes(disk.held))[0], "GET", "state") == done(relay, "GET", "state")


def test_a_load_that_cannot_be_written_is_refused_and_nothing_of_it_is_done() -> None:
    relay, disk = recorded()
    before, other = everything(relay), relay_from().dump()
    disk.fill(30)
    answer = handle_control(relay, "POST", "load", (), other, load_into)
    assert (answer.status, json.loads(answer.body)["field"]) == (503, "record")
    assert everything(relay) == before


@pytest.mark.parametrize(
    "act", [lambda relay: relay.advance(5), lambda relay: relay.execute(Reset()), lambda relay: relay.spawn("w")]
)
def test_in_python_it_is_an_error(act: Callable[[Relay], object]) -> None:
    relay, disk = recorded()
    before = everything(relay)
    disk.fill()
    with pytest.raises(CommandRefused, match=REASON) as refused:
        act(relay)
    assert isinstance(refused.value, RecordFailed)
    assert everything(relay) == before


def test_a_world_that_cannot_be_written_is_not_made_and_leaves_the_record_whole() -> None:
    """Not even where its head could be written."""
    relay, disk = recorded()
    head = len(relay.dump().splitlines()[0])
    disk.fill(head + 100)
    with pytest.raises(RecordFailed):
        relay.spawn("w")
    again, _ = resume(bytes(disk.held))
    assert done(again, "GET", "state") == done(relay, "GET", "state")


def test_a_call_whose_answer_cannot_be_written_is_answered_and_is_the_last() -> None:
    relay, disk = recorded()
    before = len(disk.held)
    post(relay, "/api/v3/order", W.order(1))
    line = disk.held[before:].index(b"\n") + 1
    disk.fill(line + 20)
    answer = post(relay, "/api/v3/order", W.order(2))
    assert (answer.status, answer.json["resultInfo"]["code"]) == (200, 0)
    assert post(relay, "/api/v3/order", W.order(3)).status == 503
    assert disk.held.endswith(b"\n")
    again, loaded = resume(bytes(disk.held))
    assert (loaded.calls, loaded.torn) == (3, None)
    assert done(again, "GET", "state") == done(relay, "GET", "state")


def test_where_it_is_to_go_on_calls_are_done_unrecorded_and_the_problem_is_told() -> None:
    relay, disk = recorded(OnFailure.CONTINUE)
    at_the_end = done(relay, "GET", "state")
    disk.fill(50)
    assert post(relay, "/api/v3/order", W.order(1)).json["resultInfo"]["code"] == 0
    disk.room = 10**9
    advance(relay, "1h")
    assert post(relay.spawn("w"), "/api/v3/order", W.order()).json["resultInfo"]["code"] == 0
    assert len(done(relay, "GET", "state")["orders"]) == 2
    assert done(relay, "GET", "problems")[-1]["kind"] == "record_failed"
    done(relay, "POST", "reset", {})
    assert [problem["kind"] for problem in done(relay, "GET", "problems")] == ["record_failed"]
    assert done(resume(bytes(disk.held))[0], "GET", "state") == at_the_end


def test_any_error_of_who_writes_is_the_end_of_the_record() -> None:
    lines: list[str] = []

    def write(line: str) -> None:
        if len(lines) == 3:
            raise RuntimeError("the cable is out")
        lines.append(line)

    relay = relay_from()
    relay.record_to(write)
    assert get(relay, "/api/v2/exchange/tokens").status == 200
    answer = get(relay, "/api/v2/exchange/tokens")
    assert answer.status == 503
    assert json.loads(answer.body)["resultInfo"]["message"].endswith("the record cannot be written: the cable is out")
