"""Worlds: relayers of their own under `/w/NAME/` of one server."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from mockrelay.core.errors import CommandRefused
from mockrelay.web import Serving, create_app
from mockrelay.web.delays import DelayQueue
from mockrelay.web.dispatch import Dispatcher
from mockrelay.web.hosted import DEFAULT_LIMITS, HostedRelay, HostedRelays, WorldLimits
from mockrelay.web.server import bind
from mockrelay.web.server_report import ServerReport
from mockrelay.wire.http import Response
from tests.support.answer import Answer
from tests.support.connection import PATIENCE_S, Connection, connected
from tests.support.worlds import START_MS, relay_from
from tests.web.fake import JSON_TYPE, FakeRelay

ROOT = "/__mockrelay/worlds"
LATE = Response(200, (JSON_TYPE,), b'"late"', not_before_ms=START_MS + 60_000)
STRANGE_NAMES = ["", "x" * 65, "a%20b", "%C3%A4", "%FF", "a+b", "a~b", "a:b", ".", "..", "%2e%2e", "a%00", "a%0A"]


@contextmanager
def at_most(worlds: int, relay: FakeRelay) -> Iterator[Connection]:
    """A connection to a server that may make only so many worlds."""
    with (
        Serving(Dispatcher(relay, world_limits=WorldLimits(worlds)), bind("127.0.0.1", 0)) as server,
        connected(server.url) as wire,
    ):
        yield wire


def refused(answer: Answer, status: int, field: str) -> str:
    """What a control call's refusal says is wrong."""
    assert answer.status == status
    assert set(answer.json) == {"error", "field", "meant"}
    assert answer.json["field"] == field
    return str(answer.json["error"])


def names(wire: Connection) -> list[str]:
    return [world["name"] for world in wire.ask("GET", ROOT).json]


# --- Which relayer a request reaches ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sent", "target"),
    [
        ("/w/job-1/api/v3/order?a=%41", "/w/job-1/api/v3/order?a=%41"),
        ("/%77/job%2D1/api/v3/order?a=A", "/%77/job%2D1/api/v3/order?a=A"),
        ("/w/job-1%2Fapi/v3/order?a=A", "/w/job-1%2Fapi/v3/order?a=A"),
        ("http://relay.test/w/job-1/api/v3/order?a=A", "/w/job-1/api/v3/order?a=A"),
    ],
)
def test_a_world_gets_the_path_without_its_name_and_the_target_as_it_was_signed(
    relay: FakeRelay, wire: Connection, sent: str, target: str
) -> None:
    assert wire.ask("GET", sent).json == {"name": "sibling 1 of fake"}
    (raw,) = relay.siblings[0].seen
    assert (raw.path, raw.raw_target, raw.query) == ("/api/v3/order", target, (("a", "A"),))
    assert relay.seen == []
    assert names(wire) == ["job-1"]


def test_each_name_is_a_relayer_that_stays_and_the_one_at_the_root_is_another(wire: Connection) -> None:
    paths = ("/w/a/api", "/w/b/api", "/api", "/w/a/api", "/w/b/api", "/w/A/api")
    assert [wire.ask("GET", path).json["name"] for path in paths] == [
        "sibling 1 of fake",
        "sibling 2 of fake",
        "fake",
        "sibling 1 of fake",
        "sibling 2 of fake",
        "sibling 3 of fake",
    ]


def test_a_world_is_controlled_under_its_own_name(relay: FakeRelay, wire: Connection) -> None:
    answer = wire.ask("POST", "/w/a/__mockrelay/orders/0xab/fill?x=1", body=b"{}")
    assert answer.json == {"method": "POST", "path": "orders/0xab/fill", "query": [["x", "1"]], "length": 2}
    assert [len(relay.siblings), relay.siblings[0].seen, relay.seen] == [1, [], []]
    assert wire.ask("POST", "/w/a/__mockrelay/reset", body=b"x" * (5 << 20)).json["length"] == 5 << 20


@pytest.mark.parametrize("name", ["a", "A.b_c-9", "x" * 64, "...", "-", "_", "0"])
def test_letters_digits_and_three_marks_make_a_name(wire: Connection, name: str) -> None:
    assert wire.ask("GET", f"/w/{name}/api").status == 200
    assert names(wire) == [name]


@pytest.mark.parametrize("name", STRANGE_NAMES)
def test_any_other_name_is_not_found_in_the_shape_of_what_was_asked(
    relay: FakeRelay, wire: Connection, name: str
) -> None:
    answer = wire.ask("GET", f"/w/{name}/api/v3/order")
    assert (answer.status, answer.refusal_code) == (404, 100000)
    assert "1 to 64 letters, digits" in answer.json["resultInfo"]["message"]
    assert "cannot name a world" in refused(wire.ask("GET", f"/w/{name}/__mockrelay/state"), 404, "world")
    assert (relay.siblings, relay.seen) == ([], [])


@pytest.mark.parametrize("path", ["/w", "/W/a/api", "//w/a/api", "/api/w/a", "/wa/api"])
def test_what_only_looks_like_a_world_goes_to_the_relayer_at_the_root(
    relay: FakeRelay, wire: Connection, path: str
) -> None:
    assert wire.ask("GET", path).json == {"name": "fake"}
    assert relay.seen[0].path == path


@pytest.mark.parametrize(
    ("path", "inner"), [("/w/a", "/"), ("/w/a/", "/"), ("/w/a//api", "//api"), ("/w/a/w/b/api", "/w/b/api")]
)
def test_there_is_no_world_within_a_world(relay: FakeRelay, wire: Connection, path: str, inner: str) -> None:
    assert wire.ask("POST", path).json == {"name": "sibling 1 of fake"}
    assert relay.siblings[0].seen[0].path == inner


async def test_the_application_has_worlds_too(aiohttp_client: Any) -> None:
    client = await aiohttp_client(create_app(FakeRelay(), worlds_max=1))
    assert await (await client.get("/w/a/api")).json() == {"name": "sibling 1 of fake"}
    assert (await client.get("/w/b/api")).status == 409
    assert [world["name"] for world in await (await client.get(ROOT)).json()] == ["a"]


# --- Listed and removed ----------------------------------------------------------------------------------------------


def test_worlds_are_listed_in_the_order_in_which_they_were_made(relay: FakeRelay, wire: Connection) -> None:
    assert wire.ask("GET", ROOT).json == []
    for path in ("/w/b/api", "/w/a/__mockrelay/health", "/w/b/api/v2/nowhere"):
        wire.ask("GET", path)
    relay.siblings[1].clock.advance(1_000)
    answer = wire.ask("GET", ROOT + "/")
    assert (answer.status, answer.headers["content-type"]) == (200, "application/json; charset=utf-8")
    assert answer.json == [
        {"name": "b", "scenario": "sibling 1 of fake", "now_ms": START_MS, "requests": 2},
        {"name": "a", "scenario": "sibling 2 of fake", "now_ms": START_MS + 1_000, "requests": 0},
    ]


def test_a_world_that_was_removed_is_made_anew_when_it_is_asked_for(wire: Connection) -> None:
    wire.ask("GET", "/w/a/api")
    wire.ask("GET", "/w/b/api")
    answer = wire.ask("DELETE", f"{ROOT}/a")
    assert (answer.status, answer.json) == (200, {"name": "a"})
    assert names(wire) == ["b"]
    assert wire.ask("GET", "/w/a/api").json == {"name": "sibling 3 of fake"}
    assert wire.ask("GET", "/w/b/api").json == {"name": "sibling 2 of fake"}


@pytest.mark.parametrize("name", ["a", "b%20c", "x" * 65, ".."])
def test_a_world_that_is_not_there_cannot_be_removed(relay: FakeRelay, wire: Connection, name: str) -> None:
    assert "there is no world" in refused(wire.ask("DELETE", f"{ROOT}/{name}"), 404, "name")
    assert relay.siblings == []


def test_the_verb_is_as_strict_as_every_other(wire: Connection) -> None:
    for method, path, allowed in (
        ("PUT", ROOT, "GET, POST, DELETE"),
        ("GET", f"{ROOT}/a", "POST, DELETE"),
        ("OPTIONS", ROOT, "GET, POST, DELETE"),
    ):
        answer = wire.ask(method, path)
        refused(answer, 405, "method")
        assert answer.json["meant"] == allowed
    refused(wire.ask("GET", f"{ROOT}?last=1"), 400, "last")
    refused(wire.ask("GET", ROOT, body=b'{"a": 1}'), 400, "a")
    assert wire.ask("GET", ROOT, body=b"{}\n").json == []
    refused(wire.ask("DELETE", f"{ROOT}/a/b"), 404, "path")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (b"{", "body"),
        (b"\xff", "body"),
        (b"[]", "body"),
        (b"false", "body"),
        (b"[" * 100_000, "body"),
        (b'{"reports": false}', "reports"),
        (b'{"report": 0}', "report"),
    ],
)
def test_a_world_stays_whose_removal_is_written_wrongly(wire: Connection, body: bytes, field: str) -> None:
    wire.ask("GET", "/w/a/api")
    refused(wire.ask("DELETE", f"{ROOT}/a", body=body), 400, field)
    assert names(wire) == ["a"]


@pytest.mark.parametrize(
    ("body", "removed"),
    [
        (b"", ["a"]),
        (b"{}", ["a"]),
        (b'{"report": true}', ["a"]),
        (b'{"report": null}', ["a"]),
        (b'{"report": false}', []),
    ],
)
def test_a_world_can_be_removed_without_a_word(
    relay: FakeRelay, body: bytes, removed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[str] = []

    def of(name: str, relay: FakeRelay) -> ServerReport:
        kept.append(name)
        return ServerReport()

    monkeypatch.setattr(ServerReport, "of", of)
    with Serving(Dispatcher(relay), bind("127.0.0.1", 0)) as server, connected(server.url) as wire:
        wire.ask("GET", "/w/a/api")
        assert wire.ask("DELETE", f"{ROOT}/a", body=body).json == {"name": "a"}
        assert names(wire) == []
    assert kept == removed
    assert relay.siblings[0].ended


@pytest.mark.parametrize(("method", "path"), [("GET", "worlds"), ("DELETE", "worlds/a"), ("DELETE", "worlds/b")])
def test_within_a_world_there_is_no_list_of_worlds_and_none_is_made(
    relay: FakeRelay, wire: Connection, method: str, path: str
) -> None:
    answer = wire.ask(method, f"/w/a/__mockrelay/{path}")
    assert refused(answer, 404, "path") == "a world has no worlds"
    assert answer.json["meant"].startswith(ROOT)
    assert relay.siblings == []


# --- How many --------------------------------------------------------------------------------------------------------


def test_one_too_many_is_refused_in_the_shape_of_what_was_asked_and_not_made(relay: FakeRelay) -> None:
    with at_most(2, relay) as wire:
        assert [wire.ask("GET", f"/w/{name}/api").status for name in ("a", "b")] == [200, 200]
        answer = wire.ask("GET", "/w/c/api")
        assert (answer.status, answer.refusal_code) == (409, 100000)
        message = answer.json["resultInfo"]["message"]
        assert "'c'" in message
        assert "DELETE /__mockrelay/worlds/NAME" in message
        refused(wire.ask("POST", "/w/c/__mockrelay/reset"), 409, "world")
        assert (names(wire), len(relay.siblings)) == (["a", "b"], 2)
        # Those that are there go on, and a place that is given up can be had.
        assert wire.ask("GET", "/w/a/api").status == 200
        assert wire.ask("DELETE", f"{ROOT}/a").status == 200
        assert wire.ask("GET", "/w/c/api").status == 200


def test_a_server_can_be_without_worlds(relay: FakeRelay) -> None:
    with at_most(0, relay) as wire:
        assert wire.ask("GET", "/w/a/api").status == 409
        assert wire.ask("GET", "/api").status == 200


def test_a_hundred_worlds_are_made_without_being_asked_for_more(relay: FakeRelay, wire: Connection) -> None:
    statuses = [wire.ask("GET", f"/w/{number}/api").status for number in range(101)]
    assert statuses == [200] * 100 + [409]
    assert len(relay.siblings) == 100


def test_a_world_that_cannot_be_made_is_our_failure_and_takes_no_place(
    relay: FakeRelay, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing() -> FakeRelay:
        raise MemoryError

    with at_most(1, relay) as wire:
        with monkeypatch.context() as patch:
            patch.setattr(relay, "spawn", failing)
            assert wire.ask("GET", "/w/a/api").status == 500
        assert wire.ask("GET", "/w/b/api").status == 200


def test_threads_that_ask_first_at_the_same_moment_get_the_same_world(relay: FakeRelay) -> None:
    worlds = HostedRelays(relay, DelayQueue())
    together = threading.Barrier(16)

    def ask(_: int) -> object:
        together.wait(PATIENCE_S)
        return worlds.of("a")

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(16) as pool:
            found = list(pool.map(ask, range(16)))
    finally:
        sys.setswitchinterval(interval)
    assert len(relay.siblings) == 1
    assert found == [found[0]] * 16


# --- Answers that wait -----------------------------------------------------------------------------------------------


def hold(wire: Connection, relay: FakeRelay, name: str) -> FakeRelay:
    """Have a request wait in a world that is there already; the world's relay."""
    waited_for = relay.siblings[["a", "b"].index(name)]
    waited_for.response = LATE
    wire.send(f"GET /w/{name}/api HTTP/1.1\r\nHost: a\r\n\r\n".encode())
    assert waited_for.clock.awaited.wait(PATIENCE_S)
    return waited_for


def test_an_answer_waits_for_the_clock_of_its_own_world(relay: FakeRelay, server: Serving) -> None:
    with connected(server.url) as control, connected(server.url) as first, connected(server.url) as second:
        for name in "ab":
            control.ask("GET", f"/w/{name}/api")
        a, b = hold(first, relay, "a"), hold(second, relay, "b")
        relay.clock.advance(60_000)
        a.clock.advance(60_000)
        assert first.read().json == "late"
        assert not b.clock.left.is_set()
        b.clock.advance(60_000)
        assert second.read().json == "late"


def test_removing_a_world_sends_the_answers_that_wait_in_it_and_no_others(relay: FakeRelay, server: Serving) -> None:
    with connected(server.url) as control, connected(server.url) as first, connected(server.url) as second:
        for name in "ab":
            control.ask("GET", f"/w/{name}/api")
        a, b = hold(first, relay, "a"), hold(second, relay, "b")
        control.ask("DELETE", f"{ROOT}/a")
        assert first.read().json == "late"
        assert a.clock.left.wait(PATIENCE_S)
        assert not b.clock.left.is_set()
        # The connection lives on; only the world has gone.
        assert first.ask("GET", "/api").json == {"name": "fake"}
        server.stop()
        assert second.read().headers["connection"] == "close"


async def test_a_part_of_a_holding_is_released_with_the_whole_and_alone() -> None:
    whole = DelayQueue()
    one, other = whole.part(), whole.part()
    one.release()
    assert (one.released, other.released, whole.released) == (True, False, False)
    third = whole.part()
    assert whole._parts == [other, third]
    whole.release()
    assert [part.released for part in (other, third, whole.part())] == [True] * 3


# --- Made by name, and with a start of their own ---------------------------------------------------------------------


def post(wire: Connection, path: str, **fields: Any) -> Answer:
    return wire.ask("POST", path, body=json.dumps(fields).encode())


@contextmanager
def real(limits: WorldLimits = DEFAULT_LIMITS, **options: Any) -> Iterator[Connection]:
    """A connection to a server of real relayers, whose clock stands still."""
    dispatcher = Dispatcher(relay_from("default"), world_limits=limits, **options)
    with Serving(dispatcher, bind("127.0.0.1", 0)) as server, connected(server.url) as wire:
        yield wire


def test_a_world_is_made_as_the_server_was_started() -> None:
    with real() as wire:
        made = post(wire, ROOT, name="a")
        assert (made.status, made.json) == (
            200,
            {"name": "a", "scenario": "default", "now_ms": START_MS, "requests": 0},
        )
        assert wire.ask("GET", ROOT).json == [made.json]


def test_a_world_has_a_start_of_its_own_and_resets_go_back_to_it() -> None:
    with real() as wire:
        clock = {"rate": 0, "start": "2026-03-01T00:00:00Z"}
        post(wire, ROOT, name="a", scenario="thin_book", choices={"order.dust": "keep"}, clock=clock, limits="off")
        for _ in range(2):
            state = wire.ask("GET", "/w/a/__mockrelay/state").json
            assert (state["scenario"], state["now_ms"], state["limits"]) == ("thin_book", 1772323200000, "off")
            assert state["choices"]["order.dust"] == "keep"
            assert post(wire, "/w/a/__mockrelay/reset", scenario="default").json["scenario"] == "default"
            post(wire, "/w/a/__mockrelay/reset")
        assert wire.ask("GET", "/__mockrelay/state").json["scenario"] == "default"
        assert wire.ask("GET", "/w/b/__mockrelay/state").json["scenario"] == "default"


def test_a_world_starts_from_a_text_or_from_a_file_that_may_be_read(tmp_path: Path) -> None:
    text = "format: 1\nname: mine\nextends: default\n"
    (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
    with real(allow_files=tmp_path) as wire:
        assert post(wire, ROOT, name="a", scenarioText=text).json["scenario"] == "mine"
        assert post(wire, ROOT, name="b", scenario="mine.yaml").json["scenario"] == "mine"
        assert post(wire, ROOT, name="c", scenario="/etc/passwd.yaml").status == 400
    with real() as wire:
        refused(post(wire, ROOT, name="b", scenario=str(tmp_path / "mine.yaml")), 400, "scenario")


@pytest.mark.parametrize(
    ("fields", "status", "field"),
    [
        ({}, 400, "name"),
        ({"name": None}, 400, "name"),
        ({"name": 1}, 400, "name"),
        *(({"name": name}, 400, "name") for name in ("", "x" * 65, "a b", "..", "\u00e4", "a/b", "a\n")),
        ({"name": "there"}, 409, "name"),
        ({"name": "full"}, 409, "name"),
        ({"name": "a", "scenario": "nowhere"}, 400, "scenario"),
        ({"name": "a", "scenario": "default", "scenarioText": "format: 1"}, 400, "scenarioText"),
        ({"name": "a", "choices": {"order.dust": "eat"}}, 400, "choices.order.dust"),
        ({"name": "a", "clock": "fast"}, 400, "clock"),
        ({"name": "a", "limits": "none"}, 400, "limits"),
        ({"name": "a", "nam": "b"}, 400, "nam"),
    ],
)
def test_a_world_that_cannot_be_made_is_not(fields: dict[str, Any], status: int, field: str) -> None:
    with real(WorldLimits(1 if fields.get("name") == "full" else 2)) as wire:
        post(wire, ROOT, name="there")
        refused(post(wire, ROOT, **fields), status, field)
        assert names(wire) == ["there"]


def test_a_world_can_be_made_by_its_path() -> None:
    with real() as wire:
        made = post(wire, f"{ROOT}/a", scenario="thin_book")
        assert (made.status, made.json["name"], made.json["scenario"]) == (200, "a", "thin_book")
        assert wire.ask("POST", f"{ROOT}/b").status == 200
        refused(post(wire, f"{ROOT}/a"), 409, "name")
        refused(post(wire, f"{ROOT}/c", name="d"), 400, "name")
        refused(post(wire, f"{ROOT}/c%20d"), 400, "name")
        assert names(wire) == ["a", "b"]


def test_all_worlds_are_removed_at_once(relay: FakeRelay, wire: Connection) -> None:
    for path in ("/w/b/api", "/w/a/api"):
        wire.ask("GET", path)
    refused(wire.ask("DELETE", ROOT, body=b'{"report": 0}'), 400, "report")
    answer = wire.ask("DELETE", ROOT, body=b'{"report": true}')
    assert (answer.status, answer.json, names(wire)) == (200, ["b", "a"], [])
    assert all(one.ended for one in relay.siblings)
    assert wire.ask("DELETE", ROOT).json == []


def test_where_worlds_are_made_explicitly_none_is_made_by_accident() -> None:
    with real(WorldLimits(is_explicit=True)) as wire:
        answer = wire.ask("GET", "/w/a/api/v3/order")
        assert (answer.status, answer.refusal_code) == (404, 100000)
        assert "POST /__mockrelay/worlds makes one" in answer.json["resultInfo"]["message"]
        assert "there is no world 'a'" in refused(wire.ask("POST", "/w/a/__mockrelay/reset"), 404, "world")
        assert names(wire) == []
        assert post(wire, ROOT, name="a").status == 200
        assert wire.ask("GET", "/w/a/__mockrelay/health").status == 200


# --- Idle ------------------------------------------------------------------------------------------------------------


class Seconds:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


async def test_a_world_goes_that_nobody_has_asked_for_so_long(relay: FakeRelay) -> None:
    now = Seconds()
    worlds = HostedRelays(relay, DelayQueue(), WorldLimits(idle_s=60), now)
    worlds.of("early")
    now.now += 30
    worlds.of("late")
    now.now += 29.9
    assert worlds.remove_idle() == []
    now.now += 0.1
    assert worlds.remove_idle() == ["early"]
    worlds.of("late")
    now.now += 59
    assert worlds.remove_idle() == []
    now.now += 1
    assert worlds.remove_idle() == ["late"]
    assert all(one.ended for one in relay.siblings)


def test_a_world_that_goes_as_idle_while_it_is_asked_for_is_made_anew(relay: FakeRelay) -> None:
    now = Seconds()
    worlds = HostedRelays(relay, DelayQueue(), WorldLimits(idle_s=60), now)
    idle = worlds.of("a")
    now.now += 60

    class Removing(dict[str, HostedRelay]):
        """As if another thread removed the idle worlds behind the first look."""

        def get(self, name: str, default: Any = None) -> Any:
            found = super().get(name, default)
            worlds._worlds = dict(self)
            assert worlds.remove_idle() == ["a"]
            return found

    worlds._worlds = Removing(worlds._worlds)
    assert worlds.of("a") is worlds.find("a") is not idle


async def test_a_world_that_owes_an_answer_is_not_idle(relay: FakeRelay) -> None:
    now = Seconds()
    worlds = HostedRelays(relay, DelayQueue(), WorldLimits(idle_s=60), now_s=now)
    world = worlds.of("a")
    waiting = asyncio.create_task(world.delays.until(world.clock, START_MS + 1, world.clock.generation))
    await asyncio.sleep(0)
    now.now += 100
    assert worlds.remove_idle() == []
    world.clock.advance(1)
    await waiting
    assert worlds.remove_idle() == ["a"]


async def test_a_world_that_calls_wait_for_is_not_idle(relay: FakeRelay) -> None:
    now, may_end = Seconds(), asyncio.Event()
    worlds = HostedRelays(relay, DelayQueue(), WorldLimits(idle_s=60), now_s=now)
    waiting = worlds.of("a").line.add(may_end.wait)
    now.now += 100
    assert worlds.remove_idle() == []
    may_end.set()
    await waiting
    assert worlds.remove_idle() == ["a"]


async def test_a_world_whose_removal_cannot_be_recorded_stays(
    relay: FakeRelay, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: FakeRelay) -> None:
        raise CommandRefused(503, "the disk is full")

    now = Seconds()
    worlds = HostedRelays(relay, DelayQueue(), WorldLimits(idle_s=60), now_s=now)
    worlds.of("a")
    monkeypatch.setattr(FakeRelay, "end_record", refuse)
    now.now += 100
    assert worlds.remove_idle() == []
    assert [name for name, _ in worlds.relays()] == ["a"]


def test_without_a_limit_no_world_is_idle(relay: FakeRelay) -> None:
    now = Seconds()
    worlds = HostedRelays(relay, DelayQueue(), now_s=now)
    worlds.of("a")
    now.now += 10**9
    assert worlds.remove_idle() == []
