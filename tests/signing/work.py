"""How much work a call is, counted and not timed: a busy machine takes longer, but does not do more."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from mockrelay.signing import curve, eddsa, poseidon
from mockrelay.signing.eddsa import sign, verify
from tests.signing.vectors import KEY, PRIVATE

SIGNED = sign(PRIVATE, 1)
_OTHERS = {"call": 0.1, "c_call": 0.05}
ARITHMETIC = frozenset({"curve", "field", "poseidon", "secp256k1_plain"})


def forget_keys() -> None:
    """Nothing is kept of keys that were seen before."""
    eddsa.why_invalid_key.cache_clear()
    curve._table.cache_clear()
    curve._table(curve.BASE)


def forget_all() -> None:
    """Nothing is kept at all."""
    forget_keys()
    curve._table.cache_clear()
    poseidon.tables_for.cache_clear()


def work(call: Callable[[], object]) -> float:
    """How many functions of the arithmetic are called on the way. Any other does about a tenth as much, one in C half of
    that.
    """
    count = 0.0

    def told(frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        if event == "call" and Path(frame.f_code.co_filename).stem in ARITHMETIC:
            count += 1
        else:
            count += _OTHERS.get(event, 0)

    before = sys.getprofile()
    sys.setprofile(told)
    try:
        call()
    finally:
        sys.setprofile(before)
    return count


def verification() -> float:
    """The work of verifying a signature whose key is known, which takes about a millisecond."""
    verify(KEY, 1, SIGNED)
    return work(lambda: verify(KEY, 2, SIGNED))
