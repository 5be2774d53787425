"""Trouble on WebSockets: faults on messages and pushes, connections that a test drops, pushes that it holds."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from mockrelay.relay import Relay
from mockrelay.relay.sessions.session import HELD_MAX
from mockrelay.spec.sockets import Ending
from mockrelay.testing import RelayerHandle
from tests.live.test_sockets import ACCOUNT, BOOK, KEY_A, TICKER, TRADE, WHOLE_BOOK, buy, relay_of, sell
from tests.support.client import control, done, get
from tests.support.sockets import Socket
from tests.support.worlds import relay_from


@pytest.fixture
def relay() -> Relay:
    return relay_of()


def fault(relay: Relay, **fields: Any) -> None:
    done(relay, "POST", "faults", fields)


def books(pushes: list[Any]) -> list[tuple[int, int]]:
    """The versions that pushes of a book lead from and to."""
    return [(push["startVersion"], push["endVersion"]) for push in pushes if push["topic"]["topic"] == "orderbook"]


def test_a_push_is_left_out_so_that_versions_have_a_gap(relay: Relay) -> None:
    socket = Socket(relay, silent=True)
    socket.subscribe(BOOK)
    fault(relay, on="ws_push", when={"topic": "orderbook", "market": "LRC-ETH"}, push="lose", nth=2)
    for number in range(3):
        sell(relay, 2 * number, price=f"0.000{5 + number}")
    assert books(socket.pushes()) == [(0, 1), (2, 3)]
    assert done(relay, "GET", "faults")[0]["fired"] == 1
    messages = control(relay, "GET", "ws", messages="200").json[0]["messages"]
    assert [each["message"]["endVersion"] for each in messages if each["way"] == "lost"] == [2]


@pytest.mark.parametrize(
    ("trouble", "versions"),
    [("repeat", [(0, 1), (0, 1), (1, 2)]), ("swap", [(1, 2), (0, 1)]), ("hold", [])],
)
def test_what_else_becomes_of_a_push(relay: Relay, trouble: str, versions: list[tuple[int, int]]) -> None:
    socket = Socket(relay, silent=True)
    socket.subscribe(BOOK)
    fault(relay, on="ws_push", push=trouble)
    sell(relay, 0)
    sell(relay, 2, price="0.0006")
    assert books(socket.pushes()) == versions
    if trouble == "hold":
        assert done(relay, "GET", "ws")[0]["held"] == 2
        assert done(relay, "POST", "ws/release", {}) == {"released": 2}
        assert books(socket.pushes()) == [(0, 1), (1, 2)]


def test_two_topics_come_in_another_order(relay: Relay) -> None:
    socket = Socket(relay, silent=True)
    socket.subscribe(TRADE, TICKER)
    sell(relay, 0)
    socket.pushes()
    fault(relay, on="ws_push", when={"topic": "trade"}, push="swap")
    buy(relay, 0)
    assert [push["topic"]["topic"] for push in socket.pushes()] == ["ticker", "trade"]


@pytest.mark.parametrize("how", Ending)
def test_a_connection_ends_in_place_of_a_push(relay: Relay, how: Ending) -> None:
    socket, other = Socket(relay, silent=True), Socket(relay, silent=True)
    for each in (socket, other):
        each.subscribe(TICKER)
        each.pushes()
    fault(relay, on="ws_push", disconnect=how.value)
    sell(relay, 0)
    assert socket.texts() == [f"({how})"]
    assert len(other.pushes()) == 1, "the fault has fired once"
    states = {each["id"]: (each["state"], each["closed_by"]) for each in done(relay, "GET", "ws")}
    assert states[socket.id] == (("silent", None) if how is Ending.SILENT else ("closed", "f1"))
    sell(relay, 2)
    socket.send({"op": "sub", "topics": [TICKER]})
    assert socket.texts() == []


def test_a_message_is_refused_or_ends_the_connection(relay: Relay) -> None:
    socket = Socket(relay, silent=True)
    fault(relay, on="ws_message", when={"op": "sub"}, refuse=104104, name="odd day")
    refused = socket.subscribe(TRADE)
    assert refused["error"] == {"code": 104104, "message": "Missing ApiKey: the scripted fault odd day"}
    assert done(relay, "GET", "ws")[0]["subscriptions"] == []
    assert socket.subscribe(TRADE)["status"] == "OK"
    fault(relay, on="ws_message", when={"op": "unSub"}, disconnect="reset")
    socket.send({"op": "unSub", "topics": [TRADE]})
    assert socket.texts() == ["(reset)"]


def test_a_refusal_may_have_any_code(relay: Relay) -> None:
    socket = Socket(relay, silent=True)
    fault(relay, on="ws_message", refuse=999)
    assert socket.subscribe(TRADE)["error"]["message"].startswith("Code 999: ")


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"on": "ws_push", "push": "loose"}, "one of lose, repeat, hold, swap"),
        ({"on": "ws_push", "refuse": 5}, "ws_message"),
        ({"on": "ws_message", "push": "lose"}, "ws_push"),
        ({"on": "ws_push", "code": 102014}, "nothing to act on"),
        ({"on": "get_depth", "push": "lose"}, "nothing to act on"),
        ({"on": "ws_push", "push": "lose", "when": {"topics": "trade"}}, "'topic'"),
        (
            {"on": "ws_push", "push": "lose", "when": {"topic": "trades"}},
            "one of account, order, orderbook, mixorder, trade",
        ),
        ({"on": "ws_push", "push": "lose", "when": {"market": "LRC-ETC"}}, "the unknown market"),
        ({"on": "ws_push", "push": "lose", "when": {"level": "0"}}, "without quotes"),
        ({"on": "ws_push", "disconnect": "clean", "at": "after"}, "inside the action"),
    ],
)
def test_a_fault_that_could_never_fire_is_refused(relay: Relay, fields: dict[str, Any], says: str) -> None:
    answer = control(relay, "POST", "faults", fields)
    assert answer.status == 400
    assert says in json.dumps(answer.json)


def test_the_specification_has_no_sockets_to_disturb() -> None:
    answer = control(relay_from("default"), "POST", "faults", {"on": "ws_push", "push": "lose"})
    assert (answer.status, answer.json["meant"]) == (400, "`profile: live`, or an endpoint of spec")


def test_a_fault_that_never_fired_is_a_problem(relay: Relay) -> None:
    fault(relay, on="ws_push", when={"topic": "trade"}, push="lose")
    (problem,) = done(relay, "GET", "problems")
    assert problem["kind"] == "unfired_fault"
    assert "on ws_push" in problem["reason"]
    assert "none came that fits" in problem["reason"]


# --- By hand --------------------------------------------------------------------------------------------------------------------


def test_all_pushes_are_held_and_let_go_in_order(relay: Relay) -> None:
    handle = RelayerHandle.of(relay)
    early = Socket(relay, silent=True)
    early.subscribe(BOOK)
    with handle.ws.hold():
        late = Socket(relay, silent=True)
        assert late.subscribe(WHOLE_BOOK)["status"] == "OK", "answers are not held"
        sell(relay, 0)
        sell(relay, 2)
        assert (early.pushes(), late.pushes()) == ([], [])
    assert books(early.pushes()) == [(0, 1), (1, 2)]
    assert books(late.pushes()) == [(0, 0), (0, 1), (1, 2)]
    assert [(view["pushed"], view["held"]) for view in done(relay, "GET", "ws")] == [(2, 0), (3, 0)]
    assert handle.ws.release() == 0


def test_what_is_held_has_a_bound(relay: Relay) -> None:
    """A session ends where more waits than that; the others go on."""
    socket = Socket(relay, silent=True)
    socket.subscribe(ACCOUNT, apiKey=KEY_A)
    done(relay, "POST", "ws/hold", {})
    session = relay.sessions.find(socket.id)
    assert session is not None
    assert session.held is not None
    session.held.extend(["{}"] * HELD_MAX)
    done(relay, "POST", "accounts/first/deposit", {"token": "ETH", "amount": "5"})
    assert socket.texts() == ["(slow)"]
    (view,) = done(relay, "GET", "ws")
    assert "10000 pushes held" in view["closed_by"]
    assert view["held"] == 0


@pytest.mark.parametrize("how", Ending)
def test_a_test_ends_connections(relay: Relay, how: Ending) -> None:
    handle = RelayerHandle.of(relay)
    sockets = [Socket(relay, silent=True) for _ in range(3)]
    assert handle.ws.drop(how.value, sockets[1].id) == [sockets[1].id]
    assert [socket.texts() for socket in sockets] == [[], [f"({how})"], []]
    ended = handle.ws.drop(how.value)
    assert set(ended) >= {sockets[0].id, sockets[2].id}


def test_what_cannot_be_dropped_is_named(relay: Relay) -> None:
    refused = control(relay, "POST", "ws/drop", {"session": "r99"})
    assert (refused.status, refused.json["field"]) == (404, "session")
    assert control(relay, "POST", "ws/drop", {"how": "cleanly"}).json["meant"] == "one of clean, reset, silent, slow"
    assert control(relay, "GET", "ws", messages="-1").status == 400


def test_subscriptions_can_be_asserted(relay: Relay) -> None:
    handle = RelayerHandle.of(relay)
    with pytest.raises(AssertionError, match=r"no open WebSocket is subscribed to .*; nothing is subscribed"):
        handle.ws.assert_subscribed("trade")
    with pytest.raises(ValueError, match="there is no topic 'orderbok'; meant: 'orderbook'"):
        handle.ws.assert_subscribed("orderbok")
    with pytest.raises(ValueError, match="the topic trade has no 'markt'; meant: 'market'"):
        handle.ws.assert_resubscribed("trade", markt="LRC-ETH")
    first = Socket(relay, silent=True)
    first.subscribe(BOOK, TRADE)
    handle.ws.assert_subscribed("orderbook", market="LRC-ETH", level=0)
    with pytest.raises(AssertionError, match=r'subscribed: \{"session": "r1", "topic": "orderbook"'):
        handle.ws.assert_subscribed("orderbook", level=1)
    with pytest.raises(AssertionError, match="subscribed to once, at 1685577600000 ms, and never again"):
        handle.ws.assert_resubscribed("trade", market="LRC-ETH")
    handle.ws.drop()
    with pytest.raises(AssertionError, match="no open WebSocket"):
        handle.ws.assert_resubscribed("trade")
    Socket(relay, silent=True).subscribe(TRADE)
    handle.ws.assert_resubscribed("trade", market="LRC-ETH")
    assert [(each.id, each.state) for each in handle.ws.sessions] == [("r1", "closed"), ("r2", "open")]
    assert [each.topic for each in handle.ws.subscriptions] == ["trade"]
    assert "r2 /v2/ws open" in repr(handle.ws)


# --- Gaps -----------------------------------------------------------------------------------------------------------------------


HEALED: Mapping[str, Callable[[Relay, Socket], object]] = {
    "nothing": lambda relay, socket: None,
    "another market's depth": lambda relay, socket: get(relay, "/api/v3/depth", market="LRC-USDT", level="0"),
    "the trades": lambda relay, socket: socket.subscribe(TRADE),
    "the depth": lambda relay, socket: get(relay, "/api/v3/depth", market="LRC-ETH", level="0"),
    "the whole book": lambda relay, socket: socket.subscribe(WHOLE_BOOK),
    "the changes again": lambda relay, socket: socket.subscribe(BOOK),
    "no more changes": lambda relay, socket: socket.subscribe(BOOK, op="unSub"),
    "the end": lambda relay, socket: socket.close(),
}
HEALS = ("the depth", "the whole book", "the changes again", "no more changes", "the end")


@pytest.mark.parametrize("by", HEALED)
def test_a_gap_is_a_finding_unless_the_book_is_read_again(relay: Relay, by: str) -> None:
    socket = Socket(relay, silent=True)
    socket.subscribe(BOOK)
    fault(relay, on="ws_push", push="lose")
    sell(relay, 0)
    sell(relay, 2)
    HEALED[by](relay, socket)
    sell(relay, 4)
    assert done(relay, "GET", "findings") == []
    sell(relay, 6)
    sell(relay, 8)
    findings = [(each["rule"], each["request"]) for each in done(relay, "GET", "findings")]
    assert findings == ([] if by in HEALS else [("gap-not-healed", socket.id)])


def test_whole_books_heal_themselves(relay: Relay) -> None:
    socket = Socket(relay, silent=True)
    socket.subscribe(WHOLE_BOOK)
    fault(relay, on="ws_push", push="lose")
    for number in range(0, 10, 2):
        sell(relay, number)
    assert done(relay, "GET", "findings") == []
