"""The shipped scenarios of markets: what is seen of them, and what it is like to trade there."""

from __future__ import annotations

import pytest

from mockrelay.core.models import SpotTrade
from tests.scenario.shipped_client import Client
from tests.support.bodies import E18
from tests.support.worlds import START_MS

DAY_MS = 86_400_000


def test_thin_book_fills_a_large_order_in_part_and_at_two_prices() -> None:
    client = Client("thin_book")
    bids, asks = client.depth()
    # Price, LRC, ETH, orders: 100 x 0.0006 = 0.06 and 50 x 0.0012 = 0.06; 100 x 0.0004 = 0.04 and 50 x 0.0002 = 0.01.
    assert [row[:3] for row in asks] == [
        ["0.0006", str(100 * E18), str(6 * E18 // 100)],
        ["0.0012", str(50 * E18), str(6 * E18 // 100)],
    ]
    assert [row[:3] for row in bids] == [
        ["0.0004", str(100 * E18), str(4 * E18 // 100)],
        ["0.0002", str(50 * E18), str(E18 // 100)],
    ]
    # 1,000 LRC at up to 0.0012 each: there are 150, for 0.12 ETH.
    assert client.order("BUY", 1000, 12 * E18 // 10).code == 0
    (order,) = client.orders()
    assert (order["filledSize"], order["filledVolume"]) == (str(150 * E18), str(12 * E18 // 100))
    assert order["status"] == "processing"
    bids, asks = client.depth()
    assert asks == []
    assert bids[0] == ["0.0012", str(850 * E18), str(102 * E18 // 100), "1"]


def test_busy_market_has_a_day_of_candles_and_a_deep_book() -> None:
    client = Client("busy_market")
    row = client.ticker()
    # 48 trades in the last 24 hours, the first at 0.00048; the last at 0.00052 - 0.00002.
    assert row[4] == "0.00048"
    assert (row[5], row[7], row[8]) == ("0.00052", "0.0005", "48")
    # The best of ten prices on each side.
    assert row[9:] == ["0.000499", "0.000501"]
    bids, asks = client.depth()
    assert (len(bids), len(asks)) == (10, 10)
    candles = client.get("v2/candlestick", market="LRC-ETH", interval="30min").data
    assert [candle[1] for candle in candles] == ["1"] * 48
    assert all(START_MS - DAY_MS <= int(candle[0]) < START_MS for candle in candles)
    for market in ("LRC-USDT", "ETH-USDT", "DAI-USDT"):
        assert client.ticker(market)[8] == "6"
        assert [len(side) for side in client.depth(market)] == [5, 5]


def test_busy_market_has_its_trades_in_final_blocks_between_the_house_and_itself() -> None:
    client = Client("busy_market")
    block = client.get("v3/block/getBlock").json
    # 48 + 3 x 6 trades fit one block of up to 100; it was sealed at the last trade, a quarter of an hour before the start.
    assert (block["blockId"], block["status"], block["blockSize"]) == (1, "finalized", 66)
    assert block["createdAt"] == START_MS - 15 * 60_000
    for trade in block["transactions"]:
        legs = trade["orderA"], trade["orderB"]
        assert trade["txType"] == "SpotTrade"
        assert [leg["accountID"] for leg in legs] == [0, 0]
        assert (legs[0]["tokenS"], legs[0]["fillS"]) == (legs[1]["tokenB"], int(legs[1]["amountB"]))
    assert sum(isinstance(tx.tx.body, SpotTrade) for tx in client.relay.world.blocks[1].transactions) == 66
    assert client.state()["house"]["balances"] == {}


def test_two_market_makers_trade_and_move_their_quotes_in_three_minutes() -> None:
    client = Client("two_market_makers")
    bids, asks = client.depth()
    assert [row[0] for row in asks] == ["0.00051", "0.00052"]
    assert [row[0] for row in bids] == ["0.00049", "0.00048"]
    client.advance("29999ms")
    assert client.ticker()[8] == "0"
    client.advance("1ms")
    # 400 LRC at 0.00051.
    assert client.ticker()[2:4] == [str(400 * E18), str(204 * E18 // 1000)]
    client.advance("30s")
    bids, asks = client.depth()
    assert [row[0] for row in asks] == ["0.000515", "0.00052"]
    assert [row[0] for row in bids] == ["0.000495", "0.00048"]
    client.advance("2m")
    # And 500 at 0.000495, 1,000 at 0.000515: 0.204 + 0.2475 + 0.515 = 0.9665 ETH.
    row = client.ticker()
    assert row[2:4] == [str(1900 * E18), str(9665 * E18 // 10_000)]
    assert (row[4:9], row[9:]) == (["0.00051", "0.000515", "0.000495", "0.000515", "3"], ["0.0005", "0.000518"])
    assert client.findings() == []
    # The first sold 1,400 and bought 500. It made all three trades, so it paid 0.1 % of what it got: half an LRC of 500.
    assert sum(client.money("maker_one")) == 1_000_000 * E18 - 900 * E18 - E18 // 2
    # The second took: it bought 1,400, less 0.2 % of that (2.8), and sold 500.
    assert sum(client.money("maker_two")) == 1_000_000 * E18 + 900 * E18 - 28 * E18 // 10


def test_two_market_makers_note_what_a_client_has_taken_from_them() -> None:
    client = Client("two_market_makers")
    assert client.order("BUY", 1000, 51 * E18 // 100).code == 0
    client.advance("3m")
    # At 60 s there is no order left to cancel; at 30 s there was nothing to buy at this price.
    assert client.findings()[0].startswith("cancel at 1m: the order is processed")


def test_partial_fills_come_one_lrc_at_a_time() -> None:
    client = Client("partial_fills")
    # Far from any price, so that nobody else would take it: 10 LRC for 1 ETH.
    assert client.order("SELL", 10, E18).code == 0
    for portions in range(1, 7):
        client.advance("9999ms")
        assert client.orders()[0]["filledSize"] == str((portions - 1) * E18)
        client.advance("1ms")
        assert client.orders()[0]["filledSize"] == str(portions * E18)
    client.advance("1h")
    (order,) = client.orders()
    assert (order["status"], order["filledSize"], order["filledVolume"]) == (
        "processing",
        str(6 * E18),
        str(6 * E18 // 10),
    )
    assert client.findings() == []


@pytest.mark.parametrize(("minute", "left"), [(1, 2), (2, 1), (3, 0), (4, 0)])
def test_cancelled_by_relayer_ends_the_oldest_order_each_minute(minute: int, left: int) -> None:
    client = Client("cancelled_by_relayer")
    for order_id in range(3):
        assert client.order("SELL", 10, E18, order_id=order_id).code == 0
    oldest_first = [order["hash"] for order in client.orders()][::-1]
    client.advance(f"{minute}m")
    open_ = [order["hash"] for order in client.orders(status="processing")][::-1]
    assert open_ == oldest_first[3 - left :]
    assert client.money("alice")[1] == left * 10 * E18
