"""The loose forms of requests that clients send, each by the id of its description: answered as the right form is."""

from __future__ import annotations

from typing import Any

import pytest

from mockrelay.relay import Relay
from tests.support.answer import Answer
from tests.support.client import done, send
from tests.support.worlds import relay_from

FORM = {"content-type": "application/x-www-form-urlencoded"}
PARTS = {"content-type": "multipart/form-data; boundary=cut"}
DEPTH, SEND_TX = "/api/v3/depth", "/api/v2/sendEthTx"
LRC_ETH = ("market", "LRC-ETH")
NODE_CODE = "/api/v3/delegator/getCode"
CONTRACT = "0xB05C174BCC99A687375970C50a5F3271518a405A"


def _part(name: bytes, value: bytes = b"1") -> bytes:
    return b'--cut\r\nContent-Disposition: form-data; name="%b"\r\n\r\n%b\r\n' % (name, value)


MULTIPART = _part(b"address", CONTRACT.encode()) + b"--cut--\r\n"
OF_DOT_NET = (
    b"ahead\r\n--a b\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; name=address\r\n\r\n%b"
    b"\r\n--a b\r\nContent-Disposition: form-data\r\n\r\nnameless\r\n--a b--\r\nbehind" % CONTRACT.encode()
)
OWNER = ("owner", CONTRACT)
NFT = [("minter", "10001"), ("tokenAddress", CONTRACT), ("nftId", "0x1")]

RIGHT: dict[str, dict[str, Any]] = {
    "depth": {"method": "GET", "path": DEPTH, "query": [LRC_ETH, ("level", "0")]},
    "depth of level 2": {"method": "GET", "path": DEPTH, "query": [LRC_ETH, ("level", "2")]},
    "account": {"method": "GET", "path": "/api/v3/account", "query": [("accountId", "10001")]},
    "candles": {"method": "GET", "path": "/api/v3/candlestick", "query": [LRC_ETH, ("interval", "1min")]},
    "prices": {"method": "GET", "path": "/api/v3/price", "query": [("legal", "USD")]},
    "transaction": {"method": "POST", "path": SEND_TX, "body": b'{"data":"0xf8aa"}'},
    "code": {"method": "POST", "path": NODE_CODE, "body": f'{{"address":"{CONTRACT}"}}'.encode()},
    "token balances": {"method": "GET", "path": "/api/v3/eth/tokenBalances"},
    "allowances": {"method": "GET", "path": "/api/v3/eth/allowances"},
    "nft": {"method": "GET", "path": "/api/v3/nft/info/nftData"},
    "time": {"method": "GET", "path": "/api/v2/timestamp"},
}
LOOSE: list[tuple[str, str, dict[str, Any]]] = [
    ("L1 two slashes", "depth", {"path": "//api/v3//depth"}),
    ("L2 pairs twice", "depth", {"query": [LRC_ETH, ("level", "0"), LRC_ETH, ("level", "0")]}),
    ("L3 empty", "account", {"query": [("owner", ""), ("accountId", "10001")]}),
    ("L3 None", "candles", {"query": [LRC_ETH, ("interval", "1min"), ("limit", "None")]}),
    ("L4 JSON body of a GET", "depth", {"body": b"{}", "headers": {"content-type": "application/json"}}),
    ("L4 form of a GET", "depth", {"body": b"security=Security.NONE", "headers": FORM}),
    ("L5 form", "transaction", {"body": b"data=0xf8aa", "headers": FORM}),
    ("L5 multipart", "code", {"body": MULTIPART, "headers": PARTS}),
    (
        "L5 multipart of .NET",
        "code",
        {"body": OF_DOT_NET, "headers": {"content-type": 'multipart/form-data; boundary="a b"'}},
    ),
    ("L6 query in place of a body", "transaction", {"body": b"", "query": [("data", "0xf8aa")]}),
    ("L6 query beside a body", "transaction", {"query": [("data", "0xf8aa")]}),
    ("L7 digits with a zero", "depth of level 2", {"query": [LRC_ETH, ("level", "02")]}),
    ("L9 unknown field", "transaction", {"body": b'{"data":"0xf8aa","pf":"web","hash":7}'}),
    ("L9 unknown parameter", "prices", {"query": [("legal", "USD"), ("feeVersion", "v2")]}),
    ("L10 type without a body", "depth", {"headers": {"content-type": "application/json;charset=utf-8"}}),
    ("L11 letter case", "code", {"body": f'{{"address":"{CONTRACT.lower()}"}}'.encode()}),
    ("L11 a word's letter case", "prices", {"query": [("legal", "usd")]}),
    ("L12 a level above the highest", "depth of level 2", {"query": [LRC_ETH, ("level", "1000")]}),
    ("L13 an end far ahead", "candles", {"query": [LRC_ETH, ("interval", "1min"), ("end", "1685577600000000")]}),
    ("L15 POST of the time", "time", {"method": "POST", "body": b"", "headers": FORM}),
]


@pytest.fixture
def relay() -> Relay:
    return relay_from("live_v3")


def ask(relay: Relay, request: dict[str, Any]) -> Answer:
    given = dict(request)
    return send(relay, given.pop("method"), given.pop("path"), key=None, **given)


@pytest.mark.parametrize(("right", "loose"), [row[1:] for row in LOOSE], ids=[row[0] for row in LOOSE])
def test_a_loose_form_is_answered_as_the_right_one_and_is_no_finding(
    relay: Relay, right: str, loose: dict[str, Any]
) -> None:
    expected = ask(relay, RIGHT[right])
    assert expected.status == 200
    assert ask(relay, RIGHT[right] | loose).body == expected.body
    assert done(relay, "GET", "findings") == []
    assert done(relay, "GET", "problems") == []


def test_what_a_query_and_a_body_say_differently_is_refused(relay: Relay) -> None:
    answer = ask(relay, RIGHT["transaction"] | {"query": [("data", "0xf8ab")]})
    assert answer.code == 100000
    assert answer.message.endswith("data: given in the query and in the body, with different values")


@pytest.mark.parametrize(
    ("right", "query", "says"),
    [
        ("depth", [LRC_ETH, ("market", "ETH-USDT")], "market is given more than once, with different values"),
        ("depth", [("level", "0")], "market is missing"),
        ("depth", [LRC_ETH, ("level", "high")], 'level: "high" is a string, not an integer'),
        ("token balances", [OWNER, ("token", "LRC")], '"LRC" is not addresses of 0x and 40 hex digits, with commas'),
        ("allowances", [OWNER, ("token", "LRC")], '"LRC" is not addresses of 0x and 40 hex digits, with commas'),
        ("nft", NFT, "minter, tokenAddress, nftId: 10001 has minted no such NFT"),
    ],
)
def test_what_cannot_be_read_is_refused_with_what_was_found(
    relay: Relay, right: str, query: list[tuple[str, str]], says: str
) -> None:
    answer = ask(relay, RIGHT[right] | {"query": query})
    assert (answer.status, answer.code) == (400, 100001)
    assert says in answer.message


@pytest.mark.parametrize(
    ("body", "headers", "says"),
    [
        (b"--other\r\n\r\n", PARTS, "body: it is not multipart/form-data with the boundary of its header"),
        (b"no parts", {"content-type": "multipart/form-data"}, "body: it is not multipart/form-data with the boundary"),
        (b"\xff\xfe", {"content-type": "application/json"}, "body: it starts with a byte order mark"),
        (b"--cut\r\n\r\n1\r\n", PARTS, "body: it is not multipart/form-data with the boundary of its header"),
        (b"--cut\r\na: b\r\n--cut--\r\n", PARTS, "body: it is not multipart/form-data with the boundary of its header"),
        (b"".join(_part(b"a%d" % n) for n in range(1_001)) + b"--cut--", PARTS, "and at most 1000 parts"),
        (b"&".join(b"a%d=1" % n for n in range(1_001)), FORM, "body: it has more than 1000 fields"),
        (b"a=" + b"%" * 50_001, FORM, "body: it has more than 1000 fields or 50000 percent signs"),
        (b"address.x=1&address.y=2", FORM, "address: "),
    ],
    ids=[
        "another boundary",
        "no boundary",
        "no UTF-8",
        "no last boundary",
        "a part without a blank line",
        "a thousand parts",
        "a thousand fields",
        "percent signs",
        "a field inside a text",
    ],
)
def test_a_body_that_is_no_form_is_refused(relay: Relay, body: bytes, headers: dict[str, str], says: str) -> None:
    answer = ask(relay, RIGHT["code"] | {"body": body, "headers": headers})
    assert (answer.status, answer.code) == (400, 100001)
    assert says in answer.message


def test_the_specification_alone_has_none_of_it() -> None:
    spec = relay_from("default")
    for path in ("/api/v3/depth", "/api/v2/timestamp"):
        assert ask(spec, {"method": "GET", "path": path}).status == 404
    assert ask(spec, {"method": "GET", "path": "//api/v2/depth", "query": [LRC_ETH, ("level", "0")]}).status == 404
