"""Drawn messages on WebSockets that open and end, between trades and steps of the clock: each is answered by a code, and what
comes is JSON.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from mockrelay.relay.sessions.session import LOG_CHARACTERS_MAX, LOG_MAX
from mockrelay.spec.sockets import Ending
from tests.live.test_any_socket_message import answered, messages, read
from tests.live.test_sockets import buy, relay_of, sell
from tests.support.client import advance, done
from tests.support.sockets import Socket

SOCKETS = 5


def run(size: int, first_seed: int) -> str:
    """So many messages."""
    relay = relay_of(choices={"signature.scheme": "presence"})
    chance = random.Random(first_seed)
    sockets = [Socket(relay, silent=True) for _ in range(SOCKETS)]
    counts: Counter[str] = Counter()

    @seed(first_seed)
    @settings(
        max_examples=size,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(text=messages())
    def message(text: str) -> None:
        at = chance.randrange(SOCKETS)
        session = relay.sessions.find(sockets[at].id)
        if session is None or session.is_silent:
            sockets[at] = Socket(relay, silent=True)
        counts["carried out" if answered(relay, sockets[at], text) else "refused"] += 1
        _happen(relay, chance, counts)
        for socket in sockets:
            came = [out.text for out in socket.outs if out.text not in (None, "ping", "pong")]
            socket.outs.clear()
            counts["pushes"] += len([read(str(each)) for each in came])

    message()
    assert done(relay, "GET", "problems") == []
    for session in relay.sessions:
        assert len(session.log) <= LOG_MAX
        assert sum(len(each.text) for each in session.log) <= LOG_CHARACTERS_MAX
    return ", ".join(f"{count:,} {what}" for what, count in counts.items())


def _happen(relay: Any, chance: random.Random, counts: Counter[str]) -> None:
    what = chance.randrange(12)
    number = 2 * counts["trades"]
    if what < 3:
        (sell, buy)[what % 2](relay, number, chance.randint(30, 90), f"0.000{chance.randint(400, 600)}")
        counts["trades"] += 1
    elif what == 3:
        advance(relay, f"{chance.randint(1, 60)}s")
    elif what == 4:
        open_ids = [each.id for each in relay.sessions if each.closed_by is None]
        done(relay, "POST", "ws/drop", {"how": chance.choice(list(Ending)).value, "session": chance.choice(open_ids)})
        counts["drops"] += 1
