"""Which rows are signed, and how."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mockrelay.spec.endpoint import SignatureHeader
from mockrelay.spec.endpoints import ALL_ENDPOINTS
from mockrelay.spec.request_kinds import SUBMISSIONS
from mockrelay.spec.signed_bodies import NOTHING, ORDER, ORDER_V2, SignedBody

SIGNED_BODIES: Mapping[str, SignedBody] = MappingProxyType(
    {
        "submit_order": SignedBody(ORDER_V2),
        "submit_order_gen3": SignedBody(ORDER),
        "submit_order_v2": SignedBody(ORDER_V2),
        **{row: submission.signed for row, (_, submission) in SUBMISSIONS.items()},
        **{
            row.id: SignedBody(NOTHING)
            for row in ALL_ENDPOINTS
            if row.signature is SignatureHeader.EDDSA and row.id not in SUBMISSIONS
        },
    }
)
"""How the body of each row is signed. All rows that require a signature are among them."""
_UNSIGNED = [row.id for row in ALL_ENDPOINTS if row.signature is not None and row.id not in SIGNED_BODIES]
assert not _UNSIGNED, (
    f"{_UNSIGNED} require an ECDSA signature, but have neither a row in KINDS nor one in SIGNED_BODIES"
)
