"""What nobody should send: JSON texts, texts of queries and headers, and bytes."""

from __future__ import annotations

import json

from hypothesis import strategies as st

JSON_TEXTS: tuple[str, ...] = (
    *("null", "true", "false", "0", "-0", "-1", "1", "2", "32768", "4294967295", "4294967296", "9007199254740993"),
    *("1.0", "1e0", "1e400", "-1e400", "1e-400", "1E+2", "NaN", "Infinity", "-Infinity", "01", "+1", ".5", "0x1"),
    "1_0",
    *("9" * 78, "9" * 400, "9" * 5000, "-" + "9" * 5000),
    *('""', '" "', '"0"', '"00"', '"1"', '"-1"', '"+1"', '"1.0"', '"1e18"', '"1_000"', '" 7"', '"true"', '"null"'),
    *(f'"{2**256}"', f'"{2**256 - 1}"', f'"{"9" * 78}"', f'"{"9" * 5000}"', f'"{"x" * 9000}"'),
    *('"0x"', '"0X1"', f'"0x{"f" * 64}"', f'"0x{"f" * 65}"', f'"0x{"0" * 40}"', f'"0x{"g" * 40}"', f'"{"a" * 64}"'),
    *('"\\ud800"', '"\\udfff\\ud800"', '"\\ud83d\\ude00"', '"\\u0000"', '"\\u2028"', '"\u00b2"', '"\uff17"'),
    '"\u0661"',
    *('"\u6f22"', '"\\"', '"</script>"', '"\t"', '"\n"', '"\x7f"', '"LRC-ETH"', '"LRC-ETH,LRC-ETH"', '"ETH"'),
    *("[]", "{}", "[null]", "[[]]", '{"a":1}', '{"":""}', '{"a":1,"a":2}', "[" * 70 + "]" * 70, "[" * 5000),
    *('{"a":' * 100 + "1" + "}" * 100, "[" + "{}," * 200 + "{}]", "", " ", ",", ":", "'x'", "undefined", "/**/1"),
)
TEXTS: tuple[str, ...] = (
    *("", " ", "0", "-0", "-1", "+1", "1", "00", "1.0", "1e3", "0x1", "true", "null", "NaN", "Infinity", "undefined"),
    *("\u00b2", "\uff17", "\u0661", "\u6f22", "\ud800", "\udcff", "\x00", "\x7f", "\n", "\t", "\u2028", "%00", "%"),
    "+",
    *("1" + "0" * 30, "9" * 78, "9" * 79, "9" * 5000, str(2**63), str(2**64), "4294967296", "x" * 9000),
    *("LRC-ETH", "lrc-eth", "LRC-ETH,", ",", ",".join(["LRC-ETH"] * 900), "LRC-ETH,known,unknown", "-", "1min", "foo"),
    *("0x", "0x" + "f" * 40, "0X" + "F" * 40, "0x" + "f" * 64, "processing", "failed,cancelled", "buy", "[]", "{}"),
)
HEADERS: tuple[str, ...] = ("x-api-key", "x-api-sig", "content-type", "host", "origin", "content-encoding", "x" * 500)
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
any_json_text = st.sampled_from(JSON_TEXTS) | ANY_JSON.map(json.dumps)
any_text = st.sampled_from(TEXTS) | st.text(max_size=12)


@st.composite
def edited(draw: st.DrawFn, data: bytes, splinters: tuple[bytes, ...], most: int = 3) -> bytes:
    """Bytes, changed here and there."""
    changed = bytearray(data)
    for _ in range(draw(st.integers(0, most))):
        at = draw(st.integers(0, len(changed)))
        length = draw(st.integers(0, 8))
        changed[at : at + length] = draw(st.sampled_from(splinters) | st.binary(max_size=4))
    return bytes(changed)
