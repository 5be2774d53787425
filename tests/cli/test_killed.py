"""A server that is killed keeps what it had answered. `python -m tests.cli.killing` does the same some hundred times."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from mockrelay.replay import resume
from tests.cli.killing import killed
from tests.relay.bodies import order
from tests.support.client import control, done, post
from tests.support.worlds import relay_from

CUTS = 60


def test_all_that_was_answered_under_load_is_there_after_each_of_four_kills(tmp_path: Path) -> None:
    assert killed(4, seed=7, folder=tmp_path).answered >= 4


def test_a_record_cut_anywhere_leads_to_the_world_of_its_last_whole_answer() -> None:
    """As by a machine that stops in the middle of a write: each cut gives one of the states that there were."""
    lines: list[str] = []
    relay = relay_from()
    relay.record_to(lines.append)
    digests = {len(lines): done(relay, "GET", "state")["digest"]}
    deeds: list[Callable[[], object]] = [
        *(lambda n=n: post(relay, "/api/v3/order", order(n, memo="\u00e9" * n)) for n in range(12)),
        lambda: control(relay, "POST", "accounts/bob/deposit", {"token": "USDT", "amount": "5"}),
        lambda: control(relay, "POST", "clock", {"advance": "1h"}),
    ]
    for deed in deeds:
        deed()
        digests[len(lines)] = done(relay, "GET", "state")["digest"]
    text = "".join(lines).encode()
    ends = [0]
    for line in lines:
        ends.append(ends[-1] + len(line.encode()))
    chance = random.Random(3)
    for cut in [len(text), *(chance.randrange(ends[min(digests)], len(text)) for _ in range(CUTS))]:
        # A line that lacks nothing but its end is whole.
        whole = max(n for n, end in enumerate(ends) if end <= cut + 1)
        again, loaded = resume(text[:cut])
        assert (loaded.torn is None) == (cut in (ends[whole], ends[whole] - 1))
        # A call's own line is enough: it had been taken on, and may have been answered.
        expected = min(n for n in digests if n >= whole)
        assert done(again, "GET", "state")["digest"] == digests[expected]
