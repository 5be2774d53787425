"""BLAKE-512, from which JavaScript clients derive the nonce of a signature.

It is the candidate of the SHA-3 contest, not the later BLAKE2b, which the standard library has and which differs in
rounds, padding and constants. Only short messages are hashed, so it need not be fast.
"""

from __future__ import annotations

from functools import lru_cache
from math import isqrt

_MASK = (1 << 64) - 1
_ROUNDS = 16
_BLOCK = 128
# Which words of message and constants a round mixes; the eleventh round begins again with the first row.
_ORDER = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
    (14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3),
    (11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4),
    (7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8),
    (9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13),
    (2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9),
    (12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11),
    (13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10),
    (6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5),
    (10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0),
)
# The state is a square of 4 x 4 words, mixed first by columns, then by diagonals.
_QUADS = (
    ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15)),
    ((0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)),
)


def blake512(data: bytes) -> bytes:
    """The 64-byte hash of `data`, without salt."""
    bits = 8 * len(data)
    zeros = -(len(data) + 18) % _BLOCK
    # Padding: a one, zeros, a one, and the length in bits; both ones may be in the same byte.
    gap = b"\x80" + bytes(zeros) + b"\x01" if zeros < _BLOCK - 1 else b"\x81"
    padded = data + gap + bits.to_bytes(16, "big")
    state = list(_start())
    for start in range(0, len(padded), _BLOCK):
        # The counter is of bits of the message so far; a block of padding alone has 0.
        counter = min(bits, 8 * (start + _BLOCK)) if 8 * start < bits else 0
        state = _compress(state, padded[start : start + _BLOCK], counter)
    return b"".join(word.to_bytes(8, "big") for word in state)


def _compress(state: list[int], block: bytes, counter: int) -> list[int]:
    constants = _constants()
    message = [int.from_bytes(block[start : start + 8], "big") for start in range(0, _BLOCK, 8)]
    counters = (counter & _MASK, counter & _MASK, counter >> 64, counter >> 64)
    mixed = [*state, *constants[:4], *(c ^ t for c, t in zip(constants[4:8], counters, strict=True))]
    for round_ in range(_ROUNDS):
        order = iter(_ORDER[round_ % len(_ORDER)])
        for quads in _QUADS:
            for quad in quads:
                one, two = next(order), next(order)
                _mix(mixed, quad, (message[one] ^ constants[two], message[two] ^ constants[one]))
    return [word ^ left ^ right for word, left, right in zip(state, mixed[:8], mixed[8:], strict=True)]


def _mix(words: list[int], quad: tuple[int, int, int, int], added: tuple[int, int]) -> None:
    a, b, c, d = (words[index] for index in quad)
    for word, (turn_d, turn_b) in zip(added, ((32, 25), (16, 11)), strict=True):
        a = (a + b + word) & _MASK
        d = _rotated(d ^ a, turn_d)
        c = (c + d) & _MASK
        b = _rotated(b ^ c, turn_b)
    for index, value in zip(quad, (a, b, c, d), strict=True):
        words[index] = value


def _rotated(word: int, by: int) -> int:
    """The word with its bits rotated to the right."""
    return (word >> by | word << 64 - by) & _MASK


@lru_cache(maxsize=1)
def _start() -> tuple[int, ...]:
    """The first 64 fractional bits of the square roots of the first eight primes."""
    return tuple(isqrt(prime << 128) & _MASK for prime in (2, 3, 5, 7, 11, 13, 17, 19))


@lru_cache(maxsize=1)
def _constants() -> tuple[int, ...]:
    """The first 1024 fractional bits of pi, in sixteen words; by pi = 16 arctan(1/5) - 4 arctan(1/239)."""
    spare = 64
    one = 1 << 1024 + spare
    places = (16 * _arctan(5, one) - 4 * _arctan(239, one)) >> spare
    return tuple(places >> 64 * word & _MASK for word in range(15, -1, -1))


def _arctan(denominator: int, one: int) -> int:
    """arctan(1 / denominator) as a multiple of 1 / `one`, by its series."""
    total, power, divisor = 0, one // denominator, 1
    while power:
        total += power // divisor if divisor % 4 == 1 else -(power // divisor)
        power //= denominator * denominator
        divisor += 2
    return total
