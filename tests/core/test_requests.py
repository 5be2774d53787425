"""Where ids and nonces end."""

from __future__ import annotations

import pytest

from mockrelay.core.call import Refused
from mockrelay.spec.request_kinds import RequestKind
from tests.core.requested import HAND, bench, transfer, withdrawal
from tests.core.worlds import ALICE


def test_a_storage_id_has_32_bits() -> None:
    """The last one is taken, the one after it and the next but one are not (102021)."""
    world = bench(RequestKind.WITHDRAWAL, HAND)
    for storage_id in (2**32, 2**32 + 1):
        with pytest.raises(Refused) as refused:
            withdrawal(world, storage_id)
        assert refused.value.code == 102021
    assert withdrawal(world, 2**32 - 1)["status"] == "received"


def test_a_nonce_has_32_bits() -> None:
    """Also where the account's own has come so far."""
    world = bench(RequestKind.TRANSFER, HAND)
    for due, fits in ((2**32 - 1, True), (2**32, False), (2**32 + 1, False)):
        world.world.next_nonce[ALICE] = due
        if fits:
            assert transfer(world, 1, due).startswith("0x")
            continue
        with pytest.raises(Refused) as refused:
            transfer(world, 1, due)
        assert refused.value.code == 102021
