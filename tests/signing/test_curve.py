"""The curve: hand-checked points, and the comb against doubling and adding."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mockrelay.signing import curve
from mockrelay.signing.curve import (
    BASE,
    COFACTOR,
    NEUTRAL,
    Point,
    is_in_subgroup,
    is_on_curve,
    is_small,
    multiply,
    negative,
)
from mockrelay.signing.parameters import LAYER2_ORDER as SUBGROUP_ORDER
from mockrelay.signing.parameters import SNARK_FIELD as P
from tests.signing import reference
from tests.signing.small_points import OUTSIDE, SMALL
from tests.signing.vectors import KEY, PRIVATE, load

SCALARS = st.integers(0, SUBGROUP_ORDER - 1)


def test_base_and_orders_are_the_published_ones() -> None:
    published = load("eddsa")["curve"]
    assert (published["a"], published["d"], int(published["L"])) == (curve.A, curve.D, SUBGROUP_ORDER)
    assert int(published["order"]) == COFACTOR * SUBGROUP_ORDER
    assert (int(published["Bx"]), int(published["By"])) == BASE


def test_the_base_has_the_order_of_the_subgroup() -> None:
    assert is_on_curve(BASE)
    assert reference.multiply(SUBGROUP_ORDER, BASE) == NEUTRAL


def test_points_that_can_be_checked_by_hand() -> None:
    """(0, 1) and (0, -1) satisfy y² = 1; (0, 2) does not; a coordinate above the prime is none, whatever it is modulo."""
    assert is_on_curve(NEUTRAL)
    assert is_on_curve(Point(0, P - 1))
    assert not is_on_curve(Point(0, 2))
    assert not is_on_curve(Point(0, P + 1))
    assert not is_on_curve(Point(-1, 1))


def test_there_are_eight_points_of_small_order() -> None:
    assert len(set(SMALL)) == 8
    for point in SMALL:
        assert is_on_curve(point)
        assert is_small(point)
        assert reference.multiply(8, point) == NEUTRAL
        assert is_in_subgroup(point) is (point == NEUTRAL)


def test_keys_are_in_the_subgroup_and_their_sums_with_small_points_are_not() -> None:
    assert is_in_subgroup(BASE)
    assert is_in_subgroup(KEY)
    assert not is_small(KEY)
    assert len(OUTSIDE) == 7
    for point in OUTSIDE:
        assert is_on_curve(point)
        assert not is_small(point)
        assert not is_in_subgroup(point)


@pytest.mark.parametrize(
    "scalar", [0, 1, 2, 3, 2**42 - 1, 2**42, 2**251, SUBGROUP_ORDER - 1, SUBGROUP_ORDER, 2**252 - 1]
)
def test_multiples_of_the_base_at_the_edges(scalar: int) -> None:
    assert multiply((scalar, BASE)) == reference.multiply(scalar, BASE)


@settings(max_examples=25)
@given(SCALARS, SCALARS)
def test_a_sum_of_multiples_agrees_with_doubling_and_adding(one: int, two: int) -> None:
    expected = reference.add(reference.multiply(one, BASE), reference.multiply(two, KEY))
    assert multiply((one, BASE), (two, KEY)) == expected


@pytest.mark.parametrize("point", SMALL + OUTSIDE)
def test_points_outside_the_subgroup_are_multiplied_rightly_too(point: Point) -> None:
    assert multiply((PRIVATE, point)) == reference.multiply(PRIVATE, point)


def test_a_point_and_its_negative_make_the_neutral_point() -> None:
    assert multiply((1, KEY), (1, negative(KEY))) == NEUTRAL
    assert negative(NEUTRAL) == NEUTRAL
    assert negative(KEY) == (P - KEY.x, KEY.y)


def test_a_scalar_too_long_is_an_error() -> None:
    for scalar in (-1, 2**252):
        with pytest.raises(ValueError, match="from 0 to 2\\^252 - 1"):
            multiply((scalar, BASE))


def test_tables_are_bounded() -> None:
    for scalar in range(1, 200):
        multiply((1, multiply((scalar, BASE))))
    assert curve._table.cache_info().currsize <= 128
