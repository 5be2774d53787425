"""New traffic: a seeded random drives a live server and writes down what it sent and what came back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.net.acts import ACTS
from tests.net.calls import CALLS
from tests.net.player import Player
from tests.net.traffic import CONTROL, OPTIONS, START, Case, Session, Step
from tests.net.wire import ROOT, served

STEPS_PER_RUN = 140
STATE_EVERY = 20
REPORTS = (
    *((f"findings?format={form}") for form in ("text", "json", "junit", "sarif")),
    *((f"coverage?format={form}") for form in ("text", "text-missing", "junit")),
    *("findings", "problems", "requests?last=40", "faults", "snapshots", "choices", "coverage", "state"),
)
TEXTS = sorted(Path(__file__).with_name("scenarios").glob("*.yaml"))


def names() -> list[str]:
    """The cases: every packaged scenario, and every one that lies beside this file."""
    return [*sorted(file.stem for file in (ROOT / "scenarios").glob("*.yaml")), *(f"net/{file.stem}" for file in TEXTS)]


def record(name: str) -> Case:
    """The traffic of one case: four runs, in the server's own relayer and in a world, with and without limits."""
    text = (Path(__file__).parent / "scenarios" / f"{name[4:]}.yaml").read_text() if name.startswith("net/") else None
    options = (*OPTIONS, *(() if text else ("--scenario", name)))
    scenario: dict[str, Any] = {"scenarioText": text} if text else {}
    with served(*options) as port:
        session = Session(port)
        plain, signed = Player(session, f"{name} plain"), Player(session, f"{name} signed", "signed", signed=True)
        steps: list[Step] = []
        answers: list[dict[str, Any]] = []
        for player, start in (
            (plain, {"limits": "off"}),
            (signed, {"limits": "off", "choices": {"signature.scheme": "protocol", "hash.scheme": "protocol"}}),
            (plain, {}),
            (signed, {"choices": {"signature.scheme": "protocol"}}),
        ):
            player.offset = len(steps)
            player.steps, player.answers = [], []
            player.reset(**scenario, **start)
            _play(player)
            _finish(player)
            steps += player.steps
            answers += player.answers
        session.client.close()
    return Case(options, steps, answers)


def _play(player: Player) -> None:
    calls, acts = _weighted(CALLS), _weighted(ACTS)
    seen = 0
    while len(player.steps) < STEPS_PER_RUN:
        player.rng.choice(acts if player.one_in(3) else calls)(player)
        if len(player.steps) // STATE_EVERY > seen:
            seen = len(player.steps) // STATE_EVERY
            player.look()


def _finish(player: Player) -> None:
    """Let all be over, read what is held, and take every report."""
    player.control("POST", "clock", {"advance": "5m"})
    for number in player.held:
        player.take(Step("", "", {}, "", read=number))
    player.held = []
    for path in REPORTS:
        player.take(Step("GET", f"{player.base}{CONTROL}{path}", {}, ""))
    if player.signed:
        other = f"/w/elsewhere{CONTROL}"
        player.take(Step("POST", f"{other}reset", {}, json.dumps({"clock": {"rate": 0, "start": START}})))
        player.take(Step("GET", "/w/elsewhere/api/v2/exchange/info", player.headers(player.account()), ""))
        player.take(Step("GET", f"{other}state", {}, ""))
        player.take(Step("GET", f"{CONTROL}worlds", {}, ""))
        player.take(Step("DELETE", f"{CONTROL}worlds/elsewhere", {}, json.dumps({"report": False})))


def _weighted(table: Any) -> list[Any]:
    return [entry for weight, entry in table for _ in range(weight)]
