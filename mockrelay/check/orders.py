"""The list of orders and the ids of the next ones: paging, filters, order."""

from __future__ import annotations

from typing import Any

from mockrelay.check.answers import Answer
from mockrelay.check.bodies import call
from mockrelay.check.facts import SOME_HASH
from mockrelay.check.rows import Act, row
from mockrelay.check.run import Run

PAGE = 50
_ROWS = (
    row("told", "get_order_id", "The id of the next order is told"),
    row("next", "get_order_id", "The next id is below 2^32, and does not fall"),
    row("told", "get_orders", "The orders of an account are told"),
    row("total", "get_orders", "totalNum is not less than the orders that are told"),
    row("newest-first", "get_orders", "Orders are in the order of time, the newest first"),
    row("unique", "get_orders", "No order is told twice"),
    row("fills", "get_orders", "Nothing is filled beyond the order, and what is processed is filled", "OrderDetail"),
    row(
        "times",
        "get_orders",
        "validSince is before validUntil, in seconds, and createdAt is in milliseconds",
        "Conventions 4",
    ),
    row("default-limit", "get_orders", "Without a limit there are at most 50 orders", "Limits"),
    row("pages", "get_orders", "Pages by limit and offset have no gap and nothing twice"),
    row("from-hash", "get_orders", "fromHash tells what is earlier than that order"),
    row("side", "get_orders", "The filter `side` lets only that side through"),
    row("status", "get_orders", "The filter `status` lets only these states through"),
    row("market", "get_orders", "The filter `market` lets only that market through"),
    row("start-end", "get_orders", "`start` and `end` bound the time of creation, and an end of 0 bounds nothing"),
    row("cancelling", "get_orders", "The filter knows `cancelling`, or refuses it", "States and transitions"),
    row("unknown-hash", "get_orders", "A fromHash that is no order's is refused, or tells nothing"),
)
_ID_MAX = 2**32 - 1
_MS_FROM = 10**11
"""Times from here on are milliseconds, if they are of this century."""


def _orders(run: Run) -> None:
    _order_id(run)
    ask = call(run, "get_orders", {"accountId": run.facts.account_id()})
    answer = run.right("told", ask)
    rows = _look_at_orders(run, answer)
    run.must("default-limit", answer, len(rows) <= PAGE, f"{len(rows)} orders")
    hashes = [record["hash"] for record in rows]
    for offset in (0, 1, 2):
        page = run.right("told", ask.but(limit=2, offset=offset))
        told = [record["hash"] for record in page.payload.get("orders", [])]
        run.must("pages", page, told == hashes[offset : offset + 2], f"offset {offset}: {told}, of {hashes[:4]}")
    if hashes:
        later = run.right("told", ask.but(fromHash=hashes[0]))
        told = [record["hash"] for record in later.payload.get("orders", [])]
        whole = later.payload["totalNum"] <= PAGE
        run.must("from-hash", later, told == hashes[1:] or not whole, f"{told[:3]}, earlier are {hashes[1:4]}")
        _filters(run, ask, rows)
    run.told(
        "cancelling", ask.but(status="cancelling"), "orders.filter_cancelling", {0: "alone", 100_000: "with_cancelled"}
    )
    unknown = run.told(
        "unknown-hash", ask.but(fromHash=SOME_HASH), "orders.unknown_hash", {0: "empty", 100_000: "refuse"}
    )
    if unknown.code == 0 and unknown.is_sound and unknown.payload:
        run.must("unknown-hash", unknown, not unknown.payload.get("orders"), f"told: {unknown}")


def _order_id(run: Run) -> None:
    ask = call(run, "get_order_id", {"accountId": run.facts.account_id(), "tokenSId": run.facts.some_token().token_id})
    first = run.right("told", ask)
    second = run.right("told", ask)
    before, after = int(first.payload), int(second.payload)
    run.must("next", second, before <= after <= _ID_MAX, f"{after}, before {before}")
    if run.world is not None:
        # Nobody else takes an id meanwhile.
        run.read("order_id.get", {"peek" if before == after else "reserve"}, second)


def _look_at_orders(run: Run, answer: Answer) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = answer.payload.get("orders", [])
    run.must("total", answer, answer.payload["totalNum"] >= len(rows), f"{answer.payload['totalNum']} of {len(rows)}")
    made = [record["createdAt"] for record in rows]
    run.must("newest-first", answer, made == sorted(made, reverse=True), f"createdAt {made[:10]}")
    hashes = [record["hash"] for record in rows]
    run.must("unique", answer, len(set(hashes)) == len(hashes), f"{hashes[:10]}")
    for record in rows:
        size, volume, filled, paid = (int(record[name]) for name in ("size", "volume", "filledSize", "filledVolume"))
        status = record["status"]
        # By the leg that ends an order the other one may come out better than asked for.
        holds = (filled <= size or paid <= volume) and (status != "processed" or filled > 0)
        run.must("fills", answer, holds, f"{record['hash']}: {filled} of {size}, {status}")
        since, until, created = record["validSince"], record["validUntil"], record["createdAt"]
        run.must("times", answer, since < until < _MS_FROM <= created, f"{since}, {until}, created at {created}")
    return rows


def _filters(run: Run, ask: Any, rows: list[dict[str, Any]]) -> None:
    side, status, market = rows[0]["side"], rows[0]["status"], rows[0]["market"]
    for name, value in (
        ("side", side),
        ("status", "cancelled" if status == "cancelling" else status),
        ("market", market),
    ):
        answer = run.right("told", ask.but(**{name: value}))
        told = answer.payload.get("orders", [])
        stray = [record[name] for record in told if record[name] not in (value, "cancelling")]
        run.must(name, answer, not stray, f"{name} {value}, told {stray[:3]}")
        kept = any(record["hash"] == rows[0]["hash"] for record in told)
        run.must(name, answer, kept, f"{name} {value} leaves out {rows[0]['hash']}, which has it")
    newest, oldest = rows[0]["createdAt"], rows[-1]["createdAt"]
    for bounds in ({"start": newest}, {"end": oldest}, {"start": 0, "end": 0}):
        answer = run.right("told", ask.but(**bounds))
        made = [record["createdAt"] for record in answer.payload.get("orders", [])]
        low, high = bounds.get("start", 0), bounds.get("end", 0) or max(made, default=0)
        run.must("start-end", answer, bool(made) and low <= min(made) and max(made) <= high, f"{bounds}: {made[:5]}")


ORDERS: tuple[Act, ...] = (Act("orders", _orders, _ROWS, writes=False),)
