"""For each rule the smallest client that breaks it, and the nearest one that does not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from mockrelay.relay.sessions import SocketEvent
from mockrelay.signing import owner
from tests.report.bench import Bench
from tests.support.bodies import E18
from tests.support.calls import CONTRACT_A, EXCHANGE, OWNER_A, Request, call, minted, order, valid_request
from tests.support.client import done, get, post, send
from tests.support.sockets import Socket
from tests.support.worlds import DAY_S, START_S

Client = Callable[[Bench], object]

COARSE = ("{symbol: LRC, ", "{symbol: LRC, precision: 3, ")
LIVE = ("name: world_w\n", "name: world_w\nprofile: live\n")
EARLY_CANCEL = ("rates:", "timeline: [{at: 1s, do: {cancel: {clientOrderId: a1}}}]\nrates:")


class Pair(NamedTuple):
    """Two clients of a kind of world."""

    breaks: Client
    keeps: Client
    limits: str = "off"
    choices: Mapping[str, str] = {}
    edit: tuple[str, str] = ("", "")
    """What stands in world W, and what stands there instead."""


def _sent(request: Request) -> Client:
    return lambda bench: call(bench.relay, request)


def _typed(content_type: str) -> Client:
    body = {"address": CONTRACT_A}
    return lambda bench: post(bench.relay, "/api/v3/delegator/getCode", body, headers={"content-type": content_type})


def _queried(pairs: list[tuple[str, str]]) -> Client:
    return lambda bench: send(bench.relay, "GET", "/api/v2/ticker", query=pairs)


def _two(first: Request, second: Request) -> Client:
    def client(bench: Bench) -> None:
        call(bench.relay, first)
        call(bench.relay, second)

    return client


def _polled(apart_ms: int) -> Client:
    def client(bench: Bench) -> None:
        call(minted(bench.relay), valid_request("get_code"))
        call(bench.relay, valid_request("deploy_nft_contract"))
        call(bench.relay, valid_request("get_code"))
        bench.wait(apart_ms)
        call(bench.relay, valid_request("get_code"))

    return client


def _lost(again: Request, *, looks: bool) -> Client:
    def client(bench: Bench) -> None:
        bench.fault(on="submit_order", drop=True)
        call(bench.relay, order())
        if looks:
            call(bench.relay, valid_request("get_orders"))
        call(bench.relay, again)

    return client


def _limited(pause_ms: int) -> Client:
    """Calls four times, and once refused keeps on after each pause."""

    def client(bench: Bench) -> None:
        for _ in range(4):
            get(bench.relay, "/api/v2/exchange/tokens")
        for _ in range(3):
            bench.wait(pause_ms)
            get(bench.relay, "/api/v2/exchange/tokens")

    return client


def _failed(read: str) -> Client:
    """Polls a withdrawal that fails until it is refused, and then reads something."""

    def client(bench: Bench) -> None:
        bench.fault(on="submit_withdrawal", outcome="failed")
        request = valid_request("submit_withdrawal")
        for _ in range(2):
            call(bench.relay, request)
            bench.wait(10_000)
        call(bench.relay, valid_request(read))

    return client


def _approved(storage_id: int) -> Client:
    withdrawal = valid_request("submit_withdrawal").without("eddsaSignature")

    def client(bench: Bench) -> None:
        chain_id = done(bench.relay, "GET", "state")["exchange"]["chainId"]
        signed = withdrawal.but(storageId=1).fields
        typed = "0x" + owner.WITHDRAWAL.hash(signed, chain_id, int(EXCHANGE, 16)).hex()
        done(bench.relay, "POST", "layer1", {"approvedHashes": {OWNER_A: [typed]}})
        call(bench.relay, withdrawal.but(storageId=storage_id, hashApproved=typed))

    return client


def _timed(bench: Bench) -> None:
    bench.wait(2000)
    get(bench.relay, "/api/v2/exchange/tokens")


def _timed_order(bench: Bench) -> None:
    call(bench.relay, order(clientOrderId="a1"))
    _timed(bench)


def _lost_change(*, looks: bool) -> Client:
    """Follows a book of which a change is lost, three more changes long."""

    def client(bench: Bench) -> None:
        book = {"topic": "orderbook", "market": "LRC-ETH", "level": 0}
        socket = Socket(bench.relay)
        socket.subscribe(book)
        bench.fault(on="ws_push", when={"topic": "orderbook"}, push="lose")
        for number in range(1, 5):
            call(bench.relay, order(number))
            if looks and number == 2:
                socket.subscribe({**book, "snapshot": True})

    return client


def _pinged(*, pongs: bool) -> Client:
    def client(bench: Bench) -> None:
        socket = Socket(bench.relay)
        if pongs:
            socket.send("pong")
        bench.wait(30_000)
        get(bench.relay, "/api/v2/exchange/tokens")

    return client


def _subscribed(count: int) -> Client:
    topics = [
        {"topic": "orderbook", "market": "LRC-ETH", "level": 0, "snapshot": True, "count": rows}
        for rows in range(1, count + 1)
    ]
    return lambda bench: Socket(bench.relay).subscribe(*topics)


def _cut_off(event: SocketEvent) -> Client:
    def client(bench: Bench) -> None:
        socket = Socket(bench.relay)
        bench.relay.socket_event(socket.id, event, bench.relay.now_ms(), "10001 messages waited")

    return client


PAIRS: Mapping[str, Pair] = {
    "foreign-path": Pair(
        lambda bench: get(bench.relay, "/api/v2/exchange/token"),
        lambda bench: get(bench.relay, "/api/v2/exchange/tokens"),
    ),
    "wrong-content-type": Pair(_typed("text/json"), _typed("Application/JSON; charset=utf-8")),
    "unknown-field": Pair(_sent(order(clientOrderID="x")), _sent(order(clientOrderId="x"))),
    "repeated-parameter": Pair(
        _queried([("market", "LRC-ETH"), ("market", "LRC-ETH")]), _queried([("market", "LRC-ETH,LRC-USDT")])
    ),
    "number-for-string": Pair(_sent(order(amountS=100 * E18)), _sent(order(amountS=str(100 * E18)))),
    "string-for-number": Pair(_sent(order(orderId="1")), _sent(order(orderId=1))),
    "milliseconds-for-seconds": Pair(
        _sent(order(validUntil=(START_S + 60 * DAY_S) * 1000)), _sent(order(validUntil=START_S + 60 * DAY_S))
    ),
    "seconds-for-milliseconds": Pair(
        _sent(valid_request("get_orders").but(start=START_S)),
        _sent(valid_request("get_orders").but(start=START_S * 1000)),
    ),
    "malformed-address": Pair(
        _sent(Request("get_account", {"owner": OWNER_A[:-1]})), _sent(Request("get_account", {"owner": OWNER_A}))
    ),
    "shape": Pair(_sent(order().without("amountB")), _sent(order())),
    "amount-below-precision": Pair(
        _sent(valid_request("submit_transfer").but(amount=str(10**15 - 1))),
        _sent(valid_request("submit_transfer").but(amount=str(10**15))),
        edit=COARSE,
    ),
    "validity-under-a-month": Pair(
        _sent(order(validUntil=START_S + 30 * DAY_S - 1)), _sent(order(validUntil=START_S + 30 * DAY_S))
    ),
    "reused-id": Pair(_two(order(), order(amountB="1")), _two(order(), order(2, amountB="1"))),
    "reused-client-order-id": Pair(
        _two(order(clientOrderId="a"), order(2, clientOrderId="a")),
        _two(order(clientOrderId="a"), order(2, clientOrderId="b")),
    ),
    "polling-too-fast": Pair(_polled(10_000), _polled(15_000)),
    "post-retried-without-looking": Pair(_lost(order(), looks=False), _lost(order(), looks=True)),
    "changed-retry-without-looking": Pair(
        _lost(order(amountB="7"), looks=False), _lost(order(2, amountB="7"), looks=False)
    ),
    "no-pause-after-rate-limit": Pair(_limited(300), _limited(1000), limits="spec"),
    "signature": Pair(
        _sent(order()),
        lambda bench: get(bench.relay, "/api/v2/exchange/tokens"),
        choices={"signature.scheme": "protocol"},
    ),
    "approved-hash": Pair(_approved(2), _approved(1), choices={"signature.scheme": "protocol"}),
    "timeline": Pair(_timed, _timed_order, edit=EARLY_CANCEL),
    "end-not-read": Pair(_failed("get_tokens"), _failed("get_block")),
    "gap-not-healed": Pair(
        _lost_change(looks=False),
        _lost_change(looks=True),
        choices={"signature.scheme": "presence"},
        edit=LIVE,
    ),
    "pong-not-sent": Pair(_pinged(pongs=False), _pinged(pongs=True), edit=LIVE),
    "too-many-topics": Pair(_subscribed(21), _subscribed(20), edit=LIVE),
    "pushes-not-read": Pair(_cut_off(SocketEvent.NOT_READ), _cut_off(SocketEvent.CLOSED), edit=LIVE),
}
