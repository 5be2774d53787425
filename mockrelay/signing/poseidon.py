"""Poseidon, the hash of layer-2 messages, with the parameters of this protocol.

A state of `width` field elements goes through rounds. Each round adds one constant to every word, raises words to the
fifth power, and multiplies the state by a matrix. In the full rounds (three first, three last) all words are raised;
in the partial rounds between them only word 0 is. No word is reserved for a domain or a length: the inputs fill the state
from word 0, the rest is zero, and the output is word 0. So zeros appended to the inputs change nothing, and only the width
separates kinds of messages.

Most libraries of this name have other constants, and so other hashes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import islice

from mockrelay.signing.field import dot, inverse_matrix, inverses
from mockrelay.signing.parameters import SNARK_FIELD as P

FULL_ROUNDS = 6
PARTIAL_ROUNDS = 53
"""For the hashes of requests. The challenge of a signature and nftData have one less."""
WIDTH_MAX = 16
"""No wider state is used; it bounds the tables."""

Row = tuple[int, ...]
_HALF = FULL_ROUNDS // 2


def poseidon(inputs: Sequence[int], width: int, partial_rounds: int = PARTIAL_ROUNDS) -> int:
    """The hash of at most `width` numbers, as an element of the field.

    Inputs count modulo P. Raises ValueError for more inputs than words, or a width outside 2 to `WIDTH_MAX`.
    """
    if len(inputs) > width:
        raise ValueError(f"{len(inputs)} inputs do not fit into a state of {width} words")
    tables = tables_for(width, partial_rounds)
    state = [*inputs, *[0] * (width - len(inputs))]
    for constant in tables.constants[:_HALF]:
        state = _full_round(state, constant, tables.matrix)
    state = _all_partial_rounds(state, tables)
    for constant in tables.constants[-_HALF:-1]:
        state = _full_round(state, constant, tables.matrix)
    (output,) = _full_round(state, tables.constants[-1], tables.matrix[:1])
    return output


def _full_round(state: Sequence[int], constant: int, rows: Sequence[Row]) -> list[int]:
    raised = []
    for word in state:
        base = word + constant
        square = base * base % P
        raised.append(square * square % P * base % P)
    return [dot(row, raised) for row in rows]


def _all_partial_rounds(state: Sequence[int], tables: Tables) -> list[int]:
    """All partial rounds.

    The only step of these rounds that is not linear is the fifth power of word 0. Call what it adds to the word (the power
    less the word itself) the kick of the round. As in every linear system, word 0 is then a linear recurrence: a sum of its
    last `width` values and the last `width` kicks with constant factors (and an offset, from the constants of the rounds).
    The other words are computed only at the end. A round costs 2 * width multiplications instead of width * width.
    """
    span = 2 * len(state)
    history: list[int] = []  # word 0 and its kick, round by round, oldest first
    for row in tables.before:
        history += (dot(row, state), 0)
    for constant in tables.offsets:
        word = dot(tables.factors, history[-span:])
        base = word + constant
        square = base * base % P
        history += (word, (square * square % P * base - base) % P)
    history.append(1)
    return [dot(row, history[-span - 1 :]) for row in tables.after]


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables of one width and number of partial rounds; computed once in some 10 ms, below 100 KiB."""

    constants: Row
    """One for each round; it is added to every word."""
    matrix: tuple[Row, ...]
    before: tuple[Row, ...]
    """From the state before the partial rounds: what word 0 would have been in each of `width` earlier rounds."""
    factors: Row
    """From the last `width` pairs of word 0 and kick, oldest first: the next word 0."""
    offsets: Row
    """For each partial round: what all constants so far add to word 0."""
    after: tuple[Row, ...]
    """From the last `width` pairs, and 1: each word after the partial rounds."""


@lru_cache(maxsize=16)
def tables_for(width: int, partial_rounds: int = PARTIAL_ROUNDS) -> Tables:
    """Constants and matrix of a state of `width` words, and the tables of the partial rounds."""
    if not 2 <= width <= WIDTH_MAX or not 1 <= partial_rounds <= 2 * PARTIAL_ROUNDS:
        raise ValueError(f"no Poseidon of {width} words and {partial_rounds} partial rounds is used")
    constants = tuple(islice(_numbers(b"poseidon_constants"), FULL_ROUNDS + partial_rounds))
    drawn = list(islice(_numbers(b"poseidon_matrix_0000"), 2 * width))
    # A Cauchy matrix: 1 / (row's number - column's number).
    flat = inverses([row - column for row in drawn[:width] for column in drawn[width:]])
    matrix = tuple(tuple(flat[start : start + width]) for start in range(0, width * width, width))
    before, factors, solve = _recurrence(matrix)
    offsets, rest = _offsets(matrix, constants[_HALF:-_HALF])
    return Tables(constants, matrix, before, factors, offsets, _after(factors, solve, rest))


def _numbers(seed: bytes) -> Iterator[int]:
    """An endless series of field elements: the hash of the seed, the hash of that, and so on, each little-endian."""
    digest = seed
    while True:
        digest = blake2b(digest, digest_size=32).digest()
        yield int.from_bytes(digest, "little") % P


def _recurrence(matrix: tuple[Row, ...]) -> tuple[tuple[Row, ...], Row, list[Row]]:
    """`before` and `factors` of `Tables`, and the matrix that gives a state from word 0 in it and in the next rounds.

    Row k here is row 0 of the matrix to the power k: it gives word 0 after k rounds without a kick.
    """
    width = len(matrix)
    columns = tuple(zip(*matrix, strict=True))
    rows: list[Row] = [(1, *[0] * (width - 1))]
    for _ in range(width):
        rows.append(tuple(dot(rows[-1], column) for column in columns))
    solve = inverse_matrix(rows[:width])
    # Row `width` as a sum of the rows before it; and so each later row of the `width` before that.
    of_words = [dot(rows[width], column) for column in zip(*solve, strict=True)]
    # A single kick shows in word 0 of the following rounds as column 0 of these rows, of which the words explain a part.
    shown = [row[0] for row in rows[1:]]
    of_kicks = [shown[ago] - dot(of_words[width - ago :], shown[:ago]) for ago in range(width)]
    pairs = zip(of_words, reversed(of_kicks), strict=True)
    factors = tuple(factor % P for pair in pairs for factor in pair)
    # The same recurrence, solved for its oldest term, continues the rows to the rounds before the first.
    first = pow(of_words[0], -1, P)
    window = rows[:width]
    for _ in range(width):
        earlier = zip(window[-1], *window[:-1], strict=True)
        window.insert(0, tuple((last - dot(of_words[1:], others)) * first % P for last, *others in earlier))
        window.pop()
    return tuple(window), factors, solve


def _offsets(matrix: tuple[Row, ...], constants: Row) -> tuple[Row, list[int]]:
    """`offsets` of `Tables`, and what the constants of all partial rounds add to each word in the end."""
    added = [0] * len(matrix)
    offsets = []
    for constant in constants:
        added = [word + constant for word in added]
        offsets.append(added[0] % P)
        added = [dot(row, added) for row in matrix]
    return tuple(offsets), added


def _after(factors: Row, solve: list[Row], rest: list[int]) -> tuple[Row, ...]:
    """`after` of `Tables`: `width` rounds more, without a kick, show in word 0 what the whole state is."""
    span = len(factors)
    columns = []
    for place in range(span):
        history = [int(place == index) for index in range(span)]
        for _ in solve:
            history += (dot(factors, history[-span:]), 0)
        columns.append([dot(row, history[span::2]) for row in solve])
    return tuple(zip(*columns, rest, strict=True))
