"""Pairs of options, several in a run: a covering array, in which each pair is met by a run, and what fails is made small."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from mockrelay.cli.sweep.one_run import Run, Verdict
from mockrelay.cli.sweep.variations import Variation

ROUNDS_MAX = 4
"""The number of rounds in which runs are planned anew around what failed; after these each pair is run alone."""

RunAll = Callable[[Sequence[Variation]], list[Run]]
Option = tuple[str, str]


def run_pairs(
    singles: Sequence[Variation],
    pairs: Collection[Variation],
    run_all: RunAll,
    is_met: Callable[[Variation, Run], bool],
) -> list[Run]:
    """The runs that show of each pair whether it is survived. Of a run that fails the smallest part that fails takes its place.

    A run of many options that survives shows it for the pairs that it has met (`is_met`); the others are run alone.
    """
    remaining, alone = dict.fromkeys(pairs), dict[Variation, None]()
    runs: dict[Variation, Run] = {}
    failing: list[frozenset[Option]] = []
    for number in range(ROUNDS_MAX + 1):
        together = [pair for pair in remaining if pair not in alone and number < ROUNDS_MAX]
        rows = [*covering_array(singles, together, failing), *(pair for pair in remaining if pair not in together)]
        for run in run_all(rows) if rows else ():
            inside = [pair for pair in remaining if set(pair) <= set(run.variation)]
            if run.failed:
                small = smallest_failing(run, run_all)
                failing.append(frozenset(small.variation))
                runs[small.variation] = small
                remaining.pop(small.variation, None)
                continue
            runs[run.variation] = run
            if run.verdict is Verdict.NOT_RUN and run.detail == "stopped":
                return [*runs.values()]
            for pair in inside:
                if len(run.variation) == len(pair) or (run.verdict is not Verdict.NOT_RUN and is_met(pair, run)):
                    remaining.pop(pair)
                else:
                    alone[pair] = None
        if not remaining:
            break
    return [*runs.values()]


def covering_array(
    singles: Sequence[Variation], pairs: Sequence[Variation], failing: Iterable[frozenset[Option]] = ()
) -> list[Variation]:
    """Variations of as many options as fit together, in which each of the pairs is; none has all options of one that fails.

    Each begins with a pair and takes in the option that brings most further pairs, the first of several such ones. In each the
    options stand in the order of `singles`.
    """
    remaining = dict.fromkeys(frozenset(pair) for pair in pairs)
    wanted = {option for pair in pairs for option in pair}
    options = [option for (option,) in singles if option in wanted]
    forbidden = tuple(failing)
    rows = []
    while remaining:
        row = set(next(iter(remaining)))
        while True:
            keys = {key for key, _ in row}
            gains = {
                option: sum(frozenset((option, other)) in remaining for other in row)
                for option in options
                if option[0] not in keys and not any(part <= row | {option} for part in forbidden)
            }
            best = max(gains, key=gains.__getitem__, default=None)
            if best is None or not gains[best]:
                break
            row.add(best)
        for pair in [pair for pair in remaining if pair <= row]:
            del remaining[pair]
        rows.append(tuple(option for option in options if option in row))
    return rows


def smallest_failing(run: Run, run_all: RunAll) -> Run:
    """The run of a part of a failed run's options that fails too and of which no part that was tried does (ddmin)."""
    pieces = 2
    while len(run.variation) > pieces or (len(run.variation) == pieces and pieces > 2):
        size = -(-len(run.variation) // pieces)
        starts = range(0, len(run.variation), size)
        parts = [(*run.variation[:at], *run.variation[at + size :]) for at in starts]
        smaller = next((each for each in run_all([part for part in parts if len(part) > 1]) if each.failed), None)
        if smaller is not None:
            run, pieces = smaller, max(pieces - 1, 2)
        elif size == 1:
            break
        else:
            pieces = min(2 * pieces, len(run.variation))
    return run
