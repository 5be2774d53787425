"""The layer-2 curve, Baby Jubjub (EIP-2494), and fast multiplication on it.

Points are pairs (x, y) of field elements with A x² + y² = 1 + D x² y². Addition is complete: one formula serves for every
pair of points, the neutral point (0, 1) included. Keys and signatures are in the subgroup of the prime order
`SUBGROUP_ORDER`; points of small order, which divides 8, are not valid in either.

The time of an operation depends on its secret, which does not matter in tests.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from mockrelay.signing.field import inverses, is_element
from mockrelay.signing.parameters import LAYER2_BASE
from mockrelay.signing.parameters import LAYER2_ORDER as SUBGROUP_ORDER
from mockrelay.signing.parameters import SNARK_FIELD as P

A = 168700
D = 168696
COFACTOR = 8
"""The order of the curve divided by that of the subgroup, a prime of 251 bits."""


class Point(NamedTuple):
    """Two coordinates, integers. They need not be those of a point of the curve: see `is_on_curve`."""

    x: int
    y: int


NEUTRAL = Point(0, 1)
BASE = Point(*LAYER2_BASE)
"""The point whose multiples are the public keys."""


def is_on_curve(point: Point) -> bool:
    """Whether both coordinates are field elements and satisfy the curve's equation."""
    if not (is_element(point.x) and is_element(point.y)):
        return False
    xx, yy = point.x * point.x % P, point.y * point.y % P
    return (A * xx + yy - 1 - D * xx * yy) % P == 0


def is_small(point: Point) -> bool:
    """Whether a point of the curve has an order that divides 8."""
    doubled = _inner(point)
    for _ in range(3):
        doubled = _double(doubled)
    return doubled[0] == 0 and doubled[1] == doubled[2]


def is_in_subgroup(point: Point) -> bool:
    """Whether a point of the curve is a multiple of `BASE`; the neutral point counts as one."""
    return multiply((SUBGROUP_ORDER, point)) == NEUTRAL


def negative(point: Point) -> Point:
    """The point that, added to this one, gives the neutral point: the same y, the other sign of x."""
    return Point(-point.x % P, point.y)


def multiply(*terms: tuple[int, Point]) -> Point:
    """The sum of scalar * point over all terms; points lie on the curve, scalars from 0 to 2^252 - 1.

    The first use of a point computes its table; the tables of the last 128 points are cached, some 15 KiB each.
    """
    for scalar, _ in terms:
        if not 0 <= scalar < 1 << _ROWS * _COLUMNS:
            raise ValueError("a scalar is from 0 to 2^252 - 1; reduce it by the order of the subgroup first")
    combs = [(_teeth(scalar), _table(point)) for scalar, point in terms]
    total = _INNER_NEUTRAL
    for column in range(_COLUMNS):
        total = _double(total)
        for teeth, table in combs:
            if tooth := teeth[column]:
                total = _add(total, table[tooth])
    x, y, z, _ = total
    inverse = pow(z, -1, P)
    return Point(x * inverse * _UNSCALE % P, y * inverse % P)


# A comb (Lim and Lee): the bits of a scalar are written in a rectangle, row after row. All bits of a column take one
# addition, since the table has for each set of rows the sum of their multiples of the point. From one column to the next
# there is one doubling, which the terms of a sum share.
_ROWS = 6
_COLUMNS = 42


def _teeth(scalar: int) -> list[int]:
    """For each column, the first being the highest: the set of rows that have a 1 there, as bits."""
    bits = f"{scalar:0{_ROWS * _COLUMNS}b}"
    rows = [bits[start : start + _COLUMNS] for start in range(0, len(bits), _COLUMNS)]
    return [int("".join(column), 2) for column in zip(*rows, strict=True)]


# Inside, x is scaled by a root of -A. That turns A into -1, for which addition takes the fewest multiplications. A point
# is (X, Y, Z, T) with x = X/Z, y = Y/Z and T = XY/Z; an addend is (y - x, y + x, 2 d x y) with Z = 1.
_SCALE = 6360561867910373094066688120553762416144456282423235903351243436111059670888
_UNSCALE = pow(_SCALE, -1, P)
_INNER_D = -D * pow(A, -1, P) % P
_Inner = tuple[int, int, int, int]
_Addend = tuple[int, int, int]
_INNER_NEUTRAL: _Inner = (0, 1, 1, 0)


def _inner(point: Point) -> _Inner:
    x = point.x * _SCALE % P
    return x, point.y, 1, x * point.y % P


def _double(point: _Inner) -> _Inner:
    x, y, z, _ = point
    xx, yy = x * x % P, y * y % P
    e = (x + y) * (x + y) % P - xx - yy
    g = yy - xx
    f = g - 2 * z * z % P
    h = -xx - yy
    return e * f % P, g * h % P, f * g % P, e * h % P


def _add(point: _Inner, addend: _Addend) -> _Inner:
    x, y, z, t = point
    minus, plus, product = addend
    a, b, c = (y - x) * minus % P, (y + x) * plus % P, t * product % P
    e, f, g, h = b - a, 2 * z - c, 2 * z + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


@lru_cache(maxsize=128)
def _table(point: Point) -> tuple[_Addend, ...]:
    """For each set of rows of the comb, as bits: the sum of their multiples of the point."""
    row_points = [_inner(point)]
    for _ in range(_ROWS - 1):
        above = row_points[-1]
        for _ in range(_COLUMNS):
            above = _double(above)
        row_points.append(above)
    sums = [_INNER_NEUTRAL]
    for addend in _addends(row_points):
        sums += [_add(earlier, addend) for earlier in sums]
    return _addends(sums)


def _addends(points: list[_Inner]) -> tuple[_Addend, ...]:
    affine = [
        (x * inverse % P, y * inverse % P)
        for (x, y, _, _), inverse in zip(points, inverses([z for _, _, z, _ in points]), strict=True)
    ]
    return tuple(((y - x) % P, (y + x) % P, 2 * _INNER_D * x * y % P) for x, y in affine)
