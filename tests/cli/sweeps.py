"""Sweeps without processes: what is swept is a function of the relayer's address."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any, TextIO

from mockrelay.cli.output import Progress
from mockrelay.cli.sweep.all_runs import Sweep
from mockrelay.cli.sweep.children import Children, Ended
from mockrelay.cli.sweep.one_run import Plan
from mockrelay.cli.sweep.report import Swept
from mockrelay.relay import Relay
from mockrelay.scenario import Scenario, load
from tests.support.client import ask

STATUS, BODY = "http.error_status", "http.bare_error_body"

Client = Callable[[str], int]


class Here(Children):
    """Runs a function of the relayer's address in place of a command; what it returns is the exit code."""

    def __init__(self, client: Client) -> None:
        super().__init__()
        self.client = client
        self.envs: list[dict[str, str]] = []

    def run(self, command: Sequence[str], env: Mapping[str, str], output: IO[bytes], timeout_s: float | None) -> Ended:
        if self.stopped:
            return Ended(None, timed_out=False, stopped=True)
        self.envs.append(dict(env))
        code = self.client(env.get("MOCKRELAY_URL", ""))
        output.write(f"line one\n\x1b[31mended with {code}\x1b[0m\n\n".encode())
        return Ended(code, timed_out=False, stopped=False)


def reads_only_the_status(url: str) -> int:
    """The planted bug: no key is sent, which must be refused; it looks for that in the status alone."""
    return 0 if ask(f"{url}/api/v2/orders").status >= 400 else 1


def reads_the_code(url: str) -> int:
    """The honest client."""
    return 0 if ask(f"{url}/api/v2/orders").code == 104001 else 1


def swept(
    client: Client,
    *,
    children: Here | None = None,
    scenario: Scenario | None = None,
    stream: TextIO | None = None,
    **plan: Any,
) -> Swept:
    """What a sweep over a function comes to; the plan's fields by name."""
    choices = plan.setdefault("choices", {})
    relay = Relay(scenario or load("default"), choices=choices)
    base = dict(relay.world.choices)
    progress = Progress(stream or io.StringIO())
    env = {"HOME": "x", "MOCKRELAY_SWEEP_JOBS": "7", "MOCKRELAY_TOKEN": "not for a server without one"}
    return Sweep(Plan(("client",), **plan), relay.scenario, base, env, children or Here(client), progress).run()


def verdicts(found: Swept) -> dict[str, str]:
    return {" ".join(option for _, option in run.variation): run.verdict.value for run in found.runs}
