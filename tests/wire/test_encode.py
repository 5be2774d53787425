from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mockrelay.core.call import Encodable, Refused
from mockrelay.core.faults import ScriptedEffect
from mockrelay.spec.choices import BY_KEY
from mockrelay.spec.codes import Code
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.spec.fault_effects import EFFECTS, Phase
from mockrelay.spec.vocab import OrderStatus
from mockrelay.wire.compile import checker
from mockrelay.wire.encode import (
    ALTERATIONS,
    BrokenAnswer,
    _json,
    alter,
    encode_refusal,
    encode_reply,
    encode_scripted,
)
from mockrelay.wire.http import Response

ORDER = BY_NAME["submit_order"]
WITHDRAWAL = BY_NAME["submit_withdrawal"]
PENDING = BY_NAME["get_pending_requests"]
HASH = "0x" + "ab" * 32
REFUSED = Refused(Code.ORDER_BALANCE_INSUFFICIENT, "100 LRC are free")
FAILED = {"orderHash": "", "status": "SUBMIT_ORDER_FAIL", "isIdempotent": False}


class Choices:
    """Decides by the given options, else by default, and has the keys that it was asked."""

    def __init__(self, **options: str) -> None:
        self.options = {key.replace("__", "."): option for key, option in options.items()}
        self.asked: list[str] = []

    def __call__(self, key: str, _: Mapping[str, Any]) -> str:
        self.asked.append(key)
        return self.options.get(key, BY_KEY[key].default)


def outcome(code: Code, detail: str) -> dict[str, Any]:
    return {"code": int(code), "message": f"{code.meaning}: {detail}"}


def test_an_enveloped_answer_carries_the_outcome_and_the_data() -> None:
    response = encode_reply(ORDER, {"orderHash": HASH, "status": "NEW_ACTIVED", "isIdempotent": False})
    assert response.status == 200
    assert response.headers == (("Content-Type", "application/json; charset=utf-8"),)
    assert response.body == (
        b'{"resultInfo":{"code":0,"message":"SUCCESS"},"data":{"orderHash":"'
        + HASH.encode()
        + b'","status":"NEW_ACTIVED","isIdempotent":false}}'
    )
    assert checker("mockrelay:responses/submit_order.json")(json.loads(response.body))


def test_a_bare_answer_is_the_payload_alone() -> None:
    payload = {"hash": HASH, "status": "received", "isIdempotent": False}
    assert json.loads(encode_reply(WITHDRAWAL, payload).body) == payload


def test_a_reused_payload_is_encoded_once() -> None:
    payload = Encodable({"version": 1, "timestamp": 2, "bids": [], "asks": []})
    first = encode_reply(BY_NAME["get_depth"], payload).body
    assert payload.encoded == first
    assert encode_reply(BY_NAME["get_depth"], payload).body is first


class Word(str):
    """A text of a class of its own."""

    __slots__ = ()


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(st.characters())
    | st.sampled_from([Word("a"), OrderStatus.WAITING]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(), max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(VALUES)
@example(['\x1f\x7f\x80\ud800\U0001f600"\\/'])
def test_a_value_is_written_as_pythons_compact_encoder_writes_it(value: Any) -> None:
    assert _json(value) == json.dumps(value, separators=(",", ":")).encode()


def test_an_answer_is_ascii_whatever_text_it_carries() -> None:
    symbol = "\u20ac\ud800"
    body = encode_reply(BY_NAME["get_order_fee"], {"feeRate": {"symbol": symbol, "makerRate": 1, "takerRate": 2}}).body
    assert body.isascii()
    assert json.loads(body)["feeRate"]["symbol"] == symbol


@pytest.mark.parametrize(
    "payload",
    [
        None,
        {},
        {"orderHash": HASH, "status": "ok", "isIdempotent": False},
        {"orderHash": HASH, "status": "UNKNOWN", "isIdempotent": 0},
        {"orderHash": "0x12", "status": "UNKNOWN", "isIdempotent": False},
        {"orderHash": HASH, "status": "UNKNOWN", "isIdempotent": False, "more": 1},
    ],
)
def test_a_payload_that_its_schema_does_not_allow_is_our_fault(payload: Any) -> None:
    with pytest.raises(BrokenAnswer, match=r"submit_order would answer what .* does not allow: ."):
        encode_reply(ORDER, payload)


def test_a_shape_belongs_to_the_option_that_was_met() -> None:
    camel, lower = {"txType": "SpotTrade"}, {"txType": "spottrade"}
    as_object, in_lower_case = {"pending.shape": "object"}, {"tx_type.case": "lower"}
    encode_reply(PENDING, [camel])
    encode_reply(PENDING, [lower], in_lower_case | {"http.numbers": "strict"})
    encode_reply(PENDING, camel, as_object)
    encode_reply(PENDING, lower, as_object | in_lower_case)
    for payload, met in [([lower], {}), ([camel], in_lower_case), (camel, {}), ([camel], as_object)]:
        with pytest.raises(BrokenAnswer):
            encode_reply(PENDING, payload, met)


def test_a_bare_endpoints_error_may_be_code_and_message_alone() -> None:
    decide = Choices(http__bare_error_body="code_message")
    body = json.loads(encode_refusal(WITHDRAWAL, REFUSED, decide).body)
    assert body == outcome(Code.ORDER_BALANCE_INSUFFICIENT, "100 LRC are free")
    schema_id = "mockrelay:responses/bare_error.json"
    assert checker(schema_id, (("http.bare_error_body", "code_message"),))(body)
    assert not checker(schema_id)(body)
    assert "resultInfo" in json.loads(encode_refusal(ORDER, REFUSED, decide).body)


def test_a_rejected_order_shows_its_code_its_data_or_both() -> None:
    error = outcome(Code.ORDER_BALANCE_INSUFFICIENT, "100 LRC are free")
    both = encode_refusal(ORDER, REFUSED, Choices(order__rejected_answer="code_and_data"))
    assert json.loads(both.body) == {"resultInfo": error, "data": FAILED}
    assert checker("mockrelay:responses/refused_order.json")(json.loads(both.body))
    known = encode_refusal(ORDER, REFUSED, Choices(order__rejected_answer="code_and_data"), HASH)
    assert json.loads(known.body)["data"] == FAILED | {"orderHash": HASH}
    data = encode_refusal(ORDER, REFUSED, Choices(order__rejected_answer="data", http__error_status="400"))
    assert data.status == 200
    assert json.loads(data.body) == {"resultInfo": {"code": 0, "message": "SUCCESS"}, "data": FAILED}


@pytest.mark.parametrize("option", ["code", "code_and_data", "data"])
def test_the_data_of_a_refusal_itself_stands_beside_the_code_under_every_option(option: str) -> None:
    data = {"orderHash": HASH, "status": "SUBMIT_ORDER_FAIL", "isIdempotent": False}
    refused = Refused(Code.ORDER_SUBMIT_FAILED, "released as failed", data)
    body = json.loads(encode_refusal(ORDER, refused, Choices(order__rejected_answer=option)).body)
    assert body == {"resultInfo": outcome(Code.ORDER_SUBMIT_FAILED, "released as failed"), "data": data}


@pytest.mark.parametrize("code", [Code.AUTH_KEY_EMPTY, Code.AUTH_KEY_INVALID])
def test_a_caller_without_a_key_learns_nothing_of_an_order(code: Code) -> None:
    response = encode_refusal(ORDER, Refused(code, "no key"), Choices(order__rejected_answer="data"))
    assert json.loads(response.body) == {"resultInfo": outcome(code, "no key")}


def test_only_choices_that_matter_are_consulted() -> None:
    decide = Choices()
    encode_refusal(BY_NAME["get_depth"], REFUSED, decide)
    assert decide.asked == ["http.error_status"]
    decide = Choices()
    encode_refusal(WITHDRAWAL, REFUSED, decide)
    assert decide.asked == ["http.error_status", "http.bare_error_body"]
    decide = Choices()
    encode_refusal(ORDER, REFUSED, decide)
    assert decide.asked == ["order.rejected_answer", "http.error_status"]


def test_a_scripted_code_may_be_any_and_has_its_meaning_or_a_text_of_its_own() -> None:
    body = json.loads(encode_scripted(ORDER, ScriptedEffect("code", 102014), Choices(), 0).body)
    assert body == {"resultInfo": {"code": 102014, "message": "Failed to freeze the amount, try again later"}}
    own = json.loads(encode_scripted(WITHDRAWAL, ScriptedEffect("code", 999, {"message": "busy"}), Choices(), 0).body)
    assert own == {"resultInfo": {"code": 999, "message": "busy"}}
    unknown = json.loads(encode_scripted(ORDER, ScriptedEffect("code", 999), Choices(), 0).body)
    assert unknown == {"resultInfo": {"code": 999, "message": "Code 999"}}


def test_another_effect_in_the_endpoints_place_spoils_an_unknown_error() -> None:
    response = encode_scripted(ORDER, ScriptedEffect("status", 503), Choices(), 0)
    assert (response.status, json.loads(response.body)["resultInfo"]["code"]) == (503, 100000)
    assert encode_scripted(ORDER, ScriptedEffect("delay", 2), Choices(), 5).not_before_ms == 7


def test_an_effect_changes_an_answer_in_one_way() -> None:
    whole = Response(200, (("Content-Type", "application/json; charset=utf-8"), ("X-Id", "r1")), b'{"hash":"0x1"}')
    assert alter(ORDER, whole, ScriptedEffect("status", 503), Choices(), 9) == replace(whole, status=503)
    assert alter(ORDER, whole, ScriptedEffect("drop", value=True), Choices(), 9) == replace(whole, drop=True)
    assert alter(ORDER, whole, ScriptedEffect("delay", 30_000), Choices(), 9) == replace(whole, not_before_ms=30_009)
    assert alter(ORDER, whole, ScriptedEffect("delay", 0), Choices(), 9) == whole
    assert alter(ORDER, whole, ScriptedEffect("body", "empty"), Choices(), 9).body == b""
    assert alter(ORDER, whole, ScriptedEffect("body", "truncated"), Choices(), 9).body == b'{"hash"'
    html = alter(ORDER, whole, ScriptedEffect("body", "html"), Choices(), 9)
    assert html.headers == (("Content-Type", "text/html; charset=utf-8"), ("X-Id", "r1"))
    assert html.body.startswith(b"<html>")
    with pytest.raises(ValueError, match="Expecting"):
        json.loads(alter(ORDER, whole, ScriptedEffect("body", "malformed"), Choices(), 9).body)


def test_a_status_of_429_says_when_to_come_again_by_the_choices() -> None:
    whole = Response(200, (("Content-Type", "application/json; charset=utf-8"),), b"{}")
    limited = ScriptedEffect("status", 429)
    after = alter(ORDER, whole, limited, Choices(), 9)
    assert (after.status, after.headers[-1], after.body) == (429, ("Retry-After", "1"), b"{}")
    assert alter(ORDER, whole, limited, Choices(rate__retry_after="none"), 9) == replace(whole, status=429)
    instead = encode_scripted(ORDER, limited, Choices(rate__body="html", rate__status="200"), 0)
    assert (instead.status, instead.headers[-1]) == (429, ("Retry-After", "1"))
    assert instead.body.startswith(b"<html>")


def test_the_decisions_about_a_429_know_its_endpoint() -> None:
    asked = []

    def decide(key: str, context: Mapping[str, Any]) -> str:
        asked.append((key, context))
        return "none"

    alter(ORDER, Response(200, (), b"{}"), ScriptedEffect("status", 429), decide, 9)
    assert asked == [("rate.retry_after", {"endpoint": "submit_order"})]


def test_every_effect_on_answers_has_its_alteration() -> None:
    rows = EFFECTS.values()
    assert set(ALTERATIONS) == {row.name for row in rows if row.phase in (Phase.CONTENT, Phase.TIMING)}


def test_a_message_echoes_any_input_as_valid_json() -> None:
    response = encode_refusal(ORDER, Refused(Code.ORDER_NOT_VALID, '"\ud800\n\u20ac'), Choices())
    assert response.body.isascii()
    assert json.loads(response.body)["resultInfo"]["message"].endswith('"\ud800\n\u20ac')
