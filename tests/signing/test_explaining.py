"""The explanation of a wrong signature: each mistake by its cause, and none where no mistake was made."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mockrelay.signing.diagnosis.explain as explain_module
from mockrelay.signing import messages, owner, secp256k1
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
from mockrelay.signing.eddsa import Family, Signature, public_key, sign, verifier_of
from mockrelay.signing.parameters import LAYER2_ORDER
from mockrelay.signing.poseidon import poseidon
from mockrelay.signing.request_signature import TEXT_MAX, sign_call
from mockrelay.signing.secp256k1_plain import PlainBackend
from mockrelay.signing.wire_forms import eddsa_commas, eddsa_hex, layer1_text
from tests.signing.bodies import BODIES, TYPED
from tests.signing.mistakes import CONTEXT, MISTAKES, request_of
from tests.signing.signers import BOB_LAYER1, DEPLOY, DEPLOY_URL, EXCHANGE_NUMBER, WORLD_URL
from tests.signing.small_points import OUTSIDE, SMALL
from tests.signing.vectors import CHAIN_ID, LAYER1_KEY, PRIVATE
from tests.signing.work import forget_all, verification, work

LIMIT = 250
SECRETS = (str(PRIVATE), f"{PRIVATE:x}", f"{LAYER1_KEY:x}")
LAYER_1 = [key for key in MISTAKES if key[1] is SignedPart.OWNER]


@contextmanager
def cached_arithmetic() -> Iterator[None]:
    """Many explanations try the same hashes: each is computed once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(explain_module, "poseidon", _poseidon)
        patch.setattr(messages, "poseidon", _poseidon)
        patch.setattr(explain_module, "verifier_of", _verifier_of)
        patch.setattr(secp256k1, "recover_address", _recover_address)
        yield


@cache
def _poseidon_of(inputs: tuple[int, ...], width: int) -> int:
    return poseidon(inputs, width)


def _poseidon(inputs: Sequence[int], width: int) -> int:
    return _poseidon_of(tuple(inputs), width)


@cache
def _verifier_of(signature: Signature) -> Callable[[Point, int], bool] | None:
    is_signed_by = verifier_of(signature)
    return None if is_signed_by is None else cache(is_signed_by)


_recover_address = cache(secp256k1.recover_address)


def explanation_of(key: tuple[str, SignedPart, str]) -> Explanation | None:
    """What is said of a mistake."""
    kind, over, _ = key
    mistake = MISTAKES[key]
    return explain(mistake.signer(kind), over, request_of(kind, mistake.key), CONTEXT)


@pytest.mark.parametrize("key", MISTAKES, ids=" - ".join)
def test_each_mistake_is_named_and_no_secret(key: tuple[str, SignedPart, str]) -> None:
    found, mistake = explanation_of(key), MISTAKES[key]
    assert found is not None
    assert found.cause is mistake.cause, found.sentence
    assert [part for part in mistake.words if part not in found.sentence] == [], found.sentence
    assert [secret for secret in (*SECRETS, mistake.signer(key[0])) if secret in json.dumps(found)] == []


def test_every_cause_has_a_mistake() -> None:
    assert {mistake.cause for mistake in MISTAKES.values()} == set(Cause)


@pytest.mark.parametrize("key", LAYER_1, ids=" - ".join)
def test_layer_1_mistakes_are_named_alike_in_plain_integers(
    key: tuple[str, SignedPart, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a recovery takes 30 times as long, less is tried; the usual mistakes come before that."""
    plain = PlainBackend()
    monkeypatch.setattr(secp256k1, "backend", lambda: plain)
    found = explanation_of(key)
    assert found is not None
    assert found.cause is MISTAKES[key].cause


@pytest.mark.parametrize("part", ["r", "s"])
def test_a_lost_zero_of_a_layer_1_signature_is_named(part: str) -> None:
    request, typed = request_of("withdrawal"), TYPED["withdrawal"][0]
    start = 2 if part == "r" else 66
    for storage_id in range(200):
        body = {**request.body, "storageId": storage_id}
        text = layer1_text(owner.sign_typed(LAYER1_KEY, typed.hash(body, CHAIN_ID, EXCHANGE_NUMBER), "02"))
        if text[start] == "0":
            break
    found = explain(text[:start] + text[start + 1 :], SignedPart.OWNER, request._replace(body=body), CONTEXT)
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
        assert explain(text, over, request_of(kind), CONTEXT) is None


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_valid_signatures_of_random_amounts_are_never_explained(data: st.DataObject) -> None:
    message, body = BODIES["gen-2 order"]
    sent = {**body, "amountS": str(data.draw(st.integers(0, 2**96))), "orderId": data.draw(st.integers(0, 2**20))}
    request = request_of("gen-2 order")._replace(body=sent)
    family = data.draw(st.sampled_from(Family))
    assert explain(eddsa_hex(sign(PRIVATE, message.hash(sent), family)), SignedPart.MESSAGE, request, CONTEXT) is None


# Garbage

WHERE = [(kind, over) for kind, over in VALID]


def elements() -> st.SearchStrategy[int]:
    """Numbers of a signature, a field element and beyond."""
    return st.integers(0, 2**256 - 1)


@cached_arithmetic()
@settings(max_examples=30, deadline=None)
@given(st.sampled_from(WHERE), st.tuples(elements(), elements(), elements()), st.integers(1, LAYER2_ORDER - 1))
def test_random_garbage_is_never_explained(
    where: tuple[str, SignedPart], numbers: tuple[int, int, int], scalar: int
) -> None:
    """Numbers that are nothing, and numbers whose R is a point, so that all is tried."""
    kind, over = where
    point = multiply((scalar, BASE))
    for signature in (Signature(*numbers), Signature(*point, numbers[2] % LAYER2_ORDER)):
        assert explain(eddsa_hex(signature), over, request_of(kind), CONTEXT) is None


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from([where for where in WHERE if where[1] is SignedPart.OWNER]),
    st.binary(min_size=65, max_size=66),
    st.sampled_from([b"", b"\x1b", b"\x1c"]),
)
def test_random_layer_1_garbage_is_never_explained(where: tuple[str, SignedPart], rsv: bytes, v: bytes) -> None:
    text = f"0x{(rsv[:64] + v + rsv[64:])[:66].hex()}"
    assert explain(text, where[1], request_of(where[0]), CONTEXT) is None


def test_the_signature_of_an_unknown_key_is_not_explained() -> None:
    message, body = BODIES["gen-2 order"]
    assert (
        explain(eddsa_hex(sign(99, message.hash(body))), SignedPart.MESSAGE, request_of("gen-2 order"), CONTEXT) is None
    )
    typed = TYPED["withdrawal"][0].hash(BODIES["withdrawal"][1], CHAIN_ID, EXCHANGE_NUMBER)
    text = layer1_text(owner.sign_typed(99, typed, "02"))
    assert explain(text, SignedPart.OWNER, request_of("withdrawal"), CONTEXT) is None


# Hostile inputs, and time

RIGHT_POINT = eddsa_hex(sign(99, 1))
OTHER_LAYER1 = layer1_text(owner.sign_typed(BOB_LAYER1, bytes(32), ""))
HOSTILE_TEXTS = (
    *("", "0x", "0x" + "f" * 192, "0x" + "0" * 192, "0x" + "0" * 130, "0x" + "f" * 132, "9" * 10_000, ",,", "\ud800"),
    *(",".join(["9" * 78] * 3), "0x" + "1" * 130 + "\n", RIGHT_POINT, OTHER_LAYER1),
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
MANY_PARAMETERS = SentCall("GET", "http://h/", "&".join(f"{index}=//////" for index in range(900)), "")
HOSTILE_CALLS = (
    SentCall("", "", "", ""),
    SentCall("GET", "\ud800", "\ud800=%zz&&&;=", "\ud800"),
    SentCall("POST", "http://[", "a", "[" * TEXT_MAX),
    SentCall("POST", "http://h:1/w/", "", '{"a":' * 3000 + "1" + "}" * 3000),
    SentCall("POST", "http://h/", "", '{"a":' + "9" * 5000 + "}"),
    SentCall("POST", "http://h/", "", '{"a":NaN,"b":[1,{"c":null}],"d":{"":{"":{"":{"":1}}}}}'),
    SentCall("POST", "http://h/", "", "{" + ",".join(f'"{index}":"{"/" * 20}"' for index in range(500)) + "}"),
    SentCall("POST", "http://h/", "", "/" * TEXT_MAX),
    MANY_PARAMETERS,
    SentCall("POST", "http://h/", "", "x" * 2**20),
)


@cached_arithmetic()
@pytest.mark.parametrize(("kind", "over"), WHERE, ids=str)
def test_hostile_signatures_are_not_explained(kind: str, over: SignedPart) -> None:
    for text in HOSTILE_TEXTS:
        assert explain(text, over, request_of(kind), CONTEXT) is None, text


@cached_arithmetic()
@pytest.mark.parametrize("value", HOSTILE_VALUES, ids=lambda value: ascii(value)[:12])
@pytest.mark.parametrize("kind", ["gen-2 transfer", "withdrawal", "mint"])
def test_hostile_bodies_are_not_explained(kind: str, value: Any) -> None:
    request = request_of(kind)
    for name in [*request.body, "memo", "royaltyPercentage"]:
        hostile = request._replace(body={**request.body, name: value})
        for over, text in ((SignedPart.MESSAGE, RIGHT_POINT), (SignedPart.OWNER, OTHER_LAYER1)):
            found = explain(text, over, hostile, CONTEXT)
            assert found is None


@cached_arithmetic()
@pytest.mark.parametrize("call", HOSTILE_CALLS, ids=range(len(HOSTILE_CALLS)))
@pytest.mark.parametrize("over", [SignedPart.CALL, SignedPart.MESSAGE])
def test_hostile_calls_are_not_explained(call: SentCall, over: SignedPart) -> None:
    assert explain(RIGHT_POINT, over, request_of("withdrawal")._replace(call=call), CONTEXT) is None


@pytest.mark.parametrize("call", HOSTILE_CALLS, ids=range(len(HOSTILE_CALLS)))
def test_hostile_calls_take_no_longer(call: SentCall) -> None:
    assert is_bounded(RIGHT_POINT, SignedPart.CALL, request_of("withdrawal")._replace(call=call), CONTEXT)


def test_the_message_of_the_call_with_the_most_texts_takes_no_longer() -> None:
    request = request_of("withdrawal")._replace(call=MANY_PARAMETERS)
    assert is_bounded(RIGHT_POINT, SignedPart.MESSAGE, request, CONTEXT)


@cached_arithmetic()
@pytest.mark.parametrize("key", [*SMALL, *OUTSIDE])
def test_invalid_keys_are_not_explained(key: Point) -> None:
    request = request_of("gen-2 order", key)
    assert explain(RIGHT_POINT, SignedPart.MESSAGE, request, CONTEXT) is None


def test_an_account_without_a_key_is_not_explained() -> None:
    request = request_of("gen-2 order")._replace(account=AccountKeys("alice", None, "nobody"))
    assert explain(RIGHT_POINT, SignedPart.MESSAGE, request, CONTEXT) is None
    assert explain(OTHER_LAYER1, SignedPart.OWNER, request, CONTEXT) is None


def context_of_many() -> SigningContext:
    """A world of many accounts, keys and tokens."""
    holders = tuple(AccountKeys(f"a{number}", public_key(5000 + number), "0x" + "12" * 20) for number in range(200))
    keys = tuple(public_key(9000 + number) for number in range(50))
    return CONTEXT._replace(others=holders, replaced=keys, token_ids=tuple(range(500)))


def is_bounded(text: str, over: SignedPart, request: SignedRequest, context: SigningContext) -> bool:
    """Whether an explanation that finds nothing, with nothing kept from before, is no more work than 250 verifications,
    each of which takes about a millisecond.
    """
    forget_all()
    return work(lambda: explain(text, over, request, context)) < LIMIT * verification()


@pytest.mark.parametrize(("kind", "over"), WHERE, ids=str)
def test_to_find_nothing_is_bounded(kind: str, over: SignedPart) -> None:
    text = OTHER_LAYER1 if over is SignedPart.OWNER else RIGHT_POINT
    assert is_bounded(text, over, request_of(kind), context_of_many())


def test_to_find_nothing_in_plain_integers_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = PlainBackend()
    monkeypatch.setattr(secp256k1, "backend", lambda: plain)
    for kind in ("withdrawal", "gen-2 transfer"):
        assert is_bounded(OTHER_LAYER1, SignedPart.OWNER, request_of(kind), CONTEXT)


def test_a_fit_ends_the_trying(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another account's key is found before any field is looked at."""
    tried: list[str] = []

    def no_guesses(*_given: object) -> Iterator[Guess]:
        tried.append("a field")
        return iter(())

    monkeypatch.setattr(explain_module, "field_guesses", no_guesses)
    assert explanation_of(("gen-2 order", SignedPart.MESSAGE, "bob's key")) is not None
    assert tried == []
    assert explanation_of(("gen-2 order", SignedPart.MESSAGE, "neighbours exchanged")) is None
    assert tried == ["a field"]
