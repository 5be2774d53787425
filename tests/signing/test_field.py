"""The field: hand-checked small cases and what must hold for all."""

from __future__ import annotations

import pytest

from mockrelay.signing.field import dot, inverse_matrix, inverses, is_element
from mockrelay.signing.parameters import SNARK_FIELD as P


def test_an_element_is_from_0_to_one_below_the_prime() -> None:
    assert [is_element(value) for value in (-1, 0, 1, P - 1, P)] == [False, True, True, True, False]


def test_the_inverse_of_2_is_half_of_p_plus_1() -> None:
    assert inverses([2, 1, P - 1]) == [(P + 1) // 2, 1, P - 1]
    assert inverses([]) == []


def test_a_sum_of_products_is_reduced() -> None:
    assert dot((2, 3), (5, 7)) == 31
    assert dot((P - 1,), (P - 1,)) == 1


def test_the_inverse_of_a_matrix_by_hand() -> None:
    """Of ((1, 2), (3, 7)) with determinant 1 it is ((7, -2), (-3, 1)); of one that needs its rows exchanged, itself."""
    assert inverse_matrix(((1, 2), (3, 7))) == [(7, P - 2), (P - 3, 1)]
    assert inverse_matrix(((0, 1), (1, 0))) == [(0, 1), (1, 0)]


def test_a_matrix_with_equal_rows_has_no_inverse() -> None:
    with pytest.raises(ValueError, match="no inverse"):
        inverse_matrix(((1, 2), (1, 2)))
