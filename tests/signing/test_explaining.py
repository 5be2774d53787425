"""The explainer names each planted mistake, and nothing where none was made."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mockrelay.signing.diagnosis.explain as explain_module
from mockrelay.signing import owner, secp256k1
from mockrelay.signing.curve import BASE, Point, multiply
from mockrelay.signing.diagnosis.causes import (
    AccountKeys,
    Cause,
    Explanation,
    Guess,
    SentCall,
    SignedPart,
    SignedRequest,
    SigningContext,
)
from mockrelay.signing.diagnosis.explain import explain
from mockrelay.signing.eddsa import Family, Signature, public_key, sign
from mockrelay.signing.parameters import LAYER2_ORDER
from mockrelay.signing.request_signature import TEXT_MAX, sign_call
from mockrelay.signing.secp256k1_plain import PlainBackend
from mockrelay.signing.wire_forms import eddsa_commas, eddsa_hex, layer1_text
from tests.signing.bodies import BODIES, TYPED
from tests.signing.planted import BOB_LAYER1, DEPLOY, DEPLOY_URL, EXCHANGE_NUMBER, KNOWN, PLANTED, WORLD_URL, judged
from tests.signing.small_points import OUTSIDE, SMALL
from tests.signing.vectors import CHAIN_ID, LAYER1_KEY, PRIVATE
from tests.signing.work import forget_all, verification, work

LIMIT = 250


def explained(name: str) -> Explanation | None:
    """What is said of a planted mistake."""
    planted = PLANTED[name]
    return explain(planted.signature(), planted.over, judged(planted.kind, planted.key), KNOWN)


@pytest.mark.parametrize("name", PLANTED)
def test_each_planted_mistake_is_named(name: str) -> None:
    found = explained(name)
    assert found is not None
    assert found.cause is PLANTED[name].cause, found.sentence
    assert [part for part in PLANTED[name].says if part not in found.sentence] == [], found.sentence


def test_every_cause_is_planted() -> None:
    assert {planted.cause for planted in PLANTED.values()} == set(Cause)


@pytest.mark.parametrize("name", [name for name, planted in PLANTED.items() if planted.over is SignedPart.OWNER])
def test_layer_1_mistakes_are_named_alike_in_plain_integers(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a recovery takes 30 times as long, less is tried; the usual mistakes come before that."""
    plain = PlainBackend()
    monkeypatch.setattr(secp256k1, "backend", lambda: plain)
    found = explained(name)
    assert found is not None
    assert found.cause is PLANTED[name].cause


@pytest.mark.parametrize("part", ["r", "s"])
def test_a_lost_zero_of_a_layer_1_signature_is_named(part: str) -> None:
    request, typed = judged("withdrawal"), TYPED["withdrawal"][0]
    start = 2 if part == "r" else 66
    for storage_id in range(200):
        body = {**request.body, "storageId": storage_id}
        text = layer1_text(owner.sign_typed(LAYER1_KEY, typed.hash(body, CHAIN_ID, EXCHANGE_NUMBER), "02"))
        if text[start] == "0":
            break
    found = explain(text[:start] + text[start + 1 :], SignedPart.OWNER, request._replace(body=body), KNOWN)
    assert found is not None
    assert (found.cause, f"{part} has lost the zero" in found.sentence) == (Cause.FORM, True)


# Valid signatures

VALID: dict[tuple[str, SignedPart], list[str]] = {
    **{
        (kind, SignedPart.MESSAGE): [
            form(sign(PRIVATE, message.hash(body), family)) for family in Family for form in (eddsa_hex, eddsa_commas)
        ]
        for kind, (message, body) in BODIES.items()
    },
    **{
        (kind, SignedPart.OWNER): [
            layer1_text(owner.sign_typed(LAYER1_KEY, typed.hash(BODIES[kind][1], CHAIN_ID, EXCHANGE_NUMBER), suffix))
            for suffix in ("", "02", "03")
        ]
        for kind, (typed, _) in TYPED.items()
        if kind != "transfer"
    },
    ("gen-2 transfer", SignedPart.OWNER): [
        "0x" + owner.sign_text(LAYER1_KEY, text).hex() + suffix
        for text in owner.transfer_v2_texts(BODIES["gen-2 transfer"][1])
        for suffix in ("", "03")
    ],
    ("deployment", SignedPart.CALL): [eddsa_hex(sign_call(PRIVATE, "POST", DEPLOY_URL, body=DEPLOY["json"]))],
    ("query", SignedPart.CALL): [
        eddsa_hex(sign_call(PRIVATE, "GET", WORLD_URL, query=pairs))
        for pairs in ([("b", "2"), ("a", "x,y")], [("a", "x,y"), ("b", "2")])
    ],
}


@pytest.mark.parametrize(("kind", "over"), VALID, ids=str)
def test_a_valid_signature_is_never_explained(kind: str, over: SignedPart) -> None:
    for text in VALID[kind, over]:
        assert explain(text, over, judged(kind), KNOWN) is None


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_valid_signatures_of_random_amounts_are_never_explained(data: st.DataObject) -> None:
    message, body = BODIES["gen-2 order"]
    sent = {**body, "amountS": str(data.draw(st.integers(0, 2**96))), "orderId": data.draw(st.integers(0, 2**20))}
    request = judged("gen-2 order")._replace(body=sent)
    family = data.draw(st.sampled_from(Family))
    assert explain(eddsa_hex(sign(PRIVATE, message.hash(sent), family)), SignedPart.MESSAGE, request, KNOWN) is None


# Garbage

WHERE = [(kind, over) for kind, over in VALID]


def elements() -> st.SearchStrategy[int]:
    """Numbers of a signature, a field element and beyond."""
    return st.integers(0, 2**256 - 1)


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(WHERE), st.tuples(elements(), elements(), elements()), st.integers(1, LAYER2_ORDER - 1))
def test_random_garbage_is_never_explained(
    where: tuple[str, SignedPart], numbers: tuple[int, int, int], scalar: int
) -> None:
    """Numbers that are nothing, and numbers whose R is a point, so that all is tried."""
    kind, over = where
    point = multiply((scalar, BASE))
    for signature in (Signature(*numbers), Signature(*point, numbers[2] % LAYER2_ORDER)):
        assert explain(eddsa_hex(signature), over, judged(kind), KNOWN) is None


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from([where for where in WHERE if where[1] is SignedPart.OWNER]),
    st.binary(min_size=65, max_size=66),
    st.sampled_from([b"", b"\x1b", b"\x1c"]),
)
def test_random_layer_1_garbage_is_never_explained(where: tuple[str, SignedPart], rsv: bytes, v: bytes) -> None:
    text = f"0x{(rsv[:64] + v + rsv[64:])[:66].hex()}"
    assert explain(text, where[1], judged(where[0]), KNOWN) is None


def test_a_stranger_s_signature_is_not_explained() -> None:
    message, body = BODIES["gen-2 order"]
    assert explain(eddsa_hex(sign(99, message.hash(body))), SignedPart.MESSAGE, judged("gen-2 order"), KNOWN) is None
    typed = TYPED["withdrawal"][0].hash(BODIES["withdrawal"][1], CHAIN_ID, EXCHANGE_NUMBER)
    text = layer1_text(owner.sign_typed(99, typed, "02"))
    assert explain(text, SignedPart.OWNER, judged("withdrawal"), KNOWN) is None


# Hostile inputs, and time

RIGHT_POINT = eddsa_hex(sign(99, 1))
STRANGE_LAYER1 = layer1_text(owner.sign_typed(BOB_LAYER1, bytes(32), ""))
HOSTILE_TEXTS = (
    *("", "0x", "0x" + "f" * 192, "0x" + "0" * 192, "0x" + "0" * 130, "0x" + "f" * 132, "9" * 10_000, ",,", "\ud800"),
    *(",".join(["9" * 78] * 3), "0x" + "1" * 130 + "\n", RIGHT_POINT, STRANGE_LAYER1),
)
HOSTILE_VALUES: tuple[Any, ...] = (
    None,
    -1,
    1.5,
    True,
    "",
    "1e21",
    "9" * 4000,
    [],
    {},
    {"tokenId": {}},
    10**400,
    "\ud800",
)
HOSTILE_CALLS = (
    SentCall("", "", "", ""),
    SentCall("GET", "\ud800", "\ud800=%zz&&&;=", "\ud800"),
    SentCall("POST", "http://[", "a", "[" * TEXT_MAX),
    SentCall("POST", "http://h:1/w/", "", '{"a":' * 3000 + "1" + "}" * 3000),
    SentCall("POST", "http://h/", "", '{"a":' + "9" * 5000 + "}"),
    SentCall("POST", "http://h/", "", '{"a":NaN,"b":[1,{"c":null}],"d":{"":{"":{"":{"":1}}}}}'),
    SentCall("POST", "http://h/", "", "{" + ",".join(f'"{index}":"{"/" * 20}"' for index in range(500)) + "}"),
    SentCall("POST", "http://h/", "", "/" * TEXT_MAX),
    SentCall("GET", "http://h/", "&".join(f"{index}=//////" for index in range(900)), ""),
    SentCall("POST", "http://h/", "", "x" * 2**20),
)


@pytest.mark.parametrize(("kind", "over"), WHERE, ids=str)
def test_hostile_signatures_are_not_explained(kind: str, over: SignedPart) -> None:
    for text in HOSTILE_TEXTS:
        assert explain(text, over, judged(kind), KNOWN) is None, text


@pytest.mark.parametrize("value", HOSTILE_VALUES, ids=lambda value: ascii(value)[:12])
@pytest.mark.parametrize("kind", ["gen-2 transfer", "withdrawal", "mint"])
def test_hostile_bodies_are_not_explained(kind: str, value: Any) -> None:
    request = judged(kind)
    for name in [*request.body, "memo", "royaltyPercentage"]:
        hostile = request._replace(body={**request.body, name: value})
        for over, text in ((SignedPart.MESSAGE, RIGHT_POINT), (SignedPart.OWNER, STRANGE_LAYER1)):
            found = explain(text, over, hostile, KNOWN)
            assert found is None


@pytest.mark.parametrize("call", HOSTILE_CALLS, ids=range(len(HOSTILE_CALLS)))
def test_hostile_calls_are_not_explained_and_take_no_longer(call: SentCall) -> None:
    request = judged("withdrawal")._replace(call=call)
    for over in (SignedPart.CALL, SignedPart.MESSAGE):
        assert is_bounded(RIGHT_POINT, over, request, KNOWN)


@pytest.mark.parametrize("key", [*SMALL, *OUTSIDE])
def test_keys_that_are_none_are_not_explained(key: Point) -> None:
    request = judged("gen-2 order", key)
    assert explain(RIGHT_POINT, SignedPart.MESSAGE, request, KNOWN) is None


def test_an_account_without_a_key_is_not_explained() -> None:
    request = judged("gen-2 order")._replace(account=AccountKeys("alice", None, "nobody"))
    assert explain(RIGHT_POINT, SignedPart.MESSAGE, request, KNOWN) is None
    assert explain(STRANGE_LAYER1, SignedPart.OWNER, request, KNOWN) is None


def crowded() -> SigningContext:
    """A world of many accounts, keys and tokens."""
    holders = tuple(AccountKeys(f"a{number}", public_key(5000 + number), "0x" + "12" * 20) for number in range(200))
    keys = tuple(public_key(9000 + number) for number in range(50))
    return KNOWN._replace(others=holders, replaced=keys, token_ids=tuple(range(500)))


def is_bounded(text: str, over: SignedPart, request: SignedRequest, known: SigningContext) -> bool:
    """Whether an explanation that finds nothing, with nothing kept from before, is no more work than 250 verifications,
    each of which takes about a millisecond.
    """
    forget_all()
    return work(lambda: explain(text, over, request, known)) < LIMIT * verification()


@pytest.mark.parametrize(("kind", "over"), WHERE, ids=str)
def test_to_find_nothing_is_bounded(kind: str, over: SignedPart) -> None:
    text = STRANGE_LAYER1 if over is SignedPart.OWNER else RIGHT_POINT
    assert is_bounded(text, over, judged(kind), crowded())


def test_to_find_nothing_in_plain_integers_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = PlainBackend()
    monkeypatch.setattr(secp256k1, "backend", lambda: plain)
    for kind in ("withdrawal", "gen-2 transfer"):
        assert is_bounded(STRANGE_LAYER1, SignedPart.OWNER, judged(kind), KNOWN)


def test_a_fit_ends_the_trying(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another account's key is found before any field is looked at."""
    tried: list[str] = []

    def no_guesses(*_given: object) -> Iterator[Guess]:
        tried.append("a field")
        return iter(())

    monkeypatch.setattr(explain_module, "field_guesses", no_guesses)
    assert explained("order: bob's key") is not None
    assert tried == []
    assert explained("order: neighbours exchanged") is None
    assert tried == ["a field"]


def test_explanations_name_no_secret() -> None:
    secrets = (str(PRIVATE), f"{PRIVATE:x}", f"{LAYER1_KEY:x}")
    for name, planted in PLANTED.items():
        found = explained(name)
        assert found is not None
        shown = json.dumps(found)
        assert planted.signature() not in shown
        assert not any(secret in shown for secret in secrets)
