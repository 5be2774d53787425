"""Orders that are written and read again: their record, the book, trades, and what the spec leaves open about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockrelay.check import rules
from mockrelay.check.answers import Answer, Ask
from mockrelay.check.bodies import bob_of, call, order
from mockrelay.check.facts import Person, Token
from mockrelay.check.rows import Act, row
from mockrelay.check.run import Lost, Run
from mockrelay.signing.messages import ORDER_V2, hash_text

_ORDER, _LIST = "submit_order", "get_orders"
_WRITTEN = (
    row("taken", _ORDER, "An order that is right is taken as NEW_ACTIVED"),
    row("repeated", _ORDER, "The same order again is refused with 102007", "Errors"),
    row("used-id", _ORDER, "Another order with the same id is refused with 102004", "Errors"),
    row("maker-only", _ORDER, "A MAKER_ONLY order that would take is refused with 102120", "Errors"),
    row("balance", _ORDER, "An order above the balance is refused with 102011", "Errors"),
    row("written", _LIST, "The record of an order is as it was submitted"),
    row("filled", _LIST, "A trade is seen in both orders, the fee in what is received"),
    row("written", "get_depth", "A resting order is in the book at its price"),
    row("traded", "get_ticker", "A trade is in the ticker, with its price and volumes"),
    row("traded", "get_candlestick", "A trade is in the candle of its minute"),
    row("moved", "get_order_id", "After an order with the highest id so far the next one follows it"),
    row("trade", "get_pending_requests", "A trade waits for the next block as a SpotTrade of both orders"),
    row("trade", "get_block", "The next block holds the trade, with the fields of both orders"),
)
_SHARE = 40
"""How many of alice's hundred are bought."""


def find(run: Run, row_id: str, hash_: str, who: Person) -> tuple[Answer, dict[str, Any]]:
    """The record of an order. Raises Lost where it is not listed."""
    answer = run.right("told", call(run, _LIST, {"accountId": who.account_id}, who))
    found = [record for record in answer.payload.get("orders", []) if record["hash"] == hash_]
    run.must(row_id, answer, len(found) == 1, f"order {hash_} is listed {len(found)} times", rules.MEMORY)
    if not found:
        raise Lost
    return answer, found[0]


def _compare(run: Run, row_id: str, answer: Answer, found: Mapping[str, Any], due: Mapping[str, Any]) -> None:
    for name, value in due.items():
        same = found.get(name) == value
        run.must(row_id, answer, same, f"{name} {found.get(name)!r}, written {value!r}", rules.MEMORY)


def submitted(run: Run, ask: Ask) -> str:
    """The hash of an order that must be taken."""
    answer = run.right("taken", ask)
    told: dict[str, Any] = answer.payload
    holds = told["status"] == "NEW_ACTIVED" and told["isIdempotent"] is False and told["orderHash"] != ""
    run.must("taken", answer, holds, f"found {answer}")
    return str(told["orderHash"])


def _written(run: Run) -> None:
    base, quote = run.facts.pair()
    alice, bob, market = run.facts.alice, bob_of(run), run.facts.market()
    size, volume = 100 * 10**base.decimals, 5 * 10 ** max(quote.decimals - 2, 0)
    before = run.right("told", call(run, "get_depth", {"market": market, "level": 0}))
    was_empty = before.payload["asks"] == before.payload["bids"] == []
    sale = order(run, alice, (base, size), (quote, volume), clientOrderId="check-first")
    hash_ = submitted(run, sale)
    made_ms = run.now_ms()
    answer, record = find(run, "written", hash_, alice)
    run.read("hash.scheme", {"protocol" if hash_ == hash_text(ORDER_V2.hash(sale.fields)) else "fast"}, answer)
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
    next_id = run.right("told", call(run, "get_order_id", {"accountId": alice.account_id, "tokenSId": base.token_id}))
    used = sale.fields["orderId"]
    run.must("moved", next_id, int(next_id.payload) == used + 1, f"{next_id.payload}, used is {used}", rules.MEMORY)
    run.wrong("repeated", sale, 102_007)
    again = order(run, alice, (base, size), (quote, volume), orderId=used, label=212)
    run.wrong("used-id", again, 102_004)
    taking = order(run, bob, (quote, volume), (base, size), orderType="MAKER_ONLY")
    run.wrong("maker-only", taking, 102_120)
    _too_much(run, base, quote)
    if was_empty:
        _rests(run, record, size, volume)
        _trade(run, hash_, (base, quote), (size, volume))
    # Somebody bids as well, for less, so that the book has both sides.
    submitted(run, order(run, bob, (quote, volume // 12), (base, size // 10), buy="true"))


def _too_much(run: Run, base: Token, quote: Token) -> None:
    """More than is free, where the token's maximum allows asking for that."""
    free = _free_wei(run, run.facts.alice, base)
    if free + 1 <= base.most_wei:
        ask = order(run, run.facts.alice, (base, free + 1), (quote, 10**quote.decimals))
        run.wrong("balance", ask, 102_011)
        return
    free = _free_wei(run, run.facts.alice, quote)
    if free + 1 <= quote.most_wei:
        ask = order(run, run.facts.alice, (quote, free + 1), (base, 10**base.decimals))
        run.wrong("balance", ask, 102_011)


def _free_wei(run: Run, who: Person, token: Token) -> int:
    told = run.steered.do("GET", f"accounts/{who.account_id}")
    return int(told["balances"].get(token.symbol, {"free": "0"})["free"])


def _rests(run: Run, record: Mapping[str, Any], size: int, volume: int) -> None:
    book = run.right("told", call(run, "get_depth", {"market": run.facts.market(), "level": 0}))
    due = [[record["price"], str(size), str(volume), "1"]]
    run.must("written", book, book.payload["asks"] == due, f"asks {book.payload['asks']}, written {due}", rules.MEMORY)


def _trade(run: Run, hash_: str, pair: tuple[Token, Token], legs: tuple[int, int]) -> None:
    """Bob buys a part of what alice offers, at her price."""
    (base, quote), bob = pair, bob_of(run)
    size, volume = (leg * _SHARE // 100 for leg in legs)
    purchase = order(run, bob, (quote, volume), (base, size), buy="true")
    taken = submitted(run, purchase)
    answer, sold = find(run, "filled", hash_, run.facts.alice)
    due = {"filledSize": str(size), "filledVolume": str(volume), "status": "processing"}
    _compare(run, "filled", answer, sold, due)
    run.must("filled", answer, int(sold["filledFee"]) * 1000 <= volume * 63, f"fee {sold['filledFee']}", rules.MEMORY)
    answer, bought = find(run, "filled", taken, bob)
    _compare(run, "filled", answer, bought, due | {"status": "processed", "side": "BUY"})
    market = run.facts.market()
    ticker = run.right("told", call(run, "get_ticker", {"market": market}))
    line, price = ticker.payload[0], sold["price"]
    due_line = [market, line[1], str(size), str(volume), price, price, price, price, "1"]
    run.must("traded", ticker, line[:9] == due_line, f"{line[:9]}, due is {due_line}", rules.MEMORY)
    run.must("traded", ticker, line[1] == str(run.now_ms()), f"updated at {line[1]}, now {run.now_ms()}", rules.MEMORY)
    candles = run.right("told", call(run, "get_candlestick", {"market": market, "interval": "1min"}))
    start = run.now_ms() - run.now_ms() % 60_000
    candle = [str(start), "1", price, price, price, price, str(size), str(volume)]
    run.must("traded", candles, candle in candles.payload, f"{candles.payload}, due is {candle}", rules.MEMORY)
    _sealed(run, purchase, size, volume)


def _sealed(run: Run, purchase: Ask, size: int, volume: int) -> None:
    """The trade on its way into a block."""
    pending = run.right("told", call(run, "get_pending_requests"))
    waiting = pending.payload if isinstance(pending.payload, list) else [pending.payload]
    _look_at_trade(run, "trade", pending, waiting, purchase, size, volume)
    sealed = run.steered.do("POST", "blocks/seal", {"count": 1})["blockIds"]
    if not sealed:
        # The scenario has sealed the trade at once.
        return
    number = sealed[-1]
    block = run.right("told", call(run, "get_block", {"id": str(number)}))
    run.must(
        "trade", block, block.payload["blockId"] == number, f"block {block.payload['blockId']}, asked for {number}"
    )
    run.must("trade", block, block.payload["createdAt"] == run.now_ms(), f"createdAt {block.payload['createdAt']}")
    size_told, there = block.payload["blockSize"], len(block.payload["transactions"])
    run.must("trade", block, size_told == there, f"blockSize {size_told}, {there} transactions")
    _look_at_trade(run, "trade", block, block.payload["transactions"], purchase, size, volume)


def _look_at_trade(
    run: Run, row_id: str, answer: Answer, told: list[dict[str, Any]], purchase: Ask, size: int, volume: int
) -> None:
    trades = [one for one in told if one["txType"].lower() == "spottrade"]
    run.must(row_id, answer, len(trades) == 1, f"{len(trades)} trades, there was one; found {answer}", rules.MEMORY)
    if not trades:
        return
    legs: list[dict[str, Any]] = [trades[0].get("orderA", {}), trades[0].get("orderB", {})]
    fields = purchase.fields
    own: dict[str, Any] = next((leg for leg in legs if leg.get("accountID") == fields["accountId"]), {})
    due = {"storageID": "orderId", "amountS": "amountS", "amountB": "amountB", "tokenS": "tokenSId"}
    for name, source in (due | {"tokenB": "tokenBId", "validUntil": "validUntil"}).items():
        same = own.get(name) == fields[source]
        run.must(row_id, answer, same, f"{name} {own.get(name)!r}, written {fields[source]!r}", rules.MEMORY)
    fills = sorted(int(leg.get("fillS", -1)) for leg in legs)
    run.must(row_id, answer, fills == sorted((size, volume)), f"fillS {fills}, traded {size}, {volume}", rules.MEMORY)


TRADING: tuple[Act, ...] = (Act("trading", _written, _WRITTEN, writes=True),)
