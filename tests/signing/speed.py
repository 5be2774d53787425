"""How long signatures take here: `python -m tests.signing.speed` prints the least of many runs, in milliseconds."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from mockrelay.signing import curve, eddsa, poseidon
from mockrelay.signing.eddsa import Family, sign, verify
from mockrelay.signing.secp256k1 import Backend
from mockrelay.signing.secp256k1_native import NativeBackend
from mockrelay.signing.secp256k1_plain import PlainBackend
from tests.signing.bodies import BODIES
from tests.signing.vectors import KEY, PRIVATE

_DIGEST = bytes(range(32))


def _least_ms(call: Callable[[], object], times: int = 200, before: Callable[[], object] = lambda: None) -> float:
    least = float("inf")
    for _ in range(times):
        before()
        started = perf_counter()
        call()
        least = min(least, perf_counter() - started)
    return least * 1e3


def _forget_key() -> None:
    eddsa.why_invalid_key.cache_clear()
    curve._table.cache_clear()
    curve._table(curve.BASE)


def _layer1(backend: Backend) -> tuple[float, float]:
    signature = backend.sign(_DIGEST, _DIGEST)
    return (
        _least_ms(lambda: backend.sign(_DIGEST, _DIGEST), 50),
        _least_ms(lambda: backend.recover(_DIGEST, signature), 50),
    )


def main() -> None:
    """Measure and print."""
    signed = sign(PRIVATE, 1)
    print(f"verify                {_least_ms(lambda: verify(KEY, 1, signed)):7.2f}")
    print(f"verify, key is new    {_least_ms(lambda: verify(KEY, 1, signed), 30, _forget_key):7.2f}")
    for family in Family:
        print(f"sign, {family:<15} {_least_ms(lambda family=family: sign(PRIVATE, 1, family)):7.2f}")  # type: ignore[misc]
    for kind, (message, body) in BODIES.items():
        print(f"hash, {kind:<15} {_least_ms(lambda message=message, body=body: message.hash(body)):7.2f}")  # type: ignore[misc]
    print(f"constants, an order   {_least_ms(lambda: poseidon.tables_for.__wrapped__(12), 10):7.2f}")
    for name, backend in (("native", NativeBackend()), ("plain", PlainBackend())):
        made, recovered = _layer1(backend)
        print(f"layer 1, {name:<12} {made:7.2f} to sign, {recovered:.2f} to recover")


if __name__ == "__main__":
    main()
