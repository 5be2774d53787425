"""Whatever a client sends on a WebSocket: one answer, with a result or a code, and nothing but JSON comes."""

from __future__ import annotations

import json
from typing import Any, NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockrelay.relay import Relay
from mockrelay.spec.sockets import TOPICS, TOPICS_MAX, SocketCode
from tests.live.test_sockets import ACCOUNT, KEY_A, TICKER, buy, relay_of, sell
from tests.support.client import digest, done
from tests.support.hostile_values import ANY_JSON, any_json_text
from tests.support.sockets import Socket

PARAMETERS = {name for topic in TOPICS.values() for name in topic.parameters}
LIKELY = [*TOPICS, "LRC-ETH", "1min", 0, 1, 50, True, False, None, 20001, "sub", "unSub", KEY_A, 1.5, -1, 10**30]
values = (st.sampled_from(LIKELY) | ANY_JSON).map(json.dumps) | any_json_text
"""Texts of JSON values, and of what looks like them."""


def objects(right: dict[str, Any], names: list[str]) -> st.SearchStrategy[str]:
    """Texts of an object that is right but for some fields."""
    return st.dictionaries(st.sampled_from(names) | st.text(max_size=4), st.none() | values, max_size=2).map(
        lambda changes: "{" + ",".join(f"{json.dumps(name)}:{text}" for name, text in _fields(right, changes)) + "}"
    )


def _fields(right: dict[str, Any], changes: dict[str, str | None]) -> list[tuple[str, str]]:
    texts = {name: json.dumps(value) for name, value in right.items()} | changes
    return [(name, text) for name, text in texts.items() if text is not None]


RIGHT_TOPICS = [
    {"topic": name, **{each: {"level": 0, "market": "LRC-ETH", "interval": "1d"}[each] for each in topic.required}}
    for name, topic in TOPICS.items()
]
topics = st.sampled_from(RIGHT_TOPICS).flatmap(lambda right: objects(right, sorted({"topic", *PARAMETERS})))
lists = st.lists(topics, max_size=4).map(lambda each: f"[{','.join(each)}]")


@st.composite
def messages(draw: st.DrawFn) -> str:
    """Messages that are nearly right, and others."""
    if draw(st.integers(0, 9)) == 0:
        return draw(values | st.text())
    names = ["op", "sequence", "apiKey", "topics", "unsubscribeAll"]
    right = {"op": draw(st.sampled_from(["sub", "sub", "unSub"])), "sequence": 7, "apiKey": KEY_A, "topics": "@"}
    return draw(objects(right, names)).replace('"@"', draw(lists))


def no_constant(word: str) -> NoReturn:
    raise AssertionError(f"{word} is not JSON")


def read(text: str) -> Any:
    return json.loads(text, parse_constant=no_constant)


def subscriptions(relay: Relay, session_id: str) -> list[str]:
    session = relay.sessions.find(session_id)
    assert session is not None
    return list(session.subscriptions)


def answered(relay: Relay, socket: Socket, text: str) -> bool:
    """Send a message, and check what comes; whether it was carried out."""
    held = subscriptions(relay, socket.id)
    socket.send(text)
    if text in ("ping", "pong"):
        return not socket.texts() or text == "ping"
    answer, *first = map(read, socket.texts())
    result = answer["result"]
    if result["status"] == "failed":
        assert result["error"]["code"] in set(SocketCode)
        assert result["error"]["message"]
        assert (subscriptions(relay, socket.id), first) == (held, [])
        return False
    assert result == {"status": "OK"}
    assert all(push["topic"]["topic"] in TOPICS for push in first)
    assert len(subscriptions(relay, socket.id)) <= TOPICS_MAX
    return True


@given(sent=st.lists(messages(), min_size=1, max_size=6))
def test_it_is_answered_by_a_result_or_a_code_and_what_is_pushed_is_json(sent: list[str]) -> None:
    relay = relay_of(choices={"signature.scheme": "presence"})
    socket = Socket(relay, silent=True)
    before = digest(relay)
    for text in sent:
        answered(relay, socket, text)
    assert digest(relay) == before
    sell(relay, 0)
    buy(relay, 0)
    assert all(push["topic"]["topic"] in TOPICS for push in map(read, socket.texts()))
    assert done(relay, "GET", "problems") == []


@pytest.mark.parametrize(
    "beside",
    [{"level": "0"}, {"level": 1.5, "interval": [0.5]}, {"x": {"y": [1e300]}}, {"count": None}],
    ids=json.dumps,
)
def test_fields_that_a_topic_does_not_have_may_hold_anything_and_are_repeated(beside: dict[str, Any]) -> None:
    relay = relay_of()
    socket = Socket(relay, silent=True)
    topic = {**TICKER, **beside}
    assert socket.subscribe(topic, {**ACCOUNT, "market": [], "level": {}}, apiKey=KEY_A) == {"status": "OK"}
    assert socket.pushes()[0]["topic"] == topic


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"op":NaN}', "NaN is not a JSON number"),
        ('{"op":"sub","topics":[{"topic":"trade","market":"LRC-ETH","x":1e400}]}', "1e400 is not a JSON number"),
        ('{"sequence":' + "9" * 5000 + "}", "too many digits"),
        ("[" * 60_000, "nested deeper"),
    ],
)
def test_of_what_cannot_be_read_nothing_is_repeated_that_would_break_the_answer(text: str, says: str) -> None:
    socket = Socket(relay_of(), silent=True)
    socket.send(text)
    (answer,) = map(read, socket.texts())
    assert answer["result"]["error"]["code"] == SocketCode.UNREADABLE
    assert says in answer["result"]["error"]["message"]
