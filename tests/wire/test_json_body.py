from __future__ import annotations

import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockrelay.core.call import NumberLiteral, Violation
from mockrelay.suggest import quoted
from mockrelay.wire.json_body import MAX_DEPTH, parse_body, raw_fields, text_violations
from tests.wire.generate import json_values


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (b"", "body: it is empty; a JSON object is due"),
        (b" \r\n", "body: it is empty; a JSON object is due"),
        (b"{", "body: not JSON at line 1, column 2"),
        (b'{"a":1}x', "body: not JSON at line 1, column 8"),
        (b'{"a":1,}', "body: not JSON"),
        (b"{'a':1}", "body: not JSON at line 1, column 2"),
        (b'{"a":01}', "body: not JSON"),
        (b'{"a":+1}', "body: not JSON"),
        (b'{"a":"\x00"}', "body: not JSON"),
        (b"\x00", "body: not JSON"),
        (b'{"a":NaN}', "body: NaN is not a JSON number"),
        (b'{"a":Infinity}', "body: Infinity is not a JSON number"),
        (b'{"a":-Infinity}', "body: -Infinity is not a JSON number"),
        (b'{"a":' + b"9" * 5000 + b"}", "body: an integer has too many digits"),
        (b'{"a":"\xff"}', "body: not UTF-8 at byte 6"),
        (b'{"a":"\xed\xa0\x80"}', "body: not UTF-8 at byte 6"),
        (b"\xef\xbb\xbf{}", "body: it starts with a byte order mark; plain UTF-8 is due"),
        ("{}".encode("utf-16"), "body: it starts with a byte order mark; plain UTF-8 is due"),
        (b"[]", "body: it is a list; a JSON object is due"),
        (b"null", "body: it is null; a JSON object is due"),
        (b'"a"', "body: it is a string; a JSON object is due"),
        (b"7", "body: it is a number; a JSON object is due"),
        (b"0.5", "body: it is a number; a JSON object is due"),
        (b"true", "body: it is a boolean; a JSON object is due"),
        (b'{"a":1,"b":2,"a":1}', "body: the field a is given more than once"),
        (b'{"a":{"b":1,"b":2}}', "body: the field b is given more than once"),
        (b'[{"b":1,"b":2}]', "body: the field b is given more than once"),
        (b'{"a":1,"\\u0061":1}', "body: the field a is given more than once"),
        (b'{"a":' + b"[" * 10_000 + b"]" * 10_000 + b"}", "body: nested deeper than 64 levels"),
        (b'{"a":' * 10_000 + b"1" + b"}" * 10_000, "body: nested deeper than 64 levels"),
        (b'{"a":' + b"[" * 64 + b"1" + b"]" * 64 + b"}", "body: nested deeper than 64 levels"),
        (b'{"a":' + b"[" * 63 + b"x", "body: not JSON at line 1, column 69"),
        (b'{"a":[' + b"1," * 10_000 + b"1]}", "body: more than 10000 values"),
        (b'{"a":[' + b"{}," * 10_000 + b"not JSON", "body: more than 10000 values"),
        (b'{"a":"' + b'\\\\", "' * 3 + b'","b":[' + b"1," * 10_000 + b"1]}", "body: more than 10000 values"),
        (b'{"a":"' + b"x" * 250_000 + b'\n"}', "body: not JSON at line 1, column 250007"),
        (b'{"a":"' + b"\\\\" * 25_000 + b'\n"}', "body: not JSON at line 1, column 50007"),
        (b'{"a":"' + (b"x" * 150 + b'\\"') * 1_000 + b'\n"}', "body: not JSON at line 1, column 152007"),
        (b'{"a":[' + b'"",' * 30_000 + b'""]}', "body: more than 10000 values"),
    ],
)
def test_a_body_that_is_no_plain_json_object_is_a_violation_that_says_why(body: bytes, detail: str) -> None:
    found = parse_body(body)
    assert isinstance(found, Violation)
    assert found.field == "body"
    assert found.code is None
    assert found.detail.startswith(detail)


def test_a_body_may_be_nested_as_deep_as_the_limit_and_hold_brackets_in_texts() -> None:
    deep = b'{"a":' + b"[" * (MAX_DEPTH - 1) + b"1" + b"]" * (MAX_DEPTH - 1) + b"}"
    assert isinstance(parse_body(deep), dict)
    assert parse_body(b'{"a":"' + b"[" * 500 + b'"}') == {"a": "[" * 500}


@pytest.mark.parametrize(
    ("letters", "column"),
    [(b"a", 6), (b"\\n", 6), (b"a\\u00e9", 6), (b'\\"', 6), (b"," * 8, 6), (b'\\",', 6)],
    ids=["letters", "escapes", "letters and escapes", "quotes", "commas", "quotes and commas"],
)
def test_a_long_text_without_an_end_is_refused_in_little_memory(letters: bytes, column: int) -> None:
    """Of 8 MiB; what is refused in more than linear time or memory never gets here."""
    body = b'{"a":' + b'"' + letters * ((8 << 20) // len(letters))
    tracemalloc.start()
    try:
        found = parse_body(body)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found == Violation("body", "json", None, f"body: not JSON at line 1, column {column}")
    assert most < 8 * len(body)


def test_what_stands_in_a_text_is_not_a_value() -> None:
    text = 'a, "b"\n' * 30_000
    assert parse_body(json.dumps({"a": text, "b": [1] * 9_998}).encode()) == {"a": text, "b": [1] * 9_998}


def test_a_colon_in_a_text_hides_no_repeated_field() -> None:
    assert parse_body(b'{"a":"b:c:d","e":1}') == {"a": "b:c:d", "e": 1}
    assert isinstance(parse_body(b'{"a":":","a":1}'), Violation)


@pytest.mark.parametrize("text", ["1.0", "1e400", "-0.0", "1E5", "1e99999999999999999999"])
def test_a_number_with_a_point_or_an_exponent_is_kept_as_written_and_is_no_integer(text: str) -> None:
    found = parse_body(f'{{"a":{text}}}'.encode())
    assert isinstance(found, dict)
    assert isinstance(found["a"], NumberLiteral)
    assert found["a"].text == text


def test_ten_thousand_fields_of_which_the_last_is_repeated_are_read_at_once() -> None:
    fields = ",".join(f'"{number:x}":1' for number in range(9_998))
    found = parse_body(f'{{{fields},"0":1}}'.encode())
    assert isinstance(found, Violation)
    assert found.rule == "repeated"


@given(st.dictionaries(st.text(max_size=5), json_values, max_size=4))
def test_what_python_writes_is_read_back(value: dict[str, object]) -> None:
    found = parse_body(json.dumps(value).encode())
    assert isinstance(found, dict)
    assert list(found) == list(value)


def refuse(_: str) -> None:
    raise ValueError("no number")


def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a field is repeated")
    return dict(pairs)


PIECES = (
    *(
        b"",
        b" ",
        b",",
        b":",
        b"{",
        b"}",
        b"[",
        b'"',
        b"\\",
        b"0",
        b"-",
        b".5",
        b"e1",
        b"NaN",
        b"\x01",
        b"\x7f",
        b"\xff",
    ),
    *(
        b"\xc3\xa9",
        b"\\ud800",
        b"\\u0000",
        b'"a":1,',
        b'"a":1,"a":2,',
        b'"a":{"b":1,"b":2},',
        b'"a":{"b":{}},',
        b"1" * 5000,
    ),
)


@given(st.dictionaries(st.text(max_size=3), json_values, max_size=4), st.integers(0, 40), st.sampled_from(PIECES))
def test_a_body_is_read_as_pythons_reader_reads_it(value: dict[str, object], at: int, piece: bytes) -> None:
    """But for repeated fields, and words for numbers."""
    right = json.dumps(value).encode()
    body = right[:at] + piece + right[at:]
    try:
        expected = json.loads(body.decode(), parse_float=NumberLiteral, parse_constant=refuse, object_pairs_hook=unique)
    except ValueError:
        expected = None
    found = parse_body(body)
    assert repr(found) == repr(expected) if isinstance(expected, dict) else isinstance(found, Violation)


@given(st.binary(max_size=40))
def test_no_bytes_raise(body: bytes) -> None:
    assert isinstance(parse_body(body), dict | Violation)
    assert isinstance(raw_fields(body), dict)


@pytest.mark.parametrize("value", ["\ud800", "a\udfffb", "\0", ["\ud800"], {"b": "\0"}, {"\ud800": 1}, [[{"b": "\0"}]]])
def test_half_a_surrogate_pair_and_nul_are_no_text_wherever_they_are(value: object) -> None:
    assert [violation.field for violation in text_violations({"fine": "\U0001f600", "memo": value})] == ["memo"]


def test_raw_fields_are_the_texts_as_sent() -> None:
    body = b' { "amount" : "1\\u0030" , "n":-1.50e+3,\n"list" : [ 1 , {"a":"}"} ],"t":true}\n'
    assert raw_fields(body) == {"amount": '"1\\u0030"', "n": "-1.50e+3", "list": '[ 1 , {"a":"}"} ]', "t": "true"}
    assert raw_fields(b"{}") == raw_fields(b"{ }") == {}


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"a"', b'{"a":', b'{"a":1', b'{"a":1 "b":2}', b"\xff"])
def test_a_broken_body_has_no_raw_fields(body: bytes) -> None:
    assert raw_fields(body) == {}


def test_a_name_from_outside_is_quoted_where_it_is_not_plain() -> None:
    assert quoted("accountId") == "accountId"
    assert quoted("") == '""'
    assert quoted("a\r\nb\ud800") == r'"a\r\nb\ud800"'
    assert quoted("x" * 100) == '"' + "x" * 64 + '..."'
