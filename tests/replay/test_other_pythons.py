"""Answers do not depend on the version of Python: what it says of JSON, of HTTP statuses and of letters is not in them."""

from __future__ import annotations

import json

import pytest

from mockrelay.control import handle_control
from mockrelay.replay import resume
from mockrelay.suggest import in_quotes
from mockrelay.web.http1 import encoded
from mockrelay.wire.http import Response
from tests.replay.odd_calls import BODIES, YOUNG, odd_calls
from tests.support.worlds import relay_from

PYTHONS_OWN = (
    "Expecting",
    "Extra data",
    "char ",
    "Unterminated",
    "Illegal",
    "codec",
    "recursion",
    "delimiter",
    "digits)",
)


def test_odd_calls_replay() -> None:
    """As a record of this Python; `.ci/run` replays it under the others."""
    record = odd_calls(relay_from())
    assert resume(record)[1].calls == record.count(b'"kind":"call"')
    assert not [word for word in PYTHONS_OWN if word.encode() in record]


@pytest.mark.parametrize("body", BODIES, ids=lambda body: body[:20].decode("latin-1"))
def test_control_says_in_its_own_words_what_is_wrong_with_a_body(body: bytes) -> None:
    answer = handle_control(relay_from(), "POST", "faults", (), body)
    assert answer.status == 400
    error = json.loads(answer.body)["error"]
    assert not [word for word in PYTHONS_OWN if word in error], error


@pytest.mark.parametrize(
    ("status", "phrase"),
    [
        (200, "OK"),
        (404, "Not Found"),
        (413, "Content Too Large"),
        (414, "URI Too Long"),
        (416, "Range Not Satisfiable"),
        (422, "Unprocessable Content"),
        (503, "Service Unavailable"),
        (599, ""),
    ],
)
def test_the_phrase_of_a_status_is_that_of_the_registry(status: int, phrase: str) -> None:
    assert encoded(Response(status, (), b""), "GET").startswith(f"HTTP/1.1 {status} {phrase}\r\n".encode())


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("a b", "'a b'"),
        ("it's", '"it\'s"'),
        ("größe", "'größe'"),
        ("größe's", '"größe\'s"'),
        ("\\ö'\"", "'\\\\ö\\'\"'"),
        ("\n\x7fö", "'\\n\\x7fö'"),
        (YOUNG, "'\\U00011f00\\U0001fae8\\u2ffc'"),
        ("x" * 201, "'" + "x" * 200 + "'..."),
        (17, "17"),
        ([YOUNG, "ö\n"], "['\\U00011f00\\U0001fae8\\u2ffc', 'ö\\n']"),
        (["x" * 300], "['" + "x" * 198 + "..."),
    ],
)
def test_an_error_quotes_old_letters_as_they_are_and_young_ones_as_escapes(text: object, quoted: str) -> None:
    assert in_quotes(text) == quoted
