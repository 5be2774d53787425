"""Spoiled HTTP, the same bytes to `serve` and to the application: both answer alike, none fails, none hangs."""

from __future__ import annotations

import json
import random
import re
import socket
from collections import Counter
from typing import Any
from unittest.mock import patch

from mockrelay.web import connection, dispatch
from tests.support.connection import connected
from tests.web.cases import BEHIND, CASES, WAYS, Echo
from tests.web.fake import control
from tests.web.test_any_bytes import FRAGMENTS, PARTS

LONGEST_BYTES = 4_000
"""Longer requests are cases of their own: as many of them would take hours."""


def run(size: int, first_seed: int) -> str:
    """So many malformed requests."""
    sent = [_malformed(random.Random(f"{first_seed} {number}")) for number in range(size)]
    found: dict[str, list[list[Any]]] = {}
    with patch.object(connection, "LINGER_S", 0.05), patch.object(dispatch, "handle_control", control):
        for way, serving in WAYS.items():
            # One after the other: some make and remove worlds.
            with serving(Echo()) as url:
                found[way] = [_answers(url, data) for data in sent]
    statuses: Counter[int] = Counter()
    for data, served, applied in zip(sent, found["serve"], found["create_app"], strict=True):
        assert served == applied, (data, served, applied)
        statuses.update(status for status, _ in served)
    assert max(statuses) < 500, statuses
    shown = ", ".join(f"{count:,} times {status}" for status, count in sorted(statuses.items()))
    return f"{size:,} malformed requests answered alike by both: {shown}"


def _malformed(chance: random.Random) -> bytes:
    whole = [case.sent for case in CASES.values() if len(case.sent) <= LONGEST_BYTES]
    data = bytearray(
        b"".join(chance.choice((chance.choice(whole), chance.choice(PARTS))) for _ in range(chance.randint(1, 3)))
    )
    for _ in range(chance.randint(1, 4)):
        at = chance.randint(0, len(data))
        put = chance.choice((chance.choice(FRAGMENTS), chance.randbytes(chance.randint(0, 4))))
        data[at : at + chance.randint(0, 8)] = put
    return bytes(data) + BEHIND


def _answers(url: str, sent: bytes) -> list[Any]:
    """Status and body of each answer up to the end of the connection, without numbers and parsers' own words."""
    found: list[Any] = []
    with connected(url) as wire:
        wire.send(sent)
        wire.sock.shutdown(socket.SHUT_WR)
        received = b""
        while more := wire.sock.recv(1 << 16):
            received += more
    at = 0
    while head := re.compile(rb"HTTP/1\.1 (\d{3}) [^\r\n]*\r\n((?:[^\r\n]+\r\n)*)\r\n").match(received, at):
        length = re.search(rb"(?i)content-length: (\d+)", head[2])
        at = head.end()
        body = b""
        if length and not received.startswith(b"HTTP/1.1", at):
            body = received[at : at + int(length[1])]
            at += len(body)
        found.append((int(head[1]), b"" if head[1] == b"400" else re.sub(rb'"s\d+"', b'"s"', body)))
        # The one at the root of the server is the page.
        if body and b"text/html" not in head[2]:
            json.loads(body)
    assert at == len(received), (sent, received[at:])
    return found
