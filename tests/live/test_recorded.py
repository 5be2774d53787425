"""What unmodified clients sent, and what they went on with: each recorded call is answered alike.

Each run of one client starts a world of its own. A call whose path is not served yet is left out, and counted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest

from mockrelay.clock import Clock
from mockrelay.relay import Relay
from mockrelay.spec.endpoint import LIVE
from mockrelay.spec.endpoints import ALL_ENDPOINTS
from mockrelay.wire.http import RawRequest

FOLDER = Path(__file__).parent
RECORDED = FOLDER.parent / "vectors" / "live"
START_MS = {"v3": 1_685_577_600_000, "v2": 1_598_918_400_000}
"""When the scenarios start: 2023-06-01 and 2020-09-01."""
SEALING_MS = 15_000

MASKED = {
    "timestamp": "the recorded clock ran",
    "updatedAt": "the recorded clock ran",
    "createdAt": "when a market came to be is made up on either side",
    "status": "a market's status says what trades on it, and this world has no pools",
}
"""Fields whose values differ, each with its reason. Their types are the same."""

NO_TAGS = ("tags", "")
"""What the recorded answers say of an account without tags; tags may be absent as well."""
BOOKS = ("depth", "ticker", "candlestick")
"""The last part of paths whose answers depend on the orders before."""


class Pair:
    """A recorded call, and the answer that its client went on with."""

    def __init__(self, generation: str, index: int, recorded: Mapping[str, Any]) -> None:
        self.generation = generation
        self.id = f"{generation}-{index:03}-{recorded['client']}"
        self.client: str = recorded["client"]
        path, _, query = recorded["target"].partition("?")
        self.path: str = path.replace("//", "/")
        self.raw = RawRequest(
            recorded["method"],
            path,
            recorded["target"],
            tuple(parse_qsl(query, keep_blank_values=True)),
            {name.lower(): value for name, value in recorded["headers"].items()},
            recorded["body"].encode(),
            "http",
            "127.0.0.1:4720" if generation == "v3" else "127.0.0.1:4721",
            "127.0.0.1",
        )
        self.status: int = recorded["status"]
        self.answer: Any = recorded["answer"]

    @property
    def at_ms(self) -> int | None:
        """When it was made, where its answer says that and nothing else."""
        if not self.path.endswith("/timestamp"):
            return None
        at_ms: int = self.answer["data" if self.generation == "v2" else "timestamp"]
        return at_ms

    @property
    def is_served(self) -> bool:
        """Whether its call is served in the form in which it was recorded."""
        return f"{self.raw.method} {self.path}" not in NOT_YET


def _pairs(generation: str) -> Iterator[list[Pair]]:
    recorded = json.loads((RECORDED / f"wire-{generation}.json").read_text(encoding="utf-8"))["requests"]
    pairs = [Pair(generation, index, each) for index, each in enumerate(recorded)]
    for _, run in groupby(pairs, key=lambda pair: pair.client):
        yield list(run)


NOT_YET = frozenset(
    (
        "POST /api/v2/batchOrders",
        "GET /api/v2/ethNonce",
        "GET /api/v2/order",
        "GET /api/v2/orders",
        "POST /api/v2/order",
        "DELETE /api/v2/orders",
        "DELETE /api/v2/orders/byClientOrderId",
        "DELETE /api/v2/orders/byHash",
        "GET /api/v2/trade",
        "POST /api/v2/transfer",
        "GET /api/v2/user/deposits",
        "GET /api/v2/user/feeRates",
        "GET /api/v2/user/trades",
        "GET /api/v2/user/transfers",
        "GET /api/v2/user/withdrawals",
        "POST /api/v3/account",
        "GET /api/v3/block/getBlock",
        "GET /api/v3/eth/nonce",
        "GET /api/v3/nft/collection",
        "POST /api/v3/nft/deployTokenAddress",
        "GET /api/v3/nft/info/nftData",
        "GET /api/v3/nft/info/nfts",
        "GET /api/v3/nft/info/orderUserRateAmount",
        "POST /api/v3/nft/mint",
        "POST /api/v3/nft/transfer",
        "POST /api/v3/nft/withdrawal",
        "DELETE /api/v3/order",
        "GET /api/v3/order",
        "POST /api/v3/order",
        "GET /api/v3/orders",
        "DELETE /api/v3/orders/byClientOrderId",
        "DELETE /api/v3/orders/byHash",
        "GET /api/v3/trade",
        "POST /api/v3/transfer",
        "GET /api/v3/user/collection/details",
        "GET /api/v3/user/createInfo",
        "GET /api/v3/user/deposits",
        "GET /api/v3/user/nft/balances",
        "GET /api/v3/user/nft/deposits",
        "GET /api/v3/user/nft/mints",
        "GET /api/v3/user/nft/offchainFee",
        "GET /api/v3/user/nft/transfers",
        "GET /api/v3/user/nft/withdrawals",
        "GET /api/v3/user/offchainFee",
        "GET /api/v3/user/orderUserRateAmount",
        "GET /api/v3/user/trades",
        "GET /api/v3/user/transactions",
        "GET /api/v3/user/transfers",
        "GET /api/v3/user/updateInfo",
        "GET /api/v3/user/withdrawals",
        "POST /api/v3/user/withdrawals",
        "GET /v2/ws/key",
        "GET /v3/ws/key",
    )
)
"""The recorded calls that the profile does not serve yet, or not in the form in which they were recorded."""
RUNS = [run for generation in START_MS for run in _pairs(generation)]


def masked(value: Any) -> Any:
    """A value with the types of what differs in place of it."""
    if isinstance(value, dict):
        shown = {name: each for name, each in value.items() if (name, each) != NO_TAGS}
        return {name: type(each) if name in MASKED else masked(each) for name, each in shown.items()}
    return [masked(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run[0].id)
def test_a_recorded_client_is_answered_alike(run: list[Pair]) -> None:
    generation = run[0].generation
    world = FOLDER / f"world_{generation}.yaml"
    relay = Relay.from_scenario(world, clock=Clock.frozen(START_MS[generation]))
    all_served = True
    new_keys: dict[str, str] = {}
    """API keys that the recorded relayer made, with those of this one."""
    for pair in run:
        all_served &= pair.is_served or pair.raw.method == "GET"
        if not pair.is_served or (not all_served and pair.path.endswith(BOOKS)):
            continue
        headers = pair.raw.headers
        own_key = new_keys.get(headers.get("x-api-key", ""))
        raw = pair.raw if own_key is None else pair.raw._replace(headers={**headers, "x-api-key": own_key})
        response = relay.handle(raw, pair.at_ms or relay.now_ms())
        answer = json.loads(response.body)
        if raw.method == "POST" and pair.path == "/api/v3/apiKey":
            new_keys[pair.answer["apiKey"]] = answer["apiKey"]
            answer = pair.answer
        assert (response.status, masked(answer)) == (pair.status, masked(pair.answer)), pair.id


def test_each_row_of_the_profile_that_was_recorded_is_compared() -> None:
    """None of them is left out, and each path that is left out was recorded."""
    left_out = {f"{row.method} {row.path}" for row in ALL_ENDPOINTS if row.profile == LIVE} & NOT_YET
    assert left_out == set()
    assert {f"{pair.raw.method} {pair.path}" for run in RUNS for pair in run} >= NOT_YET
