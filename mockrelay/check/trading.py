"""Orders that are submitted and read again: their record, the book, trades, and the choices about orders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockrelay.check import rules
from mockrelay.check.answer import Answer
from mockrelay.check.calls import api_call, order
from mockrelay.check.checks import check
from mockrelay.check.run import CheckCase, Lost, Run, Skipped
from mockrelay.client.call import ApiCall
from mockrelay.client.facts import DAY_S, Party, TokenFacts
from mockrelay.signing.messages import ORDER_V2, hash_text

_ORDER, _LIST = "submit_order", "get_orders"
_SUBMITTED = (
    check("taken", _ORDER, "An order that is right is taken as NEW_ACTIVED"),
    check("repeated", _ORDER, "The same order again is refused with 102007", "Errors"),
    check("used-id", _ORDER, "Another order with the same id is refused with 102004", "Errors"),
    check("maker-only", _ORDER, "A MAKER_ONLY order that would take is refused with 102120", "Errors"),
    check("balance", _ORDER, "An order above the balance is refused with 102011", "Errors"),
    check("written", _LIST, "The record of an order is as it was submitted"),
    check("filled", _LIST, "A trade shows in both orders, its fee in the token received"),
    check("written", "get_depth", "A resting order is in the book at its price"),
    check("traded", "get_ticker", "A trade is in the ticker, with its price and volumes"),
    check("traded", "get_candlestick", "A trade is in the candle of its minute"),
    check("moved", "get_order_id", "After an order with the highest id so far the next one follows it"),
    check("trade", "get_pending_requests", "A trade waits for the next block as a SpotTrade of both orders"),
    check("trade", "get_block", "The next block holds the trade, with the fields of both orders"),
)
_CHOICES = (
    check("short", _ORDER, "A validity under a month is accepted, or refused with 102120", "Limits"),
    check("later", _ORDER, "A validSince ahead waits, counts as now, or is refused with 102120", "Limits"),
    check("client-id", _ORDER, "A clientOrderId used twice is accepted, or refused with 102120"),
    check("low-fee", _ORDER, "maxFeeBips below the account's rate is accepted, or refused with 102006"),
    check("own-order", _ORDER, "An order that meets one of its own account is cancelled, or trades"),
    check("dust", _LIST, "A rest below the dust threshold ends an order, or stays"),
    check("frozen", _ORDER, "A frozen account cannot submit orders", "States and transitions"),
)
_SHARE = 40
"""How many of alice's hundred are bought."""


def _find(run: Run, check_id: str, hash_: str, who: Party) -> tuple[Answer, dict[str, Any]]:
    """The record of an order. Raises Lost where it is not listed."""
    answer = run.expect_accepted("answered", api_call(run, _LIST, {"accountId": who.account_id}, who))
    found = [record for record in answer.payload.get("orders", []) if record["hash"] == hash_]
    run.expect(check_id, answer, len(found) == 1, f"order {hash_} is listed {len(found)} times", rules.MEMORY)
    if not found:
        raise Lost
    return answer, found[0]


def _compare(run: Run, check_id: str, answer: Answer, found: Mapping[str, Any], due: Mapping[str, Any]) -> None:
    for name, value in due.items():
        same = found.get(name) == value
        run.expect(check_id, answer, same, f"{name} {found.get(name)!r}, written {value!r}", rules.MEMORY)


def _submit(run: Run, call: ApiCall) -> str:
    """Submit an order that must be accepted; its hash."""
    answer = run.expect_accepted("taken", call)
    receipt = answer.payload
    holds = receipt["status"] == "NEW_ACTIVED" and receipt["isIdempotent"] is False and receipt["orderHash"] != ""
    run.expect("taken", answer, holds, f"found {answer}")
    return str(receipt["orderHash"])


def _trading(run: Run) -> None:
    base, quote = run.facts.pair
    alice, bob, market = run.facts.alice, run.facts.bob, run.facts.market
    size, volume = 100 * base.unit_wei, 5 * 10 ** max(quote.decimals - 2, 0)
    before = run.expect_accepted("answered", api_call(run, "get_depth", {"market": market, "level": 0}))
    was_empty = before.payload["asks"] == before.payload["bids"] == []
    sale = order(run, alice, (base, size), (quote, volume), clientOrderId="check-first")
    hash_ = _submit(run, sale)
    made_ms = run.facts.now_ms()
    answer, record = _find(run, "written", hash_, alice)
    run.observe("hash.scheme", {"protocol" if hash_ == hash_text(ORDER_V2.hash(sale.fields)) else "fast"}, answer)
    due: dict[str, Any] = {
        "clientOrderId": "check-first",
        "size": str(size),
        "volume": str(volume),
        "side": "SELL",
        "market": market,
    }
    due |= {name: sale.fields[name] for name in ("validSince", "validUntil")}
    due |= {"createdAt": made_ms}
    if was_empty:
        due |= {"status": "processing", "filledSize": "0", "filledVolume": "0", "filledFee": "0"}
    _compare(run, "written", answer, record, due)
    next_id = run.expect_accepted(
        "answered", api_call(run, "get_order_id", {"accountId": alice.account_id, "tokenSId": base.token_id})
    )
    used = sale.fields["orderId"]
    run.expect("moved", next_id, int(next_id.payload) == used + 1, f"{next_id.payload}, used is {used}", rules.MEMORY)
    run.expect_refused("repeated", sale, 102_007)
    again = order(run, alice, (base, size), (quote, volume), orderId=used, label=212)
    run.expect_refused("used-id", again, 102_004)
    taking = order(run, bob, (quote, volume), (base, size), orderType="MAKER_ONLY")
    run.expect_refused("maker-only", taking, 102_120)
    _too_much(run, base, quote)
    if was_empty:
        _rests(run, record, size, volume)
        _trade(run, hash_, (base, quote), (size, volume))
    # Somebody bids as well, for less, so that the book has both sides.
    _submit(run, order(run, bob, (quote, volume // 12), (base, size // 10), buy="true"))


def _too_much(run: Run, base: TokenFacts, quote: TokenFacts) -> None:
    """Sell more than is free, where the token's maximum allows it."""
    free = _free_wei(run, run.facts.alice, base)
    if free + 1 <= base.max_order_wei:
        call = order(run, run.facts.alice, (base, free + 1), (quote, quote.unit_wei))
        run.expect_refused("balance", call, 102_011)
        return
    free = _free_wei(run, run.facts.alice, quote)
    if free + 1 <= quote.max_order_wei:
        call = order(run, run.facts.alice, (quote, free + 1), (base, base.unit_wei))
        run.expect_refused("balance", call, 102_011)


def _free_wei(run: Run, who: Party, token: TokenFacts) -> int:
    account = run.world.control("GET", f"accounts/{who.account_id}")
    return int(account["balances"].get(token.symbol, {"free": "0"})["free"])


def _rests(run: Run, record: Mapping[str, Any], size: int, volume: int) -> None:
    book = run.expect_accepted("answered", api_call(run, "get_depth", {"market": run.facts.market, "level": 0}))
    due = [[record["price"], str(size), str(volume), "1"]]
    run.expect(
        "written", book, book.payload["asks"] == due, f"asks {book.payload['asks']}, written {due}", rules.MEMORY
    )


def _trade(run: Run, hash_: str, pair: tuple[TokenFacts, TokenFacts], legs: tuple[int, int]) -> None:
    """Bob buys a part of what alice offers, at her price."""
    (base, quote), bob = pair, run.facts.bob
    size, volume = (leg * _SHARE // 100 for leg in legs)
    purchase = order(run, bob, (quote, volume), (base, size), buy="true")
    taken = _submit(run, purchase)
    answer, sold = _find(run, "filled", hash_, run.facts.alice)
    due = {"filledSize": str(size), "filledVolume": str(volume), "status": "processing"}
    _compare(run, "filled", answer, sold, due)
    run.expect("filled", answer, int(sold["filledFee"]) * 1000 <= volume * 63, f"fee {sold['filledFee']}", rules.MEMORY)
    answer, bought = _find(run, "filled", taken, bob)
    _compare(run, "filled", answer, bought, due | {"status": "processed", "side": "BUY"})
    market = run.facts.market
    ticker = run.expect_accepted("answered", api_call(run, "get_ticker", {"market": market}))
    line, price = ticker.payload[0], sold["price"]
    due_line = [market, line[1], str(size), str(volume), price, price, price, price, "1"]
    run.expect("traded", ticker, line[:9] == due_line, f"{line[:9]}, due is {due_line}", rules.MEMORY)
    run.expect(
        "traded",
        ticker,
        line[1] == str(run.facts.now_ms()),
        f"updated at {line[1]}, now {run.facts.now_ms()}",
        rules.MEMORY,
    )
    candles = run.expect_accepted("answered", api_call(run, "get_candlestick", {"market": market, "interval": "1min"}))
    start = run.facts.now_ms() - run.facts.now_ms() % 60_000
    candle = [str(start), "1", price, price, price, price, str(size), str(volume)]
    run.expect("traded", candles, candle in candles.payload, f"{candles.payload}, due is {candle}", rules.MEMORY)
    _sealed(run, purchase, size, volume)


def _sealed(run: Run, purchase: ApiCall, size: int, volume: int) -> None:
    """The trade on its way into a block."""
    pending = run.expect_accepted("answered", api_call(run, "get_pending_requests"))
    waiting = pending.payload if isinstance(pending.payload, list) else [pending.payload]
    _look_at_trade(run, "trade", pending, waiting, purchase, size, volume)
    sealed = run.world.control("POST", "blocks/seal", {"count": 1})["blockIds"]
    if not sealed:
        # The scenario has sealed the trade at once.
        return
    number = sealed[-1]
    block = run.expect_accepted("answered", api_call(run, "get_block", {"id": str(number)}))
    run.expect(
        "trade", block, block.payload["blockId"] == number, f"block {block.payload['blockId']}, asked for {number}"
    )
    run.expect(
        "trade", block, block.payload["createdAt"] == run.facts.now_ms(), f"createdAt {block.payload['createdAt']}"
    )
    block_size, count = block.payload["blockSize"], len(block.payload["transactions"])
    run.expect("trade", block, block_size == count, f"blockSize {block_size}, {count} transactions")
    _look_at_trade(run, "trade", block, block.payload["transactions"], purchase, size, volume)


def _look_at_trade(
    run: Run,
    check_id: str,
    answer: Answer,
    transactions: list[dict[str, Any]],
    purchase: ApiCall,
    size: int,
    volume: int,
) -> None:
    trades = [one for one in transactions if one["txType"].lower() == "spottrade"]
    run.expect(check_id, answer, len(trades) == 1, f"{len(trades)} trades, there was one; found {answer}", rules.MEMORY)
    if not trades:
        return
    legs: list[dict[str, Any]] = [trades[0].get("orderA", {}), trades[0].get("orderB", {})]
    fields = purchase.fields
    own: dict[str, Any] = next((leg for leg in legs if leg.get("accountID") == fields["accountId"]), {})
    due = {"storageID": "orderId", "amountS": "amountS", "amountB": "amountB", "tokenS": "tokenSId"}
    for name, source in (due | {"tokenB": "tokenBId", "validUntil": "validUntil"}).items():
        same = own.get(name) == fields[source]
        run.expect(check_id, answer, same, f"{name} {own.get(name)!r}, written {fields[source]!r}", rules.MEMORY)
    fills = sorted(int(leg.get("fillS", -1)) for leg in legs)
    run.expect(
        check_id, answer, fills == sorted((size, volume)), f"fillS {fills}, traded {size}, {volume}", rules.MEMORY
    )


def _order_choices(run: Run) -> None:
    """Orders far above the market whose acceptance depends on a choice."""
    base, quote = run.facts.pair
    alice = run.facts.alice
    one, much = base.unit_wei, quote.unit_wei

    def far(**changes: Any) -> ApiCall:
        return order(run, alice, (base, one), (quote, much), **changes)

    accepts = {0: "accept", 102_120: "refuse"}
    run.expect_option("short", far(validUntil=run.facts.now_s + DAY_S), "order.too_short_validity", accepts)
    later = run.expect_option(
        "later", far(validSince=run.facts.now_s + 3600), "order.valid_since_future", {0: "", 102_120: "refuse"}
    )
    if later.code == 0 and later.is_sound and later.payload["status"] == "NEW_ACTIVED":
        answer, record = _find(run, "written", later.payload["orderHash"], alice)
        run.observe("order.valid_since_future", {"wait" if record["status"] == "waiting" else "activate"}, answer)
    _submit(run, far(clientOrderId="check-twice"))
    twice = {0: "allow", 102_120: "refuse"}
    run.expect_option("client-id", far(clientOrderId="check-twice"), "order.repeated_client_id", twice)
    if run.taker_bips > 1:
        run.expect_option("low-fee", far(maxFeeBips=1), "order.max_fee_below_rate", {0: "cap", 102_006: "refuse"})
    _own_order(run, base, quote)
    frozen = {102_027: "102027", 102_120: "102120", 102_014: "102014"}
    run.world.control("POST", f"accounts/{alice.account_id}/freeze", {"frozen": True})
    try:
        run.expect_option("frozen", far(), "order.frozen_account", frozen)
    finally:
        run.world.control("POST", f"accounts/{alice.account_id}/freeze", {"frozen": False})


def _own_order(run: Run, base: TokenFacts, quote: TokenFacts) -> None:
    """Alice buys from the best offer, which is her own."""
    book = run.expect_accepted("answered", api_call(run, "get_depth", {"market": run.facts.market, "level": 0}))
    if not book.payload["asks"]:
        return
    alice, ten = run.facts.alice, 10 * base.unit_wei
    # More than the best price, so that the two meet.
    answer = run.expect_accepted("own-order", order(run, alice, (quote, quote.unit_wei), (base, ten), buy="true"))
    listed, record = _find(run, "written", answer.payload["orderHash"], alice)
    option = {"cancelled": "cancel_newest", "processed": "allow"}.get(record["status"])
    run.expect("own-order", answer, option is not None, f"the order is {record['status']}")
    if option is not None:
        run.observe("order.self_trade", {option}, listed)


def _dust(run: Run) -> None:
    """An order of which so little is left that nobody could trade it."""
    if len(run.facts.markets) < 2:
        raise Skipped("a second market is needed")
    base, quote = (run.facts.token(symbol) for symbol in run.facts.markets[1].split("-"))
    threshold = next(int(t["dustOrderAmount"]) for t in run.world.state["tokens"] if t["tokenId"] == base.token_id)
    size, volume, rest = base.unit_wei, quote.unit_wei, threshold // 2
    book = run.expect_accepted("answered", api_call(run, "get_depth", {"market": run.facts.markets[1], "level": 0}))
    if rest == 0 or book.payload["asks"]:
        raise Skipped("a token with a dust threshold and an empty book is needed")
    hash_ = _submit(run, order(run, run.facts.alice, (base, size), (quote, volume)))
    _submit(run, order(run, run.facts.bob, (quote, volume), (base, size - rest), buy="true"))
    answer, record = _find(run, "filled", hash_, run.facts.alice)
    run.expect(
        "filled", answer, record["filledSize"] == str(size - rest), f"filled {record['filledSize']}", rules.MEMORY
    )
    keeps = record["status"] == "processing"
    run.observe("order.dust", {"keep" if keeps else "finish"}, answer)
    run.expect("dust", answer, keeps or record["status"] == "processed", f"the order is {record['status']}")


TRADING: tuple[CheckCase, ...] = (
    CheckCase("trading", _trading, _SUBMITTED, writes=True),
    CheckCase("choices about orders", _order_choices, _CHOICES, writes=True, endpoints=(_ORDER, _LIST, "get_depth")),
    CheckCase("dust", _dust, (), writes=True, endpoints=(_ORDER, _LIST, "get_depth")),
)
