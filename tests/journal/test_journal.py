"""The journal is bounded, counts exactly, and shows no secret."""

from __future__ import annotations

import json

from mockrelay.control import handle_control
from mockrelay.core.context import CALL, Trace
from mockrelay.journal import Journal
from mockrelay.journal.journal import (
    BATCH_MAX,
    BYTES_MAX,
    CHARACTER_BYTES,
    ENTRIES_MAX,
    LONG_BODY_BYTES,
    VALUE_BYTES,
    Entry,
)
from mockrelay.relay import Relay
from mockrelay.relay.commands import Reset
from mockrelay.wire.http import RawRequest, Response
from tests.support.bodies import W
from tests.support.client import account, control, done, get, post, send


def entry(
    seq: int, *, endpoint: str = "get_depth", code: int | None = 0, body: bytes = b"", due_ms: int | None = None
) -> Entry:
    raw = RawRequest("GET", "/api/v2/depth", "/api/v2/depth", (), {}, body, "http", "localhost", "127.0.0.1")
    trace = Trace(CALL, f"r{seq}")
    trace.endpoint, trace.code = endpoint, code
    return Entry(f"r{seq}", 0, raw, Response(200, (), b"{}", not_before_ms=due_ms), trace)


def test_it_keeps_the_newest_and_counts_all() -> None:
    journal = Journal()
    for seq in range(1, ENTRIES_MAX + 31):
        journal.add(entry(seq, code=0 if seq % 2 else 108000))
    assert len(journal) == ENTRIES_MAX
    assert (journal.total, journal.dropped) == (ENTRIES_MAX + 30, 30)
    assert journal.find("r30") is None
    kept = journal.find("r31")
    assert kept is not None
    assert kept.id == "r31"
    assert journal.times("get_depth") == ENTRIES_MAX + 30
    assert journal.times_answered("get_depth", 108000, 0) == (ENTRIES_MAX + 30) // 2


def test_a_delayed_answer_counts_by_its_code_once_it_was_sent_or_its_call_is_dropped() -> None:
    """A client that has left before that has met no code."""
    journal = Journal()
    for seq in (1, 2):
        journal.add(entry(seq, due_ms=60_000))
    assert [journal.times_answered("get_depth", 0, now_ms) for now_ms in (59_999, 60_000)] == [0, 2]
    assert journal.leave("r2")
    assert journal.counts_view(60_000) == {"get_depth": {"(no code)": 1, "0": 1}}
    for seq in range(3, ENTRIES_MAX + 3):
        journal.add(entry(seq))
    assert journal.counts_view(0) == {"get_depth": {"(no code)": 1, "0": ENTRIES_MAX + 1}}
    assert not journal.leave("r2")


def test_it_is_bounded_by_bytes_and_keeps_at_least_one_call() -> None:
    journal = Journal()
    for seq in (1, 2, 3):
        journal.add(entry(seq, body=b"x" * (BYTES_MAX // 2 // (CHARACTER_BYTES + 1) - 2000)))
    assert [each.id for each in journal] == ["r2", "r3"]
    journal.add(entry(4, body=b"x" * (BYTES_MAX * 2)))
    assert [each.id for each in journal] == ["r4"]
    assert journal.dropped == 3


def test_calls_whose_short_bodies_have_many_values_are_bounded_too() -> None:
    """They are measured many at a time."""
    values = LONG_BODY_BYTES // 2 - 2
    journal, body = Journal(), b"[" + b"1," * values + b"1]"
    for seq in range(1, ENTRIES_MAX + 1):
        journal.add(entry(seq, body=body))
    assert journal.total == ENTRIES_MAX
    assert len(journal) < BYTES_MAX // (VALUE_BYTES * values) + BATCH_MAX


def test_its_ids_are_those_of_the_answers_and_no_other_word_finds_a_call(relay: Relay) -> None:
    assert get(relay, "/api/v2/exchange/tokens").headers["x-mockrelay-request-id"] == "r1"
    assert relay.journal.find("r1") is not None
    for word in ("r2", "", "r", "1x", "r-1", "r" + "1" * 5000, "r²", "R1"):
        assert relay.journal.find(word) is None


def test_request_ids_go_on_over_a_reset_and_the_journal_begins_anew(relay: Relay) -> None:
    get(relay, "/api/v2/exchange/tokens")
    relay.execute(Reset())
    assert done(relay, "GET", "requests")["total"] == 0
    assert get(relay, "/api/v2/exchange/tokens").headers["x-mockrelay-request-id"] == "r2"


def test_a_call_is_shown_with_its_decoded_outcome(relay: Relay) -> None:
    post(relay, "/api/v3/order", W.order())
    (shown,) = done(relay, "GET", "requests")["requests"]
    assert shown["id"] == "r1"
    assert (shown["method"], shown["target"], shown["endpoint"]) == ("POST", "/api/v3/order", "submit_order")
    assert (shown["accountId"], shown["status"], shown["code"], shown["fault"]) == (10001, 200, 0, None)
    assert shown["body"]["amountS"] == "100000000000000000000"
    assert shown["answer"]["data"]["status"] == "NEW_ACTIVED"
    assert shown["choices"]["signature.scheme"] == "presence"


def test_counts_are_by_endpoint_and_code(relay: Relay) -> None:
    for _ in range(3):
        post(relay, "/api/v3/order", W.order())
    get(relay, "/api/v9/nothing")
    counts = done(relay, "GET", "requests")["counts"]
    assert counts == {"submit_order": {"0": 1, "102007": 2}, "(no endpoint)": {"100000": 1}}


def test_requests_are_filtered_by_endpoint_and_number(relay: Relay) -> None:
    for _ in range(3):
        get(relay, "/api/v2/exchange/tokens")
    get(relay, "/api/v2/exchange/info")
    shown = control(relay, "GET", "requests", last="2").json
    assert [call["endpoint"] for call in shown["requests"]] == ["get_tokens", "get_exchange_info"]
    assert shown["total"] == 4
    shown = control(relay, "GET", "requests", endpoint="get_tokens", last="2").json
    assert [call["id"] for call in shown["requests"]] == ["r2", "r3"]


def test_a_wrong_filter_is_told_with_what_was_meant(relay: Relay) -> None:
    answer = control(relay, "GET", "requests", endpoint="get_token")
    assert answer.status == 400
    assert answer.json["field"] == "endpoint"
    assert "get_tokens" in answer.json["meant"]
    assert control(relay, "GET", "requests", last="0").status == 400
    assert control(relay, "GET", "requests", first="2").json["field"] == "first"
    twice = handle_control(relay, "GET", "requests", (("endpoint", "get_tokens"), ("endpoint", "get_order_id")), b"")
    assert (twice.status, json.loads(twice.body)) == (
        400,
        {"error": "'endpoint' is given more than once", "field": "endpoint", "meant": "endpoint once"},
    )


def test_deleting_empties_the_journal_and_ids_go_on(relay: Relay) -> None:
    get(relay, "/api/v2/exchange/tokens")
    assert done(relay, "DELETE", "requests") == []
    assert done(relay, "GET", "requests")["requests"] == []
    get(relay, "/api/v2/exchange/tokens")
    assert done(relay, "GET", "requests")["requests"][0]["id"] == "r2"


def test_keys_and_signatures_are_masked_wherever_they_stand(relay: Relay) -> None:
    key = account(relay, "alice")["apiKey"]
    secret = "8" * 40
    body = W.order(signatureRx=secret, signatureRy=secret, signatureS=secret)
    post(relay, "/api/v3/order", body, signature=f"0x{secret}")
    post(relay, "/api/v3/account", {"eddsaSignature": secret, "inner": [{"ecdsaSignature": secret}]}, signature=secret)
    send(relay, "POST", "/api/v3/order", body=json.dumps(body).encode()[:-1], headers={"authorization": secret})
    shown = json.dumps(done(relay, "GET", "requests")) + json.dumps(
        [done(relay, "GET", f"why/r{n}") for n in (1, 2, 3)]
    )
    assert secret not in shown
    assert key not in shown
    assert shown.count("(masked)") >= 10


def test_a_body_that_is_no_json_is_shown_as_text_cut_where_it_is_long(relay: Relay) -> None:
    send(relay, "POST", "/api/v3/order", body=b"\xff{" + b"a" * 10_000)
    (shown,) = done(relay, "GET", "requests")["requests"]
    assert shown["body"].startswith("�{aaa")
    assert shown["body"].endswith("(10002 bytes in all)")
    assert len(shown["body"]) < 5000


def test_a_key_in_the_target_is_masked_wherever_the_target_is_shown(relay: Relay) -> None:
    send(relay, "GET", "/api/v2/depht", query=[("apiKey", "s3cr3t"), ("market", "LRC-ETH")])
    shown = [done(relay, "GET", path) for path in ("requests", "why/r1", "problems")]
    assert "s3cr3t" not in json.dumps(shown)
    assert shown[1]["target"] == "/api/v2/depht?apiKey=(masked)&market=LRC-ETH"


def test_a_number_that_no_other_reader_takes_is_shown_as_text(relay: Relay) -> None:
    for body in (b'{"a": NaN}', b'{"a": 1e400}'):
        send(relay, "POST", "/api/v3/order", body=body)
    shown = control(relay, "GET", "requests").json["requests"]
    assert [call["body"] for call in shown] == ['{"a": NaN}', '{"a": 1e400}']
