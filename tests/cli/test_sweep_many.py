"""Sweeps in pairs, several runs at once, and sweeps that end early."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import pytest

from mockrelay.cli.options import CliError
from mockrelay.cli.sweep.children import Ended
from mockrelay.cli.sweep.report import as_text
from mockrelay.cli.sweep.variations import Only, pairs, single_variations
from mockrelay.spec.choices import DEFAULTS
from tests.cli.sweeps import BODY, STATUS, Client, Here, reads_only_the_status, reads_the_code, swept, verdicts
from tests.support.answer import Answer
from tests.support.client import ask
from tests.support.processes import PATIENCE_S


def bare(url: str) -> Answer:
    """A refusal of a bare endpoint."""
    return ask(f"{url}/api/v3/nft/info/computeTokenAddress")


def test_a_pair_that_only_together_is_not_survived_is_found() -> None:
    def client(url: str) -> int:
        answer = bare(url)
        return 1 if answer.status == 200 and "code" in answer.json else 0

    only = (Only(STATUS), Only(BODY))
    assert set(verdicts(swept(client, only=only)).values()) == {"survived"}
    found = swept(client, only=only, pairs=True)
    assert verdicts(found) == {
        "400": "survived",
        "200": "survived",
        "code_message": "survived",
        "400 code_message": "survived",
        "200 code_message": "failed",
    }
    assert found.pairs_skipped == 0


def test_pairs_of_which_one_fails_by_itself_or_is_not_met_are_left_out() -> None:
    def client(url: str) -> int:
        return 1 if bare(url).status == 200 else 0

    only = (Only(STATUS), Only(BODY), Only("pending.shape"))
    found = swept(client, only=only, pairs=True)
    assert verdicts(found) == {
        "400": "survived",
        "200": "failed",
        "code_message": "survived",
        "object": "not met",
        "400 code_message": "survived",
    }
    assert found.pairs_skipped == 4
    every = swept(client, only=only, pairs=True, every=True)
    assert len(every.runs) == 4 + 5


def test_pairs_are_of_two_choices() -> None:
    singles = single_variations(DEFAULTS, [Only(STATUS), Only(BODY)])
    assert list(pairs(singles)) == [
        ((STATUS, "400"), (BODY, "code_message")),
        ((STATUS, "200"), (BODY, "code_message")),
    ]


def test_jobs_run_at_once_and_are_told_in_the_order_of_the_table() -> None:
    together = threading.Barrier(2)
    first = threading.Event()

    def client(url: str) -> int:
        if first.is_set():
            together.wait(PATIENCE_S)
        first.set()
        return reads_the_code(url)

    found = swept(client, only=(Only(STATUS),), jobs=2)
    assert list(verdicts(found).items()) == [("400", "survived"), ("200", "survived")]


def test_fail_fast_ends_it_at_the_first_that_is_not_survived() -> None:
    found = swept(reads_only_the_status, choices={STATUS: "400"}, only=(Only(STATUS),), fail_fast=True)
    assert verdicts(found) == {"split": "failed", "200": "not run"}
    assert not found.interrupted


def test_what_is_stopped_tells_what_it_has() -> None:
    children = Here(reads_the_code)

    def client(url: str) -> int:
        if len(children.envs) == 2:
            children.stop()
        return reads_the_code(url)

    children.client = client
    found = swept(client, children=children, only=(Only(STATUS),))
    assert verdicts(found) == {"400": "survived", "200": "not run"}
    assert found.interrupted
    assert as_text(found).endswith("2 options: 1 survived, 1 not run\nstopped before the end")


def test_a_run_beyond_its_time_is_told_so() -> None:
    limits: list[float | None] = []

    class Slow(Here):
        def run(self, command: Any, env: Mapping[str, str], output: Any, timeout_s: float | None) -> Ended:
            limits.append(timeout_s)
            ended = super().run(command, env, output, timeout_s)
            return Ended(None, timed_out=True, stopped=False) if "MOCKRELAY_SET" in env else ended

    found = swept(reads_the_code, children=Slow(reads_the_code), only=(Only(STATUS, "400"),))
    assert verdicts(found) == {"400": "timed out"}
    assert found.runs[0].failed
    assert limits == [None, 60.0]


@pytest.mark.parametrize(
    ("client", "problem"),
    [
        (lambda url: reads_the_code(url) + 7, "the command fails with the defaults (exit code 7)"),
        (lambda _: 0, "the command made no call to the relayer"),
    ],
)
def test_a_client_that_fails_with_the_defaults_or_makes_no_call_is_not_swept(client: Client, problem: str) -> None:
    with pytest.raises(CliError) as raised:
        swept(client)
    assert str(raised.value).startswith(problem)
    assert raised.value.details[0] == "line one"
