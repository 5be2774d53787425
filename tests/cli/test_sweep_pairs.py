"""Pairs of options, many in a run: planned, and made small where a run fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import click
from hypothesis import given
from hypothesis import strategies as st

from mockrelay.cli.sweep.covering import covering_array, run_pairs
from mockrelay.cli.sweep.one_run import Run, Verdict
from mockrelay.cli.sweep.report import Swept, as_text
from mockrelay.cli.sweep.variations import BASE, Variation, pairs, single_variations
from mockrelay.spec.choices import DEFAULTS

SINGLES: list[Variation] = [((f"k{key}", option),) for key in range(10) for option in "ab"]
PAIRS = list(pairs(SINGLES))
A_B = (("k1", "a"), ("k4", "b"))


def runs_of(fails: Callable[[Variation], bool], log: list[Variation]) -> Callable[[Sequence[Variation]], list[Run]]:
    """Runs that fail where `fails` says so, and meet every choice."""

    def run_all(variations: Sequence[Variation]) -> list[Run]:
        log.extend(variations)
        return [Run(each, Verdict.FAILED if fails(each) else Verdict.SURVIVED) for each in variations]

    return run_all


def met(pair: Variation, run: Run) -> bool:
    return True


@given(st.lists(st.sampled_from(PAIRS), unique=True))
def test_each_pair_is_in_a_row_and_a_row_has_one_option_of_a_choice(some: list[Variation]) -> None:
    rows = covering_array(SINGLES, some)
    assert {pair for row in rows for pair in combinations(row, 2)} >= {*some}
    for row in rows:
        assert len({key for key, _ in row}) == len(row)


def test_the_rows_are_few() -> None:
    """A tenth of the pairs for ten choices, and some hundredths for all that there are."""
    assert len(covering_array(SINGLES, PAIRS)) <= len(PAIRS) // 10
    every = single_variations(DEFAULTS)
    assert len(covering_array(every, [*pairs(every)])) <= len([*pairs(every)]) // 100


def test_no_row_has_what_fails() -> None:
    rows = covering_array(SINGLES, [pair for pair in PAIRS if pair != A_B], [frozenset(A_B)])
    assert not [row for row in rows if set(A_B) <= set(row)]


def test_where_nothing_fails_only_the_rows_are_run() -> None:
    log: list[Variation] = []
    runs = run_pairs(SINGLES, PAIRS, runs_of(lambda _: False, log), met)
    assert [run.variation for run in runs] == covering_array(SINGLES, PAIRS) == log


@given(st.lists(st.sampled_from(PAIRS), min_size=1, max_size=3, unique=True))
def test_every_pair_that_fails_is_found_alone_and_no_other(planted: list[Variation]) -> None:
    log: list[Variation] = []
    runs = run_pairs(SINGLES, PAIRS, runs_of(lambda row: any(set(pair) <= set(row) for pair in planted), log), met)
    assert {run.variation for run in runs if run.failed} == {*planted}
    shown = {pair for run in runs for pair in combinations(run.variation, 2)}
    assert shown == {*PAIRS}
    assert len(log) < len(PAIRS)


def test_three_options_that_fail_only_together_are_shown_together() -> None:
    three = {("k0", "a"), ("k1", "a"), ("k2", "a")}
    runs = run_pairs(SINGLES, PAIRS, runs_of(lambda row: three <= set(row), []), met)
    assert [set(run.variation) for run in runs if run.failed] in ([three], [])


def test_a_pair_that_its_row_has_not_met_is_run_alone() -> None:
    """Another option of the row may keep a choice from being consulted."""
    log: list[Variation] = []
    runs = run_pairs(SINGLES, PAIRS, runs_of(lambda _: False, log), lambda pair, run: pair != A_B)
    assert log == [*covering_array(SINGLES, PAIRS), A_B]
    assert runs[-1].variation == A_B


def test_the_table_has_options_and_what_fails_together_and_the_rest_is_counted() -> None:
    status, body, order = ("http.error_status", "200"), ("http.bare_error_body", "code_message"), ("order.dust", "keep")
    survived = [Run(each, Verdict.SURVIVED) for each in ((status,), (status, body, order))]
    failed = Run((status, body), Verdict.FAILED, "exit code 1")
    swept = Swept(Run(BASE, Verdict.SURVIVED), [*survived, failed], 3, interrupted=False)
    lines = click.unstyle(as_text(swept)).splitlines()
    assert [line.split()[:3] for line in lines[1:3]] == [
        ["http.error_status", "200", "survived"],
        ["http.error_status", "+", "http.bare_error_body"],
    ]
    assert lines[3] == "1 option and 2 combinations: 2 survived, 1 failed"
