"""How much work a call is, counted and not timed: a busy machine takes longer, but does not do more."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import CodeType, FrameType

from mockrelay.signing import curve, eddsa, poseidon
from mockrelay.signing.eddsa import sign, verify
from tests.signing.vectors import KEY, PRIVATE

SIGNED = sign(PRIVATE, 1)
ARITHMETIC = frozenset({"curve", "field", "poseidon", "secp256k1_plain"})
"""Files whose functions count as 1, those of others as about a tenth of that, those in C as half of a tenth."""
_OTHER, _IN_C = 0.1, 0.05


def forget_keys() -> None:
    """Empty the caches of keys."""
    eddsa.why_invalid_key.cache_clear()
    curve._table.cache_clear()
    curve._table(curve.BASE)


def forget_all() -> None:
    """Empty all caches."""
    forget_keys()
    curve._table.cache_clear()
    poseidon.tables_for.cache_clear()


@cache
def _weight(code: CodeType) -> float:
    return 1 if Path(code.co_filename).stem in ARITHMETIC else _OTHER


def work(call: Callable[[], object]) -> float:
    """How many functions of the arithmetic are called on the way, others counted as parts of one."""
    count = 0.0

    def add(frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        if event == "call":
            count += _weight(frame.f_code)
        elif event == "c_call":
            count += _IN_C

    before = sys.getprofile()
    sys.setprofile(add)
    try:
        call()
    finally:
        sys.setprofile(before)
    return count


def verification() -> float:
    """The work of verifying a signature whose key is known, which takes about a millisecond."""
    verify(KEY, 1, SIGNED)
    return work(lambda: verify(KEY, 2, SIGNED))
