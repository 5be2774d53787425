"""`history`: past trades are seen wherever trades are and belong to the house on both sides; past transactions follow them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mockrelay.relay import Relay
from tests.scenario.texts import HEAD, marked, refusal, relay_of
from tests.support.client import digest, done, get
from tests.support.worlds import START_MS

E18 = 10**18
HOUR_MS = 3_600_000
THREE = (
    "history:\n  trades:\n"
    "    - {market: LRC-ETH, side: BUY, size: '2000000000000000000', price: '0.0005', before: 1h}\n"
    "    - {market: LRC-ETH, side: SELL, size: '1000000000000000000', price: '0.0004', before: 3h}\n"
    "    - {market: LRC-ETH, side: BUY, size: '1000000000000000000', price: '0.0006', before: 2h}\n"
)
"""In another order than the one in which they were made: 0.0004, 0.0006, 0.0005."""
OWNER = "0x" + "a" * 40
LEG = {
    "storageID": 1,
    "accountID": 2,
    "amountS": "3",
    "amountB": "4",
    "tokenS": 0,
    "tokenB": 1,
    "validUntil": 5,
    "taker": OWNER,
    "feeBips": 6,
    "isAmm": False,
    "nftData": "",
    "fillS": 7,
}
TRANSACTIONS: list[dict[str, Any]] = [
    {"txType": "Noop"},
    {"txType": "Deposit", "accountId": 2, "owner": OWNER, "token": {"tokenId": 0, "amount": "1"}},
    {"txType": "Withdraw", "accountId": 2, "toAccountAddress": OWNER, "valid": False},
    {"txType": "Transfer", "accountId": 2, "toAccountId": 3, "storageId": 4},
    {"txType": "SpotTrade", "orderA": LEG, "orderB": LEG},
    {"txType": "AccountUpdate", "accountId": 2, "nonce": 1},
    {"txType": "AmmUpdate", "accountId": 2, "valid": True},
    {"txType": "JoinAmm", "accountId": 2},
    {"txType": "ExitAmm", "accountId": 2, "toToken": {"tokenId": 1}},
    {"txType": "SignatureVerification", "owner": OWNER},
    {"txType": "NftMint", "minterAccountId": 2, "minter": OWNER, "nftType": "eip1155"},
    {"txType": "NftData", "nftToken": {"nftId": "0x" + "0" * 63 + "1"}},
]
"""One of each of the twelve types."""


def block(relay: Relay, id_: int) -> dict[str, Any]:
    found: dict[str, Any] = get(relay, "/api/v3/block/getBlock", id=id_).json
    return found


def test_the_ticker_has_them_in_the_order_of_time() -> None:
    (row,) = get(relay_of(THREE), "/api/v2/ticker", market="LRC-ETH").data
    # 1 x 0.0004 + 1 x 0.0006 + 2 x 0.0005 = 0.002 ETH for 4 LRC; open, high, low, close, trades; nobody bids or asks.
    assert row[2:] == [str(4 * E18), str(2 * E18 // 1000), "0.0004", "0.0006", "0.0004", "0.0005", "3", "0", "0"]


def test_candles_stand_where_they_were_made() -> None:
    candles = get(relay_of(THREE), "/api/v2/candlestick", market="LRC-ETH", interval="1hr").data
    # The start is a whole hour.
    assert [(int(row[0]) - START_MS) // HOUR_MS for row in candles] == [-3, -2, -1]
    assert candles[0] == [
        str(START_MS - 3 * HOUR_MS),
        "1",
        *["0.0004"] * 4,
        str(E18),
        str(4 * E18 // 10_000),
    ]


def test_what_is_a_day_old_is_no_longer_in_the_ticker() -> None:
    old = THREE.replace("before: 3h", "before: 24h")
    (row,) = get(relay_of(old), "/api/v2/ticker", market="LRC-ETH").data
    assert row[8] == "2"


def test_they_are_spot_trades_of_the_house_with_itself_in_a_final_block() -> None:
    relay = relay_of(THREE)
    found = block(relay, 1)
    assert (found["status"], found["blockSize"], found["createdAt"]) == ("finalized", 3, START_MS - HOUR_MS)
    assert block(relay, 0)["createdAt"] == START_MS - 3 * HOUR_MS
    first = found["transactions"][0]
    assert (first["txType"], first["valid"]) == ("SpotTrade", True)
    taker, maker = first["orderA"], first["orderB"]
    # Who took sold 1 LRC (token 1) for 0.0004 ETH (token 0).
    assert (taker["tokenS"], taker["amountS"], taker["tokenB"], taker["amountB"]) == (
        1,
        str(E18),
        0,
        str(4 * E18 // 10_000),
    )
    assert (maker["tokenS"], maker["amountS"], maker["tokenB"], maker["amountB"]) == (
        0,
        str(4 * E18 // 10_000),
        1,
        str(E18),
    )
    assert (taker["accountID"], maker["accountID"], taker["fillS"]) == (0, 0, E18)


def test_nobodys_money_has_moved() -> None:
    state, plain = done(relay_of(THREE), "GET", "state"), done(relay_of(""), "GET", "state")
    assert state["house"] == plain["house"]
    assert state["putIn"] == plain["putIn"]
    assert [one["balances"] for one in state["accounts"]] == [one["balances"] for one in plain["accounts"]]


def test_blocks_hold_as_many_as_fit_and_come_in_order() -> None:
    relay = relay_of("blocks: {seal: {size: 2}}\n" + THREE)
    assert [block(relay, id_)["blockSize"] for id_ in (1, 2)] == [2, 1]
    moments = [block(relay, id_)["createdAt"] - START_MS for id_ in (0, 1, 2)]
    assert moments == [-3 * HOUR_MS, -2 * HOUR_MS, -HOUR_MS]


def test_transactions_come_after_the_trades_in_a_block_of_their_own() -> None:
    relay = relay_of(THREE + "  transactions: [{txType: Noop}]\n")
    assert block(relay, 2)["transactions"] == [{"txType": "Noop"}]
    assert block(relay, 2)["createdAt"] == START_MS


def test_a_volume_in_place_of_a_price() -> None:
    text = (
        "history: {trades: [{market: LRC-ETH, side: SELL, size: '3000000000000000000', volume: '1000', before: 1m}]}\n"
    )
    (row,) = get(relay_of(text), "/api/v2/ticker", market="LRC-ETH").data
    assert row[2:4] == [str(3 * E18), "1000"]
    # Who rested was a buyer, whose price of less than 10^-8 shows as nothing.
    assert row[4] == "0"


def test_of_one_moment_the_first_in_the_list_comes_first() -> None:
    same = THREE.replace("before: 3h", "before: 1h").replace("before: 2h", "before: 1h")
    (row,) = get(relay_of(same), "/api/v2/ticker", market="LRC-ETH").data
    assert (row[4], row[7]) == ("0.0005", "0.0006")


def test_no_trade_is_older_than_time() -> None:
    relay = relay_of(THREE, start_ms=HOUR_MS)
    candles = get(relay, "/api/v2/candlestick", market="LRC-ETH", interval="1hr").data
    assert [row[:2] for row in candles] == [["0", "3"]]


def test_the_same_history_gives_the_same_world() -> None:
    assert digest(relay_of(THREE)) == digest(relay_of(THREE))
    assert digest(relay_of(THREE)) != digest(relay_of(THREE.replace("before: 2h", "before: 119m")))


def test_thousands_are_all_there() -> None:
    rows = "".join(
        f"    - {{market: LRC-ETH, side: BUY, size: '1000000000000000000', price: '0.0005', before: {second}s}}\n"
        for second in range(1, 5001)
    )
    relay = relay_of(f"history:\n  trades:\n{rows}")
    (row,) = get(relay, "/api/v2/ticker", market="LRC-ETH").data
    assert (row[2], row[8]) == (str(5000 * E18), "5000")
    # 100 a block.
    assert get(relay, "/api/v3/block/getBlock").json["blockId"] == 50


@pytest.mark.parametrize(
    ("trade", "message"),
    [
        ("^{side: BUY, size: '1', volume: '1', before: 1h}", "found no 'market'; meant market, which is required"),
        ("{market: LRC-ETH, side: ^BYU, size: '1', volume: '1', before: 1h}", "found 'BYU'; meant one of SELL, BUY"),
        ("^{market: LRC-ETH, side: BUY, size: '1', before: 1h}", "found none of them; meant one of price, volume"),
        ("{market: LRC-ETH, side: BUY, size: ^'0', volume: '1', before: 1h}", "found a zero amount; meant"),
        ("^{market: LRC-ETH, side: BUY, size: '1', volume: '1'}", "found no 'before'; meant before, which is"),
        ("{market: LRC-ETH, side: BUY, size: '1', volume: '1', before: ^1}", "found the number 1; meant a duration"),
        ("{market: LRC-ETH, side: BUY, size: '1', volume: '1', ^befor: 1h}", "found the unknown key 'befor'; meant"),
        ("{market: LRC-ETH, side: BUY, size: '1', price: ^'0.5', before: 1h}", "found 0.5 for a size too small"),
    ],
)
def test_a_wrong_trade_is_refused(trade: str, message: str) -> None:
    text, place = marked(f"{HEAD}history:\n  trades:\n    - {trade}\n")
    assert refusal(text).startswith(f"w.yaml:{place}: {message}")


# Transactions


def relay_with(transactions: list[dict[str, Any]], choices: dict[str, str] | None = None) -> Relay:
    return relay_of("history: " + json.dumps({"transactions": transactions}), choices=choices)


def test_each_type_is_answered_as_given_in_a_final_block() -> None:
    block = get(relay_with(TRANSACTIONS), "/api/v3/block/getBlock").json
    assert (block["blockId"], block["status"], block["blockSize"]) == (1, "finalized", 12)
    assert block["transactions"] == TRANSACTIONS


def test_a_type_in_lower_case_follows_the_choice() -> None:
    transactions = [{**TRANSACTIONS[4], "txType": "spottrade"}]
    block = get(relay_with(transactions), "/api/v3/block/getBlock").json
    assert block["transactions"][0]["txType"] == "SpotTrade"
    choices = {"tx_type.case": "lower", "block.fill_s": "string"}
    lower = get(relay_with(transactions, choices), "/api/v3/block/getBlock").json["transactions"][0]
    assert lower["txType"] == "spottrade"
    assert lower["orderB"] == {**LEG, "fillS": "7"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{txType: ^Trade}", "found 'Trade'; meant"),
        ("^{accountId: 2}", "found no 'txType'; meant txType, which is required here"),
        ("{txType: Noop, nonce: ^x}", "found 'x'; meant a whole number from 0"),
    ],
)
def test_a_transaction_that_no_relayer_would_answer_is_refused(line: str, message: str) -> None:
    text, place = marked(f"{HEAD}history: {{transactions: [{line}]}}\n")
    assert refusal(text).startswith(f"w.yaml:{place}: {message}")
