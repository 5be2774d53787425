"""An answer that is late on the relayer's clock comes when the clock gets there, and the call counts from the start."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

from tests.flows.requests_client import BOB, E18, PATIENCE_S, Wallet, running, transfer


def test_a_delayed_answer_is_released_by_advancing_the_clock() -> None:
    with running() as wallet, closing(Wallet(wallet.port)) as other, ThreadPoolExecutor(1) as pool:
        wallet.done("faults", {"on": "submit_transfer", "delay": "30s"})
        late = pool.submit(other.post, "v2/transfer", transfer())
        while not wallet.state()["requests"]:
            assert not late.done()
        wallet.advance("29s")
        # The transfer is done already; only its answer is not there yet.
        assert wallet.money(BOB) == (10_000 * E18 + 100, 0)
        assert not late.done()
        wallet.advance("1s")
        assert late.result(PATIENCE_S).code == 0
        assert wallet.post("v2/transfer", transfer()).code == 102021
