"""Points that prove nothing: of small order, and outside the subgroup that keys live in."""

from __future__ import annotations

from mockrelay.signing.curve import Point
from mockrelay.signing.parameters import LAYER2_ORDER as SUBGROUP_ORDER
from tests.signing import textbook
from tests.signing.vectors import KEY


def _generator() -> textbook.Pair:
    """A point of order 8: the multiple by the subgroup's order leaves of a point only its small part."""
    for y in range(2, 100):
        if (point := textbook.point_at(y)) is not None:
            small = textbook.multiply(SUBGROUP_ORDER, point)
            if textbook.multiply(4, small) != (0, 1):
                return small
    raise AssertionError("no point of order 8 was found")


_ORDER_8 = _generator()
SMALL = [Point(*textbook.multiply(times, _ORDER_8)) for times in range(8)]
"""All eight, the neutral point first."""
OUTSIDE = [Point(*textbook.add(KEY, small)) for small in SMALL[1:]]
"""A key moved by each of the others."""
