"""Points that prove nothing: of small order, and outside the subgroup that keys live in."""

from __future__ import annotations

from mockrelay.signing.curve import Point
from mockrelay.signing.parameters import LAYER2_ORDER as SUBGROUP_ORDER
from tests.signing import reference
from tests.signing.vectors import KEY


def _generator() -> reference.Pair:
    """A point of order 8: the multiple by the subgroup's order leaves of a point only its small part."""
    for y in range(2, 100):
        if (point := reference.point_at(y)) is not None:
            small = reference.multiply(SUBGROUP_ORDER, point)
            if reference.multiply(4, small) != (0, 1):
                return small
    raise AssertionError("no point of order 8 was found")


_ORDER_8 = _generator()
SMALL = [Point(*reference.multiply(times, _ORDER_8)) for times in range(8)]
"""All eight, the neutral point first."""
OUTSIDE = [Point(*reference.add(KEY, small)) for small in SMALL[1:]]
"""A key moved by each of the others."""
