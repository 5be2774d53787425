"""Poseidon: the published vectors, and the fast way against round by round."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mockrelay.signing.poseidon import PARTIAL_ROUNDS, WIDTH_MAX, poseidon, tables_for
from tests.signing import reference
from tests.signing.vectors import load

PARAMS = load("poseidon")["params"]
ELEMENTS = st.integers(0, reference.P - 1)


def text_hash(numbers: list[int]) -> str:
    return sha256(",".join(map(str, numbers)).encode()).hexdigest()


@pytest.mark.parametrize("params", PARAMS, ids=lambda params: f"t{params['t']}")
def test_constants_and_matrix_are_the_published_ones(params: dict[str, Any]) -> None:
    tables = tables_for(params["t"], params["partialRounds"])
    assert len(tables.constants) == params["constantsCount"]
    assert text_hash(list(tables.constants)) == params["sha256_of_C"]
    assert text_hash([value for row in tables.matrix for value in row]) == params["sha256_of_M"]


@pytest.mark.parametrize(
    ("params", "known"),
    [(params, known) for params in PARAMS for known in params["hashes"]],
    ids=lambda value: f"t{value['t']}" if "t" in value else value["inputs"][-1][:4],
)
def test_published_hashes(params: dict[str, Any], known: dict[str, Any]) -> None:
    inputs = [int(text) for text in known["inputs"]]
    assert poseidon(inputs, params["t"], params["partialRounds"]) == int(known["output"])


@pytest.mark.parametrize("width", range(2, WIDTH_MAX + 1))
def test_every_width_agrees_with_the_definition(width: int) -> None:
    inputs = [reference.P - 1 - index * index for index in range(width)]
    assert poseidon(inputs, width) == reference.poseidon(inputs, width, PARTIAL_ROUNDS)


@pytest.mark.parametrize("partial_rounds", [1, 2, 5, 52, 106])
def test_every_number_of_partial_rounds_agrees_with_the_definition(partial_rounds: int) -> None:
    assert poseidon([7, 8], 4, partial_rounds) == reference.poseidon([7, 8], 4, partial_rounds)


@settings(max_examples=25)
@given(st.lists(ELEMENTS, min_size=0, max_size=7), st.sampled_from([52, 53]))
def test_any_inputs_agree_with_the_definition(inputs: list[int], partial_rounds: int) -> None:
    assert poseidon(inputs, 7, partial_rounds) == reference.poseidon(inputs, 7, partial_rounds)


def test_inputs_count_modulo_the_prime_and_zeros_at_the_end_do_not_count() -> None:
    assert poseidon([1, 2], 6) == poseidon([1 + reference.P, 2, 0, 0], 6)
    assert poseidon([1, 2], 6) != poseidon([0, 1, 2], 6)


def test_width_and_rounds_change_the_hash() -> None:
    assert len({poseidon([1], width, rounds) for width in (6, 7) for rounds in (52, 53)}) == 4


def test_what_does_not_fit_is_an_error() -> None:
    with pytest.raises(ValueError, match="3 inputs do not fit"):
        poseidon([1, 2, 3], 2)
    for width, rounds in ((1, 53), (WIDTH_MAX + 1, 53), (6, 0), (6, 10**6)):
        with pytest.raises(ValueError, match="no Poseidon"):
            poseidon([], width, rounds)
