"""Calls whose answers depend most on the interpreter, as a record: `python -m tests.replay.odd_calls FILE`.

`.ci/run` writes it under one Python and replays it under the others.
"""

from __future__ import annotations

import sys
from pathlib import Path

from mockrelay.relay import Relay
from tests.support.client import done, get, post, send

ORDER = "/api/v3/order"
YOUNG = "\U00011f00\U0001fae8\u2ffc"
"""Letters of Unicode 15.0 and 15.1, which Python 3.11 cannot print, and the later ones can."""
BODIES: tuple[bytes, ...] = (
    b'{"a":1,}',
    b'{"a":[1,]}',
    b'{"a":[1, 2 , ] }',
    b'{"a":1 "b":2}',
    b'{"a":"\\u00',
    b'{"a":"\\x"}',
    b'{"a":"\x01"}',
    b"{'a':1}",
    b"[" * 100 + b"x",
    b"[" * 3_000 + b"x",
    b"[" * 30_000,
    b'{"a":' + b"[" * 3_000 + b'{"b":1,"b":1}',
    b'{"a":NaN,"b":' + b"[" * 3_000,
    b'{"a":' + b"9" * 5_000 + b',"b":' + b"[" * 3_000,
    f'{{"{YOUNG}":"{YOUNG}"}}'.encode(),
    b"\xff\xfe",
)


def odd_calls(relay: Relay) -> bytes:
    """The record of a relay that gets them."""
    lines: list[str] = []
    relay.record_to(lines.append)
    for body in BODIES:
        send(relay, "POST", ORDER, body=body)
    for market in (YOUNG, "größe", "it's", 'a"b', "\x00\x7f\u200b"):
        get(relay, "/api/v2/ticker", market=market)
        get(relay, "/api/v2/depth", market=market, level=market)
        get(relay, "/api/v3/block/getBlock", id=market)
    for status in (413, 414, 416, 422, 599):
        done(relay, "POST", "faults", {"on": "submit_order", "status": status})
        post(relay, ORDER, {})
    return "".join(lines).encode()


def main(file: str) -> None:
    """Write the record."""
    Path(file).write_bytes(odd_calls(Relay.from_scenario("default", limits="off")))


if __name__ == "__main__":
    main(sys.argv[1])
