"""What tests do to world W: changes of every kind that may be left to the next test, and what can be looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mockrelay.relay import Relay
from tests.conformance.transcript import ROWS
from tests.support.bodies import E18, W
from tests.support.calls import CONTRACT_A, call, valid_request
from tests.support.client import advance, control, done, get, post
from tests.support.worlds import DAY_S, START_S

ORDER = "/api/v3/order"


def script(relay: Relay) -> list[tuple[int, bytes]]:
    """Each endpoint once and what follows from it: ids, hashes, nonces, blocks, limits. All answers as bytes."""
    answers = [call(relay, valid_request(row.name)) for row in ROWS]
    answers += [
        call(relay, valid_request("get_order_id")),
        *(post(relay, ORDER, W.order(number + 2)) for number in range(5)),
    ]
    answers += [control(relay, "POST", "blocks/seal", {}), get(relay, "/api/v2/block/getBlock")]
    answers += [control(relay, "POST", "faults", {"on": "get_depth", "code": 108000})]
    advance(relay, "30s")
    answers += [call(relay, valid_request(row.name)) for row in ROWS]
    return [(answer.status, answer.body) for answer in answers]


def orders(relay: Relay) -> None:
    for number in range(7):
        post(relay, ORDER, W.order(number * 3))


def faults(relay: Relay) -> None:
    done(relay, "POST", "faults", {"on": "submit_order", "code": 102014, "times": 9})
    done(relay, "POST", "faults", {"on": "submit_order", "hold": "UNKNOWN", "nth": 2})
    post(relay, ORDER, W.order())
    done(relay, "POST", "layer1", {"state": "down", "gasPrice": "7"})


def money(relay: Relay) -> None:
    done(relay, "POST", "fees", {"requestType": 9, "token": "LRC", "factor": 1.3})
    done(relay, "POST", "accounts/alice/deposit", {"token": "LRC", "amount": str(E18)})
    done(relay, "POST", "accounts/bob/freeze", {"frozen": True})
    done(relay, "POST", "accounts/alice/keys", {"apiKey": "another", "accountNonce": 7})


def a_year_later(relay: Relay) -> None:
    post(relay, ORDER, W.order(validUntil=START_S + DAY_S))
    advance(relay, "400d")


def running_clock(relay: Relay) -> None:
    done(relay, "POST", "clock", {"rate": 3600})


def limits(relay: Relay) -> None:
    for _ in range(20):
        get(relay, "/api/v2/exchange/tokens")
    get(relay, "/api/v9/nothing")


def choices(relay: Relay) -> None:
    done(relay, "PUT", "choices", {"http.error_status": "400", "hash.scheme": "protocol", "order_id.get": "reserve"})
    get(relay, "/api/v2/orderId", accountId=10001, tokenSId=1)


def blocks(relay: Relay) -> None:
    for name in ("submit_transfer", "submit_withdrawal", "mint_nft", "update_account"):
        call(relay, valid_request(name))
    done(relay, "POST", "blocks/seal", {"count": 3})
    done(relay, "POST", "blocks/finalize", {})
    control(relay, "POST", f"nft/{CONTRACT_A}/deploy", {"outcome": "deployed"})  # which it is, the second time


def another_scenario(relay: Relay) -> None:
    done(relay, "POST", "reset", {"scenarioText": "format: 1\nname: other\nextends: default\nseed: 9\n"})
    done(relay, "POST", "snapshots", {"name": "other"})


CHANGES: Mapping[str, Callable[[Relay], object]] = {
    change.__name__: change
    for change in (
        orders,
        faults,
        money,
        a_year_later,
        running_clock,
        limits,
        choices,
        blocks,
        another_scenario,
        script,
    )
}


def everything(relay: Relay) -> Any:
    """All that a test can look at without a call of the API."""
    paths = ("state", "clock", "choices", "faults", "requests", "findings", "problems", "accounts", "health")
    return [done(relay, "GET", path) for path in paths]
