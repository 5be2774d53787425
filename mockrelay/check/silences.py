"""What the spec leaves open about orders, told by orders that are read in one way or another."""

from __future__ import annotations

from typing import Any

from mockrelay.check import rules
from mockrelay.check.answers import Ask
from mockrelay.check.bodies import DAY_S, bob_of, call, now_s, order
from mockrelay.check.facts import Missing, Token
from mockrelay.check.rows import Act, row
from mockrelay.check.run import Run
from mockrelay.check.trading import find, submitted

_ORDER, _LIST = "submit_order", "get_orders"
_SILENT = (
    row("short", _ORDER, "A validity under a month is accepted, or refused with 102120", "Limits"),
    row("later", _ORDER, "A validSince ahead waits, counts as now, or is refused with 102120", "Limits"),
    row("client-id", _ORDER, "A clientOrderId used twice is accepted, or refused with 102120"),
    row("low-fee", _ORDER, "maxFeeBips below the account's rate is accepted, or refused with 102006"),
    row("own-order", _ORDER, "An order that meets one of its own account is cancelled, or trades"),
    row("dust", _LIST, "A rest below the dust threshold ends an order, or stays"),
    row("frozen", _ORDER, "A frozen account cannot submit orders", "States and transitions"),
)


def _silent(run: Run) -> None:
    """Orders far above the market, each of them read in one way or another."""
    base, quote = run.facts.pair()
    alice = run.facts.alice
    one, much = 10**base.decimals, 10**quote.decimals

    def far(**changes: Any) -> Ask:
        return order(run, alice, (base, one), (quote, much), **changes)

    accepts = {0: "accept", 102_120: "refuse"}
    run.told("short", far(validUntil=now_s(run) + DAY_S), "order.too_short_validity", accepts)
    later = run.told("later", far(validSince=now_s(run) + 3600), "order.valid_since_future", {0: "", 102_120: "refuse"})
    if later.code == 0 and later.is_sound and later.payload["status"] == "NEW_ACTIVED":
        answer, record = find(run, "written", later.payload["orderHash"], alice)
        run.read("order.valid_since_future", {"wait" if record["status"] == "waiting" else "activate"}, answer)
    submitted(run, far(clientOrderId="check-twice"))
    twice = {0: "allow", 102_120: "refuse"}
    run.told("client-id", far(clientOrderId="check-twice"), "order.repeated_client_id", twice)
    if run.facts.exchange.get("takerRate", 0) > 1:
        run.told("low-fee", far(maxFeeBips=1), "order.max_fee_below_rate", {0: "cap", 102_006: "refuse"})
    _own_order(run, base, quote)
    frozen = {102_027: "102027", 102_120: "102120", 102_014: "102014"}
    run.steered.do("POST", f"accounts/{alice.account_id}/freeze", {"frozen": True})
    try:
        run.told("frozen", far(), "order.frozen_account", frozen)
    finally:
        run.steered.do("POST", f"accounts/{alice.account_id}/freeze", {"frozen": False})


def _own_order(run: Run, base: Token, quote: Token) -> None:
    """Alice buys where she is the best seller herself."""
    book = run.right("told", call(run, "get_depth", {"market": run.facts.market(), "level": 0}))
    if not book.payload["asks"]:
        return
    alice, ten = run.facts.alice, 10 * 10**base.decimals
    # More than the best price, so that the two meet.
    answer = run.right("own-order", order(run, alice, (quote, 10**quote.decimals), (base, ten), buy="true"))
    listed, record = find(run, "written", answer.payload["orderHash"], alice)
    reading = {"cancelled": "cancel_newest", "processed": "allow"}.get(record["status"])
    run.must("own-order", answer, reading is not None, f"the order is {record['status']}")
    if reading is not None:
        run.read("order.self_trade", {reading}, listed)


def _dust(run: Run) -> None:
    """An order of which so little is left that nobody could trade it."""
    if len(run.facts.markets) < 2:
        raise Missing("a second market is needed")
    base, quote = (run.facts.token(symbol) for symbol in run.facts.markets[1].split("-"))
    threshold = next(int(t["dustOrderAmount"]) for t in run.facts.told["tokens"] if t["tokenId"] == base.token_id)
    size, volume, rest = 10**base.decimals, 10**quote.decimals, threshold // 2
    book = run.right("told", call(run, "get_depth", {"market": run.facts.markets[1], "level": 0}))
    if rest == 0 or book.payload["asks"]:
        raise Missing("a token with a dust threshold and an empty book is needed")
    hash_ = submitted(run, order(run, run.facts.alice, (base, size), (quote, volume)))
    submitted(run, order(run, bob_of(run), (quote, volume), (base, size - rest), buy="true"))
    answer, record = find(run, "filled", hash_, run.facts.alice)
    run.must("filled", answer, record["filledSize"] == str(size - rest), f"filled {record['filledSize']}", rules.MEMORY)
    keeps = record["status"] == "processing"
    run.read("order.dust", {"keep" if keeps else "finish"}, answer)
    run.must("dust", answer, keeps or record["status"] == "processed", f"the order is {record['status']}")


SILENCES: tuple[Act, ...] = (
    Act("silences about orders", _silent, _SILENT, writes=True, endpoints=(_ORDER, _LIST, "get_depth")),
    Act("dust", _dust, (), writes=True, endpoints=(_ORDER, _LIST, "get_depth")),
)
