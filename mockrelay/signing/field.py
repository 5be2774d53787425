"""The field of layer-2 signatures: integers modulo the prime `SNARK_FIELD`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from operator import mul

from mockrelay.signing.parameters import SNARK_FIELD as P


def is_element(value: int) -> bool:
    """Whether `value` is from 0 to P - 1."""
    return 0 <= value < P


def dot(left: Iterable[int], right: Iterable[int]) -> int:
    """The sum of products modulo P; the longer of the two is cut to the length of the shorter."""
    total: int = sum(map(mul, left, right))
    return total % P


def inverses(values: Sequence[int]) -> list[int]:
    """1 / v for each v, none of which may be 0 modulo P.

    One inversion for all of them, that of the whole product (Montgomery's trick).
    """
    products = list(accumulate(values, lambda left, right: left * right % P, initial=1))
    rest = pow(products[-1], -1, P)
    found = [0] * len(values)
    for index in range(len(values) - 1, -1, -1):
        found[index] = rest * products[index] % P
        rest = rest * values[index] % P
    return found


def inverse_matrix(rows: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """The inverse of a square matrix, by elimination. Raises ValueError where there is none."""
    size = len(rows)
    work = [[*row, *(int(index == place) for place in range(size))] for index, row in enumerate(rows)]
    for column in range(size):
        pivot = next((index for index in range(column, size) if work[index][column] % P), None)
        if pivot is None:
            raise ValueError("this matrix has no inverse")
        work[column], work[pivot] = work[pivot], work[column]
        scale = pow(work[column][column], -1, P)
        base = work[column] = [value * scale % P for value in work[column]]
        for index, row in enumerate(work):
            if index != column and (factor := row[column]):
                work[index] = [(value - factor * other) % P for value, other in zip(row, base, strict=True)]
    return [tuple(row[size:]) for row in work]
