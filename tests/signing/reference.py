"""The definitions as references give them, slow and plain, to compare the fast ways with."""

from __future__ import annotations

from hashlib import blake2b

P = 21888242871839275222246405745257275088548364400416034343698204186575808495617
A, D = 168700, 168696

Pair = tuple[int, int]


def chain(seed: bytes, count: int) -> list[int]:
    """Numbers drawn by hashing again and again."""
    numbers = []
    for _ in range(count):
        seed = blake2b(seed, digest_size=32).digest()
        numbers.append(int.from_bytes(seed, "little") % P)
    return numbers


def poseidon(inputs: list[int], width: int, partial_rounds: int) -> int:
    """Round by round, with every word of every state."""
    constants = chain(b"poseidon_constants", 6 + partial_rounds)
    c = chain(b"poseidon_matrix_0000", 2 * width)
    matrix = [[pow(c[i] - c[width + j], -1, P) for j in range(width)] for i in range(width)]
    state = inputs + [0] * (width - len(inputs))
    for round_, constant in enumerate(constants):
        state = [(word + constant) % P for word in state]
        raised = width if round_ < 3 or round_ >= 3 + partial_rounds else 1
        state = [pow(word, 5, P) if index < raised else word for index, word in enumerate(state)]
        state = [sum(m * word for m, word in zip(row, state, strict=True)) % P for row in matrix]
    return state[0]


def add(left: Pair, right: Pair) -> Pair:
    """The sum of two points of the twisted Edwards curve."""
    (x1, y1), (x2, y2) = left, right
    product = D * x1 * x2 * y1 * y2
    x = (x1 * y2 + y1 * x2) * pow(1 + product, -1, P)
    y = (y1 * y2 - A * x1 * x2) * pow(1 - product, -1, P)
    return x % P, y % P


def multiply(scalar: int, point: Pair) -> Pair:
    """The multiple of a point, by doubling and adding."""
    total = (0, 1)
    for bit in f"{scalar:b}":
        total = add(total, total)
        if bit == "1":
            total = add(total, point)
    return total


def root(square: int) -> int | None:
    """A square root modulo P (Tonelli and Shanks), if there is one."""
    if pow(square, (P - 1) // 2, P) not in (0, 1):
        return None
    odd, twos = (P - 1) >> 28, 28
    unit, rest, found = pow(5, odd, P), pow(square, odd, P), pow(square, (odd + 1) // 2, P)
    while rest > 1:
        power, order = rest, 0
        while power != 1:
            power, order = power * power % P, order + 1
        step = pow(unit, 1 << (twos - order - 1), P)
        unit, twos = step * step % P, order
        rest, found = rest * unit % P, found * step % P
    return found


def point_at(y: int) -> Pair | None:
    """A point of the curve with this y, if there is one."""
    x = root((y * y - 1) * pow(D * y * y - A, -1, P) % P)
    return None if x is None else (x, y)
