"""Requests that cost much: the longest bodies that are taken, in the forms that are dear to read, judge or refuse."""

from __future__ import annotations

import gzip
import json
import time
import zlib
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from tests.support.bodies import SIGNED, W
from tests.support.worlds import world

API_BYTES = 1 << 20
CONTROL_BYTES = 8 << 20
KEY = b"key-of-alice"
CURVE_POINT = (
    "5299619240641551281634865583518297030282874472190772894086521144482721001553",
    "16950150798460657717958625567821834550301663161624707787222815936182638968203",
)
"""The base point of Baby Jubjub. Only where a signature's R is on the curve are the likely mistakes tried, one by one."""
_KEY = b"X-API-KEY: " + KEY + b"\r\n"


class Costly(NamedTuple):
    """A request: its method and target, further header lines, and a body or what makes it."""

    method: str
    target: str
    body: Callable[[], bytes] = lambda: b""
    headers: bytes = b""
    chunk_bytes: int = 0
    """Sent in chunks of so many bytes; 0: with a length."""
    profile: str = "spec"
    before: tuple[Costly, ...] = ()
    """What is asked before, each time."""

    def sent(self, key: str) -> bytes:
        """Its bytes, with the API key of alice."""
        body = self.body()
        head = f"{self.method} {self.target} HTTP/1.1\r\nHost: localhost\r\n".encode()
        head += self.headers.replace(KEY, key.encode())
        if not self.chunk_bytes:
            return head + (f"Content-Length: {len(body)}\r\n".encode() if body else b"") + b"\r\n" + body
        pieces = (body[at : at + self.chunk_bytes] for at in range(0, len(body), self.chunk_bytes))
        return (
            b"".join(
                (head, b"Transfer-Encoding: chunked\r\n\r\n", *(b"%x\r\n%s\r\n" % (len(one), one) for one in pieces))
            )
            + b"0\r\n\r\n"
        )


def _filled(size: int, begin: str, unit: str, end: str) -> bytes:
    """`begin`, as many of `unit` as fit, and `end`; `#` in a unit is its number."""
    room = size - len(begin) - len(end)
    if "#" not in unit:
        return (begin + unit * (room // len(unit.encode())) + end).encode()
    width = len(unit) + 6
    return (begin + "".join(unit.replace("#", f"{number:07}") for number in range(room // width)) + end).encode()


JSON_FORMS: Mapping[str, tuple[str, str, str]] = {
    "nothing but {": ("", "{", ""),
    "nothing but [": ("", "[", ""),
    "nothing but quotes": ("", '"', ""),
    "nothing but blanks": ("", " ", ""),
    "nothing but colons": ("{", ":", "}"),
    "blanks and an object": ("", " ", '{"a": 1}'),
    "deep objects": ('{"a":', '{"a":', ""),
    "a wide list": ('{"a": [1', ",1", "]}"),
    "a list of texts": ('{"a": [""', ',""', "]}"),
    "a list of lists": ('{"a": [[]', ",[]", "]}"),
    "many names": ('{"x": 1', ', "a#": 1', "}"),
    "one name again and again": ('{"x": 1', ', "a": 1', "}"),
    "a long text": ('{"orderId": "', "a", '"}'),
    "a long text of umlauts": ('{"orderId": "', "ä", '"}'),
    "a long text without an end": ('{"orderId": "', "a", ""),
    "escapes": ('{"orderId": "', "\\u0041", '"}'),
    "short escapes": ('{"orderId": "', "\\n", '"}'),
    "half pairs": ('{"orderId": "', "\\ud800", '"}'),
    "backslashes": ('{"orderId": "', "\\\\", '"}'),
    "a wrong escape at the end": ('{"orderId": "', "\\n", '\\x"}'),
    "a control character at the end": ('{"orderId": "', "a", '\n"}'),
    "commas in a text": ('{"orderId": "', ",", '"}'),
    "brackets in a text": ('{"orderId": "', "[{", '"}'),
    "a long name": ('{"', "a", '": 1}'),
    "a long number": ('{"orderId": 1', "0", "}"),
    "a long fraction": ('{"orderId": 1.', "0", "}"),
    "a long exponent": ('{"orderId": 1e', "0", "}"),
    "numbers of 4,000 digits": ('{"a": [1', "," + "9" * 4000, "]}"),
    "fractions of 4,000 digits": ('{"a": [1', ",0." + "9" * 4000, "]}"),
    "9,000 numbers": ('{"a": [1' + ",1" * 9_000, " ", "]}"),
    "9,000 names": ('{"a": 1' + "".join(f', "a{number}": 1' for number in range(9_000)), " ", "}"),
    "9,000 names in an object": ('{"a": {"a": 1' + "".join(f', "a{number}": 1' for number in range(9_000)), " ", "}}"),
    "9,000 objects": ('{"a": [{}' + ",{}" * 9_000, " ", "]}"),
    "9,000 objects of one": ('{"a": [{}' + ',{"a":{"a":{"a":1}}}' * 9_000, " ", "]}"),
    "9,000 texts": ('{"a": [""', ',"' + "a" * 900 + '"', "]}"),
    "bytes that are not UTF-8": ('{"orderId": "', "a", '"}'),
}


def _json(name: str, size: int) -> bytes:
    body = _filled(size, *RECORD_FORMS[name])
    return body[:-2] + b"\xff" + body[-2:] if name == "bytes that are not UTF-8" else body


RECORD_FORMS: Mapping[str, tuple[str, str, str]] = {
    **JSON_FORMS,
    "a list of objects": ('{"a": [{}', ",{}", "]}"),
    "a list of deep lists": ('{"a": [1', ",[[[[[[[[[[]]]]]]]]]]", "]}"),
    "a list of numbers and a wrong end": ('{"a": [1', ",1", "x]}"),
    "a list of lists and no end": ('{"a": [[]', ",[]", ""),
    "surrogate pairs": ('{"a": "', "\\ud83d\\ude00", '"}'),
}
RECORD_LINES: Mapping[str, str] = {
    "line ends": "\n",
    "short lines": '{"kind":"ws_in"}\n',
    "lines of lists": '{"kind":"call","a":[' + ",".join(["[]"] * 1_000) + "]}\n",
    "worlds": '{"kind":"ws_in","of":"#"}\n',
    "states without a world": '{"kind":"state"}\n',
}


def _record(name: str) -> bytes:
    """A record with the right head, then a state that holds one of the forms, or lines."""
    head = world().dump().split(b"\n")[0] + b"\n"
    size = CONTROL_BYTES - len(head)
    if name in RECORD_LINES:
        return head + _filled(size, "", RECORD_LINES[name], "")
    begin, unit, end = RECORD_FORMS[name]
    return head + _filled(size, '{"kind":"state","requests":0,"now_ms":' + begin, unit, end + "}\n")


def _right_record(name: str) -> bytes:
    """A right record, whose state has one of the forms in a field that nothing reads."""
    head, state, _ = world().dump().split(b"\n")
    begin, unit, end = RECORD_FORMS[name]
    return (
        head + b"\n" + state[:-1] + _filled(CONTROL_BYTES - len(head + state) - 8, ',"x":' + begin, unit, end + "}\n")
    )


SCENARIO_FORMS: Mapping[str, tuple[str, str, str]] = {
    "names": ("format: 1\n", "# a comment\n", ""),
    "a long comment": ("format: 1\n# ", "x", "\n"),
    "a long name": ("format: 1\nname: ", "x", "\n"),
    "a long quoted name": ("format: 1\nname: '", "x", "'\n"),
    "a long escaped name": ('format: 1\nname: "', "\\x41", '"\n'),
    "a long block": ("format: 1\nname: |\n", "  x\n", ""),
    "a long plain text of lines": ("format: 1\nname:\n", "  x\n", ""),
    "unknown keys": ("format: 1\n", "k#: 1\n", ""),
    "a flow list": ("format: 1\naccounts: [a", ",a", "]\n"),
    "a flow list of lists": ("format: 1\naccounts: [a", ",[a]", "]\n"),
    "deep lists": ("format: 1\naccounts: [", "[" * 28 + "]" * 28 + ",", "]\n"),
    "closed deep maps": ("format: 1\naccounts: [", "{a: " * 28 + "}" * 28 + ",", "]\n"),
    "deep dashes": ("format: 1\naccounts:\n", "- " * 28 + "a\n", ""),
    "deep flow": ("format: 1\naccounts: ", "[", ""),
    "deep maps": ("format: 1\naccounts: ", "{a: ", ""),
    "dashes": ("format: 1\naccounts:\n", "- ", ""),
    "questions": ("format: 1\naccounts:\n", "? ", ""),
    "blanks": ("format: 1\n", " ", "\n"),
    "tabs": ("format: 1\n", "\t", "\n"),
    "line ends": ("format: 1\n", "\n", ""),
    "quotes": ("format: 1\nname: '", "''", "'\n"),
    "one open quote": ("format: 1\nname: '", "x ", "\n"),
    "anchors": ("format: 1\naccounts: [", "&a a,", "]\n"),
    "tags": ("format: 1\naccounts: [", "!a a,", "]\n"),
    "colons": ("format: 1\n", "a: ", "\n"),
    "percents": ("", "%a b\n", "format: 1\n"),
    "documents": ("format: 1\n", "---\n", ""),
    "a long number": ("format: 1\nstart: ", "9", "\n"),
    "accounts": ("format: 1\nextends: empty\naccounts:\n", "  - {name: a#}\n", ""),
    "accounts of default": (
        "format: 1\nextends: default\naccounts:\n",
        "  - {name: a#, balances: {LRC: '1000000000000000000'}}\n",
        "",
    ),
    "resting orders": (
        "format: 1\nextends: default\norders:\n",
        "  - {account: alice, market: LRC-ETH, side: SELL, size: '100000000000000000000', price: '0.0005'}\n",
        "",
    ),
    "tokens": (
        "format: 1\nextends: default\ntokens:\n",
        "  - {symbol: T#, id: 9#, address: '0x0000000000000000000000000000000001#'}\n",
        "",
    ),
    "a timeline": (
        "format: 1\nextends: default\ntimeline:\n",
        "  - at: 10s\n    deposit: {account: alice, token: ETH, amount: '1'}\n",
        "",
    ),
    "a right timeline": (
        "format: 1\nextends: default\ntimeline:\n",
        "  - {at: 60s, do: {deposit: {account: alice, token: ETH, amount: '1'}}}\n",
        "",
    ),
    "faults": ("format: 1\nextends: default\nfaults:\n", "  - {on: submit_order, respond: 102012}\n", ""),
    "choices": ("format: 1\nextends: default\nchoices:\n", "  a#: b\n", ""),
    "history": (
        "format: 1\nextends: default\nhistory:\n  trades:\n",
        "    - {market: LRC-ETH, side: BUY, size: '2000000000000000000', price: '0.0005', before: 1h}\n",
        "",
    ),
}


def _scenario(name: str, size: int) -> bytes:
    begin, unit, end = SCENARIO_FORMS[name]
    text = _filled(size - size // 8, begin, unit, end).decode()
    while True:
        body = json.dumps({"scenarioText": text}, ensure_ascii=False).encode()
        if len(body) <= size:
            return body
        text = text[: len(text) * size // len(body) - 10]


_NAMED = b'--b\r\nContent-Disposition: form-data; name="a"'
PARTS: Mapping[str, tuple[bytes, bytes, bytes]] = {
    "parts": (b"", _NAMED + b"\r\n\r\n1\r\n", b"--b--"),
    "empty parts": (b"", b"--b\r\n", b"--b--"),
    "lines": (_NAMED + b"\r\n\r\n", b"\r\n", b"\r\n--b--"),
    "one long text": (_NAMED + b"\r\n\r\n", b"a", b"\r\n--b--"),
    "headers": (b"--b\r\n", b"x: y\r\n", b"\r\n\r\n--b--"),
    "a long name": (_NAMED[:-2], b"a;", b'"\r\n\r\n1\r\n--b--'),
    "parameters": (_NAMED, b"; a=b", b"\r\n\r\n1\r\n--b--"),
    "comments": (b"--b\r\nContent-Disposition: ", b"(", b"\r\n\r\n1\r\n--b--"),
    "base64": (_NAMED + b"\r\nContent-Transfer-Encoding: base64\r\n\r\n", b"YWFh\r\n", b"\r\n--b--"),
    "lines without an end": (b"", b"a\r\n", b""),
    "carriage returns": (_NAMED + b"\r\n\r\n", b"\r", b"\r\n--b--"),
}
"""What a body begins with, what is in it again and again, and its end."""


def _multipart(begin: bytes, unit: bytes, end: bytes) -> bytes:
    return begin + unit * ((API_BYTES - len(begin) - len(end)) // len(unit)) + end


ORDER, TRANSFER, RESET, LOAD = "/api/v3/order", "/api/v3/transfer", "/__mockrelay/reset", "/__mockrelay/load"
_FORM = b"Content-Type: application/x-www-form-urlencoded\r\n"
_PARTS = b"Content-Type: multipart/form-data; boundary=b\r\n"
_JSON = b"Content-Type: application/json\r\n"
_GZIP = b"Content-Encoding: gzip\r\n"
FORM_BODIES: Mapping[str, tuple[bytes, Callable[[], bytes]]] = {
    "form of pairs": (_FORM, partial(_filled, API_BYTES, "a=1", "&a#=1", "")),
    "form of ampersands": (_FORM, partial(_filled, API_BYTES, "a=1", "&", "")),
    "form of percents": (_FORM, partial(_filled, API_BYTES, "a=", "%41", "")),
    "form of broken percents": (_FORM, partial(_filled, API_BYTES, "a=", "%", "")),
    "form of plus signs": (_FORM, partial(_filled, API_BYTES, "a=", "+", "")),
    "form of one long text": (_FORM, partial(_filled, API_BYTES, "a=", "b", "")),
    "form of dots": (_FORM, partial(_filled, API_BYTES, "a", ".", "=1")),
    "form of bytes": (_FORM, partial(_filled, API_BYTES, "a=", "%ff", "")),
    **{f"multipart of {name}": (_PARTS, partial(_multipart, *parts)) for name, parts in PARTS.items()},
}


def cases() -> dict[str, Costly]:
    """All of them by name."""
    return {**_api_cases(), **_packed_cases(), **_chunked_cases(), **_control_cases(), **_world_cases()}


def _api_cases() -> dict[str, Costly]:
    found = {
        f"{profile}: {name}": Costly("POST", target, partial(_json, name, API_BYTES), _KEY + _JSON, profile=profile)
        for profile, target in (("spec", ORDER), ("live", TRANSFER))
        for name in JSON_FORMS
    }
    for name, (headers, body) in FORM_BODIES.items():
        found[f"live: {name}"] = Costly("POST", TRANSFER, body, _KEY + headers, profile="live")
    batch = b'{"orders":[' + b",".join([b'{"orderId":1}'] * 4_000) + b"]}"
    found["live: a batch"] = Costly("POST", "/api/v2/batchOrders", lambda: batch, _KEY + _JSON, profile="live")
    found["a wrong signature"] = Costly("POST", ORDER, _wrongly_signed, _KEY + _JSON)
    found["a query of 8,000 letters"] = Costly("GET", "/api/v2/orders?" + "a" * 7_900, headers=_KEY)
    query = "&".join(f"a{number}=" for number in range(1_300))
    found["a query of 1,300 names"] = Costly("GET", f"/api/v2/orders?{query}", headers=_KEY)
    found["a PUT of a mebibyte"] = Costly("PUT", ORDER, lambda: b"x" * API_BYTES, _KEY)
    lines = b"".join(b"x%d: y\r\n" % number for number in range(20_000))
    found["20,000 headers"] = Costly("GET", ORDER, headers=lines)
    return found


def _wrongly_signed() -> bytes:
    order = W._replace(now_s=int(time.time())).order()
    return json.dumps(order | dict(zip(SIGNED, (*CURVE_POINT, "1"), strict=True))).encode()


def _packed_cases() -> dict[str, Costly]:
    packed: Mapping[str, tuple[str, Callable[[], bytes]]] = {
        "gzip of a mebibyte": ("gzip", lambda: gzip.compress(b" " * API_BYTES)),
        "gzip of too much": ("gzip", lambda: gzip.compress(b"x" * (256 << 20))),
        "gzip of 40,000 members": ("gzip", lambda: gzip.compress(b"", mtime=0) * 40_000),
        "deflate of too much": ("deflate", lambda: zlib.compress(b"x" * (256 << 20))),
    }
    return {
        name: Costly("POST", ORDER, body, _KEY + f"Content-Encoding: {encoding}\r\n".encode())
        for name, (encoding, body) in packed.items()
    }


def _chunked_cases() -> dict[str, Costly]:
    return {
        f"{count:,} chunks of {size} bytes to {target}": Costly(
            "POST", target, partial(bytes, size * count), _KEY, chunk_bytes=size
        )
        for target, size, count in ((ORDER, 1, 100_000), (ORDER, 4_096, 256), (RESET, 16, CONTROL_BYTES // 16))
    }


def _control_cases() -> dict[str, Costly]:
    found = {"gzip of 8 MiB": Costly("POST", RESET, lambda: gzip.compress(b" " * CONTROL_BYTES), _GZIP)}
    for size, how_long in ((API_BYTES, "1 MiB"), (CONTROL_BYTES, "8 MiB")):
        for name in JSON_FORMS:
            for verb in ("faults", "verify", "sign"):
                body = partial(_json, name, size)
                found[f"{verb} of {how_long}: {name}"] = Costly("POST", f"/__mockrelay/{verb}", body)
    for name in RECORD_FORMS:
        found[f"load: {name}"] = Costly("POST", LOAD, partial(_json, name, CONTROL_BYTES))
    for name in (*RECORD_FORMS, *RECORD_LINES):
        found[f"load with a head: {name}"] = Costly("POST", LOAD, partial(_record, name))
    for name in ("a list of objects", "a list of deep lists", "many names"):
        found[f"load of a right record: {name}"] = Costly("POST", f"/w/loaded{LOAD}", partial(_right_record, name))
    # Two MiB are about as many values as a scenario may have.
    for size, how_long in ((API_BYTES, "1 MiB"), (2 * API_BYTES, "2 MiB"), (CONTROL_BYTES, "8 MiB")):
        for name in SCENARIO_FORMS:
            found[f"scenario of {how_long}: {name}"] = Costly("POST", RESET, partial(_scenario, name, size))
    return found


def _world_cases() -> dict[str, Costly]:
    """Requests of a few bytes to worlds that are large, or whose journals are full."""
    large, full = "/__mockrelay/worlds/large", "/__mockrelay/worlds/full"
    remove_large = Costly("DELETE", large)
    make_large = Costly("POST", large, partial(_scenario, "resting orders", 2 * API_BYTES))
    found = {"world of 2 MiB: made": make_large._replace(before=(remove_large,))}
    for method, path in (("POST", "reset"), ("GET", "dump"), ("GET", "state"), ("GET", "markets/LRC-ETH/book")):
        target = f"/w/large/__mockrelay/{path}"
        found[f"world of 2 MiB: {path}"] = Costly(method, target, before=(remove_large, make_large))
    make_due = Costly("POST", large, partial(_scenario, "a right timeline", API_BYTES))
    move = Costly("POST", "/w/large/__mockrelay/clock", lambda: b'{"advance": 60}', before=(remove_large, make_due))
    found["timeline of 1 MiB: clock"] = move
    calls = tuple(Costly("POST", f"/w/full{ORDER}", partial(_order_with, n), _KEY) for n in range(1_000))
    for method, target in (
        *(
            ("GET", f"/w/full/__mockrelay/{path}")
            for path in ("findings", "problems", "coverage", "requests", "why/r999")
        ),
        *(("GET", f"/__mockrelay/{path}") for path in ("findings?worlds=all", "problems?worlds=all", "metrics")),
        ("POST", "/__mockrelay/report"),
        ("DELETE", full),
    ):
        found[f"full journal: {method} {target}"] = Costly(method, target, before=(Costly("DELETE", full), *calls))
    return found


def _order_with(number: int) -> bytes:
    """An order with a secret of its own, which is masked, and an unknown field."""
    return json.dumps({"orderId": number, "eddsaSig": f"0x{number:0192x}", f"unknown{number}": 1}).encode()
