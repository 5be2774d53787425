"""A relay whose time a test moves like real time, and what is found there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockrelay.clock import Clock
from mockrelay.relay import Relay
from mockrelay.scenario import load_text
from tests.support.client import done
from tests.support.worlds import START_MS, W


class Hand:
    """The real time under a relay's clock, which goes on when it is told to."""

    def __init__(self) -> None:
        self.ms = 0

    def __call__(self) -> int:
        return self.ms


class Bench:
    """World W, its clock running at a rate over a hand-moved real time."""

    def __init__(
        self,
        choices: Mapping[str, str] | None = None,
        *,
        limits: Any = "off",
        rate: float = 1,
        edit: tuple[str, str] = ("", ""),
        start_ms: int = START_MS,
    ) -> None:
        self.hand = Hand()
        text = W.read_text(encoding="utf-8").replace(*edit)
        self.relay = Relay(
            load_text(text, "w"),
            choices=choices,
            limits_on=limits == "spec",
            clock=Clock(start_ms, rate, self.hand),
        )

    def wait(self, ms: int) -> None:
        """Let real time go by."""
        self.hand.ms += ms

    def fault(self, **fields: Any) -> None:
        """Arm a fault."""
        done(self.relay, "POST", "faults", fields)

    def rules(self) -> list[str]:
        """The rules of all findings."""
        return [finding["rule"] for finding in done(self.relay, "GET", "findings")]

    def findings(self, rule: str) -> list[Any]:
        """The findings under a rule."""
        return [finding for finding in done(self.relay, "GET", "findings") if finding["rule"] == rule]
