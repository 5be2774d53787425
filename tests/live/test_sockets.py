"""WebSockets by the page's part 7: opening one, topics, codes, pushes, heartbeat."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mockrelay.clock import Clock
from mockrelay.relay import Relay
from mockrelay.replay import load_into
from mockrelay.scenario import load_text
from mockrelay.spec.sockets import TOPICS, SocketCode
from tests.live.test_nft import minted
from tests.live.test_recorded import order_v3, supply
from tests.support.bodies import EDDSA_SIGNATURE
from tests.support.client import account, advance, control, done, get, send
from tests.support.sockets import Socket, opened
from tests.support.worlds import relay_from

FOLDER = Path(__file__).parent
WEI = 10**18
KEY_A, KEY_B = ("HoldoutKeyA".ljust(63, "0") + "A", "HoldoutKeyB".ljust(63, "0") + "B")
BOOK = {"topic": "orderbook", "market": "LRC-ETH", "level": 0}
WHOLE_BOOK = {**BOOK, "snapshot": True, "count": 2}
TRADE = {"topic": "trade", "market": "LRC-ETH"}
TICKER = {"topic": "ticker", "market": "LRC-ETH"}
ORDER = {"topic": "order", "market": "LRC-ETH"}
ACCOUNT = {"topic": "account"}
CANDLES = {"topic": "candlestick", "market": "LRC-ETH", "interval": "1min"}


@pytest.fixture
def relay() -> Relay:
    return relay_of()


def relay_of(**options: Any) -> Relay:
    return Relay.from_scenario(FOLDER / "world_v3.yaml", clock=Clock.frozen(1_685_577_600_000), **options)


def sell(
    relay: Relay, number: int, size: int = 500, price: str = "0.0005", account_id: int = 20001, **beside: Any
) -> None:
    """An order that sells LRC for ETH."""
    whole = int(WEI * size)
    place(relay, account_id, number, (1, whole), (0, whole * int(float(price) * 10**6) // 10**6), **beside)


def buy(
    relay: Relay, number: int, size: int = 100, price: str = "0.0005", account_id: int = 20002, **beside: Any
) -> None:
    """An order that buys LRC with ETH."""
    whole = int(WEI * size)
    place(
        relay,
        account_id,
        number,
        (0, whole * int(float(price) * 10**6) // 10**6),
        (1, whole),
        fillAmountBOrS=True,
        **beside,
    )


def place(
    relay: Relay, account_id: int, number: int, sold: tuple[int, int], bought: tuple[int, int], **beside: Any
) -> None:
    supply(relay, *order_v3(account_id, number, sold, bought, **{"validUntil": 1_798_884_842, **beside}))


# --- The recorded session -------------------------------------------------------------------------------------------------------

MASKED = {
    "ts": "the recorded clock ran",
    "message": "what a refusal says beside its code is each relayer's own",
    "hash": "the recorded bodies of the orders are not known",
    "validSince": "the recorded clock ran",
    "createdAt": "the recorded clock ran",
    "updateAt": "the recorded clock ran",
}


def masked(message: Any) -> Any:
    """A message with the types of what differs in place of it: the named fields, times in rows, and a trade's fee, which the
    recorded relayer always showed as 0.
    """
    if isinstance(message, dict):
        shown = {name: type(value) if name in MASKED else masked(value) for name, value in message.items()}
        if isinstance(message.get("topic"), dict) and message["topic"]["topic"] == "trade":
            shown["data"] = [[*row[:5], str] for row in shown["data"]]
        return shown
    if isinstance(message, list):
        return [masked(each) for each in message]
    is_time = isinstance(message, str) and message.startswith("16855776") and len(message) == 13
    return str if is_time else message


def test_the_recorded_session_is_answered_alike() -> None:
    """Its account traded with itself."""
    relay = relay_of(choices={"order.self_trade": "allow", "signature.scheme": "presence"})
    recorded = json.loads((FOLDER.parent / "vectors" / "live" / "ws.json").read_text(encoding="utf-8"))
    socket = Socket(relay, "/v3/ws")
    for line in recorded:
        if "client" in line:
            socket.send(line["client"])
    sell(relay, 0, clientOrderId="sell-LRC-ETH-1")
    buy(relay, 0, account_id=20001, clientOrderId="buy-LRC-ETH-2")
    query = [("accountId", "20001"), ("orderHash", next(iter(relay.world.orders.by_hash)))]
    assert send(relay, "DELETE", "/api/v3/order", query=query, key=KEY_A, signature=EDDSA_SIGNATURE).status == 200
    found = [masked(text if text == "ping" else json.loads(text)) for text in socket.texts()]
    expected = [masked(line["relay"]) for line in recorded if "relay" in line]
    # The recorded relayer answered both messages before it pushed what comes at once.
    assert [each for each in found if "op" in each] == [each for each in expected if "op" in each]
    assert [each for each in found if "op" not in each] == [each for each in expected if "op" not in each]


# --- Opening one ----------------------------------------------------------------------------------------------------------------


def test_it_is_opened_with_a_key_that_was_given_as_often_as_wanted(relay: Relay) -> None:
    query = [("wsApiKey", get(relay, "/v3/ws/key", key=None).json["key"])]
    assert [opened(relay, "/v3/ws", query).status for _ in range(2)] == [101, 101]


@pytest.mark.parametrize(
    ("path", "query", "code"),
    [
        ("/v3/ws", [], 104001),
        ("/v3/ws", [("wsApiKey", "")], 104001),
        ("/v3/ws", [("wsApiKey", "00000000" + "0" * 56)], 104002),
        ("/v3/ws", [("wsApiKey", "ffffffff" + "0" * 56)], 104002),
        ("/v3/ws", [("wsApiKey", "-0000001" + "0" * 56)], 104002),
        ("/v3/ws", [("wsApiKey", "no key")], 104002),
    ],
)
def test_a_wrong_key_is_refused_with_401(relay: Relay, path: str, query: list[tuple[str, str]], code: int) -> None:
    answer = opened(relay, path, query)
    assert (answer.status, answer.refusal_code) == (401, code)
    assert done(relay, "GET", "ws") == []


@pytest.mark.parametrize(
    "header",
    [
        {"upgrade": "h2c"},
        {"connection": "keep-alive"},
        {"sec-websocket-version": "8"},
        {"sec-websocket-key": "short"},
    ],
)
def test_what_is_no_handshake_is_told_what_was_meant(relay: Relay, header: dict[str, str]) -> None:
    answer = opened(relay, "/v2/ws", [], **header)
    assert answer.status == 426
    assert "/v2/ws opens a WebSocket; meant: a handshake" in answer.json["resultInfo"]["message"]
    assert done(relay, "GET", "problems") == []


def test_the_specification_has_none() -> None:
    assert opened(relay_from("default"), "/v2/ws", []).status == 404


def test_opening_one_is_a_call_like_others(relay: Relay) -> None:
    """It is in the journal, it has a limit, and faults act on it."""
    socket = Socket(relay)
    entry = done(relay, "GET", "requests")["requests"][-1]
    assert (entry["id"], entry["endpoint"], entry["status"]) == (socket.id, "open_ws_v2", 101)
    done(relay, "POST", "faults", {"on": "open_ws_v2", "status": 503})
    assert opened(relay, "/v2/ws", []).status == 503
    assert len(done(relay, "GET", "ws")) == 1
    limited = relay_of(limits="spec")
    assert [opened(limited, "/v2/ws", []).status for _ in range(6)] == [101] * 5 + [429]


def test_its_key_is_masked(relay: Relay) -> None:
    query = [("wsApiKey", "an unknown key of WebSockets")]
    opened(relay, "/v3/ws", query)
    assert "an+unknown+key" not in json.dumps(done(relay, "GET", "requests"))
    socket = Socket(relay)
    socket.subscribe(ACCOUNT, apiKey=KEY_A)
    socket.subscribe(ACCOUNT, apiKey="an unknown api key")
    shown = control(relay, "GET", "ws", messages="50").body.decode()
    assert KEY_A not in shown
    assert "an unknown api key" not in shown


# --- Messages and codes ---------------------------------------------------------------------------------------------------------


def test_the_answer_repeats_what_was_sent(relay: Relay) -> None:
    socket = Socket(relay, silent=True)
    socket.send('{"op": "sub", "sequence": 7, "topics": [{"topic": "trade", "market": "LRC-ETH"}]}')
    assert socket.texts() == [
        '{"op":"sub","sequence":7,"topics":[{"topic": "trade", "market": "LRC-ETH"}],"result":{"status":"OK"}}'
    ]


TWENTY = [{"topic": "orderbook", "market": "LRC-ETH", "level": 0, "snapshot": True, "count": n} for n in range(1, 21)]
REFUSED: list[tuple[Any, int, str]] = [
    ({"op": "sub"}, 104100, "topics"),
    ({"op": "listen", "topics": [TRADE]}, 104101, "op: found 'listen'; meant: one of sub, unSub"),
    ({"topics": [TRADE]}, 104101, "op: found no op"),
    (
        {"op": "sub", "topics": [{"topic": "trades", "market": "LRC-ETH"}]},
        104102,
        "topics[0].topic: found 'trades'; meant: 'trade'",
    ),
    ({"op": "sub", "topics": [{}]}, 104102, "topics[0].topic"),
    (
        {"op": "sub", "topics": [TRADE, TICKER, dict(reversed(TRADE.items()))]},
        104103,
        "topics[2]: it stands at topics[0] already",
    ),
    ({"op": "sub", "topics": [ACCOUNT]}, 104104, "topics[0]: account is about an account"),
    ({"op": "sub", "topics": [ORDER]}, 104104, "topics[0]: order"),
    (
        {"op": "sub", "topics": [{"topic": "candlestick", "market": "LRC-ETH", "interval": "1m"}]},
        104106,
        "topics[0].interval",
    ),
    ({"op": "sub", "topics": [{"topic": "candlestick", "interval": "1min"}]}, 104106, "topics[0].market"),
    ({"op": "sub", "topics": [{"topic": "orderbook", "market": "LRC-ETH"}]}, 104107, "topics[0].level"),
    ({"op": "sub", "topics": [{**BOOK, "level": "0"}]}, 104107, "topics[0].level"),
    ({"op": "sub", "topics": [{**BOOK, "level": -1}]}, 104107, "topics[0].level"),
    (
        {"op": "sub", "topics": [{**BOOK, "market": "LRC-ETC"}]},
        104107,
        "topics[0].market: found the unknown market 'LRC-ETC'; meant: 'LRC-ETH'",
    ),
    ({"op": "sub", "topics": [{**WHOLE_BOOK, "count": 51}]}, 104107, "topics[0].count"),
    ({"op": "sub", "topics": [{**WHOLE_BOOK, "count": 0}]}, 104107, "topics[0].count"),
    ({"op": "sub", "topics": [{**WHOLE_BOOK, "topic": "mixorder", "snapshot": 1}]}, 104107, "topics[0].snapshot"),
    ({"op": "sub", "topics": [{"topic": "trade"}]}, 104109, "topics[0].market"),
    ({"op": "sub", "topics": [{"topic": "order"}], "apiKey": KEY_A}, 104110, "topics[0].market"),
    ({"op": "sub", "topics": [TRADE, {"topic": "ticker", "market": 5}]}, 104111, "topics[1].market"),
    ({"op": "sub", "topics": [TRADE], "apiKey": "nobody's"}, 104112, "apiKey: no account has it"),
    ({"op": "unSub", "topics": [TRADE]}, 104113, "topics[0]: the session has no such subscription"),
    (
        {"op": "sub", "topics": [{**ACCOUNT, "accountId": 20002}], "apiKey": KEY_A},
        104114,
        "topics[0].accountId: found 20002",
    ),
    ({"op": "sub", "topics": [{**ACCOUNT, "accountId": "20001"}], "apiKey": KEY_A}, 104115, "topics[0].accountId"),
    ({"op": "sub", "topics": TRADE}, 104115, "topics"),
    ({"op": "sub", "topics": ["trade"]}, 104115, "topics[0]"),
    ({"op": "sub", "topics": [TRADE], "sequence": "1"}, 104115, "sequence"),
    ({"op": "sub", "topics": [TRADE], "apiKey": 5}, 104115, "apiKey"),
    ({"op": "sub", "topics": [TRADE], "unsubscribeAll": "yes"}, 104115, "unsubscribeAll"),
    ("no JSON", 104115, "the message"),
    ("[]", 104115, "the message"),
    ('{"op":"sub","op":"sub","topics":[]}', 104115, "the message"),
    ('{"op":"sub","topics":[{"topic":"trade","market":"\\ud800"}]}', 104115, "topics"),
    ({"op": "sub", "topics": [*TWENTY, TRADE]}, 104116, "topics: 21 on one session; meant: at most 20"),
]


@pytest.mark.parametrize(
    ("message", "code", "says"), REFUSED, ids=lambda value: value if isinstance(value, int) else None
)
def test_a_wrong_message_has_its_code_and_does_nothing(relay: Relay, message: Any, code: int, says: str) -> None:
    socket = Socket(relay, silent=True)
    socket.send(message)
    (answer,) = socket.pushes()
    error = answer["result"]["error"]
    assert (answer["result"]["status"], error["code"]) == ("failed", code)
    assert error["message"].startswith(f"{SocketCode(code).meaning}: ")
    assert says in error["message"]
    assert done(relay, "GET", "ws")[0]["subscriptions"] == []
    sell(relay, 0)
    assert socket.pushes() == []


def test_another_key_than_the_sessions_is_refused(relay: Relay) -> None:
    socket = Socket(relay, silent=True)
    assert socket.subscribe(ACCOUNT, apiKey=KEY_A) == {"status": "OK"}
    refused = socket.subscribe(ORDER, apiKey=KEY_B)
    assert refused["error"]["code"] == 104105
    assert socket.subscribe(ORDER)["error"]["code"] == 104104, "each message brings it, as recorded"
    assert socket.subscribe(ORDER, apiKey=KEY_A)["status"] == "OK"
    assert socket.subscribe(ACCOUNT, op="unSub")["status"] == "OK"


def test_every_code_is_met() -> None:
    assert {code for _, code, _ in REFUSED} | {104105} == set(SocketCode)


PRECEDENCE = [
    "no JSON",
    {"op": "no", "topics": None, "apiKey": 5},
    {"op": "no"},
    {"op": "sub", "apiKey": "nobody's"},
    {"op": "sub", "topics": [{"topic": "no"}, {"topic": "trade"}, ACCOUNT, ACCOUNT], "apiKey": "nobody's"},
    {"op": "sub", "topics": [{"topic": "trade"}, ACCOUNT, ACCOUNT], "apiKey": "nobody's"},
    {"op": "sub", "topics": [ACCOUNT, ACCOUNT], "apiKey": "nobody's"},
    {"op": "unSub", "topics": [ACCOUNT], "apiKey": "nobody's"},
    {"op": "sub", "topics": [ACCOUNT]},
    {"op": "unSub", "topics": [ACCOUNT]},
]
"""Messages with one mistake less each: what is judged first."""


def test_the_order_of_judgement(relay: Relay) -> None:
    socket = Socket(relay, silent=True)
    for message in PRECEDENCE:
        socket.send(message)
    codes = [answer["result"]["error"]["code"] for answer in socket.pushes()]
    assert codes == [104115, 104115, 104101, 104100, 104102, 104109, 104103, 104112, 104104, 104113]


def test_topics_of_a_name_and_all_topics_can_be_dropped(relay: Relay) -> None:
    socket = Socket(relay, silent=True)
    socket.subscribe(*TWENTY[:2], TRADE, TICKER)
    assert (
        socket.subscribe({"topic": "orderbook", "market": "LRC-ETH", "level": 0, "count": 2}, op="unSub")["status"]
        == "OK"
    )
    assert len(done(relay, "GET", "ws")[0]["subscriptions"]) == 3
    assert socket.subscribe({"topic": "orderbook", "unsubscribeAll": True}, op="unSub")["status"] == "OK"
    assert [each["topic"] for each in done(relay, "GET", "ws")[0]["subscriptions"]] == ["trade", "ticker"]
    assert socket.subscribe(CANDLES, unsubscribeAll=True)["status"] == "OK"
    assert done(relay, "GET", "ws")[0]["subscriptions"] == [CANDLES]
    assert socket.subscribe(op="unSub", unsubscribeAll=True)["status"] == "OK"
    sell(relay, 0)
    buy(relay, 0)
    assert socket.pushes() == []


def test_twenty_topics_may_be_had_and_one_more_is_a_finding(relay: Relay) -> None:
    socket = Socket(relay, silent=True)
    assert socket.subscribe(*TWENTY)["status"] == "OK"
    assert done(relay, "GET", "findings") == []
    assert socket.subscribe(TRADE)["error"]["code"] == 104116
    assert socket.subscribe(TRADE, unsubscribeAll=True)["status"] == "OK"
    (finding,) = done(relay, "GET", "findings")
    assert (finding["rule"], finding["request"]) == ("too-many-topics", socket.id)


# --- Pushes ---------------------------------------------------------------------------------------------------------------------


def test_pushes_of_one_change_come_in_one_order(relay: Relay) -> None:
    socket = Socket(relay, silent=True)
    socket.subscribe(CANDLES, TICKER, TRADE, BOOK, ORDER, ACCOUNT, apiKey=KEY_A)
    sell(relay, 0)
    socket.pushes()
    buy(relay, 0)
    topics = [push["topic"]["topic"] for push in socket.pushes()]
    assert topics == ["account", "account", "order", "orderbook", "trade", "ticker", "candlestick"]


def test_an_account_is_pushed_a_token_at_a_time_in_either_form(relay: Relay) -> None:
    socket = Socket(relay, silent=True)
    newer = {"topic": "account", "v3": True}
    socket.subscribe(ACCOUNT, newer, apiKey=KEY_A)
    sell(relay, 0, 500)
    locked, total = str(500 * WEI), str(10**7 * WEI)
    one = {"accountId": 20001, "tokenId": 1}
    assert [(push["topic"], push["data"]) for push in socket.pushes()] == [
        (ACCOUNT, {**one, "totalAmount": total, "amountLocked": locked}),
        (newer, {**one, "total": total, "locked": locked}),
    ]
    done(relay, "POST", "accounts/first/deposit", {"token": "ETH", "amount": "5"})
    done(relay, "POST", "accounts/second/deposit", {"token": "ETH", "amount": "5"})
    assert [push["data"]["tokenId"] for push in socket.pushes()] == [0, 0]


def test_nfts_are_pushed_to_those_who_ask_for_the_newer_form() -> None:
    relay = relay_from("live_v3", choices={"signature.scheme": "presence"})
    key = account(relay, "alice")["apiKey"]
    old, new = Socket(relay, silent=True), Socket(relay, silent=True)
    old.subscribe(ACCOUNT, apiKey=key)
    new.subscribe({**ACCOUNT, "v3": True}, apiKey=key)
    nft = minted(relay)
    shown = get(relay, "/api/v3/user/nft/balances", accountId=10001).json["data"][0]
    told = [push["data"] for push in new.pushes() if "nftId" in push["data"]]
    assert told[-1] == {
        "accountId": 10001,
        **{name: shown[name] for name in ("tokenId", "total", "locked", "nftId", "nftData")},
        "tokenAddress": told[-1]["tokenAddress"],
    }
    assert told[-1]["nftData"] == nft["nftData"]
    assert told[-1]["tokenAddress"].lower() == shown["tokenAddress"]
    assert {push["data"]["tokenId"] for push in old.pushes()} <= {0, 1}, "fees, and no NFT"


def test_orders_are_pushed_to_their_own_account_until_they_expire(relay: Relay) -> None:
    owner, other = Socket(relay, silent=True), Socket(relay, silent=True)
    owner.subscribe(ORDER, apiKey=KEY_A)
    other.subscribe(ORDER, apiKey=KEY_B)
    until_s = relay.now_ms() // 1000 + 60
    sell(relay, 0, validUntil=until_s)
    buy(relay, 0)
    advance(relay, "61s")
    pushed = owner.pushes()
    assert [push["data"]["status"] for push in pushed] == ["processing", "processing", "expired"]
    assert [push["data"]["filledSize"] for push in pushed] == ["0", str(100 * WEI), str(100 * WEI)]
    assert pushed[-1]["ts"] == pushed[-1]["data"]["updateAt"] == until_s * 1000, "the moment at which it expired"
    assert [push["data"]["status"] for push in other.pushes()] == ["processed"]


def test_a_book_is_pushed_whole_or_by_its_changes(relay: Relay) -> None:
    socket = Socket(relay, silent=True)
    socket.subscribe(WHOLE_BOOK, BOOK)
    first = socket.pushes()
    assert [(push["topic"], push["data"]["asks"]) for push in first] == [(WHOLE_BOOK, [])]
    sell(relay, 0, 500, "0.0005")
    sell(relay, 2, 100, "0.0006")
    sell(relay, 4, 100, "0.0007")
    rows = [
        ["0.0005", str(500 * WEI), str(WEI // 4), "1"],
        ["0.0006", str(100 * WEI), str(6 * WEI // 100), "1"],
        ["0.0007", str(100 * WEI), str(7 * WEI // 100), "1"],
    ]
    pushes = socket.pushes()
    whole = [push for push in pushes if push["topic"] == WHOLE_BOOK]
    changed = [push for push in pushes if push["topic"] == BOOK]
    assert [push["data"]["asks"] for push in whole] == [rows[:1], rows[:2], rows[:2]], "two rows at the most"
    assert [push["data"]["asks"] for push in changed] == [rows[:1], rows[1:2], rows[2:]]
    assert [(push["startVersion"], push["endVersion"]) for push in changed] == [(0, 1), (1, 2), (2, 3)]
    assert [(push["startVersion"], push["endVersion"], push["version"]) for push in whole] == [
        (0, 1, 1),
        (1, 2, 2),
        (2, 3, 3),
    ]
    assert all("version" not in push for push in changed)
    assert get(relay, "/api/v3/depth", market="LRC-ETH", level="0").json["version"] == 3
    buy(relay, 0, 500)
    assert socket.pushes()[-1]["data"] == {"bids": [], "asks": [["0.0005", "0", "0", "0"]]}


def test_a_level_above_the_highest_is_the_highest(relay: Relay) -> None:
    """As for the depth (C19): the choice depth.level_above."""
    socket = Socket(relay, silent=True)
    assert socket.subscribe({**BOOK, "level": 9})["status"] == "OK"
    done(relay, "PUT", "choices", {"depth.level_above": "refuse"})
    assert socket.subscribe({**BOOK, "level": 9})["error"]["code"] == 104107


def test_a_level_that_a_market_leaves_out_below_its_highest_is_refused() -> None:
    """As for the depth, where it is no level either."""
    text = "format: 1\nextends: live_v3\nmarkets: [{market: LRC-ETH, levels: [2, 0]}]\n"
    relay = Relay(load_text(text), clock=Clock.frozen(1_685_577_600_000))
    socket = Socket(relay, silent=True)
    codes = [socket.subscribe({**BOOK, "level": level}).get("error", {"code": 0})["code"] for level in (0, 1, 2, 3)]
    assert codes == [0, 104107, 0, 0]
    depths = [get(relay, "/api/v3/depth", market="LRC-ETH", level=str(level)).json for level in (0, 1, 2, 3)]
    assert [depth.get("resultInfo", {"code": 0})["code"] for depth in depths] == [0, 108001, 0, 0]


def test_a_trade_is_pushed_from_its_takers_side_with_its_fee(relay: Relay) -> None:
    socket = Socket(relay, silent=True)
    socket.subscribe(TRADE)
    sell(relay, 0)
    assert socket.pushes() == []
    buy(relay, 0, 100)
    (push,) = socket.pushes()
    # 20 bips of 100 LRC, which the buyer pays as the taker.
    assert push["data"] == [[str(relay.now_ms()), "1", "BUY", str(100 * WEI), "0.00050000", str(WEI // 5)]]


def test_a_candle_is_pushed_on_a_trade(relay: Relay) -> None:
    socket = Socket(relay, silent=True)
    socket.subscribe(CANDLES)
    sell(relay, 0)
    buy(relay, 0, 100)
    advance(relay, "10s")
    buy(relay, 2, 50)
    rows = [push["data"] for push in socket.pushes()]
    start = str(1_685_577_600_000)
    price = ["0.0005"] * 4
    assert rows == [
        [start, "1", *price, str(100 * WEI), str(5 * WEI // 100)],
        [start, "2", *price, str(150 * WEI), str(75 * WEI // 1000)],
    ]


def test_a_ticker_is_pushed_at_once_and_on_each_change(relay: Relay) -> None:
    socket = Socket(relay, silent=True)
    socket.subscribe(TICKER)
    (first,) = socket.pushes()
    assert first["data"] == get(relay, "/api/v3/ticker", market="LRC-ETH").json["tickers"][0][:11]
    get(relay, "/api/v3/depth", market="LRC-ETH", level="0")
    assert socket.pushes() == []
    sell(relay, 0)
    (second,) = socket.pushes()
    assert second["data"][-1] == "0.0005"


def test_what_is_subscribed_again_begins_anew(relay: Relay) -> None:
    socket = Socket(relay, silent=True)
    socket.subscribe(WHOLE_BOOK)
    socket.pushes()
    socket.subscribe(WHOLE_BOOK)
    assert [push["topic"] for push in socket.pushes()] == [WHOLE_BOOK]
    sell(relay, 0)
    assert len(socket.pushes()) == 1


def test_events_of_several_moments_are_pushed_one_by_one(relay: Relay) -> None:
    """Two orders that expire within one step of the clock."""
    socket = Socket(relay, silent=True)
    now_s = relay.now_ms() // 1000
    sell(relay, 0, validUntil=now_s + 60)
    sell(relay, 2, price="0.0006", validUntil=now_s + 90)
    socket.subscribe(BOOK)
    advance(relay, "5m")
    pushes = socket.pushes()
    assert [push["ts"] // 1000 - now_s for push in pushes] == [60, 90]
    assert [push["data"]["asks"][0][0] for push in pushes] == ["0.0005", "0.0006"]


def test_a_refused_call_pushes_nothing(relay: Relay) -> None:
    socket = Socket(relay, silent=True)
    socket.subscribe(WHOLE_BOOK, TICKER, TRADE, ACCOUNT, ORDER, apiKey=KEY_A)
    socket.pushes()
    assert send(relay, "POST", "/api/v3/order", body=b"{}", key=KEY_A).code == 102120
    assert socket.pushes() == []


def test_every_topic_can_be_subscribed_to(relay: Relay) -> None:
    socket = Socket(relay, silent=True)
    parameters: Mapping[str, Any] = {"market": "LRC-ETH", "level": 0, "interval": "1d"}
    topics = [{"topic": name, **{each: parameters[each] for each in topic.required}} for name, topic in TOPICS.items()]
    assert socket.subscribe(*topics, apiKey=KEY_A) == {"status": "OK"}
    assert [each["topic"] for each in done(relay, "GET", "ws")[0]["subscriptions"]] == list(TOPICS)


# --- Heartbeat ------------------------------------------------------------------------------------------------------------------


def test_a_clock_that_stands_still_pings_when_it_is_moved_and_closes_nothing(relay: Relay) -> None:
    socket = Socket(relay)
    assert socket.texts() == ["ping"]
    advance(relay, "29999ms")
    assert socket.texts() == []
    advance(relay, "1ms")
    assert socket.texts() == ["ping"]
    advance(relay, "1h")
    assert socket.texts() == ["ping"]
    assert done(relay, "GET", "ws")[0]["state"] == "open"


class Hand:
    """Real time that goes on when it is told to."""

    ms = 0

    def __call__(self) -> int:
        return self.ms


def running() -> tuple[Relay, Hand]:
    hand = Hand()
    return Relay.from_scenario(FOLDER / "world_v3.yaml", clock=Clock(1_685_577_600_000, 1, hand)), hand


def test_two_minutes_without_a_pong_close_it_where_the_clock_runs() -> None:
    relay, hand = running()
    quiet, lively = Socket(relay), Socket(relay)
    pings = []
    for _ in range(4):
        lively.send("pong")
        hand.ms += 30_000
        assert relay.sockets_due_ms() == relay.now_ms()
        done(relay, "GET", "health")
        control(relay, "GET", "state")
        pings.append((quiet.texts(), lively.texts()))
    assert pings == [(["ping", "ping"], ["ping", "ping"]), *[(["ping"], ["ping"])] * 3]
    hand.ms += 1
    control(relay, "GET", "state")
    assert (quiet.texts(), lively.texts()) == (["(clean)"], [])
    assert [each["closed_by"] for each in done(relay, "GET", "ws")] == ["relayer", None]
    findings = done(relay, "GET", "findings")
    assert {(each["rule"], each["request"]) for each in findings} == {("pong-not-sent", quiet.id)}


def test_the_two_minutes_begin_anew_with_a_pong_that_answers_an_earlier_ping() -> None:
    """Of two pings, at 0 s and 30 s, one is answered at 40 s."""
    relay, hand = running()
    socket = Socket(relay)
    hand.ms += 30_000
    control(relay, "GET", "state")
    assert socket.texts() == ["ping", "ping"]
    hand.ms += 10_000
    socket.send("pong")
    hand.ms += 120_000
    control(relay, "GET", "state")
    assert socket.texts() == ["ping"]
    hand.ms += 1
    control(relay, "GET", "state")
    assert socket.texts() == ["(clean)"]


def test_more_pongs_than_pings_close_it_where_the_clock_runs() -> None:
    relay, _ = running()
    socket = Socket(relay)
    socket.send("pong")
    socket.send("pong")
    assert socket.texts() == ["ping", "(clean)"]


def test_a_restart_of_the_world_ends_it(relay: Relay) -> None:
    for method, path, body in (
        ("POST", "reset", {}),
        ("POST", "snapshots/funded/restore", {}),
        ("POST", "load", None),
    ):
        done(relay, "POST", "snapshots", {"name": "funded"})
        socket = Socket(relay, silent=True)
        if path == "load":
            load_into(relay, relay.dump())
        else:
            done(relay, method, path, body)
        assert [(out.ending, out.code) for out in socket.outs] == [("clean", 1012)], path
