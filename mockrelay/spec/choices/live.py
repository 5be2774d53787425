"""The choices that the profile `live` brings: what its own calls leave open."""

from __future__ import annotations

from mockrelay.spec.choices.choice import Choice
from mockrelay.spec.endpoint import LIVE

LIVE_CHOICES: tuple[Choice, ...] = (
    Choice(
        "live.submit_status",
        "The state that the answer to a submission says.",
        ("processing", "state"),
        "Clients take `received` for not accepted, and every word but `processing` for a failed order; `state` is the "
        "submission's own state at that moment.",
        profile=LIVE,
    ),
    Choice(
        "live.unknown_payee",
        "What becomes of a transfer or a mint to an address without an account.",
        ("create", "refuse"),
        "The owner gets an account without a key; `refuse` answers 102023.",
        profile=LIVE,
    ),
    Choice(
        "live.v2_order_answer",
        "What `POST /api/v2/order` answers.",
        ("hash", "object"),
        "The hash alone is what published clients read; later documents show `orderHash`, `status` and `isIdempotent`.",
        profile=LIVE,
    ),
)
