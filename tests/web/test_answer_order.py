"""Answers on one connection come in the order of their requests, whatever kinds these are of and however they come in.

Each request is a kind (a GET, a POST with chunks, one with a length), whether its answer waits for the clock, and a number
that its answer gives back. The clock stands still but for the seconds by which the tests move it, so an answer that waits
stays where it is while what comes behind it is looked at.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations, product
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mockrelay.wire.http import RawRequest, Response
from tests.support.connection import Connection, connected
from tests.web.cases import WAYS
from tests.web.fake import JSON_TYPE, FakeRelay

KINDS = ("get", "chunked", "length")
STEPS_MAX = 1_000


class Sent(NamedTuple):
    kind: str
    is_late: bool


Cut = Callable[[Sequence[bytes]], list[bytes]]
"""The packets in which some requests are sent."""

CUTS: dict[str, Cut] = {
    "at once": lambda sent: [b"".join(sent)],
    "one by one": list,
    "two and the rest": lambda sent: [b"".join(sent[:2]), *sent[2:]],
    "the last with the head of the next": lambda sent: [
        before[len(before) // 2 :] + after[: len(after) // 2]
        for before, after in zip([b"", *sent], [*sent, b""], strict=True)
    ],
}


class Numbered(FakeRelay):
    """Answers with the number of the request: `/late/N` a second after it came, `/soon/N` at once. Keeps no requests."""

    def handle(self, raw: RawRequest, now_ms: int, generation: int | None = None) -> Response:
        _, when, number = raw.path.split("/")
        at_ms = now_ms + 1_000 if when == "late" else None
        found = {"number": int(number), "body": raw.body.decode()}
        return Response(200, (JSON_TYPE,), json.dumps(found).encode(), not_before_ms=at_ms)


def written(sent: Sent, number: int) -> bytes:
    target = f"/{'late' if sent.is_late else 'soon'}/{number}"
    method = "GET" if sent.kind == "get" else "POST"
    head = f"{method} {target} HTTP/1.1\r\nHost: a\r\n"
    if sent.kind == "chunked":
        return f"{head}Transfer-Encoding: chunked\r\n\r\n4\r\n\r\n\r\n\r\n1\r\nx\r\n0\r\nT: x\r\n\r\n".encode()
    if sent.kind == "length":
        return f"{head}Content-Length: 5\r\n\r\n\r\n\r\nx".encode()
    return f"{head}\r\n".encode()


class Place(NamedTuple):
    """A relay that is served somewhere."""

    relay: Numbered
    url: str

    def answers(self, sent: Sequence[Sent], packets: Sequence[bytes]) -> list[Any]:
        """The answers to requests that are sent in these packets, each seen by the server before the next."""
        with connected(self.url) as wire:
            for packet in packets:
                wire.send(packet)
                self.let_all_be_seen()
            answers = []
            for _ in sent:
                self.advance_until_readable(wire)
                answers.append(wire.read().json)
            assert not wire.has_received
        return answers

    def let_all_be_seen(self) -> None:
        """By the time that another client is answered the loop has dealt with what had been sent before."""
        with connected(self.url) as another:
            assert another.ask("GET", "/soon/0").status == 200

    def advance_until_readable(self, wire: Connection) -> None:
        for _ in range(STEPS_MAX):
            if wire.has_received:
                return
            self.relay.clock.advance(1_000)
            self.let_all_be_seen()
        raise AssertionError("no answer comes, however far the clock is moved")


@contextlib.contextmanager
def served(way: str) -> Iterator[Place]:
    relay = Numbered()
    with WAYS[way](relay) as url:
        yield Place(relay, url)


@pytest.fixture(scope="module", params=WAYS)
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    with served(request.param) as place:
        yield place


def check(place: Place, sent: Sequence[Sent], cut: Cut) -> None:
    packets = cut([written(each, number) for number, each in enumerate(sent)])
    bodies = {"chunked": "\r\n\r\nx", "length": "\r\n\r\nx"}
    wanted = [{"number": number, "body": bodies.get(each.kind, "")} for number, each in enumerate(sent)]
    assert place.answers(sent, [packet for packet in packets if packet]) == wanted


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("kinds", list(permutations(KINDS)), ids="-".join)
def test_answers_come_in_the_order_of_their_requests(place: Place, kinds: Sequence[str], cut: str) -> None:
    for late in product((False, True), repeat=len(KINDS)):
        check(place, [Sent(*each) for each in zip(kinds, late, strict=True)], CUTS[cut])


REQUESTS = st.lists(st.builds(Sent, st.sampled_from(KINDS), st.booleans()), min_size=2, max_size=8)


@settings(max_examples=60, deadline=None)
@given(sent=REQUESTS, cuts=st.lists(st.integers(1, 400), max_size=6))
def test_any_sequence_in_any_packets_is_answered_in_order(place: Place, sent: list[Sent], cuts: list[int]) -> None:
    def cut(requests: Sequence[bytes]) -> list[bytes]:
        data, packets = b"".join(requests), []
        for size in cuts:
            packets.append(data[:size])
            data = data[size:]
        return [*packets, data]

    check(place, sent, cut)


def test_what_is_no_http_is_refused_behind_the_answers_to_what_came_before_it_in_one_packet() -> None:
    sent = [Sent("get", False), Sent("get", True), Sent("chunked", True), Sent("get", True), Sent("length", False)]
    with served("serve") as place, connected(place.url) as wire:
        wire.send(b"".join(written(each, number) for number, each in enumerate(sent)) + b"rubbish\r\n\r\n")
        for number in range(len(sent)):
            place.advance_until_readable(wire)
            assert wire.read().json["number"] == number
        assert wire.read().refusal_code == 100000
        assert wire.at_end()
