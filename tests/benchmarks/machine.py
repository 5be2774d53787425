"""A Hypothesis machine over the pure relay, and the same machine with no relay behind it: Hypothesis alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from statistics import median
from time import process_time

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, rule, run_state_machine_as_test

from mockrelay.clock import ClockConfig
from mockrelay.control import handle_control
from mockrelay.relay import Relay
from mockrelay.scenario import load_text
from mockrelay.wire.http import RawRequest, Response
from tests.benchmarks.calls import ORDER_PATH, Orders, raw, scenario_text
from tests.benchmarks.effort import Effort
from tests.benchmarks.inside import accepted
from tests.benchmarks.measured import Figures, Measured, ratio

_STEPS = 50
_START_MS = 1_767_225_600_000
_SCENARIO = load_text(scenario_text())
_ACCOUNTS = Relay(_SCENARIO, clock=ClockConfig(0, _START_MS)).accounts()
_ACCEPTED = Response(200, (), b'{"resultInfo":{"code":0},"data":{"orderHash":"0x0"}}')


class Alone(RuleBasedStateMachine):
    """A client's steps, each drawn and its request made; whoever asks gets the same answer."""

    placed = Bundle("placed")

    def __init__(self) -> None:
        super().__init__()
        self.orders = Orders(_ACCOUNTS, _START_MS // 1000)

    @rule(target=placed, matches=st.booleans())
    def submit(self, matches: bool) -> str:
        """An order is placed."""
        body, key = self.orders.pair()[0] if matches else self.orders.resting()
        return accepted(self.handle(raw("POST", ORDER_PATH, key, body=body)))

    @rule(order=placed)
    def cancel(self, order: str) -> None:
        """The relayer cancels an order."""
        self.control(f"orders/{order}/cancel", b"{}")

    @rule(level=st.sampled_from([0, 1, 2]), limit=st.integers(1, 50))
    def look(self, level: int, limit: int) -> None:
        """Somebody looks at the book."""
        query = {"market": "LRC-ETH", "level": str(level), "limit": str(limit)}
        assert self.handle(raw("GET", "/api/v2/depth", _ACCOUNTS[0]["apiKey"], query)).status == 200

    @rule(seconds=st.integers(1, 60))
    def wait(self, seconds: int) -> None:
        """Time goes by."""
        self.control("clock", json.dumps({"advance": f"{seconds}s"}).encode())

    def handle(self, request: RawRequest) -> Response:
        """The answer to a call."""
        return _ACCEPTED

    def control(self, path: str, body: bytes) -> None:
        """Something done by hand."""


class OverRelay(Alone):
    """The same, with a relay of its own in each example."""

    def __init__(self) -> None:
        super().__init__()
        self.relay = Relay(_SCENARIO, clock=ClockConfig(0, _START_MS))

    def handle(self, request: RawRequest) -> Response:
        """The answer to a call."""
        return self.relay.handle(request, self.relay.now_ms())

    def control(self, path: str, body: bytes) -> None:
        """Something done by hand."""
        handle_control(self.relay, "POST", path, (), body)


def hypothesis(effort: Effort) -> Figures:
    """CPU of the same examples with the relay and without, in turn."""
    how = settings(
        max_examples=effort.examples,
        stateful_step_count=_STEPS,
        database=None,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    took: dict[type[Alone], list[float]] = {Alone: [], OverRelay: []}
    for _ in range(effort.rounds):
        for machine, seconds in took.items():
            seconds.append(_cpu_s(lambda: run_state_machine_as_test(machine, settings=how)))  # noqa: B023 - called at once
    value = ratio(took[OverRelay], took[Alone])
    result = " and ".join(f"{median(took[one]) / effort.examples * 1e3:.1f}" for one in (OverRelay, Alone))
    return {"hypothesis": Measured(value, value, f"{result} ms an example of {_STEPS} steps at most")}


def _cpu_s(work: Callable[[], object]) -> float:
    started = process_time()
    work()
    return process_time() - started
