"""What unmodified clients sent, and what they went on with: each recorded call is answered alike.

Each run of one client starts a world of its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest

from mockrelay.clock import Clock
from mockrelay.relay import Relay
from mockrelay.web import serve
from mockrelay.wire.http import RawRequest
from tests.support.client import control, done, send
from tests.support.connection import connected

FOLDER = Path(__file__).parent
RECORDED = FOLDER.parent / "vectors" / "live"
START_MS = {"v3": 1_685_577_600_000, "v2": 1_598_918_400_000}
"""When the scenarios start: 2023-06-01 and 2020-09-01."""

MASKED = {
    "timestamp": "the recorded clock ran",
    "updatedAt": "the recorded clock ran",
    "createdAt": "when a market came to be is made up on either side",
    "cacheOverdueAt": "the recorded clock ran",
    "discount": "1.0 in the recorded JSON; readers of integers need 1",
    "message": "what a refusal says beside its code is each relayer's own",
    "key": "the key of a WebSocket is each relayer's own",
    "indexInBlock": "0 in all recorded answers, wherever the transaction was",
    "txHash": "zeros in all recorded answers, in a block too",
    "start": "an order is valid from when it was submitted, and the recorded clock ran",
    "validSince": "the recorded relayer showed when the order was submitted, by a clock that ran",
}
"""Fields whose values differ, each with its reason. Their types are the same."""

_OWN_HEADERS = ("host", "content-length", "connection", "transfer-encoding")
"""Headers of a recorded request that each transport writes for itself."""
_MILLISECONDS = re.compile("1[0-9]{12}")
"""A time as text, as rows of tickers and trades have it."""
NO_TAGS = ("tags", "")
"""What the recorded answers say of an account without tags; tags may be absent as well."""
MASKED_IN = {
    ("/api/v3/mix/markets", "status"): "it says what trades on a market, and this world has no pools",
    ("/api/v3/user/nft/transfers", "memo"): "the recorded relayer showed none, though one was sent",
    ("/api/v2/user/transfers", "feeAmount"): "the recorded relayer showed the fee offered, not the one charged",
}
"""The same of one path."""
SURPLUS = {
    "raw_data": "it stays for clients of the specification; the recorded relayer had it in mints only",
    "minterId": "the recorded histories of NFTs lack parties, blocks and storage ids",
    "minterAddress": "the same",
    "payeeId": "the same",
    "payeeAddress": "the same",
    "recipient": "the same",
    "distributeHash": "the same",
    "fastWithdrawStatus": "the same",
    "isFast": "the same",
    "blockIdInfo": "the same",
    "storageInfo": "the same",
}
"""Fields of answers about NFTs that are compared with nothing."""
FAKED = {
    "v3-149-HB3": "the key of a WebSocket is each relayer's own",
    "v3-103-DIG": "the recorded relayer looked for orders of a market None, which stands for no filter",
}
"""Calls whose answers differ as a whole, each with its reason."""


_EXCHANGE = "0x0BABA1Ad5bE3a5C0a66E7ac838a129Bf948f1eA4"


def order_v3(
    account_id: int, storage_id: int, sold: tuple[int, int], bought: tuple[int, int], **beside: Any
) -> tuple[str, dict[str, Any]]:
    """The endpoint and the body of an order of the third generation; tokens go with their amounts."""
    return "submit_order", {
        "exchange": _EXCHANGE,
        "accountId": account_id,
        "storageId": storage_id,
        "sellToken": {"tokenId": sold[0], "volume": str(sold[1])},
        "buyToken": {"tokenId": bought[0], "volume": str(bought[1])},
        "maxFeeBips": 63,
        "fillAmountBOrS": False,
        "validUntil": 1_689_033_600,
        **beside,
    }


def _order_v2(
    order_id: int, sold: tuple[int, int], bought: tuple[int, int], **beside: Any
) -> tuple[str, dict[str, Any]]:
    """The same of the second generation."""
    return "submit_order_v2", {
        "exchangeId": 2,
        "orderId": order_id,
        "accountId": 20001,
        "tokenSId": sold[0],
        "tokenBId": bought[0],
        "amountS": str(sold[1]),
        "amountB": str(bought[1]),
        "allOrNone": "false",
        "maxFeeBips": 50,
        "label": 211,
        "buy": "false",
        **beside,
    }


_LRC_100, _LRC_500 = 100 * 10**18, 500 * 10**18
SUPPLIED: Mapping[str, tuple[tuple[str, Mapping[str, Any]], ...]] = {
    "v3-028-SDK 3.9.22": (order_v3(20001, 2, (1, _LRC_100), (0, 10**17)),),
    "v3-031-SDK 3.9.22": (
        (
            "update_account",
            {
                "exchange": _EXCHANGE,
                "owner": "0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A",
                "accountId": 20001,
                # The same key again: what the client signs next is signed with it.
                "publicKey": {
                    "x": "0x0b4c4bbe400fbd5bcaaf5cf33a806e7779ee5cb25729d5991c3d4491a6c59f19",
                    "y": "0x01bbe06cea9f217b329a02938e8f025894e6b60ef6ac71c6015aaf29228ab8d7",
                },
                "maxFee": {"tokenId": 1, "volume": str(10**17)},
                "validUntil": 1_689_033_600,
                "nonce": 1,
            },
        ),
    ),
    "v3-044-SDK 3.9.22": (("clock", {"advance": "30s"}),),
    "v3-070-HL3": (
        order_v3(
            *(20001, 0, (0, 150 * 10**15), (1, _LRC_500)),
            maxFeeBips=50,
            fillAmountBOrS=True,
            validUntil=1_700_000_000,
            clientOrderId="SampleOrder-1795864182129",
        ),
    ),
    "v3-106-DIG": (order_v3(20002, 0, (0, 10**16), (1, _LRC_100)),),
    "v3-151-HB3": (
        ("orders/0x25873d6a1866adb373e73f36b01c44838ce61a5e91322194f6dc85c8ef7639d1/fill", {"size": str(_LRC_100)}),
    ),
    "v2-005-HL2": (_order_v2(0, (2, _LRC_500), (0, 300 * 10**15), validSince=1_598_914_809, validUntil=1_604_098_809),),
    "v2-016-JENS": (
        _order_v2(
            *(0, (0, 150 * 10**15), (2, _LRC_500)),
            buy="true",
            validSince=0,
            validUntil=2_147_483_647,
            clientOrderId="SampleOrder1795864246",
        ),
    ),
    "v2-039-LC": (_order_v2(1, (2, _LRC_500), (0, 300 * 10**15), validSince=1_598_914_809, validUntil=1_604_098_809),),
    "v2-080-HB2": (
        ("orders/0x1978a6821e9cf0d7df722aadfcb7dd9fd1b9e35ee85ba0b9c5a76f46e906c6cb/fill", {"size": str(_LRC_100)}),
    ),
}
"""What happened before a call and was not recorded: orders, to be signed and sent, and other commands."""


def supply(relay: Relay, name: str, fields: Mapping[str, Any]) -> None:
    """Do what was not recorded."""
    if not name.startswith(("submit_", "update_")):
        done(relay, "POST", name, fields)
        return
    account = "first" if fields["accountId"] == 20001 else "second"
    ask = {"account": account, "endpoint": name, "body": fields}
    signed = control(relay, "POST", "sign", ask).json
    key, signature = (signed["headers"].get(header) for header in ("X-API-KEY", "X-API-SIG"))
    body = signed["text"].encode()
    answer = send(relay, signed["method"], signed["path"], body=body, key=key, signature=signature)
    assert answer.status == 200, answer.json


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


def _pairs(generation: str) -> Iterator[list[Pair]]:
    recorded = json.loads((RECORDED / f"wire-{generation}.json").read_text(encoding="utf-8"))["requests"]
    pairs = [Pair(generation, index, each) for index, each in enumerate(recorded)]
    for _, run in groupby(pairs, key=lambda pair: pair.client):
        yield list(run)


RUNS = [run for generation in START_MS for run in _pairs(generation)]


def masked(value: Any, path: str = "") -> Any:
    """A value of a path's answer with the types of what differs in place of it."""
    if isinstance(value, dict):
        shown = {
            name: each
            for name, each in value.items()
            if (name, each) != NO_TAGS and not ("/nft/" in path and name in SURPLUS)
        }
        return {
            name: type(int(each) if isinstance(each, float) else each)
            if name in MASKED or (path, name) in MASKED_IN
            else masked(each, path)
            for name, each in shown.items()
        }
    if isinstance(value, list):
        return [masked(each, path) for each in value]
    return str if isinstance(value, str) and _MILLISECONDS.fullmatch(value) else value


class Recorded:
    """A world in which a recorded run is done again, with what was not recorded supplied."""

    def __init__(self, run: list[Pair]) -> None:
        generation = run[0].generation
        world = FOLDER / f"world_{generation}.yaml"
        self.relay = Relay.from_scenario(world, clock=Clock.frozen(START_MS[generation]))
        self.new_keys: dict[str, str] = {}
        """API keys that the recorded relayer made, with those of this one."""

    def request(self, pair: Pair) -> RawRequest:
        """The next request, with this relayer's own keys."""
        for name, fields in SUPPLIED.get(pair.id, ()):
            supply(self.relay, name, fields)
        headers = pair.raw.headers
        own_key = self.new_keys.get(headers.get("x-api-key", ""))
        return pair.raw if own_key is None else replace(pair.raw, headers={**headers, "x-api-key": own_key})

    def compare(self, pair: Pair, status: int, body: bytes) -> None:
        """Compare an answer with the recorded one."""
        answer = json.loads(body)
        if pair.raw.method == "POST" and pair.path == "/api/v3/apiKey":
            self.new_keys[pair.answer["apiKey"]] = answer["apiKey"]
            answer = pair.answer
        found, recorded = (status, masked(answer, pair.path)), (pair.status, masked(pair.answer, pair.path))
        assert (found != recorded) if pair.id in FAKED else (found == recorded), pair.id


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run[0].id)
def test_a_recorded_client_is_answered_alike(run: list[Pair]) -> None:
    again = Recorded(run)
    for pair in run:
        raw = again.request(pair)
        response = again.relay.handle(raw, pair.at_ms or again.relay.now_ms())
        again.compare(pair, response.status, response.body)


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run[0].id)
def test_a_recorded_client_is_answered_alike_by_a_server(run: list[Pair]) -> None:
    """All but the time, which stands still here. The one finding is of the client that signs its transfer wrongly."""
    again = Recorded(run)
    with serve(again.relay) as server, connected(server.url) as wire:
        for pair in run:
            raw = again.request(pair)
            headers = [f"{name}: {value}" for name, value in raw.headers.items() if name not in _OWN_HEADERS]
            answer = wire.ask(raw.method, raw.raw_target, *headers, body=raw.body, host=raw.host)
            if pair.at_ms is None:
                again.compare(pair, answer.status, answer.body)
    rules = [finding["rule"] for finding in done(again.relay, "GET", "findings")]
    assert rules == (["signature"] if run[0].client == "DIG" else [])
