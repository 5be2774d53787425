"""What a signature of layer 2 costs: its check, and the hash of the order that is signed."""

from __future__ import annotations

from mockrelay.signing.eddsa import sign, verify
from tests.benchmarks.effort import Effort
from tests.benchmarks.measured import Figures, Measured, least_ms
from tests.signing.bodies import BODIES
from tests.signing.vectors import KEY, PRIVATE


def signatures(effort: Effort) -> Figures:
    """Of a key that was seen before, as nearly every one was."""
    signed = sign(PRIVATE, 1)
    message, body = BODIES["gen-2 order"]
    assert verify(KEY, 1, signed)
    return {
        "signature-verify": Measured(least_ms(lambda: verify(KEY, 1, signed), 10, effort.rounds * 3)),
        "signature-hash": Measured(least_ms(lambda: message.hash(body), 10, effort.rounds * 3)),
    }
