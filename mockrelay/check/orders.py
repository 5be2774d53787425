"""Checks of the list of orders and of the next order id: paging, filters, sorting."""

from __future__ import annotations

from typing import Any

from mockrelay.check.answer import Answer
from mockrelay.check.calls import api_call
from mockrelay.check.checks import check
from mockrelay.check.run import CheckCase, Run
from mockrelay.client.facts import SOME_HASH

PAGE = 50
_ROWS = (
    check("answered", "get_order_id", "A right call is answered with the id of the next order"),
    check("next", "get_order_id", "The next id is below 2^32, and does not fall"),
    check("answered", "get_orders", "A right call is answered with the orders of an account"),
    check("total", "get_orders", "totalNum is not less than the orders that are answered"),
    check("newest-first", "get_orders", "Orders are in the order of time, the newest first"),
    check("unique", "get_orders", "No order is answered twice"),
    check("fills", "get_orders", "Nothing is filled beyond the order, and what is processed is filled", "OrderDetail"),
    check(
        "times",
        "get_orders",
        "validSince is before validUntil, in seconds, and createdAt is in milliseconds",
        "Conventions 4",
    ),
    check("default-limit", "get_orders", "Without a limit there are at most 50 orders", "Limits"),
    check("pages", "get_orders", "Pages by limit and offset have no gap and nothing twice"),
    check("from-hash", "get_orders", "fromHash gives what is earlier than that order"),
    check("side", "get_orders", "The filter `side` lets only that side through"),
    check("status", "get_orders", "The filter `status` lets only these states through"),
    check("market", "get_orders", "The filter `market` lets only that market through"),
    check("start-end", "get_orders", "`start` and `end` bound the time of creation, and an end of 0 bounds nothing"),
    check("cancelling", "get_orders", "The filter knows `cancelling`, or refuses it", "States and transitions"),
    check("unknown-hash", "get_orders", "A fromHash without an order is refused, or has an empty list"),
)
_ID_MAX = 2**32 - 1
_MS_FROM = 10**11
"""Times of this century are below this in seconds and above it in milliseconds."""


def _orders(run: Run) -> None:
    _order_id(run)
    call = api_call(run, "get_orders", {"accountId": run.facts.account_id})
    answer = run.expect_accepted("answered", call)
    rows = _look_at_orders(run, answer)
    run.expect("default-limit", answer, len(rows) <= PAGE, f"{len(rows)} orders")
    hashes = [record["hash"] for record in rows]
    for offset in (0, 1, 2):
        page = run.expect_accepted("answered", call.but(limit=2, offset=offset))
        listed = [record["hash"] for record in page.payload.get("orders", [])]
        run.expect("pages", page, listed == hashes[offset : offset + 2], f"offset {offset}: {listed}, of {hashes[:4]}")
    if hashes:
        later = run.expect_accepted("answered", call.but(fromHash=hashes[0]))
        listed = [record["hash"] for record in later.payload.get("orders", [])]
        whole = later.payload["totalNum"] <= PAGE
        run.expect("from-hash", later, listed == hashes[1:] or not whole, f"{listed[:3]}, earlier are {hashes[1:4]}")
        _filters(run, call, rows)
    run.expect_option(
        "cancelling", call.but(status="cancelling"), "orders.filter_cancelling", {0: "alone", 100_000: "with_cancelled"}
    )
    unknown = run.expect_option(
        "unknown-hash", call.but(fromHash=SOME_HASH), "orders.unknown_hash", {0: "empty", 100_000: "refuse"}
    )
    if unknown.code == 0 and unknown.is_sound and unknown.payload:
        run.expect("unknown-hash", unknown, not unknown.payload.get("orders"), f"listed: {unknown}")


def _order_id(run: Run) -> None:
    call = api_call(run, "get_order_id", {"accountId": run.facts.account_id, "tokenSId": run.facts.erc20.token_id})
    first = run.expect_accepted("answered", call)
    second = run.expect_accepted("answered", call)
    before, after = int(first.payload), int(second.payload)
    run.expect("next", second, before <= after <= _ID_MAX, f"{after}, before {before}")
    if run.own_world is not None:
        # Nobody else takes an id meanwhile.
        run.observe("order_id.get", {"peek" if before == after else "reserve"}, second)


def _look_at_orders(run: Run, answer: Answer) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = answer.payload.get("orders", [])
    run.expect("total", answer, answer.payload["totalNum"] >= len(rows), f"{answer.payload['totalNum']} of {len(rows)}")
    times_ms = [record["createdAt"] for record in rows]
    run.expect("newest-first", answer, times_ms == sorted(times_ms, reverse=True), f"createdAt {times_ms[:10]}")
    hashes = [record["hash"] for record in rows]
    run.expect("unique", answer, len(set(hashes)) == len(hashes), f"{hashes[:10]}")
    for record in rows:
        size, volume, filled, paid = (int(record[name]) for name in ("size", "volume", "filledSize", "filledVolume"))
        status = record["status"]
        # By the leg that ends an order the other one may come out better than asked for.
        holds = (filled <= size or paid <= volume) and (status != "processed" or filled > 0)
        run.expect("fills", answer, holds, f"{record['hash']}: {filled} of {size}, {status}")
        since, until, created = record["validSince"], record["validUntil"], record["createdAt"]
        run.expect("times", answer, since < until < _MS_FROM <= created, f"{since}, {until}, created at {created}")
    return rows


def _filters(run: Run, call: Any, rows: list[dict[str, Any]]) -> None:
    side, status, market = rows[0]["side"], rows[0]["status"], rows[0]["market"]
    for name, value in (
        ("side", side),
        ("status", "cancelled" if status == "cancelling" else status),
        ("market", market),
    ):
        answer = run.expect_accepted("answered", call.but(**{name: value}))
        listed = answer.payload.get("orders", [])
        stray = [record[name] for record in listed if record[name] not in (value, "cancelling")]
        run.expect(name, answer, not stray, f"{name} {value}, listed {stray[:3]}")
        is_listed = any(record["hash"] == rows[0]["hash"] for record in listed)
        run.expect(name, answer, is_listed, f"{name} {value} leaves out {rows[0]['hash']}, which has it")
    newest, oldest = rows[0]["createdAt"], rows[-1]["createdAt"]
    for bounds in ({"start": newest}, {"end": oldest}, {"start": 0, "end": 0}):
        answer = run.expect_accepted("answered", call.but(**bounds))
        times_ms = [record["createdAt"] for record in answer.payload.get("orders", [])]
        low, high = bounds.get("start", 0), bounds.get("end", 0) or max(times_ms, default=0)
        run.expect(
            "start-end",
            answer,
            bool(times_ms) and low <= min(times_ms) and max(times_ms) <= high,
            f"{bounds}: {times_ms[:5]}",
        )


ORDERS: tuple[CheckCase, ...] = (CheckCase("orders", _orders, _ROWS, writes=False),)
